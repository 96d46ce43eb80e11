/** What lies before one seat: its bot, its score, its cards in rows and columns, its shields and strokes. */

import { fill, h, oneStop, say } from "./dom.js";
import { face, knowers, seatMark, seatName, slotInWords, who } from "./words.js";

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
 */
export function seatView(model, seat, look) {
    /** @type {HTMLButtonElement[]} */
    const cards = [];
    const list = h("ul", { class: "slots", "aria-label": `cards of ${who(model, seat)}` });
    const facts = h("p", { class: "facts" });
    const points = h("p", { class: "points" });
    const beside = h("p", { class: "extras" });
    const hasWon = model.document.ranks[seat] === 1;
    const title = h("h3", {}, seatName(model, seat), hasWon && h("span", { class: "star", title: "winner of the match" }, " \u2605", h("span", { class: "unseen" }, " winner of the match")));
    const element = h("section", { class: hasWon ? "seat is-winner" : "seat", "aria-label": `seat ${who(model, seat)}` }, title, points, list, facts, beside);
    oneStop(list, () => cards.filter((card) => !card.parentElement?.hidden));

    /** @param {TableState} state @param {Now} now */
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
        fill(facts, ...factsOf(state, now).map((fact) => h("span", { class: "fact" }, fact)));
        say(points, pointsInWords(own));
        fill(beside, own.shields.length && "Shields: ", ...own.shields.map((card) => looseCard(card)), own.strokes.length && `Strokes: row ${own.strokes.join(", row ")}`);
        bringIntoSight(now.touched);
    }

    /** @param {number} slot */
    function place(slot) {
        const card = h("button", { type: "button", tabindex: slot === 0 ? 0 : -1 });
        card.addEventListener("click", () => look(slot));
        card.addEventListener("focus", () => look(slot));
        cards.push(card);
        list.append(h("li", {}, card));
    }

    /** @param {SeatState} own @param {number} number @param {Now} now */
    function showSlot(own, number, now) {
        const slot = own.slots[number];
        const [row, column] = own.places[number] ?? [0, number];
        const isStroke = own.strokes.includes(row);
        const isTouched = now.touched.has(number);
        const card = cards[number];
        /** @type {HTMLElement} */ (card.parentElement).style.gridArea = `${row + 1} / ${column + 1}`;
        card.setAttribute("aria-label", slotInWords(model, seat, number, slot) + (isStroke ? ", taken as a stroke" : ""));
        const marks = slot && !slot.up ? knowers(slot.knows, model.bots.length) : [];
        drawCard(card, slot ?? { up: false, card: null }, { label: String(number), badge: isTouched ? now.badge : "", marks });
        card.classList.toggle("is-empty", !slot);
        card.classList.toggle("is-touched", isTouched);
        card.classList.toggle("is-stroke", isStroke);
    }

    /**
     * Where there are more cards than the seat has room for, shows those that the step is about.
     * @param {ReadonlySet<number>} touched
     */
    function bringIntoSight(touched) {
        const item = cards.find((_, number) => touched.has(number))?.parentElement;
        if (!item || list.scrollWidth <= list.clientWidth) return;
        list.scrollLeft = Math.max(0, item.offsetLeft - list.offsetLeft + item.offsetWidth / 2 - list.clientWidth / 2);
    }

    /** @param {TableState} state @param {Now} now */
    function factsOf(state, now) {
        return [
            state.turn === seat && "\u25B6\uFE0E to play",
            state.dealer === seat && state.round && "dealer",
            state.ender === seat && now.ended,
            now.isTarget && "\u25CE aimed at",
            state.seats[seat].forfeited && "forfeited",
        ].filter((fact) => typeof fact === "string");
    }

    return { element, show, cardAt: (/** @type {number} */ slot) => cards[slot], shields: beside };
}

/** @param {SeatState} own */
function pointsInWords(own) {
    const more = own.score !== null ? `, this round ${own.score}` : own.worth == null ? "" : `, cards worth ${own.worth}`;
    return `total ${own.total}${more}`;
}

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
    drawCard(down, { up: false, card: null }, { marks: [seatMark(1)] });
    drawCard(known, { up: false, card: "KH" });
    return h(
        "ul",
        { class: "legend" },
        h("li", {}, open, "lies open"),
        h("li", {}, down, "lies face down; the player of this colour knows it"),
        h("li", {}, known, "lies face down, but this view knows it"),
    );
}
