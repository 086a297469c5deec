// Each turn of the loop first looks for a signal, then gives the workflow a tenth of a second, then
// draws the line of progress where it is time to. A workflow is cancelled once: by the first
// Ctrl-C, or because stdout cannot be written any more and nobody reads along. The second Ctrl-C
// ends the program by itself (interrupt.c).
#include "cli/run_workflow.h"

#include "cli/interrupt.h"
#include "cli/work.h"
#include "os/process.h"

#define STEP_MS 100

static void show_progress(struct running *r)
{
    struct text line = TEXT_INIT;
    uint64_t now = clock_ns();
    if (!ticker_due(r->ticker, now))
        return;
    r->workflow->progress(r->context, ticker_width(r->ticker), &line);
    if (line.length)
        ticker_show(r->ticker, text_cstr(&line), now);
    text_release(&line);
}

bool workflow_step(struct running *r)
{
    if (interrupt_pending() && !r->ending) {
        r->ending = true;
        ticker_clear(r->ticker);
        if (!r->silent)
            say("Ending after the running launch; once more Ctrl-C ends at once.\n");
        r->workflow->cancel(r->context);
    }
    bool goes_on = r->workflow->step(r->context, STEP_MS);
    if (ferror(stdout) && !r->ending) {
        r->ending = true;
        r->workflow->cancel(r->context);
    }
    if (goes_on)
        show_progress(r);
    return goes_on;
}

void workflow_run(struct running *r)
{
    while (workflow_step(r))
        ;
    ticker_clear(r->ticker);
}

void workflow_write(struct ticker *t, struct text *text)
{
    ticker_clear(t);
    put(text);
    fflush(stdout);
    text_release(text);
}

int workflow_failed(const struct error *e)
{
    // A kernel or data file that cannot be read is the spec's fault, as one that makes no sense.
    int status = work_failed(e);
    return e->code == ERROR_IO ? EXIT_USAGE : status;
}

int workflow_status(const struct error *broken, int (*failed)(const struct error *e),
                    bool has_answer)
{
    if (interrupt_pending())
        return EXIT_SIGNAL + interrupt_pending();
    if (broken->code)
        return failed(broken);
    return has_answer ? EXIT_DONE : EXIT_NOTHING;
}
