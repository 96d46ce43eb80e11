/** The slap window in slow motion: a track for each seat, on which its answer moves to the right. */

import { button, fill, h, say } from "./dom.js";
import { beatsOf, fastestOf, finishInWords, lanesOf, lengthOf, orderInWords, photoFinishes, slownessOf, windowAt, windowInWords } from "./slaps.js";
import { cardInText, seatName, timeInWords } from "./words.js";

/** @typedef {import("./slaps.js").Lane} Lane */
/** @typedef {import("./slaps.js").Beat} Beat */

const NO_TIMES = "How long the bots took stands in the view of all cards, and in that of each seat for itself. Here is what everybody saw.";

const HOW_TIMED =
    "One bot after another is asked, in an order drawn for the window, while all else that the referee runs is stopped. The clock runs from the moment at which the bot may go on, with the window before it, until its answer has arrived: that is what was measured. The time for which the bot waited for a core of the machine is taken off, but never so much that less would be left than what the bot computed itself. What is left counts.";

const SIGNS_ON_TRACKS =
    "A solid bar is the time that counts, a hatched one behind it is what was taken off. A diamond is a slap, a ring a pass, a cross a fault. A dotted stretch is a photo finish. Answers slower than the slowest slap end at the right edge, with an arrow.";

/** @type {Partial<Record<Lane["did"], string>>} */
const MARKS = { slap: "\u25C6", pass: "\u25CB", fault: "\u2715" };

/** @returns {Panel} */
export function slapsPanel() {
    const body = h("div", { class: "slap-window" });
    /** @type {SlapWindow | null | undefined} */
    let shown;
    let stop = () => {};
    return {
        title: "The slap window",
        place: "near",
        mount(element, model) {
            if (!model.windows.length) return false;
            element.append(body, listOfWindows(model));
        },
        show(model, number) {
            const slaps = windowAt(model, number);
            if (slaps && slaps === shown) return;
            stop();
            shown = slaps;
            const race = slaps ? raceOf(model, slaps) : { stop() {}, elements: [noWindow(model, number)] };
            stop = race.stop;
            fill(body, ...race.elements);
        },
    };
}

/** @param {Model} model @param {number} number */
function noWindow(model, number) {
    const next = model.windows.find((one) => one.step > number);
    return h("p", { class: "note" }, "No slap window is open at this step. ", next && button({ class: "plain" }, () => model.goTo(next.step), `Go to the next one: ${windowInWords(next)}`));
}

/** @param {Model} model */
function listOfWindows(model) {
    const some = model.windows.filter((one) => one.slaps?.length || one.order?.length);
    if (!some.length) return h("p", { class: "note" }, "Nobody slapped in this match.");
    const items = some.map((one) => h("li", {}, button({ class: "plain" }, () => model.goTo(one.step), windowInWords(one))));
    return h("details", {}, h("summary", {}, `Windows with slaps (${some.length} of ${model.windows.length})`), h("ol", { class: "list-of-windows" }, ...items));
}

/** @param {Model} model @param {SlapWindow} slaps */
function raceOf(model, slaps) {
    const lanes = lanesOf(model, slaps);
    const beats = beatsOf(model, slaps, lanes);
    const length = lengthOf(slaps, lanes);
    const hasTimes = lanes.some(({ time }) => time !== null);
    const views = lanes.map((lane) => laneView(model, slaps, lanes, lane, beats));
    const finishes = photoFinishes(slaps).map((group) => h("p", { class: "finish" }, finishInWords(model, slaps, lanes, group)));
    const firstFinish = beats.findIndex((one) => one.isFinish);
    const now = h("p", { class: "beat", role: "status" });
    const place = h("span", { class: "note" });
    const name = hasTimes ? "Play in slow motion" : "Play";
    const play = button({ class: "play-slowly" }, () => motion.toggle(), name);
    const motion = motionOf(beats, shown, (isPlaying) => say(play, isPlaying ? "Pause" : name));

    /** @param {number} beat @param {number} time @param {boolean} isNew whether the beat has just begun */
    function shown(beat, time, isNew) {
        for (const view of views) view.show(beat, time);
        finishes.forEach((one, number) => (one.hidden = beat < firstFinish + number));
        if (!isNew) return;
        say(place, `Moment ${beat + 1} of ${beats.length}`);
        say(now, beats[beat].words);
        const { step } = beats[beat];
        if (step !== undefined) model.goTo(step);
    }

    const howSlow = slaps.slap_order === "reaction" ? "Each bot was timed by itself; here all start together. " : "";
    const elements = [
        h("p", {}, seatName(model, slaps.discarder), " has discarded ", cardInText(slaps.discard), `. Who has a card of the same rank may slap it onto the pile. ${orderInWords(slaps)}`),
        slaps.disturbed && h("p", { class: "warn" }, `The times of this window are in doubt: ${slaps.disturbed}.`),
        h(
            "div",
            { class: "buttons", role: "group", "aria-label": "slow motion of this window" },
            play,
            button({ "aria-label": "previous moment of the window" }, () => motion.go(-1), "\u25C0\uFE0E"),
            button({ "aria-label": "next moment of the window" }, () => motion.go(1), "\u25B6\uFE0E"),
            button({}, () => motion.go(beats.length), "Show all"),
            place,
        ),
        now,
        h("ol", { class: "lanes", role: "list" }, ...views.map((view) => view.element)),
        ...finishes,
        h("p", { class: "note" }, hasTimes ? `The tracks are ${timeInWords(length)} long. ${howSlow}The slow motion is about ${slownessOf(length).toLocaleString("en")} times slower.` : NO_TIMES),
        hasTimes && h("details", {}, h("summary", {}, "How slaps are timed"), h("p", {}, HOW_TIMED), h("p", {}, SIGNS_ON_TRACKS)),
    ];
    for (const view of views) view.show(beats.length - 1, Infinity);
    return { elements, stop: motion.stop };
}

