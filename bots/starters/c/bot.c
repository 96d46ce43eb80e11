/*
 * A bot that plays every game of golfref. It remembers the cards that it has seen, keeps low ones and throws high ones
 * away.
 *
 * It reads JSON messages from standard input, a line each, and answers `hello` and every `request` with a line on
 * standard output. Print nothing else there: what you want to see of a match goes to stderr. Read it from `decide`, and
 * change what is marked "Change this to play better".
 */

#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

enum {
    LOW = 4,    /* a card of at most so many points is kept */
    HIDDEN = 5, /* points that an unknown card counts for */
};

/* A card such as "10H", "?" for one that this bot has not seen, "" for none, which is null in JSON. */
typedef struct {
    char code[8];
} Card;

static const Card UNKNOWN = {"?"}, NONE = {""};

typedef struct {
    int seat, slot;
} Place;

typedef struct {
    int length;
    Card *cards;
} Layout;

/* What this bot knows of the match that it plays. */
static struct {
    cJSON *message; /* that began it */
    int seat, seats;
    Layout *layouts;
    Card hand, pile; /* the card that was drawn; the top card of the discard pile */
} match;

/* ---- JSON. cJSON gives a null pointer for what is not there. */

static cJSON *get(const cJSON *object, const char *field) { return cJSON_GetObjectItemCaseSensitive(object, field); }

static bool is_null(const cJSON *value) { return value == NULL || cJSON_IsNull(value); }

static int number(const cJSON *value) { return cJSON_IsNumber(value) ? value->valueint : 0; }

static bool is_text(const cJSON *value, const char *text) {
    return cJSON_IsString(value) && strcmp(value->valuestring, text) == 0;
}

static Card card_of(const cJSON *value) {
    Card card = NONE;
    if (cJSON_IsString(value)) snprintf(card.code, sizeof card.code, "%s", value->valuestring);
    return card;
}

static Card card_or_unknown(const cJSON *value) { return is_null(value) ? UNKNOWN : card_of(value); }

static Card last_card(const cJSON *cards, Card otherwise) {
    int count = cJSON_GetArraySize(cards);
    return count ? card_of(cJSON_GetArrayItem(cards, count - 1)) : otherwise;
}

static Place place_of(const cJSON *target) {
    return (Place){number(cJSON_GetArrayItem(target, 0)), number(cJSON_GetArrayItem(target, 1))};
}

/* Prints a message as one line, and frees it. */
static void say(cJSON *message) {
    char *line = cJSON_PrintUnformatted(message);
    if (line == NULL) exit(EXIT_FAILURE);
    printf("%s\n", line);
    fflush(stdout);
    free(line);
    cJSON_Delete(message);
}

/* ---- Cards. */

static bool same(Card one, Card other) { return strcmp(one.code, other.code) == 0; }

static bool is_known(Card card) { return !same(card, UNKNOWN) && !same(card, NONE); }

/* All of a card but its last character, the suit. Jokers are X1, X2 and so on. */
static Card rank(Card card) {
    card.code[card.code[0] == 'X' ? 1 : strlen(card.code) - 1] = '\0';
    return card;
}

/* What a card counts for, as far as this bot knows. Change this to play better: which cards are left? */
static int cost(Card card) {
    if (same(card, NONE)) return 0;
    if (same(card, UNKNOWN)) return HIDDEN;
    const cJSON *values = get(match.message, "values"), *value = get(values, card.code);
    return number(value != NULL ? value : get(values, rank(card).code));
}

static Card card_at(Place place) {
    if (place.seat >= match.seats || place.slot >= match.layouts[place.seat].length) return NONE;
    return match.layouts[place.seat].cards[place.slot];
}

static Card own(int slot) { return card_at((Place){match.seat, slot}); }

static int row_cost(int row) { return cost(own(2 * row)) + cost(own(2 * row + 1)); }

/* ---- What is offered: kinds of actions, with a choice for each of their fields. */

static const cJSON *find(const cJSON *legal, const char *kind) {
    const cJSON *offer;
    cJSON_ArrayForEach(offer, legal) {
        if (is_text(get(offer, "kind"), kind)) return offer;
    }
    return NULL;
}

