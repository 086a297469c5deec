// The one loop of the program: steps a workflow of any kind to its end, shows what is new and how
// far it is, and obeys Ctrl-C.
#pragma once

#include "cli/work.h"

struct running {
    struct workflow *workflow;
    struct work *work;    // whose line of progress and store it uses
    struct error *broken; // why it could not go on; code NONE: it did. NULL: the work's
    void *context;        // of these:
    // (optional) Shows a new record, one of the workflow's (struct tune_record). False: goes on no
    // more.
    bool (*record)(void *context, const void *record);
    // How far it is, in lines that are cut at the screen's width. Where it adds nothing, nothing is shown. Asked on a
    // terminal alone.
    void (*progress)(void *context, const struct screen *s, struct text *lines);
    void (*turn)(void *context); // (optional) in each turn of the loop
    bool silent;                 // prints no message on Ctrl-C: no launch is running
    bool ending;                 // it was cancelled
};

// To its end; the line of progress is gone afterwards.
void workflow_run(struct running *r);

// Writes a part of the output as soon as it is known: a script may read along. Releases the text.
void workflow_write(struct ticker *t, struct text *text);

// The program's exit status: the signal's after Ctrl-C, else that of the error that broke the
// workflow (code NONE: it did not break), as `failed` maps it, else by whether there is an answer.
int workflow_status(const struct error *broken, int (*failed)(const struct error *e),
                    bool has_answer);
// For that: says why a workflow could not be made or go on; the exit status.
int workflow_failed(const struct error *e);
