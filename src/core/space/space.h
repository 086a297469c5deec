// The space: the valid configurations of a spec. Counts them, maps index <-> configuration, answers
// neighbours and "why is this one excluded?".
//
// Neither the Cartesian product nor the valid configurations are ever listed: they are the paths of
// a decision diagram (diagram.h), which takes kilobytes for millions of them. A configuration is an
// array of value indices, one a parameter, in the spec's order. The order of the space is
// lexicographic in them, with the parameters in the spec's order; only if the diagram would be
// large in that order are parameters rearranged so that those which restrict each other stand
// together. It depends on the spec and the options alone: the same index means the same
// configuration everywhere. A division by zero, overflow or other fault inside a restriction (or a
// derived parameter) excludes the configuration and is counted.
//
// A space is not changed by asking, but for statistics, which are counted when first asked for.
#pragma once

#include "base/error.h"
#include "base/random.h"
#include "problem/spec.h"

// The part-th of so many, counted from 0; 0 or 1 parts: the whole. All parts together are the space, each configuration
// stands in one of them, which depends on its values alone, and they are of about one size.
struct space_share {
    uint32_t part, parts;
};
#define SPACE_PARTS_MOST 100000
// "2/8": the second of eight.
bool space_share_read(const char *text, struct space_share *out, struct error *e);

struct space_options {
    const struct device_info *device;  // (optional) for device facts
    const char *const *configurations; // --config: "a=1,b=2": fixes parameters; several: union
    uint32_t configuration_count;
    const char *const *where; // --where: further restrictions, as in the spec
    uint32_t where_count;
    struct space_share share;
};

struct space;

// NULL options: none. 2^64 or more valid configurations are refused.
// An empty space is not an error here: space_count() is 0 and space_explain_empty() says why.
struct space *space_new(const struct spec *s, const struct space_options *o, struct error *e);
// A space that is a list: exactly the configurations given, `count` rows of spec->parameter_count
// value indices. Rows may come in any order; one that comes twice counts once. Restrictions of the
// spec are ignored. All else in this header works on it: the order is lexicographic, and
// space_why() says "not among the recorded configurations".
struct space *space_listed(const struct spec *s, const uint32_t *choices, uint64_t count,
                           struct error *e);
void space_free(struct space *sp);

const struct spec *space_spec(const struct space *sp);
// Does a restriction, --where included, read a device fact? Without a device such facts are 0 or
// "".
bool space_reads_device(const struct space *sp);
// Does one, or a derived parameter, read this one ("device_compute_units")?
bool space_reads_fact(const struct space *sp, const char *fact);
// The product of the value counts, in decimal (it may exceed 64 bits) and as a number.
const char *space_cartesian_text(const struct space *sp);
double space_cartesian(const struct space *sp);
uint64_t space_count(const struct space *sp); // valid

// index < count -> value indices.
void space_get(const struct space *sp, uint64_t index, uint32_t *choice);
// False when the configuration is not in the space.
bool space_find(const struct space *sp, const uint32_t *choice, uint64_t *index);
// Uniform over the valid configurations; count must not be 0.
uint64_t space_sample(const struct space *sp, struct rng *r);

// The default configuration's index; false when the spec gives none (no parameter has a Default) or
// it is excluded.
bool space_default(const struct space *sp, uint64_t *index);

// Why a configuration (complete) is not in the space: the first restriction, in the spec's order,
// that is false or has no value. `restriction` is NULL when it is in the space.
struct space_reason {
    const struct formula *restriction; // or the derived parameter that has no value
    bool where;                        // it is one of --where or --config's
    enum expr_fault fault;             // NONE: it is false
};
void space_why(const struct space *sp, const uint32_t *choice, struct space_reason *out);
// One line: "restriction ConfigurationSpace.Conditions[1]: WIDTH % (block_size_x*tile_size_x) == 0
// is false for block_size_x=64, tile_size_x=8, WIDTH=256".
void space_reason_text(const struct space *sp, const uint32_t *choice,
                       const struct space_reason *reason, struct text *out);

// For an empty space, one line: which restrictions exclude everything by themselves or together,
// and, if another value of a constant that they read (such as WIDTH) would leave something, the
// nearest such values: "...; nearest WIDTH that work: 992, 1008". Nothing for a space that is not
// empty.
void space_explain_empty(const struct space *sp, struct text *out);

// The effect of each restriction. `alone`: configurations of the Cartesian product that it excludes
// by itself (UINT64_MAX if they cannot be counted within the effort limit); `faults`: assignments
// of the parameters it reads for which it had no value (division by zero, ...), as far as it was
// evaluated: not if restrictions of one parameter exclude the values anyway. In the order: the
// spec's, --where, --config, derived parameters that have no value somewhere.
struct space_restriction_stats {
    const struct formula *restriction;
    uint64_t alone;
    uint64_t faults;
};
size_t space_restrictions(const struct space *sp, const struct space_restriction_stats **out);
// The sum of their faults.
uint64_t space_faults(const struct space *sp);

// Parameters that restrict each other, and no other: what one group takes does not matter to the
// next, so that the space has the product of what is valid in each.
struct space_group {
    const uint32_t *parameters; // ascending
    uint32_t count;
    double combinations; // of their values
    uint64_t valid;
};

// The details of a space: more work than making it.
struct space_details {
    const struct space_restriction_stats *restrictions; // as space_restrictions() gives them
    size_t restriction_count;
    const uint64_t *last; // how many more each excludes as the last of all; UINT64_MAX: unknown
    const struct space_group *groups; // none if nothing is valid
    size_t group_count;
    uint64_t nodes, edges, bytes; // of the diagram
    struct arena arena;
};
// Points into the space and itself; space_details_release() if it was true.
bool space_detail(const struct space *sp, struct space_details *out, struct error *e);
void space_details_release(struct space_details *d);
