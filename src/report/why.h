// Why two builds of one kernel differ in time: their instructions by class, side by side.
#pragma once

#include "isa/code.h"
#include "isa/tools.h"
#include "base/fields.h"
#include "model/counters.h"

// One build, as a worker handed it over.
struct why_build {
    const char *label;  // "OpenCL"
    const char *kernel; // its name; NULL: the only one there is
    const void *binary; // PTX text or a cubin: told apart by what they start with
    size_t length;
    const char *ptx; // (optional) the PTX that a cubin was made of
    size_t ptx_length;
    // (optional) What PTX is assembled for: "sm_90a". Default: what its .target says. NVIDIA's
    // OpenCL writes sm_90 and assembles for sm_90a.
    const char *target;
};

struct why_side {
    const char *label;
    struct code_profile profile;
};

// The two (or the one) in PTX or in SASS.
struct why_part {
    bool is_there;
    char missing[512]; // else why not: "OpenCL: ptxas is neither in PATH nor in ..."
    struct why_side sides[2];
};

struct view_why {
    uint32_t count;                     // of sides: 2, or 1 for one build alone
    const char *labels[2];              // of the sides
    const struct counters *counters[2]; // (or NULL, both) what a launch of each does
    struct why_part parts[CODE_KINDS];
};

// Takes the builds apart; `count` is 1 or 2. Labels are kept, nothing else is. A part that cannot
// be had says why; false only when that is so of both (the error then says it).
bool why_make(const struct why_build *builds, uint32_t count, const struct code_tools *tools,
              struct view_why *out, struct error *e);
// The SASS of one build, as nvdisasm prints it.
bool why_sass(const struct why_build *b, const struct code_tools *tools, struct text *out,
              struct error *e);
// The architecture that PTX is assembled for on a device of this capability (90): "sm_90a" into
// out, of at least 32 bytes. From 90 on the PTX may use instructions of that architecture only.
void why_target(uint32_t capability, char *out);

// The largest differences as sentences, one a line: from SASS if available, else from PTX.
void report_why_sentences(const struct view_why *v, struct text *out);
// Sentences and tables.
void report_why(const struct view_why *v, struct text *out);
void report_why_markdown(const struct view_why *v, struct text *out);
extern const struct fields report_why_fields; // of a struct view_why, within itself
