// Threads that share a range in equal parts; one that cannot be started has its part done by the
// caller.
#include "device/parallel.h"

#include "os/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

// The end of a thread, which its own clock does not see any more.
#define PARALLEL_ENDING_NS 150000

struct share {
    void (*body)(void *context, struct range r);
    void *context;
    struct range range;
    pthread_t thread;
    bool started;
};

// The cores of this process, counted when a device is opened: to find a quota takes reading files.
static atomic_uint known_cores;

unsigned parallel_count_cores(void)
{
    unsigned cores = process_cores();
    atomic_store(&known_cores, cores);
    return cores;
}

unsigned parallel_parts(uint64_t count, uint64_t least)
{
    uint64_t worth = count / (least ? least : 1);
    unsigned known = atomic_load(&known_cores);
    uint64_t cores = known ? known : parallel_count_cores();
    uint64_t parts = worth < cores ? worth : cores;
    if (parts > PARALLEL_MOST)
        parts = PARALLEL_MOST;
    return parts ? (unsigned)parts : 1;
}

static void *run_share(void *argument)
{
    struct share *s = argument;
    s->body(s->context, s->range);
    return NULL;
}

// Processor time of threads that have ended: a backend whose kernels share the process distinguishes the
// time of the kernels' threads from it.
static atomic_uint_least64_t spent_ns;

uint64_t parallel_spent_ns(void)
{
    return atomic_load(&spent_ns);
}

static void *run_thread(void *argument)
{
    struct timespec took = {0};
    run_share(argument);
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &took) == 0)
        atomic_fetch_add(&spent_ns, (uint64_t)took.tv_sec * 1000000000 + (uint64_t)took.tv_nsec +
                                        PARALLEL_ENDING_NS);
    return NULL;
}

// The bound in front of part `part`, rounded down to a multiple.
static uint64_t bound(uint64_t count, unsigned parts, uint64_t multiple, unsigned part)
{
    if (part >= parts)
        return count;
    uint64_t blocks = count / multiple;
    return blocks / parts * part * multiple + (blocks % parts) * part / parts * multiple;
}

void parallel_run(uint64_t count, unsigned parts, uint64_t multiple,
                  void (*body)(void *context, struct range r), void *context)
{
    struct share shares[PARALLEL_MOST];
    if (parts == 0)
        parts = 1;
    if (parts > PARALLEL_MOST)
        parts = PARALLEL_MOST;
    for (unsigned i = 0; i < parts; i++) {
        shares[i] = (struct share){.body = body, .context = context};
        shares[i].range = (struct range){bound(count, parts, multiple, i),
                                         bound(count, parts, multiple, i + 1), i};
    }
    for (unsigned i = 1; i < parts; i++)
        shares[i].started = pthread_create(&shares[i].thread, NULL, run_thread, &shares[i]) == 0;
    run_share(&shares[0]);
    // A thread that could not be had is done without.
    for (unsigned i = 1; i < parts; i++) {
        if (shares[i].started)
            pthread_join(shares[i].thread, NULL);
        else
            run_share(&shares[i]);
    }
}
