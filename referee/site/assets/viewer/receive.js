/** How a match reaches the page: by classic scripts that call `golfref.receive(view, data)`, also from file://. */

import { documentOf } from "./unpack.js";

/** @type {Map<string, string>} */
const packed = new Map();

/**
 * Takes the packed document of a view: base64 of JSON (referee/film/packed.py) that is compressed by deflate.
 * @param {string} view
 * @param {string} data
 */
export function receive(view, data) {
    packed.set(view, data);
}

/**
 * The views whose documents have arrived.
 * @returns {string[]}
 */
export function received() {
    return [...packed.keys()];
}

/**
 * The document of a view. It fails where that has not arrived.
 * @param {string} view
 * @returns {Promise<any>}
 */
export async function unpacked(view) {
    return documentOf(await inflated(view), await inflated("public"));
}

/**
 * What a file holds. It fails where that has not arrived.
 * @param {string} view
 * @returns {Promise<any>}
 */
async function inflated(view) {
    const data = packed.get(view);
    if (data === undefined) throw new Error(`the file ${view}.js of this match is missing`);
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
}

/**
 * The document of a view whose file the page has not loaded at once: its script is put into the page now.
 * @param {string} view
 * @returns {Promise<any>}
 */
export async function unpackedLater(view) {
    if (!packed.has(view)) {
        await new Promise((resolve) => {
            const script = document.createElement("script");
            script.addEventListener("load", resolve);
            script.addEventListener("error", resolve);
            script.src = `${view}.js`;
            document.head.append(script);
        });
    }
    return unpacked(view);
}

/**
 * What other scripts, consoles and tests find: `receive`, and `shown`, the match as the page shows it now.
 * @type {{receive: typeof receive, shown: Model | null}}
 */
export const golfref = ((/** @type {any} */ (globalThis)).golfref = { receive, shown: null });
