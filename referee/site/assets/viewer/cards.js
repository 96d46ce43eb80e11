/** Cards, slots and who knows them, in signs and in words. It knows no page. */

import { titleOf } from "./events.js";
import { placeInWords } from "./steps.js";

/** @type {Record<string, string>} */
const RANKS = { A: "ace", J: "jack", Q: "queen", K: "king" };

/** @type {Record<string, [string, string]>} */
const SUITS = { S: ["\u2660\uFE0E", "spades"], H: ["\u2665\uFE0E", "hearts"], D: ["\u2666\uFE0E", "diamonds"], C: ["\u2663\uFE0E", "clubs"] };

/** @typedef {{rank: string, sign: string, words: string, isRed: boolean}} Face */

/**
 * What stands on a card, and its name. The code is one of `protocol/cards.py`: rank and suit, or `X1` for a joker.
 * @param {string} code
 * @returns {Face}
 */
export function face(code) {
    if (code.startsWith("X")) return { rank: "\u2605", sign: "joker", words: "joker", isRed: false };
    const rank = code.slice(0, -1);
    const suit = code.slice(-1);
    const [sign, name] = SUITS[suit] ?? [suit, `the suit ${suit}`];
    return { rank, sign, words: `${RANKS[rank] ?? rank} of ${name}`, isRed: suit === "H" || suit === "D" };
}

/**
 * @param {Model} model
 * @param {number} seat
 * @returns {string}
 */
export function who(model, seat) {
    return `${seat} ${model.bots[seat].name}`;
}

/**
 * Who knows a face-down card and since when, in words; the empty string where nobody is known to know it.
 * @param {Model} model
 * @param {readonly Knows[]} knows
 * @returns {string}
 */
export function knownTo(model, knows) {
    /** @type {Map<string, number[]>} */
    const since = new Map();
    for (const [seat, step, how] of knows) {
        const when = `${placeInWords(model.steps[step])} (${titleOf(how).toLowerCase()})`;
        since.set(when, [...(since.get(when) ?? []), seat]);
    }
    const groups = [...since].map(([when, seats]) => `${together(model, seats, knows.length)} since ${when}`);
    return groups.length ? `known to ${groups.join("; to ")}` : "";
}

/**
 * @param {Model} model
 * @param {readonly number[]} seats
 * @param {number} known how many know the card
 * @returns {string}
 */
function together(model, seats, known) {
    const isMost = known === model.bots.length && seats.length > 2 && 2 * seats.length > known;
    if (isMost) return seats.length === known ? "all" : "all others";
    return seats.map((seat) => who(model, seat)).join(", ");
}

/**
 * A slot in words, as in "seat 1 keeper, slot 3: face down, king of hearts, known to 1 keeper since round 1, turn 2 (draw)".
 * @param {Model} model
 * @param {number} seat
 * @param {number} number
 * @param {SlotState | null} slot
 * @returns {string}
 */
export function slotInWords(model, seat, number, slot) {
    const place = `seat ${who(model, seat)}, slot ${number}`;
    if (!slot) return `${place}: empty`;
    const card = slot.card ? face(slot.card).words : "";
    if (slot.up) return `${place}: ${card || "a card"}, face up`;
    const nobody = model.view === "open" ? "no player knows it" : "no player is seen to know it";
    return `${place}: face down, ${card || "not known in this view"}, ${knownTo(model, slot.knows) || nobody}`;
}
