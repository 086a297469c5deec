// The checksum that tells whether a kernel changed an argument it must only read.
//
// The bytes are taken as little-endian 64-bit words (the last one filled up with zeros); each is
// mixed with its place and the results are added modulo 2^64. The sum does not depend on the order
// of its terms, so a device computes it with any number of work-items and gets the same number.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The three constants of the mixing, shared with the kernels that compute the same on a device.
#define CHECKSUM_PLACE 0x9e3779b97f4a7c15
#define CHECKSUM_MIX_1 0xbf58476d1ce4e5b9
#define CHECKSUM_MIX_2 0x94d049bb133111eb

uint64_t checksum_of(const void *data, uint64_t length);
// The term of one word, of which `length` bytes are there, at its place.
uint64_t checksum_word(const void *bytes, uint64_t length, uint64_t place);
