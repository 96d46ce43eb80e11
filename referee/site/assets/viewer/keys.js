/** The keyboard, and the page of help that lists it. */

import { button, h } from "./dom.js";
import { SPEEDS } from "./player.js";

/** @type {[string, string][]} */
const KEYS = [
    ["\u2192 and \u2190", "next and previous step"],
    ["Shift with \u2192 and \u2190", "next and previous turn"],
    ["Page Down and Page Up", "at the table, its buttons or the list: next and previous round"],
    ["Home and End", "there: start and end of the match"],
    ["w and Shift with w", "next and previous slap window"],
    ["p", "play and pause"],
    ["+ and -", "faster and slower"],
    ["Tab", "from the cards of one seat to the next, and to the buttons"],
    ["\u2191 and \u2193", "on a card: the other cards of that seat; in the list: the other steps"],
    ["?", "this help"],
    ["Escape", "closes the help"],
];

/** Keys by which a page is scrolled, and where they do something else as long as the focus is there. */
const SCROLLING = new Set(["PageDown", "PageUp", "Home", "End"]);
const TAKEN_IN = ".board, .controls, .log";

/**
 * Listens to the keys of the page.
 * @param {import("./controls.js").Deeds} deeds
 * @param {() => number} speed
 */
export function keyboard(deeds, speed) {
    const letters = h("input", { type: "checkbox", checked: true });
    const dialog = helpOf(letters);
    document.addEventListener("keydown", (event) => {
        if (!dialog.isConnected) return; // no match is shown yet
        if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || dialog.open) return;
        const target = /** @type {HTMLElement} */ (event.target);
        if (target.matches("select, textarea, input:not([type=range])")) return;
        if (target.matches("input[type=range]") && /^(Arrow|Home|End)/.test(event.key)) return;
        if (SCROLLING.has(event.key) && !target.closest(TAKEN_IN)) return;
        const does = deedOf(event, deeds, speed, letters.checked);
        if (!does) return;
        event.preventDefault();
        does();
    });
    return { dialog, open: () => dialog.showModal() };
}

/**
 * @param {KeyboardEvent} event
 * @param {import("./controls.js").Deeds} deeds
 * @param {() => number} speed
 * @param {boolean} withLetters
 * @returns {(() => void) | undefined}
 */
function deedOf(event, deeds, speed, withLetters) {
    const kind = event.shiftKey ? "turn" : "event";
    /** @type {Record<string, () => void>} */
    const named = {
        ArrowRight: () => deeds.move(kind, 1),
        ArrowLeft: () => deeds.move(kind, -1),
        PageDown: () => deeds.move("round", 1),
        PageUp: () => deeds.move("round", -1),
        Home: deeds.toStart,
        End: deeds.toEnd,
    };
    /** @type {Record<string, () => void>} */
    const lettered = {
        w: () => deeds.move("window", event.shiftKey ? -1 : 1),
        W: () => deeds.move("window", event.shiftKey ? -1 : 1), // with Caps Lock, too
        p: deeds.toggle,
        "+": () => deeds.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, SPEEDS.indexOf(speed()) + 1)]),
        "-": () => deeds.setSpeed(SPEEDS[Math.max(0, SPEEDS.indexOf(speed()) - 1)]),
        "?": deeds.help,
    };
    return named[event.key] ?? (withLetters ? lettered[event.key] : undefined);
}

/**
 * @param {HTMLInputElement} letters
 * @returns {HTMLDialogElement}
 */
function helpOf(letters) {
    const rows = KEYS.map(([key, does]) => h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, does)));
    const close = button({}, () => dialog.close(), "Close");
    /** @type {HTMLDialogElement} */
    const dialog = h(
        "dialog",
        { class: "help", "aria-label": "keys and help" },
        h("h2", {}, "Keys"),
        h("table", {}, h("tbody", {}, ...rows)),
        h("p", {}, h("label", {}, letters, " letters and signs work as keys on this page")),
        h("h2", {}, "What you see"),
        h("p", {}, "A hatched card lies face down. A hatched card with a dashed label is face down too, but this view knows it. The small numbers at the foot of a card are the seats that know it."),
        h("p", {}, "The address of the page names the moment that is shown, as in #r3t12 for round 3, turn 12. Copy it to share the moment."),
        close,
    );
    return dialog;
}
