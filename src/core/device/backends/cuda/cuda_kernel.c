// Kernels: their limits, resources and arguments.
#include "device/backends/cuda/cuda.h"

#include "device/limits.h"
#include "device/nvidia_log.h"
#include "device/occupancy.h"

#include <stdlib.h>
#include <string.h>

// A kernel's arguments take 4 KiB, since CUDA 12 on newer cards 32,764 bytes.
#define ARGUMENTS_MOST 4096
#define VALUE_MOST     32768

typedef unsigned long long ull;

// ---- the launch itself

static bool refuse_launch(const struct job_launch *l, struct result *r, const char *what)
{
    result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "kernel '%s': %s", l->kernel, what);
    r->device_limit = true;
    return false;
}

// limits.h has looked at the work-group.
static bool check_grid(const struct cuda *o, const struct job_launch *l, struct result *r)
{
    char text[160];
    if (l->local[0] == 0)
        return result_fail(r, STATUS_CONSTRAINTS, FAULT_SPEC,
                           "kernel '%s': the spec gives no work-group size (LocalSize); in CUDA no "
                           "driver chooses one",
                           l->kernel);
    for (uint32_t i = 0; i < l->dimensions; i++) {
        uint64_t blocks = l->global[i] / l->local[i];
        if (blocks <= o->grid[i])
            continue;
        str_format(text, sizeof text, "%llu blocks along axis %u exceed the device's %u",
                   (ull)blocks, i, o->grid[i]);
        return refuse_launch(l, r, text);
    }
    return true;
}

static uint64_t group_size(const struct job_launch *l)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < l->dimensions; i++)
        n *= l->local[i];
    return n;
}

// ---- resources

static void take_attribute(const struct cuda *o, CUfunction f, CUfunction_attribute what,
                           int64_t *out)
{
    int n = 0;
    if (o->cu.cuFuncGetAttribute(&n, what, f) == CUDA_SUCCESS && n >= 0)
        *out = n;
}

// ---- shared memory beyond what every kernel may have

// Launches share the function: the largest wish counts.
static bool opt_in(struct cuda *o, CUfunction f, const struct job_launch *l, struct result *r)
{
    int allowed = 0;
    char text[256], what[320];
    if (l->dynamic_local_bytes == 0)
        return true;
    o->cu.cuFuncGetAttribute(&allowed, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f);
    if (allowed >= 0 && l->dynamic_local_bytes <= (uint64_t)allowed)
        return true;
    CUresult code = o->cu.cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                             (int)l->dynamic_local_bytes);
    if (code == CUDA_SUCCESS)
        return true;
    str_format(what, sizeof what, "%llu bytes of dynamic shared memory: cuFuncSetAttribute: %s",
               (ull)l->dynamic_local_bytes, cuda_code_text(&o->cu, code, text, sizeof text));
    return refuse_launch(l, r, what);
}

// ---- creating

static bool get_function(struct cuda *o, struct cuda_kernel *k, const char *name,
                         const struct job_launch *l, struct result *r)
{
    char text[256];
    if (!o->runs)
        return true;
    CUresult code = o->cu.cuModuleGetFunction(&k->function, k->program->module, name);
    return code == CUDA_SUCCESS ||
           result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                       "kernel '%s' is not in the program: cuModuleGetFunction of '%s': %s",
                       l->kernel, name, cuda_code_text(&o->cu, code, text, sizeof text));
}

// The driver counts how many work-groups fit only once the kernel has opted in.
static bool admit(struct cuda *o, const struct cuda_kernel *k, const char *name,
                  const struct job_launch *l, const char *log, struct resources *resources,
                  struct result *r)
{
    // Spills are known to the assembler alone, whose log the image keeps; the rest the driver says
    // too.
    CUfunction f = k->function;
    resources->local_bytes = 0; // the log is silent on a kernel that has none
    nvidia_log_resources(log, name, resources);
    resources->preferred_multiple = o->info->subgroup_size;
    if (f) {
        take_attribute(o, f, CU_FUNC_ATTRIBUTE_NUM_REGS, &resources->registers);
        take_attribute(o, f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &resources->local_bytes);
        take_attribute(o, f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &resources->private_bytes);
        take_attribute(o, f, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, &resources->constant_bytes);
        take_attribute(o, f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &resources->max_group_size);
    }
    resources->local_bytes += (int64_t)l->dynamic_local_bytes;
    uint64_t most = resources->max_group_size > 0 ? (uint64_t)resources->max_group_size : 0;
    if (!limits_check_kernel(l, o->info, most, (uint64_t)resources->local_bytes, r) ||
        (k->function && !opt_in(o, k->function, l, r)))
        return false;
    int groups = 0;
    resources->groups_per_unit = occupancy_groups(o->info, l, resources);
    if (k->function && o->cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                           &groups, k->function, (int)group_size(l),
                           (size_t)l->dynamic_local_bytes) == CUDA_SUCCESS)
        resources->groups_per_unit = groups;
    return resources->groups_per_unit != 0 ||
           refuse_launch(l, r,
                         "not one work-group of it fits on a multiprocessor (its registers or its "
                         "shared memory)");
}

