// A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
// that lie open. Four comments that begin with "Next:" say what to add.
//
// The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
// nothing else there: use console.error to print what helps you to find mistakes.

type Card = string | null; // such as "10H"; X1 and X2 are jokers, "?" lies face down, null is an empty slot
type Value = number | string | Value[];
type Choice = { one_of?: Value[]; pick?: number; of?: Value[]; any_of?: Value[] };
type Action = { kind: string; [field: string]: Value };
type Offer = { kind: string } & { [field: string]: Choice | string };
type Event = { event: string; seat?: number; card?: Card };
type Table = { layouts: Card[][]; pile: string[] };
type Request = { type: "request"; id: string; decision: string; events: Event[]; legal: Offer[]; table?: Table };
type Match = { type: "match"; seat: number; values: Record<string, number>; options: Record<string, unknown> };
type Message = Match | Request | { type: "hello" } | { type: "end" };

const LOW = 4; // a card of at most so many points is taken from the pile
const HIDDEN = 5; // the points of a card that lies face down
const PATIENCE = 4; // the first own turn of a round in which the bot may end it

let match: Match; // the message that began the match: our seat, what cards are worth, the options of the game
let table: Table; // the table as everybody sees it, as the latest request showed it
let drawn: Card = "?"; // the card that we drew last
let turns = 0; // our turns in this round
let legal: Offer[]; // the actions that the request offers

const decisions = new Map([["turn", turn], ["place", place], ["flip", flip]]); // decline answers all others

async function play() {
  process.stdin.setEncoding("utf8");
  let rest = ""; // the beginning of a line whose end has not come yet
  for await (const text of process.stdin) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(read);
  }
}

function read(line: string) {
  const message = JSON.parse(line) as Message;
  if (message.type === "hello") {
    write({ type: "ready", name: "my-bot", slaps: false });
  } else if (message.type === "match") {
    match = message;
    table = { layouts: [], pile: [] };
  } else if (message.type === "request") {
    write({ type: "answer", id: message.id, action: decide(message) });
  } // `end` needs no answer. Another match may follow.
}

function write(message: object) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// The action for a request. `legal` lists all legal actions; the bot answers one of them.
function decide(request: Request): Action {
  for (const event of request.events) {
    if (event.event === "round") turns = 0;
    if (event.event === "drew" && event.seat === match.seat) drawn = event.card ?? "?";
    // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
  }
  table = request.table ?? table;
  legal = request.legal;
  return decisions.get(request.decision)?.() ?? decline();
}

// The start of our turn: end the round or draw a card.
function turn(): Action | undefined {
  turns += 1;
  // Next: end a round only with a good lead. `knock_penalty` in the options of the match is the price of a wrong end.
  if (turns >= PATIENCE && table.layouts.every((layout) => total(layout) >= total(own()))) {
    const ending = ["knock", "end"].find(isOffered);
    if (ending) return { kind: ending };
  }
  if (!isOffered("draw")) return undefined;
  const sources = allowed("draw", "from");
  const top = cost(table.pile[0] ?? null);
  const helps = table.pile.length > 0 && top <= LOW && own().some((card) => cost(card) > top);
  return { kind: "draw", from: helps && sources.includes("pile") ? "pile" : sources[0]! };
}

// Where the drawn card goes: to the slot of our worst card, or to the pile.
function place(): Action | undefined {
  if (!isOffered("swap")) return undefined;
  // Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
  const slot = worst(allowed("swap", "slot") as number[]);
  if (isOffered("discard") && cost(drawn) >= cost(own()[slot] ?? null)) return { kind: "discard" };
  return { kind: "swap", slot };
}

// Which of our cards is turned face up: any, but not the last one, which would end the round.
function flip(): Action {
  const slots = allowed("flip", "slot");
  return slots.length === 1 && isOffered("none") ? { kind: "none" } : { kind: "flip", slot: slots[0]! };
}

// Next: powers, pairs, strokes and slaps. Each wants a function in `decisions`, and slaps want `slaps: true` in `read`.
function decline(): Action {
  const kind = ["pass", "none", "allow", "stop", "discard", "draw"].find(isOffered);
  const offer = legal.find((offer) => offer.kind === kind) ?? legal[0]!;
  return Object.fromEntries(
    Object.entries(offer).map(([field, choice]) => [field, typeof choice === "string" ? choice : firstOf(choice)]),
  ) as Action;
}

// The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
function firstOf(choice: Choice): Value {
  return choice.one_of?.[0] ?? choice.of?.slice(0, choice.pick) ?? [];
}

function isOffered(kind: string): boolean {
  return legal.some((offer) => offer.kind === kind);
}

// The values that a field of this kind of action may have.
function allowed(kind: string, field: string): Value[] {
  const choice = legal.find((offer) => offer.kind === kind)?.[field] as Choice | undefined;
  return choice?.one_of ?? [];
}

// Our cards by slot.
function own(): Card[] {
  return table.layouts[match.seat] ?? [];
}

// Of these slots of ours the one whose card counts most; of equal ones another each turn.
function worst(slots: number[]): number {
  const costs = slots.map((slot) => cost(own()[slot] ?? null));
  const equal = slots.filter((_, i) => costs[i] === Math.max(...costs));
  return equal[turns % equal.length]!;
}

function total(layout: Card[]): number {
  return layout.reduce((sum, card) => sum + cost(card), 0);
}

// The points of a card. `values` holds them by rank, or by card where one differs from its rank.
function cost(card: Card): number {
  if (card === null) return 0;
  if (card === "?") return HIDDEN;
  const rank = card.startsWith("X") ? "X" : card.slice(0, -1); // the suit comes last
  return match.values[card] ?? match.values[rank] ?? 0;
}

await play();
