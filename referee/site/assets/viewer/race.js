/** A slap window taken apart: what each seat did, when, and what came of it, in words and in order. It knows no page. */

import { face, who } from "./cards.js";

/**
 * What one seat did in a window, as far as this view is told.
 * @typedef {object} Lane
 * @property {number} seat
 * @property {"slap" | "pass" | "late" | "fault" | "not asked" | "not told"} did
 * @property {string} words what it did
 * @property {string} why why it was late, or what was wrong; else empty
 * @property {number | null} raw microseconds, as the next two
 * @property {number | null} wait
 * @property {number | null} off what was taken off for waiting: `wait` at most, and never what the bot computed
 * @property {number | null} time what counts
 * @property {number | null} asked as which it was asked, from 1
 * @property {number | null} place as which its slap counted, from 1
 * @property {string} outcome what came of its slap
 */

/**
 * A moment of the slow motion.
 * @typedef {object} Beat
 * @property {"open" | "answer" | "none" | "lot" | "result"} kind
 * @property {number} time microseconds since the window opened
 * @property {number | null} seat
 * @property {string} words
 * @property {number | null} step the step of the match that tells it
 */

/**
 * A time with its unit, as in `176.3 µs` or `2.81 ms`.
 * @param {number} us
 * @returns {string}
 */
export function timeInWords(us) {
    if (us < 1000) return `${us.toFixed(1)} \u00B5s`;
    return us < 1e6 ? `${(us / 1000).toFixed(us < 1e5 ? 2 : 1)} ms` : `${(us / 1e6).toFixed(2)} s`;
}

/**
 * The window that a step is part of, or null.
 * @param {Model} model
 * @param {number} number
 * @returns {SlapWindow | null}
 */
export function windowAt(model, number) {
    return model.windows.find((one) => one.step <= number && number < one.step + one.steps) ?? null;
}

/**
 * What each seat did, by seat.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @returns {Lane[]}
 */
export function lanesOf(model, slaps) {
    return model.bots.map((_, seat) => laneOf(model, slaps, seat));
}

/**
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {number} seat
 * @returns {Lane}
 */
function laneOf(model, slaps, seat) {
    const reaction = (slaps.reactions ?? []).find((one) => one.seat === seat);
    const told = (slaps.slaps ?? []).find((one) => one.seat === seat);
    const asked = (slaps.asked ?? []).indexOf(seat);
    const place = (slaps.order ?? []).indexOf(seat);
    const target = reaction ? reaction.target : told ? told.target : null;
    const did = deedIn(model, reaction, Boolean(told), asked >= 0);
    const raw = reaction?.raw_us ?? null;
    const time = did === "late" ? null : reaction?.corrected_us ?? null;
    return {
        seat,
        did,
        words: did === "slap" && target ? `slapped ${targetInWords(model, seat, target)}` : DEEDS[did],
        why: reaction && reaction.fault ? `${reaction.fault.kind}: ${reaction.fault.detail}` : (reaction && reaction.hint) || "",
        raw,
        wait: reaction?.wait_us ?? null,
        off: raw === null || time === null ? null : raw - time,
        time,
        asked: asked >= 0 ? asked + 1 : null,
        place: place >= 0 ? place + 1 : null,
        outcome: did !== "slap" ? "" : told ? OUTCOMES[told.verdict] : "void: its card was gone, or the round was over",
    };
}

/** @type {Record<Lane["did"], string>} */
const DEEDS = {
    slap: "slapped",
    pass: "passed",
    late: "answered too late, which is a pass and no fault",
    fault: "was at fault, which counts as a pass",
    "not asked": "was not asked: its bot takes no part in slaps, or has forfeited",
    "not told": "passed, or slapped in vain: this view is not told",
};

/** @type {Record<SlapOfWindow["verdict"], string>} */
const OUTCOMES = {
    right: "correct: the card goes to the pile",
    wrong: "wrong, which costs a card",
    late: "a right card, but another bot was first",
};

/**
 * @param {Model} model
 * @param {Reacted | undefined} reaction
 * @param {boolean} isTold
 * @param {boolean} isAsked
 * @returns {Lane["did"]}
 */
function deedIn(model, reaction, isTold, isAsked) {
    if (!reaction) return isTold ? "slap" : model.view === "open" && !isAsked ? "not asked" : "not told";
    if (reaction.fault) return "fault";
    if (reaction.late) return "late";
    if (reaction.target) return "slap";
    return model.view === "open" && !isAsked ? "not asked" : "pass";
}

/**
 * @param {Model} model
 * @param {number} seat
 * @param {[number, number]} target
 * @returns {string}
 */
function targetInWords(model, seat, [owner, slot]) {
    return owner === seat ? `its own slot ${slot}` : `slot ${slot} of ${who(model, owner)}`;
}

