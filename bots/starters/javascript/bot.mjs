// A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
// that lie open. Four comments that begin with "Next:" say what to add.
//
// The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
// nothing else there: use console.error to print what helps you to find mistakes.

const LOW = 4; // a card of at most so many points is taken from the pile
const HIDDEN = 5; // the points of a card that lies face down
const PATIENCE = 4; // the first own turn of a round in which the bot may end it

let match; // the message that began the match: our seat, what cards are worth, the options of the game
let table; // the table as everybody sees it, as the latest request showed it
let drawn; // the card that we drew last
let turns = 0; // our turns in this round

const decisions = { __proto__: null, turn, place, flip }; // decline answers all others

async function play() {
  process.stdin.setEncoding("utf8");
  let rest = ""; // the beginning of a line whose end has not come yet
  for await (const text of process.stdin) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    lines.forEach(read);
  }
}

function read(line) {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    write({ type: "ready", name: "my-bot", slaps: false });
  } else if (message.type === "match") {
    match = message;
    table = { layouts: [], pile: [] };
  } else if (message.type === "request") {
    write({ type: "answer", id: message.id, action: decide(message) });
  } // `end` needs no answer. Another match may follow.
}

function write(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// The action for a request. `legal` lists all legal actions; the bot answers one of them.
function decide(request) {
  for (const event of request.events) {
    if (event.event === "round") turns = 0;
    if (event.event === "drew" && event.seat === match.seat) drawn = event.card;
    // Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout.
  }
  table = request.table ?? table;
  const offered = (kind) => request.legal.find((offer) => offer.kind === kind);
  return decisions[request.decision]?.(offered) ?? decline(offered, request.legal);
}

// The start of our turn: end the round or draw a card.
function turn(offered) {
  turns += 1;
  // Next: end a round only with a good lead. `knock_penalty` in the options of the match is the price of a wrong end.
  if (turns >= PATIENCE && table.layouts.every((layout) => total(layout) >= total(own()))) {
    const ending = ["knock", "end"].find(offered);
    if (ending) return { kind: ending };
  }
  if (!offered("draw")) return undefined;
  const sources = offered("draw").from.one_of;
  const top = table.pile.length ? cost(table.pile[0]) : LOW + 1;
  const helps = top <= LOW && own().some((card) => cost(card) > top);
  return { kind: "draw", from: helps && sources.includes("pile") ? "pile" : sources[0] };
}

// Where the drawn card goes: to the slot of our worst card, or to the pile.
function place(offered) {
  if (!offered("swap")) return undefined;
  // Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options.
  const slot = worst(offered("swap").slot.one_of);
  if (offered("discard") && cost(drawn) >= cost(own()[slot])) return { kind: "discard" };
  return { kind: "swap", slot };
}

// Which of our cards is turned face up: any, but not the last one, which would end the round.
function flip(offered) {
  const slots = offered("flip").slot.one_of;
  return slots.length === 1 && offered("none") ? { kind: "none" } : { kind: "flip", slot: slots[0] };
}

// Next: powers, pairs, strokes and slaps. Each wants a function in `decisions`, and slaps want `slaps: true` in `read`.
function decline(offered, legal) {
  const kind = ["pass", "none", "allow", "stop", "discard", "draw"].find(offered);
  const { kind: chosen, ...choices } = kind ? offered(kind) : legal[0];
  const values = Object.entries(choices).map(([field, choice]) => [field, firstOf(choice)]);
  return { kind: chosen, ...Object.fromEntries(values) };
}

// The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
function firstOf(choice) {
  if (choice.one_of) return choice.one_of[0];
  return choice.pick ? choice.of.slice(0, choice.pick) : [];
}

// Our cards by slot: a card such as "10H", "?" for one that lies face down, null for an empty slot.
function own() {
  return table.layouts[match.seat] ?? [];
}

// Of these slots of ours the one whose card counts most; of equal ones another each turn.
function worst(slots) {
  const most = Math.max(...slots.map((slot) => cost(own()[slot])));
  const equal = slots.filter((slot) => cost(own()[slot]) === most);
  return equal[turns % equal.length];
}

function total(layout) {
  return layout.reduce((sum, card) => sum + cost(card), 0);
}

// The points of a card. `values` holds them by rank, or by card where one differs from its rank.
function cost(card) {
  if (card === null) return 0;
  if (card === "?") return HIDDEN;
  const rank = card.startsWith("X") ? "X" : card.slice(0, -1); // X1 is a joker; else the suit comes last
  return match.values[card] ?? match.values[rank];
}

await play();
