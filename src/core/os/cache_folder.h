// Caches are kept within bounds: what drivers and workers leave there is never removed by them.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

// Looks at the entries `depth` levels below the folder (1: its own entries; 2: those of its
// subfolders, ...), each a file or a whole tree. When together they take more than limit_bytes, the
// ones that were changed longest ago are removed until half of the limit is left; none that was
// changed within the last hour, since it may be in use. Returns the bytes removed. Best effort:
// what cannot be read or removed is passed over, links are not followed.
uint64_t cache_trim(const char *folder, unsigned depth, uint64_t limit_bytes);
// Totals of the entries above; times are those of the last change. All 0 if there are none.
struct cache_usage {
    uint64_t entries, bytes;
    time_t oldest, newest;
};
struct cache_usage cache_measure(const char *folder, unsigned depth);
// The entries and bytes that went; 0 of what there is more of now.
struct cache_usage cache_usage_less(const struct cache_usage *before,
                                    const struct cache_usage *left);
// May caches be looked at again? Once a day: the stamp is a file whose time says when they were
// last. Where it is missing or its time lies in the future, yes. Then it is written anew.
bool cache_trim_due(const char *stamp);
