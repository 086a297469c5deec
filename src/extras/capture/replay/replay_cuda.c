// Replays CUDA kernels: their text by NVRTC, or the image that the program loaded.
#include "extras/capture/replay/replay_driver.h"

#include "extras/capture/capture_cuda.h"
#include "extras/capture/capture_words.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    WORDS_MOST = 512,
    SHARED_DEFAULT = 48 << 10,
    PLACES_MOST = 2 * ARGUMENTS_MOST,
    HELD_PIECE = 2 << 20,
    RESERVED_PIECE = 32 << 20,
};

struct parameter {
    size_t offset, bytes;
};

struct placed {
    CUdeviceptr at;
    size_t bytes;
};

// Beside the number of a surface: textures have the same numbers, and no address is so high.
#define OF_SURFACE ((uintptr_t)1 << 63)

// A texture or a surface, and what it shows: an array, or memory.
struct opened_image {
    unsigned long long object;
    bool is_surface;
    CUarray array;
    CUdeviceptr memory;
    size_t row, rows, planes;
};

struct cuda {
    struct cuda_api driver;
    struct nvrtc_api nvrtc;
    bool has_nvrtc;
    CUresult (*copy_to)(CUdeviceptr to, const void *from, size_t bytes);
    CUresult (*copy_from)(void *to, CUdeviceptr from, size_t bytes);
    CUresult (*synchronize)(void);
    CUmodule module;
    CUfunction function;
    char *name; // of the function in a text of the user's, as the compiler writes it
    struct parameter parameters[ARGUMENTS_MOST];
    unsigned count;
    unsigned char bytes[VALUE_MOST]; // of the parameters
    CUdevice device;
    struct {
        CAPTURE_CUDA_PLACES(CUDA_POINTER)
    } place;
    struct opened_image images[ARGUMENTS_MOST];
    unsigned image_count;
    struct placed placed[PLACES_MOST];
    struct placed held[PLACES_MOST]; // by this process, from before the driver was opened
    unsigned placed_count, held_count;
    bool is_reserved;  // the addresses of the first launch
    CUdeviceptr given; // instead, at last
};

static bool call_ok(struct replay *r, CUresult code, const char *what)
{
    const struct cuda *c = r->state;
    char text[512];
    return code == CUDA_SUCCESS ||
           replay_fail(r, "%s: %s", what, cuda_code_text(&c->driver, code, text, sizeof text));
}

// ---- the device --------------------------------------------------------------------------------

static bool find_more(struct replay *r, struct cuda *c)
{
    void *library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    void *found[] = {library ? dlsym(library, "cuMemcpyHtoD_v2") : NULL,
                     library ? dlsym(library, "cuMemcpyDtoH_v2") : NULL,
                     library ? dlsym(library, "cuCtxSynchronize") : NULL};
    memcpy(&c->copy_to, &found[0], sizeof found[0]);
    memcpy(&c->copy_from, &found[1], sizeof found[1]);
    memcpy(&c->synchronize, &found[2], sizeof found[2]);
#define X(name, symbol, result, parameters)                                                        \
    {                                                                                              \
        void *at = library ? dlsym(library, symbol) : NULL;                                        \
        memcpy((void *)&c->place.name, &at, sizeof at);                                            \
    }
    CAPTURE_CUDA_PLACES(X)
#undef X
    return (found[0] && found[1] && found[2]) || replay_fail(r, "%s is too old", CUDA_LIBRARY);
}

static bool is_device(const struct cuda *c, CUdevice device, const char *name, const char *driver)
{
    char own[256] = "", version[64];
    int number = 0;
    c->driver.cuDeviceGetName(own, sizeof own, device);
    c->driver.cuDriverGetVersion(&number);
    snprintf(version, sizeof version, "CUDA %d.%d", number / 1000, number % 1000 / 10);
    return strcmp(own, name) == 0 && strcmp(version, driver) == 0;
}

