/** Documents as they were before referee/match_states/packed.py made them small: it says what the marks mean. */

/**
 * The document of a view.
 * @param {any} packed The view's file.
 * @param {any} shared The public file, with what the others refer to.
 * @returns {any}
 */
export function documentOf(packed, shared) {
    const document = spread(packed.document);
    for (const wire of document.wires) wire.entries = entriesOf(wire.entries, shared);
    return document;
}

/**
 * The value with its lists as they were.
 * @param {any} value
 * @returns {any}
 */
function spread(value) {
    if (Array.isArray(value)) return LISTS[value[0]](value);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spread(one)]));
}

/**
 * By the first element of a list, how it is told.
 * @type {Record<string, (list: any[]) => any[]>}
 */
const LISTS = {
    l: (list) => list.slice(1).map(spread),
    d: (list) => {
        let sum = 0;
        return list.slice(1).map((step) => (sum += step));
    },
    c: ([, count, columns]) => {
        const rows = Array.from({ length: count }, () => /** @type {Record<string, any>} */ ({}));
        for (const [key, [has, column]] of Object.entries(columns)) {
            const values = spread(column);
            const numbers = has === 0 ? values.keys() : spread(has).values();
            let next = 0;
            for (const number of numbers) rows[number][key] = values[next++];
        }
        return rows;
    },
    t: ([, ...columns]) => {
        const values = columns.map(spread);
        return values[0].map((/** @type {any} */ _, /** @type {number} */ row) => values.map((column) => column[row]));
    },
    f: ([, lengths, values]) => {
        const all = spread(values);
        let from = 0;
        return spread(lengths).map((/** @type {number} */ length) => all.slice(from, (from += length)));
    },
};

/**
 * The entries of a wire with all that follows from their texts.
 * @param {any[]} entries
 * @param {any} shared
 * @returns {any[]}
 */
function entriesOf(entries, shared) {
    let event = 0;
    let wrote = "";
    return entries.map(([step, entry]) => {
        if (entry.what === "sent") {
            const text = entry.text.replace(/[\u0001\u0002]|\u0003\d/g, (/** @type {string} */ mark) => {
                if (mark[0] === "\u0003") return shared.shared[Number(mark[1])];
                const told = shared.told[event++];
                return mark === "\u0001" ? told : "";
            });
            const ids = [...text.matchAll(/"id":"([^"]*)"/g)];
            const awaits = entry.awaits ?? (ids.length ? ids[ids.length - 1][1] : null);
            return [step, { ...entry, text, ...(awaits === null ? {} : { awaits }) }];
        }
        if (entry.what === "wrote") {
            wrote = entry.text;
            return [step, { ...entry, size: entry.size ?? new TextEncoder().encode(wrote).length }];
        }
        if (entry.what === "took" && !("action" in entry)) return [step, { ...entry, action: actionOf(wrote) }];
        return [step, entry.action === null ? { ...entry, action: undefined } : entry];
    });
}

/**
 * The action in a line that a bot wrote.
 * @param {string} line
 * @returns {any}
 */
function actionOf(line) {
    try {
        return JSON.parse(line).action;
    } catch {
        return undefined;
    }
}
