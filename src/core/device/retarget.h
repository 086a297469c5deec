// NVIDIA's OpenCL compiles for a target ("sm_90") without the instructions of one architecture
// alone
// ("sm_90a": wgmma, setmaxnreg). What it compiles to is PTX text, and what it is given as a binary
// is assembled for the target that the text names. In between the text can be changed. Pure text.
//
// A *marker* is a comment of PTX that the kernel's inline assembly leaves, a line of its own:
//
//   // hone-splice: wgmma.fence.sync.aligned;
//   // hone-entry: .maxnreg 64
//
// The compiler puts operands in and hands it on. Here the first becomes the instruction behind the
// colon; one may take several lines, each a marker, the last of which ends with ';' or '}'. The
// second goes to the directives between the head of its kernel and the body, where OpenCL C has no
// way to: once, however often it stands in the body.
#pragma once

#include "base/text.h"

#define RETARGET_SPLICE "hone-splice"
#define RETARGET_ENTRY  "hone-entry"

// Adds to `out` the PTX with `target` in its .target lines (what else stands there stays) and its
// markers replaced. The error names the line of the PTX, and what stands there.
bool ptx_retarget(const char *ptx, size_t length, const char *target, struct text *out,
                  struct error *e);
