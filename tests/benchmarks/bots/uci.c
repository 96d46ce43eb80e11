/* A chess engine that moves at once. Either side walks a knight around, white in six moves, black in eight, so that the
   first position stands there for the third time after 96 moves, and the game is drawn.

       uci [--info] [COUNTS]

   Knows `uci`, `isready`, `position` (by the number of its moves alone), `go` and `quit`. With --info it says a score
   before each move, as tournament managers like it. At its end it adds a line to the file COUNTS: its moves. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const white[] = {"g1h3", "h3f4", "f4d3", "d3e5", "e5f3", "f3g1"};
static const char *const black[] = {"b8a6", "a6b4", "b4d5", "d5b6", "b6c4", "c4a5", "a5c6", "c6b8"};

static void say(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0)
        exit(1);
}

/* How many moves stand behind the word `moves`; in a game from the start, how many have been made. */
static unsigned made(const char *position) {
    const char *at = strstr(position, " moves ");
    unsigned count = 0;
    for (at = at == NULL ? NULL : at + 6; at != NULL && at[1] != 0; at = strchr(at + 1, ' '))
        count++;
    return count;
}

int main(int argc, char **argv) {
    static char line[65536];
    const char *counts = NULL, *info = "";
    unsigned played = 0, asked = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--info") == 0)
            info = "info depth 1 score cp 0 nodes 1 time 0\n";
        else
            counts = argv[i];
    }
    while (fgets(line, sizeof line, stdin) != NULL && strncmp(line, "quit", 4) != 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (strcmp(line, "uci") == 0)
            say("id name instant\nid author golfref\nuciok\n");
        else if (strcmp(line, "isready") == 0)
            say("readyok\n");
        else if (strncmp(line, "position", 8) == 0)
            played = made(line);
        else if (strncmp(line, "go", 2) == 0) {
            char answer[128];
            const char *move = played % 2 == 0 ? white[played / 2 % 6] : black[played / 2 % 8];
            snprintf(answer, sizeof answer, "%sbestmove %s\n", info, move);
            say(answer);
            asked++;
        }
    }
    if (counts != NULL) {
        int file = open(counts, O_WRONLY | O_CREAT | O_APPEND, 0600);
        dprintf(file, "%u\n", asked);
        close(file);
    }
    return 0;
}
