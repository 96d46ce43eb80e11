/** The panels beside the table, in their order. */

import { barPanel } from "./bar.js";
import { logPanel } from "./log.js";
import { scoresPanel } from "./scores.js";

/**
 * New ones for each match or view that is opened.
 * @returns {Panel[]}
 */
export function panels() {
    return [logPanel(), barPanel(), scoresPanel()];
}
