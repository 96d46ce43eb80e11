/** The table: stock, pile and the card in hand in the middle, seats around it, and cards that move between them. */

import { button, h, say } from "./dom.js";
import { looseCard, seatView } from "./seat.js";
import { badgeOf, counted, knowers, knownTo, seatName, slotInWords } from "./words.js";

/** How long a card moves, in milliseconds. */
const MOVE_MS = 380;

/** For how many cards beside each other a seat makes room by smaller cards; more of them scroll. */
const MOST_ACROSS = 8;

/** @type {Record<string, string>} */
const ENDED = { knocked: "knocked", finished: "finished first" };

/** @type {ReadonlySet<number>} */
const NONE = new Set();

/**
 * The table, and `about`, which describes the card that was chosen.
 * @param {Model} model
 */
export function boardOf(model) {
    /** @type {[number, number] | null} */
    let chosen = null;
    let current = 0;
    const [stock, pile, hand] = ["stock", "pile", "hand"].map((name) => h("div", { class: `heap ${name}` }));
    const aboutWords = h("p", {});
    const about = h("div", { class: "about-card", hidden: true }, aboutWords, button({ "aria-label": "close" }, () => ((chosen = null), describe()), "\u00D7"));
    const seats = model.bots.map((_, seat) => seatView(model, seat, (slot) => ((chosen = [seat, slot]), describe())));
    const middle = h("section", { class: "middle", "aria-label": "stock, pile and hand" }, stock, pile, hand);
    const columns = columnsOf(model);
    const shape = shapeOf(model.bots.length, columns);
    const table = h("div", { class: `table ${shape}` }, middle, ...seats.map((view) => view.element));
    table.style.setProperty("--seats-across", String(placeSeats(seats.map((view) => view.element), middle, shape)));
    table.style.setProperty("--cards-across", String(Math.min(MOST_ACROSS, columns)));
    let ended = "ended the round";
    const endings = model.steps.map((step) => (ended = ENDED[step.event] ?? ended));
    const verdicts = new Map(model.windows.flatMap((one) => (one.slaps ?? []).map((slap) => [slap.step, slap.verdict])));
    const moving = movingOn(table, placed);

    /**
     * The element of a place, as the table is now.
     * @param {Place} place @returns {Element | null | undefined}
     */
    function placed({ lies, seat, slot }) {
        if (lies === "slot") return seats[seat ?? 0].cardAt(slot ?? 0);
        if (lies === "shield") return seats[seat ?? 0].shields;
        const heap = { stock, pile, hand }[lies];
        return heap.querySelector(".card:last-child") ?? heap.querySelector(".card");
    }

    function describe() {
        const slots = chosen ? model.states[current].seats[chosen[0]].slots : [];
        about.hidden = !chosen || chosen[1] >= slots.length;
        if (chosen && !about.hidden) say(aboutWords, `${slotInWords(model, chosen[0], chosen[1], slots[chosen[1]])}.`);
    }

    /** @param {number} number */
    function show(number) {
        const step = model.steps[number];
        const begin = moving(number === current + 1 ? step.moved ?? [] : []);
        current = number;
        const state = model.states[number];
        const badge = badgeOf(step, verdicts.get(number));
        seats.forEach((view, seat) => {
            const own = (step.cards ?? []).flatMap(([owner, slot]) => (owner === seat ? [slot] : []));
            view.show(state, { touched: own.length ? new Set(own) : NONE, badge, ended: endings[number], isTarget: step.against === seat });
        });
        stock.replaceChildren(h("h3", {}, "Stock"), h("span", { class: `card ${state.stock ? "is-down" : "is-empty"}`, "aria-hidden": "true" }), h("p", {}, counted(state.stock, "card")));
        pile.replaceChildren(h("h3", {}, "Pile"), pileOf(state), h("p", {}, counted(state.pile.count, "card")));
        hand.replaceChildren(h("h3", {}, "In hand"), ...handOf(model, state));
        begin();
        describe();
    }

    return { element: h("div", { class: "board" }, table), about, show };
}

/**
 * How many cards lie beside each other at most: wrong slaps bring more than the layout has.
 * @param {Model} model
 */
