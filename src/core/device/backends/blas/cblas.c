// cblas_sgemm() of any library that has it, on memory that is the host's.
#include "device/routine.h"

#include "os/process.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

// The numbers of every CBLAS since the first one.
enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 };

// One slice of the rest after a call, and its limit: see cblas_rest().
#define REST_SLICE_NS (UINT64_C(2) * 1000000)
#define REST_MOST_NS  (UINT64_C(500) * 1000000)

// X(name, symbol, may be missing, result, parameters); the optional ones are OpenBLAS's own.
#define CBLAS_FUNCTIONS(X)                                                                         \
    X(sgemm, "cblas_sgemm", false, void,                                                           \
      (int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,              \
       const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc))           \
    X(config, "openblas_get_config", true, const char *, (void))                                   \
    X(core, "openblas_get_corename", true, const char *, (void))                                   \
    X(threads, "openblas_get_num_threads", true, int, (void))

struct functions {
#define X(name, symbol, optional, result, parameters) result(*name) parameters;
    CBLAS_FUNCTIONS(X)
#undef X
};

static const struct library_function entries[] = {
#define X(name, symbol, optional, result, parameters)                                              \
    {symbol, offsetof(struct functions, name), optional},
    CBLAS_FUNCTIONS(X)
#undef X
};

struct cblas {
    struct functions call;
    struct product product;
};

static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", NULL};

// "OpenBLAS 0.3.21 NO_AFFINITY USE_OPENMP ... MAX_THREADS=64" begins with name and version. How
// many threads it takes is the library's choice, or its variables'.
static void describe_cblas(const struct functions *call, void *library, struct text *about)
{
    struct text name = TEXT_INIT;
    const char *config = call->config ? call->config() : "";
    size_t word = strcspn(config, " "), both = word + strspn(config + word, " ");
    both += strcspn(config + both, " ");
    if (both)
        text_addn(&name, config, both);
    else
        text_add(&name, "CBLAS");
    if (call->core)
        text_addf(&name, " for %s", call->core());
    if (call->threads)
        text_addf(&name, ", %d thread%s", call->threads(), call->threads() == 1 ? "" : "s");
    else
        text_add(&name, ", as many threads as it chooses");
    routine_about(library, "cblas_sgemm", text_cstr(&name), about);
    about->failed |= name.failed;
    text_release(&name);
}

// NULL: the result says why.
static void *open_library(const char *given, struct functions *call, struct result *r)
{
    struct library_search s = {.routine = ROUTINE_CBLAS,
                               .given = given,
                               .names = names,
                               .remedy =
                                   "install OpenBLAS (Debian, Ubuntu: apt install libopenblas0)"};
    return routine_library(&s, entries, sizeof entries / sizeof *entries, call, r);
}

bool cblas_about(const char *given, struct text *about, struct result *r)
{
    struct functions call;
    void *library = open_library(given, &call, r);
    if (library)
        describe_cblas(&call, library, about);
    return library != NULL;
}

static bool is_on_host(const struct product *p, struct memory *const *memory,
                       const struct device_info *device, struct result *r)
{
    if (memory[p->of.a]->host && memory[p->of.b]->host && memory[p->of.c]->host)
        return true;
    return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                       "a CBLAS computes on the host's cores, and the memory of %s is not the "
                       "host's: set it against a CPU device, or take cublas or clblast",
                       device->name);
}

struct cblas *cblas_new(const struct job *j, struct memory *const *memory,
                        const struct device_info *device, struct text *about, struct result *r)
{
    struct product p;
    struct functions call;
    if (!product_of(j, &p, r) || !is_on_host(&p, memory, device, r))
        return NULL;
    void *library = open_library(j->routine_library, &call, r);
    if (!library)
        return NULL;
    struct cblas *c = calloc(1, sizeof *c);
    if (!c) {
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
        return NULL;
    }
    *c = (struct cblas){call, p};
    describe_cblas(&call, library, about);
    return c;
}

void cblas_free(struct cblas *c)
{
    free(c);
}

static float *floats(const struct memory *m)
{
    return (float *)(void *)m->map.data;
}

void cblas_run(struct cblas *c, const struct run *run, uint64_t *total_ns)
{
    const struct product *p = &c->product;
    uint64_t start = clock_ns();
    for (uint32_t i = 0; i < run->batch; i++) {
        struct memory *const *memory = run_memory(run, i);
        c->call.sgemm(ROW_MAJOR, p->of.transpose_a ? TRANSPOSED : AS_IT_IS,
                      p->of.transpose_b ? TRANSPOSED : AS_IT_IS, p->m, p->n, p->k,
                      (float)p->of.alpha, floats(memory[p->of.a]), p->a_row,
                      floats(memory[p->of.b]), p->b_row, (float)p->of.beta, floats(memory[p->of.c]),
                      p->c_row);
    }
    *total_ns = clock_ns() - start;
    *total_ns += *total_ns == 0; // no call takes no time
}

void cblas_rest(void)
{
    const struct timespec slice = {.tv_nsec = (long)REST_SLICE_NS};
    uint64_t until = clock_ns() + REST_MOST_NS, used, start;
    do {
        used = clock_processor_ns();
        start = clock_ns();
        nanosleep(&slice, NULL);
        used = clock_processor_ns() - used;
    } while (used > (clock_ns() - start) / 20 && clock_ns() < until);
}