/* What a field of an action may be: one of these, or any of these. A null pointer where the kind is not offered. */
static const cJSON *choices(const cJSON *legal, const char *kind, const char *field) {
    const cJSON *choice = get(find(legal, kind), field), *one_of = get(choice, "one_of");
    return one_of != NULL ? one_of : get(choice, "any_of");
}

static cJSON *action(const char *kind) {
    cJSON *action = cJSON_CreateObject();
    cJSON_AddStringToObject(action, "kind", kind);
    return action;
}

static cJSON *action_with(const char *kind, const char *field, const cJSON *value) {
    cJSON *made = action(kind);
    cJSON_AddItemToObject(made, field, cJSON_Duplicate(value, true));
    return made;
}

/* The first values that a choice allows. */
static cJSON *first_of(const cJSON *choice) {
    const cJSON *one_of = get(choice, "one_of"), *value;
    if (one_of != NULL) return cJSON_Duplicate(cJSON_GetArrayItem(one_of, 0), true);
    cJSON *picked = cJSON_CreateArray();
    int left = number(get(choice, "pick"));
    cJSON_ArrayForEach(value, get(choice, "of")) {
        if (left-- > 0) cJSON_AddItemToArray(picked, cJSON_Duplicate(value, true));
    }
    return picked;
}

/* A legal action for any request, also for decisions that did not exist when this bot was written. */
static cJSON *least_committal(const cJSON *legal) {
    static const char *const kinds[] = {"draw", "discard", "stop", "allow", "none", "pass"};
    const cJSON *offer = cJSON_GetArrayItem(legal, 0), *choice;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const cJSON *found = find(legal, kinds[i]);
        if (found != NULL) offer = found;
    }
    cJSON *made = action(get(offer, "kind")->valuestring);
    cJSON_ArrayForEach(choice, offer) {
        if (strcmp(choice->string, "kind") != 0) cJSON_AddItemToObject(made, choice->string, first_of(choice));
    }
    return made;
}

/* ---- Decisions. Each function returns an action that is offered, or a null pointer for the least committal one. */

/* The slot of ours whose card costs most, the lowest one among equals. */
static const cJSON *worst(const cJSON *slots) {
    const cJSON *worst = NULL, *slot;
    cJSON_ArrayForEach(slot, slots) {
        int more = worst == NULL ? 1 : cost(own(number(slot))) - cost(own(number(worst)));
        if (more > 0 || (more == 0 && number(slot) < number(worst))) worst = slot;
    }
    return worst;
}

/* The start of our turn. Change this to play better: how sure must you be before you end a round? */
static cJSON *turn(const cJSON *legal) {
    const Layout *layout = &match.layouts[match.seat];
    int total = 0;
    bool all_known = true;
    for (int slot = 0; slot < layout->length; slot++) {
        total += cost(layout->cards[slot]);
        all_known = all_known && !same(layout->cards[slot], UNKNOWN);
    }
    if (all_known && total <= LOW) {
        if (find(legal, "knock")) return action("knock");
        if (find(legal, "end")) return action("end");
    }
    const cJSON *stock = NULL, *pile = NULL, *source;
    cJSON_ArrayForEach(source, choices(legal, "draw", "from")) {
        if (is_text(source, "stock")) stock = source;
        if (is_text(source, "pile")) pile = source;
    }
    bool pile_is_low = is_known(match.pile) && cost(match.pile) <= LOW;
    if (pile && (pile_is_low || !stock)) return action_with("draw", "from", pile);
    return stock ? action_with("draw", "from", stock) : NULL;
}

/* Where the drawn card goes. Change this to play better: in many games equal cards in a line count nothing. */
static cJSON *place(const cJSON *legal) {
    const cJSON *slot = worst(choices(legal, "swap", "slot"));
    bool can_discard = find(legal, "discard");
    if (slot != NULL) {
        int points = cost(match.hand);
        bool helps = is_known(match.hand) && points <= LOW && points < cost(own(number(slot)));
        if (helps || !can_discard) return action_with("swap", "slot", slot);
    }
    return can_discard ? action("discard") : NULL;
}

