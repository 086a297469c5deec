// The one error record. The caller supplies it, nothing is allocated.
//
// A function that can fail returns false (or NULL) and fills the record. The first cause is kept: a
// second error_set() on a filled record changes nothing. On the way up, error_context() puts the
// place in front, so that the text is complete enough to print:
//
//   specs/matmul.json:31:5: ConfigurationSpace.Conditions[3]: column 7: unknown name
//   'tile_sizex'; did you mean 'tile_size_x'?
#pragma once

#include <stdbool.h>
#include <stddef.h>

// A row X(name, text) of any closed list as its text: {ERROR_CODES(LIST_TEXT)} is the texts in the order of
// the enum that is made of the list.
#define LIST_TEXT(name, text) text,

// X(name, text): the closed list of what can go wrong.
#define ERROR_CODES(X)                                                                             \
    X(NONE, "no error")                                                                            \
    X(USAGE, "wrong use")       /* what the caller asked for makes no sense */                     \
    X(INPUT, "bad input")       /* a spec, expression or file is wrong */                          \
    X(IO, "input/output error") /* a file cannot be read or written; driver is errno */            \
    X(MEMORY, "out of memory")                                                                     \
    X(DEVICE, "device error") /* a driver refused; driver is the driver's own code */              \
    X(WORKER, "worker error") /* a worker process died or broke the protocol */                    \
    X(STORE, "store error")   /* the result store cannot be used; driver is SQLite's code */       \
    X(INTERRUPTED, "interrupted")                                                                  \
    X(INTERNAL, "internal error")

enum error_code {
#define X(name, text) ERROR_##name,
    ERROR_CODES(X)
#undef X
};

struct error {
    enum error_code code;
    int driver; // errno, or the driver's own code; 0 where there is none
    char text[4096];
};

#define ERROR_INIT                                                                                 \
    {                                                                                              \
        .code = ERROR_NONE                                                                         \
    }

// Each returns false, so that a failing function can `return error_set(...)`. `e` may be NULL.
bool error_set(struct error *e, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// As error_set(), with the driver's own number kept beside the text.
bool error_set_driver(struct error *e, enum error_code code, int driver, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Sets ERROR_MEMORY.
bool error_memory(struct error *e);
// The same where a pointer is returned: NULL.
void *error_no_memory(struct error *e);
// Zeroed memory, for free(); NULL with ERROR_MEMORY.
void *alloc_zeroed(size_t size, struct error *e);
// Puts "context: " in front of the text.
bool error_context(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void error_clear(struct error *e);
const char *error_code_text(enum error_code code);

// The analyser reads one file at a time and does not see that these always return false. Files that
// define such functions undefine the macros.
#ifdef __clang_analyzer__
#define error_set(...)        (error_set(__VA_ARGS__), false)
#define error_set_driver(...) (error_set_driver(__VA_ARGS__), false)
#define error_memory(e)       (error_memory(e), false)
#define error_context(...)    (error_context(__VA_ARGS__), false)
#endif
