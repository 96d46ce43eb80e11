#!/usr/bin/env perl
# A bot that plays every game of golfref legally, with nothing but Perl 5 and its core modules. It keeps low cards and
# throws high ones away, judging by the cards that lie open. Four comments that begin with "Next:" say what to add.
#
# The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
# nothing else there: use warn to print what helps you to find mistakes.

use strict;
use warnings;
use JSON::PP;
use List::Util qw(any first max none sum0);

use constant {
    LOW      => 4,    # a card of at most so many points is taken from the pile
    HIDDEN   => 5,    # the points of a card that lies face down
    PATIENCE => 4,    # the first own turn of a round in which the bot may end it
};

my %decisions = (turn => \&turn, place => \&place, flip => \&flip);    # decline answers all others

my $match;              # the message that began the match: our seat, what cards are worth, the options of the game
my $table;              # the table as everybody sees it, as the latest request showed it
my $drawn;              # the card that we drew last
my $turns = 0;          # our turns in this round
my $json  = JSON::PP->new->utf8;
$| = 1;                 # an answer that waits in a buffer comes too late

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    if ($message->{type} eq 'hello') {
        say_line({ type => 'ready', name => 'my-bot', slaps => JSON::PP::false });
    }
    elsif ($message->{type} eq 'match') {
        ($match, $table) = ($message, { layouts => [], pile => [] });
    }
    elsif ($message->{type} eq 'request') {
        say_line({ type => 'answer', id => $message->{id}, action => decide($message) });
    }    # `end` needs no answer. Another match may follow.
}

sub say_line {
    my ($message) = @_;
    print $json->encode($message) . "\n";
}

# The action for a request. `legal` lists all legal actions; the bot answers one of them.
sub decide {
    my ($request) = @_;
    for my $event (@{ $request->{events} }) {
        $turns = 0 if $event->{event} eq 'round';
        $drawn = $event->{card} if $event->{event} eq 'drew' && $event->{seat} == $match->{seat};

        # Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
    }
    $table = $request->{table} if $request->{table};
    my %offers = map { $_->{kind} => $_ } reverse @{ $request->{legal} };
    my $choose = $decisions{ $request->{decision} };
    return ($choose && $choose->(\%offers)) || decline($request->{legal}, \%offers);
}

# The start of our turn: end the round or draw a card.
sub turn {
    my ($offers) = @_;
    $turns++;

    # Next: end a round only with a good lead. `knock_penalty` in the options of the match is the price of a wrong end.
    if ($turns >= PATIENCE && none { total($_) < total(own()) } @{ $table->{layouts} }) {
        my $ending = first { $offers->{$_} } qw(knock end);
        return { kind => $ending } if $ending;
    }
    return unless $offers->{draw};
    my @sources = @{ $offers->{draw}{from}{one_of} };
    my $top     = @{ $table->{pile} } ? cost($table->{pile}[0]) : LOW + 1;
    my $helps   = $top <= LOW && any { cost($_) > $top } @{ own() };
    my $from    = $helps && (any { $_ eq 'pile' } @sources) ? 'pile' : $sources[0];
    return { kind => 'draw', from => $from };
}

# Where the drawn card goes: to the slot of our worst card, or to the pile.
sub place {
    my ($offers) = @_;
    return unless $offers->{swap};

    # Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
    my $slot = worst($offers->{swap}{slot}{one_of});
    return { kind => 'discard' } if $offers->{discard} && cost($drawn) >= cost(own()->[$slot]);
    return { kind => 'swap', slot => $slot };
}

# Which of our cards is turned face up: any, but not the last one, which would end the round.
sub flip {
    my ($offers) = @_;
    my @slots = @{ $offers->{flip}{slot}{one_of} };
    return { kind => 'none' } if @slots == 1 && $offers->{none};
    return { kind => 'flip', slot => $slots[0] };
}

# Next: powers, pairs, strokes and slaps. Each decision wants a sub in %decisions; slaps also want `slaps` to be true.
sub decline {
    my ($legal, $offers) = @_;
    my $kind  = first { $offers->{$_} } qw(pass none allow stop discard draw);
    my $offer = defined $kind ? $offers->{$kind} : $legal->[0];
    return { map { $_ => $_ eq 'kind' ? $offer->{kind} : first_of($offer->{$_}) } keys %$offer };
}

# The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
sub first_of {
    my ($choice) = @_;
    return $choice->{one_of}[0] if $choice->{one_of};
    return $choice->{pick} ? [ @{ $choice->{of} }[ 0 .. $choice->{pick} - 1 ] ] : [];
}

# Our cards by slot: a card such as "10H", "?" for one that lies face down, undef for an empty slot.
sub own {
    return $table->{layouts}[ $match->{seat} ] // [];
}

# Of these slots of ours the one whose card counts most; of equal ones another each turn.
sub worst {
    my ($slots) = @_;
    my $most  = max map { cost(own()->[$_]) } @$slots;
    my @equal = grep { cost(own()->[$_]) == $most } @$slots;
    return $equal[ $turns % @equal ];
}

sub total {
    my ($layout) = @_;
    return sum0 map { cost($_) } @$layout;
}

# The points of a card. `values` holds them by rank, or by card where one differs from its rank.
sub cost {
    my ($card) = @_;
    return 0 unless defined $card;
    return HIDDEN if $card eq '?';
    my $rank = $card =~ /^X/ ? 'X' : substr $card, 0, -1;    # X1 is a joker; else the suit comes last
    return $match->{values}{$card} // $match->{values}{$rank};
}
