// A job: one configuration made concrete and self-contained. Source text, options, sizes, buffers,
// arguments, how to check the result. It names no file and no spec; it can be built and run from
// this alone, on another machine too. And the key: everything that may change the answer.
//
// Everything in a job lives in one arena (usually job_new()'s own). Once made it is not changed.
#pragma once

#include "model/blob.h"
#include "model/device_info.h"

// ---- types of elements -------------------------------------------------------------------------

// X(NAME, name in specs, bytes of one component)
#define SCALARS(X)                                                                                 \
    X(BOOL, "bool", 1)                                                                             \
    X(I8, "int8", 1)                                                                               \
    X(U8, "uint8", 1)                                                                              \
    X(I16, "int16", 2)                                                                             \
    X(U16, "uint16", 2)                                                                            \
    X(I32, "int32", 4)                                                                             \
    X(U32, "uint32", 4)                                                                            \
    X(I64, "int64", 8)                                                                             \
    X(U64, "uint64", 8)                                                                            \
    X(HALF, "half", 2)                                                                             \
    X(FLOAT, "float", 4)                                                                           \
    X(DOUBLE, "double", 8)                                                                         \
    X(CUSTOM, "custom", 0)     /* a struct of `custom_bytes`, handled as raw bytes */              \
    X(BFLOAT16, "bfloat16", 2) /* behind the rest: numbers of types are part of keys */            \
    X(E4M3, "float8_e4m3", 1)                                                                      \
    X(E5M2, "float8_e5m2", 1)

enum scalar {
#define X(name, text, bytes) SCALAR_##name,
    SCALARS(X)
#undef X
        SCALAR_COUNT
};

struct element {
    enum scalar scalar;
    uint32_t width;        // components: 1 2 3 4 8 16
    uint32_t custom_bytes; // CUSTOM only
    bool packed;           // CUDA: a 3-vector takes the place of 3, not of 4
};

// "float", "float4", "int32", also OpenCL's and CUDA's names ("int", "uchar4", "unsigned int").
// If the two disagree specs win: "int8" is one byte; a vector of eight int32 is "int32x8".
bool element_parse(const char *text, struct element *out);
// Writes the name ("float4") into out, at least 24 bytes.
void element_name(const struct element *el, char *out);
// Bytes of one element in a buffer; a 3-vector takes the place of 4 unless it is packed.
uint32_t element_bytes(const struct element *el);
// Components that carry data: a 3-vector has 3 in the space of 4.
bool scalar_is_float(enum scalar s);
bool scalar_is_signed(enum scalar s); // of the integers; false for floats
uint32_t scalar_bytes(enum scalar s);
// The integers it holds, as far as 64 bits with a sign do; floats and structs have no limits here.
void scalar_limits(enum scalar s, int64_t *low, int64_t *high);
// Floats of 16 and of 8 bits: how long the fraction is, what is added to the exponent, the sign's
// bit, and whether the type has numbers in place of infinities, and one NaN of each sign, with all
// bits set (e4m3).
struct narrow {
    int fraction, bias;
    uint16_t sign;
    bool finite;
};
// NULL for other types.
const struct narrow *scalar_narrow(enum scalar s);
// Rounded to nearest even; beyond the largest number it is an infinity, or else a NaN.
uint16_t narrow_from_f64(const struct narrow *n, double v);
double narrow_to_f64(const struct narrow *n, uint16_t bits);
// The same of IEEE's half.
uint16_t half_from_f64(double v);
double half_to_f64(uint16_t h);
// A number as a component of a float type, and the other way round. `at` need not be aligned.
void float_store(enum scalar s, double v, void *at);
double float_load(enum scalar s, const void *at);
// The number that the type rounds it to.
double float_rounded(enum scalar s, double v);
// By how much rounding changes a number at most, relative to it; 0 for integers and structs.
double scalar_rounding(enum scalar s);

// ---- what a job is made of ---------------------------------------------------------------------

// A file that the sources include, found by scanning #include lines. `path` is relative to the root
// of a virtual tree that the worker lays out; it has no ".." and no leading slash.
struct job_file {
    const char *path;
    const void *text;
    uint64_t length;
};

// A program is a source, or what a compiler made of one, as its bytes say; that has no includes, and
// no options but SPIR-V's, where -DNAME=VALUE is the specialization constant of this name.
enum code_form { FORM_SOURCE, FORM_PTX, FORM_CUBIN, FORM_SPIRV };
enum code_form code_form_of(const void *code, uint64_t length);

