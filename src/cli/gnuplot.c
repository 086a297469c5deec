// Runs gnuplot on a script and waits for it. That there is none is an answer and no error.
#include "cli/gnuplot.h"

#include "os/process.h"
#include "base/text.h"

#include <errno.h>
#include <sys/wait.h>

#define PATIENCE_MS 60000

static bool ended_well(struct process *p, struct error *e)
{
    int status;
    char how[128];
    if (!process_wait(p, PATIENCE_MS, &status))
        return error_set(e, ERROR_IO, "gnuplot took longer than %d s", PATIENCE_MS / 1000);
    if (status == PROCESS_STATUS_UNKNOWN || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return true;
    process_status_text(status, how, sizeof how);
    return error_set(e, ERROR_IO, "gnuplot %s: %s", how, p->tail);
}

enum gnuplot_answer gnuplot_run(const char *script, struct error *e)
{
    struct process p;
    struct text path = TEXT_INIT;
    text_addf(&path, "%s%s", script[0] == '-' ? "./" : "", script);
    const char *const argv[] = {"gnuplot", text_cstr(&path), NULL};
    enum gnuplot_answer answer = GNUPLOT_FAILED;
    if (path.failed)
        error_memory(e);
    else if (process_start(&p, argv, NULL, e)) {
        answer = ended_well(&p, e) ? GNUPLOT_DONE : GNUPLOT_FAILED;
        process_end(&p);
    } else if (e->code == ERROR_IO && e->driver == ENOENT) {
        error_clear(e);
        answer = GNUPLOT_MISSING;
    }
    text_release(&path);
    return answer;
}
