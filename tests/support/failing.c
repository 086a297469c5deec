#include "failing.h"

#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static long until_failure = -1; // allocations that still succeed; negative: all
static long left;               // blocks
static bool counting;

void failing_start(long successes)
{
    left = 0;
    counting = true;
    until_failure = successes;
}

bool failing_end(void)
{
    bool failed = until_failure < 0;
    until_failure = -1;
    counting = false;
    return failed;
}

long failing_left(void)
{
    return left;
}

static bool fails(void)
{
    bool now = until_failure >= 0 && until_failure-- == 0;
    if (now)
        errno = ENOMEM;
    return now;
}

#ifdef HONE_FAILING_WRAP // the linker sends the objects' allocations through here

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails() ? NULL : __real_realloc(old, bytes);
}

#else // a program's symbols come before a library's

#define VISIBLE __attribute__((visibility("default")))

// glibc's own, under their other names.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *old);

// Where jansson's code lies. Its version 2.14 goes on without the character for which its buffer
// could not grow, and says nothing: its allocations are spared.
static uintptr_t spared_start, spared_end;

static int find_spared(struct dl_phdr_info *library, size_t size, void *context)
{
    (void)size, (void)context;
    for (int i = 0; strstr(library->dlpi_name, "libjansson") && i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        spared_start = library->dlpi_addr + part->p_vaddr;
        spared_end = spared_start + part->p_memsz;
    }
    return 0;
}

static bool is_spared(const void *caller)
{
    if (!spared_end) {
        spared_end = 1; // looked for
        dl_iterate_phdr(find_spared, NULL);
    }
    return (uintptr_t)caller >= spared_start && (uintptr_t)caller < spared_end;
}

static bool fails_here(const void *caller)
{
    return until_failure >= 0 && !is_spared(caller) && fails();
}

static void *counted(void *p)
{
    left += counting && p;
    return p;
}

VISIBLE void *malloc(size_t bytes)
{
    return fails_here(__builtin_return_address(0)) ? NULL : counted(__libc_malloc(bytes));
}

VISIBLE void *calloc(size_t count, size_t size)
{
    return fails_here(__builtin_return_address(0)) ? NULL : counted(__libc_calloc(count, size));
}

VISIBLE void *realloc(void *old, size_t bytes)
{
    if (fails_here(__builtin_return_address(0)))
        return NULL;
    void *p = __libc_realloc(old, bytes);
    return old ? p : counted(p);
}

VISIBLE void free(void *old)
{
    left -= counting && old;
    __libc_free(old);
}

#endif
