// The one loop of the program: steps a workflow of any kind to its end, shows how far it is, and
// obeys Ctrl-C.
#ifndef HONE_CLI_RUN_WORKFLOW_H
#define HONE_CLI_RUN_WORKFLOW_H

#include "base/error.h"
#include "cli/console.h"

// What the loop needs of a workflow.
struct workflow {
    // Goes on for up to `timeout_ms` and shows what is new. False at the end.
    bool (*step)(void *context, int timeout_ms);
    // How far it is, in at most `width` columns (0: any). Where it adds nothing, no line is shown.
    void (*progress)(void *context, size_t width, struct text *line);
    void (*cancel)(void *context); // what runs comes to its end, and so does the workflow
};

struct running {
    const struct workflow *workflow;
    void *context;
    struct ticker *ticker;
    bool silent; // nothing is said of Ctrl-C: no launch has to be waited for
    bool ending; // it was cancelled
};

// One step. False at the end.
bool workflow_step(struct running *r);
// All of them; the line of progress is gone afterwards.
void workflow_run(struct running *r);

// Writes a part of the output as soon as it is known: a script may read along. Releases the text.
void workflow_write(struct ticker *t, struct text *text);

// What the program exits with: the signal's status after Ctrl-C, else that of what broke the
// workflow (code NONE: nothing did), as `failed` says it, else whether there is an answer.
int workflow_status(const struct error *broken, int (*failed)(const struct error *e),
                    bool has_answer);
// For that: says why a workflow could not be made or go on; the exit status.
int workflow_failed(const struct error *e);

#endif
