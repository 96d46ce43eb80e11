<?php

// A bot that plays every game of golfref legally. It remembers each card that it sees, keeps low ones and throws high
// ones away. Read it from the top, then change the methods marked "Change this to play better".
//
// The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
// nothing else there: error_log is for what helps you to find mistakes.

declare(strict_types=1);

ini_set('display_errors', 'stderr');
ini_set('error_log', 'php://stderr');

const LOW = 4; // a card of at most so many points is kept
const HIDDEN = 5; // what a card counts that we do not know
const UNKNOWN = '?';

/** One match. */
final class Bot
{
    private int $seat; // our own
    private array $values; // points by rank, or by card where one differs from its rank
    private array $layouts; // by seat and slot: a card such as "10H", UNKNOWN, or null where no card lies
    private ?string $hand = null; // the card that was just drawn, null where we do not see it
    private ?string $pile = null; // the top card of the discard pile, null where the pile is empty

    public function __construct(private array $match)
    {
        $this->seat = $match['seat'];
        $this->values = $match['values'];
        $this->layouts = array_fill(0, $match['seats'], []);
    }

    /** The action for a request. `legal` lists all that may be answered, and we never answer anything else. */
    public function decide(array $request): array
    {
        foreach ($request['events'] as $event) {
            $this->remember($event);
        }
        if (isset($request['table'])) {
            $this->look($request['table']);
        }
        $legal = $request['legal'];
        $offers = array_column(array_reverse($legal), null, 'kind');
        $action = match ($request['decision']) {
            'turn' => $this->turn($offers),
            'place' => $this->place($offers),
            'flip' => $this->flip($offers),
            'power' => $this->power($offers),
            'slap' => $this->slap($offers),
            'give' => $this->give($offers),
            'block' => isset($offers['block']) ? ['kind' => 'block'] : null, // whether our shield stops an attack
            'pairs' => $this->pairs($offers),
            'stroke' => $this->stroke($offers),
            default => null,
        };
        return $action ?? $this->leastCommittal($legal, $offers);
    }

    // ---- Decisions. Each method gets the offers by their kind, and returns an action. Where it returns null,
    // ---- leastCommittal answers.

    /** The start of our turn. Change this to play better: how sure must you be before you end a round? */
    private function turn(array $offers): ?array
    {
        $own = $this->layouts[$this->seat];
        if (!in_array(UNKNOWN, $own, true) && $this->total($own) <= LOW) {
            foreach (['knock', 'end'] as $kind) {
                if (isset($offers[$kind])) {
                    return ['kind' => $kind];
                }
            }
        }
        if (!isset($offers['draw'])) {
            return null;
        }
        $sources = $offers['draw']['from']['one_of'];
        $isLow = $this->pile !== null && $this->points($this->pile) <= LOW;
        $takePile = in_array('pile', $sources, true) && ($isLow || !in_array('stock', $sources, true));
        return ['kind' => 'draw', 'from' => $takePile ? 'pile' : 'stock'];
    }

    /** Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing. */
    private function place(array $offers): ?array
    {
        $discard = isset($offers['discard']) ? ['kind' => 'discard'] : null;
        if (!isset($offers['swap'])) {
            return $discard;
        }
        $slot = $this->worst($offers['swap']['slot']['one_of']);
        $swap = ['kind' => 'swap', 'slot' => $slot];
        if ($this->hand === null) {
            return $discard ?? $swap;
        }
        $points = $this->points($this->hand);
        $helps = $points <= LOW && $points < $this->cost($this->own($slot));
        return $helps ? $swap : $discard ?? $swap;
    }

    /** Which of our cards is turned face up. */
    private function flip(array $offers): ?array
    {
        return isset($offers['flip']) ? ['kind' => 'flip', 'slot' => $offers['flip']['slot']['one_of'][0]] : null;
    }

    /** The power of a card. Change this to play better: there are many more powers than to peek. */
    private function power(array $offers): ?array
    {
        foreach ($offers['peek']['target']['one_of'] ?? [] as [$seat, $slot]) {
            if ($seat === $this->seat && $this->own($slot) === UNKNOWN) {
                return ['kind' => 'peek', 'target' => [$seat, $slot]];
            }
        }
        return null;
    }

    /** A card was discarded, and whoever throws an equal one first is rid of it. Here every microsecond counts. */
    private function slap(array $offers): ?array
    {
        foreach ($offers['slap']['target']['one_of'] ?? [] as [$seat, $slot]) {
            if ($seat === $this->seat && $this->isWorthThrowing($this->own($slot))) {
                return ['kind' => 'slap', 'target' => [$seat, $slot]];
            }
        }
        return null;
    }

    /** The card that another seat gets after we slapped one of its cards. */
    private function give(array $offers): ?array
    {
        return isset($offers['give']) ? ['kind' => 'give', 'slot' => $this->worst($offers['give']['slot']['one_of'])] : null;
    }

