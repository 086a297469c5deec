// Every result ever measured, in one SQLite file; append only. Three tables: job, session, result;
// a fourth, text, keeps what jobs and sessions were made from, each set of texts once.
//
// A commit per result: when a call returns true, a SIGKILL loses nothing of it. The file belongs to
// hone when its application id says so, which is read before anything is written: a
// foreign, damaged or newer file is refused and left untouched, byte for byte. WAL with
// synchronous=NORMAL on a local file system, a rollback journal elsewhere. Several processes may
// use one file at once; a handle belongs to one thread and does not survive a fork. Failures are
// ERROR_STORE with SQLite's code beside them, and their texts begin with the file.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "model/job.h"
#include "model/policy.h"
#include "model/result.h"

#define STORE_APPLICATION_ID 0x686f6e65 // "hone"
#define STORE_SCHEMA_VERSION 3
#define STORE_ID_BYTES       16

struct store;

enum store_mode {
    STORE_WRITE,    // created when missing, with its parent folders
    STORE_READ,     // missing or empty is an error; works in a folder one may not write
    STORE_IMMUTABLE // shipped results that never change: no lock, nothing made beside the file
};

// Opens and checks that a write would succeed (STORE_WRITE: a transaction that writes a row and is
// rolled back, so that a read-only file or a full disk is reported before any work). Errors name
// the file and the remedy.
struct store *store_open(const char *path, enum store_mode mode, struct error *e);
void store_close(struct store *s); // NULL is fine; those behind it too
const char *store_path(const struct store *s);

// Two hones on one store wait for each other's commits, which take well under a millisecond; a
// stopped process, or a copy being made, holds the lock for longer. A call waits for it so long (0:
// STORE_PATIENCE_MS, as a store begins with) and then fails with SQLITE_BUSY.
#define STORE_PATIENCE_MS 10000
void store_patience(struct store *s, int ms);
// For a caller that waits elsewhere: did the call fail only because of a lock, and not yet for
// STORE_PATIENCE_MS on end? Then the error is cleared, and the same call is to be tried again.
bool store_try_again(struct store *s, struct error *e);

// Puts a store that is open for reading behind all others of `s`, which owns it from then on:
// shipped results, a team's. It answers if none before it does and appears in store_each(), with
// its file as the origin; it is never written. Without a store of the user's own (`s` NULL) it is
// the first itself. Returns the stack.
struct store *store_stack(struct store *s, struct store *behind);

// The identity of a result in the store, beside its job.
struct stored_as {
    const char *spec_name;
    const char *constants; // "WIDTH=256", sorted by name, separated by ", "
    struct digest source;  // of texts and includes alone
};

// A run's description: one row a run, written at the first result. All texts may be NULL.
struct store_session {
    const char *command; // the command line
    const char *hone_version;
    const char *spec_name; // name of the spec file, without folders
    const char *spec_path; // absolute
    const char *spec_text; // the spec, kept in clear
    const char *constants; // "WIDTH=256", sorted by name, separated by ", "
    const char *host;
    uint64_t seed;
    const struct device_info *device;
    const char *surroundings; // clocks, cache settings
};

// Sets the session that later store_put() calls belong to. Copies what it needs; nothing is written
// before the first result.
bool store_begin(struct store *s, const struct store_session *session, struct error *e);

// Replaces the surroundings of the present session, some of which are known only at the end of a
// run; nothing else that was written changes. If the session is not written yet, neither are these.
bool store_surroundings(struct store *s, const char *surroundings, struct error *e);

// A job in the store, and what it does not say itself.
struct store_job {
    const struct job *job; // with its configuration's texts
    struct digest key;
    struct stored_as as;
};

// Writes one result (and its job and session when new) in one transaction.
bool store_put(struct store *s, const struct store_job *job, const struct policy *policy,
               const struct result *result, struct error *e);

