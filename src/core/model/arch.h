// NVIDIA's architectures by compute capability: what one multiprocessor offers, how many
// work-groups of a kernel it therefore holds at once, and a device to build kernels for
// without one. From the CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability" (5.0 to 7.2: its editions up to CUDA 12); the units of allocation from
// cuda_occupancy.h of CUDA 13.
#pragma once

#include "base/arena.h"
#include "model/device_info.h"

// Limits that all architectures share.
#define ARCH_WARP           32         // work-items
#define ARCH_GROUP_SIZE     1024       // work-items of a work-group
#define ARCH_REGISTERS      65536      // of a multiprocessor, 32 bits each
#define ARCH_REGISTERS_MOST 255        // of a work-item
#define ARCH_REGISTER_UNIT  256        // registers are given to a warp in units of so many
#define ARCH_SHARED_DEFAULT (48 << 10) // bytes of shared memory without opting in
#define ARCH_CONSTANT       (64 << 10) // bytes of constant memory

struct arch {
    uint32_t capability;      // times 10
    uint32_t warps, groups;   // resident on a multiprocessor
    uint32_t group_registers; // of a work-group
    uint32_t shared;          // bytes of shared memory of a multiprocessor
    uint32_t group_shared;    // of a work-group that opted in
    uint32_t reserved;        // of each work-group, taken by the system
    uint32_t shared_unit;     // shared memory is given to a work-group in units of so many bytes
    uint32_t partitions;      // that the registers are divided among
};

// NULL for a capability that is not in the table.
const struct arch *arch_find(uint32_t capability);
// The capabilities of the table, from 0 on, ascending; 0 behind the last.
uint32_t arch_capability(size_t index);

// How an architecture is named to a compiler: "sm_90", "sm_90a" (with what only this one has),
// "sm_100f" (with what its family has).
struct arch_name {
    uint32_t capability;
    char suffix; // 'a', 'f' or '\0'
};

// Reads "sm_90a", "compute_90", "90"; false, `out` unchanged, for anything else and for what is not
// in the table.
bool arch_parse(const char *text, struct arch_name *out);
// Writes "sm_90a" into out, at least 16 bytes.
void arch_text(const struct arch_name *name, char *out);

// Architectures are NVIDIA's, which this language alone is built for.
#define ARCH_LANGUAGE LANGUAGE_CUDA

// The id of a device of this architecture on no machine, "cuda/sm_90a": a build worker opens it.
// Reading: false if `id` is of another kind.
#define ARCH_ID_PREFIX "cuda/sm_"
bool arch_of_id(const char *id, struct arch_name *out);
// Such a device: its id, capability and limits; what differs from card to card (multiprocessors,
// memory, clock, driver) is 0 or "". False without memory.
bool arch_device(const struct arch_name *name, struct arena *a, struct device_info *out);

// A kernel's use of resources, and the size of its work-groups.
struct arch_use {
    uint64_t group_size; // work-items
    uint64_t registers;  // of a work-item
    uint64_t shared;     // bytes of shared memory of a work-group, static and dynamic
};

// The number of such work-groups that a multiprocessor holds at once: the minimum that warps,
// work-groups, registers and shared memory allow; 0: not even one. Barriers, which hardly ever
// decide, are ignored.
uint32_t arch_groups(const struct arch *arch, const struct arch_use *use);