/* Which of our cards is turned face up. */
static cJSON *flip(const cJSON *legal) {
    const cJSON *slots = choices(legal, "flip", "slot");
    return slots ? action_with("flip", "slot", cJSON_GetArrayItem(slots, 0)) : NULL;
}

/* What a card does. Change this to play better: there are many more powers than to peek. */
static cJSON *power(const cJSON *legal) {
    const cJSON *target;
    cJSON_ArrayForEach(target, choices(legal, "peek", "target")) {
        Place place = place_of(target);
        if (place.seat == match.seat && same(card_at(place), UNKNOWN)) return action_with("peek", "target", target);
    }
    return NULL;
}

/* Who throws a card of the rank of the discard first is rid of it: here every microsecond counts. */
static cJSON *slap(const cJSON *legal) {
    const cJSON *target;
    cJSON_ArrayForEach(target, choices(legal, "slap", "target")) {
        Place place = place_of(target);
        Card card = card_at(place);
        bool is_right = is_known(card) && is_known(match.pile) && same(rank(card), rank(match.pile));
        if (place.seat == match.seat && is_right && cost(card) > 0) return action_with("slap", "target", target);
    }
    return NULL;
}

/* The card that another seat gets after we slapped one of its cards. */
static cJSON *give(const cJSON *legal) {
    const cJSON *slot = worst(choices(legal, "give", "slot"));
    return slot ? action_with("give", "slot", slot) : NULL;
}

/* Whether our shield stops an attack. */
static cJSON *block(const cJSON *legal) { return find(legal, "block") ? action("block") : NULL; }

/* Which rows to throw away in the two-deck game. */
static cJSON *pairs(const cJSON *legal) {
    if (!find(legal, "discard_pairs")) return NULL;
    cJSON *made = action("discard_pairs"), *rows = cJSON_AddArrayToObject(made, "rows");
    const cJSON *row;
    cJSON_ArrayForEach(row, choices(legal, "discard_pairs", "rows")) {
        if (row_cost(number(row)) > 0) cJSON_AddItemToArray(rows, cJSON_Duplicate(row, true));
    }
    return made;
}

/* Whether to take a row in par golf. */
static cJSON *stroke(const cJSON *legal) {
    const cJSON *row;
    cJSON_ArrayForEach(row, choices(legal, "stroke", "row")) {
        int first = 2 * number(row);
        bool known = is_known(own(first)) && is_known(own(first + 1));
        if (known && row_cost(number(row)) <= LOW) return action_with("stroke", "row", row);
    }
    return NULL;
}

static cJSON *choose(const cJSON *decision, const cJSON *legal) {
    if (is_text(decision, "turn")) return turn(legal);
    if (is_text(decision, "place")) return place(legal);
    if (is_text(decision, "flip")) return flip(legal);
    if (is_text(decision, "power")) return power(legal);
    if (is_text(decision, "slap")) return slap(legal);
    if (is_text(decision, "give")) return give(legal);
    if (is_text(decision, "block")) return block(legal);
    if (is_text(decision, "pairs")) return pairs(legal);
    if (is_text(decision, "stroke")) return stroke(legal);
    return NULL;
}

/* ---- What happened. Everything is told once, so it is kept here. */

/* Puts a card into a slot. Slots beyond the end of a layout are new ones. */
static void put(Place place, Card card) {
    if (place.seat >= match.seats) return;
    Layout *layout = &match.layouts[place.seat];
    if (place.slot >= layout->length) {
        layout->cards = realloc(layout->cards, (place.slot + 1) * sizeof *layout->cards);
        if (layout->cards == NULL) abort();
        while (layout->length <= place.slot) layout->cards[layout->length++] = NONE;
    }
    layout->cards[place.slot] = card;
}

static void discard(Card card) {
    match.pile = card;
    match.hand = NONE;
}

static void exchange(Place one, Place other) {
    Card first = card_at(one), second = card_at(other);
    put(one, second);
    put(other, first);
}

