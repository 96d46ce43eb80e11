/** The table after each step, made of the changes that the referee has written down. It knows no rules and no page. */

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
 * The steps of a view: those of the public with what a seat, or whoever sees all cards, knows besides.
 * @param {PublicDocument} shared
 * @param {Additions | null} own
 * @returns {Step[]}
 */
export function stepsOf(shared, own) {
    const more = new Map((own ? own.more : []).map((one) => [one.step, one]));
    return shared.steps.map((step, number) => {
        const extra = more.get(number);
        if (!extra) return step;
        return {
            ...step,
            words: extra.words ?? step.words,
            moved: extra.moved ?? step.moved,
            answers: extra.answers ?? step.answers,
            changes: [...(step.changes ?? []), ...(extra.changes ?? [])],
        };
    });
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
 * @param {PublicDocument} shared
 * @param {Additions | null} own
 * @param {Model["wire"]} wire
 * @returns {Model}
 */
export function modelOf(shared, own, wire) {
    const steps = stepsOf(shared, own);
    return {
        view: own === null ? "public" : own.view === "seat" ? `seat${own.seat}` : own.view,
        document: shared,
        bots: shared.bots,
        steps,
        states: statesOf(shared.start, steps),
        windows: (own ?? shared).windows,
        swings: (own ?? shared).swings,
        wire,
        moments: new Map(steps.map((step, number) => [step.at, number])),
        goTo: () => {},
    };
}
