// Outputs of a job as they pass from one worker to another, part by part.
#pragma once

#include "worker/protocol.h"

// The parts of a job's outputs that have come. All zeros: none.
struct outputs {
    struct text *buffers; // by buffer; contents from the start, without gaps
    uint32_t count;
};

// Takes a part behind those that are there. False: it does not fit, or there is no memory.
bool outputs_take(struct outputs *o, const struct output_part *p);
// The contents by buffer of `j`, NULL where there is no output; free() the array, not what it points to. NULL: one is not whole, or
// there is no memory.
const void **outputs_of(const struct outputs *o, const struct job *j, struct error *e);
void outputs_free(struct outputs *o);
