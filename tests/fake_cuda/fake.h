// A driver and a compiler for tests: libcuda.so.1 and libnvrtc.so with as much of them as
// hone-worker calls, and no card. It runs no kernels; it knows a few by a marker in their text
// (../fake_driver/kernel.h) and does on the host what they say. The clock of its events is its own.
// A test finds both through LD_LIBRARY_PATH.
//
// What else they do is asked for in the environment, read anew at each call. Calls are named as in
// src/core/device/backends/cuda/cuda_api.h (cuMemAlloc, not cuMemAlloc_v2); FAKE_CUDA_HANG, _FAIL, _DIE,
// _HOW, _STATE are those of ../fake_driver/orders.h.
//
//   FAKE_CUDA_CARDS  how many there are (default 1)
//   FAKE_CUDA_NAME   the card's name
//   FAKE_CUDA_DOMAIN  the first number of its PCI address, 0000:65:00.0: cards of different ones do not wait for each
//                    other's lock
//   FAKE_CUDA_CODE   what a launch answers when it fails (FAKE_CUDA_HOW=wait), and then every call
//                    in its context; default 700, an illegal address
//   FAKE_CUDA_DEAD   open (default) | load | refuse | wait | hang | kill: what a dead card does
//   FAKE_CUDA_LIE    garbage | nothing | zero | unread: outputs are wrong or left as they were,
//   times
//                    between events are 0, reading answers success and reads nothing
//   FAKE_CUDA_MEMORY bytes of the card (default 256 MiB)
//   FAKE_CUDA_DRIVER the driver's version (default 13000)
//   FAKE_CUDA_TICK_NS     of the event clock (default 1)
//   FAKE_CUDA_COMMAND_NS  that each command takes (default 10000); -DFAKE_NS=N in the options of a
//                         program says it for its kernels
//   FAKE_CUDA_ENQUEUE_NS  that the host takes to enqueue a launch (0)
//
//   FAKE_CUDA_NVRTC  the compiler's major version (default 13)
//   FAKE_CUDA_COMPILE_MS  that each compilation takes besides
//   FAKE_CUDA_COMPILED  a file that gets a line for each compilation that begins: the process that started the worker
//
// -DFAKE_ERROR does not build; -DFAKE_REGISTERS=N is what the assembler says a kernel needs.
#ifndef HONE_TESTS_FAKE_CUDA_H
#define HONE_TESTS_FAKE_CUDA_H

#include "../fake_driver/kernel.h"
#include "device/backends/cuda/cuda_api.h"

// What the libraries export: under the names of the real ones.
#define FAKE_DECLARE(name, symbol, result, parameters) result name parameters __asm__(symbol);

// For a test in the same process, which finds it with dlsym(): objects of the driver, or of the
// compiler, that were made and not released.
int fake_live_objects(void);

// A compiled program: this line, one with the options, and the source.
#define FAKE_CUBIN "FAKE CUBIN\n"

// ---- memory.c

// The memory that begins at or before `at` and holds it: how many bytes are left of it; 0: none.
size_t fake_memory_left(CUdeviceptr at);
CUcontext fake_context(void);
// A texture's or surface's; 0: it is none.
CUdeviceptr fake_object_memory(unsigned long long object, bool is_surface);
void fake_describe(CUarray array, CUDA_ARRAY3D_DESCRIPTOR *out);
bool fake_memory_range(CUdeviceptr at, CUdeviceptr *base, size_t *bytes);
CUresult fake_allocate(CUdeviceptr *out, size_t bytes);
bool fake_give_back(CUdeviceptr at); // false: nothing was allocated there
void *fake_new(size_t size);         // zeroed, counted
void fake_free(void *object);

// At the head of each call in a context: hangs, or returns what to fail with.
CUresult fake_call(const char *call);
// A launch has failed: nothing works in its context any more.
void fake_context_fails(void);

// The driver's memory begins at this address from now on, until it is abandoned.
void fake_adopt(CUdeviceptr at, size_t bytes);
void fake_abandon(CUdeviceptr at);

// ---- graphs.c

bool fake_is_recorded(CUstream stream);
bool fake_records(void); // any stream
void fake_record(CUfunction f, size_t blocks, size_t threads, unsigned dynamic_bytes,
                 void **parameters);

// ---- capture.c

size_t fake_host_left(CUdeviceptr at); // as fake_memory_left(), of the host's memory

// ---- launches.c

struct CUmod_st {
    char *options, *source;
    struct CUfunc_st *functions;
    uint8_t *symbol; // the one that was asked for
};

struct CUfunc_st {
    struct CUfunc_st *next;
    struct CUmod_st *module;
    struct declaration declared;
    int dynamic_bytes; // opted in to
};

size_t fake_parameter_bytes(const struct parameter *p);
CUresult fake_launch_kernel(CUfunction f, size_t blocks, size_t threads, unsigned dynamic_bytes,
                            CUstream stream, void **parameters);

// Moves the clock.
uint64_t fake_now_ns(void);
void fake_pass_ns(uint64_t ns);
void fake_wait(void); // for all commands
uint64_t fake_command_ns(void);

#endif
