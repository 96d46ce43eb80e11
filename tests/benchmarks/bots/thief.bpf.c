/* Keeps a core from everybody now and then, as the host of a virtual machine does that gives it to another guest: from
 * within an interrupt, so that no process computes meanwhile and none is said to wait. For thief.c, which loads it. */

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "thief.h"

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct plan);
} plans SEC(".maps");

/* Nanoseconds by task, and in the last place those of all. */
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __uint(max_entries, TASKS + 1);
    __type(key, __u32);
    __type(value, __u64);
} stolen SEC(".maps");

static int is_over(__u32 turn, __u64 *end_ns)
{
    return bpf_ktime_get_ns() >= *end_ns;
}

static void note(__u32 place, __u64 taken_ns)
{
    __u64 *sum = bpf_map_lookup_elem(&stolen, &place);
    if (sum)
        __sync_fetch_and_add(sum, taken_ns);
}

SEC("perf_event")
int steal(void *context)
{
    __u32 first = 0;
    struct plan *plan = bpf_map_lookup_elem(&plans, &first);
    if (!plan || bpf_get_prandom_u32() % 1000000 >= plan->per_million)
        return 0;
    __u64 start_ns = bpf_ktime_get_ns(), end_ns = start_ns + plan->mean_ns / 2 + bpf_get_prandom_u32() % plan->mean_ns;
    bpf_loop(1 << 22, is_over, &end_ns, 0);
    __u64 taken_ns = bpf_ktime_get_ns() - start_ns;
    note((__u32)bpf_get_current_pid_tgid() % TASKS, taken_ns);
    note(TASKS, taken_ns);
    return 0;
}

char terms[] SEC("license") = "Dual MIT/GPL"; /* the kernel lends its clock to no others */
