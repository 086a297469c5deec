// `hone with` in every language: tables, and what is launched by them. The parts that a driver does are in layer_replace.c and
// cuda_replace.c.
#pragma once

#include "extras/capture/layer/layer.h"

#include <hone_known.h>

enum { COLUMNS_MOST = 16, CASES_MOST = 4096, DECISIONS = 8, OPTIONS_MOST = 16384 };

struct launch_case { // a captured launch
    size_t global[3], local[3];
    int64_t columns[COLUMNS_MOST];
    uint64_t
        *reach; // bytes of each argument that is a buffer, as far as the next one; NULL: not told
};

struct tuned_argument {
    char kind;     // v: a value, b: a buffer, i: an image, l: local memory, N: NULL
    size_t bytes;  // of a value; of a buffer: 4, it holds floats
    uint32_t same; // the first argument that is the same buffer: itself
};

struct tuned_table {
    struct tuned_table *next;
    char *program, *kernel, *device, *driver;
    char *text,
        *function; // (or NULL) that the program itself does not have, and the kernel's name in it
    uint32_t dimensions, argument_count, column_count, case_count;
    uint32_t shared; // CUDA: bytes of dynamic shared memory
    bool has_local;
    struct tuned_argument *arguments;
    struct {
        char from; // s: a scalar, g: the global size
        uint32_t at;
    } columns[COLUMNS_MOST];
    struct launch_case *cases;
    hone_known *known;
    atomic_bool is_wrong;      // --verify found a difference
    _Atomic uint64_t replaced; // launches, of all its kernels in the program
};

struct replace_decision {
    bool is_made;
    int64_t columns[COLUMNS_MOST];
    size_t asked_global[3], asked_local[3];
    enum replace_reason reason;
    void *kernel; // the driver's; NULL: none
    size_t global[3], local[3];
    bool has_local;
};

// The first member of what a kernel is replaced by.
struct replace_state {
    struct tuned_table *table;
    void *context;
    const void *
        module; // (or NULL) of the program, with variables of its own, whose values the tuned kernel has copies of
    pthread_mutex_t lock;
    struct replace_decision decisions[DECISIONS];
    uint32_t next; // decision that is overwritten
};

// Makes the kernel of a decision with these options; sets `kernel`, or leaves it NULL.
typedef void (*replace_build)(const struct replace_state *s, const char *options,
                              struct replace_decision *d);
typedef void (*replace_release)(void *kernel);

// The table of a kernel behind `after` (NULL: the first), or NULL.
struct tuned_table *replace_find_table(const struct tuned_table *after, const char *digest,
                                       const char *name);
// Decides for the captured launches, so that their kernels are built before they are launched.
void replace_decide_known(struct replace_state *s, replace_build build);
// Releases the decisions' kernels.
void replace_end(struct replace_state *s, replace_release release);

// The program or kernel that is built of these options; NULL: it does not build. Built once in each context, and for each module
// that has variables. The lock is held while it is built: another thread needs it, too. `loaded`: (or NULL) what goes with the module.
typedef void *(*replace_make)(const struct replace_state *s, const char *options, void **loaded);
void *replace_find_build(const struct replace_state *s, const char *options, replace_make make);
// Forgets what was built for a module.
void replace_drop_builds(const void *module, void (*unload)(void *loaded));

struct replace_argument {
    char kind; // v: a value, l: local memory, s: a pointer by itself; 0: not set
    size_t size;
    const unsigned char *bytes;
    const void *root;    // of a buffer: what it lies in, NULL for all that is addressed alike,
    size_t offset, room; // where, and how many bytes it may reach
};

struct replace_launch {
    uint32_t dimensions, argument_count;
    const size_t *global, *local, *offset; // may be NULL
    struct replace_argument *arguments;
    void (*locate)(
        struct replace_argument *a); // (or NULL) learns `root` and `room` where they are asked for
};

// Is the launch as one that was captured, with arguments of the same kinds? Fills in the columns.
enum replace_reason replace_match(const struct tuned_table *t, const struct replace_launch *l,
                                  struct replace_decision *d);
// The decision for such a launch, made now if it is the first; with the state locked. Without `build`: NULL if it is not made yet.
struct replace_decision *replace_decide(struct replace_state *s,
                                        const struct replace_decision *like, replace_build build,
                                        replace_release release);
// Counts a launch that is replaced: is it one of those that are verified?
bool replace_is_verified_now(struct tuned_table *t);
enum replace_verdict { REPLACE_AGREE, REPLACE_DIFFER, REPLACE_NOT_COMPARED };
// Counts a launch that was launched both ways; of one that was not compared nothing is known.
void replace_count_verdict(struct tuned_table *t, enum replace_verdict v);
// As wide as hone's own tolerance for floats; other types agree bit for bit. Without a function of libm: every process of a program
// would load it.
bool replace_agree(const unsigned char *a, const unsigned char *b, size_t bytes, bool is_float);