static int compare_places(const void *a, const void *b)
{
    const CUdeviceptr x = ((const struct placed *)a)->at, y = ((const struct placed *)b)->at;
    return (x > y) - (x < y);
}

// The launch's places in whole pieces, in order, those that touch as one.
static unsigned list_places(const struct replay *r, CUdeviceptr piece,
                            struct placed out[PLACES_MOST])
{
    unsigned count = 0, kept = 0;
    for (size_t i = 0; i < json_array_size(r->places) && count < PLACES_MOST; i++) {
        json_t *place = json_array_get(r->places, i);
        const json_int_t base = json_integer_value(json_array_get(place, 0));
        const json_int_t size = json_integer_value(json_array_get(place, 1));
        if (base <= 0 || size <= 0 || size > INT64_MAX - base - (json_int_t)piece)
            continue;
        const CUdeviceptr from = (CUdeviceptr)base / piece * piece;
        const CUdeviceptr end = ((CUdeviceptr)(base + size) + piece - 1) / piece * piece;
        out[count++] = (struct placed){from, (size_t)(end - from)};
    }
    // cppcheck-suppress uninitvar
    qsort(out, count, sizeof *out, compare_places);
    for (unsigned i = 0; i < count; i++) {
        struct placed *last = kept ? &out[kept - 1] : NULL;
        const CUdeviceptr end = out[i].at + out[i].bytes;
        if (!last || out[i].at > last->at + last->bytes)
            out[kept++] = out[i];
        else if (end > last->at + last->bytes)
            last->bytes = (size_t)(end - last->at);
    }
    return kept;
}

// A driver takes hundreds of GiB of addresses when it is opened, and gets what others leave: the places of the launch are kept from it
// until they are mapped.
static void hold_places(const struct replay *r, struct cuda *c)
{
    struct placed list[PLACES_MOST];
    const unsigned count = list_places(r, HELD_PIECE, list);
    for (unsigned i = 0; i < count; i++) {
        void *at = (void *)(uintptr_t)list[i].at;
        void *got = mmap(at, list[i].bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == at)
            c->held[c->held_count++] = list[i];
        else if (got != MAP_FAILED)
            munmap(got, list[i].bytes);
    }
}

// Before there is a context the driver takes a hint, and may answer with an address behind it: then more is reserved, around the place.
static bool reserve_place(struct cuda *c, const struct placed *p)
{
    static const size_t around[] = {0, 128 << 20};
    const CUdeviceptr from = p->at / RESERVED_PIECE * RESERVED_PIECE;
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        const size_t bytes = (size_t)(p->at + p->bytes - from) + 2 * around[i];
        if (c->place.cuMemAddressReserve(&c->given, bytes, 0, from - around[i], 0) != CUDA_SUCCESS)
            return false;
        if (c->given <= p->at && p->at + p->bytes <= c->given + bytes)
            return true;
        c->place.cuMemAddressFree(c->given, bytes);
    }
    return false;
}

static void reserve_places(const struct replay *r, struct cuda *c)
{
    struct placed list[PLACES_MOST];
    const unsigned count = list_places(r, HELD_PIECE, list);
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) { // those of one piece as one
        struct placed *last = kept ? &list[kept - 1] : NULL;
        if (last && list[i].at / RESERVED_PIECE * RESERVED_PIECE < last->at + last->bytes)
            last->bytes = (size_t)(list[i].at + list[i].bytes - last->at);
        else
            list[kept++] = list[i];
    }
    while (c->held_count > 0) {
        const struct placed *p = &c->held[--c->held_count];
        munmap((void *)(uintptr_t)p->at, p->bytes);
    }
    c->is_reserved = kept > 0;
    for (unsigned i = 0; c->is_reserved && i < kept; i++)
        c->is_reserved = c->place.cuMemAddressReserve && reserve_place(c, &list[i]);
}

