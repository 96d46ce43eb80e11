/** One card as an element: open, face down, or face down and known to this view, each by its own pattern. */

import { face } from "./cards.js";
import { h } from "./dom.js";
import { seatMark } from "./pieces.js";

/**
 * Draws a card into its element: `card` is its code or null where this view does not know it.
 * @param {HTMLElement} element
 * @param {{up: boolean, card: string | null, knows?: Knows[]}} card
 * @param {string} label the number of the slot, or nothing
 * @param {string} badge what has just happened to it, or nothing
 */
export function drawCard(element, { up, card, knows }, label, badge = "") {
    const shown = card ? face(card) : null;
    element.classList.remove("is-up", "is-down", "is-known", "is-red", "is-empty");
    element.classList.add(up ? "is-up" : "is-down");
    if (shown && !up) element.classList.add("is-known");
    if (shown && shown.isRed) element.classList.add("is-red");
    const parts = shown
        ? [h("span", { class: "rank" }, shown.rank), h("span", { class: shown.sign.length > 2 ? "sign word" : "sign" }, shown.sign)]
        : up ? [h("span", { class: "rank" }, "?")] : [];
    element.replaceChildren(
        h("span", { class: "face", "aria-hidden": "true" }, ...parts),
        h("span", { class: "slot-label", "aria-hidden": "true" }, label),
        h("span", { class: "badge", "aria-hidden": "true" }, badge),
        h("span", { class: "marks", "aria-hidden": "true" }, ...(up ? [] : knows ?? []).map(([seat]) => seatMark(seat))),
    );
}

/**
 * A card that is no button: of the pile, a hand or a shield.
 * @param {string | null} card
 * @param {{where?: string, knows?: Knows[], known?: string}} how `known` says in words who knows it
 * @returns {HTMLElement}
 */
export function looseCard(card, { where = "", knows = [], known = "" } = {}) {
    const element = h("span", { class: "card" });
    drawCard(element, { up: card !== null, card }, "");
    const name = card ? face(card).words : "a card that this view does not know";
    element.append(h("span", { class: "unseen" }, [where, name, known].filter(Boolean).join(", ")));
    if (knows.length) element.append(h("span", { class: "marks", "aria-hidden": "true" }, ...knows.map(([seat]) => seatMark(seat))));
    return element;
}
