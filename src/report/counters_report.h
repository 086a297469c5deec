// The counters of a launch in words: as a table, its bound, and how two launches differ.
#pragma once

#include "model/counters.h"
#include "report/writer.h"

// "memory: 91 % of its peak"; of a launch that was simulated, nothing.
void report_bound(const struct counters *c, struct text *out);
// A table with a column each of one or two launches; `labels` may be NULL for one.
void report_counters(const struct counters *const *c, const char *const *labels, uint32_t count,
                     enum report_format format, struct text *out);
// Sentences, one a line, `most` at most: "A moves 3.1 times fewer bytes from L2 than B (12 MiB, 37 MiB)."
void report_counters_differ(const struct counters *a, const char *label, const struct counters *b,
                            const char *other, uint32_t most, struct text *out);

