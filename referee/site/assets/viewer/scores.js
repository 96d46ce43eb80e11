/** How the match went: the strokes of every round, and a line for each seat from the first step to the last. */

import { button, drawn, h } from "./dom.js";
import { starts } from "./steps.js";
import { counted, seatName } from "./words.js";

const WIDTH = 1000;
const HEIGHT = 200;
const TOP = 18;

/** @returns {Panel} */
export function scoresPanel() {
    /** @type {Map<number, HTMLElement>} by round */
    const rows = new Map();
    return {
        title: "Scores by round",
        place: "beside",
        mount(element, model) {
            for (const { round, playoff, last, scores, totals } of model.document.rounds) {
                const way = button({ class: "plain" }, () => model.goTo(last), playoff ? `Playoff ${round}` : `Round ${round}`);
                rows.set(round, h("li", {}, way, strokesOf(model, scores, (seat) => `, total ${totals[seat]}`)));
            }
            const end = h("li", { class: "end" }, h("b", {}, "Total"), strokesOf(model, model.document.totals, (seat) => `, rank ${model.document.ranks[seat]}`));
            element.append(h("p", { class: "note" }, "Strokes of each round. The lowest total wins."), h("ol", { class: "rounds" }, ...rows.values(), end));
        },
        show(model, number) {
            for (const [round, row] of rows) row.classList.toggle("is-current", round === model.steps[number].round);
        },
    };
}

/** @param {Model} model @param {number[]} strokes @param {(seat: number) => string} more to read out */
function strokesOf(model, strokes, more) {
    const least = Math.min(...strokes);
    const items = strokes.map((one, seat) =>
        h(
            "li",
            { class: one === least ? "is-least" : null },
            seatName(model, seat),
            ` ${one}`,
            h("span", { class: "unseen" }, more(seat)),
        ),
    );
    return h("ul", {}, ...items);
}

/** @returns {Panel} */
export function coursePanel() {
    const cursor = drawn("line", { class: "cursor", y1: 0, y2: HEIGHT });
    return {
        title: "The match at a glance",
        place: "below",
        mount(element, model) {
            const last = model.steps.length - 1;
            const rows = advantages(model);
            const far = rows.flat().reduce((most, one) => Math.max(most, Math.abs(one)), 1);
            const drawing = drawn(
                "svg",
                { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "course", "aria-hidden": "true" },
                ...roundsOf(model),
                ...linesOfSeats(model, rows, far),
                ...leadChanges(model).map(({ step }) => drawn("path", { class: "lead", d: `M${Math.min(x(model, step), WIDTH - 6) - 5},1 h10 l-5,10 z` })),
                cursor,
            );
            drawing.addEventListener("click", (event) => {
                const box = drawing.getBoundingClientRect();
                model.goTo(Math.round(((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width) * last));
            });
            const what = model.view === "open" ? "the totals and the cards on the table" : "the totals of the rounds that are over";
            const note = `By how many strokes each seat is ahead of the table's average: a low score is a high line. It counts ${what}. A triangle marks the end of a round in which the lead changed. Click to go there.`;
            const scale = [h("span", {}, `${far.toFixed(0)} ahead`), h("span", {}, "average"), h("span", {}, `${far.toFixed(0)} behind`)];
            element.append(h("div", { class: "course-box" }, drawing, h("div", { class: "scale", "aria-hidden": "true" }, ...scale), numbersOf(model)), keyOf(model), leadsOf(model), h("p", { class: "note" }, note));
        },
        show(model, number) {
            cursor.setAttribute("x1", String(x(model, number)));
            cursor.setAttribute("x2", String(x(model, number)));
        },
    };
}

/** @param {Model} model @param {number} step */
function x(model, step) {
    return (step / Math.max(1, model.steps.length - 1)) * WIDTH;
}

/** @param {Model} model */
function roundsOf(model) {
    const begins = [...starts(model.steps, "round"), model.steps.length - 1].map((step) => x(model, step));
    return begins.slice(1).map((right, number) => drawn("rect", { class: number % 2 ? "round odd" : "round", x: begins[number], y: 0, width: right - begins[number], height: HEIGHT }));
}

/**
 * The numbers of the rounds below the drawing, where they fit.
 * @param {Model} model
 */
function numbersOf(model) {
    const begins = starts(model.steps, "round");
    const few = Math.ceil(begins.length / 10);
    const numbers = begins.map((step, number) => {
        const one = h("span", {}, number % few ? "" : `${number ? "" : "Round "}${model.steps[step].round}`);
        one.style.left = `${x(model, step) / (WIDTH / 100)}%`;
        return one;
    });
    return h("div", { class: "numbers", "aria-hidden": "true" }, ...numbers);
}

/**
 * By step and seat, by how many strokes a seat is ahead of the average of the table; fewer strokes are ahead.
 * @param {Model} model
 */
function advantages(model) {
    return model.states.map(({ seats, playoff }) => {
        const strokes = seats.map(({ total, worth }) => total + (playoff ? 0 : worth ?? 0));
        const mean = strokes.reduce((sum, one) => sum + one, 0) / strokes.length;
        return strokes.map((one) => mean - one);
    });
}

/** @param {Model} model @param {readonly number[][]} rows @param {number} far the most strokes that a line shows */
function linesOfSeats(model, rows, far) {
    const y = (/** @type {number} */ value) => TOP + ((far - value) / (2 * far)) * (HEIGHT - TOP - 4);
    const lines = model.bots.map((_, seat) => {
        const points = rows.map((row, step) => `${x(model, step).toFixed(1)},${y(row[seat]).toFixed(1)}`).join(" ");
        return drawn("polyline", { class: `standing seat-line-${seat % 8}`, points });
    });
    return [drawn("line", { class: "average", x1: 0, x2: WIDTH, y1: y(0), y2: y(0) }), ...lines];
}

/** @param {Model} model */
function keyOf(model) {
    const entries = model.bots.map((_, seat) => {
        const line = drawn("line", { class: `standing seat-line-${seat % 8}`, x1: 0, x2: 40, y1: 4, y2: 4 });
        return h("li", {}, drawn("svg", { viewBox: "0 0 40 8", class: "key-line", "aria-hidden": "true" }, line), " ", seatName(model, seat));
    });
    return h("ul", { class: "key" }, ...entries);
}

/**
 * After which rounds another seat leads alone than before: the last step of the round, the seat, and by how many
 * strokes. A lead that is shared for a while changes when another seat leads alone. Highlights count the same way.
 * @param {Model} model
 */
function leadChanges({ document }) {
    let before = -1;
    return document.rounds.flatMap(({ last, totals, playoff }) => {
        const [best, second] = [...totals].sort((one, other) => one - other);
        if (playoff || best === second) return [];
        const [leader, had] = [totals.indexOf(best), before];
        before = leader;
        return had < 0 || had === leader ? [] : [{ step: last, leader, by: second - best }];
    });
}

/**
 * The changes of the lead as a list, each a way to its moment.
 * @param {Model} model
 */
function leadsOf(model) {
    const changes = leadChanges(model);
    if (!changes.length) return h("p", {}, "The lead never changed after a round.");
    const items = changes.map(({ step, leader, by }) =>
        h("li", {}, button({ class: "plain" }, () => model.goTo(step), `Round ${model.steps[step].round}`), ": ", seatName(model, leader), ` leads by ${counted(by, "stroke")}`),
    );
    return h("details", {}, h("summary", {}, `The lead changed ${counted(changes.length, "time")}, counted after each round`), h("ol", { class: "leads" }, ...items));
}
