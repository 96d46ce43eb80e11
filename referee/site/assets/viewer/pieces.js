/** What a page is made of in many places: seats with their bots, cards in sentences, lines of words. */

import { face, who } from "./cards.js";
import { h } from "./dom.js";
import { linesOf, tokens } from "./words.js";

/**
 * A seat's number as it stands on cards and in sentences.
 * @param {number} seat
 * @returns {HTMLElement}
 */
export function seatMark(seat) {
    return h("span", { class: `mark seat-${seat % 8}` }, String(seat));
}

/**
 * The seats that know a card, as marks: one mark where all do.
 * @param {readonly Knows[]} knows
 * @param {number} seats how many there are
 * @returns {HTMLElement[]}
 */
export function knowers(knows, seats) {
    if (knows.length === seats) return [h("span", { class: "mark all" }, "all")];
    return knows.map(([seat]) => seatMark(seat));
}

/**
 * A seat with the name of its bot.
 * @param {Model} model
 * @param {number} seat
 * @returns {HTMLElement}
 */
export function seatName(model, seat) {
    return h("span", { class: "who" }, seatMark(seat), " ", h("bdi", {}, model.bots[seat].name));
}

/**
 * A line of words, with cards as cards and seats as seats.
 * @param {Model} model
 * @param {string} line
 * @returns {DocumentFragment}
 */
export function sentence(model, line) {
    const parts = document.createDocumentFragment();
    for (const token of tokens(line, model.bots)) {
        if (token.kind === "seat" && token.seat !== undefined && model.bots[token.seat]) parts.append(seatName(model, token.seat));
        else if (token.kind === "card") parts.append(cardInText(token.text));
        else parts.append(token.text);
    }
    return parts;
}

/**
 * A card in a sentence: its signs to the eye, its name to the ear.
 * @param {string} code
 * @returns {HTMLElement}
 */
function cardInText(code) {
    const { rank, sign, words, isRed } = face(code);
    return h(
        "span",
        { class: isRed ? "card-word red" : "card-word" },
        h("span", { "aria-hidden": "true" }, `${rank}${sign}`),
        h("span", { class: "unseen" }, words),
    );
}

/**
 * All that a step tells, as it is read out.
 * @param {Model} model
 * @param {Step} step
 * @returns {string}
 */
export function spoken(model, step) {
    const { told, notes } = linesOf(step);
    const read = told.map((line) =>
        tokens(line, model.bots)
            .map((token) => (token.kind === "card" ? face(token.text).words : token.seat === undefined ? token.text : who(model, token.seat)))
            .join(""),
    );
    return [...read, ...notes].map((line) => line.trim().replace(/\.$/, "")).join(". ");
}
