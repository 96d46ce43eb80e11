// A bot that plays every game of golfref legally. It remembers each card that it sees, keeps low ones and throws high
// ones away. Read it from the top, then change the functions marked "Change this to play better".
//
// The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
// nothing else there: console.error is for what helps you to find mistakes.

type Card = string; // such as "10H"; X1 and X2 are jokers
type Cell = Card | null; // UNKNOWN for a card that we do not know, null where no card lies
type Target = [seat: number, slot: number];

const LOW = 4; // a card of at most so many points is kept
const HIDDEN = 5; // what a card counts that we do not know
const UNKNOWN: Card = "?";

let match: Match; // the message that began the match
let layouts: Cell[][]; // by seat and slot
let hand: Cell; // the card that was just drawn, null where we do not see it
let pile: Cell; // the top card of the discard pile, null where the pile is empty

async function play() {
  process.stdin.setEncoding("utf8");
  let rest = ""; // the beginning of a line whose end has not come yet
  for await (const text of process.stdin) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(hear);
  }
}

function hear(line: string) {
  const message = JSON.parse(line) as Message;
  if (message.type === "hello") {
    say({ type: "ready", name: "my-bot", version: "1" }); // with slaps: false a bot is never asked to slap
  } else if (message.type === "match") {
    match = message;
    layouts = Array.from({ length: match.seats }, () => []);
    hand = pile = null;
  } else if (message.type === "request") {
    say({ type: "answer", id: message.id, action: decide(message) });
  } // `end` needs no answer. Another match may follow.
}

function say(message: object) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// The action for a request. `legal` lists all that may be answered, and we never answer anything else.
function decide({ decision, events, table, legal }: Request): Action {
  for (const event of events) {
    if (Object.hasOwn(memory, event.event)) (memory[event.event as keyof Memory] as Memorise)(event);
  }
  if (table) look(table);
  const offered: Offered = (kind) => legal.find((offer) => offer.kind === kind) as never;
  const choose = Object.hasOwn(decisions, decision) ? decisions[decision] : undefined;
  return choose?.(offered) ?? leastCommittal(legal);
}

// ---- Decisions. Each function gets `offered`, which finds the offer of a kind, and returns an action. Where it returns
// ---- nothing, leastCommittal answers, as it does for all decisions that are not named here.

const decisions: Record<string, (offered: Offered) => Action | undefined> = {
  // The start of our turn. Change this to play better: how sure must you be before you end a round?
  turn(offered) {
    const own = layouts[match.seat] ?? [];
    if (!own.includes(UNKNOWN) && sum(own.map(cost)) <= LOW) {
      if (offered("knock")) return { kind: "knock" };
      if (offered("end")) return { kind: "end" };
    }
    const sources = offered("draw")?.from.one_of;
    if (!sources) return undefined;
    const takePile = sources.includes("pile") && (!sources.includes("stock") || (pile && points(pile) <= LOW));
    return { kind: "draw", from: takePile ? "pile" : "stock" };
  },

  // Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing.
  place(offered) {
    const slot = worst(offered("swap")?.slot.one_of ?? []);
    const discard = offered("discard");
    if (slot !== undefined && hand) {
      const helps = points(hand) <= LOW && points(hand) < cost(own(slot));
      if (helps || !discard) return { kind: "swap", slot };
    }
    if (discard) return { kind: "discard" };
    return slot === undefined ? undefined : { kind: "swap", slot };
  },

  // Which of our cards is turned face up.
  flip(offered) {
    const slot = offered("flip")?.slot.one_of[0];
    return slot === undefined ? undefined : { kind: "flip", slot };
  },

  // The power of a card. Change this to play better: there are many more powers than to peek.
  power(offered) {
    const targets = offered("peek")?.target.one_of ?? [];
    const target = targets.find(([seat, slot]) => seat === match.seat && own(slot) === UNKNOWN);
    return target && { kind: "peek", target };
  },

  // A card was discarded, and whoever throws an equal one first is rid of it. Here every microsecond counts.
  slap(offered) {
    const targets = offered("slap")?.target.one_of ?? [];
    const target = targets.find(([seat, slot]) => seat === match.seat && isWorthThrowing(own(slot)));
    return target && { kind: "slap", target };
  },

  // The card that another seat gets after we slapped one of its cards.
  give(offered) {
    const slot = worst(offered("give")?.slot.one_of ?? []);
    return slot === undefined ? undefined : { kind: "give", slot };
  },

  // Whether our shield stops an attack.
  block(offered) {
    return offered("block") && { kind: "block" };
  },

  // The two-deck game: pairs that we may throw away.
  pairs(offered) {
    const rows = offered("discard_pairs")?.rows.any_of;
    return rows && { kind: "discard_pairs", rows: rows.filter((row) => sum(pair(row).map(cost)) > 0) };
  },

  // Par golf: a row that we may take as a stroke.
  stroke(offered) {
    const rows = offered("stroke")?.row.one_of ?? [];
    const row = rows.find((row) => pair(row).every(isKnown) && sum(pair(row).map(cost)) <= LOW);
    return row === undefined ? undefined : { kind: "stroke", row };
  },
};