// The same under an id of the caller's, and only once: if a result with this id is there nothing
// is written, and *added is false. For imported results, whose id identifies them.
bool store_put_once(struct store *s, const uint8_t id[STORE_ID_BYTES], const struct store_job *job,
                    const struct policy *policy, const struct result *result, bool *added,
                    struct error *e);

// Groups the puts between the two calls: all are written or none, and no other process writes
// meanwhile. A failed put ends the group: the rest is refused. store_together_end() must be called
// then too, and returns whether all of it was kept; without `keep` nothing is.
bool store_together(struct store *s, struct error *e);
bool store_together_end(struct store *s, bool keep, struct error *e);

// Does the store have results of this configuration of these sources, on any device and under any
// key? Also in the stores behind. False too if that cannot be determined.
bool store_has_configuration(struct store *s, const char *configuration_json,
                             const struct digest *source);

// Reads back what this handle wrote: an error if fewer results are there than were put, because
// another program removed them or the file does not keep what is written to it.
bool store_kept(struct store *s, struct error *e);

// A result whose sources could not all be read (job_is_unseen()) answers this handle's own
// sessions only, since its sources may have changed. From this call on those of other runs answer
// too.
void store_reuse_unseen(struct store *s);

// A question to the store.
struct store_question {
    struct digest key;
    struct policy policy; // launches / batch: the samples wanted
    uint32_t retry;       // failures with these statuses do not answer: 1 << STATUS_COMPILE | ...
    bool alone;           // asked for on its own, not by a search of many
};
#define STORE_RETRY_ALL UINT32_MAX

// The result that answers, or NULL (check e->code for a failure). `search` asks for any number of
// samples; `alone` likewise, but for one configuration; `fixed` (policy.fixed, --iterations), in a
// search or alone, counts them.
//
//   stored                      | search | alone | fixed
//   ----------------------------+--------+-------+----------------------------------------------
//   correct: settled            | yes    | yes   | no: its samples ended when they looked well
//   correct: ranked             | yes    | yes   | no: an untimed launch stands before each
//   correct: hopeless or limit  | yes    | no    | no, unless the limit ended a fixed count
//   correct: taken as fixed     | with as many samples as are wanted, summed over such results
//   correct: compared           | no: what a ranking found stays the answer
//   correct: nothing was timed  | no     | no    | no
//   compile: the compiler died  | no, but in the run that found it: a damaged cache may have been why
//   compile, correctness,       | yes    | yes   | yes
//     constraints, runtime      |        |       |
//   timeout                     | up to the limit it met, of the build or of the launch
//   a failure to be retried     | no     | no    | no
//   the device was lost with it | yes    | no    | yes, unless alone
//   any other fault             | no     | no    | no
//
//   - cold and warm (policy.cold) are different answers
//   - a check asks for no launches (policy.launches = 0): every correct result answers, timed or
//     not, cold or warm, and failures as for a search
//   - the newest that answers wins, and a failure does not answer once a newer result is correct,
//     or one of a store in front; if the newest is a failure that is to be tried again, nothing
//     older answers either;
//     only fixed samples are put together: of results with one batch
//     and the same warm-up launches, the newest first until there are enough, in order of time
//   - another key never answers: source, include file, option, size, argument, verification,
//     device, driver, measuring version
//   - an imported result (IMPORTED) has a key that no job has: it answers for nothing
//   - a format of result that only a newer hone reads does not answer
//
//   - a store behind answers if none before it does, as a whole; only the first store's samples
//     are topped up
//
// It is marked `reused`, with its origin if that is a store behind. With `missing` and a fixed
// policy a result with too few samples comes back too, and *missing is how many are still to be
// measured; 0 for one that answers.
struct result *store_find(struct store *s, const struct store_question *q, uint32_t *missing,
                          struct error *e);

// ---- views -------------------------------------------------------------------------------------

