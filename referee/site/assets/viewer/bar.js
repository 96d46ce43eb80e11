/** The bar of the match: how each seat stands from the first step to the last, the rounds, and where the lead changed. */

import { button, drawn, h } from "./dom.js";
import { seatName } from "./pieces.js";
import { placeInWords, starts } from "./steps.js";
import { advantages, standings } from "./swings.js";

const WIDTH = 1000;
const HEIGHT = 200;
const TOP = 18;
const MOST_LEADS = 200;

/** @returns {Panel} */
export function barPanel() {
    /** @type {SVGElement} */
    let cursor;
    return {
        title: "The match at a glance",
        mount(element, model) {
            const points = standings(model);
            cursor = drawn("line", { class: "cursor", y1: 0, y2: HEIGHT });
            const drawing = drawn(
                "svg",
                { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "bar", "aria-hidden": "true" },
                ...roundsOf(model),
                ...standingLines(points),
                ...model.swings.map(({ step }) => leadMark(x(step, points.length))),
                cursor,
            );
            drawing.addEventListener("click", (event) => {
                const box = drawing.getBoundingClientRect();
                const share = (/** @type {MouseEvent} */ (event).clientX - box.left) / box.width;
                model.goTo(Math.min(points.length - 1, Math.max(0, Math.round(share * (points.length - 1)))));
            });
            element.append(h("p", { class: "note" }, explained(model)), drawing, legendOf(model), asText(model));
        },
        show(model, number) {
            const at = x(number, model.steps.length);
            cursor.setAttribute("x1", String(at));
            cursor.setAttribute("x2", String(at));
        },
    };
}

/**
 * @param {Model} model
 * @returns {string}
 */
function explained(model) {
    const what = model.view === "open" ? "totals and what the cards on the table are worth at the moment" : "totals of the rounds that are over";
    return `A line that is higher is better: it shows by how many points a seat is ahead of the table's average, from its ${what}. A triangle marks a change of the lead. Click to go there.`;
}

/**
 * @param {number} step
 * @param {number} count
 * @returns {number}
 */
function x(step, count) {
    return count > 1 ? (step / (count - 1)) * WIDTH : 0;
}

/**
 * @param {Model} model
 * @returns {SVGElement[]}
 */
function roundsOf(model) {
    const begins = starts(model.steps, "round");
    return begins.map((from, number) => {
        const left = x(from, model.steps.length);
        const right = number + 1 < begins.length ? x(begins[number + 1], model.steps.length) : WIDTH;
        return drawn("rect", { class: number % 2 ? "round odd" : "round", x: left, y: 0, width: right - left, height: HEIGHT });
    });
}

/**
 * @param {readonly number[][]} points
 * @returns {SVGElement[]}
 */
function standingLines(points) {
    const rows = advantages(points);
    const most = rows.flat().reduce((most, one) => Math.max(most, Math.abs(one)), 1);
    const y = (/** @type {number} */ value) => TOP + ((most - value) / (2 * most)) * (HEIGHT - TOP - 4);
    const middle = drawn("line", { class: "average", x1: 0, x2: WIDTH, y1: y(0), y2: y(0) });
    const lines = points[0].map((_, seat) => {
        const path = rows.map((row, step) => `${x(step, rows.length).toFixed(1)},${y(row[seat]).toFixed(1)}`).join(" ");
        return drawn("polyline", { class: `standing seat-line-${seat % 8}`, points: path });
    });
    return [middle, ...lines];
}

/**
 * @param {number} at
 * @returns {SVGElement}
 */
function leadMark(at) {
    return drawn("path", { class: "lead", d: `M${at - 5},1 h10 l-5,10 z` });
}

/**
 * Which line is whose.
 * @param {Model} model
 * @returns {HTMLElement}
 */
function legendOf(model) {
    const entries = model.bots.map((_, seat) => {
        const line = drawn("svg", { viewBox: "0 0 40 8", class: "key-line", "aria-hidden": "true" }, drawn("line", { class: `standing seat-line-${seat % 8}`, x1: 0, x2: 40, y1: 4, y2: 4 }));
        return h("li", {}, line, " ", seatName(model, seat));
    });
    return h("ul", { class: "key" }, ...entries);
}

/**
 * The changes of the lead as a list, each a way to its moment.
 * @param {Model} model
 * @returns {HTMLElement}
 */
function asText(model) {
    const items = model.swings.slice(0, MOST_LEADS).map(({ step, leaders, by }) => {
        const way = button({ class: "plain" }, () => model.goTo(step), placeInWords(model.steps[step]));
        const names = leaders.flatMap((seat, number) => [...(number ? [", "] : []), seatName(model, seat)]);
        const lead = leaders.length > 1 ? " share the lead" : " leads";
        return h("li", {}, way, ": ", ...names, by ? `${lead} by ${by} ${by === 1 ? "point" : "points"}` : `${lead}: all are level`);
    });
    const left = model.swings.length - items.length;
    const count = model.swings.length;
    return h(
        "details",
        {},
        h("summary", {}, `The lead in words: it changed ${count} ${count === 1 ? "time" : "times"}`),
        h("ol", { class: "leads" }, ...items, left > 0 && h("li", {}, `and ${left} more`)),
    );
}
