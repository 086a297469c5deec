// A second worker of a device, for which the jobs that are launched elsewhere are trusted by nobody: it has their references, is
// given what they left, and compares. Nothing of theirs runs in it, and the bench's worker is told of no reference.
//
// Its owner polls the worker, hands over what it says, and gets the answer to its last comparison.
#pragma once

#include "runner/remote.h"

struct verifier;

// NULL: no memory. The setup's texts outlive it.
struct verifier *verifier_new(const struct worker_setup *setup, struct endings *endings);
void verifier_free(struct verifier *v); // ends the worker; NULL is fine
struct remote *verifier_worker(struct verifier *v);

// False: nothing can go on. The first of them starts the worker.
bool verifier_prepare(struct verifier *v, const struct job *job, struct error *e);
// It has died: what is asked next starts another one.
void verifier_end(struct verifier *v);
// A frame with a part of outputs, from whoever has launched; a first part begins anew.
bool verifier_part(struct verifier *v, const struct frame *f, struct error *e);
// Compares what was given since the last comparison. One at a time is awaited.
bool verifier_compare(struct verifier *v, const struct job *job, const struct check_apart *c,
                      struct error *e);
// The answer is of no use any more.
void verifier_forget(struct verifier *v);
// Handles news. *answer: that of the awaited comparison, or NULL. False: nothing can go on.
bool verifier_news(struct verifier *v, enum news news, const struct frame *f,
                   struct result **answer, struct error *e);
