/** What each bot was sent and answered: the lines as they passed, folded, and found by a search. */

import { button, fill, h, harmless, lineBox, say } from "./dom.js";
import { placeInWords } from "./steps.js";
import { counted, seatName, timeInWords, who } from "./words.js";

/** How many rows a search shows at most, and how long a line may be that is unfolded where it was found. */
const MOST_FOUND = 100;
const MOST_UNFOLDED = 2000;

/**
 * A line of the pane: the number of the step after which it stands (-1 before the first), what it is in a few words, and
 * the line as it passed, if there is one.
 * @typedef {{step: number, kind: "sent" | "wrote" | "note" | "fault", title: string, text?: string}} WireRow
 */

/** @type {Record<WireRow["kind"], string>} */
const SIGNS = { sent: "\u25B6\uFE0E", wrote: "\u25C0\uFE0E", note: "\u2022", fault: "\u2715" };

/** @returns {Panel} */
export function wirePanel() {
    /** @type {(number: number) => void} */
    let show;
    return {
        title: "What the bots were sent and answered",
        place: "below",
        mount(element, model) {
            const seats = model.bots.map((_, seat) => seat).filter((seat) => model.view === "open" || model.view === `seat${seat}`);
            if (!seats.length) return false;
            show = paneIn(element, model, seats);
        },
        show: (_, number) => show(number),
    };
}

/** @param {HTMLElement} element @param {Model} model @param {number[]} seats those whose lines this view may show */
function paneIn(element, model, seats) {
    const message = h("p", { class: "note", role: "status" });
    const list = h("ol", { class: "wire", tabindex: 0, role: "list", "aria-label": "lines of this turn" });
    const end = h("div", {});
    const search = h("input", { type: "search", "aria-label": "search in all lines of this bot", placeholder: "search in all lines" });
    const isPretty = h("input", { type: "checkbox" });
    const options = seats.map((seat) => h("option", { value: seat }, who(model, seat)));
    const choice = h("select", { "aria-label": "whose lines" }, ...(seats.length > 1 ? [h("option", { value: "" }, "choose a bot")] : []), ...options);
    /** @type {WireRow[]} */
    let rows = [];
    let current = 0;

    function choose() {
        const wire = choice.value === "" ? undefined : model.wire(Number(choice.value));
        rows = wire ? rowsOf(wire) : [];
        fill(end, ...(wire ? endOf(wire) : []));
        refresh();
    }

    function refresh() {
        const wanted = search.value.trim();
        const found = rows.filter((row) => (wanted ? has(row, wanted) : isAt(model, row, current)));
        fill(list, ...found.slice(0, MOST_FOUND).map((row) => itemOf(model, row, wanted, current, isPretty.checked)));
        say(message, choice.value === "" ? "Choose a bot to read its lines." : wanted ? foundInWords(found.length, wanted) : hereInWords(model, found.length, current));
        const now = list.querySelector(".is-current");
        if (now instanceof HTMLElement) list.scrollTop = Math.max(0, now.offsetTop - 8);
    }

    choice.addEventListener("change", choose);
    search.addEventListener("input", refresh);
    isPretty.addEventListener("change", refresh);
    element.append(h("div", { class: "wire-tools" }, seats.length > 1 ? choice : seatName(model, seats[0]), search, h("label", {}, isPretty, " indent JSON")), message, list, end);
    choose();
    return (/** @type {number} */ number) => {
        const isOther = number !== current;
        current = number;
        if (isOther && !search.value.trim()) refresh();
    };
}

/** @param {WireRow} row @param {string} wanted */
function has({ title, text = "" }, wanted) {
    return `${title}\n${text}`.toLowerCase().includes(wanted.toLowerCase());
}

/** @param {Model} model @param {WireRow} row */
function stepOf(model, row) {
    return Math.min(row.step + 1, model.steps.length - 1);
}

/**
 * Whether a row belongs to the turn or window that is shown.
 * @param {Model} model @param {WireRow} row @param {number} current
 */
function isAt(model, row, current) {
    return placeInWords(model.steps[stepOf(model, row)]) === placeInWords(model.steps[current]);
}

/** @param {Model} model @param {WireRow} row @param {string} wanted @param {number} current @param {boolean} isPretty */
function itemOf(model, row, wanted, current, isPretty) {
    const step = stepOf(model, row);
    const title = h("span", {}, h("span", { class: "wire-sign", "aria-hidden": "true" }, SIGNS[row.kind]), ` ${row.title}`);
    const way = (wanted || row.kind === "fault") && button({ class: "plain" }, () => model.goTo(step), `to ${placeInWords(model.steps[step])}`);
    const attributes = { class: `wire-row is-${row.kind}${!wanted && step === current ? " is-current" : ""}` };
    if (!row.text) return h("li", attributes, title, way);
    const text = isPretty ? indented(row.text) : harmless(row.text);
    const isOpen = wanted !== "" && row.text.length < MOST_UNFOLDED;
    return h("li", attributes, h("details", { open: isOpen }, h("summary", {}, title), lineBox("the line", ...marked(text, wanted))), way);
}

