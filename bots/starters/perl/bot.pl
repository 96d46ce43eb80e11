#!/usr/bin/env perl
# A bot that plays every game of golfref legally, with nothing but Perl 5 and its core modules. It remembers each card
# that it sees, keeps low ones and throws high ones away. Read it from the top, then change the subs marked "Change this
# to play better".
#
# The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
# nothing else there: warn is for what helps you to find mistakes.

use strict;
use warnings;
use JSON::PP;
use List::Util qw(all first none sum0);

use constant {
    LOW     => 4,      # a card of at most so many points is kept
    HIDDEN  => 5,      # what a card counts that we do not know
    UNKNOWN => '?',
};

my $match;      # the message that began the match: our seat, what cards are worth, the options of the game
my @layouts;    # by seat and slot: a card such as "10H", UNKNOWN, or undef where no card lies
my $hand;       # the card that was just drawn, undef where we do not see it
my $pile;       # the top card of the discard pile, undef where the pile is empty
my %offered;    # what the request offers, by kind

my %decisions = (    # other decisions are answered by least_committal
    turn   => \&turn,
    place  => \&place,
    flip   => \&flip,
    power  => \&power,
    slap   => \&slap,
    give   => \&give,
    block  => \&block,
    pairs  => \&pairs,
    stroke => \&stroke,
);
my %memory = memory();

my $json = JSON::PP->new->utf8;
$| = 1;    # an answer that waits in a buffer comes too late

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    if ($message->{type} eq 'hello') {
        say_line({ type => 'ready', name => 'my-bot', version => '1' });    # slaps => JSON::PP::false: never slaps
    }
    elsif ($message->{type} eq 'match') {
        $match   = $message;
        @layouts = map { [] } 1 .. $match->{seats};
        $hand    = $pile = undef;
    }
    elsif ($message->{type} eq 'request') {
        say_line({ type => 'answer', id => $message->{id}, action => decide($message) });
    }    # `end` needs no answer. Another match may follow.
}

sub say_line {
    my ($message) = @_;
    print $json->encode($message) . "\n";
}

# The action for a request. `legal` lists all that may be answered, and we never answer anything else.
sub decide {
    my ($request) = @_;
    for my $event (@{ $request->{events} }) {
        my $remember = $memory{ $event->{event} };
        $remember->($event) if $remember;
    }
    look($request->{table}) if $request->{table};
    my $legal = $request->{legal};
    %offered = map { $_->{kind} => $_ } reverse @$legal;
    my $choose = $decisions{ $request->{decision} };
    return ($choose && $choose->()) || least_committal($legal);
}

# ---- Decisions. Each sub returns an action. Where it returns nothing, least_committal answers.

# The start of our turn. Change this to play better: how sure must you be before you end a round?
sub turn {
    my @own = @{ $layouts[ $match->{seat} ] };
    if ((none { defined && $_ eq UNKNOWN } @own) && sum0(map { cost($_) } @own) <= LOW) {
        my $ending = first { $offered{$_} } qw(knock end);
        return { kind => $ending } if $ending;
    }
    return unless $offered{draw};
    my %from = map { $_ => 1 } @{ $offered{draw}{from}{one_of} };
    my $take_pile = $from{pile} && (!$from{stock} || defined $pile && points($pile) <= LOW);
    return { kind => 'draw', from => $take_pile ? 'pile' : 'stock' };
}

# Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing.
sub place {
    my $swap = $offered{swap} && { kind => 'swap', slot => worst($offered{swap}{slot}{one_of}) };
    if ($swap && defined $hand) {
        my $helps = points($hand) <= LOW && points($hand) < cost(own($swap->{slot}));
        return $swap if $helps || !$offered{discard};
    }
    return { kind => 'discard' } if $offered{discard};
    return $swap;
}

# Which of our cards is turned face up.
sub flip {
    return $offered{flip} && { kind => 'flip', slot => $offered{flip}{slot}{one_of}[0] };
}

