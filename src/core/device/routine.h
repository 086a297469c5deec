// Matrix products of vendors' libraries (job.h), opened at run time: what their callers share, and
// those that are called on the host. Who calls on a device is its backend (cuda_routine.c,
// opencl_routine.c).
#pragma once

#include "device/backend.h"

// The job's gemm in a BLAS's terms: row-major, without gaps between rows.
struct product {
    struct job_gemm of;
    enum scalar type, type_b, type_c; // of A, B and C
    int m, n, k;
    int count;               // of matrices, one behind the other
    int a_row, b_row, c_row; // elements from one row to the next, as the matrix is stored
};

// False where a size is beyond what a BLAS can be told.
bool product_of(const struct job *j, struct product *out, struct result *r);

// ---- libraries

struct library_search {
    enum routine routine;
    const char *given;        // (optional) the one file or soname that is wanted
    const char *const *names; // else these, NULL-terminated
    const char *remedy;       // what to do where none is there: "install it (...)"
    // (optional) Looks elsewhere after the loader found none of the names; says in `tried` where.
    void *(*elsewhere)(const struct library_search *s, struct text *tried, struct text *why);
    const void *context; // of elsewhere()
};

struct library_function {
    const char *symbol;
    size_t offset; // of the pointer in the table
    bool optional; // NULL in the table where the library lacks it
};

// Before a driver is loaded: NVIDIA's contexts have as many queues to the card as CUDA_DEVICE_MAX_CONNECTIONS says, eight unless the user
// said otherwise, and a worker launches into one. One context with one queue is opened in a quarter of the time.
void library_one_queue(void);

// Fills in the table; the first function that the library lacks, or NULL.
const char *library_functions(void *library, const struct library_function *functions, size_t count,
                              void *table);

// Opens it and fills in the table. The library stays open: those that start threads do not survive
// being closed. NULL: the result says what was tried, or which function it lacks.
void *routine_library(const struct library_search *s, const struct library_function *functions,
                      size_t count, void *table, struct result *r);

// For elsewhere(): NULL where it cannot be opened; `why` keeps the first reason that is not mere
// absence.
void *routine_open(const char *name, struct text *why);

// "NAME, FILE" with the file that the symbol really came from.
void routine_about(void *library, const char *symbol, const char *name, struct text *about);

// device_routine_about() for each library. Two are in the files of the backends that call them.
bool cblas_about(const char *given, struct text *about, struct result *r);
bool cublas_about(enum routine kind, const char *given, const char *toolkit, struct text *about,
                  struct result *r);
bool clblast_about(const char *given, struct text *about, struct result *r);

// ---- on the host (cblas.c)

struct cblas;
// Multiplies in the host's memory. The caller frees it with cblas_free().
struct cblas *cblas_new(const struct job *j, struct memory *const *memory,
                        const struct device_info *device, struct text *about, struct result *r);
void cblas_free(struct cblas *c); // NULL is fine
// Calls it run->batch times; *total_ns is the host's clock around the calls.
void cblas_run(struct cblas *c, const struct run *run, uint64_t *total_ns);
// Threads of a library look for more work for a while before they sleep: returns when they no
// longer take the cores from whoever is launched next, or after half a second.
void cblas_rest(void);
