// The layer that `hone capture` and `hone with` load into a program: plain C, no part of hone but SHA-256 and libhone-known.
// It prints nothing, takes no signal, and where it cannot do its work the program's call goes on as if it were not there.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include "extras/capture/capture_counts.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// ---- what is called ----------------------------------------------------------------------------

extern cl_icd_dispatch layer_next; // the functions below the layer

// ---- objects -----------------------------------------------------------------------------------

enum { LAYER_INLINE = 16, LAYER_ARGUMENTS = 256, FILE_MOST = 256 << 20, PENDING_MOST = 128 };

// The first member of every object that a table holds.
struct layer_object {
    const void *handle;
    struct layer_object *next;
    uint32_t count; // of references that the program holds
    uint32_t users; // that have it without the table's lock
    bool is_gone;   // from the table: the last of these releases it
};

struct layer_table {
    pthread_mutex_t lock;
    struct layer_object **buckets;
    size_t bucket_count, count;
    void (*release)(struct layer_object *o); // what it owns; may be NULL
};

struct layer_part { // of a program: a text with what was compiled with it
    char *text;
    size_t length;
    char *options;
    struct layer_header {
        char *name, *text;
        size_t length;
    } * headers;
    uint32_t header_count;
};

struct layer_program {
    struct layer_object object;
    struct layer_part *parts;
    uint32_t part_count;
    char *options;       // of clBuildProgram or clLinkProgram
    bool is_linked;      // by clLinkProgram: its parts were compiled apart
    const char *without; // why it has no text: "binary", "SPIR-V"; NULL: it has
    char digest[65];     // "": not computed since its text or options were set
};

enum layer_argument_kind {
    LAYER_UNSET,
    LAYER_VALUE,
    LAYER_LOCAL, // no value
    LAYER_SVM
};

struct layer_argument {
    enum layer_argument_kind kind;
    bool is_pointer; // by clGetKernelArgInfo
    size_t size, room;
    unsigned char bytes[LAYER_INLINE];
    unsigned char *large; // instead of bytes
};

struct layer_replacement; // what `hone with` launches instead (layer_replace.c)

struct layer_kernel {
    struct layer_object object;
    uint64_t key; // of its program's text, its options and its name
    cl_uint argument_count;
    bool has_information; // clGetKernelArgInfo answers
    bool is_indirect;     // clSetKernelExecInfo named memory
    const char *without;  // as of the program
    struct layer_argument *arguments;
    struct layer_replacement *replacement; // NULL: none
};

enum layer_memory_kind { LAYER_BUFFER, LAYER_IMAGE, LAYER_SAMPLER, LAYER_PIPE };

struct layer_memory {
    struct layer_object object;
    enum layer_memory_kind kind;
    size_t size;
    cl_mem_flags flags; // as the program asked for them
    bool is_changed;    // the driver was asked for others
    cl_mem root;        // (or NULL) that it is a part of, from `offset`
    size_t offset;
    struct layer_image {
        cl_mem_object_type type;
        cl_image_format format;
        size_t size[3], layers; // layers: of an array, else 0
    } image;
};

struct layer_svm {
    struct layer_object object;
    cl_context context;
    size_t size;
};

struct layer_queue {
    struct layer_object object;
    cl_context context;
    cl_command_queue_properties asked; // by the program; profiling is added
};

// One of each.
struct layer_objects {
    struct layer_table programs, kernels, memories, svm, queues;
};
extern struct layer_objects layer_objects;
extern atomic_bool layer_has_parts; // memories that are parts of others

// The object of a handle, with the table locked, or NULL with the table unlocked.
void *layer_lock(struct layer_table *t, const void *handle);
void layer_unlock(struct layer_table *t);
// A new, zeroed object of `size` bytes in the place of any of that handle, with the table locked; NULL without memory.
void *layer_add(struct layer_table *t, const void *handle, size_t size);
void layer_retain(struct layer_table *t, const void *handle);
void layer_drop(struct layer_table *t, const void *handle);
// An object that is used after the table is unlocked, until it is let go: `users` is raised with the table locked.
void layer_let_go(struct layer_table *t, void *object);
void layer_objects_after_fork(void);
void layer_release_program(struct layer_object *o);
bool layer_copy_part(struct layer_part *to, const struct layer_part *from);
// The allocation that holds an address.
bool layer_svm_find(const void *at, const void **base, size_t *size);
// The queues of a context, at most `most`.
uint32_t layer_queues_of(cl_context context, cl_command_queue *out, uint32_t most);

const unsigned char *layer_bytes(const struct layer_argument *a);
// Learns what an image is. Its bytes, or 0: it cannot be read as a whole.
size_t layer_learn_image(cl_mem image, struct layer_image *out);
// The bytes of a buffer, or of an image as a whole.
cl_int layer_read_memory(cl_command_queue queue, cl_mem memory, size_t size,
                         const struct layer_image *image, void *to);
