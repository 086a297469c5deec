// CUDA gives its threads names by files of its own process, and does not begin where it cannot: an error of its own (304). In a
// sandbox around hone itself it cannot, because a process that starts later has no file yet that could be allowed. So the worker
// has this fopen() in the place of the library's: a name that may not be written goes to /dev/null.
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TASKS "/proc/self/task/"

typedef FILE *opener(const char *path, const char *mode);

// By these names drivers call them.
__attribute__((visibility("default"))) FILE *worker_fopen(const char *path,
                                                          const char *mode) __asm__("fopen");
__attribute__((visibility("default"))) FILE *worker_fopen64(const char *path,
                                                            const char *mode) __asm__("fopen64");

static bool is_thread_name(const char *path)
{
    if (strncmp(path, TASKS, strlen(TASKS)) != 0)
        return false;
    const char *rest = path + strlen(TASKS);
    return strcmp(rest + strspn(rest, "0123456789"), "/comm") == 0;
}

static FILE *open_by(const char *name, const char *path, const char *mode)
{
    opener *library = NULL;
    *(void **)&library = dlsym(RTLD_NEXT, name);
    if (!library) {
        errno = ENOSYS;
        return NULL;
    }
    FILE *f = library(path, mode);
    return f || errno != EACCES || !is_thread_name(path) ? f : library("/dev/null", mode);
}

FILE *worker_fopen(const char *path, const char *mode)
{
    return open_by("fopen", path, mode);
}

FILE *worker_fopen64(const char *path, const char *mode)
{
    return open_by("fopen64", path, mode);
}