    /** The two-deck game: pairs that we may throw away. */
    private function pairs(array $offers): ?array
    {
        if (!isset($offers['discard_pairs'])) {
            return null;
        }
        $rows = $offers['discard_pairs']['rows']['any_of'];
        $counts = fn(int $row): bool => $this->total($this->pair($row)) > 0;
        return ['kind' => 'discard_pairs', 'rows' => array_values(array_filter($rows, $counts))];
    }

    /** Par golf: a row that we may take as a stroke. */
    private function stroke(array $offers): ?array
    {
        foreach ($offers['stroke']['row']['one_of'] ?? [] as $row) {
            $pair = $this->pair($row);
            if ($this->isKnown($pair[0]) && $this->isKnown($pair[1]) && $this->total($pair) <= LOW) {
                return ['kind' => 'stroke', 'row' => $row];
            }
        }
        return null;
    }

    /** A legal answer to any request, also to decisions that did not exist when this bot was written. */
    private function leastCommittal(array $legal, array $offers): array
    {
        $offer = $legal[0];
        foreach (['draw', 'discard', 'stop', 'allow', 'none', 'pass'] as $kind) {
            $offer = $offers[$kind] ?? $offer;
        }
        return array_map(fn($choice) => is_array($choice) ? $this->firstOf($choice) : $choice, $offer);
    }

    /** A value that a choice allows: one of some, exactly so many of some, or as many of some as we like. */
    private function firstOf(array $choice): mixed
    {
        return $choice['one_of'][0] ?? array_slice($choice['of'] ?? [], 0, $choice['pick'] ?? 0);
    }

    // ---- What cards count.

    private function points(string $card): int
    {
        return $this->values[$card] ?? $this->values[$this->rank($card)];
    }

    private function rank(string $card): string
    {
        return $card[0] === 'X' ? 'X' : substr($card, 0, -1); // X1 and X2 are jokers; else the last character is the suit
    }

    /** What a card in a layout counts. Change this to play better: reckon with the cards that you have not seen yet. */
    private function cost(?string $card): int
    {
        return match ($card) {
            null => 0,
            UNKNOWN => HIDDEN,
            default => $this->points($card),
        };
    }

    private function total(array $cards): int
    {
        return array_sum(array_map($this->cost(...), $cards));
    }

    /** Of these slots of ours the one that counts most, the first among equals. */
    private function worst(array $slots): int
    {
        usort($slots, fn(int $a, int $b): int => [$this->cost($this->own($b)), $a] <=> [$this->cost($this->own($a)), $b]);
        return $slots[0];
    }

    private function isKnown(?string $card): bool
    {
        return $card !== null && $card !== UNKNOWN;
    }

    private function isWorthThrowing(?string $card): bool
    {
        return $this->isKnown($card) && $this->pile !== null
            && $this->rank($card) === $this->rank($this->pile) && $this->points($card) > 0;
    }

    private function own(int $slot): ?string
    {
        return $this->cardAt([$this->seat, $slot]);
    }

    private function pair(int $row): array
    {
        return [$this->own(2 * $row), $this->own(2 * $row + 1)];
    }

    // ---- What happened. Everything is told once, so we keep it. Other events change nothing for us.

