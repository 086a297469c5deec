// The part of an audit that needs a kernel's text: mutants of it (kernel_text/kernel_mutants.h), each built and launched as the kernel
// was. What passes either does the same at this size or is what the check cannot tell from right; nothing decides which, so it is
// a note. Nothing of it is stored.
#ifndef HONE_WORKFLOWS_CHECK_KERNEL_AUDIT_H
#define HONE_WORKFLOWS_CHECK_KERNEL_AUDIT_H

#include "campaign/setup.h"
#include "campaign/workflow.h"

// So many are tried, with so long a launch each.
#define KERNEL_MUTANTS   16
#define MUTANT_LAUNCH_NS (2ull * 1000000000)

struct checked_mutant {
    const char *line, *change; // as in struct kernel_mutant
    enum status status;
    bool is_same; // it is built to the kernel's own code: none
    bool passes;  // else: the check takes what it leaves for right
};

// A job of the kernel, once more.
struct kernel_audit_job {
    bool (*make)(void *context, struct job **out, struct error *e);
    void *context;
};

struct kernel_audit;
// Texts are kept in the arena. Nothing to try is no error. NULL with one.
struct kernel_audit *kernel_audit_new(const struct setup *s, const struct kernel_audit_job *job,
                                      struct arena *a, struct error *e);
// *w's evaluator is used, and made if there is none. END: all are answered, or it was cancelled.
enum workflow_answer kernel_audit_step(struct kernel_audit *k, struct workflow *w, int timeout_ms,
                                       struct error *e);
const struct checked_mutant *kernel_audit_mutants(const struct kernel_audit *k, size_t *count);

#endif