void *cuda_kernel_new(void *own, void *program, const struct job_launch *l, const char *log,
                      struct resources *resources, struct result *r)
{
    struct cuda *o = own;
    struct cuda_program *p = program;
    const char *name = cuda_code_name(&p->code, l->kernel);
    struct cuda_kernel *k = calloc(1, sizeof *k);
    if (!k) {
        result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
        return NULL;
    }
    k->program = p;
    if (check_grid(o, l, r) && get_function(o, k, name, l, r) &&
        admit(o, k, name, l, log, resources, r))
        return k;
    cuda_kernel_free(o, k);
    return NULL;
}

void cuda_kernel_free(void *own, void *kernel)
{
    struct cuda_kernel *k = kernel;
    (void)own;
    if (!k)
        return;
    free(k->values);
    free(k->arguments);
    free(k->symbols);
    free(k);
}

// ---- what the kernel takes, where the driver can tell

// UINT32_MAX: it cannot.
static bool check_count(const struct cuda *o, const struct cuda_kernel *k,
                        const struct job_launch *l, struct result *r)
{
    size_t at, bytes;
    uint32_t count = 0;
    if (!o->cu.cuFuncGetParamInfo)
        return true;
    while (count < ARGUMENTS_MOST &&
           o->cu.cuFuncGetParamInfo(k->function, count, &at, &bytes) == CUDA_SUCCESS)
        count++;
    return limits_check_arguments(l, count, r);
}

static bool check_size(const struct cuda *o, const struct cuda_kernel *k,
                       const struct job_launch *l, uint32_t index, struct result *r)
{
    const struct job_argument *a = &l->arguments[index];
    bool buffer = a->kind != ARGUMENT_SCALAR; // an image's object takes as much
    uint64_t given = buffer ? sizeof(CUdeviceptr) : a->length;
    size_t at, wanted;
    char type[32] = "";
    if (!o->cu.cuFuncGetParamInfo ||
        o->cu.cuFuncGetParamInfo(k->function, index, &at, &wanted) != CUDA_SUCCESS ||
        wanted == given)
        return true;
    if (!buffer)
        element_name(&a->element, type);
    return result_fail(r, STATUS_COMPILE, FAULT_TYPE,
                       "kernel '%s', argument %u: the spec gives %s%s%s%s '%s' of %llu byte%s, but "
                       "the kernel takes %zu byte%s there",
                       l->kernel, index + 1, buffer ? "a buffer" : "a scalar", *type ? " (" : "",
                       type, *type ? ")" : "", a->name, (ull)given, given == 1 ? "" : "s", wanted,
                       wanted == 1 ? "" : "s");
}

// ---- arguments

// A driver that does not tell how many arguments the kernel has may read more of them than the spec
// gives: it then finds zeros.
static bool make_room(struct cuda_kernel *k, const struct job_launch *l)
{
    size_t bytes = VALUE_MOST;
    for (uint32_t i = 0; i < l->argument_count; i++)
        bytes += (l->arguments[i].length + 15) / 16 * 16 + 16;
    k->values = calloc(1, bytes);
    k->arguments = calloc((size_t)l->argument_count + ARGUMENTS_MOST, sizeof *k->arguments);
    for (size_t i = 0; k->values && k->arguments && i < l->argument_count + ARGUMENTS_MOST; i++)
        k->arguments[i] = k->values;
    return k->values && k->arguments;
}

// An address, or an image's object.
static void set_buffer(void *at, const struct memory *m)
{
    unsigned long long data = m->image ? cuda_image_object(m) : cuda_at(m, 0);
    memcpy(at, &data, sizeof data);
}

