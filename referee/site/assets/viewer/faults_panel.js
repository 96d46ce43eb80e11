/** The faults of the bots, where they happened, each a way to its step. */

import { who } from "./cards.js";
import { button, h, say } from "./dom.js";
import { seatName } from "./pieces.js";
import { placeInWords } from "./steps.js";
import { harmless } from "./wire.js";
import { standardErrorOf } from "./wire_panel.js";

/** How many faults are listed at most. */
const MOST_FAULTS = 200;

/**
 * @typedef {object} FaultAt
 * @property {number} step
 * @property {number} seat
 * @property {string} decision what was to be decided; empty where that is not told
 * @property {FaultOfStep} fault
 */

/** @returns {Panel} */
export function faultsPanel() {
    /** @type {Map<number, HTMLElement[]>} */
    const items = new Map();
    return {
        title: "Faults",
        mount(element, model) {
            if (model.view === "public") return false;
            const faults = faultsOf(model);
            if (!faults.length) {
                const whose = model.view === "open" ? "No bot was at fault in this match." : "This bot was not at fault in this match.";
                element.append(h("p", { class: "note" }, whose));
                return true;
            }
            const shown = faults.slice(0, MOST_FAULTS);
            const list = h("ol", { class: "faults" }, ...shown.map((one) => faultItem(model, one, items)));
            const rest = faults.length - shown.length;
            element.append(list, ...(rest ? [h("p", { class: "note" }, `and ${rest} more`)] : []), ...errorsOf(model, faults));
        },
        show(_, number) {
            for (const [step, some] of items) {
                for (const item of some) {
                    if (step === number) item.setAttribute("aria-current", "step");
                    else item.removeAttribute("aria-current");
                }
            }
        },
    };
}

/**
 * All faults of which this view is told, in order.
 * @param {Model} model
 * @returns {FaultAt[]}
 */
export function faultsOf(model) {
    const answered = model.steps.flatMap((step, number) =>
        (step.answers ?? []).flatMap(({ seat, decision, fault }) => (fault ? [{ step: number, seat, decision: decision ?? "", fault }] : [])),
    );
    const slapped = model.windows.flatMap((slaps) =>
        (slaps.reactions ?? []).flatMap(({ seat, fault }) => (fault ? [{ step: slaps.step, seat, decision: "slap", fault }] : [])),
    );
    return [...answered, ...slapped].sort((one, other) => one.step - other.step || one.seat - other.seat);
}

/**
 * The faults of which this view is told, by the step at which they happened.
 * @param {Model} model
 * @returns {Map<number, FaultAt[]>}
 */
export function faultsByStep(model) {
    /** @type {Map<number, FaultAt[]>} */
    const found = new Map();
    for (const one of model.view === "public" ? [] : faultsOf(model)) found.set(one.step, [...(found.get(one.step) ?? []), one]);
    return found;
}

/**
 * What a fault means for the step at which it happened.
 * @param {Model} model
 * @param {FaultAt} one
 * @returns {string}
 */
export function defaultInWords(model, { seat, decision, fault }) {
    const played = fault.forfeits ? "It forfeits the match" : "A default is played for it";
    return `Fault of ${who(model, seat)}${decision ? ` at the decision ${decision}` : ""}: ${kindOf(fault)}. ${played}; the panel \u201CFaults\u201D tells more.`;
}

/** @param {FaultOfStep} fault */
function kindOf(fault) {
    return fault.kind.replace(/_/g, " ");
}

/**
 * @param {Model} model
 * @param {FaultAt} one
 * @param {Map<number, HTMLElement[]>} items
 * @returns {HTMLElement}
 */
function faultItem(model, { step, seat, decision, fault }, items) {
    const way = button({ class: "plain" }, () => model.goTo(step), placeInWords(model.steps[step]));
    const cost = fault.forfeits ? " It forfeits the match." : "";
    const item = h(
        "li",
        {},
        way,
        ": ",
        seatName(model, seat),
        h("span", { class: "fault-kind" }, ` ${kindOf(fault)}`),
        decision ? ` at the decision ${decision}` : "",
        `: ${harmless(fault.detail)}.${cost}`,
        fault.line ? h("pre", { tabindex: 0, role: "group", "aria-label": "the line at which it was at fault" }, harmless(fault.line)) : null,
    );
    items.set(step, [...(items.get(step) ?? []), item]);
    return item;
}

/**
 * For each bot at fault a way to its standard error, which is loaded when it is asked for.
 * @param {Model} model
 * @param {readonly FaultAt[]} faults
 * @returns {HTMLElement[]}
 */
function errorsOf(model, faults) {
    const seats = [...new Set(faults.map((one) => one.seat))].sort((one, other) => one - other);
    return seats.map((seat) => {
        const place = h("div", {});
        const ask = button({ class: "plain" }, () => void load(), "Show the standard error of ", seatName(model, seat));
        async function load() {
            try {
                const wire = await model.wire(seat);
                const found = wire ? standardErrorOf(wire) : [];
                found.forEach((one) => one.setAttribute("open", ""));
                place.replaceChildren(...(found.length ? found : [h("p", { class: "note" }, "It wrote nothing to standard error, or nothing was kept.")]));
            } catch (error) {
                say(place, `The standard error cannot be shown: ${error instanceof Error ? error.message : String(error)}.`);
            }
        }
        return h("div", {}, ask, place);
    });
}