    private function remember(array $event): void
    {
        $card = $event['card'] ?? null;
        $target = $event['target'] ?? null;
        $place = [$event['seat'] ?? null, $event['slot'] ?? null];
        switch ($event['event']) {
            case 'round':
                $layout = array_fill(0, $event['rows'] * $this->match['columns'], UNKNOWN);
                $this->layouts = array_fill(0, $this->match['seats'], $layout);
                $this->discard(null);
                break;
            case 'up_card':
                $this->pile = $card;
                break;
            case 'swapped_own':
                [$one, $other] = $event['slots'];
                $this->exchange([$event['seat'], $one], [$event['seat'], $other]);
                $this->see($event);
                break;
            case 'turned_up':
            case 'looked':
                $this->see($event);
                break;
            case 'arranged':
                $cards = array_map(fn(int $from): ?string => $this->cardAt([$event['seat'], $from]), $event['slots'] ?? []);
                foreach ($cards as $slot => $one) {
                    $this->put([$event['seat'], $slot], $one);
                }
                break;
            case 'drew':
                $this->hand = $card;
                break;
            case 'swapped':
                $this->put($place, $card ?? UNKNOWN);
                $this->discard($event['replaced']);
                break;
            case 'discarded':
            case 'power':
                $this->discard($card);
                break;
            case 'traded':
                $this->put($target, $event['given']);
                $this->hand = $event['taken'];
                break;
            case 'peeked':
            case 'exposed':
                if ($card !== null) {
                    $this->put($target, $card);
                }
                break;
            case 'switched':
                $this->exchange(...$event['targets']);
                break;
            case 'rearranged':
                $slots = $this->occupied($event['of']);
                $known = fn(int $from): ?string => $this->cardAt([$event['of'], $from]);
                $cards = array_map($event['slots'] ? $known : fn(int $slot): string => UNKNOWN, $event['slots'] ?? $slots);
                foreach ($slots as $i => $slot) {
                    $this->put([$event['of'], $slot], $cards[$i]);
                }
                break;
            case 'lines_swapped':
            case 'shuffled':
                foreach ($this->occupied($event['of']) as $slot) {
                    $this->put([$event['of'], $slot], UNKNOWN);
                }
                if ($event['event'] === 'lines_swapped') {
                    $this->layouts[$event['of']] = $this->covered($event['of'], $event['layout']);
                }
                break;
            case 'added':
                $this->put($target, UNKNOWN);
                break;
            case 'removed':
                $this->put($target, null);
                $this->pile = $card;
                break;
            case 'planted':
                $this->put($target, $card);
                $this->discard($event['replaced']);
                break;
            case 'kept':
                $this->put($place, $card ?? UNKNOWN);
                $this->discard(end($event['discarded']) ?: $this->pile);
                break;
            case 'blocked':
                $this->pile = $event['shield'] ?? $this->pile;
                break;
            case 'pairs_discarded':
                foreach ($event['rows'] as $row) {
                    $this->put([$event['seat'], 2 * $row], null);
                    $this->put([$event['seat'], 2 * $row + 1], null);
                }
                $this->pile = end($event['cards']) ?: $this->pile;
                break;
            case 'slapped':
                $this->rememberSlap($event['seat'], $target, $card, $event['verdict'], $event['new_slot']);
                break;
            case 'gave':
                $this->put($target, $this->cardAt($place));
                $this->put($place, null);
                break;
        }
    }

    private function rememberSlap(int $slapper, array $target, string $card, string $verdict, ?int $newSlot): void
    {
        if ($verdict === 'right') {
            $this->put($target, null);
            $this->pile = $card;
        } elseif ($newSlot !== null && $target[0] !== $slapper) { // another seat's card, which the slapper has to take
            $this->put($target, null);
            $this->put([$slapper, $newSlot], $card);
        } else { // it went back, and everybody has seen it; perhaps there is a card from the stock as a penalty
            $this->put($target, $card);
            if ($newSlot !== null) {
                $this->put([$slapper, $newSlot], UNKNOWN);
            }
        }
    }

    /** The table as everybody sees it. */
    private function look(array $table): void
    {
        $layouts = [];
        foreach ($table['layouts'] as $seat => $layout) {
            $layouts[] = $this->covered($seat, $layout);
        }
        $this->layouts = $layouts;
        $this->pile = $table['pile'][0] ?? null;
    }

    /** A layout as it is told, with what we remember of the cards that it does not show. */
    private function covered(int $seat, array $layout): array
    {
        foreach ($layout as $slot => $card) {
            $layout[$slot] = $card === UNKNOWN ? $this->cardAt([$seat, $slot]) ?? UNKNOWN : $card;
        }
        return $layout;
    }

    private function discard(?string $card): void
    {
        $this->pile = $card;
        $this->hand = null;
    }

    private function see(array $event): void
    {
        foreach ($event['slots'] as $i => $slot) {
            if ($event['cards'][$i] !== null) {
                $this->put([$event['seat'], $slot], $event['cards'][$i]);
            }
        }
    }

    private function exchange(array $one, array $other): void
    {
        $card = $this->cardAt($one);
        $this->put($one, $this->cardAt($other));
        $this->put($other, $card);
    }

    private function occupied(int $seat): array
    {
        return array_keys(array_filter($this->layouts[$seat], is_string(...)));
    }

    private function cardAt(array $target): ?string
    {
        [$seat, $slot] = $target;
        return $this->layouts[$seat][$slot] ?? null;
    }

    /** Slots beyond the end of a layout are new ones. */
    private function put(array $target, ?string $card): void
    {
        [$seat, $slot] = $target;
        $this->layouts[$seat] = array_pad($this->layouts[$seat] ?? [], $slot + 1, null);
        $this->layouts[$seat][$slot] = $card;
    }
}

function say(array $message): void
{
    fwrite(STDOUT, json_encode($message, JSON_THROW_ON_ERROR) . "\n");
}

$bot = null;
while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    switch ($message['type']) {
        case 'hello':
            say(['type' => 'ready', 'name' => 'my-bot', 'version' => '1']); // with 'slaps' => false it never slaps
            break;
        case 'match':
            $bot = new Bot($message);
            break;
        case 'request':
            say(['type' => 'answer', 'id' => $message['id'], 'action' => $bot->decide($message)]);
            break;
    } // `end` needs no answer. Another match may follow.
}
