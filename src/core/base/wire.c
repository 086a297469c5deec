// One codec function a struct writes, reads and hashes it: the mode of `struct wire` decides which, so
// that a frame, a file and a key cannot differ in what they hold. Numbers are little-endian and of
// fixed width; strings and bytes have their length in front. Reading checks every length before it
// is used and gives zeros after the first failure, so that callers check once, at the end.
#include "base/wire.h"

#include <string.h>

#define NULL_STRING 0xffffffffu

void wire_writer(struct wire *w, struct text *out)
{
    *w = (struct wire){.mode = WIRE_WRITE, .out = out};
}

void wire_reader(struct wire *w, const void *data, size_t length, struct arena *arena)
{
    *w = (struct wire){.mode = WIRE_READ, .in = data, .left = length, .arena = arena};
}

void wire_hasher(struct wire *w, struct digest_state *state)
{
    *w = (struct wire){.mode = WIRE_HASH, .state = state};
}

void wire_fail(struct wire *w, const char *why)
{
    if (w->failed)
        return;
    w->failed = true;
    w->why = why;
}

void wire_memory(struct wire *w)
{
    w->memory |= !w->failed;
    wire_fail(w, "out of memory");
}

bool wire_done(const struct wire *w)
{
    return !w->failed && (w->mode != WIRE_READ || w->left == 0);
}

static bool reading(const struct wire *w)
{
    return w->mode == WIRE_READ;
}

// Writing and hashing: the same bytes go into the frame or the digest.
static void wire_put(struct wire *w, const void *bytes, size_t length)
{
    if (w->failed || length == 0)
        return;
    if (w->mode == WIRE_HASH) {
        digest_add(w->state, bytes, length);
        return;
    }
    text_addn(w->out, bytes, length);
    if (w->out->failed)
        wire_memory(w);
}

// Reading: the next `length` bytes in place, or NULL after marking the failure.
static const uint8_t *wire_take(struct wire *w, uint64_t length)
{
    if (w->failed)
        return NULL;
    if (length > w->left) {
        wire_fail(w, "the data ends too early");
        return NULL;
    }
    const uint8_t *bytes = w->in;
    w->in += length;
    w->left -= (size_t)length;
    return bytes;
}

// Every number passes here: `width` bytes, least significant first; 0 after a failure.
static inline uint64_t wire_number(struct wire *w, uint64_t value, size_t width)
{
    uint8_t bytes[8];
    if (reading(w)) {
        const uint8_t *in = wire_take(w, width);
        value = 0;
        for (size_t i = 0; in && i < width; i++)
            value |= (uint64_t)in[i] << 8 * i;
        return value;
    }
    for (size_t i = 0; i < width; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    wire_put(w, bytes, width);
    return value;
}

void wire_u8(struct wire *w, uint8_t *v)
{
    uint8_t read = (uint8_t)wire_number(w, reading(w) ? 0 : *v, 1);
    if (reading(w))
        *v = read;
}

void wire_u32(struct wire *w, uint32_t *v)
{
    uint32_t read = (uint32_t)wire_number(w, reading(w) ? 0 : *v, 4);
    if (reading(w))
        *v = read;
}

void wire_u64(struct wire *w, uint64_t *v)
{
    uint64_t read = wire_number(w, reading(w) ? 0 : *v, 8);
    if (reading(w))
        *v = read;
}

// The bits travel, so that every double survives, NaNs and the sign of zero too.
static void wire_bits(struct wire *w, void *v)
{
    uint64_t bits = 0;
    if (!reading(w))
        memcpy(&bits, v, sizeof bits);
    wire_u64(w, &bits);
    if (reading(w))
        memcpy(v, &bits, sizeof bits);
}

void wire_i64(struct wire *w, int64_t *v)
{
    wire_bits(w, v);
}

void wire_f64(struct wire *w, double *v)
{
    wire_bits(w, v);
}

void wire_bool(struct wire *w, bool *v)
{
    uint8_t byte = reading(w) ? 0 : *v;
    wire_u8(w, &byte);
    if (!reading(w))
        return;
    if (byte > 1)
        wire_fail(w, "a truth value is neither 0 nor 1");
    *v = byte == 1;
}

static char *read_string(struct wire *w, uint32_t length)
{
    const uint8_t *bytes = wire_take(w, length);
    if (!bytes)
        return NULL;
    // A NUL inside would let the rest of the string escape every later check.
    if (memchr(bytes, '\0', length)) {
        wire_fail(w, "a string holds a NUL");
        return NULL;
    }
    char *copy = arena_strndup(w->arena, (const char *)bytes, length);
    if (!copy)
        wire_memory(w);
    return copy;
}

static void write_string(struct wire *w, const char *s)
{
    size_t length = s ? strlen(s) : 0;
    if (length >= NULL_STRING) {
        wire_fail(w, "a string is too long");
        return;
    }
    uint32_t prefix = s ? (uint32_t)length : NULL_STRING;
    wire_u32(w, &prefix);
    wire_put(w, s, length);
}

void wire_str(struct wire *w, const char **v)
{
    if (!reading(w)) {
        write_string(w, *v);
        return;
    }
    uint32_t length = 0;
    wire_u32(w, &length);
    *v = w->failed || length == NULL_STRING ? NULL : read_string(w, length);
}

void wire_digest(struct wire *w, struct digest *v)
{
    if (!reading(w)) {
        wire_put(w, v->bytes, sizeof v->bytes);
        return;
    }
    const uint8_t *bytes = wire_take(w, sizeof v->bytes);
    *v = (struct digest){{0}};
    if (bytes)
        memcpy(v->bytes, bytes, sizeof v->bytes);
}

void wire_enum(struct wire *w, void *v, uint32_t count)
{
    // Enumerations are of the size of an int in the ABIs we build for.
    _Static_assert(sizeof(enum wire_mode) == sizeof(uint32_t), "an enum is 32 bits");
    uint32_t value = 0;
    if (!reading(w)) {
        memcpy(&value, v, sizeof value);
        if (value >= count)
            wire_fail(w, "an enumerated value is out of range");
    }
    wire_u32(w, &value);
    if (!reading(w))
        return;
    if (value >= count) {
        wire_fail(w, "an enumerated value is out of range");
        value = 0;
    }
    memcpy(v, &value, sizeof value);
}

void wire_bytes(struct wire *w, const void **data, uint64_t *length)
{
    wire_u64(w, length);
    if (!reading(w)) {
        wire_put(w, *data, (size_t)*length);
        return;
    }
    const uint8_t *bytes = wire_take(w, *length);
    *data = bytes && *length ? arena_copy(w->arena, bytes, (size_t)*length) : NULL;
    if (bytes && *length && !*data)
        wire_memory(w);
    if (w->failed)
        *length = 0;
}

void wire_array(struct wire *w, void **items, uint32_t *count, size_t size, size_t least)
{
    wire_u32(w, count);
    if (!reading(w))
        return;
    *items = NULL;
    // An element that takes no byte could be claimed any number of times.
    if (*count > w->left / (least ? least : 1))
        wire_fail(w, "an array claims more elements than the data can hold");
    else if (*count && !(*items = arena_array(w->arena, *count, size)))
        wire_memory(w);
    if (w->failed)
        *count = 0;
}

bool wire_finish(const struct wire *w, enum error_code code, const char *what, struct error *e)
{
    if (wire_done(w))
        return true;
    if (w->memory)
        return error_memory(e);
    return error_set(e, code, "%s: %s", what, w->failed ? w->why : "more follows after its end");
}
