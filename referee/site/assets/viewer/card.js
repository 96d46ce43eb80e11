/** One card as an element: open, face down, or face down and known to this view, each by its own pattern. */

import { face } from "./cards.js";
import { h } from "./dom.js";

/**
 * Draws a card into its element: `card` is its code or null where this view does not know it.
 * @param {HTMLElement} element
 * @param {{up: boolean, card: string | null}} card
 * @param {{label?: string, badge?: string, marks?: HTMLElement[]}} how the number of its slot, what has just happened
 * to it, and the seats that know it
 */
export function drawCard(element, { up, card }, { label = "", badge = "", marks = [] } = {}) {
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
        label && h("span", { class: "slot-label", "aria-hidden": "true" }, label),
        badge && h("span", { class: "badge", "aria-hidden": "true" }, badge),
        ...(marks.length ? [h("span", { class: "marks", "aria-hidden": "true" }, ...marks)] : []),
    );
}

/**
 * A card that is no button: of the pile, a hand or a shield.
 * @param {string | null} card
 * @param {string} where in words, where that is not plain
 * @returns {HTMLElement}
 */
export function looseCard(card, where = "") {
    const element = h("span", { class: "card" });
    drawCard(element, { up: card !== null, card });
    const name = card ? face(card).words : "a card that this view does not know";
    element.append(h("span", { class: "unseen" }, [where, name].filter(Boolean).join(", ")));
    return element;
}
