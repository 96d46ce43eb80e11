/* A bot that answers at once: the last offer of each request, with the first values of its choices.

       instant [--no-table] [--no-slaps] [--flips]

   With --flips it turns a card up wherever that is the first offer: its rounds are short, without it they are long. It
   looks for what it needs in the line and parses nothing else, so that it costs as little as a bot can. A quotation mark
   within a string is escaped on the wire, so `"legal":[` cannot stand in one. */

#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_LINE = 65536 };

static char input[2 * LONGEST_LINE];
static char output[LONGEST_LINE];

static void give_up(const char *why) {
    fprintf(stderr, "instant: %s\n", why);
    exit(1);
}

static void say(const char *text, size_t length) {
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, text, length);
        if (written < 0)
            exit(1);
        text += written;
        length -= (size_t)written;
    }
}

/* Just behind `what`, which must stand between `from` and `end`. */
static const char *after(const char *from, const char *end, const char *what) {
    const char *found = memmem(from, (size_t)(end - from), what, strlen(what));
    if (found == NULL)
        give_up("a line that is no message of the protocol");
    return found + strlen(what);
}

/* Just behind the JSON value that begins here. */
static const char *skip(const char *from) {
    const char *at = from;
    int depth = 0;
    do {
        if (*at == '"') {
            for (at++; *at != '"'; at++)
                at += *at == '\\';
        } else if (*at == '[' || *at == '{') {
            depth++;
        } else if (*at == ']' || *at == '}') {
            if (depth == 0)
                return at;
            depth--;
        } else if (*at == ',' && depth == 0) {
            return at;
        }
        at++;
    } while (depth > 0 || (*at != ',' && *at != ']' && *at != '}'));
    return at;
}

static char *put(char *to, const char *from, const char *end) {
    memcpy(to, from, (size_t)(end - from));
    return to + (end - from);
}

static char *put_text(char *to, const char *text) {
    return put(to, text, text + strlen(text));
}

/* The value that fills in a choice: {"one_of":[...]}, {"pick":k,"of":[...]} or {"any_of":[...]}. */
static char *fill(char *to, const char *choice, const char *end) {
    if (strncmp(choice, "{\"one_of\":[", 11) == 0)
        return put(to, choice + 11, skip(choice + 11));
    if (strncmp(choice, "{\"pick\":", 8) != 0)
        return put_text(to, "[]");
    long wanted = strtol(choice + 8, NULL, 10);
    const char *first = after(choice, end, "\"of\":["), *last = first;
    for (long taken = 0; taken < wanted; taken++)
        last = skip(taken == 0 ? last : last + 1);
    to = put_text(to, "[");
    to = put(to, first, last);
    return put_text(to, "]");
}

/* The offer as an action: its kind, and every other field filled in. */
static char *act(char *to, const char *offer) {
    const char *at = offer + 1;
    to = put_text(to, "{");
    while (*at != '}') {
        const char *colon = strchr(at, ':') + 1, *end = skip(colon);
        to = put(to, at, colon);
        to = *colon == '{' ? fill(to, colon, end) : put(to, colon, end);
        at = end;
        if (*at == ',')
            to = put(to, at, at + 1), at++;
    }
    return put_text(to, "}");
}

static void answer(const char *line, const char *end, bool flips) {
    const char *id = after(line, end, "\"id\":");
    const char *offer = after(line, end, "\"legal\":["), *next = offer;
    bool is_flip = flips && strncmp(offer, "{\"kind\":\"flip\"", 14) == 0;
    while (!is_flip && *(next = skip(offer)) == ',')
        offer = next + 1;
    char *to = put_text(output, "{\"type\":\"answer\",\"id\":");
    to = put(to, id, skip(id));
    to = put_text(to, ",\"action\":");
    to = act(to, offer);
    to = put_text(to, "}\n");
    say(output, (size_t)(to - output));
}

int main(int argc, char **argv) {
    bool table = true, slaps = true, flips = false;
    for (int i = 1; i < argc; i++) {
        table = table && strcmp(argv[i], "--no-table") != 0;
        slaps = slaps && strcmp(argv[i], "--no-slaps") != 0;
        flips = flips || strcmp(argv[i], "--flips") == 0;
    }
    size_t filled = 0;
    for (;;) {
        ssize_t got = read(STDIN_FILENO, input + filled, sizeof input - 1 - filled);
        if (got <= 0)
            return 0;
        filled += (size_t)got;
        input[filled] = 0;
        char *line = input, *end;
        while ((end = memchr(line, '\n', filled - (size_t)(line - input))) != NULL) {
            if (strncmp(line, "{\"type\":\"request\"", 17) == 0) {
                answer(line, end, flips);
            } else if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
                int length = sprintf(output, "{\"type\":\"ready\",\"name\":\"instant\",\"table\":%s,\"slaps\":%s}\n",
                                     table ? "true" : "false", slaps ? "true" : "false");
                say(output, (size_t)length);
            }
            line = end + 1;
        }
        filled -= (size_t)(line - input);
        memmove(input, line, filled);
        if (filled == sizeof input - 1)
            give_up("a line that is too long");
    }
}
