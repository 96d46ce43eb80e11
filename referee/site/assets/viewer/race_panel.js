/** The slap window in slow motion: a track for each seat, the photo finish, and a table of the same figures. */

import { face } from "./cards.js";
import { button, h, say } from "./dom.js";
import { seatName } from "./pieces.js";
import { beatsOf, finishInWords, lanesOf, lengthOf, orderInWords, photoFinishes, roundTimes, timeInWords, windowAt, windowInWords } from "./race.js";

/** How long the slowest slap takes in slow motion, in milliseconds. */
const RACE_MS = 6000;

/** How long each moment is shown that takes no time in the window, in milliseconds. */
const BEAT_MS = 1800;

/** @returns {Panel} */
export function racePanel() {
    /** @type {HTMLElement} */
    let body;
    /** @type {ReturnType<typeof raceOf> | null} */
    let race = null;
    return {
        title: "The slap window",
        wide: true,
        mount(element, model) {
            if (!model.windows.length) return false;
            body = h("div", { class: "slap-window" });
            element.append(body, listOfWindows(model));
        },
        show(model, number) {
            const slaps = windowAt(model, number);
            if (slaps && race && race.slaps === slaps) return;
            if (race) race.stop();
            race = slaps ? raceOf(model, slaps) : null;
            body.replaceChildren(race ? race.element : noWindow(model, number));
        },
    };
}

/**
 * @param {Model} model
 * @param {number} number
 * @returns {HTMLElement}
 */
function noWindow(model, number) {
    const next = model.windows.find((one) => one.step > number);
    const way = next ? button({ class: "plain" }, () => model.goTo(next.step), `Go to the next one: ${windowInWords(next)}`) : "";
    return h("div", {}, h("p", { class: "note" }, "No slap window is open at this step. "), way);
}

/**
 * All windows, each a way to it.
 * @param {Model} model
 * @returns {HTMLElement}
 */
function listOfWindows(model) {
    const some = model.windows.filter((one) => (one.slaps ?? []).length || (one.order ?? []).length);
    const items = some.map((one) => h("li", {}, button({ class: "plain" }, () => model.goTo(one.step), windowInWords(one))));
    if (!some.length) return h("p", { class: "note" }, "Nobody slapped in this match.");
    const title = `Windows with slaps (${some.length} of ${model.windows.length})`;
    return h("details", {}, h("summary", {}, title), h("ol", { class: "list-of-windows" }, ...items));
}

/**
 * One window: its tracks, the buttons of the slow motion, and its table.
 * @param {Model} model
 * @param {SlapWindow} slaps
 */
function raceOf(model, slaps) {
    const lanes = lanesOf(model, slaps);
    const beats = beatsOf(model, slaps, lanes);
    const length = lengthOf(slaps, lanes);
    const hasTimes = lanes.some((lane) => lane.time !== null);
    const tracks = lanes.map((lane) => trackOf(model, slaps, lane, length));
    const finishes = photoFinishes(slaps).map((group) => finishOf(model, slaps, group, lanes));
    const results = lanes.map((lane) => beats.findIndex((one) => one.kind === "result" && one.seat === lane.seat));
    const lots = beats.flatMap((one, number) => (one.kind === "lot" ? [number] : []));
    const now = h("p", { class: "beat", role: "status" });
    const place = h("p", { class: "note beat-place" });
    const motion = motionOf(beats, length, shown, (isPlaying) => setPlaying(isPlaying));
    const play = button({ class: "play-slowly" }, motion.toggle);
    const back = button({ "aria-label": "previous moment of the window" }, () => motion.step(-1), "\u25C0\uFE0E");
    const ahead = button({ "aria-label": "next moment of the window" }, () => motion.step(1), "\u25B6\uFE0E");
    const all = button({}, motion.toEnd, "Show all");

    /** @param {boolean} isPlaying */
    function setPlaying(isPlaying) {
        say(play, isPlaying ? "Pause" : hasTimes ? "Play in slow motion" : "Play");
    }

    /**
     * @param {number} beat
     * @param {number} time
     * @param {boolean} isTold
     */
    function shown(beat, time, isTold) {
        tracks.forEach((track, seat) => track.show(time, beat >= Math.max(results[seat], 0) && time >= beats[beats.length - 1].time));
        finishes.forEach((finish, number) => (finish.hidden = beat < lots[number]));
        say(place, `Moment ${beat + 1} of ${beats.length} of this window`);
        if (!isTold) return;
        say(now, beats[beat].words);
        const step = beats[beat].step;
        if (step !== null) model.goTo(step);
    }

    const element = h(
        "div",
        { class: "race" },
        h("p", { class: "race-head" }, ...headOf(model, slaps)),
        slaps.disturbed ? h("p", { class: "warn" }, `The times of this window are in doubt: ${slaps.disturbed}.`) : null,
        h("p", { class: "note" }, hasTimes ? speedInWords(slaps, length) : NO_TIMES),
        h("div", { class: "tracks", "aria-hidden": "true" }, ...tracks.map((track) => track.element), hasTimes ? scaleOf(length) : ""),
        h("div", { class: "buttons", role: "group", "aria-label": "slow motion of this window" }, play, back, ahead, all),
        place,
        now,
        ...finishes,
        tableOf(model, slaps, lanes),
        hasTimes ? howTimed() : null,
    );
    setPlaying(false);
    motion.showAll();
    return { element, slaps, stop: motion.stop };
}

