// Card, context, stream, events, memory: what has no behaviour of its own.
#include "fake.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CUDA_DRIVER_FUNCTIONS(FAKE_DECLARE)

// ---- counting and failing

static _Atomic int live; // a thread of the worker's builds
static bool is_failed;

int fake_live_objects(void)
{
    return live;
}

void *fake_new(size_t size)
{
    void *object = calloc(1, size);
    live += object != NULL;
    return object;
}

void fake_free(void *object)
{
    free(object);
    live--;
}

void fake_context_fails(void)
{
    is_failed = true;
}

CUresult fake_call(const char *call)
{
    CUresult code = fake_enter(call);
    if (code == CUDA_SUCCESS && (is_failed || fake_broken()))
        code = (CUresult)fake_number("FAKE_CUDA_CODE", CUDA_ERROR_ILLEGAL_ADDRESS);
    return code;
}

// ---- codes

#define NAMED(name, value) {value, #name},
static const struct {
    CUresult code;
    const char *name;
} names[] = {CUDA_CONSTANTS(NAMED)};

CUresult cuGetErrorName(CUresult code, const char **text)
{
    CUresult failed = fake_enter(__func__);
    *text = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && failed == CUDA_SUCCESS; i++) {
        bool is_code = code == CUDA_SUCCESS || strncmp(names[i].name, "CUDA_ERROR_", 11) == 0;
        if (names[i].code == code && is_code && strncmp(names[i].name, "CUDA_", 5) == 0)
            *text = names[i].name;
    }
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text)
{
    CUresult failed = fake_enter(__func__);
    *text = failed == CUDA_SUCCESS && code < 1000 ? "asked for" : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// ---- the card

// As NVIDIA's: it opens the name of a thread, and does not begin where it cannot (CUDA_ERROR_OPERATING_SYSTEM).
static bool may_name_threads(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)getpid());
    FILE *f = fopen(path, "w");
    if (f)
        fclose(f);
    return f != NULL;
}

CUresult cuInit(unsigned flags)
{
    const char *path = getenv("FAKE_CUDA_STARTED");
    FILE *f = path ? fopen(path, "a") : NULL;
    (void)flags;
    if (f) {
        fprintf(f, "%d\n", (int)getpid());
        fclose(f);
    }
    return may_name_threads() ? fake_enter(__func__) : (CUresult)304;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = (int)fake_number("FAKE_CUDA_DRIVER", 13000);
    return fake_enter(__func__);
}

CUresult cuDeviceGetCount(int *count)
{
    CUresult code = fake_enter(__func__);
    if (code == CUDA_SUCCESS)
        *count = (int)fake_number("FAKE_CUDA_CARDS", 1);
    return code;
}

CUresult cuDeviceGet(CUdevice *out, int ordinal)
{
    CUresult code = fake_enter(__func__);
    if (code == CUDA_SUCCESS && (ordinal != 0 || fake_number("FAKE_CUDA_CARDS", 1) == 0))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        *out = 0;
    return code;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    CUresult code = fake_enter(__func__);
    (void)device;
    if (code == CUDA_SUCCESS && size > 0) {
        strncpy(name, fake_text("FAKE_CUDA_NAME", "Fake card"), (size_t)size - 1);
        name[size - 1] = '\0';
    }
    return code;
}

CUresult cuDeviceGetUuid(CUuuid *out, CUdevice device)
{
    CUresult code = fake_enter(__func__);
    (void)device;
    if (code == CUDA_SUCCESS)
        memset(out, 0x5a, sizeof *out);
    return code;
}

static uint64_t total_bytes(void)
{
    return fake_number("FAKE_CUDA_MEMORY", UINT64_C(256) << 20);
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    CUresult code = fake_enter(__func__);
    (void)device;
    if (code == CUDA_SUCCESS)
        *bytes = (size_t)total_bytes();
    return code;
}

CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute what, CUdevice device)
{
    static const struct {
        CUdevice_attribute what;
        int value;
    } attributes[] = {
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, INT32_MAX},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, UINT16_MAX},
        {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, UINT16_MAX},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 << 10},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 << 10},
        {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 << 10},
        {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
        {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
        {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0x65},
    };
    CUresult code = fake_enter(__func__);
    (void)device;
    if (code != CUDA_SUCCESS)
        return code;
    *out = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (attributes[i].what == what)
            *out = attributes[i].value;
    }
    if (what == CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
        *out = (int)fake_number("FAKE_CUDA_DOMAIN", 0);
    return CUDA_SUCCESS;
}

// ---- context and stream

struct CUctx_st {
    int references;
};

struct CUstream_st {
    int nothing;
};

