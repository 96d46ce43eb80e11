#!/usr/bin/env perl
# A bot in another language, with nothing but Perl 5 and its core modules.
#
# A rule of thumb instead of a strategy, as a beginner plays: a card of at most LOW points is kept, everything else is
# thrown away. A kept card takes the place of the dearest open card, or of a face-down one where all open cards are
# low too. Whatever it does not understand it answers by declining, or by the first legal values.

use strict;
use warnings;
use JSON::PP;
use List::Util 'shuffle';

use constant LOW => 4;
my @LEAST_COMMITTAL = qw(pass none allow stop discard draw);

my $json = JSON::PP->new->utf8->canonical;
$| = 1;    # an answer in a buffer is an answer too late

my ($match, $table, $hand);    # what holds for the match, the turn, the drawn card

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    my $type    = $message->{type};
    if ($type eq 'hello') {
        say_line({ type => 'ready', name => 'perl', slaps => JSON::PP::false });
    } elsif ($type eq 'match') {
        $match = $message;
        srand $match->{seed};
    } elsif ($type eq 'request') {
        say_line({ type => 'answer', id => $message->{id}, action => decide($message) });
    }
}

sub say_line {
    my ($message) = @_;
    print $json->encode($message), "\n";
}

# The action for a request.
sub decide {
    my ($request) = @_;
    $table = $request->{table} if $request->{table};
    for my $event (@{ $request->{events} }) {
        $hand = $event->{card} if $event->{event} eq 'drew' && defined $event->{card};
    }
    my %offers = map { $_->{kind} => $_ } @{ $request->{legal} };
    if ($request->{decision} eq 'turn' && $offers{draw}) {
        return { kind => 'draw', from => source(@{ $offers{draw}{from}{one_of} }) };
    }
    if ($request->{decision} eq 'place' && $offers{swap} && (points($hand) <= LOW || !$offers{discard})) {
        return { kind => 'swap', slot => worst(@{ $offers{swap}{slot}{one_of} }) };
    }
    return least_committal($request->{legal});
}

# The pile where its open card is low, else the stock.
sub source {
    my %legal = map { $_ => 1 } @_;
    my $top = $table->{pile}[0];
    return 'pile' if $legal{pile} && (!$legal{stock} || defined $top && points($top) <= LOW);
    return 'stock';
}

# The slot whose card is the dearest, one of them by lot; a face-down card counts as just too dear to keep.
sub worst {
    my @layout = @{ $table->{layouts}[ $match->{seat} ] };
    my ($worst) = sort { cost($layout[$b]) <=> cost($layout[$a]) } shuffle @_;
    return $worst;
}

sub cost {
    my ($card) = @_;
    return $card eq '?' ? LOW + 1 : points($card);
}

# A card's points: its own where `values` names the card, else its rank's.
sub points {
    my ($card) = @_;
    my $rank = $card =~ /^X/ ? 'X' : substr $card, 0, -1;
    return $match->{values}{$card} // $match->{values}{$rank};
}

# A legal answer to whatever is asked: decline where that is offered, else the first values of the first offer.
sub least_committal {
    my ($legal) = @_;
    my %offers  = map { $_->{kind} => $_ } @$legal;
    my ($kind)  = grep { $offers{$_} } @LEAST_COMMITTAL;
    my %action  = %{ defined $kind ? $offers{$kind} : $legal->[0] };
    for my $field (grep { $_ ne 'kind' } keys %action) {
        my $choice = $action{$field};
        if    ($choice->{one_of}) { $action{$field} = $choice->{one_of}[0] }
        elsif ($choice->{pick})   { $action{$field} = [ @{ $choice->{of} }[ 0 .. $choice->{pick} - 1 ] ] }
        else                      { $action{$field} = [] }
    }
    return \%action;
}
