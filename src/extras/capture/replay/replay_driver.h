// hone-replay's parts: the folder, requests and comparing are common (replay_main.c); what a driver does is behind its operations.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGUMENTS_MOST = 512, VALUE_MOST = 32768 };

struct replay_geometry {
    unsigned dimensions;
    size_t global[3], local[3], offset[3];
    bool has_local, has_offset;
    uint32_t shared; // CUDA: bytes of dynamic shared memory
};

struct replay;

// The text that a trial compiles instead.
struct replay_text {
    const char *options;
    const char *source, *function; // NULL: the kernel's own
};

// A memory is a handle or an address; 0: none. False: replay_fail() was called.
struct replay_driver {
    bool (*open)(struct replay *r, const char *device, const char *driver);
    // Makes the kernel that the next calls are about; `other` NULL: as it was.
    bool (*build)(struct replay *r, json_t *kernel, const struct replay_text *other);
    void (*release)(struct replay *r);
    bool (*set_value)(struct replay *r, unsigned at, const void *bytes, size_t length);
    bool (*set_memory)(struct replay *r, unsigned at, uintptr_t memory);
    bool (*set_local)(struct replay *r, unsigned at,
                      size_t bytes); // NULL: there is no such argument
    // A pointer inside a value that is set already; NULL: values have none.
    bool (*set_inside)(struct replay *r, unsigned at, size_t offset, uintptr_t memory);
    bool (*allocate)(struct replay *r, size_t bytes, uintptr_t *out);
    // An image (with what the argument says beside it) or a sampler, as the log says it; NULL: there is none.
    bool (*image)(struct replay *r, json_t *about, size_t bytes, uintptr_t *out);
    bool (*set_sampler)(struct replay *r, unsigned at, json_t *about);
    bool (*part)(struct replay *r, uintptr_t whole, size_t offset, size_t bytes, uintptr_t *out);
    // Memory in the launch's places, until the kernel's release; NULL: the driver has none at an address.
    bool (*place)(struct replay *r);
    // The memory of the module's symbol; NULL: modules have none.
    bool (*symbol)(struct replay *r, const char *name, size_t bytes, uintptr_t *out);
    void (*free)(struct replay *r, uintptr_t memory);
    bool (*write)(struct replay *r, uintptr_t memory, size_t offset, size_t bytes,
                  const void *from);
    bool (*read)(struct replay *r, uintptr_t memory, size_t offset, size_t bytes, void *to);
    bool (*launch)(struct replay *r, const struct replay_geometry *g);
};

extern const struct replay_driver replay_opencl, replay_cuda;

struct replay {
    const char *folder;
    json_t *lines; // of the log, by "k" or "l" and the key
    const struct replay_driver *driver;
    void *state; // the driver's; NULL: not opened
    char device_name[1024], driver_name[1024];
    json_t *places; // of the launch; NULL: its memory may lie anywhere
    unsigned count; // of the kernel's arguments
    bool is_trial;  // of other options: with a text that takes them, and a zone behind each buffer
    char why[2048]; // "": nothing went wrong
};

bool replay_fail(struct replay *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *replay_string(json_t *o, const char *key); // "": there is none
// A content, checked against its digest; for free(), with a NUL behind it.
unsigned char *replay_content(struct replay *r, const char *digest, size_t *length);
// A text, with definitions that options replace if this is a trial.
char *replay_source(struct replay *r, const char *digest, size_t *length);
