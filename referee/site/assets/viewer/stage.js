/** One view of a match on the page: words, table, controls and panels, and the step that they show. */

import { boardOf } from "./board.js";
import { who } from "./cards.js";
import { controlsOf } from "./controls.js";
import { h, say } from "./dom.js";
import { meaningOf, titleOf } from "./events.js";
import { defaultInWords, faultsByStep } from "./faults_panel.js";
import { keyboard } from "./keys.js";
import { panels } from "./panels.js";
import { seatName, sentence, spoken } from "./pieces.js";
import { playerOf } from "./player.js";
import { after, before, starts, stepInWords } from "./steps.js";
import { commentsAt, linesOf } from "./words.js";

/** @type {import("./steps.js").Kind[]} */
const KINDS = ["event", "turn", "window", "round"];

/**
 * @param {(at: string) => void} moved called with the name of each moment that is shown
 */
export function stageOf(moved) {
    const live = h("p", { class: "unseen", "aria-live": "polite", role: "status" });
    const root = h("div", { class: "stage" });
    /** @type {Model} */
    let model;
    /** @type {Record<import("./steps.js").Kind, number[]>} */
    let ways = { event: [], turn: [], window: [], round: [] };
    /** @type {((number: number) => void)[]} */
    let shown = [];
    let current = 0;
    const player = playerOf(forward, (isPlaying) => controls.setPlaying(isPlaying));
    /** @type {ReturnType<typeof controlsOf>} */
    let controls;

    /** @type {import("./controls.js").Deeds} */
    const deeds = {
        move(kind, direction) {
            player.stop();
            if (!ways[kind].length) return;
            const next = direction > 0 ? after(ways[kind], current) : before(ways[kind], current);
            goTo(next ?? (direction > 0 ? model.steps.length - 1 : 0));
        },
        goTo: (number) => (player.stop(), goTo(number)),
        toStart: () => (player.stop(), goTo(0)),
        toEnd: () => (player.stop(), goTo(model.steps.length - 1)),
        toggle() {
            if (!player.isPlaying() && current === model.steps.length - 1) goTo(0);
            player.toggle();
        },
        setSpeed: (factor) => (player.setSpeed(factor), controls.setSpeed(factor)),
        help: () => keys.open(),
    };
    const keys = keyboard(deeds, player.speed);

    /** @returns {boolean} */
    function forward() {
        if (current >= model.steps.length - 1) return false;
        goTo(current + 1);
        return true;
    }

    /** @param {number} number */
    function goTo(number) {
        current = Math.min(model.steps.length - 1, Math.max(0, number));
        for (const show of shown) show(current);
        moved(model.steps[current].at);
    }

    /**
     * Shows another match or view.
     * @param {Model} next
     */
    function open(next) {
        player.stop();
        model = next;
        model.goTo = deeds.goTo;
        for (const kind of KINDS) ways[kind] = starts(model.steps, kind);
        const board = boardOf(model);
        controls = controlsOf(model, deeds, new Set(KINDS.filter((kind) => ways[kind].length)), board.about);
        const words = wordsOf(model);
        const around = panels().flatMap((panel) => mounted(panel, model) ?? []);
        shown = [board.show, words.show, controls.show, (one) => say(live, [aloud(model, one), ...words.faults(one), ...commentsAt(model, one).map(({ seat, comment }) => `Comment of ${who(model, seat)}: ${comment}`)].join(". ")), ...around.map((one) => one.show)];
        const main = h("section", { class: "main", "aria-label": "the table" }, h("h2", { class: "unseen" }, "The table"), words.element, board.element, controls.element);
        root.replaceChildren(
            h("div", { class: "panels" }, main, ...around.filter((one) => one.isWide).map((one) => one.element)),
            h("div", { class: "panels" }, ...around.filter((one) => !one.isWide).map((one) => one.element)),
            live,
            keys.dialog,
        );
    }

    return { element: root, open, goTo: deeds.goTo };
}

/**
 * @param {Panel} panel
 * @param {Model} model
 */
function mounted(panel, model) {
    const body = h("div", { class: "panel-body" });
    if (panel.mount(body, model) === false) return null;
    const element = h("section", { class: "panel", "aria-label": panel.title }, h("h2", {}, panel.title), body);
    return { element, isWide: panel.wide ?? false, show: (/** @type {number} */ number) => panel.show(model, number) };
}

/**
 * What has happened, in large words, with the kind of event and what that is.
 * @param {Model} model
 */
