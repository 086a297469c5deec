// The layer in front of a loader that has no layers: the same object is preloaded, so that a program that links the loader finds
// these functions first, and dlsym() hands them to a program that opens the loader itself. In front of a loader that has layers
// they only pass on.
#include "extras/capture/layer/cuda_layer.h"
#include "extras/capture/layer/layer_entry.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The functions that the layer calls and does not wrap.
#define LAYER_CALLED(X)                                                                            \
    X(clGetDeviceInfo)                                                                             \
    X(clGetContextInfo)                                                                            \
    X(clGetProgramInfo)                                                                            \
    X(clGetKernelInfo)                                                                             \
    X(clGetKernelArgInfo)                                                                          \
    X(clGetImageInfo)                                                                              \
    X(clGetSamplerInfo)                                                                            \
    X(clEnqueueReadImage)                                                                          \
    X(clGetEventInfo)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clRetainEvent)                                                                               \
    X(clReleaseEvent)                                                                              \
    X(clEnqueueCopyImage)                                                                          \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueSVMMemcpy)

static struct preload {
    pthread_once_t once;
    _Atomic(void *) handle; // of the loader that the program opened; NULL: the next in line
    cl_icd_dispatch real;   // the loader's own
} preload = {.once = PTHREAD_ONCE_INIT};

// The loader starts in this thread: what it calls and looks up now is its own business.
static _Thread_local bool is_finding;

typedef void *(*find_symbol)(void *, const char *);

// glibc's own dlsym, found without it.
static find_symbol real_dlsym(void)
{
    static _Atomic(find_symbol) found;
    find_symbol f = atomic_load_explicit(&found, memory_order_relaxed);
    if (!f) {
        static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
        void *at = NULL;
        for (size_t i = 0; !at && i < sizeof versions / sizeof *versions; i++)
            at = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&f, &at, sizeof f);
        atomic_store(&found, f);
    }
    return f;
}

static void find_function(void *to, const char *name)
{
    void *handle = atomic_load(&preload.handle);
    find_symbol find = real_dlsym();
    void *at = find ? find(handle ? handle : RTLD_NEXT, name) : NULL;
    memcpy(to, &at, sizeof at);
}

struct library_search {
    const char *name, *path; // "/libOpenCL", where it is
};

static int is_library(struct dl_phdr_info *object, size_t size, void *context)
{
    struct library_search *s = context;
    const char *slash = size ? strrchr(object->dlpi_name, '/') : NULL;
    if (!slash || strncmp(slash, s->name, strlen(s->name)) != 0)
        return 0;
    s->path = object->dlpi_name;
    return 1;
}

