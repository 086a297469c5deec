// Writing JSON. An own writer rather than a tree that is dumped: lines are written as results come,
// doubles in the shortest form that reads back as the same number, 64-bit unsigned numbers whole,
// text that is JSON already (a configuration) goes in as it is, and what a compiler printed is made
// valid UTF-8 instead of being refused. NaN and infinity become null.
#pragma once

#include "base/text.h"

struct emit {
    struct text *out;
    bool comma; // a value was written at this level: the next one needs a comma
};

void emit_start(struct emit *j, struct text *out);
void emit_object(struct emit *j);
void emit_object_end(struct emit *j);
void emit_array(struct emit *j);
void emit_array_end(struct emit *j);
void emit_key(struct emit *j, const char *key);

void emit_text(struct emit *j, const char *value); // NULL: null
void emit_u64(struct emit *j, uint64_t value);
void emit_i64(struct emit *j, int64_t value);
void emit_f64(struct emit *j, double value);
void emit_bool(struct emit *j, bool value);
void emit_null(struct emit *j);
void emit_raw(struct emit *j, const char *json); // NULL: null

// A key with its value.
void emit_text_at(struct emit *j, const char *key, const char *value);
void emit_u64_at(struct emit *j, const char *key, uint64_t value);
void emit_f64_at(struct emit *j, const char *key, double value);
void emit_bool_at(struct emit *j, const char *key, bool value);
void emit_raw_at(struct emit *j, const char *key, const char *json);
void emit_object_at(struct emit *j, const char *key);
void emit_array_at(struct emit *j, const char *key);
void emit_u64s_at(struct emit *j, const char *key, const uint64_t *values, size_t count);
