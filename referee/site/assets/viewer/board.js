/** The table: stock, pile and the card in hand in the middle, seats around it. */

import { drawCard, looseCard } from "./card.js";
import { knownTo, slotInWords } from "./cards.js";
import { button, h, say } from "./dom.js";
import { badgeOf } from "./events.js";
import { movesOf } from "./moves.js";
import { knowers, seatName } from "./pieces.js";
import { seatView } from "./seat.js";

/** @type {Record<string, string>} */
const ENDED = { knocked: "knocked", finished: "finished first" };

/**
 * @param {Model} model
 * @returns {{element: HTMLElement, about: HTMLElement, show: (number: number) => void}} `about` tells of the chosen card
 */
export function boardOf(model) {
    /** @type {[number, number] | null} */
    let chosen = null;
    let current = 0;
    /** @type {TableState | null} */
    let last = null;
    const stock = h("div", { class: "heap" });
    const pile = h("div", { class: "heap" });
    const hand = h("div", { class: "heap hand" });
    const aboutWords = h("p", {});
    const about = h("div", { class: "about-card", hidden: true }, aboutWords, button({ "aria-label": "close" }, () => (chosen = null, tell()), "\u00D7"));
    const views = model.bots.map((_, seat) => seatView(model, seat, (slot) => look(seat, slot)));
    const middle = h("section", { class: "middle", "aria-label": "stock, pile and hand" }, stock, pile, hand);
    const table = h("div", { class: "table", "data-seats": model.bots.length, "data-rows": model.document.rows, "data-columns": model.document.columns }, middle, ...views.map((view) => view.element));
    placeSeats(views.map((view) => view.element), middle, model.document.rows);
    const endings = endingsOf(model);
    const verdicts = new Map(model.windows.flatMap((one) => (one.slaps ?? []).map((slap) => [slap.step, slap.verdict])));
    const moves = movesOf(table, (place) => {
        if (place.lies === "stock") return stock.querySelector(".card");
        if (place.lies === "pile") return pile.querySelector(".card:last-child") ?? pile.querySelector(".card");
        if (place.lies === "hand") return hand.querySelector(".card:last-child") ?? hand.querySelector(".card");
        const view = views[place.seat ?? 0];
        return place.lies === "slot" ? view.cardAt(place.slot ?? 0) ?? null : view.shields();
    });

    /**
     * @param {number} seat
     * @param {number} slot
     */
    function look(seat, slot) {
        chosen = [seat, slot];
        tell();
    }

    function tell() {
        const held = chosen && model.states[current].seats[chosen[0]].slots;
        about.hidden = !chosen || !held || chosen[1] >= held.length;
        if (chosen && held && !about.hidden) say(aboutWords, `${slotInWords(model, chosen[0], chosen[1], held[chosen[1]])}.`);
    }

    /** @param {number} number */
    function show(number) {
        const isNext = number === current + 1;
        const step = model.steps[number];
        const begin = isNext ? moves.from(step.moved ?? []) : null;
        current = number;
        const state = model.states[number];
        const touched = concerned(step);
        const badge = badgeOf(step, verdicts.get(number));
        views.forEach((view, seat) =>
            view.show(state, { touched: touched.get(seat) ?? NONE, badge, ended: endings[number], isTarget: step.against === seat }),
        );
        if (!last || last.stock !== state.stock) stock.replaceChildren(h("h3", {}, "Stock"), looseHeap(state.stock), h("p", {}, count(state.stock)));
        if (!last || last.pile !== state.pile) pile.replaceChildren(h("h3", {}, "Pile"), ...pileOf(state), h("p", {}, count(state.pile.count)));
        if (!last || last.hand !== state.hand) hand.replaceChildren(h("h3", {}, "In hand"), ...handOf(model, state));
        last = state;
        if (begin) begin();
        tell();
    }

    return { element: h("div", { class: "board" }, table, legend()), about, show };
}

/** @type {ReadonlySet<number>} */
const NONE = new Set();

/**
 * Seats clockwise from the left at the top, in two rows. Where there are few, the middle is between them, else between
 * the rows; few seats with many rows of cards stand side by side under the middle.
 * @param {readonly HTMLElement[]} seats
 * @param {HTMLElement} middle
 * @param {number} rows of cards
 */