/* Notes the cards that were shown. */
static void uncover(int seat, const cJSON *slots, const cJSON *cards) {
    for (int i = 0; i < cJSON_GetArraySize(slots); i++) {
        const cJSON *card = cJSON_GetArrayItem(cards, i);
        if (!is_null(card)) put((Place){seat, number(cJSON_GetArrayItem(slots, i))}, card_of(card));
    }
}

static void forget(int seat) {
    Layout *layout = &match.layouts[seat];
    for (int slot = 0; slot < layout->length; slot++) {
        if (!same(layout->cards[slot], NONE)) layout->cards[slot] = UNKNOWN;
    }
}

/* The first occupied slot gets the card of the first of `slots`, and so on. */
static void rearrange(int seat, const cJSON *slots) {
    Layout *layout = &match.layouts[seat];
    int moved = 0, count = cJSON_GetArraySize(slots);
    Card *cards = calloc(count + 1, sizeof *cards);
    if (cards == NULL) abort();
    for (int i = 0; i < count; i++) cards[i] = card_at((Place){seat, number(cJSON_GetArrayItem(slots, i))});
    for (int slot = 0; slot < layout->length && moved < count; slot++) {
        if (!same(layout->cards[slot], NONE)) layout->cards[slot] = cards[moved++];
    }
    free(cards);
}

/* Takes over what lies open. What lies face down stays as this bot remembers it. */
static void look(int seat, const cJSON *cells) {
    int slot = 0;
    const cJSON *cell;
    cJSON_ArrayForEach(cell, cells) {
        Place place = {seat, slot++};
        if (!is_text(cell, "?") || same(card_at(place), NONE)) put(place, card_of(cell));
    }
    match.layouts[seat].length = slot;
}

static void new_round(int slots) {
    for (int seat = 0; seat < match.seats; seat++) {
        match.layouts[seat].length = 0;
        for (int slot = 0; slot < slots; slot++) put((Place){seat, slot}, UNKNOWN);
    }
    discard(NONE);
}

/* A right card lies on the pile now. Any other is back, or the slapper's, who has got a card in a new slot. */
static void slapped(const cJSON *event) {
    Place target = place_of(get(event, "target"));
    Card card = card_of(get(event, "card"));
    if (is_text(get(event, "verdict"), "right")) {
        put(target, NONE);
        match.pile = card;
        return;
    }
    put(target, card);
    if (is_null(get(event, "new_slot"))) return;
    Place new_place = {number(get(event, "seat")), number(get(event, "new_slot"))};
    if (target.seat == new_place.seat) {
        put(new_place, UNKNOWN);
    } else {
        put(new_place, card);
        put(target, NONE);
    }
}

