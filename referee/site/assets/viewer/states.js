/** The table after each step, made of the changes that the referee has written down. It knows no rules and no page. */

import { viewOf } from "./receive.js";

/**
 * The value with one place in it changed; what has not changed is shared with it.
 * @param {any} value
 * @param {(string | number)[]} path
 * @param {unknown} now
 * @returns {any}
 */
function withChange(value, path, now) {
    if (path.length === 0) return now;
    const [first, ...rest] = path;
    const copy = Array.isArray(value) ? value.slice() : { ...value };
    copy[first] = withChange(copy[first], rest, now);
    return copy;
}

/**
 * @param {TableState} state
 * @param {readonly Change[]} changes
 * @returns {TableState}
 */
export function changed(state, changes) {
    return changes.reduce((table, [path, value]) => withChange(table, path, value), state);
}

/**
 * By step, the table after it.
 * @param {TableState} start
 * @param {readonly Step[]} steps
 * @returns {TableState[]}
 */
export function statesOf(start, steps) {
    let state = start;
    return steps.map((step) => (state = changed(state, step.changes ?? [])));
}

/**
 * The match as one view knows it.
 * @param {StatesDocument} document
 * @returns {Model}
 */
export function modelOf(document) {
    const { bots, steps, windows, wires } = document;
    return {
        view: viewOf(document),
        document,
        bots,
        steps,
        states: statesOf(document.start, steps),
        windows,
        wire: (seat) => wires.find((one) => one.seat === seat),
        moments: new Map(steps.map((step, number) => [step.at, number])),
        goTo: () => {},
    };
}