void layer_image_region(const struct layer_image *image, size_t region[3]);

// ---- keys --------------------------------------------------------------------------------------

static inline uint64_t layer_mix(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

static inline uint64_t layer_mix_bytes(uint64_t key, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    uint64_t word = 0;
    size_t i = 0;
    for (; i + sizeof word <= length; i += sizeof word) {
        memcpy(&word, b + i, sizeof word);
        key = layer_mix(key, word);
    }
    word = 0;
    memcpy(&word, b + i, length - i);
    return layer_mix(layer_mix(key, word), length);
}

// ---- the folder --------------------------------------------------------------------------------

struct layer_settings {
    const char *kernel; // NULL: any
    uint64_t launches;  // of each kernel, of another shape each
    uint64_t limit;     // bytes
    bool refuse_binaries;
    bool is_capturing; // else `hone with`
    double verify;     // share of the replaced launches
};
extern struct layer_settings layer_settings;
extern struct capture_counts *layer_counts; // never NULL
static inline void layer_note_call(void)
{
    atomic_fetch_add_explicit(&layer_counts->calls, 1, memory_order_relaxed);
}

// Reads the environment and opens the folder; once.
void layer_folder_open(void);
// A file's bytes, with room for one more behind them; for free(). NULL: it cannot be read.
char *layer_read_file(const char *path, size_t *length);
// Keeps a content under its digest, unless it is new and larger than `room`. CAPTURE_NONE: it is kept.
enum capture_reason layer_keep(const void *bytes, size_t length, uint64_t room, char digest[65]);
// Bytes of contents that may still be kept.
uint64_t layer_room(void);
struct capture_shape *layer_shape(uint64_t key, uint64_t kernel);

// A line that is put together. Nothing is written into it past a failed allocation.
struct layer_line {
    char *text;
    size_t length, room;
    bool failed;
};
void line_add(struct layer_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void line_text(struct layer_line *l, const char *text); // as JSON
void line_end(struct layer_line *l, bool write);        // in the log, if it is whole; releases it

// ---- what is recorded --------------------------------------------------------------------------

struct layer_launch {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_uint dimensions;
    const size_t *offset, *global, *local;
    cl_uint wait_count;
    const cl_event *wait;
    cl_event *event; // NULL: the program wants none
};

// The program's own launch.
cl_int layer_enqueue(const struct layer_launch *l);
// The launch, counted, timed now and then, and captured where it is the first of its shape.
cl_int layer_record_launch(const struct layer_launch *l);
// Writes what a kernel consists of, once for each key.
void layer_record_kernel(cl_kernel handle, cl_program program);
void layer_record_after_fork(void);
// Has the log no kernel of this key yet? Now it has.
bool layer_kernel_is_new(uint64_t key);
// Identifies a program in every process: by its texts and options.
const char *layer_program_digest(struct layer_program *p);
// A kernel's line up to its arguments.
void layer_log_program(struct layer_line *l, const struct layer_program *p, uint64_t key,
                       const char *name, const char *digest);
void layer_log_sizes(struct layer_line *l, const char *key, const size_t *sizes, uint32_t count);
// True once, of the first launch of a shape.
bool layer_is_to_be_captured(struct capture_shape *s);
// Is the launch captured? Then nothing else is, until the end.
bool layer_begin_capture(struct capture_shape *s, const char *name, uint64_t kernel);
void layer_end_capture(struct capture_shape *s, uint64_t kernel, enum capture_reason why);
// The n-th launch of a shape: is its time taken?
static inline bool layer_is_timed(uint64_t n)
{
    return n < 16 || n % 16 == 0;
}
struct layer_timed { // a launch whose time is not known yet
    struct capture_shape *shape;
    void *start, *end; // events; start: NULL where `end` has both times
};
struct layer_times {
    pthread_mutex_t lock;
    struct layer_timed list[PENDING_MOST];
    uint32_t count;
    // Adds the time of one that has ended, and releases its events; false: it has not ended.
    bool (*take)(const struct layer_timed *t);
};
void layer_times_take(struct layer_times *t);
// Takes over the events; false: there is no room.
bool layer_times_keep(struct layer_times *t, struct capture_shape *s, void *start, void *end);
void layer_times_after_fork(struct layer_times *t);
// Takes the times of launches that have ended; called where the program waits anyway.
void layer_record_times(void);
extern atomic_long layer_user_events; // that were created and have no status yet

// ---- `hone with` -------------------------------------------------------------------------------

void layer_replace_open(const char *files);
// Has any table a kernel of this name, and any a text of its own?
bool layer_replace_has(const char *name);
bool layer_replace_has_text(void);
// The tuned programs of a kernel, built; NULL: no table has it for this device.
struct layer_replacement *layer_replace_prepare(cl_program program, const char *digest,
                                                const char *name);
void layer_replace_release(struct layer_replacement *r);
cl_int layer_replace_launch(const struct layer_launch *l);
