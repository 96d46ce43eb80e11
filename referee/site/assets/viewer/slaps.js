/** A slap window taken apart: what each seat did, when, and what came of it, in words and in order. It knows no page. */

import { counted, face, timeInWords, who } from "./words.js";

/** How long the slow motion of the slowest slap takes, and each moment that takes no time in the window, in milliseconds. */
const RACE_MS = 6000;
const PAUSE_MS = 1800;

/** A difference below this, in microseconds, is one of rounding. */
const LEAST_LIMITED_US = 0.1;

/**
 * What one seat did in a window, as far as this view may know it. `time` is what counts, in microseconds, `raw` what was
 * measured. `did` is empty where the view does not know it.
 * @typedef {{seat: number, did: "slap" | "pass" | "late" | "fault" | "not asked" | "", words: string, time: number | null, raw: number, figures: string, outcome: string}} Lane
 */

/**
 * A moment of the slow motion: `clock` in its milliseconds, `time` in microseconds since the window opened. `seat` is
 * whose answer or slap it is about, `step` the step of the match at which a slap was looked at.
 * @typedef {{clock: number, time: number, words: string, seat?: number, step?: number, isFinish?: boolean}} Beat
 */

/** @type {Record<Lane["did"], string>} */
const DEEDS = {
    slap: "slapped",
    pass: "passed",
    late: "answered too late, which is a pass and no fault",
    fault: "was at fault, which counts as a pass",
    "not asked": "was not asked: its bot takes no part in slaps, or has forfeited",
    "": "passed, or slapped in vain: this view does not know",
};

/** @type {Record<SlapOfWindow["verdict"], string>} */
const OUTCOMES = {
    right: "correct: the card goes to the pile",
    wrong: "wrong, which costs a card",
    late: "a right card, but another bot was first",
};

/** @param {Model} model @param {number} number */
export function windowAt(model, number) {
    return model.windows.find((one) => one.step <= number && number < one.step + one.steps) ?? null;
}

/** @param {Model} model @param {SlapWindow} slaps */
export function lanesOf(model, slaps) {
    return model.bots.map((_, seat) => laneOf(model, slaps, seat));
}

/** @param {Model} model @param {SlapWindow} slaps @param {number} seat @returns {Lane} */
function laneOf(model, slaps, seat) {
    const reaction = slaps.reactions?.find((one) => one.seat === seat);
    const slap = slaps.slaps?.find((one) => one.seat === seat);
    const did = deedOf(model, slaps, reaction, slap, seat);
    const target = did === "slap" ? reaction?.target ?? slap?.target : null;
    const where = target ? ` ${target[0] === seat ? "its own slot" : "slot"} ${target[1]}${target[0] === seat ? "" : ` of ${who(model, target[0])}`}` : "";
    const why = reaction?.fault ? `${reaction.fault.kind}: ${reaction.fault.detail}` : reaction?.hint;
    const time = did === "late" ? null : reaction?.corrected_us ?? null;
    const place = slaps.order?.indexOf(seat) ?? -1;
    const verdict = slap ? OUTCOMES[slap.verdict] : "void: its card was gone, or the round was over";
    return {
        seat,
        did,
        words: `${DEEDS[did]}${where}${why ? ` (${why})` : ""}`,
        time,
        raw: reaction?.raw_us ?? 0,
        figures: [...askedInWords(slaps, seat), ...(reaction && time !== null ? timesInWords(reaction, time) : [])].join(". "),
        outcome: did === "slap" ? `${place >= 0 ? `${nth(place + 1)} in order, ` : ""}${verdict}` : "",
    };
}

/** @param {Model} model @param {SlapWindow} slaps @param {Reacted | undefined} reaction @param {SlapOfWindow | undefined} slap @param {number} seat @returns {Lane["did"]} */
function deedOf(model, slaps, reaction, slap, seat) {
    if (reaction?.fault) return "fault";
    if (reaction?.late) return "late";
    if (reaction?.target || (!reaction && slap)) return "slap";
    if (model.view === "open" && !slaps.asked?.includes(seat)) return "not asked";
    return reaction ? "pass" : "";
}

/** @param {SlapWindow} slaps @param {number} seat */
function askedInWords(slaps, seat) {
    const asked = slaps.asked?.indexOf(seat) ?? -1;
    return asked >= 0 ? [`Asked ${nth(asked + 1)}`] : [];
}

/** @param {Reacted} reaction @param {number} time */
function timesInWords({ raw_us, wait_us }, time) {
    const off = Number(raw_us) - time;
    const wait = Number(wait_us);
    const [measured, less, waited, counts] = [Number(raw_us), off, wait, time].map(timeInWords);
    const limit = `It waited ${waited}, but only ${less} were taken off: it was computing for ${counts}, and never does less count than that (one part of a bot can wait while another computes)`;
    const taken = off < LEAST_LIMITED_US ? "nothing taken off" : `less ${less} in which it waited for a core: ${counts} count`;
    return [`${measured} measured, ${taken}`, ...(off < wait - LEAST_LIMITED_US ? [limit] : [])];
}