static struct CUctx_st primary;

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    CUresult code = fake_call(__func__);
    (void)device;
    if (code == CUDA_SUCCESS && fake_dead("open"))
        code = CUDA_ERROR_UNKNOWN;
    if (code != CUDA_SUCCESS)
        return code;
    live++;
    primary.references++;
    *out = &primary;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    (void)device;
    live--;
    primary.references--;
    return fake_call(__func__);
}

CUcontext fake_context(void)
{
    return &primary;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    CUresult code = fake_call(__func__);
    return code == CUDA_SUCCESS && context != &primary ? CUDA_ERROR_INVALID_VALUE : code;
}

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    CUresult code = fake_call(__func__);
    fake_wait();
    (void)flags;
    if (code == CUDA_SUCCESS)
        *out = fake_new(sizeof **out);
    return code;
}

CUresult cuStreamDestroy(CUstream stream)
{
    fake_free(stream);
    return fake_call(__func__);
}

CUresult cuStreamSynchronize(CUstream stream)
{
    CUresult code = fake_call(__func__);
    (void)stream;
    if (fake_dead("hang"))
        fake_hang();
    fake_wait();
    return code;
}

// ---- memory

struct block {
    struct block *next;
    size_t bytes;
    uint8_t *data;
};

static struct block *blocks;

static struct block *block_of(CUdeviceptr at)
{
    struct block *b = blocks;
    while (b && (at < (uintptr_t)b->data || at >= (uintptr_t)b->data + b->bytes))
        b = b->next;
    return b;
}

size_t fake_memory_left(CUdeviceptr at)
{
    const struct block *b = block_of(at);
    return b ? b->bytes - (size_t)(at - (uintptr_t)b->data) : 0;
}

bool fake_memory_range(CUdeviceptr at, CUdeviceptr *base, size_t *bytes)
{
    const struct block *b = block_of(at);
    if (b) {
        *base = (uintptr_t)b->data;
        *bytes = b->bytes;
    }
    return b != NULL;
}

static uint64_t used_bytes(void)
{
    uint64_t sum = 0;
    for (const struct block *b = blocks; b; b = b->next)
        sum += b->bytes;
    return sum;
}

CUresult fake_allocate(CUdeviceptr *out, size_t bytes)
{
    if (bytes > total_bytes() - used_bytes())
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct block *b = fake_new(sizeof *b);
    *b = (struct block){blocks, bytes, calloc(1, bytes)};
    blocks = b;
    *out = (uintptr_t)b->data;
    return CUDA_SUCCESS;
}

void fake_adopt(CUdeviceptr at, size_t bytes)
{
    struct block *b = fake_new(sizeof *b);
    *b = (struct block){blocks, bytes, (uint8_t *)(uintptr_t)at};
    blocks = b;
}

// The memory itself is its owner's.
void fake_abandon(CUdeviceptr at)
{
    struct block **link = &blocks;
    while (*link && (uintptr_t)(*link)->data != at)
        link = &(*link)->next;
    struct block *b = *link;
    if (!b)
        return;
    *link = b->next;
    fake_free(b);
}

bool fake_give_back(CUdeviceptr at)
{
    struct block **link = &blocks;
    while (*link && (uintptr_t)(*link)->data != at)
        link = &(*link)->next;
    struct block *b = *link;
    if (!b)
        return false;
    *link = b->next;
    free(b->data);
    fake_free(b);
    return true;
}

CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes)
{
    CUresult code = fake_call(__func__);
    if (code == CUDA_SUCCESS && bytes == 0)
        code = CUDA_ERROR_INVALID_VALUE;
    return code == CUDA_SUCCESS ? fake_allocate(out, bytes) : code;
}

CUresult cuMemFree(CUdeviceptr at)
{
    CUresult code = fake_call(__func__);
    return fake_give_back(at) ? code : CUDA_ERROR_INVALID_VALUE;
}

static CUresult command(const char *call, CUdeviceptr at, size_t bytes)
{
    CUresult code = fake_call(call);
    if (code == CUDA_SUCCESS && bytes > fake_memory_left(at))
        code = CUDA_ERROR_INVALID_VALUE;
    if (code == CUDA_SUCCESS)
        fake_pass_ns(fake_command_ns());
    return code;
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    CUresult code = command(__func__, to, bytes);
    (void)stream;
    if (code == CUDA_SUCCESS)
        memcpy((void *)(uintptr_t)to, from, bytes);
    return code;
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    CUresult code = command(__func__, from, bytes);
    (void)stream;
    if (code == CUDA_SUCCESS && !fake_is("FAKE_CUDA_LIE", "unread", ""))
        memcpy(to, (void *)(uintptr_t)from, bytes);
    return code;
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    CUresult code = command(__func__, from, bytes);
    (void)stream;
    if (code == CUDA_SUCCESS)
        memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return code;
}

