// A bot that plays every game of golfref legally. It remembers each card that it sees, keeps low ones and throws high
// ones away. Read it from the top, then change the functions marked "Change this to play better".
//
// The referee writes one JSON message a line to standard input, and reads the answers from standard output. Write
// nothing else there: console.error is for what helps you to find mistakes.

const LOW = 4; // a card of at most so many points is kept
const HIDDEN = 5; // what a card counts that we do not know
const UNKNOWN = "?";

let match; // the message that began the match: our seat, what cards are worth, the options of the game
let layouts; // by seat and slot: a card such as "10H", UNKNOWN, or null where no card lies
let hand; // the card that was just drawn, null where we do not see it
let pile; // the top card of the discard pile, null where the pile is empty

async function play() {
  process.stdin.setEncoding("utf8");
  let rest = ""; // the beginning of a line whose end has not come yet
  for await (const text of process.stdin) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    lines.forEach(hear);
  }
}

function hear(line) {
  const message = JSON.parse(line);
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

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// The action for a request. `legal` lists all that may be answered, and we never answer anything else.
function decide({ decision, events, table, legal }) {
  for (const event of events) memory[event.event]?.(event);
  if (table) look(table);
  const offered = (kind) => legal.find((offer) => offer.kind === kind);
  return decisions[decision]?.(offered) ?? leastCommittal(legal);
}

// ---- Decisions. Each function gets `offered`, which finds the offer of a kind, and returns an action. Where it returns
// ---- nothing, leastCommittal answers, as it does for all decisions that are not named here.

const decisions = {
  __proto__: null,

  // The start of our turn. Change this to play better: how sure must you be before you end a round?
  turn(offered) {
    const own = layouts[match.seat];
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
    const swap = offered("swap");
    const slot = swap && worst(swap.slot.one_of);
    const helps = hand && swap && points(hand) <= LOW && points(hand) < cost(own(slot));
    if (swap && hand && (helps || !offered("discard"))) return { kind: "swap", slot };
    if (offered("discard")) return { kind: "discard" };
    return swap && { kind: "swap", slot };
  },

  // Which of our cards is turned face up.
  flip(offered) {
    const flip = offered("flip");
    return flip && { kind: "flip", slot: flip.slot.one_of[0] };
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
    const give = offered("give");
    return give && { kind: "give", slot: worst(give.slot.one_of) };
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
function leastCommittal(legal) {
  const kinds = ["pass", "none", "allow", "stop", "discard", "draw"];
  const kind = kinds.find((kind) => legal.some((offer) => offer.kind === kind));
  const offer = legal.find((offer) => offer.kind === kind) ?? legal[0];
  const fill = ([field, choice]) => [field, field === "kind" ? choice : firstOf(choice)];
  return Object.fromEntries(Object.entries(offer).map(fill));
}

// A value that a choice allows: one of some, exactly so many of some, or as many of some as we like.
function firstOf(choice) {
  if ("one_of" in choice) return choice.one_of[0];
  return "pick" in choice ? choice.of.slice(0, choice.pick) : [];
}

// ---- What cards count.

function points(card) {
  return match.values[card] ?? match.values[rank(card)];
}

function rank(card) {
  return card.startsWith("X") ? "X" : card.slice(0, -1); // X1 and X2 are jokers; else the last character is the suit
}

// What a card in a layout counts. Change this to play better: reckon with the cards that you have not seen yet.
function cost(card) {
  if (card === null) return 0;
  return card === UNKNOWN ? HIDDEN : points(card);
}

// Of these slots of ours the one that counts most, the first among equals.
function worst(slots) {
  return [...slots].sort((a, b) => cost(own(b)) - cost(own(a)) || a - b)[0];
}

function isKnown(card) {
  return card !== null && card !== UNKNOWN;
}

function isWorthThrowing(card) {
  return isKnown(card) && pile !== null && rank(card) === rank(pile) && points(card) > 0;
}

function own(slot) {
  return cardAt([match.seat, slot]);
}

function pair(row) {
  return [own(2 * row), own(2 * row + 1)];
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

// ---- What happened. Everything is told once, so we keep it. Events that are not named here change nothing for us.

const memory = {
  __proto__: null,
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
    exchange(...event.slots.map((slot) => [event.seat, slot]));
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
    places.forEach((slot, i) => put([of, slot], cards[i]));
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

function discard(card) {
  pile = card;
  hand = null;
}

// The table as everybody sees it.
function look(table) {
  layouts = table.layouts.map(covered);
  pile = table.pile[0] ?? null;
}

// A layout as it is told, with what we remember of the cards that it does not show.
function covered(cards, seat) {
  return cards.map((card, slot) => (card === UNKNOWN ? (cardAt([seat, slot]) ?? UNKNOWN) : card));
}

function see({ seat, slots, cards }) {
  slots.forEach((slot, i) => seeOne({ target: [seat, slot], card: cards[i] }));
}

function seeOne({ target, card }) {
  if (card !== null) put(target, card);
}

function exchange(one, other) {
  const card = cardAt(one);
  put(one, cardAt(other));
  put(other, card);
}

function occupied(seat) {
  return layouts[seat].flatMap((card, slot) => (card === null ? [] : [slot]));
}

function cardAt([seat, slot]) {
  return layouts[seat]?.[slot] ?? null;
}

// Slots beyond the end of a layout are new ones.
function put([seat, slot], card) {
  while (layouts.length <= seat) layouts.push([]);
  while (layouts[seat].length <= slot) layouts[seat].push(null);
  layouts[seat][slot] = card;
}

await play();
