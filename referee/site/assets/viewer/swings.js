/** How the match went: each seat's standing after every step, as a number of points. It knows no page. */

/**
 * By step and seat, the points so far: the total, and while a round is played what the cards are worth, where the
 * view knows that. Fewer points are better.
 * @param {Model} model
 * @returns {number[][]}
 */
export function standings(model) {
    return model.states.map((state) => state.seats.map((seat) => seat.total + (state.playoff ? 0 : seat.worth ?? 0)));
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
