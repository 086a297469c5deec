// The layer's CUDA half: what it wraps of the driver's interface and of NVRTC, and what it calls below. Always preloaded:
// CUDA has no layers. Types and functions are declared as in the backend (cuda_api.h), so that no header of CUDA is needed.
#pragma once

#include "device/backends/cuda/cuda_api.h"
#include "extras/capture/capture_cuda.h"
#include "extras/capture/layer/layer.h"

enum {
    CUDA_PARAMETERS_MOST = LAYER_ARGUMENTS,
    CUDA_MEMORIES_MOST = 2 * LAYER_ARGUMENTS,
    CUDA_IMAGE_LEAST = 64, // bytes: an ELF header
    CUDA_SEEN = 8,
};

// The functions below the layer. One that the driver lacks is NULL.
struct cuda_below {
    struct cuda_api driver;
    struct nvrtc_api nvrtc;
    CAPTURE_CUDA_FUNCTIONS(CUDA_POINTER)
};
extern struct cuda_below cuda_below;
// Fills it, once; false: the process has no CUDA.
bool cuda_below_open(void);
bool cuda_below_open_nvrtc(void);
// By this name, in the library that the program has opened (layer_preload.c).
void *layer_find_cuda(const char *name);
void *layer_find_nvrtc(const char *name);
void layer_load_nvrtc(void); // where the program has none
// The layer's own function of this name, or NULL.
void *cuda_own_function(const char *name);

// ---- objects -----------------------------------------------------------------------------------

// A text as NVRTC compiled it. Its handle is an nvrtcProgram; of an image that came of it, the hash of the image.
struct cuda_text {
    struct layer_program program; // one part
    char *expressions;            // names that the program asked for, each ended by a zero
    size_t expressions_length;
    char *lowered; // what the compiler made of each
    size_t lowered_length;
    char digest[65]; // of text, options and headers; "" before it is compiled
    char image[65];  // digest of the image, where it is kept
    char *ptx;       // (or NULL) the image, if it is PTX that reads textures or surfaces
};

struct cuda_symbol {
    struct cuda_symbol *next;
    CUcontext context; // a library has one of each name in every context
    CUdeviceptr at;
    size_t size;
    char name[];
};

struct cuda_module {
    struct layer_object object;
    const void *image;           // hash, the handle in `images`
    const void *library;         // (or NULL) that it is the module of in a context
    struct cuda_symbol *symbols; // that the program asked for
};

struct cuda_replacement;

// Says what a parameter may be, by its declaration, or by the PTX where the text has none.
enum cuda_takes { CUDA_TAKES_TEXTURE = 1, CUDA_TAKES_SURFACE = 2 };

struct cuda_function {
    struct layer_object object;
    const void *module; // or library
    uint64_t key;       // 0: nothing is known of it
    const char *without;
    char *name;
    uint32_t count; // of parameters
    size_t bytes;   // of all of them
    size_t offsets[CUDA_PARAMETERS_MOST], sizes[CUDA_PARAMETERS_MOST];
    unsigned char takes[CUDA_PARAMETERS_MOST]; // enum cuda_takes
    bool takes_any;
    // The last launches' shapes, by a hash of their very bytes: programs repeat them, and asking the driver about pointers takes longer.
    struct {
        uint64_t bytes, shape;
    } seen[CUDA_SEEN];
    struct cuda_replacement *replacement; // NULL: none
};

struct cuda_objects {
    struct layer_table programs, images, modules, functions, graphs;
    struct layer_table views[2]; // textures, surfaces: both are numbered from 1
    struct layer_table borrowed; // arrays that end with what they are part of
};
extern struct cuda_objects cuda_objects;
void cuda_objects_after_fork(void);

void cuda_note_program(nvrtcProgram program, const char *source, int headers,
                       const char *const *texts, const char *const *names);
void cuda_note_expression(nvrtcProgram program, const char *name);
void cuda_note_options(nvrtcProgram program, int count, const char *const *options);
// The program got this out of the compiler: a module that is made of it has the text.
void cuda_note_compiled(nvrtcProgram program, const void *image, size_t length);
void cuda_note_module(const void *module, const void *image);
// A library's module, whose functions and symbols are the library's.
void cuda_note_part(const void *module, const void *library);
void cuda_drop_module(const void *module);
void cuda_note_symbol(const void *module, const char *name, CUdeviceptr at, size_t size);
// The function of a name and a module; with NULL, by what the driver says of the handle.
void cuda_note_function(const void *function, const void *module, const char *name);

// ---- launches ----------------------------------------------------------------------------------

struct cuda_launch {
    CUfunction function;
    unsigned grid[3], block[3], shared;
    CUstream stream;
    void **parameters, **extra;
    const struct cuda_config *config; // of cuLaunchKernelEx, or NULL
    bool is_cooperative;
};

