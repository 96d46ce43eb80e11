/** What passed on a wire, entry by entry: as it is told, as it is read, and as it is found. It knows no page. */

import { timeInWords } from "./race.js";

/**
 * A line of the pane.
 * @typedef {object} WireRow
 * @property {number} step the number of the step after which it stands; -1 before the first
 * @property {"sent" | "wrote" | "note" | "fault"} kind
 * @property {string} title what it is, in a few words
 * @property {string} text the line as it passed, safe to show; empty for notes
 */

const UNSAFE =
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/**
 * A stranger's text with all that could disguise it escaped, as the referee's own reports do (protocol/text.py).
 * @param {string} text
 * @returns {string}
 */
export function harmless(text) {
    return text.replace(UNSAFE, (letter) => {
        const code = (letter.codePointAt(0) ?? 0).toString(16);
        return code.length < 3 ? `\\x${code.padStart(2, "0")}` : code.length < 5 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
    });
}

/**
 * The same line with its JSON on several lines; as it is where it is no JSON.
 * @param {string} text
 * @returns {string}
 */
export function indented(text) {
    try {
        return JSON.stringify(JSON.parse(text), null, 2).split("\n").map(harmless).join("\n");
    } catch {
        return harmless(text);
    }
}

/**
 * The rows of a wire, in order.
 * @param {Wire} wire
 * @returns {WireRow[]}
 */
export function wireRows(wire) {
    return wire.entries.flatMap(([step, entry]) => rowsOf(entry).map((row) => ({ step, ...row })));
}

/**
 * @param {WireEntry} entry
 * @returns {Omit<WireRow, "step">[]}
 */
function rowsOf(entry) {
    switch (entry.what) {
        case "sent":
            return entry.text.replace(/\n$/, "").split("\n").map((text) => ({ kind: "sent", title: sentInWords(text, entry.limit_s ?? 0), text }));
        case "wrote":
            return [{ kind: "wrote", title: wroteInWords(entry), text: entry.text.replace(/\r?\n$/, "") }];
        case "took":
            return [{ kind: "note", title: tookInWords(entry.us, entry.waived_us ?? 0, entry.in_window ?? false), text: "" }];
        case "joined":
            return [{ kind: "note", title: `The answer before brought this one along: ${harmless(JSON.stringify(entry.action))}`, text: "" }];
        case "fault":
            return [{ kind: "fault", title: `${entry.forfeits ? "Fault that forfeits the match" : "Fault"}: ${entry.kind}: ${harmless(entry.detail)}`, text: "" }];
        case "late":
            return [{ kind: "note", title: `Late, which is a pass and no fault. ${harmless(entry.hint)}`, text: "" }];
        default:
            return [];
    }
}

/**
 * @param {string} text
 * @param {number} limit_s
 * @returns {string}
 */
function sentInWords(text, limit_s) {
    const limit = limit_s ? `, at most ${Number(limit_s.toFixed(3))} s for the answer` : "";
    try {
        const { type, decision } = JSON.parse(text);
        return `Sent: ${harmless(String(type ?? "a line"))}${decision ? ` for ${harmless(String(decision))}` : ""}, ${sizeInWords(text.length)}${limit}`;
    } catch {
        return `Sent: ${sizeInWords(text.length)}${limit}`;
    }
}

/**
 * @param {{text: string, size: number, ignored?: string}} wrote
 * @returns {string}
 */
function wroteInWords({ text, size, ignored }) {
    const isCut = new TextEncoder().encode(text).length < size;
    const cut = isCut ? `, of which the start is kept` : text.endsWith("\n") ? "" : ", without a newline";
    return `Wrote: ${sizeInWords(size)}${cut}${ignored ? `; ignored: ${harmless(ignored)}` : ""}`;
}

/**
 * @param {number} us
 * @param {number} waived
 * @param {boolean} inWindow
 * @returns {string}
 */
function tookInWords(us, waived, inWindow) {
    if (inWindow) return `The answer took ${timeInWords(us)}, as it counted in the slap window`;
    if (!us) return `Nothing was charged for the answer${waived ? `: ${timeInWords(waived)} of waiting were waived` : ""}`;
    return `The answer took ${timeInWords(us)}${waived ? `, and ${timeInWords(waived)} that are not charged` : ""}`;
}

/**
 * @param {number} bytes
 * @returns {string}
 */
function sizeInWords(bytes) {
    return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}

/**
 * The rows in which a text is found, in whatever case.
 * @param {readonly WireRow[]} rows
 * @param {string} wanted
 * @returns {WireRow[]}
 */
export function rowsWith(rows, wanted) {
    const low = wanted.toLowerCase();
    return rows.filter((row) => row.text.toLowerCase().includes(low) || row.title.toLowerCase().includes(low));
}
