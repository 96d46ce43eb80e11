/* slapper WORK_US: computes for so many microseconds, by its thread's CPU clock, then slaps a card of its own in every
 * window, right or wrong. Never knocks. For races.py; knows the decisions of Cactus only. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char line[1 << 17];

static double used_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

/* What stands after `key` in the text, up to one of `ends`; empty if the key is not there. */
static const char *after(const char *text, const char *key, const char *ends)
{
    static char found[8][64];
    static int turn;
    char *into = found[turn++ % 8];
    const char *at = text ? strstr(text, key) : NULL;
    size_t length = at ? strcspn(at + strlen(key), ends) : 0;
    snprintf(into, sizeof found[0], "%.*s", (int)(length < 63 ? length : 63), at ? at + strlen(key) : "");
    return into;
}

int main(int count, char **words)
{
    double work_us = count > 1 ? atof(words[1]) : 0;
    int seat = 0;
    setvbuf(stdin, NULL, _IOFBF, sizeof line);
    while (fgets(line, sizeof line, stdin)) {
        double end_us = used_us() + work_us;
        if (strncmp(line, "{\"type\":\"hello\"", 15) == 0) {
            puts("{\"type\":\"ready\",\"table\":false}");
        } else if (strncmp(line, "{\"type\":\"match\"", 15) == 0) {
            seat = atoi(after(line, ",\"seat\":", ","));
            continue;
        } else if (strncmp(line, "{\"type\":\"request\"", 17) == 0) {
            const char *legal = strstr(line, "],\"id\":\"");
            const char *id = after(legal, "\"id\":\"", "\"");
            char own[32];
            snprintf(own, sizeof own, "[%d,", seat);
            printf("{\"type\":\"answer\",\"id\":\"%s\",\"action\":", id);
            if (strstr(legal, "\"decision\":\"slap\"")) {
                const char *slap = strstr(legal, "\"kind\":\"slap\"");
                const char *mine = slap ? strstr(slap, own) : NULL;
                while (used_us() < end_us)
                    ;
                if (slap)
                    printf("{\"kind\":\"slap\",\"target\":[%s]}}\n", after(mine ? mine : slap, mine ? "[" : "[[", "]"));
                else
                    puts("{\"kind\":\"pass\"}}");
            } else if (strstr(legal, "\"kind\":\"draw\"")) {
                printf("{\"kind\":\"draw\",\"from\":\"%s\"}}\n", after(legal, "\"from\":{\"one_of\":[\"", "\""));
            } else if (strstr(legal, "\"kind\":\"discard\"")) {
                puts("{\"kind\":\"discard\"}}");
            } else if (strstr(legal, "\"kind\":\"none\"")) {
                puts("{\"kind\":\"none\"}}");
            } else if (strstr(legal, "\"kind\":\"give\"")) {
                printf("{\"kind\":\"give\",\"slot\":%s}}\n", after(legal, "\"slot\":{\"one_of\":[", ",]"));
            } else {
                puts("{\"kind\":\"knock\"}}");
            }
        }
        fflush(stdout);
    }
    return 0;
}
