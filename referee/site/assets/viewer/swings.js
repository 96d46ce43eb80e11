/** How the match went: each seat's standing after every step, and where the lead changed. It knows no page. */

/**
 * By step and seat, the points so far: the total, and while a round is played what the cards are worth, where the
 * view knows that. Fewer points are better.
 * @param {Model} model
 * @returns {number[][]}
 */
export function standings(model) {
    return model.states.map((state) => state.seats.map((seat) => seat.total + (seat.score === null && !state.playoff ? seat.worth ?? 0 : 0)));
}

/**
 * By step and seat, how many points better than the average of the table a seat stands.
 * @param {readonly number[][]} points
 * @returns {number[][]}
 */
export function advantages(points) {
    return points.map((row) => {
        const mean = row.reduce((sum, one) => sum + one, 0) / row.length;
        return row.map((one) => mean - one);
    });
}

/** @typedef {{step: number, seats: number[], points: number}} Lead */

/**
 * Where the lead changes: the step, who leads from there on, and with how many points.
 * @param {readonly number[][]} points
 * @returns {Lead[]}
 */
export function leads(points) {
    /** @type {Lead[]} */
    const found = [];
    points.forEach((row, step) => {
        const best = Math.min(...row);
        const seats = row.flatMap((one, seat) => (one === best ? [seat] : []));
        const last = found[found.length - 1];
        const isLed = seats.length < row.length;
        if (isLed && (!last || last.seats.join() !== seats.join())) found.push({ step, seats, points: best });
    });
    return found;
}
