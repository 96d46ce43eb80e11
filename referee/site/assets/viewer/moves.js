/** Cards that move over the table from where they lay to where they lie now. Who asks for less motion sees none. */

const MOVE_MS = 380;

/**
 * @param {HTMLElement} table
 * @param {(place: Place) => Element | null} at the element of a place, as the table is now
 */
export function movesOf(table, at) {
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    /** @type {Set<HTMLElement>} */
    const ghosts = new Set();

    /**
     * Notes where cards lie, before the table changes, and ends what moves still: steps may follow faster than cards
     * move. What it returns lets them move, after the table has changed.
     * @param {readonly {from: Place, to: Place}[]} moved
     * @returns {() => void}
     */
    function from(moved) {
        ghosts.forEach(remove);
        if (calm.matches) return () => {};
        const starts = moved.map((one) => at(one.from)?.getBoundingClientRect());
        return () => moved.forEach((one, number) => move(starts[number], at(one.to)));
    }

    /**
     * @param {DOMRect | undefined} start
     * @param {Element | null} card
     */
    function move(start, card) {
        if (!start || !card) return;
        const end = card.getBoundingClientRect();
        const box = table.getBoundingClientRect();
        const ghost = document.createElement("span");
        ghost.className = `${card.classList.contains("card") ? card.className : "card is-down"} ghost`;
        ghost.setAttribute("aria-hidden", "true");
        if (card.classList.contains("card")) ghost.append(...Array.from(card.children, (child) => child.cloneNode(true)));
        ghost.style.left = `${end.left - box.left - table.clientLeft}px`;
        ghost.style.top = `${end.top - box.top - table.clientTop}px`;
        table.append(ghost);
        ghosts.add(ghost);
        const shift = `translate(${start.left - end.left}px, ${start.top - end.top}px)`;
        const motion = ghost.animate([{ transform: shift }, { transform: "none" }], { duration: MOVE_MS, easing: "ease-in-out" });
        const over = () => remove(ghost);
        motion.finished.then(over, over);
    }

    /** @param {HTMLElement} ghost */
    function remove(ghost) {
        ghost.remove();
        ghosts.delete(ghost);
    }

    return { from };
}
