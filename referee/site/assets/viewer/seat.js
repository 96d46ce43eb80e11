/** What lies before one seat: its bot, its score, its cards in rows and columns, its shields and strokes. */

import { drawCard, looseCard } from "./card.js";
import { slotInWords, who } from "./cards.js";
import { h, oneStop, say } from "./dom.js";
import { knowers, seatName } from "./pieces.js";

/**
 * @typedef {object} SeatView
 * @property {HTMLElement} element
 * @property {(state: TableState, now: Now) => void} show
 * @property {(slot: number) => HTMLElement | undefined} cardAt
 * @property {() => HTMLElement} shields
 */

/**
 * What a step is about, as far as one seat is concerned.
 * @typedef {object} Now
 * @property {ReadonlySet<number>} touched the slots that are concerned
 * @property {string} badge what has happened to them
 * @property {string} ended how the round came to its end, if it did
 * @property {boolean} isTarget whether it was done to this seat
 */

/**
 * @param {Model} model
 * @param {number} seat
 * @param {(slot: number) => void} look called when a card is chosen
 * @returns {SeatView}
 */
export function seatView(model, seat, look) {
    /** @type {HTMLButtonElement[]} */
    const cards = [];
    /** @type {{slot: SlotState | null, place: string, badge: string, isTouched: boolean, isStroke: boolean}[]} */
    const looks = [];
    /** @type {SeatState | null} */
    let shown = null;
    const list = h("ul", { class: "slots", "aria-label": `cards of ${who(model, seat)}` });
    const facts = h("p", { class: "facts" });
    const points = h("p", { class: "points" });
    const beside = h("p", { class: "beside" });
    const element = h(
        "section",
        { class: "seat", "aria-label": `seat ${who(model, seat)}` },
        h("h3", {}, seatName(model, seat)),
        list,
        h("div", { class: "told-of-seat" }, facts, points, beside),
    );
    oneStop(list, () => cards.filter((card) => card.parentElement && !card.parentElement.hidden));

    /** @param {number} slot */
    function place(slot) {
        const card = h("button", { type: "button", class: "card", tabindex: slot === 0 ? 0 : -1 });
        card.addEventListener("click", () => look(slot));
        card.addEventListener("focus", () => look(slot));
        cards.push(card);
        list.append(h("li", {}, card));
    }

    /**
     * @param {TableState} state
     * @param {Now} now
     */
    function show(state, now) {
        const own = state.seats[seat];
        while (cards.length < own.slots.length) place(cards.length);
        cards.forEach((card, number) => {
            const item = /** @type {HTMLElement} */ (card.parentElement);
            item.hidden = number >= own.slots.length;
            if (!item.hidden) showSlot(own, number, now);
        });
        element.classList.toggle("is-wide", own.slots.some((slot, number) => slot && (own.places[number] ?? [0, 0])[1] > 2));
        element.classList.toggle("is-at-turn", state.turn === seat);
        const told = factsOf(state, now);
        if (told.join() !== facts.dataset.told) facts.replaceChildren(...told.map((fact) => h("span", { class: "fact" }, fact)));
        facts.dataset.told = told.join();
        say(points, pointsOf(own));
        if (shown === null || shown.shields !== own.shields || shown.strokes !== own.strokes) beside.replaceChildren(...besideOf(own));
        shown = own;
        bringIntoSight(now.touched);
    }

    /**
     * Where there are more cards than the seat has room for, shows those that the step is about.
     * @param {ReadonlySet<number>} touched
     */
    function bringIntoSight(touched) {
        const card = cards.find((_, number) => touched.has(number));
        if (!card || list.scrollWidth <= list.clientWidth) return;
        const item = /** @type {HTMLElement} */ (card.parentElement);
        list.scrollLeft = Math.max(0, item.offsetLeft - list.offsetLeft + item.offsetWidth / 2 - list.clientWidth / 2);
    }

    /**
     * Draws a slot anew, if anything about it has changed.
     * @param {SeatState} own
     * @param {number} number
     * @param {Now} now
     */
    function showSlot(own, number, now) {
        const slot = own.slots[number];
        const [row, column] = own.places[number] ?? [0, number];
        const isTouched = now.touched.has(number);
        const look = { slot, place: `${row + 1} / ${column + 1}`, badge: isTouched ? now.badge : "", isTouched, isStroke: own.strokes.includes(row) };
        const last = looks[number];
        if (last && last.slot === slot && last.place === look.place && last.badge === look.badge && last.isTouched === isTouched && last.isStroke === look.isStroke) return;
        looks[number] = look;
        const card = cards[number];
        /** @type {HTMLElement} */ (card.parentElement).style.gridArea = look.place;
        card.setAttribute("aria-label", slotInWords(model, seat, number, slot) + (look.isStroke ? ", taken as a stroke" : ""));
        const marks = slot && !slot.up ? knowers(slot.knows, model.bots.length) : [];
        drawCard(card, slot ?? { up: false, card: null }, { label: String(number), badge: look.badge, marks });
        card.classList.toggle("is-empty", !slot);
        card.classList.toggle("is-touched", isTouched);
        card.classList.toggle("is-stroke", look.isStroke);
    }

    /**
     * @param {TableState} state
     * @param {Now} now
     * @returns {string[]}
     */
    function factsOf(state, now) {
        const facts = [];
        if (state.turn === seat) facts.push("\u25B6 to play");
        if (state.dealer === seat && state.round) facts.push("dealer");
        if (state.ender === seat) facts.push(now.ended);
        if (now.isTarget) facts.push("\u25CE aimed at");
        if (state.seats[seat].forfeited) facts.push("forfeited");
        return facts;
    }

    return { element, show, cardAt: (slot) => cards[slot], shields: () => beside };
}

/**
 * @param {SeatState} own
 * @returns {string}
 */
function pointsOf(own) {
    if (own.score !== null) return `total ${own.total}, this round ${own.score}`;
    return own.worth == null ? `total ${own.total}` : `total ${own.total}, cards worth ${own.worth} now`;
}

/**
 * Shields and strokes.
 * @param {SeatState} own
 * @returns {Node[]}
 */
function besideOf(own) {
    /** @type {Node[]} */
    const parts = [];
    if (own.shields.length) parts.push(document.createTextNode("Shields: "), ...own.shields.map((card) => looseCard(card)));
    if (own.strokes.length) parts.push(document.createTextNode(`Strokes: row ${own.strokes.join(", row ")}`));
    return parts;
}
