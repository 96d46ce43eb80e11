/** The buttons, the slider and the speed: every way through the match, with the key that does the same. */

import { button, h, say } from "./dom.js";
import { SPEEDS } from "./player.js";
import { stepInWords } from "./steps.js";

/**
 * What can be asked for. `move` takes how far and by what; see app.js.
 * @typedef {object} Deeds
 * @property {(kind: import("./steps.js").Kind, direction: 1 | -1) => void} move
 * @property {(number: number) => void} goTo
 * @property {() => void} toStart
 * @property {() => void} toEnd
 * @property {() => void} toggle
 * @property {(factor: number) => void} setSpeed
 * @property {() => void} help
 */

/** @type {[import("./steps.js").Kind, string][]} */
const WAYS = [["event", "step"], ["turn", "turn"], ["window", "slap window"], ["round", "round"]];

/**
 * @param {Model} model
 * @param {Deeds} deeds
 * @param {ReadonlySet<string>} kinds what this match has of turns, windows and rounds
 * @param {HTMLElement} about stands above them
 */
export function controlsOf(model, deeds, kinds, about) {
    const last = model.steps.length - 1;
    const slider = h("input", { type: "range", min: 0, max: last, value: 0, step: 1, "aria-label": "step of the match" });
    slider.addEventListener("input", () => deeds.goTo(Number(slider.value)));
    const play = button({ class: "play", "aria-label": "play" }, deeds.toggle, "\u25B6\uFE0E");
    const speed = h("select", { "aria-label": "speed" }, ...SPEEDS.map((one) => h("option", { value: one, selected: one === 1 }, `${one}\u00D7`)));
    speed.addEventListener("change", () => deeds.setSpeed(Number(speed.value)));
    const rows = WAYS.filter(([kind]) => kinds.has(kind)).map(([kind, name]) =>
        h(
            "div",
            { class: "pair", role: "group", "aria-label": `by ${name}` },
            button({ "aria-label": `previous ${name}` }, () => deeds.move(kind, -1), "\u25C0\uFE0E"),
            h("span", { "aria-hidden": "true" }, name.replace(" window", "")),
            button({ "aria-label": `next ${name}` }, () => deeds.move(kind, 1), "\u25B6\uFE0E"),
        ),
    );
    const element = h(
        "div",
        { class: "controls", role: "group", "aria-label": "ways through the match" },
        about,
        h("div", { class: "line-of-time" }, button({ "aria-label": "to the start" }, deeds.toStart, "|\u25C0\uFE0E"), slider, button({ "aria-label": "to the end" }, deeds.toEnd, "\u25B6\uFE0E|")),
        h("div", { class: "buttons" }, play, speed, ...rows, button({ class: "help-button", "aria-label": "keys and help" }, deeds.help, "?")),
    );

    /** @param {number} number */
    function show(number) {
        slider.value = String(number);
        slider.setAttribute("aria-valuetext", stepInWords(model, number));
    }

    /** @param {boolean} isPlaying */
    function setPlaying(isPlaying) {
        say(play, isPlaying ? "\u275A\u275A" : "\u25B6\uFE0E");
        play.setAttribute("aria-label", isPlaying ? "pause" : "play");
    }

    /** @param {number} factor */
    function setSpeed(factor) {
        speed.value = String(factor);
    }

    return { element, show, setPlaying, setSpeed };
}