/** A difference below this is one of rounding. */
const LEAST_LIMITED_US = 0.1;

const NO_TIMES = "How long the bots took is told in the view of all cards, and to each seat of itself. Here is what everybody saw.";

/**
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @returns {(Node | string)[]}
 */
function headOf(model, slaps) {
    const { rank, sign, words, isRed } = face(slaps.discard);
    const sight = h("span", { "aria-hidden": "true" }, `${rank}${sign}`);
    const card = h("b", { class: isRed ? "card-word red" : "card-word" }, sight, h("span", { class: "unseen" }, words));
    return [seatName(model, slaps.discarder), " has discarded ", card, `. Who has a card of the same rank may slap it onto the pile. ${orderInWords(slaps)}`];
}

/**
 * @param {SlapWindow} slaps
 * @param {number} length
 * @returns {string}
 */
function speedInWords(slaps, length) {
    const slower = Number(((RACE_MS * 1000) / length).toPrecision(1));
    const how = slaps.slap_order === "reaction" ? "Each bot was timed by itself; here all start together." : "";
    return `${how} The slow motion is about ${slower.toLocaleString("en")} times slower.`.trim();
}

/**
 * The track of a seat, on which its answer moves to the right.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {Lane} lane
 * @param {number} length
 */
function trackOf(model, slaps, lane, length) {
    const run = h("span", { class: `run ${lane.did === "slap" ? "is-slap" : "is-pass"}` });
    const wait = h("span", { class: "taken-off" });
    const mark = h("span", { class: "arrival" }, MARKS[lane.did] ?? "");
    const untimed = lane.time === null ? h("span", { class: "untimed" }, lane.did === "slap" || lane.did === "not told" ? "time not told" : "no time") : null;
    const track = h("div", { class: "track" }, run, wait, mark, untimed);
    const said = h("span", { class: "lane-said" });
    const leaves = lane.time !== null && lane.time > length;
    const end = lane.time === null ? "" : `${timeInWords(lane.time)}${leaves ? ", beyond this track" : ""}`;
    const text = [end, lane.words].filter(Boolean).join(", ");
    const bands = bandsOf(slaps, lane, length);
    track.prepend(...bands.map(({ element }) => element));

    /**
     * @param {number} time
     * @param {boolean} isResolved whether it has been looked at what came of its slap
     */
    function show(time, isResolved) {
        const own = lane.time ?? 0;
        const hasCome = lane.time === null ? isResolved : time >= own;
        for (const { element, from } of bands) element.hidden = time < from;
        run.hidden = lane.time === null;
        run.style.setProperty("width", percent(Math.min(time, own), length));
        mark.style.setProperty("left", percent(own, length));
        wait.style.setProperty("left", percent(own, length));
        wait.style.setProperty("width", percent(Math.max(0, Math.min(lane.raw ?? 0, length) - own), length));
        mark.hidden = !hasCome || lane.time === null || leaves;
        wait.hidden = !hasCome || lane.time === null || leaves;
        say(said, !hasCome ? "..." : isResolved && lane.outcome ? `${text}, ${lane.outcome}` : text);
    }

    return { element: h("div", { class: "lane" }, h("span", { class: "lane-name" }, seatName(model, lane.seat)), track, said), show };
}

