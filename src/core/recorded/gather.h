// Gathers a recorded space row by row, from any file format: the distinct values of each parameter, the last
// row of each configuration and the names of the measurements.
#pragma once

#include "recorded/recorded.h"

#include <stddef.h>

// The values of one parameter, found by hash.
struct gather_values {
    const char *name;
    struct value *values;
    uint32_t count;
    size_t room;
    uint32_t *slots; // index + 1; 0: free
    uint32_t slot_count;
};

struct gather_measured {
    uint32_t name;
    double value;
    const struct gather_measured *next;
};

// A time that may be invalid, as the file writes it ("-1", "Infinity"); NULL: there is no such
// time.
struct gather_odd {
    const char *text, *place; // of the row
};

// A row as it is read. Times in the file's unit, unless they have one of their own.
struct gather_row {
    struct recorded_row row;
    double mean, median, least;  // of single runs; NaN: none
    double other_ns;             // of gather.other_time; NaN: none
    struct gather_odd odd;       // a number in the place of the time
    struct gather_odd other_odd; // likewise of gather.other_time
    bool is_own_unit;            // row.time_ns is ns already
    bool is_wrong;               // was found to compute something wrong
    const struct gather_measured *measured;
};

struct gather {
    struct recorded *recorded;
    const struct recorded_options *o;
    struct error *e;
    double unit_ns;    // of the file's times
    bool is_unit_said; // by the file; else it is that of all of its kind, or of another time
    bool needs_unit;   // some of its times have no unit of their own
    bool has_time;     // a measurement is called so
    const char
        *other_time;   // (or NULL) another one in a unit of time, which stands for it where none is
    uint64_t untimed;  // results that say they are correct, without a time
    uint64_t unusable; // likewise, with an invalid time
    const struct gather_odd *first_odd; // of those
    bool keeps_order;                   // of values, as the file lists them; else they are sorted
    bool is_closed;                     // no parameter can be added any more

    struct gather_values *parameters;
    uint32_t parameter_count;
    size_t parameter_room;
    const char **measurements;
    uint32_t measurement_count;
    size_t measurement_room;

    struct gather_row *rows;
    uint64_t count;
    size_t room;
    uint64_t *slots; // of configurations: row + 1; 0: free
    uint64_t slot_count;

    struct gather_row row; // the one being read
    uint32_t *choice;      // of it; UINT32_MAX: not said
    double *runs;          // single runs of it, in the file's unit
    size_t run_count, run_room;
    const char *messages[8]; // those met last: most failures say the same
    char first_repeat[160];  // the place of the first row whose configuration came before
    char place[160];         // of the row, in front of messages: "line 12: results[3]"
};

// `r` is empty but for path and arena.
bool gather_init(struct gather *g, struct recorded *r, const struct recorded_options *o,
                 struct error *e);
void gather_release(struct gather *g);

// A parameter of the file; with a spec it must be the spec's. *index is what it is called below.
bool gather_parameter(struct gather *g, const char *name, uint32_t *index);
// A value that the file lists for it.
bool gather_listed(struct gather *g, uint32_t parameter, const struct value *v);
// Is the parameter known? Then *index is its place.
bool gather_find(const struct gather *g, const char *name, uint32_t *index);
// All parameters are known, or come with the first row (not called then).
bool gather_close(struct gather *g);

// ---- one row -----------------------------------------------------------------------------------

// g->place names the row in messages.
void gather_begin(struct gather *g);
// Adds the parameter if it is unknown and the first row is being read.
bool gather_set(struct gather *g, const char *name, const struct value *v);
bool gather_set_at(struct gather *g, uint32_t parameter, const struct value *v);
// Keeps, for the message, a value that is not a valid time, or may not be one in the file's unit.
bool gather_odd_time(struct gather *g, double time, const char *text, struct gather_odd *odd);
// The time of the row.
bool gather_time(struct gather *g, double time, const char *text);
bool gather_run(struct gather *g, double time, const char *text);
bool gather_measure(struct gather *g, const char *name, double value);
bool gather_message(struct gather *g, const char *message);
// Handles a word that is neither a time nor a message: "RuntimeFailedConfig" and similar words make
// the row a failure. False: the word is unknown.
bool gather_failure(struct gather *g, const char *word);
bool gather_end(struct gather *g);

// ---- the whole ---------------------------------------------------------------------------------

// Fills the recorded space.
bool gather_finish(struct gather *g);

// In front: file and place of the row. Returns false.
bool gather_refuse(struct gather *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
#ifdef __clang_analyzer__ // see error.h
#define gather_refuse(...) (gather_refuse(__VA_ARGS__), false)
#endif

// "milliseconds", "miliseconds", "ms", ... -> ns; false if it is not a unit of time.
bool time_unit_ns(const char *text, double *ns);