static bool cuda_open(struct replay *r, const char *name, const char *driver)
{
    struct error e = ERROR_INIT;
    struct cuda *c = calloc(1, sizeof *c);
    CUcontext context;
    int count = 0;
    r->state = c;
    if (c)
        hold_places(r, c);
    if (!c || !cuda_api_open(&c->driver, &e))
        return replay_fail(r, "%s", c ? e.text : "no memory");
    if (!find_more(r, c) || !call_ok(r, c->driver.cuInit(0), "cuInit") ||
        !call_ok(r, c->driver.cuDeviceGetCount(&count), "cuDeviceGetCount"))
        return false;
    for (int i = 0; i < count; i++) {
        CUdevice device;
        if (c->driver.cuDeviceGet(&device, i) == CUDA_SUCCESS &&
            is_device(c, device, name, driver)) {
            c->device = device;
            reserve_places(r, c);
            return call_ok(r, c->driver.cuDevicePrimaryCtxRetain(&context, device),
                           "cuDevicePrimaryCtxRetain") &&
                   call_ok(r, c->driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
        }
    }
    return replay_fail(r, "the device of the capture is not here: %s, driver %s", name, driver);
}

static bool open_compiler(struct replay *r, struct cuda *c)
{
    struct error e = ERROR_INIT;
    struct text path = TEXT_INIT;
    if (!c->has_nvrtc)
        c->has_nvrtc = nvrtc_api_open(&c->nvrtc, getenv("CUDA_HOME"), &path, &e);
    text_release(&path);
    return c->has_nvrtc || replay_fail(r, "%s", e.text);
}

// ---- the program -------------------------------------------------------------------------------

struct headers {
    char *texts[WORDS_MOST];
    const char *names[WORDS_MOST];
    int count;
};

static bool read_headers(struct replay *r, json_t *part, struct headers *out)
{
    json_t *list = json_object_get(part, "headers");
    if (json_array_size(list) > WORDS_MOST)
        return replay_fail(r, "more than %d headers", WORDS_MOST);
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *header = json_array_get(list, i);
        const char *name = json_string_value(json_array_get(header, 0));
        const char *digest = json_string_value(json_array_get(header, 1));
        size_t length = 0;
        out->names[i] = name ? name : "";
        out->texts[i] = replay_source(r, digest ? digest : "", &length);
        if (!out->texts[i])
            return false;
        out->count++;
    }
    return true;
}

static bool compile_replay(struct replay *r, const struct cuda *c, nvrtcProgram p,
                           const char *options)
{
    char *words[WORDS_MOST];
    int count = 0;
    for (const char *at = options; count < WORDS_MOST; count++) {
        words[count] = capture_words_next(&at);
        if (!words[count])
            break;
    }
    const nvrtcResult code = c->nvrtc.nvrtcCompileProgram(p, count, (const char *const *)words);
    if (code != NVRTC_SUCCESS) {
        size_t length = 0;
        char *log = NULL;
        if (c->nvrtc.nvrtcGetProgramLogSize(p, &length) == NVRTC_SUCCESS && length < 1 << 24)
            log = calloc(1, length + 1);
        if (log)
            c->nvrtc.nvrtcGetProgramLog(p, log);
        replay_fail(r, "NVRTC: %s: %.400s", c->nvrtc.nvrtcGetErrorString(code), log ? log : "");
        free(log);
    }
    for (int i = 0; i < count; i++)
        free(words[i]);
    return code == NVRTC_SUCCESS;
}

// A cubin, or PTX where the options name no real architecture.
static bool load_compiled(struct replay *r, struct cuda *c, nvrtcProgram p)
{
    const struct nvrtc_api *n = &c->nvrtc;
    size_t length = 0;
    const bool is_cubin = n->nvrtcGetCUBINSize(p, &length) == NVRTC_SUCCESS && length > 0;
    if (!is_cubin && n->nvrtcGetPTXSize(p, &length) != NVRTC_SUCCESS)
        return replay_fail(r, "NVRTC gives neither a cubin nor PTX");
    char *image = malloc(length + 1);
    const bool ok = image && (is_cubin ? n->nvrtcGetCUBIN(p, image) : n->nvrtcGetPTX(p, image)) ==
                                 NVRTC_SUCCESS;
    const bool is_loaded =
        ok ? call_ok(r, c->driver.cuModuleLoadData(&c->module, image), "cuModuleLoadData")
           : replay_fail(r, "no memory for its image");
    free(image);
    return is_loaded;
}

