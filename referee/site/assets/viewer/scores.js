/** How the match went: the points of every round, and a line for each seat from the first step to the last. */

import { button, drawn, h } from "./dom.js";
import { placeInWords, starts } from "./steps.js";
import { counted, seatMark, seatName, seatNames, who } from "./words.js";

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
                rows.set(round, h("li", {}, way, pointsOf(model, scores, (seat) => `, total ${totals[seat]}`)));
            }
            const end = h("li", { class: "end" }, h("b", {}, "Total"), pointsOf(model, model.document.totals, (seat) => `, rank ${model.document.ranks[seat]}`));
            element.append(h("p", { class: "note" }, "Points of each round. The lowest total wins."), h("ol", { class: "rounds" }, ...rows.values(), end));
        },
        show(model, number) {
            for (const [round, row] of rows) row.classList.toggle("is-current", round === model.steps[number].round);
        },
    };
}

/** @param {Model} model @param {number[]} points @param {(seat: number) => string} more to read out */
function pointsOf(model, points, more) {
    const least = Math.min(...points);
    const items = points.map((one, seat) =>
        h(
            "li",
            { class: one === least ? "is-least" : null },
            h("span", { "aria-hidden": "true" }, seatMark(seat), ` ${one}`),
            h("span", { class: "unseen" }, `${who(model, seat)}: ${one}${more(seat)}`),
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
            const drawing = drawn(
                "svg",
                { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "course", "aria-hidden": "true" },
                ...roundsOf(model),
                ...linesOfSeats(model),
                ...model.swings.map(({ step }) => drawn("path", { class: "lead", d: `M${x(model, step) - 5},1 h10 l-5,10 z` })),
                cursor,
            );
            drawing.addEventListener("click", (event) => {
                const box = drawing.getBoundingClientRect();
                model.goTo(Math.round(((/** @type {MouseEvent} */ (event).clientX - box.left) / box.width) * last));
            });
            const what = model.view === "open" ? "totals and what the cards on the table are worth at the moment" : "totals of the rounds that are over";
            const note = `A line that is higher is better: it shows by how many points a seat is ahead of the table's average, from its ${what}. A triangle marks a change of the lead. Click to go there.`;
            element.append(drawing, keyOf(model), leadsOf(model), h("p", { class: "note" }, note));
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
 * By step and seat, how many points better than the average of the table a seat stands; fewer points are better.
 * @param {Model} model
 */
function advantages(model) {
    return model.states.map(({ seats, playoff }) => {
        const points = seats.map(({ total, worth }) => total + (playoff ? 0 : worth ?? 0));
        const mean = points.reduce((sum, one) => sum + one, 0) / points.length;
        return points.map((one) => mean - one);
    });
}

/** @param {Model} model */
function linesOfSeats(model) {
    const rows = advantages(model);
    const most = rows.flat().reduce((most, one) => Math.max(most, Math.abs(one)), 1);
    const y = (/** @type {number} */ value) => TOP + ((most - value) / (2 * most)) * (HEIGHT - TOP - 4);
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
 * The changes of the lead as a list, each a way to its moment.
 * @param {Model} model
 */
function leadsOf(model) {
    const { swings } = model;
    const items = swings.map(({ step, leaders, by }) => {
        const lead = leaders.length > 1 ? " share the lead" : " leads";
        return h("li", {}, button({ class: "plain" }, () => model.goTo(step), placeInWords(model.steps[step])), ": ", ...seatNames(model, leaders), by ? `${lead} by ${counted(by, "point")}` : `${lead}: all are level`);
    });
    return h("details", {}, h("summary", {}, `The lead changed ${counted(swings.length, "time")}`), h("ol", { class: "leads" }, ...items));
}
