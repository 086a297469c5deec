// NVRTC as one call: source, options and wanted kernels in, code with the kernels' names and the
// compiler's log out. It needs no GPU and no driver.
#pragma once

#include "device/backends/cuda/cuda_api.h"
#include "device/backends/cuda/cuda_code.h"
#include "device/backends/cuda/cuda_host.h"
#include "model/arch.h"

#define CUDA_FOLDERS_MOST 2
#define CUDA_ARCHS_MOST   64

struct cuda_compiler {
    struct nvrtc_api api;
    int major, minor;                 // "NVRTC 13.0"
    int archs[CUDA_ARCHS_MOST];       // capabilities it builds for, ascending
    int arch_count;                   // of them
    struct text opened;               // path of the library
    uint64_t bytes, changed_ns;       // of that file: two releases may have one version
    char *folders[CUDA_FOLDERS_MOST]; // of the toolkit's headers, NULL where there are none
};

// `toolkit`: the CUDA installation that the user chose, or NULL.
bool cuda_compiler_open(struct cuda_compiler *c, const char *toolkit, struct error *e);
void cuda_compiler_close(struct cuda_compiler *c);

// The architecture to build for a card of this capability: "sm_90a", with its specific features, if
// NVRTC knows it; else the nearest one below it whose code the card runs.
bool cuda_compiler_target(const struct cuda_compiler *c, uint32_t capability, char out[16],
                          struct error *e);
// Can it build for an architecture that was asked for by name?
bool cuda_compiler_takes(const struct cuda_compiler *c, const struct arch_name *name,
                         struct error *e);

struct cuda_request {
    const char *name;   // of the file, for messages
    const char *source; // terminated
    const char *const *options;
    uint32_t option_count;
    const char *const *kernels; // name expressions ("k", "k<16, float>")
    uint32_t kernel_count;
    bool ptx; // PTX text instead of a cubin
    struct cuda_host host;
};

// Fills `out` (the log in any case). *result: NVRTC's own code. What the source includes of the host's headers is added
// to the request.
bool cuda_compile(const struct cuda_compiler *c, struct cuda_request *q, struct cuda_code *out,
                  nvrtcResult *result, struct error *e);