// A user's text has the function by its own name.
static void note_name(struct cuda *c, nvrtcProgram p, const char *function)
{
    const char *lowered = NULL;
    if (function && c->nvrtc.nvrtcGetLoweredName(p, function, &lowered) == NVRTC_SUCCESS && lowered)
        c->name = strdup(lowered);
}

static bool build_text(struct replay *r, struct cuda *c, json_t *kernel,
                       const struct replay_text *other)
{
    const char *source = other ? other->source : NULL, *function = source ? other->function : NULL;
    json_t *part = json_array_get(json_object_get(kernel, "parts"), 0), *name;
    struct headers *h = calloc(1, sizeof *h);
    nvrtcProgram p = NULL;
    size_t i, length = 0;
    char *text = h && read_headers(r, part, h)
                     ? replay_source(r, source ? source : replay_string(part, "source"), &length)
                     : NULL;
    bool ok =
        text && open_compiler(r, c) &&
        (c->nvrtc.nvrtcCreateProgram(&p, text, "kernel.cu", h->count, (const char *const *)h->texts,
                                     h->names) == NVRTC_SUCCESS ||
         replay_fail(r, "nvrtcCreateProgram failed"));
    json_array_foreach(json_object_get(kernel, "expressions"), i, name)
    {
        const char *words = json_string_value(json_array_get(name, 0));
        if (ok && words)
            c->nvrtc.nvrtcAddNameExpression(p, words);
    }
    if (ok && function)
        c->nvrtc.nvrtcAddNameExpression(p, function);
    ok = ok && compile_replay(r, c, p, other ? other->options : replay_string(kernel, "options")) &&
         load_compiled(r, c, p);
    if (ok)
        note_name(c, p, function);
    if (p)
        c->nvrtc.nvrtcDestroyProgram(&p);
    for (int k = 0; h && k < h->count; k++)
        free(h->texts[k]);
    free(h);
    free(text);
    return ok;
}

static bool load_image(struct replay *r, struct cuda *c, json_t *kernel)
{
    size_t length = 0;
    if (!*replay_string(kernel, "image"))
        return replay_fail(r, "its program was made from a %s, which was not kept",
                           replay_string(kernel, "without"));
    unsigned char *image = replay_content(r, replay_string(kernel, "image"), &length);
    const bool ok =
        image && call_ok(r, c->driver.cuModuleLoadData(&c->module, image), "cuModuleLoadData");
    free(image);
    return ok;
}

static bool read_parameters(struct replay *r, struct cuda *c, json_t *kernel)
{
    json_t *list = json_object_get(kernel, "arguments");
    c->count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *a = json_array_get(list, i);
        const json_int_t offset = json_integer_value(json_object_get(a, "offset"));
        const json_int_t bytes = json_integer_value(json_object_get(a, "bytes"));
        if (i >= ARGUMENTS_MOST || offset < 0 || bytes < 0 || offset > VALUE_MOST ||
            bytes > VALUE_MOST - offset)
            return replay_fail(r, "the log has no place for argument %zu", i);
        c->parameters[c->count++] = (struct parameter){(size_t)offset, (size_t)bytes};
    }
    return true;
}

static bool cuda_build(struct replay *r, json_t *kernel, const struct replay_text *other)
{
    struct cuda *c = r->state;
    return read_parameters(r, c, kernel) &&
           (json_is_string(json_object_get(kernel, "without")) && !(other && other->source)
                ? load_image(r, c, kernel)
                : build_text(r, c, kernel, other)) &&
           call_ok(r,
                   c->driver.cuModuleGetFunction(&c->function, c->module,
                                                 c->name ? c->name : replay_string(kernel, "name")),
                   "cuModuleGetFunction");
}

