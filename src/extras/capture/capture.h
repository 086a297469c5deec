// A capture as hone reads it: the folder that the layer wrote (layer/layer_folder.c), kernel by kernel, and what is made of it.
// Everything lies in the arena. The folder is input: whatever in it makes no sense is left out, or an error.
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "extras/capture/capture_counts.h"
#include "model/languages.h"

#include <stdbool.h>

enum capture_kind {
    CAPTURED_VALUE,
    CAPTURED_BUFFER,
    CAPTURED_LOCAL,
    CAPTURED_NULL,
    CAPTURED_SAMPLER
};

// In OpenCL's numbers.
struct capture_image {
    uint32_t type, order, channel;
    uint64_t size[3], layers;
    bool is_surface; // of CUDA
};

// An argument of one launch.
struct capture_value {
    enum capture_kind kind;
    uint64_t bytes, origin;
    const char *before, *after;        // digests of its contents
    const unsigned char *value;        // its bytes
    const struct capture_image *image; // of a buffer that is an image
    const char *sampler;               // in a spec's words
    int64_t same;                      // an earlier argument that is the same memory; -1: none
};

struct capture_argument {
    const char *name, *type; // "" where the driver does not tell
    bool is_pointer, is_local;
};

struct capture_header {
    const char *name, *digest;
};

struct capture_part {
    const char *source, *options; // source: a digest
    struct capture_header *headers;
    uint32_t header_count;
};

// The outcome of a launch's replays.
struct capture_replay {
    bool is_done;
    const char *why; // it could not be launched; NULL: it was
    int64_t exact, times;
    double deviation, spread;
};

struct capture_symbol {
    const char *name;
    uint32_t value; // the place of its contents, behind the arguments'
};

struct capture_launch {
    const char *key, *device, *driver;
    uint32_t dimensions;
    int64_t global[3], local[3];
    bool has_local, has_offset, is_indirect;
    bool has_inside;                // pointers inside of its structs
    bool is_placed;                 // pointers in its buffers: it is replayed where these lay
    struct capture_symbol *symbols; // of the module, which the program has asked for
    uint32_t symbol_count;
    uint32_t shared;              // CUDA: bytes of dynamic shared memory
    struct capture_value *values; // one for each argument of the kernel
    uint64_t bytes;               // of its buffers
    uint64_t launches;            // of this shape, in the whole run
    double ns;                    // all of them
    struct capture_replay replay;
};

struct capture_kernel {
    enum language language;
    const char *key, *name, *program, *options;
    const char *function; // as a spec names it: of a mangled name the text's own words
    const char *without;  // why it has no text; NULL: it has
    const char
        *given; // (or NULL) digest of its text, by the user: the program has it compiled alone
    bool is_linked;
    struct capture_part *parts;
    uint32_t part_count;
    struct capture_argument *arguments;
    uint32_t argument_count;
    struct capture_launch *launches; // captured
    size_t launch_count, launch_room;
    uint64_t shapes, all_launches; // of the whole run
    double ns;
    uint32_t reason;   // enum capture_reason, of a shape that was not captured
    const char *title; // a name for files, unlike those of others
    const char *spec;  // its file's name; NULL: none, for `why`
    const char *why;
    const char *tunes; // "GROUP, TILE": what can be tuned; "" nothing
};

struct capture {
    const char *folder;
    struct capture_kernel *kernels;
    size_t kernel_count, kernel_room;
    struct capture_counts *counts;
    double ns; // of all launches
};

// `counts` is the caller's, and filled by this.
bool capture_read(const char *folder, struct arena *a, struct capture_counts *counts,
                  struct capture *out, struct error *e);
// A function's own name in "at::native::scale<float>".
const char *capture_last_name(const char *function, size_t *length);
// Takes the texts of kernels that the program has compiled alone from the user's files. False: a file cannot be read, or is of no use.
bool capture_take_sources(struct capture *c, const char *const *files, uint32_t count,
                          struct arena *a, struct error *e);
// A content, checked against its digest.
bool capture_content(const struct capture *c, const char *digest, struct text *out,
                     struct error *e);
// Why a launch was not captured (enum capture_reason); "": it was.
const char *capture_reason_text(uint32_t reason);
// Is a buffer another after the launch?
bool capture_changes(const struct capture_launch *l, uint32_t argument_count);
const char *capture_path(struct arena *a, const struct capture *c, const char *name);

// ---- replaying ---------------------------------------------------------------------------------

struct capture_player;
// Starts hone-replay; it is started again if a kernel ends it.
struct capture_player *capture_player_new(const char *folder, struct error *e);
void capture_player_free(struct capture_player *p);
// The next request gets a new process: a launch may have written where it should not.
void capture_player_renew(struct capture_player *p);
// `options`, `global` and `local` NULL: as recorded. What went wrong is part of the result.
void capture_play(struct capture_player *p, const struct capture_kernel *k,
                  const struct capture_launch *l, int times, const char *options,
                  const int64_t *global, const int64_t *local, struct arena *a,
                  struct capture_replay *out);

// ---- specs -------------------------------------------------------------------------------------

enum { CAPTURE_REPLAYS = 10 };

// Replays the kernel's launches, then writes KERNEL.json and the files that it names; sets `replay` of the launches, `spec`, `why`,
// `tunes`. False: a file cannot be written.
bool capture_write_spec(const struct capture *c, struct capture_kernel *k, struct capture_player *p,
                        struct arena *a, struct error *e);
