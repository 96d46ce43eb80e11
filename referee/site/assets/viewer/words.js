/** The sentences of the steps, taken apart so that cards, slots and bots can be shown as what they are. Knows no page. */

/** @typedef {{kind: "text" | "card" | "seat" | "slot", text: string, seat?: number}} Token */

/**
 * The parts of a line. Names of bots are found first, so that a bot called `KH` stays a bot.
 * @param {string} line
 * @param {readonly Bot[]} bots
 * @returns {Token[]}
 */
export function tokens(line, bots) {
    const names = bots.map((bot, seat) => [`${seat} ${bot.name}`, seat]).sort((a, b) => String(b[0]).length - String(a[0]).length);
    /** @type {Token[]} */
    const found = [];
    let rest = line;
    while (rest) {
        let first = rest.length;
        /** @type {[string, number] | null} */
        let name = null;
        for (const [text, seat] of names) {
            const at = seatAt(rest, String(text));
            if (at >= 0 && at < first) [first, name] = [at, [String(text), Number(seat)]];
        }
        found.push(...plain(rest.slice(0, first)));
        if (name) found.push({ kind: "seat", text: name[0], seat: name[1] });
        rest = rest.slice(first + (name ? name[0].length : 0));
    }
    return found;
}

/**
 * Where a seat with its bot's name stands in a text as words of their own, or -1.
 * @param {string} text
 * @param {string} name
 * @returns {number}
 */
function seatAt(text, name) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
        if (at === 0 || /\s/.test(text[at - 1])) return at;
    }
    return -1;
}

const PARTS = /\b(?:(10|[0-9AJQK])([A-Z])|X\d+)\b|\bseat (\d+) s(\d+)\b|\bs(\d+)\b|\b(dealer|starter) (\d+)\b/g;

/**
 * @param {string} text
 * @returns {Token[]}
 */
function plain(text) {
    /** @type {Token[]} */
    const found = [];
    let at = 0;
    for (const match of text.matchAll(PARTS)) {
        const index = match.index ?? 0;
        if (index > at) found.push({ kind: "text", text: text.slice(at, index) });
        if (match[3] !== undefined) {
            found.push({ kind: "slot", text: `slot ${match[4]} of` }, { kind: "text", text: " " }, { kind: "seat", text: "", seat: Number(match[3]) });
        } else if (match[5] !== undefined) {
            found.push({ kind: "slot", text: `slot ${match[5]}` });
        } else if (match[6] !== undefined) {
            found.push({ kind: "text", text: `${match[6]} ` }, { kind: "seat", text: "", seat: Number(match[7]) });
        } else {
            found.push({ kind: "card", text: match[0] });
        }
        at = index + match[0].length;
    }
    if (at < text.length) found.push({ kind: "text", text: text.slice(at) });
    return found;
}

/**
 * What bots wrote for people with the answers from which a step follows.
 * @param {Model} model
 * @param {number} number
 * @returns {{seat: number, comment: string}[]}
 */
export function commentsAt(model, number) {
    const slapped = model.windows.flatMap((one) => (one.step === number ? one.reactions ?? [] : []));
    return [...(model.steps[number].answers ?? []), ...slapped].flatMap(({ seat, comment }) => (comment ? [{ seat, comment }] : []));
}

/**
 * The lines of a step apart: what happened, and what is noted besides (times, what was wrong with an answer).
 * @param {Step} step
 * @returns {{told: string[], notes: string[]}}
 */
export function linesOf(step) {
    const lines = (step.words ?? []).map((line) => line.replace(/^--- /, ""));
    return {
        told: lines.filter((line) => !line.startsWith("    ")),
        notes: lines.filter((line) => line.startsWith("    ")).map((line) => line.trim()),
    };
}
