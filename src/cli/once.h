// Warnings and notes, each once: of several tunes of one spec every one would say them again.
#pragma once

#include "base/arena.h"
#include "base/log.h"

struct once {
    struct log log; // who says them
    struct arena arena;
    const char **told;
    size_t count, capacity;
};

void once_init(struct once *o);
void once_release(struct once *o);
// A log in place of `log`. The same `o` may replace several logs; the first of them receives the
// messages.
struct log once_log(struct once *o, const struct log *log);
