// A device at a place as a live evaluator takes it.
#include "runner/place.h"

#include "runner/evaluator.h"

void place_use(const struct place *p, struct live_options *live)
{
    live->node = p->node;
    live->worker = p->worker;
    live->environment = p->environment;
    live->device = p->device;
    live->spare = p->spare;
    live->jobs = p->jobs ? p->jobs : live->jobs;
}