/**
 * The photo finishes: groups of several seats whose slaps came so close together that the lot decided.
 * @param {SlapWindow} slaps
 * @returns {number[][]}
 */
export function photoFinishes(slaps) {
    return (slaps.groups ?? []).filter((group) => group.length > 1);
}

/**
 * A photo finish in a sentence.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {number[]} group
 * @returns {string}
 */
export function finishInWords(model, slaps, group) {
    const last = group.includes(slaps.discarder) ? ", and put the discarder last, as the rules say" : "";
    const names = group.map((seat) => who(model, seat)).join(", then ");
    return `Photo finish: these slaps came within ${slaps.photo_finish_us} \u00B5s of the first of them. The lot decided${last}: ${names}.`;
}

/**
 * What decided who was first.
 * @param {SlapWindow} slaps
 * @returns {string}
 */
export function orderInWords(slaps) {
    if (slaps.slap_order === "lottery") return "In this game the lot decides which slap counts first; times play no part.";
    if (slaps.slap_order === "clockwise") return "In this game slaps count clockwise from the discarder, who comes last; times play no part.";
    return `The fastest slap counts first. Slaps less than ${slaps.photo_finish_us} \u00B5s behind it are a photo finish, which the lot decides.`;
}

/**
 * The window moment by moment: it opens, the answers arrive, the lot decides, and the slaps are looked at one by one.
 * @param {Model} model
 * @param {SlapWindow} slaps
 * @param {readonly Lane[]} lanes
 * @returns {Beat[]}
 */
export function beatsOf(model, slaps, lanes) {
    const card = face(slaps.discard).words;
    /** @type {Beat[]} */
    const beats = [{ kind: "open", time: 0, seat: null, step: null, words: `The window opens: ${who(model, slaps.discarder)} has discarded the ${card}.` }];
    const timed = lanes.filter((lane) => lane.time !== null).sort((one, other) => Number(one.time) - Number(other.time));
    for (const lane of timed) {
        const after = `After ${timeInWords(Number(lane.time))}: ${who(model, lane.seat)} ${lane.words}.`;
        beats.push({ kind: "answer", time: Number(lane.time), seat: lane.seat, step: null, words: lane.why ? `${after} ${lane.why}.` : after });
    }
    const end = timed.length ? Number(timed[timed.length - 1].time) : 0;
    for (const lane of lanes.filter((one) => one.did === "late" || (one.did === "fault" && one.time === null))) {
        const why = lane.why ? `: ${lane.why}` : "";
        beats.push({ kind: "none", time: end, seat: lane.seat, step: null, words: `${who(model, lane.seat)} ${lane.words}${why}.` });
    }
    for (const group of photoFinishes(slaps)) {
        beats.push({ kind: "lot", time: end, seat: null, step: null, words: finishInWords(model, slaps, group) });
    }
    for (const slap of slaps.slaps ?? []) {
        const words = `The slap of ${who(model, slap.seat)} is looked at: the ${face(slap.card).words}, ${OUTCOMES[slap.verdict]}.`;
        beats.push({ kind: "result", time: end, seat: slap.seat, step: slap.step, words });
    }
    return beats;
}

/**
 * How many microseconds the tracks are long: a little more than the slowest slap, or than the slowest answer where
 * nobody slapped. Slower passes leave the track.
 * @param {SlapWindow} slaps
 * @param {readonly Lane[]} lanes
 * @returns {number}
 */
export function lengthOf(slaps, lanes) {
    const times = lanes.filter((lane) => lane.time !== null);
    const slapped = times.filter((lane) => lane.did === "slap");
    const longest = Math.max(0, ...(slapped.length ? slapped : times).map((lane) => Number(lane.time)));
    return Math.max(longest * 1.12, 2 * slaps.photo_finish_us, 1);
}

/**
 * Round times from 0, at most four, for the scale of a track.
 * @param {number} length in microseconds
 * @returns {number[]}
 */
export function roundTimes(length) {
    const power = 10 ** Math.floor(Math.log10(length / 4));
    const step = [1, 2, 5, 10].map((part) => part * power).find((one) => length / one <= 4) ?? 10 * power;
    return [0, 1, 2, 3].map((place) => place * step).filter((time) => time < 0.95 * length);
}

/**
 * A window in a few words, for a list.
 * @param {SlapWindow} slaps
 * @returns {string}
 */
export function windowInWords(slaps) {
    const counted = (slaps.slaps ?? []).map((slap) => slap.seat);
    const slapped = (slaps.reactions ?? []).filter((one) => one.target).map((one) => one.seat);
    const count = new Set([...counted, ...slapped]).size;
    const finishes = photoFinishes(slaps).length;
    const what = count ? `${count} ${count === 1 ? "slap" : "slaps"}` : "no slap";
    return `round ${slaps.round}, slap window ${slaps.number}: ${what}${finishes ? ", photo finish" : ""}`;
}
