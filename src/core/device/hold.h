// How long a queue is held back so that a block of launches is in it before the first one begins.
// Else the device waits for the host between launches that are shorter than their enqueuing, and
// its clock counts that. The backends hold it by a kernel that only waits.
#pragma once

#include <stdint.h>

// The time that the host takes to enqueue a command: at first what the backend expects.
struct hold_pace {
    uint64_t command_ns;
};

// Twice what the host will take for so many commands, but a few milliseconds at most.
uint64_t hold_for(const struct hold_pace *p, uint32_t commands);
// They took the host so long.
void hold_learn(struct hold_pace *p, uint32_t commands, uint64_t host_ns);