/**
 * The photo finishes: groups of several seats whose slaps came so close together that the lot decided.
 * @param {SlapWindow} slaps
 */
export function photoFinishes(slaps) {
    return (slaps.groups ?? []).filter((group) => group.length > 1);
}

/** @param {Model} model @param {SlapWindow} slaps @param {readonly Lane[]} lanes @param {number[]} group */
export function finishInWords(model, slaps, lanes, group) {
    const last = group.includes(slaps.discarder) ? ", and put the discarder last, as the rules say" : "";
    const fastest = fastestOf(lanes, group);
    const names = group.map((seat) => `${who(model, seat)} (+${(Number(lanes[seat].time) - fastest).toFixed(1)} \u00B5s)`);
    return `Photo finish: these slaps came within ${slaps.photo_finish_us} \u00B5s of the first of them. The lot decided${last}: ${names.join(", then ")}.`;
}

/** @param {readonly Lane[]} lanes @param {readonly number[]} group */
export function fastestOf(lanes, group) {
    return Math.min(...group.map((seat) => Number(lanes[seat].time)));
}

/** @param {SlapWindow} slaps */
export function orderInWords(slaps) {
    if (slaps.slap_order === "lottery") return "In this game the lot decides which slap counts first; times play no part.";
    if (slaps.slap_order === "clockwise") return "In this game slaps count clockwise from the discarder, who comes last; times play no part.";
    return `The fastest slap counts first. Slaps less than ${slaps.photo_finish_us} \u00B5s behind it are a photo finish, which the lot decides.`;
}

/**
 * How many microseconds the tracks are long: as long as the slowest slap took, or the slowest answer where nobody slapped.
 * @param {SlapWindow} slaps
 * @param {readonly Lane[]} lanes
 */
export function lengthOf(slaps, lanes) {
    const times = (/** @type {readonly Lane[]} */ some) => some.flatMap(({ time }) => (time === null ? [] : [time]));
    const slapped = times(lanes.filter((lane) => lane.did === "slap"));
    return Math.max(1, 2 * slaps.photo_finish_us, ...(slapped.length ? slapped : times(lanes)));
}

/** @param {number} length */
export function slownessOf(length) {
    return Number(((RACE_MS * 1000) / length).toPrecision(1));
}

/**
 * The window moment by moment: it opens, the answers arrive, the lot decides, and the slaps are looked at one by one.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {readonly Lane[]} lanes
 */
export function beatsOf(model, slaps, lanes) {
    const length = lengthOf(slaps, lanes);
    /** @type {Beat[]} */
    const beats = [{ clock: 0, time: 0, words: `The window opens: ${who(model, slaps.discarder)} has discarded the ${face(slaps.discard).words}.` }];
    const pause = (/** @type {Omit<Beat, "clock" | "time">} */ beat, time = beats[beats.length - 1].time) => beats.push({ ...beat, time, clock: beats[beats.length - 1].clock + PAUSE_MS });
    const timed = lanes.filter((lane) => lane.time !== null).sort((one, other) => Number(one.time) - Number(other.time));
    for (const { seat, words, time } of timed) {
        const answer = { seat, words: `After ${timeInWords(Number(time))}: ${who(model, seat)} ${words}.` };
        if (Number(time) > length) pause(answer, Number(time));
        else beats.push({ ...answer, time: Number(time), clock: (RACE_MS * Number(time)) / length });
    }
    for (const { seat, words } of lanes.filter(({ did, time }) => time === null && (did === "late" || did === "fault"))) pause({ seat, words: `${who(model, seat)} ${words}.` });
    for (const group of photoFinishes(slaps)) pause({ isFinish: true, words: finishInWords(model, slaps, lanes, group) });
    for (const { seat, card, verdict, step } of slaps.slaps ?? []) pause({ seat, step, words: `The slap of ${who(model, seat)} is looked at: the ${face(card).words}, ${OUTCOMES[verdict]}.` });
    return beats;
}

/** @param {SlapWindow} slaps */
export function windowInWords(slaps) {
    const slapped = new Set([...(slaps.slaps ?? []), ...(slaps.reactions ?? []).filter((one) => one.target)].map((one) => one.seat));
    const what = slapped.size ? counted(slapped.size, "slap") : "no slap";
    return `round ${slaps.round}, slap window ${slaps.number}: ${what}${photoFinishes(slaps).length ? ", photo finish" : ""}`;
}

/** @param {number} number */
function nth(number) {
    return `${number}${["th", "st", "nd", "rd"][number > 3 ? 0 : number]}`;
}
