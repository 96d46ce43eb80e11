/* slapper [TURNS] WORK_US: computes for so many microseconds, by its thread's CPU clock, then slaps a card of its own in
 * every window, right or wrong. Never knocks. With TURNS it does not look at the clock, but turns a loop as often in each
 * of these microseconds. slapper --turns says how often that is here. For races.py and stealing.py; knows the decisions of
 * Cactus only. */

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

static void turn(double turns)
{
    for (volatile double left = turns; left > 0; left -= 1)
        ;
}

static double turns_a_us(void)
{
    double best = 0;
    for (int tries = 0; tries < 200; tries++) {
        double since_us = used_us();
        turn(1e5);
        double rate = 1e5 / (used_us() - since_us);
        best = rate > best ? rate : best;
    }
    return best;
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
    double work_us = count > 1 ? atof(words[count - 1]) : 0, turns = count > 2 ? atof(words[1]) * work_us : 0;
    int seat = 0;
    if (count > 1 && strcmp(words[1], "--turns") == 0)
        return printf("%.3f\n", turns_a_us()), 0;
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
                turn(turns);
                while (turns == 0 && used_us() < end_us)
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
