/** Events, seats, cards and slots in words and in sentences. */

import { h } from "./dom.js";
import { placeInWords } from "./steps.js";

/** @type {Record<string, string>} */
const RANKS = { A: "ace", J: "jack", Q: "queen", K: "king" };

/** @type {Record<string, [string, string]>} */
const SUITS = { S: ["\u2660\uFE0E", "spades"], H: ["\u2665\uFE0E", "hearts"], D: ["\u2666\uFE0E", "diamonds"], C: ["\u2663\uFE0E", "clubs"] };

/**
 * What stands on a card, and its name. The code is one of `protocol/cards.py`: rank and suit, or `X1` for a joker.
 * @param {string} code
 */
export function face(code) {
    if (code.startsWith("X")) return { rank: "\u2605", sign: "joker", words: "joker", isRed: false };
    const [rank, suit] = [code.slice(0, -1), code.slice(-1)];
    const [sign, name] = SUITS[suit] ?? [suit, `the suit ${suit}`];
    return { rank, sign, words: `${RANKS[rank] ?? rank} of ${name}`, isRed: suit === "H" || suit === "D" };
}

/** @param {number} number @param {string} one */
export function counted(number, one) {
    return `${number} ${one}${number === 1 ? "" : "s"}`;
}

/** @param {Model} model @param {number} seat */
export function who(model, seat) {
    return `${seat} ${model.bots[seat].name}`;
}

/** @param {number} seat */
export function seatMark(seat) {
    return h("span", { class: `mark seat-${seat % 8}` }, String(seat));
}

/** @param {Model} model @param {number} seat */
export function seatName(model, seat) {
    return h("span", { class: "who" }, seatMark(seat), " ", h("bdi", {}, model.bots[seat].name));
}

/** @param {Model} model @param {readonly number[]} seats @returns {(Node | string)[]} */
export function seatNames(model, seats) {
    return seats.flatMap((seat, place) => [place === 0 ? "" : place + 1 === seats.length ? " and " : ", ", seatName(model, seat)]);
}

/**
 * The seats that know a card, as marks: one mark where all do.
 * @param {readonly Knows[]} knows @param {number} seats how many there are
 */
export function knowers(knows, seats) {
    if (knows.length === seats) return [h("span", { class: "mark" }, "all")];
    return knows.map(([seat]) => seatMark(seat));
}

/**
 * Who knows a face-down card and since when, in words; the empty string where nobody is known to know it.
 * @param {Model} model
 * @param {readonly Knows[]} knows
 */
export function knownTo(model, knows) {
    /** @type {Map<string, number[]>} */
    const since = new Map();
    for (const [seat, step, how] of knows) {
        const when = `${placeInWords(model.steps[step])} (${titleOf(how).toLowerCase()})`;
        since.set(when, [...(since.get(when) ?? []), seat]);
    }
    const groups = [...since].map(([when, seats]) => {
        const isMost = knows.length === model.bots.length && seats.length > 2 && 2 * seats.length > knows.length;
        const names = isMost ? (seats.length === knows.length ? "all" : "all others") : seats.map((seat) => who(model, seat)).join(", ");
        return `${names} since ${when}`;
    });
    return groups.length ? `known to ${groups.join("; to ")}` : "";
}

/**
 * A slot in words, as in "seat 1 keeper, slot 3: face down, king of hearts, known to 1 keeper since round 1, turn 2 (draw)".
 * @param {Model} model
 * @param {number} seat
 * @param {number} number
 * @param {SlotState | null} slot
 */
export function slotInWords(model, seat, number, slot) {
    const place = `seat ${who(model, seat)}, slot ${number}`;
    if (!slot) return `${place}: empty`;
    const card = slot.card ? face(slot.card).words : "";
    if (slot.up) return `${place}: ${card || "a card"}, face up`;
    const nobody = model.view === "open" ? "no player knows it" : "no player is seen to know it";
    return `${place}: face down, ${card || "not known in this view"}, ${knownTo(model, slot.knows) || nobody}`;
}

