// A cell: the process in which a job of native code runs, alone. It is forked from the worker before
// that code is loaded, with the inputs and the reference that the worker has made, serves the job's
// requests as a worker does, and is killed when the job is unloaded. So whatever a kernel does to its
// process, from its clock to its limits, ends with it. The worker passes frames on, and looks at the
// cell from outside after each launch, where the kernel has no say.
#pragma once

#include "os/process_state.h"
#include "worker/protocol.h"

struct cell {
    pid_t pid;
    struct channel channel;
    struct process_state before; // as it was when the job was loaded
    bool is_noted;               // `before` is known
};

enum cell_side {
    CELL_FAILED,
    CELL_OUTSIDE, // the worker
    CELL_INSIDE   // the new process: c->channel is its end
};
enum cell_side cell_start(struct cell *c, struct error *e);

// The worker's function for what the cell sends before it answers: phases, parts of outputs.
struct cell_listener {
    void (*pass_on)(void *context, const struct frame *f);
    void *context;
};
// Hands a request on (NULL: it was forked with it) and waits for the answer. False: the cell is lost.
// Then *status is how it ended, as waitpid() gives it, or that of a worker that gives up, and `why` has
// a text where the status alone does not tell.
bool cell_ask(struct cell *c, uint32_t sequence, const struct frame *request,
              const struct cell_listener *l, struct frame *answer, int *status, struct text *why);

// Remembers what the process is like: the job is loaded.
void cell_note(struct cell *c);
// Adds what the job has changed or left behind since; nothing: all is as it was. `cells` are those
// of the worker, for it to know its other children: what a kernel starts and leaves.
void cell_look(const struct cell *c, const pid_t *cells, size_t count, struct text *out);
// Kills it and all that it has started.
void cell_end(struct cell *c);
