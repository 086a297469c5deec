// A record described once: a table with a row for each of its fields, which has kind, name, value, unit and meaning. JSON (and
// CSV and JUnit, which are made of it), the help, the manual and libhone's facts, Python's attributes, are read from these rows.
#pragma once

#include "base/arena.h"
#include "base/emit.h"

#include <string.h>

enum field_kind {
    FIELD_TEXT,    // (const char *); NULL: not known
    FIELD_SOME,    // likewise, and "" is not known either
    FIELD_JSON,    // (text that is JSON)
    FIELD_BOOL,    // (bool)
    FIELD_U64,     // (uint64_t)
    FIELD_KNOWN,   // (is it known, uint64_t)
    FIELD_MAYBE,   // (is it known, bool)
    FIELD_F64,     // (double); NaN: not known
    FIELD_PAIR,    // (is it known, low, high)
    FIELD_U64S,    // (is it known, const uint64_t *, count)
    FIELD_TEXTS,   // (const char *const *, count)
    FIELD_RECORD,  // (table, pointer): an object, NULL: null; within the context of this record
    FIELD_WITHIN,  // (table, pointer, context): likewise, within another context
    FIELD_PART,    // (table, pointer): an object; NULL: the field is absent
    FIELD_MEMBERS, // (table, pointer): its fields, among those of this record; NULL: none
    FIELD_RECORDS, // (table, pointer, count): an array of objects
    FIELD_LIST,    // (table, is it known, pointer, count): likewise
    FIELD_EACH,    // (table, function, pointer): an array whose objects the function writes
    FIELD_PUT      // (function, pointer): the function writes the value
};

typedef void emit_field_value(const void *record, const void *context, struct emit *j);

struct field_value {
    bool is_null;
    union {
        const char *text;
        bool flag;
        uint64_t count;
        double number, pair[2];
        struct {
            const void *at, *context;
            size_t count, stride;
            emit_field_value *put;
        } list;
    };
};

struct field {
    const char *name;
    enum field_kind kind;
    const struct fields *of; // (or NULL) what it consists of
    const char *unit;        // "ns"; "" none. Of what a function writes: what it looks like, "{}"
    const char *meaning;     // "": the name says it
};

struct fields {
    const struct field *rows;
    size_t count;
    // Computes all values; what it makes for that lives in the arena.
    void (*values)(const void *record, const void *context, struct arena *a,
                   struct field_value *out);
};
#define FIELDS_MOST 64 // rows of a table

// Writes an object, or its fields alone.
void emit_record(struct emit *j, const struct fields *f, const void *record, const void *context);
void emit_fields(struct emit *j, const struct fields *f, const void *record, const void *context);
// Writes an object on a line of its own.
void fields_line(const struct fields *f, const void *record, const void *context, struct text *out);
const char *field_some(const char *text); // NULL if it is empty