/**
 * A card in a sentence: its signs to the eye, its name to the ear.
 * @param {string} code
 */
export function cardInText(code) {
    const { rank, sign, words, isRed } = face(code);
    return h("span", { class: isRed ? "card-word red" : "card-word" }, h("span", { "aria-hidden": "true" }, `${rank}${sign}`), h("span", { class: "unseen" }, words));
}

/** @typedef {{kind: "text" | "card" | "seat", text: string, seat?: number}} Token */

const PARTS = String.raw`\b(?<card>(?:10|[0-9AJQK])[A-Z]|X\d+)\b|\bseat (?<owner>\d+) s(?<slot>\d+)\b|\bs(?<own>\d+)\b|\b(?<role>dealer|starter) (?<seat>\d+)\b`;

/**
 * The parts of a line. Names of bots are looked for first, so that a bot called `KH` stays a bot.
 * @param {string} line
 * @param {readonly Bot[]} bots
 */
export function tokens(line, bots) {
    const names = bots.map((bot, seat) => `${seat} ${bot.name}`.replace(/[^\w\s]/gu, "\\$&")).sort((one, other) => other.length - one.length);
    /** @type {Token[]} */
    const found = [];
    const add = (/** @type {Token["kind"]} */ kind, /** @type {string} */ text, /** @type {number} */ seat = -1) => text && found.push({ kind, text, seat });
    let at = 0;
    for (const match of line.matchAll(new RegExp(`(?<!\\S)(?<name>${names.join("|")})|${PARTS}`, "g"))) {
        const { name, card, owner, slot, own, role, seat } = match.groups ?? {};
        add("text", line.slice(at, match.index));
        if (name) add("seat", name, Number.parseInt(name, 10));
        else if (card) add("card", card);
        else if (own) add("text", `slot ${own}`);
        else {
            add("text", role ? `${role} ` : `slot ${slot} of `);
            add("seat", seat ?? owner, Number(seat ?? owner));
        }
        at = (match.index ?? 0) + match[0].length;
    }
    add("text", line.slice(at));
    return found;
}

/** @param {Model} model @param {string} line */
export function sentence(model, line) {
    const parts = document.createDocumentFragment();
    for (const { kind, text, seat } of tokens(line, model.bots)) {
        parts.append(kind === "seat" && model.bots[seat ?? -1] ? seatName(model, seat ?? 0) : kind === "card" ? cardInText(text) : text);
    }
    return parts;
}

/**
 * The lines of a step apart: what happened, and what is noted besides (times, what was wrong with an answer).
 * @param {Step} step
 */
export function linesOf(step) {
    const lines = (step.words ?? []).map((line) => line.replace(/^--- /, ""));
    return {
        told: lines.filter((line) => !line.startsWith("    ")),
        notes: lines.filter((line) => line.startsWith("    ")).map((line) => line.trim()),
    };
}

/**
 * What bots wrote for people with the answers from which a step follows, as elements.
 * @param {Model} model @param {number} number
 */
export function commentsAt(model, number) {
    const slapped = model.windows.flatMap((one) => (one.step === number ? one.reactions ?? [] : []));
    return [...(model.steps[number].answers ?? []), ...slapped].flatMap(({ seat, comment }) =>
        comment ? [h("p", { class: "comment" }, seatName(model, seat), " ", h("q", { dir: "auto" }, comment))] : [],
    );
}

/** @param {number} us */
export function timeInWords(us) {
    if (us < 1000) return `${us.toFixed(1)} \u00B5s`;
    return us < 1e6 ? `${(us / 1000).toFixed(us < 1e5 ? 2 : 1)} ms` : `${(us / 1e6).toFixed(2)} s`;
}

