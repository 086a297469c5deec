// A reference as one run of bytes: what lies in memory is what lies in the cache file.
//
// Header, then a table with two entries for each buffer of the job (first what is expected of all,
// then what the reference left unwritten of all), then the data, each piece at a
// multiple of 64 bytes. Files are written under another name and renamed; one that is damaged or
// of another recipe is not read, and is replaced.
#pragma once

#include "base/digest.h"
#include "base/error.h"
#include "device/compare_output.h"

#include <stdint.h>

struct piece {
    uint64_t doubles; // 1: doubles, 0: the buffer's own bytes
    uint64_t offset;
    uint64_t length; // 0: this buffer is not compared
};

// Lays out room for the pieces, whose `doubles` and `length` are set; offsets are filled in.
uint8_t *reference_layout(const struct digest *recipe, struct piece *pieces, uint32_t count,
                          uint64_t *length);
// The checksum, once the data is there.
void reference_seal(uint8_t *blob, uint64_t length);
// The table of a blob that is whole and of this recipe, NULL otherwise.
const struct piece *reference_table(const uint8_t *blob, uint64_t length,
                                    const struct digest *recipe, uint32_t count);

// NULL when there is no such file or it cannot be read.
uint8_t *reference_read(const char *folder, const struct digest *recipe, uint64_t *length);
bool reference_write(const char *folder, const struct digest *recipe, const uint8_t *blob,
                     uint64_t length, struct error *e);
