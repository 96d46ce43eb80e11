/** Every way through the match: buttons, slider, keys, and playing by itself. */

import { button, h, say } from "./dom.js";
import { legend } from "./seat.js";
import { stepInWords } from "./steps.js";

/** @typedef {import("./steps.js").Kind} Kind */

const SPEEDS = [0.5, 1, 2, 4, 8];

/** How long a step is shown at speed 1, in milliseconds. */
const STEP_MS = 1400;

/** @type {[string, string][]} */
const KEYS = [
    ["\u2192 and \u2190", "next and previous step"],
    ["Shift with \u2192 and \u2190", "next and previous turn"],
    ["Page Down and Page Up", "at the table, its buttons or the list: next and previous round"],
    ["Home and End", "there: start and end of the match"],
    ["w and Shift with w", "next and previous slap window"],
    ["p", "play and pause"],
    ["+ and -", "faster and slower"],
    ["n", "show and hide the numbers of seats and slots"],
    ["Tab", "from the cards of one seat to the next, and to the buttons"],
    ["\u2191 and \u2193", "on a card: the other cards of that seat; in the list: the other steps"],
    ["?", "this help"],
    ["Escape", "closes the help"],
];

/**
 * How far the controls are unfolded on a phone, with the sign and the name of the button that leads to the next.
 * @type {Record<string, [string, string]>}
 */
const FOLDS = { row: ["\u22EF", "all controls"], all: ["\u2304", "fold the controls away"], away: ["\u2303", "show the controls"] };

/** Keys by which a page is scrolled, and where they do something else as long as the focus is there. */
const SCROLLING = new Set(["PageDown", "PageUp", "Home", "End"]);
const TAKEN_IN = ".board, .controls, .log";

/**
 * The controls of whatever match is shown, of which `ways` has the numbers of the steps by kind.
 * @param {{current: () => number, last: () => number, ways: (kind: Kind) => readonly number[], move: (kind: Kind, direction: 1 | -1) => void, goTo: (number: number) => void}} match
 */
