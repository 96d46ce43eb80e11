/** How a match reaches the page: a classic script calls `golfref.receive(base64)`, also from file://. */

/**
 * The documents of all views with the first view's steps, and each step as all views have it (match_page.py says how).
 * @typedef {{documents: StatesDocument[], steps: (Step | null)[][]}} Packed
 */

/** @type {Promise<Packed> | null} */
let arrived = null;

/**
 * Takes the match: JSON that is compressed by deflate and written as base64.
 * @param {string} base64
 */
export function receive(base64) {
    arrived = inflated(base64);
    arrived.catch(() => {}); // whoever asks for a document is told
}

/**
 * @param {string} base64
 * @returns {Promise<Packed>}
 */
async function inflated(base64) {
    if (!("DecompressionStream" in globalThis)) throw new Error("this browser is older than 2023 and cannot unpack it; use a newer one");
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
}

/**
 * The document of a view: `public`, `open`, `seat0` and so on.
 * @param {string} view
 * @returns {Promise<StatesDocument>}
 */
export async function unpacked(view) {
    if (arrived === null) throw new Error("the file match.js beside this page is missing");
    const { documents, steps } = await arrived;
    const number = documents.findIndex((one) => viewOf(one) === view);
    if (number < 0) throw new Error(`it has no view ${view}`);
    const wires = view === "open" ? documents.flatMap((one) => one.wires) : documents[number].wires;
    return { ...documents[number], wires, steps: steps.map((row) => row[number] ?? /** @type {Step} */ (row[0])) };
}

/**
 * How the view of a document is called.
 * @param {StatesDocument} document
 * @returns {string}
 */
export function viewOf({ view, seat }) {
    return view === "seat" ? `seat${seat}` : view;
}

/**
 * What other scripts, consoles and tests find: `receive`, and `shown`, the match as the page shows it now.
 * @type {{receive: typeof receive, shown: Model | null}}
 */
export const golfref = ((/** @type {any} */ (globalThis)).golfref = { receive, shown: null });
