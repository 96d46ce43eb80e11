/*
 * A bot that plays every game of golfref legally. It keeps low cards and throws high ones away, judging by the cards
 * that lie open. Four comments that begin with "Next:" say what to add.
 *
 * It reads JSON messages from standard input, a line each, and writes its answers to standard output. Print nothing
 * else there: use stderr for what helps you to find mistakes.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

enum {
    LOW = 4,      /* a card of at most so many points is taken from the pile */
    HIDDEN = 5,   /* the points of a card that lies face down */
    PATIENCE = 4, /* the first own turn of a round in which the bot may end it */
};

/* What this bot knows of the match that it plays. */
static cJSON *match;  /* the message that began it: our seat, what cards are worth, the options of the game */
static cJSON *table;  /* the table as everybody sees it, as the latest request showed it */
static char drawn[8]; /* the card that we drew last, such as "10H" */
static int turns;     /* our turns in this round */

/* ---- JSON. cJSON returns a null pointer for what is not there. */

static cJSON *get(const cJSON *object, const char *field) { return cJSON_GetObjectItemCaseSensitive(object, field); }

static const char *text(const cJSON *value) { return cJSON_IsString(value) ? value->valuestring : ""; }

static int number(const cJSON *value) { return cJSON_IsNumber(value) ? value->valueint : 0; }

static bool is(const cJSON *value, const char *word) { return strcmp(text(value), word) == 0; }

/* Writes a message as one line, and frees it. */
static void say(cJSON *message) {
    char *line = cJSON_PrintUnformatted(message);
    if (line == NULL) exit(EXIT_FAILURE);
    printf("%s\n", line);
    fflush(stdout);
    free(line);
    cJSON_Delete(message);
}

static cJSON *message_of(const char *field, const char *word) {
    cJSON *message = cJSON_CreateObject();
    cJSON_AddStringToObject(message, field, word);
    return message;
}

/* ---- Cards. A card is a code such as "10H", "?" where it lies face down, "" for an empty slot. */

/* The points of a card. `values` holds them by rank, or by card where one differs from its rank. */
static int cost(const char *card) {
    if (*card == '\0') return 0;
    if (*card == '?') return HIDDEN;
    const cJSON *values = get(match, "values"), *value = get(values, card);
    if (value != NULL) return number(value);
    char rank[8]; /* X1 is a joker; else the suit comes last */
    snprintf(rank, sizeof rank, "%.*s", *card == 'X' ? 1 : (int)strlen(card) - 1, card);
    return number(get(values, rank));
}

static int total(const cJSON *layout) {
    int sum = 0;
    const cJSON *card;
    cJSON_ArrayForEach(card, layout) sum += cost(text(card));
    return sum;
}

static const cJSON *own(void) { return cJSON_GetArrayItem(get(table, "layouts"), number(get(match, "seat"))); }

static int own_cost(const cJSON *slot) { return cost(text(cJSON_GetArrayItem(own(), number(slot)))); }

/* Of these slots of ours the one whose card counts most; of equal ones another each turn. */
static const cJSON *worst(const cJSON *slots) {
    const cJSON *slot, *equal[64];
    int count = 0;
    cJSON_ArrayForEach(slot, slots) {
        if (count > 0 && own_cost(slot) > own_cost(equal[0])) count = 0;
        if (count == 0 || (own_cost(slot) == own_cost(equal[0]) && count < 64)) equal[count++] = slot;
    }
    return equal[turns % count];
}

/* ---- Decisions. Each function returns an action. Where it returns NULL, `decline` answers. */

static cJSON *offer(const cJSON *legal, const char *kind) {
    cJSON *one;
    cJSON_ArrayForEach(one, legal) if (is(get(one, "kind"), kind)) return one;
    return NULL;
}

static cJSON *act(const char *kind, const char *field, const cJSON *value) {
    cJSON *action = message_of("kind", kind);
    if (field != NULL) cJSON_AddItemToObject(action, field, cJSON_Duplicate(value, true));
    return action;
}

/* The start of our turn: end the round or draw a card. */
static cJSON *turn(const cJSON *legal) {
    turns++;
    bool leads = true, helps = false;
    const cJSON *layout, *card, *from = NULL, *source, *top = cJSON_GetArrayItem(get(table, "pile"), 0);
    cJSON_ArrayForEach(layout, get(table, "layouts")) leads = leads && total(layout) >= total(own());
    /* Next: end a round only with a good lead. `knock_penalty` in the options is the price of a wrong end. */
    if (leads && turns >= PATIENCE) {
        if (offer(legal, "knock") != NULL) return act("knock", NULL, NULL);
        if (offer(legal, "end") != NULL) return act("end", NULL, NULL);
    }
    if (offer(legal, "draw") == NULL) return NULL;
    cJSON_ArrayForEach(card, own()) helps = helps || (top != NULL && cost(text(card)) > cost(text(top)));
    cJSON_ArrayForEach(source, get(get(offer(legal, "draw"), "from"), "one_of")) {
        if (from == NULL || (is(source, "pile") && helps && cost(text(top)) <= LOW)) from = source;
    }
    return act("draw", "from", from);
}

