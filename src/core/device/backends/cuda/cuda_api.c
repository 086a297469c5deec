// Opens libcuda and NVRTC and finds their functions: the toolkit that the user chose first, then the
// loader's path, then the usual folders. And the texts of their error codes.
#include "device/backends/cuda/cuda_api.h"

#include "device/routine.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DRIVER(name, symbol, result, parameters)   {symbol, offsetof(struct cuda_api, name), false},
#define OPTIONAL(name, symbol, result, parameters) {symbol, offsetof(struct cuda_api, name), true},
#define NVRTC(name, symbol, result, parameters)    {symbol, offsetof(struct nvrtc_api, name), false},

static const struct library_function driver_entries[] = {CUDA_DRIVER_FUNCTIONS(DRIVER)
                                                             CUDA_OPTIONAL_FUNCTIONS(OPTIONAL)};
static const struct library_function nvrtc_entries[] = {NVRTC_FUNCTIONS(NVRTC)};

// ---- the driver

// A library that exists but cannot be opened (damaged, or lacking a dependency) is another fault.
static bool is_absent(const char *why)
{
    return strstr(why, CUDA_LIBRARY) && strstr(why, "No such file");
}

bool cuda_api_open(struct cuda_api *api, struct error *e)
{
    library_one_queue();
    void *library = dlopen(CUDA_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    const char *why = library ? NULL : dlerror();
    if (!library)
        return error_set_driver(
            e, ERROR_DEVICE, why && is_absent(why) ? ENOENT : 0,
            "NVIDIA's CUDA library %s cannot be opened (%s); it is part of NVIDIA's "
            "driver (Debian: apt install libcuda1)",
            CUDA_LIBRARY, why ? why : "the loader does not say why");
    const char *missing = library_functions(library, driver_entries,
                                            sizeof driver_entries / sizeof *driver_entries, api);
    return !missing ||
           error_set(e, ERROR_DEVICE, "%s has no %s: a driver for CUDA 11.4 or newer is needed",
                     CUDA_LIBRARY, missing);
}

// ---- NVRTC

static const char *const nvrtc_names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                          "libnvrtc.so.11.2"};
static const char *const toolkit_folders[] = {"lib64", "lib", "targets/x86_64-linux/lib",
                                              "targets/sbsa-linux/lib"};
static const char *const toolkits[] = {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"};

static void *find_below(const char *toolkit, void *(*open)(const char *folder, void *context),
                        void *context)
{
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof toolkit_folders / sizeof *toolkit_folders; i++) {
        struct text folder = TEXT_INIT;
        text_addf(&folder, "%s/%s", toolkit, toolkit_folders[i]);
        library = open(text_cstr(&folder), context);
        text_release(&folder);
    }
    return library;
}

void *cuda_toolkits_find(const char *toolkit, void *(*open)(const char *folder, void *context),
                         void *context)
{
    void *library = toolkit && *toolkit ? find_below(toolkit, open, context) : NULL;
    for (size_t i = 0; !library && i < sizeof toolkits / sizeof *toolkits; i++)
        library = find_below(toolkits[i], open, context);
    return library;
}

static void *open_in(const char *folder, void *context)
{
    void *library = NULL;
    (void)context;
    for (size_t i = 0; !library && i < sizeof nvrtc_names / sizeof *nvrtc_names; i++) {
        struct text path = TEXT_INIT;
        text_addf(&path, "%s%s%s", folder, *folder ? "/" : "", nvrtc_names[i]);
        library = dlopen(text_cstr(&path), RTLD_NOW | RTLD_LOCAL);
        text_release(&path);
    }
    return library;
}

static void *open_nvrtc(const char *toolkit)
{
    void *library = toolkit && *toolkit ? find_below(toolkit, open_in, NULL) : NULL;
    if (!library)
        library = open_in("", NULL);
    return library ? library : cuda_toolkits_find(NULL, open_in, NULL);
}

bool nvrtc_api_open(struct nvrtc_api *api, const char *toolkit, struct text *path, struct error *e)
{
    Dl_info info;
    void *library = open_nvrtc(toolkit);
    if (!library)
        return error_set(e, ERROR_DEVICE,
                         "CUDA's compiler library libnvrtc.so is neither where the loader looks "
                         "nor below /usr/local/cuda; install it (Debian: apt install libnvrtc12; "
                         "NVIDIA: cuda-nvrtc-dev), or set CUDA_HOME to the folder of a CUDA "
                         "toolkit");
    const char *missing = library_functions(library, nvrtc_entries,
                                            sizeof nvrtc_entries / sizeof *nvrtc_entries, api);
    if (missing)
        return error_set(e, ERROR_DEVICE, "libnvrtc.so has no %s: CUDA 11.2 or newer is needed",
                         missing);
    void *function;
    memcpy(&function, &api->nvrtcVersion, sizeof function);
    char *real = dladdr(function, &info) && info.dli_fname ? realpath(info.dli_fname, NULL) : NULL;
    text_add(path, real ? real : "");
    free(real);
    return !path->failed || error_memory(e);
}

// ---- codes

// Explains codes that the driver's own text leaves open, or puts in terms of its implementation.
static const struct {
    CUresult code;
    const char *text;
} meanings[] = {
    {CUDA_ERROR_ILLEGAL_ADDRESS, "the kernel read or wrote an address that is not its own"},
    {CUDA_ERROR_MISALIGNED_ADDRESS,
     "the kernel read or wrote at an address that is not a multiple of the access's size"},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, "the kernel executed a trap or an instruction that this "
                                     "device does not have"},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, "the kernel used an address of one memory space in another"},
    {CUDA_ERROR_INVALID_PC, "the kernel jumped to where it has no code"},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, "the kernel's call stack was corrupted or too deep"},
    {CUDA_ERROR_ASSERT, "an assert() in the kernel failed"},
    {CUDA_ERROR_LAUNCH_FAILED, "the kernel ended with an exception (shared memory out of bounds, a "
                               "trap, a corrupted stack)"},
    {CUDA_ERROR_LAUNCH_TIMEOUT, "the kernel ran longer than the driver lets it on a card that "
                                "drives a display"},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "the block needs more registers, threads or shared memory "
                                         "than a multiprocessor has"},
    {CUDA_ERROR_ECC_UNCORRECTABLE, "the card's memory had an error that could not be corrected"},
    {CUDA_ERROR_NVLINK_UNCORRECTABLE, "NVLink had an error that could not be corrected"},
    {CUDA_ERROR_OUT_OF_MEMORY, "out of memory"},
};

static const char *meaning_of(const struct cuda_api *api, CUresult code)
{
    const char *text = NULL;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].code == code)
            return meanings[i].text;
    }
    return api->cuGetErrorString(code, &text) == CUDA_SUCCESS && text ? text : "";
}

const char *cuda_code_text(const struct cuda_api *api, CUresult code, char *out, size_t size)
{
    const char *name = NULL, *meaning = meaning_of(api, code);
    if (api->cuGetErrorName(code, &name) != CUDA_SUCCESS || !name)
        name = "a code of the driver's own";
    str_format(out, size, "%s (%d)%s%s", name, (int)code, *meaning ? ": " : "", meaning);
    return out;
}

#undef cuda_error // the analyser's
bool cuda_error(const struct cuda_api *api, struct error *e, const char *call, CUresult code)
{
    char text[256];
    return error_set_driver(e, ERROR_DEVICE, (int)code, "%s: %s", call,
                            cuda_code_text(api, code, text, sizeof text));
}
