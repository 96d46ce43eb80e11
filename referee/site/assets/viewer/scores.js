/** The points of every round as a table. */

import { button, h } from "./dom.js";
import { seatName } from "./pieces.js";

/** @returns {Panel} */
export function scoresPanel() {
    /** @type {Map<number, HTMLElement>} */
    const rows = new Map();
    return {
        title: "Scores by round",
        mount(element, model) {
            const heads = model.bots.map((_, seat) => h("th", { scope: "col" }, seatName(model, seat)));
            const body = h("tbody", {});
            for (const { round, playoff, last, scores, totals } of model.document.rounds) {
                const cells = scores.map((score, seat) => h("td", {}, String(score), h("span", { class: "soft" }, ` \u2192 ${totals[seat]}`)));
                const way = button({ class: "plain" }, () => model.goTo(last), playoff ? `Playoff ${round}` : `Round ${round}`);
                const row = h("tr", {}, h("th", { scope: "row" }, way), ...cells);
                rows.set(round, row);
                body.append(row);
            }
            const { totals, ranks } = model.document;
            const end = totals.map((total, seat) => h("td", {}, h("b", {}, String(total)), h("span", { class: "soft" }, ` rank ${ranks[seat]}`)));
            const foot = h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "End"), ...end));
            const table = h("table", {}, h("thead", {}, h("tr", {}, h("td", {}), ...heads)), body, foot);
            element.append(h("p", { class: "note" }, "Points of each round, and the total after it. The lowest total wins."), h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "table of scores" }, table));
        },
        show(model, number) {
            for (const [round, row] of rows) row.classList.toggle("is-current", round === model.steps[number].round);
        },
    };
}
