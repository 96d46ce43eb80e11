/* thief PROGRAM MEAN_NS SHARE: loads thief.bpf.c, which then keeps each core to itself for that share of the time, in
 * pieces of about MEAN_NS, until standard input ends. Prints the id of the table that says what it took from whom. */

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "thief.h"

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return 1;
}

int main(int count, char **words)
{
    if (count != 4)
        return fprintf(stderr, "usage: thief PROGRAM MEAN_NS SHARE\n"), 2;
    double share = atof(words[3]);
    struct plan plan = {.mean_ns = atoi(words[2])};
    plan.per_million = 1e6 * share / (1 - share) * PERIOD_NS / plan.mean_ns;

    struct bpf_object *object = bpf_object__open_file(words[1], NULL);
    if (!object || bpf_object__load(object))
        return fail("the kernel does not take the program");
    unsigned first = 0;
    bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, "plans"), &first, &plan, BPF_ANY);
    struct bpf_program *steal = bpf_object__find_program_by_name(object, "steal");
    struct perf_event_attr tick = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof tick,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = PERIOD_NS,
    };
    for (int core = 0; core < sysconf(_SC_NPROCESSORS_ONLN); core++) {
        int event = syscall(SYS_perf_event_open, &tick, -1, core, -1, PERF_FLAG_FD_CLOEXEC);
        if (event < 0 || !bpf_program__attach_perf_event(steal, event))
            return fail("the kernel does not let it run on a core");
    }

    struct bpf_map_info table = {0};
    unsigned size = sizeof table;
    if (bpf_obj_get_info_by_fd(bpf_object__find_map_fd_by_name(object, "stolen"), &table, &size))
        return fail("the kernel does not tell of the table");
    printf("%u\n", table.id);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
