/** Ways through a match: by step, turn, slap window and round, and by the name of a moment. It knows no page. */

/** @typedef {"step" | "turn" | "window" | "round"} Kind */

/** @param {Step} step @param {Kind} kind */
function part(step, kind) {
    return kind === "round" ? step.round : `${step.round}.${kind === "turn" ? step.turn : step.window ?? 0}`;
}

/**
 * The numbers of the steps with which the turns, windows or rounds begin.
 * @param {readonly Step[]} steps @param {Kind} kind
 */
export function starts(steps, kind) {
    return steps.flatMap((step, number) => {
        if (kind === "step") return [number];
        const isNew = number === 0 || part(step, kind) !== part(steps[number - 1], kind);
        return isNew && (kind !== "window" || step.window) ? [number] : [];
    });
}

/**
 * The next of these numbers, or the one before; from the middle of a turn that is its start. Null where there is none.
 * @param {readonly number[]} numbers in rising order
 * @param {number} at
 * @param {1 | -1} direction
 */
export function beside(numbers, at, direction) {
    return (direction > 0 ? numbers.find((number) => number > at) : numbers.filter((number) => number < at).pop()) ?? null;
}

/**
 * The name of a moment in the part of an address behind `#`; the empty string where there is none.
 * @param {string} hash
 */
export function momentIn(hash) {
    try {
        return decodeURIComponent(hash.slice(1));
    } catch {
        return hash.slice(1);
    }
}

/** @param {Step} step */
export function placeInWords(step) {
    const round = `round ${step.round}`;
    if (step.window) return `${round}, turn ${step.turn}, slap window ${step.window}`;
    return step.turn ? `${round}, turn ${step.turn}` : `${round}, before the first turn`;
}

/** @param {Model} model @param {number} number */
export function stepInWords(model, number) {
    const hole = model.document.rounds.find((one) => one.round === model.steps[number].round);
    const par = hole?.par ? ` (par ${hole.par})` : "";
    return `${placeInWords(model.steps[number]).replace(/^round \d+/, (round) => round + par)}, step ${number + 1} of ${model.steps.length}`;
}
