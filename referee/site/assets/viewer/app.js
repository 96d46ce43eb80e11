/** Starts the viewer: reads which view the page is for, opens the moment of the address, and keeps the address current. */

import { h, say } from "./dom.js";
import { golfref, received, unpacked, unpackedLater } from "./receive.js";
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
    let view = place.dataset.view ?? "public";

    /** @param {string} at */
    function moved(at) {
        complain("");
        keepAddress(at);
        all("a[data-view]").forEach((link) => {
            const address = link.getAttribute("href") ?? "";
            link.setAttribute("href", `${address.split("#")[0]}#${at}`);
        });
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
     * Shows a view, unless another one is asked for before its document is there.
     * @param {string} name
     */
    async function openView(name) {
        view = name;
        try {
            const shared = await unpacked("public");
            const own = name === "public" ? null : await unpacked(name);
            if (view !== name) return;
            golfref.shown = modelOf(shared, own, (seat) => wireOf(own, seat));
            stage.open(golfref.shown);
            goToAsked();
            buttons.forEach((one) => one.setAttribute("aria-pressed", String(one.getAttribute("data-view") === name)));
        } catch (error) {
            const what = error instanceof Error ? error.message : String(error);
            if (view === name) complain(`The match cannot be shown: ${what} (arrived: ${received().join(", ") || "nothing"}).`);
        }
    }

    const buttons = all("button[data-view]");
    all("a[data-view][aria-current]").forEach((one) => one.parentElement?.parentElement?.scrollTo({ left: /** @type {HTMLElement} */ (one).offsetLeft - 80 }));
    place.replaceChildren(message, stage.element);
    await openView(view);
    window.addEventListener("hashchange", goToAsked);
    all(".skip-link").forEach((link) => link.addEventListener("click", (event) => (event.preventDefault(), place.focus())));
    buttons.forEach((one) => one.addEventListener("click", () => void openView(one.getAttribute("data-view") ?? "public")));
}

/**
 * The wire of a seat, where the view may know it. Those of the open view stand in the files of the seats, which are large.
 * @param {Additions | null} own
 * @param {number} seat
 * @returns {Promise<Wire | undefined>}
 */
async function wireOf(own, seat) {
    const holder = own?.view === "open" ? await unpackedLater(`seat${seat}`) : own;
    return holder?.wires.find((/** @type {Wire} */ one) => one.seat === seat);
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
