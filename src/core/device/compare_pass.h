// A comparison as whoever goes over the data sees it: the host's cores (compare_host.c) or the
// device (compare_device.c). What is found is put together and judged in compare.c, once for both.
#pragma once

#include "base/error.h"
#include "device/compare_output.h"
#include "expr/integer.h"

struct whole_sums {
    wide_integer got, reference;
};

struct comparison {
    const struct job_buffer *buffer;
    bool doubles;                            // the reference: else the buffer's own type
    unsigned width, space, bytes;            // components, the room they take, bytes of one
    uint64_t first, count;                   // components
    uint64_t expected_first, expected_count; // likewise, of the reference
    const uint8_t *left;                     // (or NULL) 1 for components that it left unwritten
    double scale;                            // factor before squaring
    struct compare_scale size;               // of the reference
    double atol, rtol;               // per component; infinite where none is wrong by itself
    double poison_atol, poison_rtol; // likewise for a component that holds the poison
    bool exact_integers;             // 64 bits wide, more than a double holds
    struct whole_sums *whole;        // SUM of integers: exact, for who sums; NULL: in doubles
    bool judge_poison;               // second pass: tolerances for single components are known
    bool poisons;                    // the output was poisoned: it is not read and written
};

// The findings in some of the components. Kernels write it too: every member has 8 bytes.
struct part {
    double difference, reference;     // sums of scaled squares
    double sum_got, sum_reference;    // SUM: of what is no NaN
    double largest, most;             // |difference|, |reference|
    double most_wrong;                // |reference| where it is wrong
    uint64_t at;                      // of the largest: the first of equals
    uint64_t compared;                // finite on both sides and written
    uint64_t wrong, nans;             // nans: wrong, and NaN or infinite in the output
    uint64_t specials, first_special; // wrong, and NaN or infinite on either side
    uint64_t got_nans, expected_nans;
    uint64_t unwritten, first_unwritten, poisoned;
    uint64_t expected_poisoned;  // SUM, SET: the reference's
    uint64_t left, left_written; // not compared, and of these written by the output's kernel
    uint64_t seen;               // all components
    uint64_t stamp;              // kernels: the launch's
};

// Goes over the data. Either member may fail, where the data is not the host's.
struct pass {
    bool (*run)(void *context, const struct comparison *c, struct part *out, struct error *e);
    // One component of both sides as doubles.
    bool (*look)(void *context, const struct comparison *c, uint64_t component, double *got,
                 double *expected, struct error *e);
    void *context;
};

// `into` begins as PART_NONE(first component); parts come in any order.
void part_merge(struct part *into, const struct part *p);

#define PART_NONE(component)                                                                       \
    {                                                                                              \
        .at = (component)                                                                          \
    }

// As compare_output(), false when the pass failed. x->data is the pass's business.
bool compare_by(const struct job_buffer *b, const struct expected *x, const struct pass *pass,
                struct deviation *out, struct error *e);
// Components of the region that hold the poison, where the data is.
bool compare_count_poison(const struct job_buffer *b, const struct pass *pass, uint64_t *out,
                          struct error *e);
// Does it lie between the members of a struct? Then it is nobody's, and not compared.
bool compare_is_padding(const struct comparison *c, uint64_t component);
// The place of a component in a buffer, in components: a 3-vector may have the room of 4.
uint64_t compare_place(const struct comparison *c, uint64_t component);
// Sets width, space and bytes by the buffer's element.
void compare_layout(struct comparison *c);

// SUM of integers that doubles may not hold: it is exact, and the host's.
bool compare_sums_integers(const struct job_buffer *b, bool doubles);

// Values of narrower types hold the poison by chance.
bool compare_poison_tells(const struct job_buffer *b);

// compare_host.c: a component as a double.
double component_value(enum scalar s, const void *at);
double poison_value(enum scalar s);
// Components from `first` on as doubles, `count` of them.
void compare_read(const struct comparison *c, bool doubles, const void *data, uint64_t first,
                  uint64_t count, double *out);

// compare_whole.c: SUM and SET over regions that need not be alike, on the host.
bool compare_wholes(const struct comparison *c, const void *got, const void *expected,
                    struct part *out, struct error *e);
