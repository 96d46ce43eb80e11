/** What has happened, in large words above the table; screen readers read it out at each step. */

import { fill, h, harmless, say } from "./dom.js";
import { faultsByStep, kindOf } from "./log.js";
import { stepInWords } from "./steps.js";
import { commentsAt, counted, linesOf, meaningOf, seatName, seatNames, sentence, titleOf } from "./words.js";

/** @param {Model} model */
export function captionOf(model) {
    const title = h("span", { class: "event" });
    const place = h("span", { class: "place" });
    const told = h("div", { class: "told", role: "status" });
    const meaning = h("p", { class: "note meaning" });
    const faults = faultsByStep(model);

    /** @param {number} number */
    function show(number) {
        const { event } = model.steps[number];
        say(title, titleOf(event));
        say(place, stepInWords(model, number));
        say(meaning, meaningOf(event));
        const wrong = (faults.get(number) ?? []).map((one) => faultAt(model, one));
        fill(told, ...linesAt(model, number), ...wrong, ...commentsAt(model, number));
    }

    return { element: h("div", { class: "caption" }, h("p", {}, title, " ", place), told, meaning), show };
}

/** @param {Model} model @param {import("./log.js").FaultAt} one */
function faultAt(model, { seat, decision, fault }) {
    const where = decision ? ` at the decision ${decision}` : "";
    const then = fault.forfeits ? "It forfeits the match." : "A default is played for it.";
    return h("p", { class: "at-fault" }, "\u2715 Fault of ", seatName(model, seat), `${where}: ${kindOf(fault)}: ${harmless(fault.detail)}. ${then}`);
}

/**
 * The words of a step as paragraphs. At a showdown the table shows the cards; scores stand by name.
 * @param {Model} model @param {number} number
 */
function linesAt(model, number) {
    const step = model.steps[number];
    const { told, notes } = linesOf(step);
    const small = notes.map((line) => h("p", { class: "note" }, line));
    if (step.event === "scored") return [...resultAt(model, number), ...small];
    const lines = (step.event === "showdown" ? told.slice(0, 1) : told).map((line) => h("p", {}, sentence(model, line)));
    const blinds = step.blinds ?? [];
    if (!blinds.length || blinds.length === model.bots.length) return [...lines, ...small];
    return [...lines, h("p", { class: "note" }, ...seatNames(model, blinds), " cannot tell any more which of these cards is which."), ...small];
}

/**
 * The strokes of a round that is over, the best first, who ended it, and at the last step who has won.
 * @param {Model} model @param {number} number
 */
function resultAt(model, number) {
    const seats = model.states[number].seats.map(({ score, total }, seat) => ({ score: score ?? 0, total, seat })).sort((one, other) => one.score - other.score);
    const strokes = seats.map(({ score, total, seat }) => h("li", {}, seatName(model, seat), ` ${counted(score, "stroke")}, total ${total}`));
    const round = model.document.rounds.find((one) => one.last === number);
    const winners = model.document.ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
    const end = [
        round && round.ender !== null && h("p", { class: "note" }, seatName(model, round.ender), " ended the round."),
        round?.capped && h("p", { class: "note" }, "The round was stopped at the turn cap."),
        number === model.steps.length - 1 && h("p", { class: "winner" }, "The match is over: ", ...seatNames(model, winners), winners.length === 1 ? " wins." : " share the victory."),
    ];
    return [h("ul", { class: "strokes-of-round", "aria-label": "strokes of this round" }, ...strokes), ...end];
}
