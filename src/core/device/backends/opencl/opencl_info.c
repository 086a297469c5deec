// Listing OpenCL devices, and opening one.
#include "device/backends/opencl/opencl.h"

#include "os/process.h"
#include "base/text.h"
#include "device/machine.h"
#include "device/missing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Properties of extensions, whose headers are not everywhere: cl_nv_device_attribute_query,
// cl_amd_device_attribute_query, cl_khr_device_uuid, cl_khr_pci_bus_info.
#define NV_CAPABILITY_MAJOR 0x4000
#define NV_CAPABILITY_MINOR 0x4001
#define NV_WARP_SIZE        0x4003
#define NV_INTEGRATED       0x4006
#define NV_PCI_BUS          0x4008
#define NV_PCI_SLOT         0x4009
#define NV_PCI_DOMAIN       0x400a
#define AMD_WAVEFRONT_WIDTH 0x4043
#define KHR_UUID            0x106a
#define KHR_PCI             0x410f

#define NO_DRIVER      (-1001) // the loader's answer where none is registered: an empty list
#define PLATFORMS_MOST 32
#define DEVICES_MOST   64 // of one platform

struct lister {
    const struct opencl_api *cl;
    struct arena *arena;
    const struct device_options *options;
    cl_platform_id platform;
    cl_device_id device;
};

// ---- asking the driver; what it does not know is 0 or ""

static const char *trimmed(struct arena *a, const char *s)
{
    size_t n = strlen(s);
    while (isspace((unsigned char)*s)) {
        s++;
        n--;
    }
    while (n && isspace((unsigned char)s[n - 1]))
        n--;
    const char *copy = arena_strndup(a, s, n);
    return copy ? copy : "";
}

static const char *platform_text(const struct lister *l, cl_platform_info what)
{
    size_t n = 0;
    char *s;
    if (l->cl->clGetPlatformInfo(l->platform, what, 0, NULL, &n) || !n)
        return "";
    s = arena_alloc(l->arena, n + 1);
    if (!s || l->cl->clGetPlatformInfo(l->platform, what, n, s, NULL))
        return "";
    return trimmed(l->arena, s);
}

static const char *device_text(const struct lister *l, cl_device_info what)
{
    size_t n = 0;
    char *s;
    if (l->cl->clGetDeviceInfo(l->device, what, 0, NULL, &n) || !n)
        return "";
    s = arena_alloc(l->arena, n + 1);
    if (!s || l->cl->clGetDeviceInfo(l->device, what, n, s, NULL))
        return "";
    return trimmed(l->arena, s);
}

// Numbers come as cl_uint, cl_ulong or size_t: little-endian, the narrower ones fill the low bytes.
static uint64_t device_number(const struct lister *l, cl_device_info what)
{
    uint64_t n = 0;
    if (l->cl->clGetDeviceInfo(l->device, what, sizeof n, &n, NULL))
        return 0;
    return n;
}

static uint32_t device_u32(const struct lister *l, cl_device_info what)
{
    return (uint32_t)device_number(l, what);
}

static bool has_extension(const struct device_info *d, const char *name)
{
    size_t n = strlen(name);
    const char *at = d->extensions;
    while ((at = strstr(at, name))) {
        if ((at == d->extensions || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
        at += n;
    }
    return false;
}

// ---- one device

static void take_uuid(const struct lister *l, struct device_info *d)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    char text[37];
    size_t n = 0;
    d->uuid = "";
    if (!has_extension(d, "cl_khr_device_uuid") ||
        l->cl->clGetDeviceInfo(l->device, KHR_UUID, sizeof bytes, bytes, NULL))
        return;
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            text[n++] = '-';
        text[n++] = digits[bytes[i] >> 4];
        text[n++] = digits[bytes[i] & 15];
    }
    d->uuid = arena_strndup(l->arena, text, n);
}

