// Counts of what one launch of a job did, by the device's own counters or by a simulator's, and the bound that follows from it.
#pragma once

#include "base/arena.h"
#include "base/wire.h"

// X(name, unit, meaning): all kernels of the job together. A sector is 32 bytes.
#define LAUNCH_COUNTERS(X)                                                                         \
    X(counted_ns, "ns", "that the kernels took while they were counted")                           \
    X(dram_read_bytes, "bytes", "")                                                                \
    X(dram_write_bytes, "bytes", "")                                                               \
    X(dram_busy, "%", "of the memory's peak")                                                      \
    X(l2_read_bytes, "bytes", "from L2 to the multiprocessors")                                    \
    X(l2_write_bytes, "bytes", "from the multiprocessors to L2")                                   \
    X(l2_sectors, "", "looked up in L2")                                                           \
    X(l2_hit_sectors, "", "of them found there")                                                   \
    X(l2_busy, "%", "of the peak of L2's look-ups")                                                \
    X(l2_link_busy, "%", "of the peak of the way from L2 to the multiprocessors")                  \
    X(l1_sectors, "", "looked up in L1")                                                           \
    X(l1_hit_sectors, "", "of them found there")                                                   \
    X(l1_busy, "%", "of the peak of L1 and shared memory")                                         \
    X(shared_wavefronts, "", "passes over shared memory")                                          \
    X(bank_conflicts, "", "of them needed because banks were in use")                              \
    X(local_sectors, "", "of spilled registers and private arrays")                                \
    X(atomic_sectors, "", "of atomics, in L2")                                                     \
    X(atomic_busy, "%", "of the peak of L2's atomics")                                             \
    X(instructions, "", "of warps")                                                                \
    X(item_instructions, "", "of work-items")                                                      \
    X(tensor_instructions, "", "of warps")                                                         \
    X(warps, "", "launched")                                                                       \
    X(occupancy, "%", "of the warps that fit, while a multiprocessor was busy")                    \
    X(active_cycles, "", "of a multiprocessor, on average")                                        \
    X(elapsed_cycles, "", "of the launch")                                                         \
    X(issue_busy, "%", "of the issue slots")                                                       \
    X(tensor_busy, "%", "of the tensor pipe's peak")                                               \
    X(fma_busy, "%", "of the peak of the pipe of float multiply-adds")                             \
    X(fp64_busy, "%", "of the peak of the pipe of doubles")                                        \
    X(alu_busy, "%", "of the peak of the integer and logic pipe")                                  \
    X(xu_busy, "%", "of the peak of the pipe of special functions")                                \
    X(stall_share, "%", "of the time of waiting warps, of the most frequent reason")               \
    X(requested_read_bytes, "bytes", "by the kernel's instructions, of global memory")             \
    X(requested_write_bytes, "bytes", "likewise")                                                  \
    X(requested_local_bytes, "bytes", "likewise, of local (shared) memory")                        \
    X(operations, "", "on floating-point numbers; a multiply-add is two")

// Shares of the launch's time.
#define COUNTERS_OF_ELAPSED(X)                                                                     \
    X(dram_busy)                                                                                   \
    X(l2_busy)                                                                                     \
    X(l2_link_busy)                                                                                \
    X(l1_busy)                                                                                     \
    X(atomic_busy)                                                                                 \
    X(issue_busy)                                                                                  \
    X(tensor_busy)                                                                                 \
    X(fma_busy)                                                                                    \
    X(fp64_busy)                                                                                   \
    X(alu_busy)                                                                                    \
    X(xu_busy)

enum counter {
#define X(name, unit, meaning) COUNTER_##name,
    LAUNCH_COUNTERS(X)
#undef X
        COUNTER_COUNT
};

// X(NAME, text): what keeps a kernel from being faster.
#define BOUNDS(X)                                                                                  \
    X(UNKNOWN, "unknown")                                                                          \
    X(LAUNCH, "launch")                                                                            \
    X(GROUPS, "too few work-groups")                                                               \
    X(SPILLS, "spills")                                                                            \
    X(ATOMICS, "atomics")                                                                          \
    X(MEMORY, "memory")                                                                            \
    X(L2, "L2")                                                                                    \
    X(CONFLICTS, "bank conflicts")                                                                 \
    X(SHARED, "shared memory and L1")                                                              \
    X(TENSOR, "tensor pipe")                                                                       \
    X(FLOAT, "float pipe")                                                                         \
    X(DOUBLE, "double pipe")                                                                       \
    X(INTEGER, "integer pipe")                                                                     \
    X(SPECIAL, "special functions")                                                                \
    X(DIVERGENCE, "divergence")                                                                    \
    X(ISSUE, "instruction issue")                                                                  \
    X(LATENCY, "latency")

enum bound {
#define X(name, text) BOUND_##name,
    BOUNDS(X)
#undef X
        BOUND_COUNT
};

struct counters {
    const char *source;           // "CUPTI 13.0", "Oclgrind"; "": nothing was counted
    const char *refused;          // why not; "" when something was
    const char *stall;            // the most frequent reason of waiting warps, in words; ""
    uint32_t passes;              // launches that it took
    double values[COUNTER_COUNT]; // NaN: not known
};

// In the arena: texts "", values NaN. NULL without memory.
struct counters *counters_new(struct arena *a);
struct counters *counters_copy(struct arena *a, const struct counters *from);
void counters_codec(struct wire *w, struct counters *c);

// Names what keeps the launch from being faster, by the first rule that holds (counters.c).
enum bound counters_bound(const struct counters *c);
const char *bound_text(enum bound b);
// A part of a whole in per cent; NaN if either is not known, or the whole is 0.
double counters_share(const struct counters *c, enum counter part, enum counter whole);

