/** Starts the viewer: opens the view and the moment that the address names, and keeps the address current. */

import { h, say } from "./dom.js";
import { golfref, unpacked } from "./receive.js";
import { stageOf } from "./stage.js";
import { modelOf } from "./states.js";
import { momentIn } from "./steps.js";

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

    /**
     * The step with which a view opens: where the reader was, or a little before the moment of the address, or the end.
     * @param {Model} model
     */
    function openingOf({ moments, steps }) {
        if (at) return moments.get(at) ?? 0;
        const name = momentIn(location.hash);
        const asked = moments.get(name);
        if (asked !== undefined) return asked - BEFORE;
        if (name && name !== place.id) complain(`This match has no moment that is called ${name}. Here is its end.`);
        return steps.length - 1;
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
        const asked = golfref.shown?.moments.get(momentIn(location.hash));
        if (asked !== undefined) stage.goTo(asked);
    });
    for (const link of document.querySelectorAll(".skip-link")) link.addEventListener("click", (event) => (event.preventDefault(), place.focus()));
    choice.addEventListener("change", () => {
        history.replaceState(null, "", `?view=${choice.value}${location.hash}`);
        void openView(choice.value);
    });
}

document.addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("viewer");
    if (place) void start(place);
});