struct job_program {
    const char *name;   // for messages: the kernel file's name
    const void *source; // the text, several files joined with #line
    uint64_t length;
    struct job_file *files; // includes
    uint32_t file_count;
    const char **folders; // include folders within the virtual tree ("" is its root)
    uint32_t folder_count;
    const char **options; // each one word as the compiler shall see it, unquoted: -DNAME=some text
    uint32_t option_count;
    // NVIDIA's OpenCL only: the target that the driver's PTX is rewritten for before it is
    // assembled ("sm_90a"); NULL leaves it as it is.
    const char *retarget;
    // It reads files that are not among these: nothing may be concluded from the texts alone. What
    // of them was found is in the digest that -DHONE_SOURCE passes.
    bool outside;
    // A random number if not all of them were found, passed as -DHONE_RUN, so that no driver's
    // cache answers. It is not part of the key, and such results answer for their own run alone.
    uint64_t run;
    // A command's alone: the folder in which it is built and run, on the worker's machine. It is not part of the key.
    const char *place;
};

#define FILLS(X)                                                                                   \
    X(NONE, "none")           /* left as allocated (poisoned) */                                   \
    X(CONSTANT, "constant")   /* every component `value` */                                        \
    X(UNIFORM, "uniform")     /* seeded, uniform in [low, high) (integers: [low, high]) */         \
    X(NORMAL, "normal")       /* seeded, mean `low`, deviation `high` */                           \
    X(GENERATOR, "generator") /* `expression` over i (component index) and size */                 \
    X(DATA, "data")           /* `blob`, exactly the buffer's bytes */

enum fill_kind {
#define X(name, text) FILL_##name,
    FILLS(X)
#undef X
        FILL_COUNT
};

// Bit for bit the same on every backend.
struct job_fill {
    enum fill_kind kind;
    double
        value; // CONSTANT, for float components. UNIFORM, NORMAL: the upper 32 bits of a view's first component
    // CONSTANT, for integer components. UNIFORM, NORMAL: 0, or a view of what is filled so: component
    // i is that of (integer >> 32) * i + the lower 32 bits.
    int64_t integer;
    double low, high; // UNIFORM, NORMAL
    uint64_t seed;
    const char *expression; // GENERATOR: over `i` and `size`, names of the spec already replaced
    struct job_blob blob;   // DATA
};

// UNIFORM, NORMAL: makes it a view of what it was; `stride` is less than 2^31.
void fill_view(struct job_fill *f, uint64_t first, uint64_t stride);

#define ACCESSES(X)                                                                                \
    X(READ, "ReadOnly")                                                                            \
    X(WRITE, "WriteOnly")                                                                          \
    X(BOTH, "ReadWrite")

enum access {
#define X(name, text) ACCESS_##name,
    ACCESSES(X)
#undef X
        ACCESS_COUNT
};

// How an output is held against its reference. NaN fails unless it is allowed, and then passes
// where the reference has NaN; an infinity must be the reference's; an element still poisoned fails
// where the reference writes it. SUM and SET hold regions as wholes against each other: the
// reference's may have another size. A tolerance's absolute part may be a share of the size of the
// reference (`scaled`): of the root of the mean of its squares, or SUM: of that for as many
// components as are summed up. NORM bounds each component, too (compare_output.c).
#define COMPARES(X)                                                                                \
    X(EXACT, "exact")       /* bit patterns of integers, values of floats */                       \
    X(ABSOLUTE, "absolute") /* |a - r| <= atol */                                                  \
    X(CLOSE, "close")       /* |a - r| <= atol + rtol * |r| */                                     \
    X(NORM, "norm")         /* ||a - r|| / ||r|| <= rtol */                                        \
    X(SUM, "sum")           /* |sum a - sum r| <= atol + rtol * |sum r| */                         \
    X(SET, "set")           /* both in ascending order: |a - r| <= atol + rtol * |r| */

enum compare_kind {
#define X(name, text) COMPARE_##name,
    COMPARES(X)
#undef X
        COMPARE_COUNT
};

struct job_compare {
    enum compare_kind kind;
    double atol, rtol;
    uint64_t first, count; // region in elements; count 0: all
    bool allow_nan;        // NaN passes where the reference has NaN (SUM, SET: as many)
    bool scaled;           // atol is a share of the reference's size
    bool given;            // the spec gives a tolerance: it is obeyed as it is
};
// Is a region held as a whole against one that may have another size?
bool compare_is_whole(enum compare_kind k);

