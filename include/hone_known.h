/* libhone-known: looks up what `hone deploy --format known` wrote, in programs that have nothing else of hone. C99 and
   C++11; it needs the C library alone.

   A table is opened once and never changes: then any number of threads may use it at the same time. What a device is
   called is what its driver says (CL_DEVICE_NAME, cuDeviceGetName), or its UUID. A shape is one whole number for each
   column of the table, in its order: hone_known_columns().

       hone_known *table = hone_known_open("matmul.hone", error, sizeof error);
       hone_known_device device = {"NVIDIA H200", "", "", 0};
       int64_t shape[] = {4096, 4096, 1024};
       uint32_t best;
       if (hone_known_best(table, &device, shape, 3, &best) == 1)
           hone_known_options(table, &device, best, shape, options, sizeof options);

   Texts that come out of a table stay as long as it is open. */
#ifndef HONE_KNOWN_H
#define HONE_KNOWN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(HONE_KNOWN_BUILD) && defined(__GNUC__)
#define HONE_KNOWN_API __attribute__((visibility("default")))
#else
#define HONE_KNOWN_API
#endif

typedef struct hone_known hone_known;

/* What is known of a device. All but the name may be NULL, "" or 0; they find a device that is like it where it was not
   measured itself. Then what reads compute units that are not told has no value. */
typedef struct hone_known_device {
    const char *name;         /* or UUID */
    const char *vendor;       /* as the driver says: "NVIDIA Corporation" */
    const char *architecture; /* "sm_90" */
    int64_t compute_units;    /* multiprocessors */
} hone_known_device;

/* One launch. `grid` counts work-groups (blocks), `global` work-items (threads). */
typedef struct hone_known_launch {
    const char *kernel;
    uint32_t dimensions;
    int has_local; /* 0: the driver chooses the work-group, and `local` and `grid` are 0 */
    size_t global[3], local[3], grid[3];
    size_t local_memory; /* bytes that the launch asks for, in CUDA */
    uint32_t argument_count;
    const uint32_t *arguments; /* their numbers, in the kernel's order */
} hone_known_launch;

/* Opens a `.hone` file, of at most 256 MiB; NULL, with the reason in `error` (which may be NULL): it cannot be read, it is
   damaged, or it is no such file. */
HONE_KNOWN_API hone_known *hone_known_open(const char *path, char *error, size_t size);
/* The same from memory, which is copied. */
HONE_KNOWN_API hone_known *hone_known_read(const void *text, size_t length, char *error,
                                           size_t size);
HONE_KNOWN_API void hone_known_close(hone_known *table); /* NULL is fine */

/* Of the table: its name, its language ("OpenCL", "CUDA", "C"), hone's version, the spec's path, and the SHA-256 of the
   kernel's texts and of the spec. */
typedef enum hone_known_fact {
    HONE_KNOWN_NAME,
    HONE_KNOWN_LANGUAGE,
    HONE_KNOWN_VERSION,
    HONE_KNOWN_SPEC,
    HONE_KNOWN_SOURCE_DIGEST,
    HONE_KNOWN_SPEC_DIGEST
} hone_known_fact;
HONE_KNOWN_API const char *hone_known_about(const hone_known *table, hone_known_fact what);
/* The names of the columns, and of the arguments of the kernels; their count. */
HONE_KNOWN_API uint32_t hone_known_columns(const hone_known *table, const char *const **names);
HONE_KNOWN_API uint32_t hone_known_arguments(const hone_known *table, const char *const **names);
HONE_KNOWN_API uint32_t hone_known_configurations(const hone_known *table);
/* The configuration that the others are never slower than where both were measured. */
HONE_KNOWN_API uint32_t hone_known_default(const hone_known *table);

/* 1: *configuration is the one for this shape. 0: none is valid there. -1: the count is not that of the columns. */
HONE_KNOWN_API int hone_known_best(const hone_known *table, const hone_known_device *device,
                                   const int64_t *shape, uint32_t count, uint32_t *configuration);
/* Why that one. As snprintf(): the length of the whole text, of which `out` gets what fits. */
HONE_KNOWN_API size_t hone_known_why(const hone_known *table, const hone_known_device *device,
                                     const int64_t *shape, uint32_t count, char *out, size_t size);

/* All parameters of a configuration: "tile_m=64, ..."; NULL: there is no such one. */
HONE_KNOWN_API const char *hone_known_text(const hone_known *table, uint32_t configuration);
/* The value of one of its parameters, as hone writes it, into `out`; its length, 0: there is none of that name. */
HONE_KNOWN_API size_t hone_known_value(const hone_known *table, uint32_t configuration,
                                       const char *parameter, char *out, size_t size);
/* The options for the compiler at this shape, separated by blanks; their length, 0: one has no value. */
HONE_KNOWN_API size_t hone_known_options(const hone_known *table, const hone_known_device *device,
                                         uint32_t configuration, const int64_t *shape, char *out,
                                         size_t size);
/* 1: *out is launch `index` of the configuration. 0: it is left out at this shape. -1: a size has no value, or the
   index is beyond the launches. */
HONE_KNOWN_API int hone_known_geometry(const hone_known *table, const hone_known_device *device,
                                       uint32_t configuration, uint32_t index, const int64_t *shape,
                                       hone_known_launch *out);
/* How many launches a configuration has at most. */
HONE_KNOWN_API uint32_t hone_known_launches(const hone_known *table, uint32_t configuration);
/* Bytes of an argument's buffer, or local memory; -1: a scalar, or it has no value. What the spec fills with zeros, and its
   kernel reads, has to begin so (`parts` of matmul_half). */
HONE_KNOWN_API int64_t hone_known_bytes(const hone_known *table, const hone_known_device *device,
                                        uint32_t configuration, uint32_t argument,
                                        const int64_t *shape);
/* What the driver's PTX of the kernel must be rewritten for before it is loaded ("sm_90a"); NULL: nothing. */
HONE_KNOWN_API const char *hone_known_target(const hone_known *table,
                                             const hone_known_device *device,
                                             uint32_t configuration, const int64_t *shape);

#ifdef __cplusplus
}
#endif
#endif