/**
 * What stands where an answer arrives.
 * @type {Partial<Record<Lane["did"], string>>}
 */
const MARKS = { slap: "\u25C6", pass: "\u25CB", fault: "\u2715" };

/** @typedef {import("./race.js").Lane} Lane */
/** @typedef {import("./race.js").Beat} Beat */

/**
 * The stretches in which slaps are a photo finish, on the tracks of those who are in one.
 * @param {SlapWindow} slaps
 * @param {Lane} lane
 * @param {number} length
 * @returns {{element: HTMLElement, from: number}[]}
 */
function bandsOf(slaps, lane, length) {
    return photoFinishes(slaps)
        .filter((group) => group.includes(lane.seat))
        .map((group) => {
            const fastest = fastestOf(slaps, group);
            const band = h("span", { class: "finish-band" });
            band.style.setProperty("left", percent(fastest, length));
            band.style.setProperty("width", percent(Math.min(slaps.photo_finish_us, length - fastest), length));
            return { element: band, from: fastest };
        });
}

/**
 * @param {SlapWindow} slaps
 * @param {readonly number[]} group
 * @returns {number}
 */
function fastestOf(slaps, group) {
    const times = (slaps.reactions ?? []).filter((one) => group.includes(one.seat)).map((one) => Number(one.corrected_us ?? 0));
    return Math.min(...times);
}

/**
 * @param {number} length
 * @returns {HTMLElement}
 */
function scaleOf(length) {
    const marks = roundTimes(length).map((time) => {
        const mark = h("span", {}, time ? timeInWords(time).replace(/\.0+ /, " ") : "0");
        mark.style.setProperty("left", percent(time, length));
        return mark;
    });
    return h("div", { class: "lane" }, h("span", { class: "lane-name" }), h("div", { class: "scale" }, ...marks), h("span", {}));
}

/**
 * A photo finish, seen from near: who was how far behind the fastest, and what the lot decided.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {number[]} group
 * @param {readonly Lane[]} lanes
 * @returns {HTMLElement}
 */
function finishOf(model, slaps, group, lanes) {
    const fastest = fastestOf(slaps, group);
    const rows = group.map((seat, place) => {
        const behind = Number(lanes[seat].time) - fastest;
        const mark = h("span", { class: "arrival" }, "\u25C6");
        mark.style.setProperty("left", percent(behind, slaps.photo_finish_us));
        const said = h("span", { class: "lane-said" }, `+${behind.toFixed(1)} \u00B5s, by the lot ${nth(place + 1)}`);
        return h("div", { class: "lane" }, h("span", { class: "lane-name" }, seatName(model, seat)), h("div", { class: "track is-near" }, mark), said);
    });
    const title = `Photo finish, from near: ${slaps.photo_finish_us} \u00B5s from the left edge to the right`;
    return h(
        "div",
        { class: "finish" },
        h("h3", {}, title),
        h("p", {}, finishInWords(model, slaps, group)),
        h("div", { class: "tracks", "aria-hidden": "true" }, ...rows),
    );
}

/**
 * The same figures as a table.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {readonly Lane[]} lanes
 * @returns {HTMLElement}
 */
function tableOf(model, slaps, lanes) {
    const isOpen = model.view === "open";
    const hasTimes = lanes.some((lane) => lane.raw !== null);
    const heads = ["Bot", ...(isOpen ? ["Asked"] : []), "What it did", ...(hasTimes ? ["Measured", "Waited for a core", "Taken off", "Counts as"] : []), ...(isOpen ? ["Order"] : []), "Outcome"];
    const rows = lanes.map((lane) => {
        const times = hasTimes ? [lane.raw, lane.wait, lane.off, lane.time].map((us) => h("td", {}, us === null ? "-" : timeInWords(us))) : [];
        const did = lane.why ? `${lane.words} (${lane.why})` : lane.words;
        const asked = isOpen ? [h("td", {}, lane.asked === null ? "-" : nth(lane.asked))] : [];
        const order = isOpen ? [h("td", {}, lane.place === null ? "-" : nth(lane.place))] : [];
        return h("tr", {}, h("th", { scope: "row" }, seatName(model, lane.seat)), ...asked, h("td", { class: "deed" }, did), ...times, ...order, h("td", { class: "deed" }, lane.outcome || "-"));
    });
    const caption = `Slap window ${slaps.number} of round ${slaps.round}`;
    const limited = lanes.filter((lane) => lane.off !== null && lane.off < Number(lane.wait) - LEAST_LIMITED_US);
    const why = limited.map((lane) => h("p", { class: "note limit" }, seatName(model, lane.seat), limitInWords(lane)));
    const head = h("tr", {}, ...heads.map((text) => h("th", { scope: "col" }, text)));
    const table = h("table", {}, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, ...rows));
    const figures = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "figures of the slap window" }, table);
    return h("div", {}, figures, ...why);
}

