/* The floor: a referee that only writes a request to one bot of each table, reads its answer, and goes on with the next.

       bare TABLES SEATS DECISIONS BOT [ARGUMENT...] < REQUEST

   No rules, no clocks, no records, no decoding. Prints seconds and CPU microseconds (referee, all bots) as JSON. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_BOTS = 256 };

struct bot {
    int in, out;
};

static struct bot bots[MOST_BOTS];

static void check(int ok, const char *what) {
    if (!ok) {
        perror(what);
        exit(1);
    }
}

/* The pipes of all other bots must be closed in a bot, or it would not see the end of its input. */
static void start(struct bot *bot, int earlier, char **command) {
    int to[2], from[2];
    check(pipe(to) == 0 && pipe(from) == 0, "pipe");
    pid_t child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        for (int other = 0; other < earlier; other++)
            close(bots[other].in), close(bots[other].out);
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[0]), close(to[1]), close(from[0]), close(from[1]);
        execv(command[0], command);
        _exit(127);
    }
    close(to[0]), close(from[1]);
    bot->in = to[1];
    bot->out = from[0];
}

static double used_us(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
           + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    check(argc >= 5, "usage: bare TABLES SEATS DECISIONS BOT [ARGUMENT...]");
    int tables = atoi(argv[1]), seats = atoi(argv[2]), wanted = atoi(argv[3]), answered = 0;
    static char request[65536], answer[65536];
    ssize_t size = read(0, request, sizeof request);
    check(size > 0 && tables * seats <= MOST_BOTS, "no request, or too many bots");
    signal(SIGPIPE, SIG_IGN);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < tables * seats; i++) {
        start(&bots[i], i, argv + 4);
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (unsigned)i};
        check(epoll_ctl(poll, EPOLL_CTL_ADD, bots[i].out, &event) == 0, "epoll_ctl");
        /* Once around before the time is taken: every bot is there. */
        check(write(bots[i].in, request, (size_t)size) == size, "write");
        check(read(bots[i].out, answer, sizeof answer) > 0, "read");
    }
    double begun = now_s(), used = used_us(RUSAGE_SELF);
    for (int i = 0; i < tables * seats; i += seats)
        check(write(bots[i].in, request, (size_t)size) == size, "write");
    while (answered < wanted) {
        struct epoll_event events[MOST_BOTS];
        int count = epoll_wait(poll, events, MOST_BOTS, -1);
        for (int e = 0; e < count; e++) {
            int i = (int)events[e].data.u32;
            ssize_t got = read(bots[i].out, answer, sizeof answer);
            check(got > 0 && answer[got - 1] == '\n', "read");
            answered++;
            int next = i - i % seats + (i + 1) % seats;
            check(write(bots[next].in, request, (size_t)size) == size, "write");
        }
    }
    double seconds = now_s() - begun, referee_us = used_us(RUSAGE_SELF) - used;
    for (int i = 0; i < tables * seats; i++)
        close(bots[i].in), close(bots[i].out);
    while (wait(NULL) > 0)
        ;
    printf("{\"decisions\":%d,\"seconds\":%.6f,\"referee_us\":%.1f,\"bots_us\":%.1f}\n", answered, seconds,
           referee_us, used_us(RUSAGE_CHILDREN));
}