enum { OF_HOST = 1 }; // CU_MEMORYTYPE_HOST

// ---- images: an array is memory; a texture or a surface is a small number, as the real driver's are

struct CUarray_st {
    CUdeviceptr at;
    CUDA_ARRAY3D_DESCRIPTOR what;
};

CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *what)
{
    CUresult code = fake_call(__func__);
    if (code == CUDA_SUCCESS && what->Width > 32768)
        code = CUDA_ERROR_INVALID_VALUE;
    if (code != CUDA_SUCCESS)
        return code;
    size_t bytes = what->Format == CU_AD_FORMAT_FLOAT ? 4 : 1;
    CUarray array = fake_new(sizeof *array);
    array->what = *what;
    code = fake_allocate(&array->at, what->Width * what->Height * (what->Depth ? what->Depth : 1) *
                                         what->NumChannels * bytes);
    if (code == CUDA_SUCCESS)
        *out = array;
    else
        fake_free(array);
    return code;
}

void fake_describe(CUarray array, CUDA_ARRAY3D_DESCRIPTOR *out)
{
    *out = array->what;
}

CUresult cuArrayDestroy(CUarray array)
{
    fake_give_back(array->at);
    fake_free(array);
    return fake_call(__func__);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    bool puts = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    CUdeviceptr from = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY ? copy->srcArray->at
                       : copy->srcMemoryType == OF_HOST ? (CUdeviceptr)(uintptr_t)copy->srcHost
                                                        : copy->srcDevice;
    CUdeviceptr to = puts                             ? copy->dstArray->at
                     : copy->dstMemoryType == OF_HOST ? (CUdeviceptr)(uintptr_t)copy->dstHost
                                                      : copy->dstDevice;
    size_t bytes = copy->WidthInBytes * copy->Height * copy->Depth;
    CUresult code =
        copy->srcMemoryType == OF_HOST ? fake_call(__func__) : command(__func__, from, bytes);
    (void)stream;
    if (code == CUDA_SUCCESS)
        memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return code;
}

static pthread_mutex_t objects_lock = PTHREAD_MUTEX_INITIALIZER;
static CUdeviceptr objects[2][256]; // textures, surfaces, which have the same numbers; 0: free

static CUresult new_object(unsigned long long *out, const CUDA_RESOURCE_DESC *of, bool is_surface)
{
    CUdeviceptr *list = objects[is_surface];
    size_t i = 0;
    CUdeviceptr at;
    memcpy(&at, &of->res, sizeof at); // of memory
    pthread_mutex_lock(&objects_lock);
    while (i + 1 < sizeof *objects / sizeof **objects && list[i])
        i++;
    list[i] = of->resType == CU_RESOURCE_TYPE_ARRAY ? of->res.array.hArray->at : at;
    *out = i + 1;
    pthread_mutex_unlock(&objects_lock);
    return CUDA_SUCCESS;
}

static CUresult end_object(const char *call, unsigned long long object, bool is_surface)
{
    pthread_mutex_lock(&objects_lock);
    objects[is_surface][object - 1] = 0;
    pthread_mutex_unlock(&objects_lock);
    return fake_call(call);
}

CUdeviceptr fake_object_memory(unsigned long long object, bool is_surface)
{
    const bool is_one = object - 1 < sizeof *objects / sizeof **objects;
    pthread_mutex_lock(&objects_lock);
    const CUdeviceptr at = is_one ? objects[is_surface][object - 1] : 0;
    pthread_mutex_unlock(&objects_lock);
    return at;
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *of,
                           const CUDA_TEXTURE_DESC *how, const CUDA_RESOURCE_VIEW_DESC *view)
{
    CUresult code = fake_call(__func__);
    (void)how, (void)view;
    return code == CUDA_SUCCESS ? new_object(out, of, false) : code;
}

CUresult cuTexObjectDestroy(CUtexObject texture)
{
    return end_object(__func__, texture, false);
}

CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *of)
{
    CUresult code = fake_call(__func__);
    return code == CUDA_SUCCESS ? new_object(out, of, true) : code;
}

CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
    return end_object(__func__, surface, true);
}

CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char byte, size_t bytes, CUstream stream)
{
    CUresult code = command(__func__, at, bytes);
    (void)stream;
    if (code == CUDA_SUCCESS)
        memset((void *)(uintptr_t)at, byte, bytes);
    return code;
}
