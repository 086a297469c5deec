// Reads what Oclgrind says of the instructions that a kernel executed (--inst-counts; version 21.10, from its source): after each
// launch a block "Instructions executed for kernel 'NAME':" of lines such as "65536 - load global (262144 bytes)",
// "32768 - call llvm.fmuladd.f32()" and "1024 - fadd", counted over all work-items.
#pragma once

#include "base/error.h"
#include "model/counters.h"

// Adds up the blocks of a text. Bytes are those that instructions ask for; what is moved depends on caches, which are not
// simulated. Operations are additions, subtractions, multiplications, divisions, and two for a multiply-add; they stay unknown
// where there are vectors, whose width is not told.
bool instructions_read(const char *text, struct counters *out, struct error *e);