export function controlsOf(match) {
    let timer = 0;
    const slider = h("input", { type: "range", min: 0, step: 1, "aria-label": "step of the match" });
    const play = button({ class: "play", "aria-label": "play" }, toggle, "\u25B6\uFE0E");
    const speed = h("select", { "aria-label": "speed" }, ...SPEEDS.map((one) => h("option", { value: one, selected: one === 1 }, `${one}\u00D7`)));
    const letters = h("input", { type: "checkbox", checked: true });
    const help = helpOf(letters);
    const folds = Object.keys(FOLDS);
    const pairs = [pairOf("turn", "turn"), pairOf("window", "slap window"), pairOf("round", "round")];
    const more = h("div", { class: "more" }, ...pairs.map((pair) => pair.element), speed, button({ "aria-label": "keys and help" }, () => help.showModal(), "?"));
    const fold = button({ class: "fold" }, () => setFold(folds[(folds.indexOf(element.dataset.fold ?? "") + 1) % folds.length]));
    const row = [play, stepButton(-1, "previous step", "\u25C0\uFE0E"), slider, stepButton(1, "next step", "\u25B6\uFE0E"), fold];
    const element = h("div", { class: "controls", role: "group", "aria-label": "ways through the match" }, h("div", { class: "row" }, ...row), more);
    slider.addEventListener("input", () => goTo(Number(slider.value)));
    document.addEventListener("keydown", pressed);
    setFold("row");

    /** @param {string} name */
    function setFold(name) {
        element.dataset.fold = name;
        [fold.textContent, fold.ariaLabel] = FOLDS[name];
    }

    /** @param {1 | -1} direction @param {string} name @param {string} sign */
    function stepButton(direction, name, sign) {
        return button({ "aria-label": name }, () => move("step", direction), sign);
    }

    /** @param {Kind} kind @param {string} name */
    function pairOf(kind, name) {
        const back = button({ "aria-label": `previous ${name}` }, () => move(kind, -1), "\u25C0\uFE0E");
        const ahead = button({ "aria-label": `next ${name}` }, () => move(kind, 1), "\u25B6\uFE0E");
        return { kind, element: h("div", { class: "pair", role: "group", "aria-label": `by ${name}` }, back, h("span", { "aria-hidden": "true" }, name.replace(" window", "")), ahead) };
    }

    function stop() {
        window.clearTimeout(timer);
        timer = 0;
        say(play, "\u25B6\uFE0E");
        play.setAttribute("aria-label", "play");
    }

    function tick() {
        if (match.current() >= match.last()) return stop();
        match.goTo(match.current() + 1);
        timer = window.setTimeout(tick, STEP_MS / Number(speed.value));
    }

    function toggle() {
        if (timer) return stop();
        if (match.current() === match.last()) match.goTo(0);
        say(play, "\u275A\u275A");
        play.setAttribute("aria-label", "pause");
        timer = window.setTimeout(tick, STEP_MS / Number(speed.value));
    }

    /** @param {number} number */
    function goTo(number) {
        stop();
        match.goTo(number);
    }

    /** @param {Kind} kind @param {1 | -1} direction */
    function move(kind, direction) {
        stop();
        match.move(kind, direction);
    }

    /** @param {1 | -1} by */
    function setSpeed(by) {
        speed.selectedIndex = Math.min(SPEEDS.length - 1, Math.max(0, speed.selectedIndex + by));
    }

    /** @param {KeyboardEvent} event */
    function pressed(event) {
        if (!element.isConnected || help.open || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
        const target = /** @type {HTMLElement} */ (event.target);
        if (target.matches("select, textarea, input:not([type=range])")) return;
        if (target === slider && /^(Arrow|Home|End)/.test(event.key)) return;
        if (SCROLLING.has(event.key) && !target.closest(TAKEN_IN)) return;
        const does = actionOf(event);
        if (!does) return;
        event.preventDefault();
        does();
    }

    /** @param {KeyboardEvent} event @returns {(() => unknown) | undefined} */
    function actionOf({ key, shiftKey }) {
        const kind = shiftKey ? "turn" : "step";
        /** @type {Record<string, () => void>} */
        const named = {
            ArrowRight: () => move(kind, 1),
            ArrowLeft: () => move(kind, -1),
            PageDown: () => move("round", 1),
            PageUp: () => move("round", -1),
            Home: () => goTo(0),
            End: () => goTo(match.last()),
        };
        /** @type {Record<string, () => unknown>} */
        const lettered = { w: () => move("window", shiftKey ? -1 : 1), p: toggle, n: () => document.body.classList.toggle("has-numbers"), "+": () => setSpeed(1), "-": () => setSpeed(-1), "?": () => help.showModal() };
        return named[key] ?? (letters.checked ? lettered[key.toLowerCase()] : undefined);
    }

    return {
        element,
        help,
        goTo,
        stop,
        /** Another match is shown. */
        open() {
            stop();
            slider.max = String(match.last());
            for (const pair of pairs) pair.element.hidden = !match.ways(pair.kind).length;
        },
        /** @param {Model} model @param {number} number */
        show(model, number) {
            slider.value = String(number);
            slider.setAttribute("aria-valuetext", stepInWords(model, number));
        },
    };
}

/** @param {HTMLInputElement} letters whether letters work as keys @returns {HTMLDialogElement} */
function helpOf(letters) {
    const rows = KEYS.map(([key, does]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, does)));
    /** @type {HTMLDialogElement} */
    const dialog = h(
        "dialog",
        { class: "help", "aria-label": "keys and help" },
        h("h2", {}, "Keys"),
        h("dl", {}, ...rows),
        h("p", {}, h("label", {}, letters, " letters and signs work as keys on this page")),
        h("h2", {}, "What you see"),
        legend(),
        h("p", {}, "Touch a card to read who knows it and since when. Its slot has a number, which n shows."),
        h("p", {}, "The address of the page names the moment that is shown, as in #r3t12 for round 3, turn 12. Copy it to share the moment: the page opens two steps before it."),
        button({}, () => dialog.close(), "Close"),
    );
    return dialog;
}
