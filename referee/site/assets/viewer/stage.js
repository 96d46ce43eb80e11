/** A match on the page: caption, table, controls and panels, and the step that they show. */

import { boardOf } from "./board.js";
import { captionOf } from "./caption.js";
import { controlsOf } from "./controls.js";
import { h } from "./dom.js";
import { faultsPanel } from "./faults.js";
import { logPanel } from "./log.js";
import { coursePanel, scoresPanel } from "./scores.js";
import { slapsPanel } from "./slow_motion.js";
import { beside, starts } from "./steps.js";
import { wirePanel } from "./wire.js";

/** @typedef {import("./steps.js").Kind} Kind */

/** @param {(at: string) => void} moved called with the name of each moment that is shown */
export function stageOf(moved) {
    const element = h("div", { class: "stage" });
    /** @type {Model} */
    let model;
    /** @type {Map<Kind, number[]>} */
    let ways = new Map();
    /** @type {((number: number) => void)[]} */
    let shows = [];
    let current = 0;
    const last = () => model.steps.length - 1;
    const numbersOf = (/** @type {Kind} */ kind) => ways.get(kind) ?? [];
    const controls = controlsOf({ current: () => current, last, ways: numbersOf, move, goTo });

    /** @param {Kind} kind @param {1 | -1} direction */
    function move(kind, direction) {
        if (numbersOf(kind).length) goTo(beside(numbersOf(kind), current, direction) ?? (direction > 0 ? last() : 0));
    }

    /** @param {number} number */
    function goTo(number) {
        current = Math.min(last(), Math.max(0, number));
        for (const show of shows) show(current);
        moved(model.steps[current].at);
    }

    return {
        element,
        goTo: controls.goTo,
        /**
         * Shows another match or view, at a step.
         * @param {Model} next @param {number} number
         */
        open(next, number) {
            model = next;
            model.goTo = controls.goTo;
            ways = new Map((/** @type {Kind[]} */ (["step", "turn", "window", "round"])).map((kind) => [kind, starts(model.steps, kind)]));
            const [caption, board] = [captionOf(model), boardOf(model)];
            const panels = [slapsPanel(), logPanel(), scoresPanel(), faultsPanel(), coursePanel(), wirePanel()].flatMap((panel) => mounted(panel, model) ?? []);
            const at = (/** @type {Panel["place"]} */ place) => panels.filter((panel) => panel.place === place).map((panel) => panel.element);
            shows = [caption.show, board.show, (one) => controls.show(model, one), ...panels.map((panel) => panel.show)];
            controls.open();
            const dock = h("div", { class: "dock" }, board.about, controls.element);
            const main = h("section", { class: "main", "aria-label": "the table" }, h("h2", { class: "unseen" }, "The table"), caption.element, board.element, dock);
            element.replaceChildren(h("div", { class: "near" }, main, ...at("near")), h("div", { class: "beside" }, ...at("beside")), h("div", { class: "below" }, ...at("below")), controls.help);
            controls.goTo(number);
        },
    };
}

/** @param {Panel} panel @param {Model} model */
function mounted(panel, model) {
    const body = h("div", { class: "panel-body" });
    if (panel.mount(body, model) === false) return null;
    const element = h("section", { class: "panel", "aria-label": panel.title }, h("h2", {}, panel.title), body);
    return { element, place: panel.place, show: (/** @type {number} */ number) => panel.show(model, number) };
}
