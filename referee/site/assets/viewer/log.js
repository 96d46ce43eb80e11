/** The words of the steps of the round that is shown, each a way to its moment, with what bots wrote for people. */

import { button, h, oneStop } from "./dom.js";
import { titleOf } from "./events.js";
import { faultsByStep } from "./faults.js";
import { commentsAt, linesOf, seatMark, sentence } from "./words.js";

/** @returns {Panel} */
export function logPanel() {
    const list = h("ol", { class: "log", role: "list", "aria-label": "steps of this round" });
    let round = -1;
    /**
     * By step.
     * @type {Map<number, HTMLButtonElement>}
     */
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
            const words = step.event === "scored" ? scoresAt(model, number) : [told ? sentence(model, told) : titleOf(step.event)];
            const line = button({ class: "line", tabindex: -1 }, () => model.goTo(number), ...words, faults.has(number) && h("span", { class: "at-fault" }, " \u2715 fault"));
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
 * The points of a round, by seat.
 * @param {Model} model
 * @param {number} number
 */
function scoresAt(model, number) {
    return ["Scores: ", ...model.states[number].seats.flatMap(({ score }, seat) => [seatMark(seat), ` ${score}  `])];
}
