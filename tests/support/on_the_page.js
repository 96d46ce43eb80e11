/* What tests do within a page: an expression that gives functions. */
({
    /** What the table of a match says, for whoever sees it and for whoever is read it. */
    table() {
        const text = (element) => element.textContent.trim();
        const label = (card) => card.getAttribute("aria-label").replace(/^.*\bslot \d+: /, "");
        const cardsOf = (heap) =>
            Array.from(heap.querySelectorAll(".card:not(.is-empty) .unseen"), (one) => text(one).replace(/^(on top|below it), /, "").split(", ")[0]);
        const [stock, pile, hand] = document.querySelectorAll(".board .middle .heap");
        return {
            stock: Number(text(stock.querySelector("p")).split(" ")[0]),
            pile: cardsOf(pile),
            hand: cardsOf(hand),
            seats: Array.from(document.querySelectorAll(".board .seat"), (seat) => ({
                cards: Array.from(seat.querySelectorAll("li:not([hidden]) > button.card"), label),
                shields: Array.from(seat.querySelectorAll(".extras .card .unseen"), text),
                points: Number(text(seat.querySelector(".points")).match(/-?\d+/)[0]),
            })),
        };
    },

    /** The table as it is drawn, without what is hidden, and with the classes in one order. */
    drawn() {
        const copy = document.querySelector(".board .table").cloneNode(true);
        for (const one of copy.querySelectorAll("[hidden]")) one.remove();
        for (const one of copy.querySelectorAll("[class]")) one.className = Array.from(one.classList).sort().join(" ");
        return copy;
    },

    /** The cards that an element names, in words, and those that it draws, as their rank and sign. */
    cardsIn(element) {
        const named = element.outerHTML.match(/\b(ace|jack|queen|king|\d+) of (spades|hearts|diamonds|clubs|the suit [A-Z])|\bjoker\b/g) ?? [];
        const drawn = Array.from(element.querySelectorAll(".rank"), (rank) => `${rank.textContent} ${rank.nextElementSibling?.textContent}`);
        return Array.from(new Set([...named, ...drawn.filter((one) => one !== "? undefined")]));
    },

    /** Steps from the deal to the end and back: each table, the cards on it, and which look different on the way back. */
    walk() {
        const press = (key) => document.querySelector(".controls .play").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        const steps = golfref.shown.steps.length;
        const tables = [], cards = [], looks = [], differ = [];
        press("Home");
        for (let step = 0; step < steps; step++) {
            const drawn = this.drawn();
            tables.push(this.table());
            cards.push(this.cardsIn(drawn));
            looks.push(drawn.outerHTML);
            press("ArrowRight");
        }
        for (let step = steps - 1; step >= 0; step--) {
            if (this.drawn().outerHTML !== looks[step]) differ.push(step);
            press("ArrowLeft");
        }
        return { tables, cards, differ };
    },

    /** Everything that can be used by the keyboard now. */
    usable() {
        const all = document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]");
        return Array.from(all).filter(
            (one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }),
        );
    },

    /** Whether it is to be seen that the element has the focus. */
    showsFocus(element) {
        const look = getComputedStyle(element);
        return look.outlineStyle !== "none" || look.boxShadow !== "none";
    },

    /** The element as its beginning is written. */
    written: (element) => element.outerHTML.slice(0, 200),
});
