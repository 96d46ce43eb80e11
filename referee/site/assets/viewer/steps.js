/** Ways through a match: by event, turn, slap window and round, and by the name of a moment. It knows no page. */

/** @typedef {"event" | "turn" | "window" | "round"} Kind */

/**
 * What the steps of one turn, one window or one round have in common.
 * @param {Step} step
 * @param {Kind} kind
 * @returns {string}
 */
function part(step, kind) {
    if (kind === "round") return String(step.round);
    return `${step.round}.${kind === "turn" ? step.turn : step.window ?? 0}`;
}

/**
 * The numbers of the steps with which the turns, windows or rounds begin; of events, all steps.
 * @param {readonly Step[]} steps
 * @param {Kind} kind
 * @returns {number[]}
 */
export function starts(steps, kind) {
    /** @type {number[]} */
    const found = [];
    steps.forEach((step, number) => {
        const isNew = number === 0 || part(step, kind) !== part(steps[number - 1], kind);
        if (kind === "event" || (isNew && (kind !== "window" || step.window))) found.push(number);
    });
    return found;
}

/**
 * The next of these numbers, or null behind the last one.
 * @param {readonly number[]} numbers in rising order
 * @param {number} at
 * @returns {number | null}
 */
export function after(numbers, at) {
    return numbers.find((number) => number > at) ?? null;
}

/**
 * The latest of these numbers before this one, or null before the first. From the middle of a turn that is its start.
 * @param {readonly number[]} numbers in rising order
 * @param {number} at
 * @returns {number | null}
 */
export function before(numbers, at) {
    const earlier = numbers.filter((number) => number < at);
    return earlier.length ? earlier[earlier.length - 1] : null;
}

/**
 * The name of a moment in the part of an address behind `#`; the empty string where there is none.
 * @param {string} hash
 * @returns {string}
 */
export function momentIn(hash) {
    try {
        return decodeURIComponent(hash.replace(/^#/, ""));
    } catch {
        return hash.replace(/^#/, "");
    }
}

/**
 * Where in the match a step is, in words.
 * @param {Step} step
 * @returns {string}
 */
export function placeInWords(step) {
    const round = `round ${step.round}`;
    if (step.window) return `${round}, turn ${step.turn}, slap window ${step.window}`;
    return step.turn ? `${round}, turn ${step.turn}` : `${round}, before the first turn`;
}

/**
 * Where a step is, and how far in the match.
 * @param {Model} model
 * @param {number} number
 * @returns {string}
 */
export function stepInWords(model, number) {
    const hole = model.document.rounds.find((one) => one.round === model.steps[number].round);
    const par = hole?.par ? ` (par ${hole.par})` : "";
    return `${placeInWords(model.steps[number]).replace(/^round \d+/, (round) => round + par)}, step ${number + 1} of ${model.steps.length}`;
}
