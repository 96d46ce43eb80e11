/** How a match reaches the page: by classic scripts that call `golfref.receive(view, count, letters)`, also from file://. */

import { documentOf } from "./unpack.js";

/** The character for 15 bits that are 0 (referee/site/data_script.py). */
const FIRST = 0x3400;

/** @type {Map<string, Uint8Array>} */
const packed = new Map();

/**
 * Takes the packed document of a view: JSON (referee/match_states/packed.py) that is compressed by deflate.
 * @param {string} view
 * @param {number} count how many bytes that is
 * @param {string} letters the bytes, 15 bits in each character
 */
export function receive(view, count, letters) {
    packed.set(view, bytesOf(letters, count));
}

/**
 * The bytes that stand in the letters.
 * @param {string} letters
 * @param {number} count
 * @returns {Uint8Array}
 */
function bytesOf(letters, count) {
    const bytes = new Uint8Array(count);
    let held = 0;
    let bits = 0;
    let at = 0;
    for (let i = 0; i < letters.length; i++) {
        held = (held << 15) | (letters.charCodeAt(i) - FIRST);
        bits += 15;
        while (bits >= 8 && at < count) {
            bits -= 8;
            bytes[at++] = (held >> bits) & 255;
        }
        held &= (1 << bits) - 1;
    }
    return bytes;
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
    const bytes = packed.get(view);
    if (bytes === undefined) throw new Error(`the file ${view}.js of this match is missing`);
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