static void cuda_release(struct replay *r)
{
    struct cuda *c = r->state;
    while (c->placed_count > 0) {
        const struct placed *p = &c->placed[--c->placed_count];
        c->place.cuMemUnmap(p->at, p->bytes);
    }
    if (c->module)
        c->driver.cuModuleUnload(c->module);
    c->module = NULL;
    free(c->name);
    c->name = NULL;
}

// ---- arguments and memory ----------------------------------------------------------------------

static bool cuda_set_value(struct replay *r, unsigned at, const void *bytes, size_t length)
{
    struct cuda *c = r->state;
    if (at >= c->count || length != c->parameters[at].bytes)
        return replay_fail(r, "argument %u has another size", at);
    memcpy(c->bytes + c->parameters[at].offset, bytes, length);
    return true;
}

static bool cuda_set_memory(struct replay *r, unsigned at, uintptr_t memory)
{
    const CUdeviceptr address = memory & ~OF_SURFACE;
    return cuda_set_value(r, at, &address, sizeof address);
}

static bool cuda_set_inside(struct replay *r, unsigned at, size_t offset, uintptr_t memory)
{
    struct cuda *c = r->state;
    const CUdeviceptr address = memory;
    if (at >= c->count || c->parameters[at].bytes < sizeof address ||
        offset > c->parameters[at].bytes - sizeof address)
        return replay_fail(r, "argument %u has no pointer at %zu", at, offset);
    memcpy(c->bytes + c->parameters[at].offset + offset, &address, sizeof address);
    return true;
}

static bool cuda_allocate(struct replay *r, size_t bytes, uintptr_t *out)
{
    const struct cuda *c = r->state;
    CUdeviceptr address = 0;
    const bool ok = call_ok(r, c->driver.cuMemAlloc(&address, bytes ? bytes : 1), "cuMemAlloc");
    *out = (uintptr_t)address;
    return ok;
}

static bool map_place(struct replay *r, struct cuda *c, const struct cuda_allocation *like,
                      const struct placed *p)
{
    const struct cuda_access access = {CUDA_LOCATION_DEVICE, c->device, CUDA_ACCESS_READ_WRITE};
    uint64_t memory;
    if (!call_ok(r, c->place.cuMemCreate(&memory, p->bytes, like, 0), "cuMemCreate"))
        return false;
    const bool ok = call_ok(r, c->place.cuMemMap(p->at, p->bytes, 0, memory, 0), "cuMemMap");
    c->place.cuMemRelease(memory); // the mapping holds it
    if (!ok)
        return false;
    c->placed[c->placed_count++] = *p;
    return call_ok(r, c->place.cuMemSetAccess(p->at, p->bytes, &access, 1), "cuMemSetAccess");
}

static bool cuda_place(struct replay *r)
{
    struct cuda *c = r->state;
    const struct cuda_allocation like = {
        .type = CUDA_MEMORY_PINNED, .location_type = CUDA_LOCATION_DEVICE, .location = c->device};
    struct placed list[PLACES_MOST];
    size_t piece = 0;
    if (!c->is_reserved)
        return replay_fail(r,
                           "its buffers hold pointers, and the driver does not give the addresses "
                           "again to which they point (but 0x%llx)",
                           c->given);
    bool ok = call_ok(r, c->place.cuMemGetAllocationGranularity(&piece, &like, 0),
                      "cuMemGetAllocationGranularity") &&
              piece > 0;
    const unsigned count = ok ? list_places(r, piece, list) : 0;
    for (unsigned i = 0; ok && i < count; i++)
        ok = map_place(r, c, &like, &list[i]);
    return ok;
}

