/** The faults of the bots, where they happened, each a way to its step. */

import { button, h, harmless, lineBox } from "./dom.js";
import { placeInWords } from "./steps.js";
import { seatName } from "./words.js";

/** How many faults are listed at most. */
const MOST_FAULTS = 200;

/** @typedef {{step: number, seat: number, decision: string, fault: FaultOfStep}} FaultAt `decision` is empty where it is not known */

/**
 * The faults that this view may know, in order, by the step at which they happened.
 * @param {Model} model
 */
export function faultsByStep(model) {
    const answered = model.steps.flatMap((step, number) => (step.answers ?? []).map((one) => ({ ...one, step: number, decision: one.decision ?? "" })));
    const slapped = model.windows.flatMap((slaps) => (slaps.reactions ?? []).map((one) => ({ ...one, step: slaps.step, decision: "slap" })));
    /** @type {Map<number, FaultAt[]>} */
    const found = new Map();
    for (const { step, seat, decision, fault } of [...answered, ...slapped].sort((one, other) => one.step - other.step || one.seat - other.seat)) {
        if (fault) found.set(step, [...(found.get(step) ?? []), { step, seat, decision, fault }]);
    }
    return found;
}

/** @param {FaultOfStep} fault */
export function kindOf(fault) {
    return fault.kind.replace(/_/g, " ");
}

/** @returns {Panel} */
export function faultsPanel() {
    /** @type {Map<HTMLElement, number>} */
    const steps = new Map();
    return {
        title: "Faults",
        place: "beside",
        mount(element, model) {
            if (model.view === "public") return false;
            const faults = [...faultsByStep(model).values()].flat();
            for (const one of faults.slice(0, MOST_FAULTS)) steps.set(faultItem(model, one), one.step);
            const whose = model.view === "open" ? "No bot was" : "This bot was not";
            element.append(h("ol", { class: "faults" }, ...steps.keys()));
            if (!faults.length) element.append(h("p", { class: "note" }, `${whose} at fault in this match.`));
            else element.append(h("p", { class: "note" }, faults.length > MOST_FAULTS && `and ${faults.length - MOST_FAULTS} more. `, "What a bot wrote to standard error stands with its lines."));
        },
        show(_, number) {
            for (const [item, step] of steps) item.classList.toggle("is-current", step === number);
        },
    };
}

/** @param {Model} model @param {FaultAt} one */
function faultItem(model, { step, seat, decision, fault }) {
    return h(
        "li",
        {},
        button({ class: "plain" }, () => model.goTo(step), placeInWords(model.steps[step])),
        ": ",
        seatName(model, seat),
        h("b", {}, ` ${kindOf(fault)}`),
        `${decision && ` at the decision ${decision}`}: ${harmless(fault.detail)}.${fault.forfeits ? " It forfeits the match." : ""}`,
        fault.line ? lineBox("the line at which it was at fault", harmless(fault.line)) : null,
    );
}