/** What each kind of event is called, one sentence on it, and the short word for the cards concerned. */
/** @type {Record<string, [title: string, meaning: string, badge?: string]>} */
const EVENTS = {
    round: ["Deal", "A new round. Everybody gets cards face down and wants few strokes at its end: high cards are exchanged for low ones."],
    up_card: ["Up card", "The first card of the discard pile is turned up."],
    turned_up: ["Turn up", "These cards lie open for everybody from now on.", "up"],
    looked: ["Look", "A player looks at own cards before play begins. They stay face down.", "seen"],
    arranged: ["Arrange", "A player puts the own cards into another order.", "moved"],
    skipped: ["Turn lost", "A jack made this player lose a turn."],
    drew: ["Draw", ""],
    reshuffled: ["Reshuffle", "The stock was used up. The pile without its top card is shuffled and is the new stock."],
    swapped: ["Swap", "The drawn card takes the place of a card on the table, which goes to the pile.", "new"],
    discarded: ["Discard", ""],
    knocked: ["Knock", "This player ends the round. The others may have a last turn."],
    finished: ["First to finish", "This player is done first, which ends the round. The others may have a last turn."],
    traded: ["Trade", "A king is exchanged for another player's card.", "traded"],
    swapped_own: ["Swap own cards", "Two cards of the same player change places.", "swapped"],
    pairs_discarded: ["Pairs away", "Rows of two equal cards leave the table and count no more.", "gone"],
    stroked: ["Stroke", "A row is taken as a stroke: it is turned down and stays."],
    power: ["Power", "Some cards do something special when they are played.", "target"],
    blocked: ["Shield blocks", "A shield stopped the attack on this player's cards."],
    shielded: ["Shield", "The card is laid beside the player's cards and will stop an attack."],
    peeked: ["Peek", "A player looks at one card. It stays face down.", "seen"],
    switched: ["Switch", "Two cards change places, and nobody looks at them.", "switched"],
    rearranged: ["Rearrange", "A player's cards are put into another order.", "moved"],
    lines_swapped: ["Swap lines", "Two rows or columns change places.", "moved"],
    shuffled: ["Blinding", "The cards are turned down and shuffled. Nobody knows any more which is which.", "blind"],
    added: ["Card added", "A card from the stock is added, and nobody looks at it.", "added"],
    removed: ["Card removed", "A card leaves the table for the pile.", "gone"],
    planted: ["Plant", "A card is put face down in the place of another, which goes to the pile.", "planted"],
    exposed: ["Expose", "A face-down card is turned up for everybody.", "up"],
    hidden: ["Hide", "A card that lay open is turned down.", "down"],
    drew_two: ["Draw two more", "The player draws two more cards and keeps one of the three."],
    kept: ["Keep", "One of three cards is kept face down, the others go to the pile.", "kept"],
    knock_cancelled: ["Knock cancelled", "The round goes on as if nobody had knocked."],
    slapped: ["Slap", "Who has a card of the same rank as the top of the pile may slap it there. The fastest right slap counts; a wrong one costs a card."],
    gave: ["Give", "Who slapped another player's card away gives that player an own card.", "given"],
    window_closed: ["Slap window over", "The time in which a card may be slapped is over."],
    showdown: ["Showdown", "All cards are turned up and counted."],
    scored: ["Scores", "The strokes of the round are added to the totals. The lowest total wins."],
    forfeited: ["Forfeit", "This bot broke the rules too often or failed. Harmless moves are made for it from now on."],
    par_chosen: ["Par", "The dealer chooses the par of the next hole."],};

/** @param {string} event */
export function titleOf(event) {
    return EVENTS[event]?.[0] ?? event.replace(/_/g, " ");
}

/**
 * One sentence on what such an event is; empty where its words say enough.
 * @param {string} event
 */
export function meaningOf(event) {
    return EVENTS[event]?.[1] ?? "";
}

/** @param {Step} step @param {string | undefined} verdict of a slap */
export function badgeOf(step, verdict) {
    if (verdict) return verdict === "right" ? "correct" : verdict;
    return step.blinds?.length ? "blind" : EVENTS[step.event]?.[2] ?? "";
}