static bool cuda_part(struct replay *r, uintptr_t whole, size_t offset, size_t bytes,
                      uintptr_t *out)
{
    (void)r, (void)bytes;
    *out = whole + offset;
    return true;
}

static bool cuda_symbol(struct replay *r, const char *name, size_t bytes, uintptr_t *out)
{
    const struct cuda *c = r->state;
    CUdeviceptr at = 0;
    size_t size = 0;
    const CUresult code = c->driver.cuModuleGetGlobal(&at, &size, c->module, name);
    if (code == CUDA_ERROR_NOT_FOUND && r->is_trial) // of another kernel than the text's
        size = bytes, at = 0;
    else if (!call_ok(r, code, "cuModuleGetGlobal"))
        return false;
    *out = (uintptr_t)at;
    return size == bytes || replay_fail(r, "the symbol %s has another size", name);
}

// ---- textures and surfaces ---------------------------------------------------------------------

enum { TYPE_3D = 0x10F2, TYPE_1D = 0x10F4, TYPE_1D_BUFFER = 0x10F6 };

static json_int_t number_of(json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

// The format of a channel, which the log has as OpenCL numbers it, and its bytes; 0: CUDA has none.
static int format_of(json_int_t channel, size_t *bytes)
{
    static const struct {
        int format;
        size_t bytes;
    } formats[] = {{CU_AD_FORMAT_SIGNED_INT8, 1},
                   {CU_AD_FORMAT_SIGNED_INT16, 2},
                   {CU_AD_FORMAT_UNSIGNED_INT8, 1},
                   {CU_AD_FORMAT_UNSIGNED_INT16, 2},
                   {0, 1},
                   {0, 1},
                   {0, 1},
                   {CU_AD_FORMAT_SIGNED_INT8, 1},
                   {CU_AD_FORMAT_SIGNED_INT16, 2},
                   {CU_AD_FORMAT_SIGNED_INT32, 4},
                   {CU_AD_FORMAT_UNSIGNED_INT8, 1},
                   {CU_AD_FORMAT_UNSIGNED_INT16, 2},
                   {CU_AD_FORMAT_UNSIGNED_INT32, 4},
                   {CU_AD_FORMAT_HALF, 2},
                   {CU_AD_FORMAT_FLOAT, 4}};
    const json_int_t at = channel - 0x10D0; // CL_SNORM_INT8
    const bool is_known = at >= 0 && at < (json_int_t)(sizeof formats / sizeof *formats);
    *bytes = is_known ? formats[at].bytes : 1;
    return is_known ? formats[at].format : 0;
}

static CUDA_TEXTURE_DESC describe_texture(json_t *about, json_int_t channel)
{
    static const int modes[] = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER,
                                CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR};
    const json_int_t mode = number_of(about, "addressing") - 0x1131;
    CUDA_TEXTURE_DESC how = {
        .filterMode = number_of(about, "filter") == 0x1141 ? CU_TR_FILTER_MODE_LINEAR
                                                           : CU_TR_FILTER_MODE_POINT,
        .flags = (channel >= 0x10D7 && channel <= 0x10DC ? CU_TRSF_READ_AS_INTEGER : 0u) |
                 (number_of(about, "normalized") ? CU_TRSF_NORMALIZED_COORDINATES : 0u)};
    for (int axis = 0; axis < 3; axis++)
        how.addressMode[axis] = modes[mode >= 0 && mode < 4 ? mode : 0];
    return how;
}

