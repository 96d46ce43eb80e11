/** The panels beside the table, in their order. */

import { barPanel } from "./bar.js";
import { faultsPanel } from "./faults_panel.js";
import { logPanel } from "./log.js";
import { racePanel } from "./race_panel.js";
import { scoresPanel } from "./scores.js";
import { wirePanel } from "./wire_panel.js";

/**
 * New ones for each match or view that is opened.
 * @returns {Panel[]}
 */
export function panels() {
    return [racePanel(), logPanel(), wirePanel(), barPanel(), scoresPanel(), faultsPanel()];
}