function wordsOf(model) {
    const title = h("span", { class: "event" });
    const place = h("p", { class: "place" });
    const told = h("div", { class: "told" });
    const meaning = h("p", { class: "note meaning" });
    const faulty = faultsByStep(model);
    const faults = (/** @type {number} */ number) => (faulty.get(number) ?? []).map((one) => defaultInWords(model, one));

    /** @param {number} number */
    function show(number) {
        const step = model.steps[number];
        const lines = linesOf(step);
        say(title, titleOf(step.event));
        title.dataset.event = step.event;
        told.replaceChildren(...toldOf(model, number), ...faults(number).map((line) => h("p", { class: "at-fault" }, `\u2715 ${line}`)), ...commentsAt(model, number).map((one) => commentOf(model, one)));
        say(place, stepInWords(model, number));
        say(meaning, meaningOf(step.event));
    }

    return { element: h("div", { class: "words" }, title, place, told, meaning), show, faults };
}

/**
 * @param {Model} model
 * @param {{seat: number, comment: string}} one
 * @returns {HTMLElement}
 */
function commentOf(model, { seat, comment }) {
    return h("p", { class: "comment" }, "Comment of ", seatName(model, seat), ": ", h("q", { dir: "auto" }, comment));
}

/**
 * The words of a step as paragraphs. At a showdown the table tells the cards; scores are told by name.
 * @param {Model} model
 * @param {number} number
 * @returns {Node[]}
 */
function toldOf(model, number) {
    const step = model.steps[number];
    const { told, notes } = linesOf(step);
    const lines = (step.event === "showdown" ? told.slice(0, 1) : told).map((line) => h("p", {}, sentence(model, line)));
    const small = notes.map((line) => h("p", { class: "soft" }, line));
    if (step.event === "scored") return [resultOf(model, number), ...roundEnd(model, number), ...winnersOf(model, number), ...small];
    return [...lines, ...blindedOf(model, step), ...small];
}

/**
 * Who cannot tell any more which card is which, where that is not said of all.
 * @param {Model} model
 * @param {Step} step
 * @returns {Node[]}
 */
function blindedOf(model, step) {
    const blinds = step.blinds ?? [];
    if (!blinds.length || blinds.length === model.bots.length) return [];
    const names = blinds.flatMap((seat, place) => [...(place ? [place + 1 === blinds.length ? " and " : ", "] : []), seatName(model, seat)]);
    return [h("p", { class: "soft" }, ...names, " cannot tell any more which of these cards is which.")];
}

/**
 * The points of a round that is over, the best first.
 * @param {Model} model
 * @param {number} number
 * @returns {HTMLElement}
 */
function resultOf(model, number) {
    const rows = model.states[number].seats.map(({ score, total }, seat) => ({ score: score ?? 0, total, seat }));
    rows.sort((one, other) => one.score - other.score);
    return h(
        "ul",
        { class: "result", "aria-label": "points of this round" },
        ...rows.map(({ score, total, seat }) => h("li", {}, seatName(model, seat), ` ${score} ${score === 1 ? "point" : "points"}, total ${total}`)),
    );
}

/**
 * What a step tells, as it is read out: scores by name, as they stand on the page.
 * @param {Model} model
 * @param {number} number
 * @returns {string}
 */
function aloud(model, number) {
    const step = model.steps[number];
    if (step.event !== "scored") return spoken(model, step);
    const results = [...resultOf(model, number).children, ...roundEnd(model, number), ...winnersOf(model, number)];
    return results.map((node) => (node.textContent ?? "").replace(/\.$/, "")).join(". ");
}

/**
 * Who ended a round, or that it was stopped.
 * @param {Model} model
 * @param {number} number
 * @returns {Node[]}
 */
function roundEnd(model, number) {
    const round = model.document.rounds.find((one) => one.last === number);
    const lines = [];
    if (round && round.ender !== null) lines.push(h("p", { class: "soft" }, seatName(model, round.ender), " ended the round."));
    if (round && round.capped) lines.push(h("p", { class: "soft" }, "The round was stopped at the turn cap."));
    return lines;
}

/**
 * Who has won, at the last step of a match.
 * @param {Model} model
 * @param {number} number
 * @returns {Node[]}
 */
function winnersOf(model, number) {
    if (number < model.steps.length - 1) return [];
    const winners = model.document.ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
    const names = winners.flatMap((seat, place) => [...(place ? [place + 1 === winners.length ? " and " : ", "] : []), seatName(model, seat)]);
    return [h("p", {}, "The match is over: ", ...names, winners.length === 1 ? " wins." : " share the victory.")];
}