// X(NAME, its name in specs, components of an element)
#define IMAGE_ORDERS(X)                                                                            \
    X(R, "R", 1)                                                                                   \
    X(RG, "RG", 2)                                                                                 \
    X(RGBA, "RGBA", 4)                                                                             \
    X(A, "A", 1)                                                                                   \
    X(RA, "RA", 2)                                                                                 \
    X(BGRA, "BGRA", 4)                                                                             \
    X(ARGB, "ARGB", 4)                                                                             \
    X(INTENSITY, "INTENSITY", 1)                                                                   \
    X(LUMINANCE, "LUMINANCE", 1)

enum image_order {
#define X(name, text, width) IMAGE_##name,
    IMAGE_ORDERS(X)
#undef X
        IMAGE_ORDER_COUNT
};
uint32_t image_order_width(enum image_order o);

// Rules for coordinates beyond the image. X(NAME, its name in specs)
#define ADDRESSINGS(X)                                                                             \
    X(CLAMP_TO_EDGE, "clamp_to_edge") /* the nearest element */                                    \
    X(CLAMP, "clamp")                 /* the border's color: 0 */                                  \
    X(REPEAT, "repeat")                                                                            \
    X(MIRRORED_REPEAT, "mirrored_repeat")                                                          \
    X(NONE, "none") /* no such coordinate is used */

enum addressing {
#define X(name, text) ADDRESSING_##name,
    ADDRESSINGS(X)
#undef X
        ADDRESSING_COUNT
};

struct job_sampler {
    enum addressing addressing;
    bool linear;     // else the nearest element
    bool normalized; // coordinates from 0 to 1
};

// A buffer that kernels see as an image: its elements row after row, plane after plane.
struct job_image {
    uint32_t dimensions; // 2 or 3; 0: it is no image
    uint64_t size[3];    // width, height, depth
    enum image_order order;
    bool normalized;            // integers of 8 or 16 bits stand for numbers up to 1
    struct job_sampler sampler; // where it is part of the image (CUDA's texture objects)
};

#define PADDING '-'

struct job_buffer {
    const char *name;
    struct element element;
    // (or NULL) Of a struct whose members are known: a character a byte, PADDING where none lies; ""
    // where all have some.
    const char *padding;
    uint64_t count; // elements
    struct job_image image;
    enum access access;
    struct job_fill fill;
    bool output;    // compared with the reference
    bool temporary; // between the launches of a job; never compared
    bool constant;  // OpenCL: __constant; CUDA: a module symbol
    bool keep;      // BOTH only: not restored before each timed launch
    struct job_compare compare;
};
struct job_region {
    uint64_t first, count; // elements
};
// The region of an output that is compared, within the buffer.
struct job_region buffer_region(const struct job_buffer *b);
// The region of the other job's buffer that `output` is compared with: its own, since a region may
// depend on the configuration, or the output's if only the output names one.
struct job_region reference_region(const struct job_buffer *output, const struct job_buffer *other);

// NULL: a pointer that refers to nothing. A buffer that is an image is passed as one.
enum argument_kind {
    ARGUMENT_BUFFER,
    ARGUMENT_SCALAR,
    ARGUMENT_LOCAL,
    ARGUMENT_NULL,
    ARGUMENT_SAMPLER,
    ARGUMENT_KINDS
};

struct job_argument {
    const char *name; // for messages
    enum argument_kind kind;
    uint32_t buffer; // BUFFER: index into the job's buffers
    struct element element;
    const void *value;          // SCALAR: element_bytes(element) bytes
    uint64_t length;            // SCALAR: bytes of value
    uint64_t local_bytes;       // LOCAL
    struct job_sampler sampler; // SAMPLER
};

struct job_launch {
    const char *name; // for reports; the kernel's name when the spec gives none
    const char *kernel;
    uint32_t program;             // index
    uint32_t dimensions;          // 1..3
    uint64_t global[3];           // work-items per axis (CUDA: grid times block)
    uint64_t local[3];            // work-items per work-group; all 0: the driver chooses
    uint64_t dynamic_local_bytes; // CUDA: dynamic shared memory
    struct job_argument *arguments;
    uint32_t argument_count;
};

#define REFERENCES(X)                                                                              \
    X(NONE, "none")             /* nothing to compare with: "not verified" */                      \
    X(GEMM, "gemm")             /* a matrix product in float64: struct job_gemm */                 \
    X(JOB, "job")               /* another job's outputs, same buffer names */                     \
    X(DATA, "data")             /* bytes per output: `data` of the outputs in order */             \
    X(EXPRESSION, "expression") /* `expressions` over the initial contents; `data` of others */

enum reference_kind {
#define X(name, text) REFERENCE_##name,
    REFERENCES(X)
#undef X
        REFERENCE_COUNT
};

