/** What each bot was sent and answered, beside the table: the lines as they passed, folded, and found by a search. */

import { who } from "./cards.js";
import { button, h, say } from "./dom.js";
import { seatName } from "./pieces.js";
import { placeInWords } from "./steps.js";
import { harmless, indented, rowsWith, wireRows } from "./wire.js";

/** How many rows a search shows at most. */
const MOST_FOUND = 100;

/** Lines that a search has found are unfolded at once where they have fewer characters than this. */
const MOST_UNFOLDED = 2000;

/** @typedef {import("./wire.js").WireRow} WireRow */

/** @returns {Panel} */
export function wirePanel() {
    /** @type {ReturnType<typeof paneOf> | null} */
    let pane = null;
    return {
        title: "What the bots were sent and answered",
        mount(element, model) {
            const seats = model.bots.map((_, seat) => seat).filter((seat) => model.view === "open" || model.view === `seat${seat}`);
            if (!seats.length) return false;
            pane = paneOf(model, seats);
            element.append(pane.element);
        },
        show(_, number) {
            if (pane) pane.show(number);
        },
    };
}

/**
 * @param {Model} model
 * @param {number[]} seats those whose lines this view may show
 */
function paneOf(model, seats) {
    const message = h("p", { class: "note", role: "status" });
    const near = h("p", { class: "note near" });
    const list = h("ol", { class: "wire", tabindex: 0, role: "list", "aria-label": "lines of this turn" });
    const end = h("div", {});
    const search = h("input", { type: "search", "aria-label": "search in all lines of this bot", placeholder: "search in all lines" });
    const pretty = h("input", { type: "checkbox" });
    /** @type {number | null} */
    let seat = seats.length === 1 ? seats[0] : null;
    /** @type {WireRow[]} */
    let rows = [];
    /** @type {WeakSet<WireRow>} */
    const unfolded = new WeakSet();
    let current = 0;
    const choice = h("select", { "aria-label": "whose lines" }, seats.length > 1 ? h("option", { value: "" }, "choose a bot") : null, ...seats.map((one) => h("option", { value: one, selected: one === seat }, who(model, one))));

    choice.addEventListener("change", () => void choose(choice.value === "" ? null : Number(choice.value)));
    search.addEventListener("input", fill);
    pretty.addEventListener("change", fill);

    /** @param {number | null} chosen */
    async function choose(chosen) {
        seat = chosen;
        rows = [];
        end.replaceChildren();
        if (seat === null) return fill();
        say(message, "The lines are loading.");
        try {
            const wire = await model.wire(seat);
            if (seat !== chosen) return;
            rows = wire ? wireRows(wire) : [];
            if (wire) end.replaceChildren(...endOf(wire));
        } catch (error) {
            if (seat !== chosen) return;
            return say(message, `The lines cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
        }
        fill();
    }

    function fill() {
        const wanted = search.value.trim();
        const found = wanted ? rowsWith(rows, wanted) : rows.filter((row) => isNear(model, row, current));
        const shown = found.slice(0, MOST_FOUND);
        list.replaceChildren(...shown.map((row) => itemOf(model, row, { isPretty: pretty.checked, wanted, current, unfolded })));
        say(message, wanted && seat !== null ? foundInWords(found.length, wanted) : "");
        say(near, seat === null ? "Choose a bot to read its lines." : wanted ? "" : nearInWords(model, found.length, current));
        const now = list.querySelector("[aria-current]");
        if (now instanceof HTMLElement) list.scrollTop = Math.max(0, now.offsetTop - list.offsetTop - 8);
    }

    const element = h(
        "div",
        { class: "wire-pane" },
        h("div", { class: "wire-tools" }, seats.length > 1 ? choice : h("p", {}, seatName(model, seats[0])), search, h("label", {}, pretty, " indent JSON")),
        message,
        near,
        list,
        end,
    );
    if (seat !== null) void choose(seat);
    else fill();
    return {
        element,
        /** @param {number} number */
        show(number) {
            const isOther = number !== current;
            current = number;
            if (isOther && !search.value.trim()) fill();
        },
    };
}

/**
 * Whether a row belongs to what is shown: to the same turn or window, or to the step that came of it.
 * @param {Model} model
 * @param {WireRow} row
 * @param {number} current
 * @returns {boolean}
 */
function isNear(model, row, current) {
    const step = model.steps[current];
    const came = model.steps[Math.min(row.step + 1, model.steps.length - 1)];
    return came.round === step.round && came.turn === step.turn && (came.window ?? 0) === (step.window ?? 0);
}

/**
 * @param {Model} model
 * @param {WireRow} row
 * @param {{isPretty: boolean, wanted: string, current: number, unfolded: WeakSet<WireRow>}} how
 * @returns {HTMLElement}
 */
function itemOf(model, row, { isPretty, wanted, current, unfolded }) {
    const next = Math.min(row.step + 1, model.steps.length - 1);
    const isNow = !wanted && next === current;
    const attributes = { class: `wire-row is-${row.kind}`, "aria-current": isNow ? "step" : null };
    const title = h("span", {}, h("span", { class: "wire-sign", "aria-hidden": "true" }, SIGNS[row.kind]), ` ${row.title}`);
    const way = wanted || row.kind === "fault" ? button({ class: "plain" }, () => model.goTo(next), `to ${placeInWords(model.steps[next])}`) : null;
    if (!row.text) return h("li", attributes, title, way);
    const line = h("pre", { tabindex: 0, role: "group", "aria-label": "the line" });
    const isFound = wanted !== "" && row.text.length < MOST_UNFOLDED;
    const fold = h("details", { open: isFound || unfolded.has(row) }, h("summary", {}, title), line);
    const unfold = () => {
        if (fold.open) unfolded.add(row);
        else unfolded.delete(row);
        if (fold.open && !line.textContent) line.append(...marked(isPretty ? indented(row.text) : harmless(row.text), wanted));
    };
    fold.addEventListener("toggle", unfold);
    unfold();
    return h("li", attributes, fold, way);
}

/** @type {Record<WireRow["kind"], string>} */
const SIGNS = { sent: "\u25B6\uFE0E", wrote: "\u25C0\uFE0E", note: "\u2022", fault: "\u2715" };

/**
 * A text with what was searched for marked.
 * @param {string} text
 * @param {string} wanted
 * @returns {(Node | string)[]}
 */
function marked(text, wanted) {
    if (!wanted) return [text];
    /** @type {(Node | string)[]} */
    const parts = [];
    const low = text.toLowerCase();
    let from = 0;
    for (let at = low.indexOf(wanted.toLowerCase()); at >= 0; at = low.indexOf(wanted.toLowerCase(), from)) {
        parts.push(text.slice(from, at), h("mark", {}, text.slice(at, at + wanted.length)));
        from = at + wanted.length;
    }
    return [...parts, text.slice(from)];
}

/**
 * What stands at the end of a wire: how much came in all, and standard error.
 * @param {Wire} wire
 * @returns {HTMLElement[]}
 */
function endOf(wire) {
    const kept = wire.entries.filter(([, entry]) => entry.what === "wrote").length;
    const notes = [];
    if (wire.wrote_lines > kept) notes.push(h("p", { class: "note" }, `${wire.wrote_lines} lines and ${wire.wrote_bytes} bytes came in all; ${kept} lines are kept.`));
    return [...notes, ...standardErrorOf(wire)];
}

/**
 * The standard error of a bot, folded; nothing where it wrote none.
 * @param {Wire} wire
 * @returns {HTMLElement[]}
 */
export function standardErrorOf(wire) {
    if (!wire.stderr_bytes) return [];
    const text = wire.stderr.split("\n").map(harmless).join("\n");
    const pre = h("pre", { tabindex: 0, role: "group", "aria-label": "standard error" }, text);
    return [h("details", { class: "standard-error" }, h("summary", {}, `Standard error, ${wire.stderr_bytes} bytes`), pre)];
}

/**
 * @param {number} count
 * @param {string} wanted
 * @returns {string}
 */
function foundInWords(count, wanted) {
    if (!count) return `No line of this bot has "${wanted}".`;
    const more = count > MOST_FOUND ? `; here are the first ${MOST_FOUND}` : "";
    return `${count} ${count === 1 ? "line has" : "lines have"} "${wanted}"${more}.`;
}

/**
 * @param {Model} model
 * @param {number} count
 * @param {number} current
 * @returns {string}
 */
function nearInWords(model, count, current) {
    const place = placeInWords(model.steps[current]);
    if (!count) return `This bot was sent nothing in ${place}.`;
    return `${count} ${count === 1 ? "line" : "lines"} of ${place}. What led to this step has a bar on its left.`;
}
