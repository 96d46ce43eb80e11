/** What each kind of event is called, one sentence on it, and the short word for the cards concerned. It knows no page. */

/** @type {Record<string, [title: string, meaning: string, badge?: string]>} */
const EVENTS = {
    round: ["Deal", "A new round. Everybody gets cards face down and wants few points at its end: high cards are exchanged for low ones."],
    up_card: ["Up card", "The first card of the discard pile is turned up."],
    turned_up: ["Turn up", "These cards lie open for everybody from now on.", "up"],
    looked: ["Look", "A player looks at own cards before play begins. They stay face down.", "seen"],
    arranged: ["Arrange", "A player puts the own cards into another order.", "moved"],
    skipped: ["Turn lost", "A jack made this player lose a turn."],
    drew: ["Draw", ""],
    reshuffled: ["Reshuffle", "The stock was used up. The pile without its top card is shuffled and is the new stock."],
    swapped: ["Swap", "The drawn card takes the place of a card on the table, which goes to the pile.", "new"],
    discarded: ["Discard", ""],
    knocked: ["Knock", "This player ends the round. The others may have a last turn."],
    finished: ["First to finish", "This player is done first, which ends the round. The others may have a last turn."],
    traded: ["Trade", "A king is exchanged for another player's card.", "traded"],
    swapped_own: ["Swap own cards", "Two cards of the same player change places.", "swapped"],
    pairs_discarded: ["Pairs away", "Rows of two equal cards leave the table and count no more.", "gone"],
    stroked: ["Stroke", "A row is taken as a stroke: it is turned down and stays."],
    power: ["Power", "Some cards do something special when they are played.", "target"],
    blocked: ["Shield blocks", "A shield stopped the attack on this player's cards."],
    shielded: ["Shield", "The card is laid beside the player's cards and will stop an attack."],
    peeked: ["Peek", "A player looks at one card. It stays face down.", "seen"],
    switched: ["Switch", "Two cards change places, and nobody looks at them.", "switched"],
    rearranged: ["Rearrange", "A player's cards are put into another order.", "moved"],
    lines_swapped: ["Swap lines", "Two rows or columns change places.", "moved"],
    shuffled: ["Blinding", "The cards are turned down and shuffled. Nobody knows any more which is which.", "blind"],
    added: ["Card added", "A card from the stock is added, and nobody looks at it.", "added"],
    removed: ["Card removed", "A card leaves the table for the pile.", "gone"],
    planted: ["Plant", "A card is put face down in the place of another, which goes to the pile.", "planted"],
    exposed: ["Expose", "A face-down card is turned up for everybody.", "up"],
    hidden: ["Hide", "A card that lay open is turned down.", "down"],
    drew_two: ["Draw two more", "The player draws two more cards and keeps one of the three."],
    kept: ["Keep", "One of three cards is kept face down, the others go to the pile.", "kept"],
    knock_cancelled: ["Knock cancelled", "The round goes on as if nobody had knocked."],
    slapped: ["Slap", "Who has a card of the same rank as the top of the pile may slap it there. The fastest right slap counts; a wrong one costs a card."],
    gave: ["Give", "Who slapped another player's card away gives that player an own card.", "given"],
    window_closed: ["Slap window over", "The time in which a card may be slapped is over."],
    showdown: ["Showdown", "All cards are turned up and counted."],
    scored: ["Scores", "The points of the round are added to the totals. The lowest total wins."],
    forfeited: ["Forfeit", "This bot broke the rules too often or failed. Harmless moves are made for it from now on."],
    par_chosen: ["Par", "The dealer chooses the par of the next hole."],};

/**
 * What an event is called.
 * @param {string} event
 */
export function titleOf(event) {
    return EVENTS[event]?.[0] ?? event.replace(/_/g, " ");
}

/**
 * One sentence on what such an event is; empty where its words say enough.
 * @param {string} event
 */
export function meaningOf(event) {
    return EVENTS[event]?.[1] ?? "";
}

/**
 * What is written on the cards that a step is about: one short word, or nothing.
 * @param {Step} step @param {string | undefined} verdict of a slap
 */
export function badgeOf(step, verdict) {
    if (verdict) return verdict === "right" ? "correct" : verdict;
    return step.blinds?.length ? "blind" : EVENTS[step.event]?.[2] ?? "";
}