// An array, or for a texture of plain memory as much memory.
static bool make_resource(struct replay *r, json_t *image, struct opened_image *i, size_t bytes,
                          CUDA_RESOURCE_DESC *of)
{
    struct cuda *c = r->state;
    json_t *size = json_object_get(image, "size");
    const json_int_t type = number_of(image, "type"), order = number_of(image, "order");
    size_t texel = 0;
    const int format = format_of(number_of(image, "channel"), &texel);
    const unsigned channels = order == 0x10B0 ? 1 : order == 0x10B2 ? 2 : order == 0x10B5 ? 4 : 0;
    const size_t width = (size_t)json_integer_value(json_array_get(size, 0));
    i->rows = (size_t)json_integer_value(json_array_get(size, 1));
    i->planes = (size_t)json_integer_value(json_array_get(size, 2));
    texel *= channels;
    if (!format || !channels || !width || !i->rows || !i->planes)
        return replay_fail(r, "the log has an image of no known kind");
    i->row = bytes / i->planes / i->rows;
    if (i->row % texel || i->row / texel != width || i->row * i->rows * i->planes != bytes)
        return replay_fail(r, "the log and its data differ in size");
    if (type == TYPE_1D_BUFFER) {
        const struct cuda_plane plane = {0, format, channels, bytes, 0, 0};
        of->resType = CUDA_RESOURCE_LINEAR;
        memcpy(&of->res, &plane, sizeof plane);
        return call_ok(r, c->driver.cuMemAlloc(&i->memory, bytes), "cuMemAlloc") &&
               memcpy(&of->res, &i->memory, sizeof i->memory);
    }
    const CUDA_ARRAY3D_DESCRIPTOR what = {.Width = width,
                                          .Height = type == TYPE_1D ? 0 : i->rows,
                                          .Depth = type == TYPE_3D ? i->planes : 0,
                                          .Format = format,
                                          .NumChannels = channels,
                                          .Flags = i->is_surface ? CUDA_ARRAY3D_SURFACE_LDST : 0};
    const bool ok = call_ok(r, c->driver.cuArray3DCreate(&i->array, &what), "cuArray3DCreate");
    of->resType = CU_RESOURCE_TYPE_ARRAY;
    of->res.array.hArray = i->array;
    return ok;
}

static void release_image(struct cuda *c, struct opened_image *i)
{
    if (i->object && i->is_surface)
        c->driver.cuSurfObjectDestroy(i->object);
    else if (i->object)
        c->driver.cuTexObjectDestroy(i->object);
    if (i->array)
        c->driver.cuArrayDestroy(i->array);
    if (i->memory)
        c->driver.cuMemFree(i->memory);
    *i = c->images[--c->image_count];
}

static uintptr_t handle_of(const struct opened_image *i)
{
    return (uintptr_t)i->object | (i->is_surface ? OF_SURFACE : 0);
}

static bool cuda_image(struct replay *r, json_t *about, size_t bytes, uintptr_t *out)
{
    struct cuda *c = r->state;
    json_t *image = json_object_get(about, "image");
    CUDA_RESOURCE_DESC of = {0};
    if (c->image_count == ARGUMENTS_MOST)
        return replay_fail(r, "the log has too many images");
    struct opened_image *i = &c->images[c->image_count++];
    *i = (struct opened_image){.is_surface = json_is_true(json_object_get(image, "surface"))};
    const CUDA_TEXTURE_DESC how = describe_texture(about, number_of(image, "channel"));
    const bool ok =
        make_resource(r, image, i, bytes, &of) &&
        (i->is_surface
             ? call_ok(r, c->driver.cuSurfObjectCreate(&i->object, &of), "cuSurfObjectCreate")
             : call_ok(r, c->driver.cuTexObjectCreate(&i->object, &of, &how, NULL),
                       "cuTexObjectCreate"));
    *out = handle_of(i);
    if (!ok)
        release_image(c, i);
    return ok;
}

static struct opened_image *find_image(struct cuda *c, uintptr_t handle)
{
    for (unsigned i = 0; i < c->image_count; i++) {
        if (handle_of(&c->images[i]) == handle)
            return &c->images[i];
    }
    return NULL;
}

