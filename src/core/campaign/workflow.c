// The part that all workflows share: one stays broken, is cancelled and freed with what it runs, and tells the time.
#include "campaign/workflow.h"

#include "os/process.h"

#include <stdlib.h>

void *workflow_new(size_t size, const struct workflow_operations *operations, struct error *e)
{
    struct workflow *w = alloc_zeroed(size, e);
    if (w) {
        w->operations = operations;
        w->started_ns = clock_ns();
    }
    return w;
}

enum workflow_answer workflow_step(struct workflow *w, int timeout_ms, const void **record,
                                   struct error *e)
{
    struct error why = ERROR_INIT;
    *record = NULL;
    if (!w->broken) {
        enum workflow_answer answer = w->operations->step(w, timeout_ms, record, &why);
        if (answer != WORKFLOW_BROKEN)
            return answer;
        w->broken = true;
        w->why = why;
    }
    if (e)
        *e = w->why;
    return WORKFLOW_BROKEN;
}

void workflow_cancel(struct workflow *w)
{
    w->cancelled = true;
    if (w->operations->stop)
        w->operations->stop(w);
    if (w->evaluator)
        evaluator_cancel(w->evaluator);
    if (w->inner)
        workflow_cancel(w->inner);
}

void workflow_end_inner(struct workflow *w)
{
    workflow_free(w->inner);
    w->inner = NULL;
}

void workflow_free(struct workflow *w)
{
    if (!w)
        return;
    workflow_end_inner(w);
    if (w->operations->stop)
        w->operations->stop(w);
    evaluator_free(w->evaluator);
    w->operations->release(w);
    free(w);
}

void workflow_progress(struct workflow *w, uint64_t planned, uint64_t done,
                       struct workflow_progress *out)
{
    *out = (struct workflow_progress){.planned = planned,
                                      .done = done,
                                      .elapsed_ns = clock_ns() - w->started_ns,
                                      .cancelled = w->cancelled};
    struct evaluator *ev = w->evaluator;
    for (struct workflow *inner = w->inner; inner && !ev; inner = inner->inner)
        ev = inner->evaluator;
    if (ev)
        evaluator_status(ev, &out->evaluator);
    uint64_t locked = out->evaluator.times.span_ns[SPAN_LOCKED];
    if (done > 1 && done < planned && locked < out->elapsed_ns)
        out->left_ns = (uint64_t)((double)(out->elapsed_ns - locked) / (double)done *
                                  (double)(planned - done));
}
