// The jobs of the live evaluator: a list a stage, and an index by ticket, so that thousands that
// are kept cost those on their way nothing.
#include "runner/live.h"

#include <stddef.h>
#include <stdlib.h>

enum { FIRST_BUCKETS = 256 };

// ---- lists -------------------------------------------------------------------------------------

static void unlink_stage(struct entries *all, struct entry *n)
{
    struct entry_list *list = &all->stages[n->stage];
    *(n->previous ? &n->previous->next : &list->first) = n->next;
    *(n->next ? &n->next->previous : &list->last) = n->previous;
    n->next = n->previous = NULL;
    list->count--;
}

// At the end; what has yet to be built or measured before those that were submitted later.
static void link_stage(struct entries *all, struct entry *n)
{
    struct entry_list *list = &all->stages[n->stage];
    struct entry *before = list->last;
    while (n->stage <= STAGE_READY && before && before->bench.handle > n->bench.handle)
        before = before->previous;
    n->previous = before;
    n->next = before ? before->next : list->first;
    *(n->next ? &n->next->previous : &list->last) = n;
    *(before ? &before->next : &list->first) = n;
    list->count++;
}

void entry_stage(struct entries *all, struct entry *n, enum stage stage)
{
    unlink_stage(all, n);
    n->stage = stage;
    link_stage(all, n);
}

uint32_t entry_count(const struct entries *all, enum stage from, enum stage to)
{
    uint32_t count = 0;
    for (int stage = (int)from; stage <= (int)to; stage++)
        count += all->stages[stage].count;
    return count;
}

// ---- the index ---------------------------------------------------------------------------------

// Tickets are small consecutive numbers as a rule; any others only make longer chains.
static struct entry **entry_bucket(const struct entries *all, uint64_t ticket)
{
    return &all->buckets[ticket % all->bucket_count];
}

static bool grow_index(struct entries *all)
{
    if (all->count < all->bucket_count)
        return true;
    struct entries larger = {.bucket_count =
                                 all->bucket_count ? 2 * all->bucket_count : FIRST_BUCKETS};
    larger.buckets = calloc(larger.bucket_count, sizeof(*larger.buckets));
    if (!larger.buckets)
        return false;
    for (size_t i = 0; i < all->bucket_count; i++) {
        for (struct entry *n = all->buckets[i], *next; n; n = next) {
            struct entry **to = entry_bucket(&larger, n->ticket);
            next = n->chained;
            n->chained = *to;
            *to = n;
        }
    }
    free((void *)all->buckets);
    all->buckets = larger.buckets;
    all->bucket_count = larger.bucket_count;
    return true;
}

struct entry *entry_of_build(struct build *b)
{
    return (struct entry *)(void *)((char *)b - offsetof(struct entry, build));
}

const char *entry_name(const struct entry *n)
{
    return n->job->configuration ? n->job->configuration : "a configuration";
}

struct entry *entry_find(const struct entries *all, uint64_t ticket)
{
    struct entry *n = all->bucket_count ? *entry_bucket(all, ticket) : NULL;
    while (n && n->ticket != ticket)
        n = n->chained;
    return n;
}

// ---- life --------------------------------------------------------------------------------------

struct entry *entry_new(struct live *v, struct job *job)
{
    struct entry *n = job ? calloc(1, sizeof *n) : NULL;
    if (!n) {
        job_free(job);
        return NULL;
    }
    n->job = job;
    n->bench = (struct bench_job){.job = job, .image = &n->build.image, .handle = v->next_handle++};
    n->build.job = job;
    n->build.order = n->bench.handle;
    return n;
}

bool entry_add(struct entries *all, struct entry *n, uint64_t ticket)
{
    if (!grow_index(all))
        return false;
    n->ticket = ticket;
    n->chained = *entry_bucket(all, ticket);
    *entry_bucket(all, ticket) = n;
    all->count++;
    n->stage = STAGE_BUILDING;
    link_stage(all, n);
    return true;
}

void entry_free(struct entry *n)
{
    if (!n)
        return;
    job_free(n->job);
    result_free(n->result);
    result_free(n->bench.prefetched);
    build_release(&n->build);
    free(n);
}

void entry_remove(struct live *v, struct entry *n)
{
    struct entry **link = entry_bucket(&v->entries, n->ticket);
    while (*link != n)
        link = &(*link)->chained;
    *link = n->chained;
    v->entries.count--;
    build_pool_forget(v->pool, &n->build);
    bench_forget(v->bench, &n->bench);
    unlink_stage(&v->entries, n);
    entry_free(n);
}

void entries_release(struct live *v)
{
    for (int stage = 0; stage < STAGE_COUNT; stage++) {
        while (v->entries.stages[stage].first)
            entry_remove(v, v->entries.stages[stage].first);
    }
    entry_free(v->own_probe);
    free((void *)v->entries.buckets);
}