/* Where the drawn card goes: to the slot of our worst card, or to the pile. */
static cJSON *place(const cJSON *legal) {
    if (offer(legal, "swap") == NULL) return NULL;
    /* Next: look for pairs. In many games equal cards in a line count nothing: see `cancel` in the options. */
    const cJSON *slot = worst(get(get(offer(legal, "swap"), "slot"), "one_of"));
    if (offer(legal, "discard") != NULL && cost(drawn) >= own_cost(slot)) return act("discard", NULL, NULL);
    return act("swap", "slot", slot);
}

/* Which of our cards is turned face up: any, but not the last one, which would end the round. */
static cJSON *flip(const cJSON *legal) {
    const cJSON *slots = get(get(offer(legal, "flip"), "slot"), "one_of");
    if (cJSON_GetArraySize(slots) == 1 && offer(legal, "none") != NULL) return act("none", NULL, NULL);
    return act("flip", "slot", cJSON_GetArrayItem(slots, 0));
}

/* The first value that a choice allows: one of some, exactly so many of some, or as many of some as we like. */
static cJSON *first_of(const cJSON *choice) {
    const cJSON *one_of = get(choice, "one_of"), *value;
    if (one_of != NULL) return cJSON_Duplicate(cJSON_GetArrayItem(one_of, 0), true);
    cJSON *some = cJSON_CreateArray();
    cJSON_ArrayForEach(value, get(choice, "of")) {
        if (cJSON_GetArraySize(some) == number(get(choice, "pick"))) break;
        cJSON_AddItemToArray(some, cJSON_Duplicate(value, true));
    }
    return some;
}

/* Next: powers, pairs, strokes and slaps. Each wants a line in `decide`, and slaps want `"slaps": true` in `main`. */
static cJSON *decline(const cJSON *legal) {
    static const char *kinds[] = {"draw", "discard", "stop", "allow", "none", "pass"};
    const cJSON *chosen = cJSON_GetArrayItem(legal, 0), *choice;
    for (int i = 0; i < 6; i++) {
        if (offer(legal, kinds[i]) != NULL) chosen = offer(legal, kinds[i]);
    }
    cJSON *action = cJSON_CreateObject();
    cJSON_ArrayForEach(choice, chosen) {
        bool is_kind = strcmp(choice->string, "kind") == 0;
        cJSON_AddItemToObject(action, choice->string, is_kind ? cJSON_Duplicate(choice, true) : first_of(choice));
    }
    return action;
}

/* One of the legal actions. */
static cJSON *decide(cJSON *request) {
    const cJSON *event, *decision = get(request, "decision"), *legal = get(request, "legal");
    cJSON_ArrayForEach(event, get(request, "events")) {
        bool is_ours = number(get(event, "seat")) == number(get(match, "seat"));
        if (is(get(event, "event"), "round")) turns = 0;
        if (is(get(event, "event"), "drew") && is_ours) snprintf(drawn, sizeof drawn, "%s", text(get(event, "card")));
        /* Next: remember your cards in `looked`, `peeked`, `swapped`: write them over each `?` of your layout. */
    }
    if (get(request, "table") != NULL) {
        cJSON_Delete(table);
        table = cJSON_DetachItemFromObject(request, "table");
    }
    cJSON *action = is(decision, "turn")    ? turn(legal)
                    : is(decision, "place") ? place(legal)
                    : is(decision, "flip")  ? flip(legal)
                                            : NULL;
    return action != NULL ? action : decline(legal);
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) != -1) {
        cJSON *message = cJSON_Parse(line);
        if (is(get(message, "type"), "hello")) {
            cJSON *ready = message_of("type", "ready");
            cJSON_AddStringToObject(ready, "name", "my-bot");
            cJSON_AddBoolToObject(ready, "slaps", false);
            say(ready);
        } else if (is(get(message, "type"), "match")) {
            cJSON_Delete(match);
            cJSON_Delete(table);
            match = message;
            table = NULL;
            continue; /* the message is kept */
        } else if (is(get(message, "type"), "request")) {
            cJSON *answer = message_of("type", "answer");
            cJSON_AddStringToObject(answer, "id", text(get(message, "id")));
            cJSON_AddItemToObject(answer, "action", decide(message));
            say(answer);
        } /* `end` needs no answer. Another match may follow. */
        cJSON_Delete(message);
    }
    free(line);
    return EXIT_SUCCESS;
}
