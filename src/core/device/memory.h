// Memory of a device between two guard zones.
//
// The guard behind the data begins right after its last byte, so that a write one element past the
// end is seen. On devices that work on host memory the zones are themselves enclosed by reserved,
// inaccessible address space: a store far away ends the process at once instead of hitting some
// other allocation.
#pragma once

#include "base/error.h"

#include <stdint.h>

#define GUARD_BYTES 65536 // at least, on each side
#define GUARD_BYTE  0xb9  // of the first memory; see guard_byte()

// Host address space: [reserved][guard][data][guard][reserved].
struct mapping {
    uint8_t *base; // of everything
    uint64_t length;
    uint8_t *data;
    uint64_t tail; // bytes of the guard behind the data
};

struct memory {
    uint64_t bytes;     // of data
    bool host;          // a mapping of this process; else only commands of the backend reach it
    bool exact;         // no guard zones: the device itself watches every access
    bool claimed;       // host: handed back by the driver for us to look at
    uint8_t guard;      // byte of its guard zones
    uint64_t guard_sum; // not host: checksum of each zone
    struct mapping map;
    uint64_t offset;     // of the data within `parent`, where not host
    void *parent, *view; // the backend's own: everything, and the data as an argument
    void *image;         // (or NULL) the backend's own: what kernels see in place of the data
    bool newer;          // than the image's contents
};

bool mapping_new(struct mapping *m, uint64_t bytes, struct error *e);
void mapping_free(struct mapping *m); // a zeroed one is fine

// Neighbours in a device have zones of different bytes: a kernel that copies from behind one buffer
// to behind another would leave equal zones as they are.
uint8_t guard_byte(uint64_t serial);

// Changes found in a guard zone.
struct trespass {
    uint64_t count; // bytes changed
    uint64_t first; // of them nearest to the data, as a distance from it
};

// `zone` begins at the data and runs away from it (forward) or ends at it (backward).
struct trespass guard_look_behind(const uint8_t *zone, uint64_t length, uint8_t guard);
struct trespass guard_look_before(const uint8_t *zone, uint64_t length, uint8_t guard);