static bool set_arguments(struct cuda *o, struct cuda_kernel *k, const struct job_launch *l,
                          struct memory *const *memory, struct result *r)
{
    uint8_t *at = k->values + VALUE_MOST;
    if (!check_count(o, k, l, r))
        return false;
    for (uint32_t i = 0; i < l->argument_count; i++) {
        const struct job_argument *a = &l->arguments[i];
        if (a->kind == ARGUMENT_LOCAL)
            return result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                               "kernel '%s', argument %u ('%s'): CUDA passes no local memory as an "
                               "argument",
                               l->kernel, i + 1, a->name);
        if (!check_size(o, k, l, i, r))
            return false;
        k->arguments[i] = at;
        if (a->kind == ARGUMENT_BUFFER)
            set_buffer(at, memory[a->buffer]);
        else if (a->kind == ARGUMENT_SCALAR)
            memcpy(at, a->value, (size_t)a->length); // null: it is zeroed
        at += (a->length + 15) / 16 * 16 + 16;
    }
    return true;
}

// The driver copies the values when the kernel is launched.
void cuda_kernel_point(struct cuda_kernel *k, const struct job_launch *l,
                       struct memory *const *memory)
{
    for (uint32_t i = 0; i < l->argument_count; i++) {
        if (l->arguments[i].kind == ARGUMENT_BUFFER)
            set_buffer(k->arguments[i], memory[l->arguments[i].buffer]);
    }
}

// ---- __constant__ symbols

static bool mentions(const struct job_program *p, const char *name)
{
    bool found = memmem(p->source, (size_t)p->length, name, strlen(name)) != NULL;
    for (uint32_t i = 0; i < p->file_count && !found; i++)
        found = memmem(p->files[i].text, (size_t)p->files[i].length, name, strlen(name)) != NULL;
    return found;
}

// A job with several programs need not have every symbol in each; one that speaks of it must.
static bool needs_symbol(const struct job *j, uint32_t program, const char *name)
{
    bool anywhere = false;
    for (uint32_t i = 0; i < j->program_count; i++)
        anywhere = anywhere || mentions(&j->programs[i], name);
    return !anywhere || mentions(&j->programs[program], name);
}

static bool is_passed(const struct job_launch *l, uint32_t buffer)
{
    for (uint32_t i = 0; i < l->argument_count; i++) {
        if (l->arguments[i].kind == ARGUMENT_BUFFER && l->arguments[i].buffer == buffer)
            return true;
    }
    return false;
}

// Finds the buffer's symbol, which may be missing if the kernel takes the buffer as an argument.
static bool set_symbol(struct cuda *o, struct cuda_kernel *k, const struct job *j,
                       const struct job_launch *l, uint32_t buffer, const struct memory *from,
                       struct result *r)
{
    const char *name = j->buffers[buffer].name, *file = j->programs[l->program].name;
    struct cuda_symbol *s = &k->symbols[k->symbol_count];
    size_t bytes = 0;
    CUresult code = o->cu.cuModuleGetGlobal(&s->at, &bytes, k->program->module, name);
    if (code != CUDA_SUCCESS && (is_passed(l, buffer) || !needs_symbol(j, l->program, name)))
        return true;
    if (code != CUDA_SUCCESS) {
        char text[256];
        return result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                           "%s has no __constant__ symbol '%s' that a kernel uses (its argument is "
                           "of MemoryType Constant): cuModuleGetGlobal: %s",
                           file, name, cuda_code_text(&o->cu, code, text, sizeof text));
    }
    if (from->bytes > bytes)
        return result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                           "the symbol '%s' of %s has %zu bytes, the spec gives it %llu", name,
                           file, bytes, (ull)from->bytes);
    s->from = from;
    k->symbol_count++;
    return true;
}

bool cuda_kernel_bind(void *own, void *kernel, const struct job *j, const struct job_launch *l,
                      struct memory *const *memory, struct result *r)
{
    struct cuda *o = own;
    struct cuda_kernel *k = kernel;
    if (!o->runs)
        return true;
    if (!make_room(k, l))
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    if (!set_arguments(o, k, l, memory, r))
        return false;
    k->symbols = calloc(j->buffer_count + 1, sizeof *k->symbols);
    if (!k->symbols)
        return result_fail(r, STATUS_RUNTIME, FAULT_WORKER, "out of memory");
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        if (j->buffers[i].constant && !set_symbol(o, k, j, l, i, memory[i], r))
            return false;
    }
    return true;
}
