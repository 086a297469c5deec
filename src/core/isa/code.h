// The contents of a compiled kernel: its instructions by class, from the text of NVIDIA's PTX or of
// its SASS (as nvdisasm and cuobjdump print it). Pure functions on text; tools.h gets the text from
// a driver's binary.
//
// Counts are static: each instruction that can be reached counts once, however often it runs. The
// *hottest loop* is the one with the most multiply-adds of its own (those of loops within it not
// counted), each level of nesting taken to run ten times; if there are no multiply-adds,
// accesses to memory count instead, and instructions if there are none of these either.
#pragma once

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_kind { CODE_PTX, CODE_SASS, CODE_KINDS };

// X(NAME, name in JSON, one of them, several). The first ones, up to CODE_ACCESSES, have widths.
#define CODE_CLASSES(X)                                                                            \
    X(LOAD_GLOBAL, "load_global", "load from global memory", "loads from global memory")           \
    X(STORE_GLOBAL, "store_global", "store to global memory", "stores to global memory")           \
    X(LOAD_SHARED, "load_shared", "load from shared memory", "loads from shared memory")           \
    X(STORE_SHARED, "store_shared", "store to shared memory", "stores to shared memory")           \
    X(LOAD_LOCAL, "load_local", "load of a spilled register or private array",                     \
      "loads of spilled registers or private arrays")                                              \
    X(STORE_LOCAL, "store_local", "store of a spilled register or private array",                  \
      "stores of spilled registers or private arrays")                                             \
    X(LOAD_CONSTANT, "load_constant", "load of a constant or parameter",                           \
      "loads of constants or parameters")                                                          \
    X(LOAD_GENERIC, "load_generic", "load through a generic pointer",                              \
      "loads through generic pointers")                                                            \
    X(STORE_GENERIC, "store_generic", "store through a generic pointer",                           \
      "stores through generic pointers")                                                           \
    X(ASYNC_COPY, "async_copy", "asynchronous copy", "asynchronous copies")                        \
    X(ATOMIC, "atomic", "atomic operation", "atomic operations")                                   \
    X(TEXTURE, "texture", "texture or surface access", "texture or surface accesses")              \
    X(FMA32, "fma_f32", "float fma", "float fmas")                                                 \
    X(MUL32, "mul_f32", "float multiplication", "float multiplications")                           \
    X(ADD32, "add_f32", "float addition", "float additions")                                       \
    X(FMA64, "fma_f64", "double fma", "double fmas")                                               \
    X(MUL64, "mul_f64", "double multiplication", "double multiplications")                         \
    X(ADD64, "add_f64", "double addition", "double additions")                                     \
    X(FMA16, "fma_f16", "half fma", "half fmas")                                                   \
    X(FLOAT16, "other_f16", "other half operation", "other half operations")                       \
    X(FLOAT, "other_float", "other float operation", "other float operations")                     \
    X(FUNCTION, "function", "special function or division", "special functions or divisions")      \
    X(MMA, "mma", "tensor operation (mma)", "tensor operations (mma)")                             \
    X(WGMMA, "wgmma", "tensor operation (wgmma)", "tensor operations (wgmma)")                     \
    X(INTEGER, "integer", "integer operation", "integer operations")                               \
    X(INTEGER64, "integer64", "64-bit integer operation", "64-bit integer operations")             \
    X(CONVERT, "convert", "conversion", "conversions")                                             \
    X(SELECT, "select", "comparison or select", "comparisons or selects")                          \
    X(BRANCH, "branch", "branch", "branches")                                                      \
    X(BARRIER, "barrier", "barrier or fence", "barriers or fences")                                \
    X(WAIT, "wait", "commit or wait", "commits or waits")                                          \
    X(WARP, "warp", "exchange within a warp", "exchanges within a warp")                           \
    X(MOVE, "move", "move", "moves")                                                               \
    X(SPECIAL, "special_register", "read of a special register", "reads of special registers")     \
    X(OTHER, "other", "other instruction", "other instructions")

enum code_class {
#define X(name, key, one, several) CODE_##name,
    CODE_CLASSES(X)
#undef X
        CODE_CLASS_COUNT
};

#define CODE_ACCESSES (CODE_ASYNC_COPY + 1)
// 8, 16, 32, 64, 128 and 256 bits; an asynchronous copy whose width does not stand in its text
// (bulk copies) counts in none.
#define CODE_WIDTHS 6

struct code_counts {
    uint32_t instructions;
    uint32_t of[CODE_CLASS_COUNT];
    uint32_t wide[CODE_ACCESSES][CODE_WIDTHS];
    // Multiply-adds of one work-item: one for an fma, its share for a tensor operation.
    double multiply_adds;
};

struct code_profile {
    enum code_kind kind;
    char kernel[256];             // name
    char target[32];              // "sm_90a"; "" if the text does not say
    struct code_counts whole;     // what can be reached of the kernel
    uint32_t loops;               // how many it has
    struct code_counts loop;      // a pass of the hottest; zeros without one
    uint32_t loop_depth;          // 1: it is in no other; 0: there is none
    size_t loop_first, loop_last; // its lines in the text, from 1
};

// Reads the kernel of that name (NULL: the only one) in a text, which need not be terminated. An
// error says what is wrong and in which line, or which kernels there are.
bool code_profile(const char *text, size_t length, enum code_kind kind, const char *kernel,
                  struct code_profile *out, struct error *e);

// Is this PTX text (a ".version" line ahead of any code), or NVIDIA's ELF file (a cubin)?
bool code_is_ptx(const void *bytes, size_t length);
bool code_is_cubin(const void *bytes, size_t length);
// The first ".target" of a PTX text: "sm_90" into out, of at least 32 bytes; false without one.
bool code_ptx_target(const char *text, size_t length, char *out);

// Appends what a PTX text asks of the caches beyond what compilers do by themselves: loads and stores that choose how they are
// cached, prefetches, discards, priorities and policies, in all of its functions: "2 ld.global.cs.f32, 1 prefetch.global.L2"; at
// most CODE_POLICIES different ones, and how many more. How many there are in sum; 0 of what is not PTX, too.
#define CODE_POLICIES 8
size_t code_cache_policies(const char *text, size_t length, struct text *out);

const char *code_class_key(enum code_class c);
const char *code_class_text(enum code_class c, uint32_t count); // "float fma", "float fmas"
unsigned code_width_bits(unsigned width);                       // of an index into `wide`