// A legal answer to any request, also to decisions that did not exist when this bot was written.
function leastCommittal(legal: Offer[]): Action {
  const kinds = ["pass", "none", "allow", "stop", "discard", "draw"];
  const kind = kinds.find((kind) => legal.some((offer) => offer.kind === kind)) ?? legal[0]?.kind;
  const offer = legal.find((offer) => offer.kind === kind) ?? { kind: "none" };
  const filled = Object.entries(offer).map(([field, choice]) => [
    field,
    typeof choice === "string" ? choice : firstOf(choice),
  ]);
  return Object.fromEntries(filled);
}

// A value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
function firstOf(choice: Choice): unknown {
  if ("one_of" in choice) return choice.one_of[0];
  return "pick" in choice ? choice.of.slice(0, choice.pick) : [];
}

// ---- What cards count.

function points(card: Card): number {
  return match.values[card] ?? match.values[rank(card)] ?? HIDDEN;
}

function rank(card: Card): string {
  return card.startsWith("X") ? "X" : card.slice(0, -1); // the last character is the suit
}

// What a card in a layout counts. Change this to play better: reckon with the cards that you have not seen yet.
function cost(card: Cell): number {
  if (card === null) return 0;
  return card === UNKNOWN ? HIDDEN : points(card);
}

// Of these slots of ours the one that counts most, the first among equals.
function worst(slots: number[]): number | undefined {
  return [...slots].sort((a, b) => cost(own(b)) - cost(own(a)) || a - b)[0];
}

function isKnown(card: Cell): card is Card {
  return card !== null && card !== UNKNOWN;
}

function isWorthThrowing(card: Cell): boolean {
  return isKnown(card) && pile !== null && rank(card) === rank(pile) && points(card) > 0;
}

function own(slot: number): Cell {
  return cardAt([match.seat, slot]);
}