struct job;

// Activations of an element of C; gelu is the one of tanh.
#define ACTIVATIONS(X) X(NONE, "none") X(RELU, "relu") X(GELU, "gelu") X(SILU, "silu")

enum activation {
#define X(name, text) ACTIVATION_##name,
    ACTIVATIONS(X)
#undef X
        ACTIVATION_COUNT
};

bool activation_parse(const char *text, enum activation *out);

// C = activation(alpha * op(A) * op(B) + beta * C + gamma * bias), the bias a number for each column.
struct job_gemm {
    uint64_t m, n, k;
    uint32_t a, b, c; // buffers, row-major
    bool transpose_a, transpose_b;
    double alpha, beta; // with beta the initial contents of c take part
    uint64_t others;    // matrices of each, one behind the other, beside the first
    double gamma;       // 0: there is no bias
    uint32_t bias;      // a buffer
    enum activation activation;
};

// Is it more than alpha * op(A) * op(B) + beta * C?
bool gemm_has_epilogue(const struct job_gemm *g);

struct job_data {
    uint32_t buffer;
    struct job_blob blob; // the buffer's bytes
};

// A name that stands for a number: a constant of the spec, or a scalar argument as its type holds it.
struct job_number {
    const char *name;
    bool is_float;
    bool is_unsigned; // `integer` has the bits of a number from 2^63 on
    int64_t integer;
    double number;
};
// A component of this type as it lies in memory.
void job_number_read(enum scalar s, const void *bytes, struct job_number *out);

// The expected components of an output, as an expression (expr/elementwise.h) over the index `i`,
// `size`, these numbers, and buffers by name, which have their contents from before the launch.
struct job_expression {
    uint32_t buffer;
    bool total; // SUM: it does not depend on `i`, and is what all components add up to
    const char *text;
    struct job_number *numbers;
    uint32_t number_count;
};

struct job_reference {
    enum reference_kind kind;
    bool agreement; // JOB: the default configuration of the same kernel: "agrees with the default"
    const char *name; // for messages: "gemm", "plain.cl", "default configuration"
    struct job_gemm gemm;
    struct job *job;
    struct job_data *data;
    uint32_t data_count;
    struct job_expression *expressions; // EXPRESSION
    uint32_t expression_count;
};

// Matrix products of vendors' libraries, which a job can be instead of launches of its own: what
// the job's gemm reference says is computed by the library, on the job's buffers. X(NAME, text,
// name for readers)
#define ROUTINES(X)                                                                                \
    X(NONE, "none", "no routine")                                                                  \
    X(CUBLAS, "cublas", "cuBLAS")                /* summed in float, or in double for doubles */   \
    X(CUBLAS_TF32, "cublas-tf32", "cuBLAS TF32") /* the same with tensor cores' TF32 */            \
    X(CBLAS, "cblas", "CBLAS")                   /* cblas_sgemm of any library, on the host */     \
    X(CLBLAST, "clblast", "CLBlast")                                                               \
    X(CUBLAS_FAST, "cublas-fast", "cuBLAS with fast sums") /* 8-bit floats, summed in fewer bits */

enum routine {
#define X(name, text, title) ROUTINE_##name,
    ROUTINES(X)
#undef X
        ROUTINE_COUNT
};

const char *routine_text(enum routine r);  // "cublas-tf32"
const char *routine_title(enum routine r); // "cuBLAS TF32"
// The language whose devices offer the routine.
enum language routine_language(enum routine r);

// At most this many launches of a job are listed; a job with more, because it repeats them, keeps
// no times of single launches.
#define LAUNCHES_TOLD 32

struct job {
    enum language language;
    struct job_program *programs;
    uint32_t program_count;
    // Other than NONE: no programs, no launches, a gemm reference over buffers of float. A job with
    // programs has no routine, on the wire neither: keys of ordinary jobs do not depend on it.
    enum routine routine;
    const char *routine_library; // file or soname of the library; NULL: the usual ones are tried
    // Identifies a routine's library ("OpenBLAS 0.3.21, 2 threads, /usr/lib/..."), which decides
    // its times as a kernel's source does. NULL: not known yet, as when the job is sent to a
    // worker.
    const char *routine_about;
    struct job_buffer *buffers;
    uint32_t buffer_count;
    struct job_launch *launches; // run in order, one after the other
    uint32_t launch_count;
    struct job_reference reference;