/**
 * The same line with its JSON on several lines; as it is where it is no JSON.
 * @param {string} text
 */
function indented(text) {
    try {
        return JSON.stringify(JSON.parse(text), null, 2).split("\n").map(harmless).join("\n");
    } catch {
        return harmless(text);
    }
}

/** @param {string} text @param {string} wanted @returns {(Node | string)[]} */
function marked(text, wanted) {
    const [low, part] = [text.toLowerCase(), wanted.toLowerCase()];
    const at = part ? low.indexOf(part) : -1;
    if (at < 0) return [text];
    const end = at + part.length;
    return [text.slice(0, at), h("mark", {}, text.slice(at, end)), ...marked(text.slice(end), wanted)];
}

/** @param {Wire} wire */
function rowsOf(wire) {
    return wire.entries.flatMap(([step, entry]) => rowsOfEntry(entry).map((row) => ({ step, ...row })));
}

/** @param {WireEntry} entry @returns {Omit<WireRow, "step">[]} */
function rowsOfEntry(entry) {
    switch (entry.what) {
        case "sent":
            return entry.text.replace(/\n$/, "").split("\n").map((text) => ({ kind: "sent", title: sentInWords(text, entry.limit_s ?? 0), text }));
        case "wrote":
            return [{ kind: "wrote", title: wroteInWords(entry), text: entry.text.replace(/\r?\n$/, "") }];
        case "took":
            return [{ kind: "note", title: tookInWords(entry.us, entry.waived_us ?? 0, entry.in_window ?? false) }];
        case "joined":
            return [{ kind: "note", title: `The answer before brought this one along: ${harmless(JSON.stringify(entry.action))}` }];
        case "fault":
            return [{ kind: "fault", title: `${entry.forfeits ? "Fault that forfeits the match" : "Fault"}: ${entry.kind}: ${harmless(entry.detail)}` }];
        case "late":
            return [{ kind: "note", title: `Late, which is a pass and no fault. ${harmless(entry.hint)}` }];
    }
}

/** @param {string} text @param {number} limit_s */
function sentInWords(text, limit_s) {
    const limit = limit_s ? `, at most ${Number(limit_s.toFixed(3))} s for the answer` : "";
    const { type, decision } = JSON.parse(text);
    return `Sent: ${type}${decision ? ` for ${decision}` : ""}, ${sizeInWords(text.length)}${limit}`;
}

/** @param {{text: string, size: number, ignored?: string}} wrote */
function wroteInWords({ text, size, ignored }) {
    const isCut = new TextEncoder().encode(text).length < size;
    const cut = isCut ? ", of which the start is kept" : text.endsWith("\n") ? "" : ", without a newline";
    return `Wrote: ${sizeInWords(size)}${cut}${ignored ? `; ignored: ${harmless(ignored)}` : ""}`;
}

/** @param {number} us @param {number} waived @param {boolean} inWindow */
function tookInWords(us, waived, inWindow) {
    if (inWindow) return `The answer took ${timeInWords(us)}, as it counted in the slap window`;
    if (!us) return `Nothing was charged for the answer${waived ? `: ${timeInWords(waived)} of waiting were waived` : ""}`;
    return `The answer took ${timeInWords(us)}${waived ? `, and ${timeInWords(waived)} that are not charged` : ""}`;
}

/** @param {number} bytes */
function sizeInWords(bytes) {
    return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}

/**
 * What stands at the end of a wire: how much came in all, and standard error, folded.
 * @param {Wire} wire
 */
function endOf({ entries, wrote_lines, wrote_bytes, stderr, stderr_bytes }) {
    const kept = entries.filter(([, entry]) => entry.what === "wrote").length;
    const text = stderr.split("\n").map(harmless).join("\n");
    return [
        wrote_lines > kept && h("p", { class: "note" }, `${wrote_lines} lines and ${wrote_bytes} bytes came in all; ${kept} lines are kept.`),
        stderr_bytes && h("details", { class: "standard-error" }, h("summary", {}, `Standard error, ${stderr_bytes} bytes`), lineBox("standard error", text)),
    ];
}

/** @param {number} count @param {string} wanted */
function foundInWords(count, wanted) {
    if (!count) return `No line of this bot has "${wanted}".`;
    return `${count} ${count === 1 ? "line has" : "lines have"} "${wanted}"${count > MOST_FOUND ? `; here are the first ${MOST_FOUND}` : ""}.`;
}

/** @param {Model} model @param {number} count @param {number} current */
function hereInWords(model, count, current) {
    const place = placeInWords(model.steps[current]);
    return count ? `${counted(count, "line")} of ${place}. What led to this step has a bar on its left.` : `This bot was sent nothing in ${place}.`;
}