static enum device_type type_of(const struct lister *l, const struct device_info *d)
{
    uint64_t type = device_number(l, CL_DEVICE_TYPE);
    bool unified = device_u32(l, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    if (has_extension(d, "cl_nv_device_attribute_query"))
        unified = device_u32(l, NV_INTEGRATED) != 0;
    if (type & CL_DEVICE_TYPE_CPU)
        return DEVICE_CPU;
    if (type & CL_DEVICE_TYPE_GPU)
        return unified ? DEVICE_INTEGRATED : DEVICE_GPU;
    return DEVICE_ACCELERATOR;
}

static void take_limits(const struct lister *l, struct device_info *d)
{
    size_t items[16] = {0};
    d->compute_units = device_u32(l, CL_DEVICE_MAX_COMPUTE_UNITS);
    d->clock_mhz = device_u32(l, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    d->global_bytes = device_number(l, CL_DEVICE_GLOBAL_MEM_SIZE);
    d->max_alloc_bytes = device_number(l, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    d->local_bytes = device_number(l, CL_DEVICE_LOCAL_MEM_SIZE);
    d->constant_bytes = device_number(l, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    d->cache_bytes = device_number(l, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    d->max_group_size = device_number(l, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    d->vector_float = device_u32(l, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT);
    d->base_align = device_u32(l, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    d->timer_ns = device_number(l, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
    if (l->cl->clGetDeviceInfo(l->device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items,
                               NULL) == CL_SUCCESS) {
        for (int i = 0; i < 3; i++)
            d->max_item_sizes[i] = items[i];
    }
}

// On a CPU: the cores in use and what the environment tells PoCL.
static const char *surroundings_of(const struct lister *l, const struct device_info *d)
{
    const char *environment = l->options ? l->options->environment[LANGUAGE_OPENCL] : NULL;
    if (d->type != DEVICE_CPU)
        return "";
    const char *s =
        arena_printf(l->arena, "cores=%u%s%s", process_cores(),
                     environment && *environment ? " " : "", environment ? environment : "");
    return s ? s : "";
}

static void describe_opencl_device(const struct lister *l, struct device_info *d)
{
    *d = (struct device_info){.language = LANGUAGE_OPENCL, .id = ""};
    d->name = device_text(l, CL_DEVICE_NAME);
    d->vendor = device_text(l, CL_DEVICE_VENDOR);
    d->platform = platform_text(l, CL_PLATFORM_NAME);
    d->platform_version = platform_text(l, CL_PLATFORM_VERSION);
    d->driver = device_text(l, CL_DRIVER_VERSION);
    // OpenCL has no version of its compiler; PoCL's and NVIDIA's platform versions name what it
    // is made of.
    d->compiler = d->platform_version;
    d->language_version = device_text(l, CL_DEVICE_OPENCL_C_VERSION);
    d->extensions = device_text(l, CL_DEVICE_EXTENSIONS);
    d->type = type_of(l, d);
    take_limits(l, d);
    take_uuid(l, d);
    uint32_t at[4] = {0}; // domain, bus, device, function
    d->pci = "";
    if (has_extension(d, "cl_khr_pci_bus_info") &&
        l->cl->clGetDeviceInfo(l->device, KHR_PCI, sizeof at, at, NULL) == CL_SUCCESS) {
        d->pci = arena_printf(l->arena, "%04x:%02x:%02x.%x", at[0], at[1], at[2], at[3]);
    } else if (has_extension(d, "cl_nv_device_attribute_query")) {
        d->pci = arena_printf(l->arena, "%04x:%02x:%02x.0", device_u32(l, NV_PCI_DOMAIN),
                              device_u32(l, NV_PCI_BUS), device_u32(l, NV_PCI_SLOT));
    }
    if (has_extension(d, "cl_nv_device_attribute_query")) {
        d->capability =
            device_u32(l, NV_CAPABILITY_MAJOR) * 10 + device_u32(l, NV_CAPABILITY_MINOR);
        d->subgroup_size = device_u32(l, NV_WARP_SIZE);
    } else if (has_extension(d, "cl_amd_device_attribute_query")) {
        d->subgroup_size = device_u32(l, AMD_WAVEFRONT_WIDTH);
    }
    d->float64 = has_extension(d, "cl_khr_fp64");
    // NVIDIA does not advertise half, but it builds and runs.
    d->float16 = has_extension(d, "cl_khr_fp16") || d->capability >= 53;
    d->shares_host = d->type == DEVICE_CPU || d->type == DEVICE_INTEGRATED;
    d->surroundings = surroundings_of(l, d);
    if (d->type == DEVICE_CPU)
        d->all_cache_bytes =
            machine_caches(l->options && l->options->root ? l->options->root : "/");
}

// ---- all devices

struct listing {
    struct lister lister;
    struct device_report *list;
    cl_device_id *handles; // as many as list->devices
    uint32_t room;
};

static void take_platform(struct listing *g, cl_platform_id platform)
{
    cl_device_id ids[DEVICES_MOST];
    cl_uint count = 0;
    const struct opencl_api *cl = g->lister.cl;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES_MOST, ids, &count))
        return; // a platform without devices
    g->lister.platform = platform;
    for (cl_uint i = 0; i < count && i < DEVICES_MOST && g->list->device_count < g->room; i++) {
        g->lister.device = ids[i];
        g->handles[g->list->device_count] = ids[i];
        describe_opencl_device(&g->lister, &g->list->devices[g->list->device_count++]);
    }
}

// Stable from run to run and machine to machine: names, then what tells equal devices apart.
static void name_devices(struct arena *a, struct device_report *list)
{
    for (uint32_t i = 0; i < list->device_count; i++) {
        struct device_info *d = &list->devices[i];
        unsigned before = 0;
        for (uint32_t k = 0; k < i; k++)
            before += str_equal(d->platform, list->devices[k].platform) &&
                      str_equal(d->name, list->devices[k].name);
        const char *own = *d->uuid ? d->uuid : d->pci;
        d->id = *own ? arena_printf(a, "opencl/%s/%s/%s", d->platform, d->name, own)
                     : arena_printf(a, "opencl/%s/%s/%u", d->platform, d->name, before);
    }
}

static bool list_handles(struct listing *g, struct error *e)
{
    const struct opencl_api *cl = g->lister.cl;
    cl_platform_id platforms[PLATFORMS_MOST];
    cl_uint count = 0;
    g->room = PLATFORMS_MOST * DEVICES_MOST;
    g->list->devices = arena_array(g->lister.arena, g->room, sizeof *g->list->devices);
    g->handles = arena_array(g->lister.arena, g->room, sizeof *g->handles);
    if (!g->list->devices || !g->handles)
        return error_memory(e);
    cl_int code = cl->clGetPlatformIDs(PLATFORMS_MOST, platforms, &count);
    if (code != CL_SUCCESS)
        count = 0;
    if (code != CL_SUCCESS && code != NO_DRIVER) {
        char text[128];
        g->list->problem =
            arena_printf(g->lister.arena, "clGetPlatformIDs: %s", opencl_code_text(code, text));
    }
    for (cl_uint i = 0; i < count && i < PLATFORMS_MOST; i++)
        take_platform(g, platforms[i]);
    name_devices(g->lister.arena, g->list);
    return true;
}

bool opencl_list(struct arena *a, const struct device_options *o, struct device_report *out,
                 struct error *e)
{
    struct opencl_api cl;
    struct error problem = ERROR_INIT;
    struct listing g = {.lister = {.cl = &cl, .arena = a, .options = o}, .list = out};
    if (!opencl_api_open(&cl, &problem))
        out->problem = arena_strdup(a, problem.text);
    else if (!list_handles(&g, e))
        return false;
    return missing_scan(a, o && o->root ? o->root : "/", out, e);
}

// ---- opening

static bool find_opencl_device(struct opencl *o, const char *id,
                               const struct device_options *options, struct arena *a,
                               struct device_info *info, struct error *e)
{
    struct device_report list = {.problem = ""};
    struct listing g = {.lister = {.cl = &o->cl, .arena = a, .options = options}, .list = &list};
    struct text names = TEXT_INIT;
    if (!opencl_api_open(&o->cl, e) || !list_handles(&g, e))
        return false;
    for (uint32_t i = 0; i < list.device_count; i++) {
        if (!str_equal(list.devices[i].id, id)) {
            text_addf(&names, "%s'%s'", names.length ? ", " : "", list.devices[i].id);
            continue;
        }
        *info = list.devices[i];
        o->device = g.handles[i];
        text_release(&names);
        return true;
    }
    bool listed = !list.problem || !*list.problem;
    error_set(e, ERROR_DEVICE, "no OpenCL device has the id '%s'; there is %s%s%s", id,
              names.length ? text_cstr(&names) : "none", listed ? "" : ": ",
              listed ? "" : list.problem);
    text_release(&names);
    return false;
}

static bool open_queue(struct opencl *o, struct error *e)
{
    cl_int code;
    o->context = o->cl.clCreateContext(NULL, 1, &o->device, NULL, NULL, &code);
    if (!o->context)
        return opencl_error(e, "clCreateContext", code);
    o->queue = o->cl.clCreateCommandQueue(o->context, o->device, CL_QUEUE_PROFILING_ENABLE, &code);
    return o->queue || opencl_error(e, "clCreateCommandQueue", code);
}

void *opencl_open(const char *id, const struct device_options *options, struct arena *a,
                  struct device_info *info, struct error *e)
{
    struct opencl *o = alloc_zeroed(sizeof *o, e);
    if (!o)
        return NULL;
    o->options = options;
    o->info = info;
    o->hold.pace.command_ns = COMMAND_NS;
    if (!find_opencl_device(o, id, options, a, info, e) || !open_queue(o, e)) {
        opencl_close(o);
        return NULL;
    }
    o->pocl = str_contains_nocase(info->platform, "Portable Computing Language");
    o->nvidia = has_extension(info, "cl_nv_compiler_options");
    return o;
}

bool opencl_start(void *own, struct device_info *info, struct error *e)
{
    struct opencl *o = own;
    (void)e;
    opencl_timer(o, info, o->timer_fault, sizeof o->timer_fault);
    info->timer_fault = o->timer_fault;
    return true;
}

void opencl_close(void *own)
{
    struct opencl *o = own;
    if (!o)
        return;
    opencl_hold_release(o);
    opencl_samplers_release(o);
    opencl_programs_release(o);
    if (o->queue)
        o->cl.clReleaseCommandQueue(o->queue);
    if (o->context)
        o->cl.clReleaseContext(o->context);
    free(o);
}