// The handle of a library that the process has loaded, whoever did it; NULL: there is none.
static void *find_library(const char *name)
{
    struct library_search s = {name, NULL};
    dl_iterate_phdr(is_library, &s);
    return s.path ? dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

// A loader that a plug-in brought with it (a module of Python) is not next in line, which is what the program linked: it is
// found by its name, which wheels lengthen ("libOpenCL-1a2b3c.so.1").
static void find_loader(void)
{
    find_symbol find = real_dlsym();
    if (!atomic_load(&preload.handle) && !(find && find(RTLD_NEXT, "clGetPlatformIDs")))
        atomic_store(&preload.handle, find_library("/libOpenCL"));
}

// The loader initializes itself at its first call, and calls clInitLayer then, if it has layers.
static void find_functions(void)
{
    is_finding = true;
    find_loader();
#define X(result, name, parameters, arguments) find_function((void *)&preload.real.name, #name);
    LAYER_FUNCTIONS(X)
#undef X
#define X(name) find_function((void *)&preload.real.name, #name);
    LAYER_CALLED(X)
#undef X
    cl_uint count = 0;
    if (preload.real.clGetPlatformIDs)
        preload.real.clGetPlatformIDs(0, NULL, &count);
    is_finding = false;
    if (atomic_load(&layer_is_layer))
        return;
    layer_open();
    layer_next = preload.real;
}

static const cl_icd_dispatch *preloaded(void)
{
    if (is_finding)
        return &preload.real;
    pthread_once(&preload.once, find_functions);
    return atomic_load_explicit(&layer_is_layer, memory_order_relaxed) ? &preload.real
                                                                       : &layer_wrapped;
}

// A loader that lacks a function is not called for it.
#define X(result, name, parameters, arguments)                                                     \
    LAYER_EXPORT result CL_API_CALL name parameters                                                \
    {                                                                                              \
        const cl_icd_dispatch *to = preloaded();                                                   \
        return preload.real.name ? to->name arguments : (result)0;                                 \
    }
#define V(result, name, parameters, arguments)                                                     \
    LAYER_EXPORT result CL_API_CALL name parameters                                                \
    {                                                                                              \
        const cl_icd_dispatch *to = preloaded();                                                   \
        if (preload.real.name)                                                                     \
            to->name arguments;                                                                    \
    }
LAYER_VALUE_FUNCTIONS(X)
LAYER_VOID_FUNCTIONS(V)
#undef X
#undef V

// The layer's function of this name.
static void *own_function(const char *name)
{
    void *at = NULL;
    if (name[0] != 'c' || name[1] != 'l')
        return NULL;
#define X(result, own, parameters, arguments)                                                      \
    if (strcmp(name, #own) == 0) {                                                                 \
        result(CL_API_CALL *f) parameters = own;                                                   \
        memcpy(&at, &f, sizeof at);                                                                \
    }
    LAYER_FUNCTIONS(X)
#undef X
    return at;
}

// The handle that the program asks is of the library that it uses first; else the function found is another's.
static void *wrap_symbol(void *handle, const char *name, void *own, _Atomic(void *) *first)
{
    void *found = real_dlsym()(handle, name), *none = NULL;
    if (!found || found == own)
        return found;
    atomic_compare_exchange_strong(first, &none, handle);
    return atomic_load(first) == handle ? own : found;
}

// ---- CUDA --------------------------------------------------------------------------------------

static _Atomic(void *) cuda_handle, nvrtc_handle; // that the program opened

// Not by RTLD_NEXT: a program that links neither may have a plug-in that does.
static void *find_in(_Atomic(void *) *handle, const char *library, const char *name)
{
    void *none = NULL;
    find_symbol find = real_dlsym();
    if (!atomic_load(handle))
        atomic_compare_exchange_strong(handle, &none, find_library(library));
    void *at = atomic_load(handle);
    return at && find ? find(at, name) : NULL;
}

void *layer_find_cuda(const char *name)
{
    return find_in(&cuda_handle, "/libcuda.so", name);
}

// The toolkit's compiler, for a program that brings its kernels compiled and none.
void layer_load_nvrtc(void)
{
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        "/usr/local/cuda/lib64/libnvrtc.so"};
    const char *home = getenv("CUDA_HOME");
    char path[4096];
    void *none = NULL, *found = find_library("/libnvrtc.so");
    snprintf(path, sizeof path, "%s/lib64/libnvrtc.so", home ? home : "");
    if (!found && home && *home)
        found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; !found && i < sizeof names / sizeof *names; i++)
        found = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    atomic_compare_exchange_strong(&nvrtc_handle, &none, found);
}

void *layer_find_nvrtc(const char *name)
{
    return find_in(&nvrtc_handle, "/libnvrtc.so", name);
}

// The last call is a jump, not a call: what RTLD_NEXT and RTLD_DEFAULT mean depends on who asks, which glibc reads from the
// return address. Preloaded alone: a program that has the layer from its loader has dlsym from glibc.
LAYER_EXPORT
__attribute__((noinline, optimize("O2"), no_sanitize("address", "thread", "undefined"))) void *
dlsym(void *restrict handle, const char *restrict name)
{
    if (handle != RTLD_NEXT && handle != RTLD_DEFAULT) {
        void *own = is_finding ? NULL : own_function(name);
        if (own)
            return wrap_symbol(handle, name, own, &preload.handle);
        own = cuda_own_function(name);
        if (own)
            return wrap_symbol(handle, name, own, *name == 'n' ? &nvrtc_handle : &cuda_handle);
    }
    return real_dlsym()(handle, name);
}