# The power of a card. Change this to play better: there are many more powers than to peek.
sub power {
    return unless $offered{peek};
    my $target = first { is_own($_) && (card_at($_) // '') eq UNKNOWN } @{ $offered{peek}{target}{one_of} };
    return $target && { kind => 'peek', target => $target };
}

# A card was discarded, and whoever throws an equal one first is rid of it. Here every microsecond counts.
sub slap {
    return unless $offered{slap} && defined $pile;
    my $rank   = rank($pile);
    my $target = first {
        my $card = is_own($_) ? card_at($_) : undef;
        is_known($card) && rank($card) eq $rank && points($card) > 0
    } @{ $offered{slap}{target}{one_of} };
    return $target && { kind => 'slap', target => $target };
}

# The card that another seat gets after we slapped one of its cards.
sub give {
    return $offered{give} && { kind => 'give', slot => worst($offered{give}{slot}{one_of}) };
}

# Whether our shield stops an attack.
sub block {
    return $offered{block} && { kind => 'block' };
}

# The two-deck game: pairs that we may throw away.
sub pairs {
    return unless $offered{discard_pairs};
    my @rows = grep { sum0(map { cost($_) } pair($_)) > 0 } @{ $offered{discard_pairs}{rows}{any_of} };
    return { kind => 'discard_pairs', rows => \@rows };
}

# Par golf: a row that we may take as a stroke.
sub stroke {
    return unless $offered{stroke};
    my $row = first {
        my @pair = pair($_);
        (all { is_known($_) } @pair) && sum0(map { cost($_) } @pair) <= LOW
    } @{ $offered{stroke}{row}{one_of} };
    return defined $row ? { kind => 'stroke', row => $row } : undef;
}

# A legal answer to any request, also to decisions that did not exist when this bot was written.
sub least_committal {
    my ($legal) = @_;
    my $kind    = first { $offered{$_} } qw(pass none allow stop discard draw);
    my $offer   = defined $kind ? $offered{$kind} : $legal->[0];
    return { map { $_ => $_ eq 'kind' ? $offer->{kind} : first_of($offer->{$_}) } keys %$offer };
}

# A value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
sub first_of {
    my ($choice) = @_;
    return $choice->{one_of}[0] if $choice->{one_of};
    return $choice->{pick} ? [ @{ $choice->{of} }[ 0 .. $choice->{pick} - 1 ] ] : [];
}

# ---- What cards count.

sub points {
    my ($card) = @_;
    return $match->{values}{$card} // $match->{values}{ rank($card) };
}

sub rank {
    my ($card) = @_;
    return $card =~ /^X/ ? 'X' : substr $card, 0, -1;    # X1 and X2 are jokers; else the last character is the suit
}

# What a card in a layout counts. Change this to play better: reckon with the cards that you have not seen yet.
sub cost {
    my ($card) = @_;
    return 0 unless defined $card;
    return $card eq UNKNOWN ? HIDDEN : points($card);
}

# Of these slots of ours the one that counts most, the first among equals.
sub worst {
    my ($slots) = @_;
    my ($worst) = sort { cost(own($b)) <=> cost(own($a)) || $a <=> $b } @$slots;
    return $worst;
}

sub is_known {
    my ($card) = @_;
    return defined $card && $card ne UNKNOWN;
}

sub is_own {
    my ($target) = @_;
    return $target->[0] == $match->{seat};
}

sub own {
    my ($slot) = @_;
    return card_at([ $match->{seat}, $slot ]);
}

sub pair {
    my ($row) = @_;
    return (own(2 * $row), own(2 * $row + 1));
}

# ---- What happened. Everything is told once, so we keep it. Events that are not named here change nothing for us.

sub memory {
    my $see     = sub { my ($e) = @_; see([ $e->{seat}, $e->{slots}[$_] ], $e->{cards}[$_]) for 0 .. $#{ $e->{slots} } };
    my $see_one = sub { my ($e) = @_; see($e->{target}, $e->{card}) };
    my $discard = sub { my ($e) = @_; discard($e->{card}) };
    my $shuffle = sub { my ($e) = @_; put([ $e->{of}, $_ ], UNKNOWN) for occupied($e->{of}) };
    return (
        round => sub {
            my ($e) = @_;
            @layouts = map { [ (UNKNOWN) x ($e->{rows} * $match->{columns}) ] } 1 .. $match->{seats};
            discard(undef);
        },
        up_card     => sub { my ($e) = @_; $pile = $e->{card} },
        turned_up   => $see,
        looked      => $see,
        swapped_own => sub {
            my ($e) = @_;
            exchange(map { [ $e->{seat}, $_ ] } @{ $e->{slots} });
            $see->($e);
        },
        arranged => sub {
            my ($e) = @_;
            my @cards = map { card_at([ $e->{seat}, $_ ]) } @{ $e->{slots} // [] };
            put([ $e->{seat}, $_ ], $cards[$_]) for 0 .. $#cards;
        },
        drew    => sub { my ($e) = @_; $hand = $e->{card} },
        swapped => sub {
            my ($e) = @_;
            put([ $e->{seat}, $e->{slot} ], $e->{card} // UNKNOWN);
            discard($e->{replaced});
        },
        discarded  => $discard,
        power      => $discard,
        traded     => sub { my ($e) = @_; put($e->{target}, $e->{given}); $hand = $e->{taken} },
        peeked     => $see_one,
        exposed    => $see_one,
        switched   => sub { my ($e) = @_; exchange(@{ $e->{targets} }) },
        rearranged => sub {
            my ($e)    = @_;
            my @places = occupied($e->{of});
            my @cards  = map { $e->{slots} ? card_at([ $e->{of}, $_ ]) : UNKNOWN } @{ $e->{slots} // \@places };
            put([ $e->{of}, $places[$_] ], $cards[$_]) for 0 .. $#places;
        },
        shuffled      => $shuffle,
        lines_swapped => sub {
            my ($e) = @_;
            $shuffle->($e);
            $layouts[ $e->{of} ] = covered($e->{of}, $e->{layout});
        },
        added   => sub { my ($e) = @_; put($e->{target}, UNKNOWN) },
        removed => sub { my ($e) = @_; put($e->{target}, undef); $pile = $e->{card} },
        planted => sub { my ($e) = @_; put($e->{target}, $e->{card}); discard($e->{replaced}) },
        kept    => sub {
            my ($e) = @_;
            put([ $e->{seat}, $e->{slot} ], $e->{card} // UNKNOWN);
            discard($e->{discarded}[-1] // $pile);
        },
        blocked         => sub { my ($e) = @_; $pile = $e->{shield} // $pile },
        pairs_discarded => sub {
            my ($e) = @_;
            put([ $e->{seat}, $_ ], undef) for map { (2 * $_, 2 * $_ + 1) } @{ $e->{rows} };
            $pile = $e->{cards}[-1] // $pile;
        },
        slapped => \&remember_slap,
        gave    => sub {
            my ($e) = @_;
            put($e->{target}, card_at([ $e->{seat}, $e->{slot} ]));
            put([ $e->{seat}, $e->{slot} ], undef);
        },
    );
}

sub remember_slap {
    my ($event) = @_;
    my ($target, $card) = @$event{qw(target card)};
    my $taken = defined $event->{new_slot} ? [ @$event{qw(seat new_slot)} ] : undef;    # where the slapper got a card
    if ($event->{verdict} eq 'right') {
        put($target, undef);
        $pile = $card;
    }
    elsif ($taken && $target->[0] != $event->{seat}) {    # another seat's card, which the slapper has to take
        put($target, undef);
        put($taken,  $card);
    }
    else {    # it went back, and everybody has seen it; perhaps there is a card from the stock as a penalty
        put($target, $card);
        put($taken,  UNKNOWN) if $taken;
    }
}

# The table as everybody sees it.
sub look {
    my ($table) = @_;
    my $seen = $table->{layouts};
    @layouts = map { covered($_, $seen->[$_]) } 0 .. $#$seen;
    $pile    = $table->{pile}[0];
}

# A layout as it is told, with what we remember of the cards that it does not show.
sub covered {
    my ($seat, $layout) = @_;
    my @cards = @$layout;
    for my $slot (grep { defined $cards[$_] && $cards[$_] eq UNKNOWN } 0 .. $#cards) {
        $cards[$slot] = card_at([ $seat, $slot ]) // UNKNOWN;
    }
    return \@cards;
}

sub discard {
    my ($card) = @_;
    ($pile, $hand) = ($card, undef);
}

sub see {
    my ($target, $card) = @_;
    put($target, $card) if defined $card;
}

sub exchange {
    my ($one, $other) = @_;
    my $card = card_at($one);
    put($one,   card_at($other));
    put($other, $card);
}

sub occupied {
    my ($seat) = @_;
    my $layout = $layouts[$seat] // [];
    return grep { defined $layout->[$_] } 0 .. $#$layout;
}

sub card_at {
    my ($seat, $slot) = @{ $_[0] };
    return $layouts[$seat] && $layouts[$seat][$slot];
}

# Slots beyond the end of a layout are new ones.
sub put {
    my ($target, $card) = @_;
    my ($seat,   $slot) = @$target;
    $layouts[$seat][$slot] = $card;
}
