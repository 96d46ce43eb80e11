/** Lists that lead to steps: what happened in the round that is shown, and the faults of the bots. */

import { button, h, harmless, lineBox, oneStop } from "./dom.js";
import { placeInWords } from "./steps.js";
import { commentsAt, linesOf, meaningOf, seatName, sentence, titleOf } from "./words.js";

/** @returns {Panel} */
export function logPanel() {
    const list = h("ol", { class: "log", role: "list", "aria-label": "steps of this round" });
    let round = -1;
    /** @type {Map<number, HTMLButtonElement>} by step */
    const lines = new Map();
    oneStop(list, () => [...lines.values()]);

    /** @param {Model} model */
    function listSteps(model) {
        lines.clear();
        list.replaceChildren();
        const faults = faultsByStep(model);
        let turn = -1;
        model.steps.forEach((step, number) => {
            if (step.round !== round) return;
            if (step.turn !== turn) list.append(h("li", { class: "turn" }, step.turn ? `Turn ${step.turn}` : `Round ${step.round}`));
            turn = step.turn;
            const [told] = linesOf(step).told;
            const words = told && !["scored", "showdown"].includes(step.event) ? sentence(model, told) : titleOf(step.event);
            const more = { scored: scoresAt, showdown: () => [": ", meaningOf(step.event)] }[step.event];
            const line = button({ class: "line", tabindex: -1 }, () => model.goTo(number), words, ...(more?.(model, number) ?? []), faults.has(number) && h("span", { class: "at-fault" }, " \u2715 fault"));
            lines.set(number, line);
            list.append(h("li", { class: step.window ? "in-window" : null }, line, ...commentsAt(model, number)));
        });
    }

    return {
        title: "What happened",
        place: "beside",
        mount: (element) => element.append(list),
        show(model, number) {
            const hasFocus = list.contains(document.activeElement);
            if (model.steps[number].round !== round) {
                round = model.steps[number].round;
                listSteps(model);
            }
            for (const [step, line] of lines) {
                line.tabIndex = step === number ? 0 : -1;
                if (step === number) line.setAttribute("aria-current", "step");
                else line.removeAttribute("aria-current");
            }
            const line = /** @type {HTMLButtonElement} */ (lines.get(number));
            if (hasFocus && !list.contains(document.activeElement)) line.focus({ preventScroll: true }); // its line is gone
            list.scrollTop = Math.max(0, line.offsetTop - list.clientHeight / 2);
        },
    };
}

/**
 * The strokes of a round, by seat.
 * @param {Model} model
 * @param {number} number
 */
function scoresAt(model, number) {
    return model.states[number].seats.flatMap(({ score }, seat) => [seat ? ", " : ": ", seatName(model, seat), ` ${score}`]);
}

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
            for (const one of faults) steps.set(faultItem(model, one), one.step);
            const whose = model.view === "open" ? "No bot was" : "This bot was not";
            element.append(h("ol", { class: "faults" }, ...steps.keys()));
            element.append(h("p", { class: "note" }, faults.length ? "What a bot wrote to standard error stands with its lines." : `${whose} at fault in this match.`));
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