function placeSeats(seats, middle, rows) {
    const count = seats.length;
    const half = Math.ceil(count / 2);
    const isBetween = count <= 4 && rows < 4;
    const isBeside = count <= 4 && rows >= 4;
    seats.forEach((seat, number) => {
        const isAbove = number < half || isBeside;
        const place = isAbove ? number : count - 1 - number;
        const column = isBetween ? (count === 2 ? 2 * number : 2 * place) : place;
        seat.style.setProperty("--row", isBeside ? "2" : isAbove || (isBetween && count === 2) ? "1" : isBetween ? "2" : "3");
        seat.style.setProperty("--column", String(column + 1));
    });
    middle.style.setProperty("--row", isBetween ? (count === 2 ? "1" : "1 / span 2") : isBeside ? "1" : "2");
    middle.style.setProperty("--column", isBetween ? "2" : `1 / span ${isBeside ? count : half}`);
}

/**
 * By step, how the round came to its end, as it is said of who ended it.
 * @param {Model} model
 * @returns {string[]}
 */
function endingsOf(model) {
    let ended = "ended the round";
    return model.steps.map((step) => (ended = ENDED[step.event ?? ""] ?? ended));
}

/**
 * The cards that a step is about, by seat.
 * @param {Step} step
 * @returns {Map<number, Set<number>>}
 */
function concerned(step) {
    /** @type {Map<number, Set<number>>} */
    const found = new Map();
    for (const [seat, slot] of step.cards ?? []) found.set(seat, (found.get(seat) ?? new Set()).add(slot));
    return found;
}

/**
 * @param {number} cards
 * @returns {string}
 */
function count(cards) {
    return `${cards} ${cards === 1 ? "card" : "cards"}`;
}

/**
 * What the kinds of cards mean.
 * @returns {HTMLElement}
 */
function legend() {
    const known = h("span", { class: "card small" });
    drawCard(known, { up: false, card: "KH" });
    return h(
        "ul",
        { class: "legend", "aria-label": "signs" },
        h("li", {}, h("span", { class: "card small is-up", "aria-hidden": "true" }), " lies open"),
        h("li", {}, h("span", { class: "card small is-down", "aria-hidden": "true" }), " lies face down"),
        h("li", {}, known, " lies face down, but you see it here"),
        h("li", {}, h("span", { class: "mark", "aria-hidden": "true" }, "2"), " at its foot: seat 2 knows this card"),
        h("li", {}, "Touch a card to read who knows it and since when."),
    );
}

/**
 * @param {number} count
 * @returns {HTMLElement}
 */
function looseHeap(count) {
    return count ? h("span", { class: "card is-down", "aria-hidden": "true" }) : h("span", { class: "card is-empty", "aria-hidden": "true" });
}

/**
 * @param {TableState} state
 * @returns {Node[]}
 */
function pileOf(state) {
    if (!state.pile.count) return [h("span", { class: "card is-empty" }, h("span", { class: "unseen" }, "empty"))];
    const cards = state.pile.top.map((card, number) => {
        const isTop = number === state.pile.top.length - 1;
        const element = looseCard(card, isTop ? "on top" : "below it");
        if (!isTop) element.classList.add("is-below");
        return element;
    });
    return [h("span", { class: "fan" }, ...cards)];
}

/**
 * @param {Model} model
 * @param {TableState} state
 * @returns {Node[]}
 */
function handOf(model, state) {
    if (!state.hand) return [h("span", { class: "card is-empty" }), h("p", {}, "nothing")];
    const { seat, cards, knows } = state.hand;
    const known = knows.map((one) => {
        const words = knownTo(model, one) || "nobody is seen to know it";
        return h("p", {}, h("span", { "aria-hidden": "true" }, "seen by ", ...knowers(one, model.bots.length)), h("span", { class: "unseen" }, words));
    });
    return [h("span", { class: "fan" }, ...cards.map((card) => looseCard(card))), h("p", {}, seatName(model, seat)), ...known];
}
