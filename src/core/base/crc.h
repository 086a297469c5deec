// A checksum against accidents on the way, not against malice.
#pragma once

#include <stddef.h>
#include <stdint.h>

// CRC-32C of what went before (0: nothing) and these bytes.
uint32_t crc32c(uint32_t before, const void *data, size_t length);
