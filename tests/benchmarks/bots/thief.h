/* What thief.c and thief.bpf.c share. */

#define PERIOD_NS 250000 /* how often the thief may begin, on each core */
#define TASKS 65536      /* tasks whose ids are as far apart as this share a place */

struct plan {
    unsigned per_million; /* how often it does begin */
    unsigned mean_ns;     /* for how long it keeps a core: half of this to three halves */
};
