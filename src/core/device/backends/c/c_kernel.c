// Kernels are C functions, called through a function that the compiler makes of the launch: it
// takes the arguments as an array of addresses, so that nothing here needs to know how the machine
// passes them, and the kernel's prototype converts them.
#include "device/backends/c/c.h"

#include "device/backends/c/c_clock.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef void call_function(void *const *arguments);

struct c_kernel {
    call_function *call; // NULL in a device that only builds
    void **arguments;    // a buffer's data, or where a value stands
    uint64_t *values;    // room for one each
};

static const char *const scalar_types[SCALAR_COUNT] = {
    [SCALAR_I8] = "signed char", [SCALAR_U8] = "unsigned char",
    [SCALAR_I16] = "short",      [SCALAR_U16] = "unsigned short",
    [SCALAR_I32] = "int",        [SCALAR_U32] = "unsigned",
    [SCALAR_I64] = "long long",  [SCALAR_U64] = "unsigned long long",
    [SCALAR_HALF] = "_Float16",  [SCALAR_FLOAT] = "float",
    [SCALAR_DOUBLE] = "double",  [SCALAR_BOOL] = "_Bool",
};

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c; c++) {
        if (!isalpha((unsigned char)*c) && *c != '_' && (c == name || !isdigit((unsigned char)*c)))
            return false;
    }
    return *name != '\0';
}

// The caller's name tells its arguments apart: "hone_call_scale_b_9".
static void add_call_name(const struct job_launch *l, struct text *out)
{
    text_addf(out, "hone_call_%s", l->kernel);
    for (uint32_t i = 0; i < l->argument_count; i++) {
        const struct job_argument *a = &l->arguments[i];
        if (a->kind == ARGUMENT_BUFFER || a->kind == ARGUMENT_NULL)
            text_add(out, "_b");
        else
            text_addf(out, "_%u", (unsigned)a->element.scalar);
    }
}

bool c_call_text(const struct job_launch *l, struct text *out, struct result *r)
{
    if (!is_identifier(l->kernel))
        return result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                           "kernel '%s': that is not a name of a function in C", l->kernel);
    text_add(out, "void ");
    add_call_name(l, out);
    text_add(out, "(void *const *hone_arguments)\n{\n");
    text_addf(out, "    %s(", l->kernel);
    for (uint32_t i = 0; i < l->argument_count; i++) {
        const struct job_argument *a = &l->arguments[i];
        const char *type = a->kind == ARGUMENT_SCALAR && a->element.width == 1
                               ? scalar_types[a->element.scalar]
                               : NULL;
        if (i > 0)
            text_add(out, ", ");
        if (a->kind == ARGUMENT_BUFFER || a->kind == ARGUMENT_NULL)
            text_addf(out, "hone_arguments[%u]", i);
        else if (type)
            text_addf(out, "*(const %s *)hone_arguments[%u]", type, i);
        else
            return result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                               "kernel '%s': C takes vectors and custom types by pointer only: "
                               "make '%s' a Vector",
                               l->kernel, a->name);
    }
    text_add(out, ");\n}\n");
    return !out->failed || result_fail(r, STATUS_COMPILE, FAULT_WORKER, "out of memory");
}

void *c_kernel_new(void *own, void *program, const struct job_launch *l, const char *log,
                   struct resources *resources, struct result *r)
{
    const struct c_host *h = own;
    struct text name = TEXT_INIT;
    struct c_kernel *k = calloc(1, sizeof *k);
    (void)log, (void)resources; // registers and local memory: C has none
    add_call_name(l, &name);
    if (k) {
        k->arguments = calloc(l->argument_count + 1, sizeof *k->arguments);
        k->values = calloc(l->argument_count + 1, sizeof *k->values);
        void *symbol = c_program_symbol(program, text_cstr(&name));
        memcpy(&k->call, &symbol, sizeof k->call); // a function's address, as POSIX has it
    }
    bool has_memory = k && k->arguments && k->values && !name.failed;
    text_release(&name);
    if (has_memory && (k->call || h->options->build_only))
        return k;
    c_kernel_free(own, k);
    if (has_memory)
        result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION,
                    "kernel '%s': the shared object does not call it with these arguments",
                    l->kernel);
    else
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    return NULL;
}

void c_kernel_free(void *own, void *kernel)
{
    struct c_kernel *k = kernel;
    (void)own;
    if (!k)
        return;
    free(k->arguments);
    free(k->values);
    free(k);
}

bool c_kernel_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                   struct memory *const *memory, struct result *r)
{
    struct c_kernel *k = kernel;
    (void)own, (void)j, (void)r;
    for (uint32_t i = 0; i < l->argument_count; i++) {
        const struct job_argument *a = &l->arguments[i];
        k->arguments[i] =
            a->kind == ARGUMENT_BUFFER ? memory[a->buffer]->map.data : (void *)&k->values[i];
        if (a->kind == ARGUMENT_NULL)
            k->arguments[i] = NULL;
        else if (a->kind != ARGUMENT_BUFFER)
            memcpy(&k->values[i], a->value, a->length < 8 ? a->length : 8);
    }
    return true;
}

// Points the kernel at the memory of one launch.
static void point_at(struct c_kernel *k, const struct job_launch *l, struct memory *const *memory)
{
    for (uint32_t i = 0; i < l->argument_count; i++) {
        if (l->arguments[i].kind == ARGUMENT_BUFFER)
            k->arguments[i] = memory[l->arguments[i].buffer]->map.data;
    }
}

// Ended by what is wrong with the kernel, or by its return.
bool c_run(void *own, const struct run *run, struct run_times *times, bool *lost, struct result *r)
{
    (void)lost;
    for (uint32_t i = 0; times->parts_ns && i < run->count; i++)
        times->parts_ns[i] = 0;
    c_state_before(own);
    uint64_t start_ns = c_clock(CLOCK_MONOTONIC), before_ns = start_ns;
    for (uint32_t i = 0; i < run->count * run->batch; i++) {
        struct c_kernel *k = run->kernels[i % run->count];
        point_at(k, &run->launches[i % run->count], run_memory(run, i / run->count));
        k->call(k->arguments);
        if (times->parts_ns && run->count > 1) {
            uint64_t now_ns = c_clock(CLOCK_MONOTONIC);
            times->parts_ns[i % run->count] += now_ns - before_ns;
            before_ns = now_ns;
        }
    }
    times->total_ns = times->host_ns = c_clock(CLOCK_MONOTONIC) - start_ns;
    if (times->parts_ns && run->count == 1)
        times->parts_ns[0] = times->total_ns;
    if (run->meanwhile)
        run->meanwhile->act(run->meanwhile->context);
    return c_state_after(own, times->total_ns, r);
}