/* Takes over what an event tells. Events that are not named here move no card, or are new. */
static void read_event(const cJSON *event) {
    const cJSON *name = get(event, "event"), *card = get(event, "card"), *slots = get(event, "slots"), *row;
    int seat = number(get(event, "seat")), of = number(get(event, "of"));
    Place slot = {seat, number(get(event, "slot"))}, target = place_of(get(event, "target"));

    if (is_text(name, "round")) {
        new_round(number(get(event, "rows")) * number(get(match.message, "columns")));
    } else if (is_text(name, "up_card")) {
        match.pile = card_of(card);
    } else if (is_text(name, "turned_up") || is_text(name, "looked")) {
        uncover(seat, slots, get(event, "cards"));
    } else if (is_text(name, "swapped_own")) {
        Place one = {seat, number(cJSON_GetArrayItem(slots, 0))}, other = {seat, number(cJSON_GetArrayItem(slots, 1))};
        exchange(one, other);
        uncover(seat, slots, get(event, "cards"));
    } else if (is_text(name, "arranged")) {
        if (!is_null(slots)) rearrange(seat, slots);
    } else if (is_text(name, "drew")) {
        match.hand = card_of(card);
    } else if (is_text(name, "swapped")) {
        put(slot, card_or_unknown(card));
        discard(card_of(get(event, "replaced")));
    } else if (is_text(name, "discarded") || is_text(name, "power")) {
        discard(card_of(card));
    } else if (is_text(name, "traded")) {
        put(target, card_of(get(event, "given")));
        match.hand = card_of(get(event, "taken"));
    } else if (is_text(name, "peeked") || is_text(name, "exposed")) {
        if (!is_null(card)) put(target, card_of(card));
    } else if (is_text(name, "switched")) {
        const cJSON *targets = get(event, "targets");
        exchange(place_of(cJSON_GetArrayItem(targets, 0)), place_of(cJSON_GetArrayItem(targets, 1)));
    } else if (is_text(name, "rearranged") && !is_null(slots)) {
        rearrange(of, slots);
    } else if (is_text(name, "rearranged") || is_text(name, "shuffled")) {
        forget(of);
    } else if (is_text(name, "lines_swapped")) {
        forget(of);
        look(of, get(event, "layout"));
    } else if (is_text(name, "added")) {
        put(target, UNKNOWN);
    } else if (is_text(name, "removed")) {
        put(target, NONE);
        match.pile = card_of(card);
    } else if (is_text(name, "planted")) {
        put(target, card_of(card));
        discard(card_of(get(event, "replaced")));
    } else if (is_text(name, "kept")) {
        put(slot, card_or_unknown(card));
        discard(last_card(get(event, "discarded"), match.pile));
    } else if (is_text(name, "blocked")) {
        if (!is_null(get(event, "shield"))) match.pile = card_of(get(event, "shield"));
    } else if (is_text(name, "pairs_discarded")) {
        cJSON_ArrayForEach(row, get(event, "rows")) {
            put((Place){seat, 2 * number(row)}, NONE);
            put((Place){seat, 2 * number(row) + 1}, NONE);
        }
        match.pile = last_card(get(event, "cards"), match.pile);
    } else if (is_text(name, "slapped")) {
        slapped(event);
    } else if (is_text(name, "gave")) {
        put(target, card_at(slot));
        put(slot, NONE);
    }
}

/* Forgets the last match. The message is kept, and freed when the next match begins. */
static void begin(cJSON *message) {
    for (int seat = 0; seat < match.seats; seat++) free(match.layouts[seat].cards);
    free(match.layouts);
    cJSON_Delete(match.message);
    match.message = message;
    match.seat = number(get(message, "seat"));
    match.seats = number(get(message, "seats"));
    match.layouts = calloc(match.seats, sizeof *match.layouts);
    if (match.layouts == NULL) abort();
    discard(NONE);
}

/* Reads what has happened, and gives an action that is offered. */
static cJSON *decide(const cJSON *request) {
    const cJSON *event, *layout, *table = get(request, "table"), *legal = get(request, "legal");
    cJSON_ArrayForEach(event, get(request, "events")) {
        read_event(event);
    }
    if (table != NULL) {
        int seat = 0;
        cJSON_ArrayForEach(layout, get(table, "layouts")) {
            look(seat++, layout);
        }
        match.pile = last_card(get(table, "pile"), NONE);
    }
    cJSON *action = choose(get(request, "decision"), legal);
    return action != NULL ? action : least_committal(legal);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) != -1) {
        cJSON *message = cJSON_Parse(line);
        const cJSON *type = get(message, "type");
        if (is_text(type, "hello")) {
            cJSON *ready = cJSON_CreateObject();
            cJSON_AddStringToObject(ready, "type", "ready");
            cJSON_AddStringToObject(ready, "name", "my-bot");
            cJSON_AddStringToObject(ready, "version", "1");
            say(ready);
        } else if (is_text(type, "match")) {
            begin(message);
            continue; /* the message is kept */
        } else if (is_text(type, "request")) {
            cJSON *answer = cJSON_CreateObject();
            cJSON_AddStringToObject(answer, "type", "answer");
            cJSON_AddItemToObject(answer, "id", cJSON_Duplicate(get(message, "id"), true));
            cJSON_AddItemToObject(answer, "action", decide(message));
            say(answer);
        } /* `end` needs no answer. Another match may follow. */
        cJSON_Delete(message);
    }
    free(line);
    return EXIT_SUCCESS;
}