/**
 * Why not all the time that a bot waited was taken off.
 * @param {Lane} lane
 * @returns {string}
 */
function limitInWords({ off, wait, time }) {
    const [less, waited, counts] = [off, wait, time].map((us) => timeInWords(Number(us)));
    return ` waited ${waited}, but only ${less} were taken off: it was computing for ${counts}, and never does less count than that. (One part of a bot can wait while another computes.)`;
}

function howTimed() {
    return h(
        "details",
        {},
        h("summary", {}, "How slaps are timed"),
        h("p", {}, "One bot after another is asked, in an order drawn for the window, while all else that the referee runs is stopped. The clock runs from the moment at which the bot may go on, with the window before it, until its answer has arrived: that is what was measured. The time for which the bot waited for a core of the machine is taken off, but never so much that less would be left than what the bot computed itself. What is left counts."),
        h("p", {}, "On the tracks a solid bar is the time that counts, a hatched one behind it is what was taken off. A diamond is a slap, a ring a pass, a cross a fault. A dotted stretch is a photo finish."),
    );
}

/**
 * The slow motion: it goes from moment to moment, and between them time runs, unless the reader wants little motion.
 * @param {readonly Beat[]} beats
 * @param {number} length
 * @param {(beat: number, time: number, isTold: boolean) => void} show
 * @param {(isPlaying: boolean) => void} tell
 */
function motionOf(beats, length, show, tell) {
    const last = beats.length - 1;
    let beat = last;
    let time = beats[last].time;
    /** @type {number | null} */
    let frame = null;
    /** @type {number | null} */
    let timer = null;

    /** @returns {boolean} */
    function isPlaying() {
        return frame !== null || timer !== null;
    }

    function stop() {
        const was = isPlaying();
        if (frame !== null) cancelAnimationFrame(frame);
        if (timer !== null) window.clearTimeout(timer);
        frame = timer = null;
        if (was) tell(false);
    }

    /** @param {number} next */
    function to(next) {
        beat = Math.min(last, Math.max(0, next));
        time = beats[beat].time;
        show(beat, beat === last ? Infinity : time, true);
    }

    function goOn() {
        frame = timer = null;
        if (beat >= last) return tell(false);
        const next = beats[beat + 1];
        const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches || next.time <= time || next.time > length;
        if (isStill) timer = window.setTimeout(() => (to(beat + 1), goOn()), BEAT_MS);
        else frame = requestAnimationFrame((start) => run(start, time, next.time));
    }

    /**
     * @param {number} start
     * @param {number} from
     * @param {number} until
     */
    function run(start, from, until) {
        frame = requestAnimationFrame((stamp) => {
            time = Math.min(until, from + ((stamp - start) / RACE_MS) * length);
            if (time < until) {
                show(beat, time, false);
                return run(start, from, until);
            }
            to(beat + 1);
            goOn();
        });
    }

    function toggle() {
        if (isPlaying()) return stop();
        if (beat >= last) to(0);
        tell(true);
        goOn();
    }

    return {
        stop,
        toggle,
        /** @param {1 | -1} direction */
        step: (direction) => (stop(), to(beat + direction)),
        toEnd: () => (stop(), to(last)),
        showAll: () => show(last, Infinity, false),
    };
}

/**
 * @param {number} part
 * @param {number} whole
 * @returns {string}
 */
function percent(part, whole) {
    return `${Math.min(100, Math.max(0, (100 * part) / whole)).toFixed(2)}%`;
}

/**
 * @param {number} number
 * @returns {string}
 */
function nth(number) {
    return `${number}${["th", "st", "nd", "rd"][number > 3 ? 0 : number]}`;
}