// One row: a result with what it belongs to. All strings live until the row callback returns.
struct store_row {
    const char *id; // 32 hexadecimal digits, random
    uint8_t id_bytes[STORE_ID_BYTES];
    const char *configuration;
    const char *configuration_json;
    const char *spec_name;
    const char *constants;
    const char *device; // name
    const char *platform;
    const char *driver;
    const char *device_identity; // hexadecimal digest of device_info_identity()
    const char *geometry;
    const char *date; // ISO 8601, UTC; for people: `number` orders
    int64_t number;   // see store_each()
    const char *hone_version;
    const char *language; // of the job, as language_text()
    const char *kernels;  // in launch order, one a line
    const char *session;  // 32 hexadecimal digits, random: one for each run of hone
    uint8_t session_bytes[STORE_ID_BYTES];
    const char *command;             // that run's
    const char *vendor, *uuid, *pci; // of the device
    const char *surroundings;        // of the session
    const char *host, *seed;         // likewise
    const char *spec_path;           // as the session named it
    uint32_t compute_units;
    struct digest key;
    struct digest source;
    struct digest identity;      // device_identity
    enum status status;          // as the result's; STATUS_COUNT, STOP_COUNT: only a newer hone
    enum stop_reason stop;       // knows it
    const struct result *result; // its log is "" but with store_query.logs
    int measuring_version;
    bool unseen;       // see store_reuse_unseen()
    bool fixed;        // its number of samples was asked for: those of several such results add up
    uint32_t launches; // so many were; fewer are its own where older results had the others
    bool cold;         // its policy's: times of cold inputs do not compare with those of warm ones
};

// Which results a question is about: all conditions must hold. {0}: all of them.
struct store_query {
    const char *spec_name; // (optional) here and below; NULL: any
    const char *constants;
    const char *device;                   // its name
    const struct digest *device_identity; // the device with its driver: device_info_digest()
    const struct digest *source;
    const struct digest *key; // of the job
    const uint8_t *session;   // STORE_ID_BYTES: one run
    bool correct_only;
    bool all_runs; // also what answers for its own run alone: to list it, not to answer with it
    bool logs;     // with the build logs

    // Which rows count as sources of times. Measured as hone measures today, and, but
    // for `imported`, by hone:
    bool today, imported;
    // Filter for correct results; a failure counts whatever the inputs were.
    enum store_inputs { STORE_INPUTS_ANY, STORE_INPUTS_WARM, STORE_INPUTS_COLD } inputs;
    // Timed results, and failures caused by the configuration itself; a lost device counts only
    // with `lost`, a time limit, which belongs to the run, only with `timeouts`.
    bool telling, lost, timeouts;
    bool uncompared; // nothing that was launched interleaved with other jobs
    // Only the newest matching row of each group.
    enum {
        STORE_NEWEST_NONE,
        STORE_NEWEST_OF_JOB,
        STORE_NEWEST_OF_CONFIGURATION,
        STORE_NEWEST_OF_SESSION
    } newest;
};

// Calls `each` for every result, newest first, until it returns false; in a stack each result once,
// from the first store that has it, which is its origin, and those of a store before all of the
// stores behind it. `each` may use the store.
//
// The newest result is the last written, whatever the clock said: each result has a number above
// all others in its store. A store that imports it keeps the number; among equal numbers the later
// date is newer, then the higher id.
bool store_each(struct store *s, const struct store_query *q,
                bool (*each)(void *context, const struct store_row *row), void *context,
                struct error *e);

// A row that outlives the walk, without its result: its texts in the arena. False without memory.
bool store_row_copy(struct arena *a, const struct store_row *row, struct store_row *out);

// The texts kept for a job, until `each` returns false: (kind, name, text, length) with kind "spec"
// (of the newest session that measured it), "source", "include", and "reference" for the sources
// and includes of its reference kernel. Texts are terminated and live until `each` returns.
bool store_texts(struct store *s, const struct digest *key,
                 bool (*each)(void *context, const char *kind, const char *name, const char *text,
                              size_t length),
                 void *context, struct error *e);

// Counts of the first store alone.
struct store_counts {
    uint64_t jobs, sessions, results, correct;
    uint64_t file_bytes; // with its log
};
bool store_count(struct store *s, struct store_counts *out, struct error *e);