/**
 * The lane of a seat: its track, and in words what it did.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {readonly Lane[]} lanes
 * @param {Lane} lane
 * @param {readonly Beat[]} beats
 */
function laneView(model, slaps, lanes, lane, beats) {
    const { seat, did, words, figures, outcome, raw } = lane;
    const length = lengthOf(slaps, lanes);
    const own = lane.time ?? 0;
    const isBeyond = own > length;
    const answered = Math.max(0, beats.findIndex((one) => one.seat === seat));
    const judged = Math.max(answered, beats.findIndex((one) => one.seat === seat && one.step !== undefined));
    const run = h("span", { class: did === "slap" ? "run is-slap" : "run" });
    const wait = h("span", { class: "taken-off" });
    const mark = h("span", { class: "arrival" }, isBeyond ? "\u25B6\uFE0E" : MARKS[did] ?? "");
    const bands = photoFinishes(slaps).filter((group) => group.includes(seat)).map((group) => stretched(h("span", { class: "finish-band" }), fastestOf(lanes, group), slaps.photo_finish_us, length));
    const said = h("p", {});
    const track = h("div", { class: "track", "aria-hidden": "true" }, h("div", {}, ...bands, ...(lane.time === null ? [] : [run, wait, mark])));
    stretched(mark, own, 0, length);
    stretched(wait, own, Math.max(0, raw - own), length);
    return {
        element: h("li", {}, h("p", {}, seatName(model, seat)), track, said, figures && h("p", { class: "note" }, `${figures}.`)),
        /** @param {number} beat @param {number} time */
        show(beat, time) {
            const has = beat >= answered;
            stretched(run, 0, Math.min(time, own), length);
            for (const one of [mark, wait]) one.hidden = !has;
            for (const band of bands) band.hidden = !has;
            say(said, !has ? "\u2026" : beat >= judged && outcome ? `${words}: ${outcome}` : words);
        },
    };
}

/**
 * Puts an element at its place on a track, of which it never leaves an end.
 * @template {HTMLElement} Any @param {Any} element @param {number} from @param {number} size @param {number} length all in microseconds
 */
function stretched(element, from, size, length) {
    const start = Math.min(from, length);
    element.style.left = `${((100 * start) / length).toFixed(2)}%`;
    element.style.width = `${((100 * Math.min(size, length - start)) / length).toFixed(2)}%`;
    return element;
}

/**
 * The slow motion: a clock that runs through the beats. Between them time runs, unless the reader wants little motion.
 * @param {readonly Beat[]} beats
 * @param {(beat: number, time: number, isNew: boolean) => void} show
 * @param {(isPlaying: boolean) => void} tell
 */
function motionOf(beats, show, tell) {
    const last = beats.length - 1;
    let beat = last;
    let frame = 0;

    function stop() {
        if (frame) tell(false);
        cancelAnimationFrame(frame);
        frame = 0;
    }

    /** @param {number} next */
    function to(next) {
        beat = Math.min(last, Math.max(0, next));
        show(beat, beat === last ? Infinity : beats[beat].time, true);
    }

    /** @param {number} begin when the clock was at 0 @param {number} stamp */
    function tick(begin, stamp) {
        const clock = stamp - begin;
        while (beat < last && beats[beat + 1].clock <= clock) to(beat + 1);
        if (beat === last) return stop();
        const [from, until] = [beats[beat], beats[beat + 1]];
        const part = (clock - from.clock) / (until.clock - from.clock);
        if (!window.matchMedia("(prefers-reduced-motion: reduce)").matches) show(beat, from.time + part * (until.time - from.time), false);
        frame = requestAnimationFrame((next) => tick(begin, next));
    }

    return {
        stop,
        /** @param {number} by how many beats */
        go: (by) => (stop(), to(beat + by)),
        toggle() {
            if (frame) return stop();
            to(beat === last ? 0 : beat);
            tell(true);
            frame = requestAnimationFrame((stamp) => tick(stamp - beats[beat].clock, stamp));
        },
    };
}
