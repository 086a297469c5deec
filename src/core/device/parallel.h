// Work on the host shared out over the cores this process may use. Inputs, references and
// comparisons of large arrays are what hone itself computes; nothing here runs while a kernel is
// timed.
#pragma once

#include <stdint.h>

#define PARALLEL_MOST 64 // parts at most

struct range {
    uint64_t first, end;
    unsigned part; // from 0, for results of its own
};

// Asks the system how many cores this process may use, for all that follows: when a device is
// opened.
unsigned parallel_count_cores(void);
// How many parts `count` items are worth when a part shall have at least `least` of them.
unsigned parallel_parts(uint64_t count, uint64_t least);
// Calls body once for each of `parts` neighbouring ranges that make up [0, count), at the same time
// where threads can be had. Bounds are multiples of `multiple`, but for the last.
void parallel_run(uint64_t count, unsigned parts, uint64_t multiple,
                  void (*body)(void *context, struct range r), void *context);
// Processor time that the threads of this process started by parallel_run() have taken at most, ended ones alone.
uint64_t parallel_spent_ns(void);