// FIELDS(run_fields, struct run, struct frame, RUN) makes the table `run_fields` of these rows:
//
//   #define RUN(X)
//       X(TEXT, host, (v->host), "", "where it ran")
//       X(PAIR, range_ns, (v->count > 0, v->least, v->most), "ns", "of all")
//
// `v` is the record, `c` its context, and `a` an arena. With FIELDS_SHARED other files have it, too.
#define FIELDS(name, type, context_type, ROWS)                                                     \
    FIELD_ROWS(name, type, context_type, ROWS)                                                     \
    static const struct fields name = {name##_rows, sizeof name##_rows / sizeof *name##_rows,      \
                                       name##_values};
#define FIELDS_SHARED(name, type, context_type, ROWS)                                              \
    FIELD_ROWS(name, type, context_type, ROWS)                                                     \
    const struct fields name = {name##_rows, sizeof name##_rows / sizeof *name##_rows,             \
                                name##_values};
#define FIELD_ROWS(table, type, context_type, ROWS)                                                \
    static void table##_values(const void *record, const void *context,                            \
                               struct arena *a __attribute__((unused)), struct field_value *out)   \
    {                                                                                              \
        const type *v __attribute__((unused)) = record;                                            \
        const context_type *c __attribute__((unused)) = context;                                   \
        const struct field_value values[] = {ROWS(FIELD_VALUE)};                                   \
        _Static_assert(sizeof values <= FIELDS_MOST * sizeof *values, "too many fields");          \
        memcpy(out, values, sizeof values);                                                        \
    }                                                                                              \
    static const struct field table##_rows[] = {ROWS(FIELD_ROW)};
#define FIELD_VALUE(kind, name, value, unit, meaning) {FIELD_VALUE_##kind value},
#define FIELD_ROW(kind, name, value, unit, meaning)                                                \
    {#name, FIELD_##kind, FIELD_OF_##kind value, unit, meaning},

#define FIELD_VALUE_TEXT(value)                     .text = (value)
#define FIELD_VALUE_SOME(value)                     .text = field_some(value)
#define FIELD_VALUE_JSON(value)                     .text = (value)
#define FIELD_VALUE_BOOL(value)                     .flag = (value)
#define FIELD_VALUE_U64(value)                      .count = (value)
#define FIELD_VALUE_KNOWN(known, value)             .is_null = !(known), .count = (uint64_t)(value)
#define FIELD_VALUE_MAYBE(known, value)             .is_null = !(known), .flag = (value)
#define FIELD_VALUE_F64(value)                      .number = (value)
#define FIELD_VALUE_PAIR(known, low, top)           .is_null = !(known), .pair = {(low), (top)}
#define FIELD_VALUE_U64S(known, pointer, length)    .is_null = !(known), FIELD_AT(pointer, length, 0)
#define FIELD_VALUE_TEXTS(pointer, length)          FIELD_AT(pointer, length, 0)
#define FIELD_VALUE_RECORD(table, pointer)          FIELD_AT(pointer, 0, 0)
#define FIELD_VALUE_WITHIN(table, pointer, with)    .list.at = (pointer), .list.context = (with)
#define FIELD_VALUE_PART(table, pointer)            FIELD_AT(pointer, 0, 0)
#define FIELD_VALUE_MEMBERS(table, pointer)         FIELD_AT(pointer, 0, 0)
#define FIELD_VALUE_RECORDS(table, pointer, length) FIELD_AT(pointer, length, sizeof *(pointer))
#define FIELD_VALUE_LIST(table, known, pointer, length)                                            \
    .is_null = !(known), FIELD_AT(pointer, length, sizeof *(pointer))
#define FIELD_VALUE_EACH(table, function, pointer) FIELD_VALUE_PUT(function, pointer)
#define FIELD_VALUE_PUT(function, pointer)         FIELD_AT(pointer, 0, 0), .list.put = (function)
#define FIELD_AT(pointer, length, step)                                                            \
    .list.at = (pointer), .list.context = context, .list.count = (length), .list.stride = (step)

#define FIELD_OF_TEXT(value)          NULL
#define FIELD_OF_SOME(value)          NULL
#define FIELD_OF_JSON(value)          NULL
#define FIELD_OF_BOOL(value)          NULL
#define FIELD_OF_U64(value)           NULL
#define FIELD_OF_KNOWN(known, value)  NULL
#define FIELD_OF_MAYBE(known, value)  NULL
#define FIELD_OF_F64(value)           NULL
#define FIELD_OF_PAIR(known, low, up) NULL
#define FIELD_OF_U64S(known, ...)     NULL
#define FIELD_OF_TEXTS(at, count)     NULL
#define FIELD_OF_PUT(function, at)    NULL
#define FIELD_OF_RECORD(table, ...)   &(table)
#define FIELD_OF_WITHIN(table, ...)   &(table)
#define FIELD_OF_PART(table, ...)     &(table)
#define FIELD_OF_MEMBERS(table, ...)  &(table)
#define FIELD_OF_RECORDS(table, ...)  &(table)
#define FIELD_OF_LIST(table, ...)     &(table)
#define FIELD_OF_EACH(table, ...)     &(table)