// The program's own launch.
CUresult cuda_enqueue(const struct cuda_launch *l);
CUresult cuda_launch_noted(const struct cuda_launch *l);
// Where a parameter's bytes are; NULL: nowhere.
const unsigned char *cuda_parameter(const struct cuda_launch *l, const struct cuda_function *f,
                                    uint32_t at);
// The allocation that a word of a parameter points into.
bool cuda_find_range(const unsigned char *word, CUdeviceptr *at, CUdeviceptr *base, size_t *size);

// A texture or a surface, and how it is read; type, order, channel, addressing and filter as OpenCL numbers them.
struct cuda_image {
    bool is_surface, has_normalized_coordinates;
    uint32_t type, order, channel, addressing, filter;
    size_t size[3], row; // row: bytes
    CUarray array;       // or
    CUdeviceptr plane;
    size_t pitch; // of the plane
};

// A pointer of a launch, and what it reaches: to the next pointer, or to the end of the allocation.
struct cuda_memory {
    uint32_t argument;
    size_t offset; // of the pointer in the argument
    CUdeviceptr at, base;
    size_t size;              // from `at`
    size_t extent;            // of the allocation
    char *symbol;             // (or NULL) it is no argument's: for free()
    struct cuda_image *image; // (or NULL) the argument is one: for free(), and no address is known
    bool is_reached;          // by a pointer that lies in memory: no argument's
    unsigned char *bytes;
    char digest[2][65];
};

struct cuda_memories {
    struct cuda_memory items[CUDA_MEMORIES_MOST];
    uint32_t count;
    uint64_t bytes; // of all of them
};
enum capture_reason cuda_find_memories(const struct cuda_launch *l, const struct cuda_function *f,
                                       struct cuda_memories *out);
// Adds the symbols of a module in the current context.
enum capture_reason cuda_add_symbols(const void *module, struct cuda_memories *out);
// Copies what the program has set of a module's symbols into those of another module's function, in the order of the stream.
// `text` is the other's, which need not have all of them; one that is shared by several modules may have none.
CUresult cuda_copy_symbols(const void *module, CUfunction to, CUstream stream, const char *text,
                           bool is_shared);
// Attributes that change what a launch is; those that only say when it may start do not.
bool cuda_has_attributes(const struct cuda_launch *l);
bool cuda_is_recorded_now(CUstream stream); // into a graph
// "CUDA 13.0", as hone-replay says it.
void cuda_driver_text(char out[64]);
void cuda_record_times(void);
void cuda_record_after_fork(void);
extern atomic_long cuda_graph_captures; // that the program has begun and not ended

// The shape of such a launch, or NULL: nothing is known of its function.
struct capture_shape *cuda_shape_of(const struct cuda_launch *l);

// ---- textures and surfaces ---------------------------------------------------------------------

// The program made one; `how` NULL: a surface. has_more: it shows its resource in a way of its own.
void cuda_note_view(unsigned long long made, const CUDA_RESOURCE_DESC *of,
                    const CUDA_TEXTURE_DESC *how, bool has_more);
void cuda_drop_view(unsigned long long made, bool is_surface);
// The program destroys it: what shows it shows nothing more.
void cuda_drop_array(CUarray array);
void cuda_note_borrowed(CUarray array);
// Changes with every texture and surface that is made.
uint64_t cuda_views_made(void);
// The image, or NULL, if it is PTX that reads textures or surfaces; for free().
char *cuda_image_ptx(const void *image, size_t length);
// Which parameters may be textures or surfaces.
void cuda_learn_images(struct cuda_function *f, const struct cuda_text *t);
// The texture or the surface that an argument is; false: it is none. Its type is 0 if a replay cannot make it.
bool cuda_find_image(const struct cuda_function *f, uint32_t argument, const unsigned char *word,
                     struct cuda_image *out);
uint64_t cuda_image_key(uint64_t key, const struct cuda_image *image);
// "texture" or "surface" of the number that a word is; NULL: it is no such number.
const char *cuda_view_name(const unsigned char *word);
enum capture_reason cuda_add_images(const struct cuda_launch *l, const struct cuda_function *f,
                                    struct cuda_memories *out);
bool cuda_image_read(const struct cuda_image *image, void *to);
void cuda_image_log(struct layer_line *l, const struct cuda_image *image);

// ---- graphs ------------------------------------------------------------------------------------

void cuda_note_graph(CUgraphExec made, CUgraph graph);
void cuda_note_graph_change(CUgraphExec graph);
void cuda_drop_graph(CUgraphExec graph);
void cuda_release_graph(struct layer_object *o);
CUresult cuda_graph_launch(CUgraphExec graph, CUstream stream);

struct cuda_replacement *cuda_replace_prepare(struct cuda_text *t, const void *module,
                                              const char *name);
// The program unloads a module: what was built for it goes, too.
void cuda_replace_drop_module(const void *module);
void cuda_replace_release(struct cuda_replacement *r);
CUresult cuda_replace_launch(const struct cuda_launch *l);
bool cuda_has_replacement(const struct cuda_launch *l);
