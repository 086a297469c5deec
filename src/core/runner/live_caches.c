// The live evaluator's part in worker_caches (remote.h): after a loss of the bench worker the probe,
// and the job that was at the bench, run in a worker with empty caches. Build workers do the same
// (build_pool.c). If the job works there, the caches are left for the rest of the evaluator, and it
// is said where they are.
#include "runner/live.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void live_caches_init(struct live *v)
{
    v->caches.exist = language_traits(v->device.language)->caches[0].variable != NULL;
    snprintf(v->caches.empty, sizeof v->caches.empty, "HONE_WORKER_EMPTY_CACHES=%ld-%llx",
             (long)getpid(), (unsigned long long)clock_ns());
}

void live_choose_caches(struct live *v, const struct entry *next)
{
    const struct worker_caches *c = &v->caches;
    bool is_doubted = v->recovery.state != RECOVERY_NONE || (next && next->bench_deaths > 0) ||
                      (!v->prepared && v->recovery.prepare_deaths > 0);
    bench_use_caches(v->bench, c->exist && (c->are_left || is_doubted) ? c->empty : NULL);
}

void live_judge_caches(struct live *v)
{
    v->caches.are_left = v->caches.are_left || bench_worker(v->bench)->has_empty_caches;
}

void live_tell_caches(struct live *v)
{
    struct text where = TEXT_INIT;
    if (!v->caches.are_left || v->told_caches)
        return;
    v->told_caches = true;
    // "POCL_CACHE_DIR=/home/me/.cache/hone/pocl" of the environment that workers get.
    const struct language_cache *c = language_traits(v->device.language)->caches;
    for (; c->variable; c++) {
        size_t length = strlen(c->variable);
        const char *const *at = v->o.at.environment;
        while (at && *at && !(strncmp(*at, c->variable, length) == 0 && (*at)[length] == '='))
            at++;
        if (at && *at)
            text_addf(&where, "%s%s", where.length ? ", " : " (", *at);
    }
    text_add(&where, where.length ? ")" : "");
    log_add(v->o.log, LOG_WARNING,
            "a driver's cache seems to be damaged, or its disk full%s: what failed with it works "
            "with an empty one, which the rest of this run uses; `hone cache clear`, or removing "
            "a folder of your own, mends that",
            text_cstr(&where));
    text_release(&where);
}
