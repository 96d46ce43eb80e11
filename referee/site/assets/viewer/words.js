/** Seats, cards and slots in words and in sentences. */

import { h } from "./dom.js";
import { titleOf } from "./events.js";
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

/**
 * A number of things.
 * @param {number} number @param {string} one
 */
export function counted(number, one) {
    return `${number} ${one}${number === 1 ? "" : "s"}`;
}

/**
 * A seat's number with the name of its bot.
 * @param {Model} model @param {number} seat
 */
export function who(model, seat) {
    return `${seat} ${model.bots[seat].name}`;
}

/**
 * A seat's number as it stands on cards and in sentences.
 * @param {number} seat
 */
export function seatMark(seat) {
    return h("span", { class: `mark seat-${seat % 8}` }, String(seat));
}

/**
 * A seat with the name of its bot.
 * @param {Model} model @param {number} seat
 */
export function seatName(model, seat) {
    return h("span", { class: "who" }, seatMark(seat), " ", h("bdi", {}, model.bots[seat].name));
}

/**
 * Several seats in a sentence.
 * @param {Model} model @param {readonly number[]} seats @returns {(Node | string)[]}
 */
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

/**
 * A line of words, with cards as cards and seats as seats.
 * @param {Model} model @param {string} line
 */
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

/**
 * A time with its unit, as in `176.3 µs` or `2.81 ms`.
 * @param {number} us
 */
export function timeInWords(us) {
    if (us < 1000) return `${us.toFixed(1)} \u00B5s`;
    return us < 1e6 ? `${(us / 1000).toFixed(us < 1e5 ? 2 : 1)} ms` : `${(us / 1e6).toFixed(2)} s`;
}
