// The file `counts` of a capture: what every launch adds to. The layer maps it shared, in each process of the program, so that
// it is right to the last launch however a process ends. hone reads it afterwards.
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#define CAPTURE_MAGIC UINT64_C(0x31504143454e4f48) // "HONECAP1"

enum {
    CAPTURE_SHAPES = 1 << 14, // of one program; a power of two
    CAPTURE_TABLES = 64,      // of `hone with`
};

// X(NAME, text): why a launch was not captured.
#define CAPTURE_REASONS(X)                                                                         \
    X(NONE, "")                                                                                    \
    X(LAUNCHES, "of a shape beyond --sample")                                                      \
    X(OTHER_KERNEL, "of a kernel that --kernel does not name")                                     \
    X(LIMIT, "the data would pass --limit")                                                        \
    X(DISK, "the folder could not be written (a full disk?)")                                      \
    X(MEMORY, "the host's memory did not suffice for a copy")                                      \
    X(USER_EVENT, "the program holds launches back by an event of its own")                        \
    X(PIPE, "it has a pipe, an image of several samples, or a texture that a replay cannot make")  \
    X(ARGUMENT, "an argument was set before the layer saw the kernel")                             \
    X(MANY, "it reaches more memories than a capture holds: pointers, textures and symbols")       \
    X(READ, "the driver refused to read a buffer")                                                 \
    X(SYSTEM_POINTER, "a pointer to memory of the host")                                           \
    X(COMMAND_BUFFER, "recorded in a command buffer")                                              \
    X(GRAPH, "in a CUDA graph that the driver does not run in parts")                              \
    X(ATTRIBUTES, "a cooperative launch, or one with attributes that a replay does not have")      \
    X(FAILED, "the launch failed")

// X(NAME, text): why `hone with` left a launch to the program's own kernel.
#define REPLACE_REASONS(X)                                                                         \
    X(NONE, "")                                                                                    \
    X(UNKNOWN, "of a kernel that no table has")                                                    \
    X(DEVICE, "on another device or driver")                                                       \
    X(ARGUMENTS, "with other arguments")                                                           \
    X(GEOMETRY, "with another geometry")                                                           \
    X(SIZE, "of a size that the restrictions refuse")                                              \
    X(BUILD, "the tuned program does not build")                                                   \
    X(GRAPH, "that the program put into a CUDA graph, or records when it is not built yet")        \
    X(LAUNCH, "the driver refused the tuned launch")                                               \
    X(DIFFERENCE, "after --verify found a difference")                                             \
    X(UNREAD, "that --verify launched both ways and could not compare")

enum capture_reason {
#define X(name, text) CAPTURE_##name,
    CAPTURE_REASONS(X)
#undef X
        CAPTURE_REASON_COUNT
};

enum replace_reason {
#define X(name, text) REPLACE_##name,
    REPLACE_REASONS(X)
#undef X
        REPLACE_REASON_COUNT
};

struct capture_shape {
    _Atomic uint64_t key; // of kernel, geometry, scalars and sizes; 0: free
    _Atomic uint64_t kernel;
    _Atomic uint64_t launches, timed, ns; // ns: of those that were timed
    _Atomic uint32_t state;               // 0: not decided; 1: captured, or being captured
    _Atomic uint32_t reason;              // enum capture_reason, of the last that was not
};

struct capture_counts {
    uint64_t magic;
    _Atomic uint64_t calls;     // of the API, that the layer wraps, but for those that repeat
    _Atomic uint64_t processes; // that loaded the layer
    _Atomic uint64_t programs, binaries, refused, il;
    _Atomic uint64_t images;          // of CUDA, of which the text is not known
    _Atomic uint64_t launches, bytes; // bytes: of contents that were kept
    _Atomic uint64_t unlisted;        // launches for which `shapes` had no room
    _Atomic uint64_t graphs;          // launches of CUDA graphs
    _Atomic uint64_t skipped[CAPTURE_REASON_COUNT];
    _Atomic uint64_t full; // a write failed; errno
    // `hone with`
    _Atomic uint64_t replaced, verified, differences;
    _Atomic uint64_t kept[REPLACE_REASON_COUNT];
    struct capture_shape shapes[CAPTURE_SHAPES];
};