    // Not part of the identity, not on the wire:
    struct arena arena;             // owns everything above when made by job_new()
    const char *configuration;      // "block_size_x=16, tile_size_y=2", for messages and the store
    const char *configuration_json; // {"block_size_x": 16, ...}, all parameters
    const char *constants;          // (optional) "WIDTH=48": if they differ from job to job
    // Elements that the default configuration leaves unwritten are skipped with a warning, as for a
    // T1 file of another tuner; otherwise they are an error of the spec.
    bool partial;
    unsigned holders; // beside the first
};

struct job *job_new(void);
// The same job, once more: it lives until each of its holders has freed it.
struct job *job_hold(struct job *j);
void job_free(struct job *j); // NULL is fine
// "256x256 / 16x16": global and local sizes, launches joined with "; ".
void job_geometry_text(const struct job *j, struct text *out);
// A program's options for a build by somebody else: all but those that only drivers' caches read (HONE_SOURCE).
// Quoted for a shell, with blanks between them.
void job_options_text(const char *const *options, size_t count, struct text *out);
// The same as a header: a #define for each macro; other options stand in a comment.
void job_header_text(const char *const *options, size_t count, struct text *out);

// The code of a job, apart from it (job_code.c).
struct job_code {
    struct job_program *programs; // without `retarget`
    uint32_t count;               // 0: it is not kept
    const char *geometry;         // of the launches, as above
};
// Copies a job's into the arena. Count 0 if its texts do not say all, are not UTF-8, or a routine takes the place of
// programs. False without memory.
bool job_code_of(const struct job *j, struct arena *a, struct job_code *out);
// Makes the job one of that code, which outlives it. False if the job has other launches.
bool job_use_code(struct job *j, const struct job_code *code, struct error *e);

// Visits the blobs with contents of a job and of the job that it is compared with, until a visit
// gives false.
bool job_each_blob(struct job *j, bool (*visit)(void *context, struct job_blob *b), void *context);

// The layout, declared once: writes, reads, hashes (everything above the line in struct job). A job
// that was read is checked by job_wrong(); a reference may have no reference of its own. A blob has
// only length and digest here: its contents travel separately.
void job_codec(struct wire *w, struct job *j);
// Reads a job; NULL when the bytes are not one (indices in range, sizes plausible, checked).
struct job *job_decode(const void *data, size_t length, struct error *e);
// NULL, or why the job's indices, sizes, types and paths cannot be followed (static text). Whether
// a device can run the job is for the device to report.
const char *job_wrong(const struct job *j);

// Part of every key: raise it when a change in measuring or verifying makes old results
// incomparable.
#define HONE_MEASURING_VERSION 4

// The key: everything that may change the answer, i.e. the job's codec bytes (kernel texts with
// their includes, options, sizes, argument recipes, verification), device_info_identity(), and
// HONE_MEASURING_VERSION. Another policy (more iterations, cold) is another result of the same key.
void job_key(const struct job *j, const struct device_info *d, struct digest *out);
// The key that hone 0.1.0 and earlier gave a job with contents above BLOB_SMALL: all of them take
// part, byte by byte. False if the job has none, so that its key is the same, or a file cannot be
// read.
bool job_key_by_contents(const struct job *j, const struct device_info *d, struct digest *out);
// Is there data that such a key takes as a whole? Without, a job has one key alone.
bool job_has_large_data(const struct job *j);
// Is this key the job's, or was it?
bool job_has_key(const struct job *j, const struct device_info *d, const struct digest *key);
// Was a part of what its programs, or its reference's, are compiled from not found?
bool job_is_unseen(const struct job *j);
// Digest of all that the device gets from a built job: the image, options that are not macros,
// launches, arguments, buffers, and the reference of the outputs. Jobs with equal digests are the
// same work, whatever sources they were compiled from. False: the image has no code to compare.
struct image;
bool job_built_key(const struct job *j, const struct image *m, struct digest *out);

// The same job on other random numbers, told apart by `other`; 0 are its own. The first two are
// pure; the copy shares what does not change, owns nothing and lives as long as `j` and the arena.
uint64_t job_other_seed(const struct job_buffer *b, uint64_t other);
// NULL, or why its result on other inputs cannot be held against anything (static text).
const char *job_inputs_stay(const struct job *j);
bool job_on_other_inputs(const struct job *j, uint64_t other, struct arena *a, struct job *out);

// How one buffer's initial contents are made (element, count, fill): same digest, same bytes.
void job_buffer_digest(const struct job_buffer *b, struct digest *out);
// Digest of all that the expected outputs depend on: the reference, and the recipes of all buffers
// that are not temporary.
void job_reference_digest(const struct job *j, struct digest *out);
