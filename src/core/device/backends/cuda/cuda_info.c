// Listing CUDA devices, and opening one.
#include "device/backends/cuda/cuda.h"

#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MOST  64
#define KERNEL_DRIVER "proc/driver/nvidia/version"

// NVIDIA: "a resolution of around 0.5 microseconds".
#define CLAIMED_TIMER_NS 500

struct lister {
    const struct cuda_api *cu;
    const struct cuda_compiler *compiler;
    const struct device_options *options;
    struct arena *arena;
    CUdevice device;
};

// ---- asking the driver; what it does not know is 0 or ""

static uint32_t attribute(const struct lister *l, CUdevice_attribute what)
{
    int n = 0;
    if (l->cu->cuDeviceGetAttribute(&n, what, l->device) != CUDA_SUCCESS || n < 0)
        return 0;
    return (uint32_t)n;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...": the first word that begins as
// a version does. OpenCL says the same number.
static const char *version_in(struct arena *a, const char *line)
{
    for (const char *at = line; *at && *at != '\n'; at++) {
        size_t n = strspn(at, "0123456789.");
        bool begins = at == line || isspace((unsigned char)at[-1]);
        if (begins && n > 3 && memchr(at, '.', n) && isspace((unsigned char)at[n]))
            return arena_strndup(a, at, n);
    }
    return NULL;
}

static const char *kernel_driver(const struct lister *l)
{
    const char *root = l->options && l->options->root ? l->options->root : "/";
    const char *version = NULL;
    struct text path = TEXT_INIT, content = TEXT_INIT;
    size_t n = strlen(root);
    text_addf(&path, "%s%s%s", root, n && root[n - 1] == '/' ? "" : "/", KERNEL_DRIVER);
    if (file_read(text_cstr(&path), 4096, &content, NULL))
        version = version_in(l->arena, text_cstr(&content));
    text_release(&content);
    text_release(&path);
    return version;
}

static const char *uuid_of(const struct lister *l)
{
    static const char digits[] = "0123456789abcdef";
    CUuuid uuid;
    char text[37];
    size_t n = 0;
    if (l->cu->cuDeviceGetUuid(&uuid, l->device) != CUDA_SUCCESS)
        return "";
    for (size_t i = 0; i < sizeof uuid.bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[n++] = '-';
        text[n++] = digits[(uuid.bytes[i] >> 4) & 15];
        text[n++] = digits[uuid.bytes[i] & 15];
    }
    return arena_strndup(l->arena, text, n);
}

static const char *name_of(const struct lister *l)
{
    char name[256] = "";
    if (l->cu->cuDeviceGetName(name, sizeof name - 1, l->device) != CUDA_SUCCESS)
        return "";
    size_t n = strlen(name);
    while (n && isspace((unsigned char)name[n - 1]))
        n--;
    return arena_strndup(l->arena, name, n);
}

static void take_limits(const struct lister *l, struct device_info *d)
{
    size_t bytes = 0;
    d->compute_units = attribute(l, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    d->clock_mhz = attribute(l, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000;
    if (l->cu->cuDeviceTotalMem(&bytes, l->device) == CUDA_SUCCESS)
        d->global_bytes = d->max_alloc_bytes = bytes;
    d->local_bytes = attribute(l, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (d->local_bytes == 0)
        d->local_bytes = attribute(l, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    d->constant_bytes = attribute(l, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    d->cache_bytes = attribute(l, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    d->max_group_size = attribute(l, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    d->max_item_sizes[0] = attribute(l, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
    d->max_item_sizes[1] = attribute(l, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
    d->max_item_sizes[2] = attribute(l, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
    d->subgroup_size = attribute(l, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    d->vector_float = 1;
    d->base_align = 256;
    d->timer_ns = CLAIMED_TIMER_NS;
}

static const char *version_text(const struct cuda_compiler *c, struct arena *a, const char *what)
{
    const char *text = arena_printf(a, "%s %d.%d", what, c->major, c->minor);
    return text ? text : "";
}

static void take_compiler(const struct cuda_compiler *c, struct arena *a, struct device_info *d)
{
    d->compiler = version_text(c, a, "NVRTC");
    d->language_version = version_text(c, a, "CUDA C++");
    if (c->folders[0])
        d->include_folders = arena_printf(a, "%s%s%s", c->folders[0], c->folders[1] ? ":" : "",
                                          c->folders[1] ? c->folders[1] : "");
}

static void describe_cuda_device(const struct lister *l, struct device_info *d)
{
    *d = (struct device_info){.language = LANGUAGE_CUDA, .id = ""};
    const char *kernel = kernel_driver(l);
    d->name = name_of(l);
    d->vendor = "NVIDIA Corporation";
    d->platform = "CUDA";
    int n = 0;
    if (l->cu->cuDriverGetVersion(&n) != CUDA_SUCCESS)
        n = 0;
    const char *text = arena_printf(l->arena, "CUDA %d.%d", n / 1000, n % 1000 / 10);
    d->platform_version = text ? text : "";
    d->driver = kernel ? kernel : d->platform_version;
    d->uuid = uuid_of(l);
    d->pci =
        arena_printf(l->arena, "%04x:%02x:%02x.0", attribute(l, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID),
                     attribute(l, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
                     attribute(l, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
    d->extensions = d->surroundings = "";
    take_limits(l, d);
    take_compiler(l->compiler, l->arena, d);
    d->shares_host = attribute(l, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
    d->type = d->shares_host ? DEVICE_INTEGRATED : DEVICE_GPU;
    d->capability = attribute(l, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                    attribute(l, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    d->float64 = true;
    d->float16 = d->capability >= 53;
}

// ---- all devices

// By name; cards of one name by where they are plugged in, which stays from run to run.
static void name_devices(struct arena *a, struct device_info *devices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        unsigned alike = 0;
        for (uint32_t k = 0; k < count; k++)
            alike += str_equal(devices[i].name, devices[k].name);
        devices[i].id = alike > 1 ? arena_printf(a, "cuda/%s/%s", devices[i].name, devices[i].pci)
                                  : arena_printf(a, "cuda/%s", devices[i].name);
    }
}

static bool has_texts(const struct device_info *d)
{
    return d->id && d->name && d->uuid && d->pci;
}

// The devices are allocated; `handles` has DEVICES_MOST places. *problem: why there is none.
static bool list_handles(const struct lister *l, struct device_info **devices, CUdevice *handles,
                         uint32_t *count, struct error *problem, struct error *e)
{
    int found = 0;
    struct lister one = *l;
    *count = 0;
    CUresult code = l->cu->cuInit(0);
    if (code != CUDA_SUCCESS)
        return cuda_error(l->cu, problem, "cuInit", code) || true;
    code = l->cu->cuDeviceGetCount(&found);
    if (code != CUDA_SUCCESS)
        return cuda_error(l->cu, problem, "cuDeviceGetCount", code) || true;
    found = found < DEVICES_MOST ? found : DEVICES_MOST;
    *devices = arena_array(l->arena, (size_t)found + 1, sizeof **devices);
    if (!*devices)
        return error_memory(e);
    for (int i = 0; i < found; i++) {
        if (l->cu->cuDeviceGet(&one.device, i) != CUDA_SUCCESS)
            continue;
        handles[*count] = one.device;
        describe_cuda_device(&one, &(*devices)[(*count)++]);
    }
    name_devices(l->arena, *devices, *count);
    for (uint32_t i = 0; i < *count; i++) {
        if (!has_texts(&(*devices)[i]))
            return error_memory(e);
    }
    return true;
}

// Cards that the driver has and nothing can be built for.
static bool list_missing(struct arena *a, const struct device_info *devices, uint32_t count,
                         const char *why, struct device_report *out, struct error *e)
{
    out->notes = arena_array(a, count + 1, sizeof *out->notes);
    if (!out->notes || !why)
        return error_memory(e);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = arena_printf(a, "%s through CUDA (%s)", devices[i].name, devices[i].pci);
        if (!name)
            return error_memory(e);
        out->notes[out->note_count++] =
            (struct device_note){name, why, "install the part of a CUDA toolkit that holds NVRTC"};
    }
    return true;
}

bool cuda_list(struct arena *a, const struct device_options *o, struct device_report *out,
               struct error *e)
{
    struct cuda_api cu;
    struct cuda_compiler compiler;
    struct error problem = ERROR_INIT, why = ERROR_INIT;
    struct lister l = {.cu = &cu, .compiler = &compiler, .options = o, .arena = a};
    struct device_info *devices = NULL;
    CUdevice handles[DEVICES_MOST];
    uint32_t count = 0;
    bool ok = true;
    if (!cuda_api_open(&cu, &problem)) {
        // A machine without NVIDIA's driver lacks nothing.
        out->problem = problem.driver == ENOENT ? "" : arena_strdup(a, problem.text);
        return out->problem || error_memory(e);
    }
    bool builds = cuda_compiler_open(&compiler, o ? o->toolkit : NULL, &why);
    ok = list_handles(&l, &devices, handles, &count, &problem, e);
    if (ok && builds) {
        out->devices = devices;
        out->device_count = count;
    } else if (ok && count) {
        ok = list_missing(a, devices, count, arena_strdup(a, why.text), out, e);
    }
    out->problem = arena_strdup(a, problem.code ? problem.text : count && !builds ? why.text : "");
    cuda_compiler_close(&compiler);
    return ok && (out->problem || error_memory(e));
}

// ---- opening

static bool find_cuda_device(struct cuda *o, const char *id, struct arena *a,
                             struct device_info *info, struct error *e)
{
    struct lister l = {.cu = &o->cu, .compiler = &o->compiler, .options = o->options, .arena = a};
    struct device_info *devices = NULL;
    CUdevice handles[DEVICES_MOST];
    uint32_t count = 0;
    struct error problem = ERROR_INIT;
    struct text names = TEXT_INIT;
    if (!cuda_api_open(&o->cu, e) || !list_handles(&l, &devices, handles, &count, &problem, e))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (str_equal(devices[i].id, id)) {
            *info = devices[i];
            o->device = handles[i];
            text_release(&names);
            return true;
        }
        text_addf(&names, "%s'%s'", names.length ? ", " : "", devices[i].id);
    }
    error_set(e, ERROR_DEVICE, "no CUDA device has the id '%s'; there is %s%s%s", id,
              names.length ? text_cstr(&names) : "none", problem.code ? ": " : "", problem.text);
    text_release(&names);
    return false;
}

static bool open_context(struct cuda *o, struct error *e)
{
    static const CUdevice_attribute axes[3] = {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                                               CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                                               CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
    struct lister l = {.cu = &o->cu, .device = o->device};
    CUresult code = o->cu.cuDevicePrimaryCtxRetain(&o->context, o->device);
    if (code != CUDA_SUCCESS)
        return cuda_error(&o->cu, e, "cuDevicePrimaryCtxRetain", code);
    o->runs = true;
    for (int i = 0; i < 3; i++)
        o->grid[i] = attribute(&l, axes[i]);
    code = o->cu.cuCtxSetCurrent(o->context);
    if (code != CUDA_SUCCESS)
        return cuda_error(&o->cu, e, "cuCtxSetCurrent", code);
    code = o->cu.cuStreamCreate(&o->stream, CU_STREAM_DEFAULT);
    return code == CUDA_SUCCESS || cuda_error(&o->cu, e, "cuStreamCreate", code);
}

// "cuda/sm_90": literally what a compiler is told, so "sm_90a" for what only that one has.
static bool open_arch(struct cuda *o, const struct arch_name *arch, struct arena *a,
                      struct device_info *info, struct error *e)
{
    if (!o->options->build_only)
        return error_set(e, ERROR_DEVICE,
                         "'cuda/sm_...' names an architecture: kernels can be built for it, but "
                         "there is no card to run them");
    arch_text(arch, o->target);
    if (!cuda_compiler_takes(&o->compiler, arch, e))
        return false;
    if (!arch_device(arch, a, info))
        return error_memory(e);
    take_compiler(&o->compiler, a, info);
    return true;
}

static bool open_card(struct cuda *o, const char *id, struct arena *a, struct device_info *info,
                      struct error *e)
{
    return find_cuda_device(o, id, a, info, e) &&
           cuda_compiler_target(&o->compiler, info->capability, o->target, e);
}

static struct cuda *new_cuda(const struct device_options *options, const struct device_info *info,
                             struct error *e)
{
    struct cuda *o = alloc_zeroed(sizeof *o, e);
    if (!o)
        return NULL;
    o->options = options;
    o->info = info;
    // Limits of every card of the last ten years.
    o->grid[0] = INT32_MAX;
    o->grid[1] = o->grid[2] = UINT16_MAX;
    if (cuda_compiler_open(&o->compiler, options->toolkit, e))
        return o;
    cuda_close(o);
    return NULL;
}

void *cuda_open(const char *id, const struct device_options *options, struct arena *a,
                struct device_info *info, struct error *e)
{
    struct arch_name arch;
    struct cuda *o = new_cuda(options, info, e);
    bool ok = o != NULL;
    if (ok && arch_of_id(id, &arch))
        ok = open_arch(o, &arch, a, info, e);
    else if (ok && str_starts(id, ARCH_ID_PREFIX))
        ok = error_set(e, ERROR_DEVICE, "'%s' names no architecture that hone knows", id);
    else
        ok = ok && open_card(o, id, a, info, e);
    if (ok)
        return o;
    cuda_close(o);
    return NULL;
}

// The key of a result has the compiler that the card's own machine would have used.
void *cuda_open_for(const struct device_info *target, const struct device_options *options,
                    struct error *e)
{
    struct arena a;
    struct device_info own = {.language = LANGUAGE_CUDA};
    struct cuda *o = new_cuda(options, target, e);
    if (!o)
        return NULL;
    arena_init(&a);
    take_compiler(&o->compiler, &a, &own);
    bool ok = str_equal(own.compiler, target->compiler) ||
              error_set(e, ERROR_DEVICE, "its compiler is %s (%s), and there it is %s",
                        own.compiler, text_cstr(&o->compiler.opened), target->compiler);
    arena_release(&a);
    if (ok && cuda_compiler_target(&o->compiler, target->capability, o->target, e))
        return o;
    cuda_close(o);
    return NULL;
}

bool cuda_start(void *own, struct device_info *info, struct error *e)
{
    struct cuda *o = own;
    if (!open_context(o, e))
        return false;
    cuda_run_prepare(o, info);
    return true;
}

void cuda_close(void *own)
{
    struct cuda *o = own;
    if (!o)
        return;
    cuda_run_release(o);
    if (o->stream)
        o->cu.cuStreamDestroy(o->stream);
    if (o->context)
        o->cu.cuDevicePrimaryCtxRelease(o->device);
    cuda_compiler_close(&o->compiler);
    free(o);
}
