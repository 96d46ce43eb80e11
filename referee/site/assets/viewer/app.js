/** Starts the viewer: opens the view and the moment that the address names, and keeps the address current. */

import { boardOf } from "./board.js";
import { captionOf } from "./caption.js";
import { controlsOf } from "./controls.js";
import { h, say } from "./dom.js";
import { faultsPanel, logPanel } from "./log.js";
import { golfref, unpacked } from "./receive.js";
import { coursePanel, scoresPanel } from "./scores.js";
import { slapsPanel } from "./slow_motion.js";
import { modelOf } from "./states.js";
import { beside, momentIn, starts } from "./steps.js";
import { wirePanel } from "./wire.js";

/** How long a moment is shown before the address names it, in milliseconds: browsers refuse frequent changes. */
const ADDRESS_MS = 150;

/** How many steps before the moment of its address a match opens, so that the reader sees how it comes. */
const BEFORE = 2;

/** @param {HTMLElement} place where the viewer goes */
async function start(place) {
    const message = h("p", { class: "warn", role: "alert", hidden: true });
    const choice = /** @type {HTMLSelectElement} */ (document.getElementById("view"));
    const stage = stageOf(moved);
    let at = "";
    let timer = 0;

    /** @param {string} moment */
    function moved(moment) {
        window.clearTimeout(timer);
        if (at) {
            complain("");
            timer = window.setTimeout(() => momentIn(location.hash) !== at && history.replaceState(null, "", `#${at}`), ADDRESS_MS);
        }
        at = moment;
    }

    /** @param {string} text */
    function complain(text) {
        say(message, text);
        message.hidden = text === "";
    }

    /** @param {Model} model */
    function askedStep({ moments }) {
        const name = momentIn(location.hash);
        if (name && name !== place.id && !moments.has(name)) complain(`This match has no moment that is called ${name}.`);
        return moments.get(name);
    }

    /**
     * The step with which a view opens: where the reader was, or a little before the moment of the address, or the end.
     * @param {Model} model
     */
    function openingOf(model) {
        return model.moments.get(at) ?? (askedStep(model) ?? model.steps.length - 1 + BEFORE) - BEFORE;
    }

    /** @param {string} name */
    async function openView(name) {
        try {
            golfref.shown = modelOf(await unpacked(name));
            stage.open(golfref.shown, openingOf(golfref.shown));
        } catch (error) {
            complain(`The match cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
        }
    }

    place.replaceChildren(message, stage.element);
    const asked = new URLSearchParams(location.search).get("view");
    if (Array.from(choice.options, (one) => one.value).includes(asked ?? "")) choice.value = asked ?? "";
    await openView(choice.value);
    window.addEventListener("hashchange", () => {
        const asked = golfref.shown ? askedStep(golfref.shown) : undefined;
        if (asked !== undefined) stage.goTo(asked);
    });
    for (const link of document.querySelectorAll(".skip-link")) link.addEventListener("click", (event) => (event.preventDefault(), place.focus()));
    choice.addEventListener("change", () => {
        history.replaceState(null, "", `?view=${choice.value}${location.hash}`);
        void openView(choice.value);
    });
}

/** @typedef {import("./steps.js").Kind} Kind */

/**
 * Caption, table, controls and panels of a match, and the step that they show.
 * @param {(at: string) => void} moved called with the name of each moment that is shown
 */
function stageOf(moved) {
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
        /** @param {Model} next @param {number} number */
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

document.addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("viewer");
    if (place) void start(place);
});
