/** The words of the steps of the round that is shown, each a way to its moment. */

import { button, h, oneStop } from "./dom.js";
import { titleOf } from "./events.js";
import { faultsByStep } from "./faults_panel.js";
import { sentence } from "./pieces.js";
import { linesOf } from "./words.js";

/** @returns {Panel} */
export function logPanel() {
    /** @type {HTMLElement} */
    let list;
    let round = -1;
    /** @type {HTMLButtonElement | undefined} */
    let marked;
    /** @type {Map<number, HTMLButtonElement>} */
    const lines = new Map();

    /** @param {Model} model */
    function fill(model) {
        lines.clear();
        let turn = -1;
        list.replaceChildren();
        const faulty = faultsByStep(model);
        model.steps.forEach((step, number) => {
            if (step.round !== round) return;
            if (step.turn !== turn) list.append(h("li", { class: "turn" }, step.turn ? `Turn ${step.turn}` : `Round ${step.round}`));
            turn = step.turn;
            const told = linesOf(step).told;
            const line = button({ class: "line", tabindex: -1 }, () => model.goTo(number), ...(told.length ? [sentence(model, told[0])] : [titleOf(step.event)]), ...(faulty.has(number) ? [h("span", { class: "at-fault" }, " \u2715 fault")] : []));
            lines.set(number, line);
            list.append(h("li", { class: step.window ? "in-window" : null }, line));
        });
    }

    return {
        title: "What happened",
        mount(element) {
            list = h("ol", { class: "log", role: "list", "aria-label": "steps of this round" });
            oneStop(list, () => [...lines.values()]);
            element.append(list);
        },
        show(model, number) {
            const hasFocus = list.contains(document.activeElement);
            if (model.steps[number].round !== round) {
                round = model.steps[number].round;
                fill(model);
            }
            marked?.removeAttribute("aria-current");
            marked = lines.get(number);
            if (!marked) return;
            for (const line of lines.values()) line.tabIndex = line === marked ? 0 : -1;
            marked.setAttribute("aria-current", "step");
            if (hasFocus && !list.contains(document.activeElement)) marked.focus({ preventScroll: true }); // its line is gone
            list.scrollTop = Math.max(0, marked.offsetTop - list.clientHeight / 2);
        },
    };
}
