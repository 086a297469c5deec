// Each turn of the loop first looks for a signal, then gives the workflow a tenth of a second, then
// draws the lines of progress if it is time to. A workflow is cancelled once: by the first Ctrl-C,
// or because stdout cannot be written any more and there is no other reader. The second Ctrl-C ends
// the program by itself (interrupt.c).
#include "cli/run_workflow.h"

#include "cli/interrupt.h"
#include "cli/trace.h"
#include "os/process.h"

#include <signal.h>

#define STEP_MS 100

static void show_progress(struct running *r)
{
    struct ticker *ticker = &r->work->ticker;
    struct text line = TEXT_INIT;
    uint64_t now = clock_ns();
    if (!ticker_due(ticker, now))
        return;
    const struct screen screen = ticker_screen(ticker);
    r->progress(r->context, &screen, &line);
    if (line.length)
        ticker_show(ticker, text_cstr(&line), now);
    text_release(&line);
}

static void cancel_workflow(struct running *r)
{
    r->ending = true;
    workflow_cancel(r->workflow);
}

void workflow_run(struct running *r)
{
    enum workflow_answer answer = WORKFLOW_NOTHING;
    r->broken = r->broken ? r->broken : &r->work->broken;
    while (answer == WORKFLOW_NOTHING || answer == WORKFLOW_RECORD) {
        const void *record;
        if (interrupt_pending() && !r->ending) {
            ticker_clear(&r->work->ticker);
            if (!r->silent && interrupt_pending() != SIGALRM)
                say("Ending after the running launch; once more Ctrl-C ends at once.\n");
            cancel_workflow(r);
        }
        answer = workflow_step(r->workflow, STEP_MS, &record, r->broken);
        // If only the store lost results, the rest is intact: the work reports it, once.
        if ((answer == WORKFLOW_END || r->broken->code == ERROR_STORE) && !work_kept(r->work))
            error_clear(r->broken);
        if (answer == WORKFLOW_RECORD && r->record && !r->record(r->context, record))
            break;
        if (ferror(stdout) && !r->ending)
            cancel_workflow(r);
        if (answer == WORKFLOW_NOTHING || answer == WORKFLOW_RECORD)
            show_progress(r);
        if (r->turn)
            r->turn(r->context);
    }
    ticker_clear(&r->work->ticker);
    trace_broken(r->broken);
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
