// The steps that begin every workflow: read the sources, make the space, find out how results are
// verified, open the session in the store.
#pragma once

#include "model/result.h"
#include "campaign/setup.h"

// Options of a subject besides the setup.
struct subject_options {
    // (optional) The caller's, of recorded configurations: no job will be made, so nothing else is
    // read or inspected, and there is no device.
    struct space *space;
    // No space is made: the jobs will be a vendor's routine, which no parameter changes. The
    // sources are then of any language, the device's where the spec has that.
    bool routine;
    const char *name; // (optional) of the session in the store, in place of the spec's
};

struct subject {
    struct setup setup; // a copy
    struct subject_options o;
    struct arena arena;
    struct spec_sources *sources;
    struct space *space; // not empty; NULL of a routine
    struct space *whole; // (or NULL: not asked for, or `space`) of which that is a share
    struct stored_as as; // what its results are stored under
    uint64_t default_index;
    bool has_default;
    // How results are verified. `against`: "gemm", "default configuration"; "" if nothing is
    // compared, or no job could be made to find out.
    enum verification verification;
    const char *against;
};

// Fails with the reason for an empty space (space_explain_empty()), and where no configuration can
// be made into a job. A zeroed subject, or one that was not made, is released too.
bool subject_make(struct subject *s, const struct setup *setup, const struct subject_options *o,
                  struct error *e);
void subject_release(struct subject *s);

// The space that all shares are of: properties common to all shares are looked up there. NULL with
// an error.
const struct space *subject_whole(struct subject *s, struct error *e);

// Begins the session that results are stored under, if the setup has a store.
bool subject_begin(const struct subject *s, struct error *e);

// The devices that share the work, as JSON (farm_members_emit()), are written into the session behind what else is known of
// its surroundings: "... " SUBJECT_DEVICES "[...]".
#define SUBJECT_DEVICES "devices="
bool subject_describe(const struct subject *s, struct store *store, const char *devices,
                      struct error *e);

// The result of a configuration that cannot be made into a job, which is the caller's. False
// without memory, which may have been the reason.
bool subject_refusal(const struct error *why, struct result **out);

// A configuration's texts, kept in an arena. False without memory.
bool subject_texts(const struct spec *spec, const uint32_t *choice, struct arena *a,
                   const char **configuration, const char **configuration_json);
