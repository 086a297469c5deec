// One description of a struct's layout serves three ends: writing it into a frame, reading it back,
// and hashing it into a key. A codec function calls wire_*() for each field in order; what differs
// is the mode. Integers are little-endian, strings and byte runs are length-prefixed (u32 / u64),
// NULL strings survive (length 0xffffffff).
//
// Reading trusts nothing: every length is checked against what is left before it is used, and the
// first violation makes the wire `failed`; later calls then do nothing and yield zeros. What is
// read is allocated from the arena.
#pragma once

#include "base/arena.h"
#include "base/digest.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wire_mode { WIRE_WRITE, WIRE_READ, WIRE_HASH };

struct wire {
    enum wire_mode mode;
    struct text *out;           // WRITE
    struct digest_state *state; // HASH
    // HASH: contents that have a digest of their own take part by it where they are longer.
    uint64_t contents_most;
    const uint8_t *in; // READ: what is left
    size_t left;
    struct arena *arena; // READ
    bool failed;
    bool memory;     // it failed for lack of memory: the bytes may be fine
    const char *why; // static text of the first failure
};

void wire_writer(struct wire *w, struct text *out);
void wire_reader(struct wire *w, const void *data, size_t length, struct arena *arena);
void wire_hasher(struct wire *w, struct digest_state *state);

void wire_u8(struct wire *w, uint8_t *v);
void wire_u32(struct wire *w, uint32_t *v);
void wire_u64(struct wire *w, uint64_t *v);
void wire_i64(struct wire *w, int64_t *v);
void wire_f64(struct wire *w, double *v);
void wire_bool(struct wire *w, bool *v);
void wire_str(struct wire *w, const char **v);
void wire_digest(struct wire *w, struct digest *v);
// An enum with `count` values, as u32; a value out of range fails the read.
void wire_enum(struct wire *w, void *v, uint32_t count);
// A byte run: pointer and length.
void wire_bytes(struct wire *w, const void **data, uint64_t *length);
// The count of an array and, when reading, its zeroed storage. Use:
//   wire_array(w, (void **)&j->launches, &j->launch_count, sizeof *j->launches, 8);
//   for (uint32_t i = 0; i < j->launch_count; i++) launch_codec(w, &j->launches[i]);
// `least` is the fewest bytes one element takes on the wire: a count that cannot fit in what is
// left is refused before anything is allocated. After a failure count is 0.
void wire_array(struct wire *w, void **items, uint32_t *count, size_t size, size_t least);
// Marks failure (reading: a value that makes no sense).
void wire_fail(struct wire *w, const char *why);
// Marks failure for lack of memory.
void wire_memory(struct wire *w);
// Reading: everything was consumed and nothing failed.
bool wire_done(const struct wire *w);
// The same; otherwise false with "WHAT: why" under `code`, or with ERROR_MEMORY.
bool wire_finish(const struct wire *w, enum error_code code, const char *what, struct error *e);
