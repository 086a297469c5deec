// Hone's declarations of CUDA's driver interface, of NVRTC and of cuBLAS, held against NVIDIA's own
// headers: types, values, names of symbols and signatures. Without the headers the test is skipped.
#include <stdio.h>

#ifdef HONE_CUDA_HEADERS

#include <cuda.h>
#include <nvrtc.h>

#if __has_include(<cublas_v2.h>) && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cublas_v2.h>
#endif

#include "device/backends/blas/cublas.h"

#include <stdlib.h>
#include <string.h>

// A number of the same size; a handle that is the very type.
#define X(name, is)                                                                                \
    _Static_assert(sizeof(name) == sizeof(is), #name " has another size");                         \
    _Static_assert(_Alignof(name) == _Alignof(is), #name " is aligned otherwise");
CUDA_NUMBER_TYPES(X)
#undef X

#define X(name, is)                                                                                \
    _Static_assert(__builtin_types_compatible_p(name, is), #name " is another type");
CUDA_HANDLE_TYPES(X)
#undef X

_Static_assert(sizeof(CUuuid) == 16 && _Alignof(CUuuid) == 1, "CUuuid is laid out otherwise");

#define X(name, value) _Static_assert((int)(name) == (value), #name " has another value");
CUDA_CONSTANTS(X)
#undef X

// The headers' names stand for what they define them as ("cuMemAlloc_v2").
#define X(name, symbol, result, parameters)                                                        \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters),          \
                   symbol " has another signature");
CUDA_DRIVER_FUNCTIONS(X)
CUDA_OPTIONAL_FUNCTIONS(X)
NVRTC_FUNCTIONS(X)
#undef X

#ifdef CUBLAS_VERSION
#define X(name, value) _Static_assert((int)(name) == (value), #name " has another value");
CUBLAS_CONSTANTS(X)
#undef X

// hone has ints for the headers' enumerations, which have the size of ints.
#define ENUMERATION(type) _Static_assert(sizeof(type) == sizeof(int), #type " is not an int");
ENUMERATION(cublasStatus_t)
ENUMERATION(cublasOperation_t)
ENUMERATION(cublasComputeType_t)
ENUMERATION(cublasGemmAlgo_t)
ENUMERATION(cublasMath_t)
ENUMERATION(cudaDataType)
ENUMERATION(cublasLtMatmulDescAttributes_t)
ENUMERATION(cublasLtMatmulPreferenceAttributes_t)

#define MEMBER(member, at)                                                                         \
    _Static_assert(offsetof(cublasLtMatmulHeuristicResult_t, member) == (at),                      \
                   #member " is elsewhere");
MEMBER(workspaceSize, 64)
MEMBER(state, 72)
MEMBER(wavesCount, 76)
_Static_assert(sizeof(cublasLtMatmulHeuristicResult_t) == 96,
               "a heuristic's result has another size");
#endif

#define STRING_(x) #x
#define STRING(x)  STRING_(x)

struct name {
    const char *header, *ours;
};

// CUDA 13 renamed this one for a new implementation; the old name stays, and older drivers have it
// alone.
static bool is_kept(const struct name *n)
{
    return strcmp(n->ours, "cuEventElapsedTime") == 0 &&
           strcmp(n->header, "cuEventElapsedTime_v2") == 0;
}

int main(void)
{
    static const struct name names[] = {
#define X(name, symbol, result, parameters) {STRING(name), symbol},
        CUDA_DRIVER_FUNCTIONS(X) CUDA_OPTIONAL_FUNCTIONS(X) NVRTC_FUNCTIONS(X)
#undef X
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].header, names[i].ours) == 0 || is_kept(&names[i]))
            continue;
        printf("CUDA %d calls it %s, not %s\n", CUDA_VERSION, names[i].header, names[i].ours);
        wrong++;
    }
    printf("%zu functions, %d of another name\n", sizeof names / sizeof *names, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

#else

int main(void)
{
    puts("skipped: no cuda.h and nvrtc.h when this was built (set CUDA_HOME and configure again)");
    return 77;
}

#endif
