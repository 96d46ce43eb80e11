<?php

// A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
// that lie open. Four comments that begin with "Next:" say what to add.
//
// The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
// nothing else there: use error_log to print what helps you to find mistakes.

declare(strict_types=1);

ini_set('display_errors', 'stderr');
ini_set('error_log', 'php://stderr');

const LOW = 4; // a card of at most so many points is taken from the pile
const HIDDEN = 5; // the points of a card that lies face down
const PATIENCE = 4; // the first own turn of a round in which the bot may end it

/** One match. */
final class Bot
{
    private array $table = ['layouts' => [], 'pile' => []]; // the table as everybody sees it
    private string $drawn = '?'; // the card that we drew last
    private int $turns = 0; // our turns in this round

    public function __construct(private array $match) // our seat, what cards are worth, the options of the game
    {
    }

    /** The action for a request. `legal` lists all legal actions; the bot answers one of them. */
    public function decide(array $request): array
    {
        foreach ($request['events'] as $event) {
            if ($event['event'] === 'round') {
                $this->turns = 0;
            } elseif ($event['event'] === 'drew' && $event['seat'] === $this->match['seat']) {
                $this->drawn = $event['card'];
            } // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
        }
        $this->table = $request['table'] ?? $this->table;
        $offers = array_column(array_reverse($request['legal']), null, 'kind');
        $action = match ($request['decision']) {
            'turn' => $this->turn($offers),
            'place' => $this->place($offers),
            'flip' => $this->flip($offers),
            default => null,
        };
        return $action ?? $this->decline($offers, $request['legal']);
    }

    /** The start of our turn: end the round or draw a card. */
    private function turn(array $offers): ?array
    {
        $this->turns++;
        // Next: end a round only with a good lead. `knock_penalty` in the options is the price of a wrong end.
        $totals = array_map($this->total(...), $this->table['layouts']);
        foreach (['knock', 'end'] as $ending) {
            if (isset($offers[$ending]) && $this->turns >= PATIENCE && min($totals) === $this->total($this->own())) {
                return ['kind' => $ending];
            }
        }
        if (!isset($offers['draw'])) {
            return null;
        }
        $sources = $offers['draw']['from']['one_of'];
        $top = $this->table['pile'] ? $this->cost($this->table['pile'][0]) : LOW + 1;
        $helps = $top <= LOW && array_filter($this->own(), fn($card) => $this->cost($card) > $top);
        return ['kind' => 'draw', 'from' => $helps && in_array('pile', $sources) ? 'pile' : $sources[0]];
    }

    /** Where the drawn card goes: to the slot of our worst card, or to the pile. */
    private function place(array $offers): ?array
    {
        if (!isset($offers['swap'])) {
            return null;
        }
        // Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
        $slot = $this->worst($offers['swap']['slot']['one_of']);
        if (isset($offers['discard']) && $this->cost($this->drawn) >= $this->cost($this->own()[$slot])) {
            return ['kind' => 'discard'];
        }
        return ['kind' => 'swap', 'slot' => $slot];
    }

    /** Which of our cards is turned face up: any, but not the last one, which would end the round. */
    private function flip(array $offers): array
    {
        $slots = $offers['flip']['slot']['one_of'];
        $isLast = count($slots) === 1 && isset($offers['none']);
        return $isLast ? ['kind' => 'none'] : ['kind' => 'flip', 'slot' => $slots[0]];
    }

    /** Next: powers, pairs, strokes and slaps. Each wants a line in `decide`, and slaps want `'slaps' => true`. */
    private function decline(array $offers, array $legal): array
    {
        $action = $legal[0];
        foreach (['draw', 'discard', 'stop', 'allow', 'none', 'pass'] as $kind) {
            $action = $offers[$kind] ?? $action;
        }
        foreach ($action as $field => $choice) {
            $action[$field] = $field === 'kind' ? $choice : $this->firstOf($choice);
        }
        return $action;
    }

    /** The first value that a choice allows: one of some, exactly so many of some, or as many as we like. */
    private function firstOf(array $choice): mixed
    {
        return $choice['one_of'][0] ?? array_slice($choice['of'] ?? [], 0, $choice['pick'] ?? 0);
    }

    /** Our cards by slot: a card such as "10H", "?" for one that lies face down, null for an empty slot. */
    private function own(): array
    {
        return $this->table['layouts'][$this->match['seat']] ?? [];
    }

    /** Of these slots of ours the one whose card counts most; of equal ones another each turn. */
    private function worst(array $slots): int
    {
        $costs = array_map(fn($slot) => $this->cost($this->own()[$slot]), $slots);
        $equal = array_keys($costs, max($costs));
        return $slots[$equal[$this->turns % count($equal)]];
    }

    private function total(array $layout): int
    {
        return array_sum(array_map($this->cost(...), $layout));
    }

    /** The points of a card. `values` holds them by rank, or by card where one differs from its rank. */
    private function cost(?string $card): int
    {
        if ($card === null) {
            return 0;
        }
        if ($card === '?') {
            return HIDDEN;
        }
        $rank = $card[0] === 'X' ? 'X' : substr($card, 0, -1); // X1 is a joker; else the suit comes last
        return $this->match['values'][$card] ?? $this->match['values'][$rank];
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
            say(['type' => 'ready', 'name' => 'my-bot', 'slaps' => false]);
            break;
        case 'match':
            $bot = new Bot($message);
            break;
        case 'request':
            say(['type' => 'answer', 'id' => $message['id'], 'action' => $bot->decide($message)]);
            break;
    } // `end` needs no answer. Another match may follow.
}
