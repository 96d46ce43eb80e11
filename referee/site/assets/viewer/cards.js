/** Cards as elements: open, face down, or face down and known to this view, each by its own pattern. */

import { fill, h } from "./dom.js";
import { face } from "./words.js";

/**
 * Draws a card into its element: `card` is its code or null where this view does not know it.
 * @param {HTMLElement} element
 * @param {{up: boolean, card: string | null}} what
 * @param {{label?: string, badge?: string, marks?: HTMLElement[]}} how the number of its slot, what has just happened
 * to it, and the seats that know it
 */
export function drawCard(element, { up, card }, { label = "", badge = "", marks = [] } = {}) {
    const shown = card ? face(card) : up ? { rank: "?", sign: "", isRed: false } : null;
    element.className = ["card", up ? "is-up" : "is-down", shown && !up && "is-known", shown?.isRed && "is-red"].filter(Boolean).join(" ");
    fill(
        element,
        h("span", { class: "face", "aria-hidden": "true" }, shown && h("span", { class: "rank" }, shown.rank), shown?.sign && h("span", { class: shown.sign.length > 2 ? "sign word" : "sign" }, shown.sign)),
        label && h("span", { class: "slot-label", "aria-hidden": "true" }, label),
        badge && h("span", { class: "badge", "aria-hidden": "true" }, badge),
        marks.length > 0 && h("span", { class: "marks", "aria-hidden": "true" }, ...marks),
    );
}

/**
 * A card that is no button: of the pile, a hand or a shield.
 * @param {string | null} card
 * @param {string} where in words, where that is not plain
 * @param {HTMLElement[]} marks the seats that know it
 */
export function looseCard(card, where = "", marks = []) {
    const element = h("span", {});
    drawCard(element, { up: card !== null, card }, { marks });
    element.append(h("span", { class: "unseen" }, [where, card ? face(card).words : "a card that this view does not know"].filter(Boolean).join(", ")));
    return element;
}

/** What the kinds of cards mean. */
export function legend() {
    const [open, down, known] = [h("span", {}), h("span", {}), h("span", {})];
    drawCard(open, { up: true, card: "KH" });
    drawCard(down, { up: false, card: null }, { marks: [h("span", { class: "mark" }, "2")] });
    drawCard(known, { up: false, card: "KH" });
    return h(
        "ul",
        { class: "legend" },
        h("li", {}, open, "lies open"),
        h("li", {}, down, "lies face down; seat 2 knows it"),
        h("li", {}, known, "lies face down, but this view knows it"),
    );
}
