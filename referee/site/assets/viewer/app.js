/** Starts the viewer: opens the view and the moment that the address names, and keeps the address current. */

import { h, say } from "./dom.js";
import { golfref, unpacked } from "./receive.js";
import { stageOf } from "./stage.js";
import { modelOf } from "./states.js";
import { momentIn } from "./steps.js";

/** How long the address stays as it is after a change, in milliseconds: browsers refuse more than 20 changes a second. */
const ADDRESS_MS = 150;

/**
 * @param {HTMLElement} place where the viewer goes
 */
async function start(place) {
    const message = h("p", { class: "warn", role: "alert", hidden: true });
    const stage = stageOf(moved);
    const keepAddress = rarely((/** @type {string} */ at) => {
        if (momentIn(location.hash) !== at) history.replaceState(null, "", `#${at}`);
    });

    /** @param {string} at */
    function moved(at) {
        complain("");
        keepAddress(at);
    }

    /** @param {string} text */
    function complain(text) {
        say(message, text);
        message.hidden = text === "";
    }

    /** Goes to the moment that the address names, or to the start where the match has none of that name. */
    function goToAsked() {
        if (golfref.shown === null) return;
        const name = momentIn(location.hash);
        const found = name && name !== place.id ? golfref.shown.moments.get(name) : 0;
        stage.goTo(found ?? 0);
        if (found === undefined) complain(`This match has no moment that is called ${name}. Here is its start.`);
    }

    /**
     * Shows a view at the moment that the address names.
     * @param {string} name
     */
    async function openView(name) {
        try {
            golfref.shown = modelOf(await unpacked(name));
            stage.open(golfref.shown);
            goToAsked();
            buttons.forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.view === name)));
        } catch (error) {
            complain(`The match cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
        }
    }

    const buttons = /** @type {HTMLElement[]} */ (all("button[data-view]"));
    place.replaceChildren(message, stage.element);
    await openView(askedView(buttons) ?? place.dataset.view ?? "public");
    window.addEventListener("hashchange", goToAsked);
    all(".skip-link").forEach((link) => link.addEventListener("click", (event) => (event.preventDefault(), place.focus())));
    buttons.forEach((one) =>
        one.addEventListener("click", () => {
            history.replaceState(null, "", `?view=${one.dataset.view}${location.hash}`);
            void openView(one.dataset.view ?? "");
        }),
    );
}

/**
 * The view that the address names, as in `index.html?view=seat0#r3t12`, if the page has it.
 * @param {HTMLElement[]} buttons
 * @returns {string | undefined}
 */
function askedView(buttons) {
    const name = new URLSearchParams(location.search).get("view");
    return buttons.find((one) => one.dataset.view === name)?.dataset.view;
}

/**
 * @param {string} selector
 * @returns {Element[]}
 */
function all(selector) {
    return Array.from(document.querySelectorAll(selector));
}

/**
 * Calls a function at once, but not again before some time has passed; then with the latest value.
 * @template T
 * @param {(value: T) => void} does
 * @returns {(value: T) => void}
 */
function rarely(does) {
    let isWaiting = false;
    /** @type {{value: T} | null} */
    let latest = null;
    function next() {
        isWaiting = latest !== null;
        if (latest === null) return;
        does(latest.value);
        latest = null;
        window.setTimeout(next, ADDRESS_MS);
    }
    return (value) => {
        latest = { value };
        if (!isWaiting) next();
    };
}

document.addEventListener("DOMContentLoaded", () => {
    const place = document.getElementById("viewer");
    if (place) void start(place);
});