function columnsOf({ document, states }) {
    return states.reduce((most, { seats }) => Math.max(most, ...seats.flatMap(({ places }) => places.map(([, column]) => column + 1))), document.columns);
}

/**
 * How the seats stand: two on both sides of the middle, up to four beside each other below it; more of them, or wider
 * ones, in a row above and a row below it. A crowd stands in as many rows as it needs.
 * @param {number} seats
 * @param {number} columns of cards
 */
function shapeOf(seats, columns) {
    if (seats > 8 || (seats > 4 && columns > 3)) return "is-crowd";
    return seats > 4 || columns > 3 ? "is-in-rows" : seats > 2 ? "is-beside" : "is-around";
}

/**
 * Gives each seat its row and column, clockwise from the left at the top; returns the number of columns.
 * @param {readonly HTMLElement[]} seats
 * @param {HTMLElement} middle
 * @param {string} shape
 */
function placeSeats(seats, middle, shape) {
    const half = Math.ceil(seats.length / 2);
    const put = (/** @type {HTMLElement} */ element, /** @type {string | number} */ row, /** @type {string | number} */ column) => {
        element.style.setProperty("--row", String(row));
        element.style.setProperty("--column", String(column));
    };
    seats.forEach((seat, number) => {
        if (shape === "is-around") put(seat, 1, 1 + 2 * number);
        else if (shape === "is-beside") put(seat, 2, number + 1);
        else put(seat, number < half ? 1 : 3, number < half ? number + 1 : seats.length - number);
    });
    const across = shape === "is-around" ? 3 : shape === "is-beside" ? seats.length : half;
    put(middle, shape === "is-in-rows" ? 2 : 1, shape === "is-around" ? 2 : `1 / span ${across}`);
    return across;
}

/** @param {TableState} state */
function pileOf(state) {
    if (!state.pile.count) return h("span", { class: "card is-empty" }, h("span", { class: "unseen" }, "empty"));
    const last = state.pile.top.length - 1;
    return h("span", { class: "fan" }, ...state.pile.top.map((card, number) => looseCard(card, number === last ? "on top" : "below it")));
}

/** @param {Model} model @param {TableState} state */
function handOf(model, state) {
    if (!state.hand) return [h("span", { class: "card is-empty" }), h("p", {}, "nothing")];
    const { seat, cards, knows } = state.hand;
    const known = knows.map((one) => h("span", { class: "unseen" }, knownTo(model, one) || "nobody is seen to know it"));
    const fan = cards.map((card, number) => looseCard(card, "", knowers(knows[number], model.bots.length)));
    return [h("span", { class: "fan" }, ...fan), h("p", {}, seatName(model, seat), ...known)];
}

/**
 * Lets cards move from where they lay to where they lie now: called before the table changes, it ends what moves still
 * and returns what begins the motion afterwards. Who asks for less motion sees none.
 * @param {HTMLElement} table
 * @param {(place: Place) => Element | null | undefined} at
 */
function movingOn(table, at) {
    const less = window.matchMedia("(prefers-reduced-motion: reduce)");
    return (/** @type {readonly {from: Place, to: Place}[]} */ moved) => {
        for (const ghost of table.querySelectorAll(".ghost")) ghost.remove();
        const origins = less.matches ? [] : moved.map(({ from }) => at(from)?.getBoundingClientRect());
        return () => origins.forEach((origin, number) => origin && move(table, origin, at(moved[number].to)));
    };
}

/** @param {HTMLElement} table @param {DOMRect} origin @param {Element | null | undefined} card */
function move(table, origin, card) {
    if (!card) return;
    const [end, box] = [card.getBoundingClientRect(), table.getBoundingClientRect()];
    const isCard = card.classList.contains("card");
    const ghost = h("span", { class: `${isCard ? card.className : "card is-down"} ghost`, "aria-hidden": "true" });
    if (isCard) ghost.append(...Array.from(card.children, (child) => child.cloneNode(true)));
    ghost.style.left = `${end.left - box.left - table.clientLeft}px`;
    ghost.style.top = `${end.top - box.top - table.clientTop}px`;
    table.append(ghost);
    const shift = `translate(${origin.left - end.left}px, ${origin.top - end.top}px)`;
    const over = () => ghost.remove();
    ghost.animate([{ transform: shift }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-in-out" }).finished.then(over, over);
}