function pair(row: number): Cell[] {
  return [own(2 * row), own(2 * row + 1)];
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

// ---- What happened. Everything is told once, so we keep it. Events that are not named here change nothing for us.

const memory: Memory = {
  round({ rows }) {
    layouts = Array.from({ length: match.seats }, () => Array(rows * match.columns).fill(UNKNOWN));
    hand = pile = null;
  },
  up_card({ card }) {
    pile = card;
  },
  turned_up: see,
  looked: see,
  swapped_own(event) {
    const [one, other] = event.slots;
    exchange([event.seat, one], [event.seat, other]);
    see(event);
  },
  arranged({ seat, slots }) {
    const cards = (slots ?? []).map((from) => cardAt([seat, from]));
    cards.forEach((card, slot) => put([seat, slot], card));
  },
  drew({ card }) {
    hand = card;
  },
  swapped({ seat, slot, card, replaced }) {
    put([seat, slot], card ?? UNKNOWN);
    discard(replaced);
  },
  discarded({ card }) {
    discard(card);
  },
  power({ card }) {
    discard(card);
  },
  traded({ target, given, taken }) {
    put(target, given);
    hand = taken;
  },
  peeked: seeOne,
  exposed: seeOne,
  switched({ targets }) {
    exchange(...targets);
  },
  rearranged({ of, slots }) {
    const places = occupied(of);
    const cards = slots ? slots.map((from) => cardAt([of, from])) : places.map(() => UNKNOWN);
    places.forEach((slot, i) => put([of, slot], cards[i] ?? null));
  },
  shuffled({ of }) {
    for (const slot of occupied(of)) put([of, slot], UNKNOWN);
  },
  lines_swapped({ of, layout }) {
    memory.shuffled({ of });
    layouts[of] = covered(layout, of);
  },
  added({ target }) {
    put(target, UNKNOWN);
  },
  removed({ target, card }) {
    put(target, null);
    pile = card;
  },
  planted({ target, card, replaced }) {
    put(target, card);
    discard(replaced);
  },
  kept({ seat, slot, card, discarded }) {
    put([seat, slot], card ?? UNKNOWN);
    discard(discarded.at(-1) ?? pile);
  },
  blocked({ shield }) {
    pile = shield ?? pile;
  },
  pairs_discarded({ seat, rows, cards }) {
    for (const row of rows) [2 * row, 2 * row + 1].forEach((slot) => put([seat, slot], null));
    pile = cards.at(-1) ?? pile;
  },
  slapped({ seat, target, card, verdict, new_slot }) {
    if (verdict === "right") {
      put(target, null);
      pile = card;
    } else if (new_slot !== null && target[0] !== seat) {
      put(target, null); // another seat's card, which the slapper has to take
      put([seat, new_slot], card);
    } else {
      put(target, card); // it went back, and everybody has seen it
      if (new_slot !== null) put([seat, new_slot], UNKNOWN); // a card from the stock, as a penalty
    }
  },
  gave({ seat, slot, target }) {
    put(target, cardAt([seat, slot]));
    put([seat, slot], null);
  },
};

function discard(card: Cell) {
  pile = card;
  hand = null;
}

// The table as everybody sees it.
function look(table: Table) {
  layouts = table.layouts.map(covered);
  pile = table.pile[0] ?? null;
}

// A layout as it is told, with what we remember of the cards that it does not show.
function covered(cards: Cell[], seat: number): Cell[] {
  return cards.map((card, slot) => (card === UNKNOWN ? (cardAt([seat, slot]) ?? UNKNOWN) : card));
}

function see({ seat, slots, cards }: Events["turned_up"]) {
  slots.forEach((slot, i) => seeOne({ target: [seat, slot], card: cards[i] ?? null }));
}

function seeOne({ target, card }: Events["peeked"]) {
  if (card !== null) put(target, card);
}

function exchange(one: Target, other: Target) {
  const card = cardAt(one);
  put(one, cardAt(other));
  put(other, card);
}

function occupied(seat: number): number[] {
  return (layouts[seat] ?? []).flatMap((card, slot) => (card === null ? [] : [slot]));
}

function cardAt([seat, slot]: Target): Cell {
  return layouts[seat]?.[slot] ?? null;
}

// Slots beyond the end of a layout are new ones.
function put([seat, slot]: Target, card: Cell) {
  while (layouts.length <= seat) layouts.push([]);
  const layout = layouts[seat]!;
  while (layout.length <= slot) layout.push(null);
  layout[slot] = card;
}

// ---- The messages of the referee, as far as this bot reads them. Add what you need; they have more fields.

type Message = { type: "hello" } | Match | Request | { type: "end" };

interface Match {
  type: "match";
  seats: number;
  seat: number; // our own
  columns: number;
  values: Record<string, number>; // by rank, or by card where one differs from its rank
}

interface Request {
  type: "request";
  id: string;
  decision: string;
  events: { event: string }[];
  table?: Table; // in the first request of each turn
  legal: Offer[];
}

interface Table {
  layouts: Cell[][];
  pile: Card[]; // the top card alone, or nothing
}

type Action = { kind: string } | Record<string, unknown>;
type OneOf<T> = { one_of: T[] };
type Choice = OneOf<unknown> | { pick: number; of: unknown[] } | { any_of: unknown[] };
type Offer = { kind: string; [field: string]: Choice | string };

interface Offers {
  knock: object;
  end: object;
  discard: object;
  block: object;
  draw: { from: OneOf<"stock" | "pile"> };
  swap: { slot: OneOf<number> };
  flip: { slot: OneOf<number> };
  peek: { target: OneOf<Target> };
  slap: { target: OneOf<Target> };
  give: { slot: OneOf<number> };
  discard_pairs: { rows: { any_of: number[] } };
  stroke: { row: OneOf<number> };
}

type Offered = <Kind extends keyof Offers>(kind: Kind) => Offers[Kind] | undefined;

interface Events {
  round: { rows: number };
  up_card: { card: Card };
  turned_up: { seat: number; slots: number[]; cards: Cell[] };
  looked: { seat: number; slots: number[]; cards: Cell[] };
  swapped_own: { seat: number; slots: [number, number]; cards: Cell[] };
  arranged: { seat: number; slots: number[] | null };
  drew: { card: Cell };
  swapped: { seat: number; slot: number; card: Cell; replaced: Card };
  discarded: { card: Card };
  power: { card: Card };
  traded: { target: Target; given: Card; taken: Card };
  peeked: { target: Target; card: Cell };
  exposed: { target: Target; card: Cell };
  switched: { targets: [Target, Target] };
  rearranged: { of: number; slots: number[] | null };
  shuffled: { of: number };
  lines_swapped: { of: number; layout: Cell[] };
  added: { target: Target };
  removed: { target: Target; card: Card };
  planted: { target: Target; card: Card; replaced: Card };
  kept: { seat: number; slot: number; card: Cell; discarded: Card[] };
  blocked: { shield: Cell };
  pairs_discarded: { seat: number; rows: number[]; cards: Card[] };
  slapped: { seat: number; target: Target; card: Card; verdict: string; new_slot: number | null };
  gave: { seat: number; slot: number; target: Target };
}

type Memory = { [Name in keyof Events]: (event: Events[Name]) => void };
type Memorise = (event: object) => void;

await play();