// Between the texels and memory of the host.
static bool copy_image(struct replay *r, const struct opened_image *i, void *host, bool is_written)
{
    const struct cuda *c = r->state;
    CUDA_MEMCPY3D copy = {.WidthInBytes = i->row, .Height = i->rows, .Depth = i->planes};
    if (i->memory)
        return is_written ? call_ok(r, c->copy_to(i->memory, host, i->row), "cuMemcpyHtoD")
                          : call_ok(r, c->copy_from(host, i->memory, i->row), "cuMemcpyDtoH");
    copy.srcMemoryType = is_written ? CUDA_MEMORY_HOST : CU_MEMORYTYPE_ARRAY;
    copy.dstMemoryType = is_written ? CU_MEMORYTYPE_ARRAY : CUDA_MEMORY_HOST;
    copy.srcPitch = copy.dstPitch = i->row;
    copy.srcHeight = copy.dstHeight = i->rows;
    copy.srcHost = copy.dstHost = host;
    copy.srcArray = copy.dstArray = i->array;
    return call_ok(r, c->driver.cuMemcpy3DAsync(&copy, NULL), "cuMemcpy3DAsync") &&
           call_ok(r, c->synchronize(), "cuCtxSynchronize");
}

// ---- memory --------------------------------------------------------------------------------------

static void cuda_free(struct replay *r, uintptr_t memory)
{
    struct cuda *c = r->state;
    struct opened_image *image = find_image(c, memory);
    if (image)
        release_image(c, image);
    else
        c->driver.cuMemFree(memory); // of a part: refused
}

static bool cuda_write(struct replay *r, uintptr_t memory, size_t offset, size_t bytes,
                       const void *from)
{
    struct cuda *c = r->state;
    const struct opened_image *image = find_image(c, memory);
    if (image)
        return copy_image(r, image, (void *)(uintptr_t)from, true);
    return bytes == 0 || call_ok(r, c->copy_to(memory + offset, from, bytes), "cuMemcpyHtoD");
}

static bool cuda_read(struct replay *r, uintptr_t memory, size_t offset, size_t bytes, void *to)
{
    struct cuda *c = r->state;
    const struct opened_image *image = find_image(c, memory);
    if (image)
        return copy_image(r, image, to, false);
    return bytes == 0 || call_ok(r, c->copy_from(to, memory + offset, bytes), "cuMemcpyDtoH");
}

static bool cuda_launch(struct replay *r, const struct replay_geometry *g)
{
    struct cuda *c = r->state;
    void *parameters[ARGUMENTS_MOST];
    unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
    for (unsigned a = 0; a < g->dimensions; a++) {
        const size_t local = g->has_local && g->local[a] > 0 ? g->local[a] : 1;
        if (g->global[a] % local || g->global[a] / local > UINT32_MAX || local > UINT32_MAX)
            return replay_fail(r, "its threads are not a whole number of blocks");
        block[a] = (unsigned)local;
        grid[a] = (unsigned)(g->global[a] / local);
    }
    for (unsigned i = 0; i < c->count; i++)
        parameters[i] = c->bytes + c->parameters[i].offset;
    if (g->shared > SHARED_DEFAULT &&
        !call_ok(r,
                 c->driver.cuFuncSetAttribute(
                     c->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)g->shared),
                 "cuFuncSetAttribute"))
        return false;
    return call_ok(r,
                   c->driver.cuLaunchKernel(c->function, grid[0], grid[1], grid[2], block[0],
                                            block[1], block[2], g->shared, NULL, parameters, NULL),
                   "cuLaunchKernel") &&
           call_ok(r, c->synchronize(), "cuCtxSynchronize");
}

const struct replay_driver replay_cuda = {.open = cuda_open,
                                          .build = cuda_build,
                                          .release = cuda_release,
                                          .set_value = cuda_set_value,
                                          .set_memory = cuda_set_memory,
                                          .set_inside = cuda_set_inside,
                                          .allocate = cuda_allocate,
                                          .image = cuda_image,
                                          .part = cuda_part,
                                          .place = cuda_place,
                                          .symbol = cuda_symbol,
                                          .free = cuda_free,
                                          .write = cuda_write,
                                          .read = cuda_read,
                                          .launch = cuda_launch};
