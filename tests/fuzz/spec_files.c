#include "spec_files.h"

#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int __wrap_open(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
int __wrap_stat(const char *path, struct stat *st);
int __real_stat(const char *path, struct stat *st);

static int parts[PART_COUNT] = {-1, -1, -1, -1};
static bool active;

void spec_files_end(void)
{
    active = false;
}

static void fill_part(enum spec_part part, const uint8_t *data, size_t size)
{
    if (parts[part] < 0)
        parts[part] = memfd_create("spec part", MFD_CLOEXEC);
    REQUIRE(parts[part] >= 0 && ftruncate(parts[part], 0) == 0);
    REQUIRE(pwrite(parts[part], data, size, 0) == (ssize_t)size);
}

void spec_files_begin(const uint8_t *data, size_t size)
{
    static const size_t end_length = sizeof SPEC_PART_END - 1;
    for (int i = 0; i < PART_COUNT; i++) {
        const uint8_t *end =
            size > 0 && i != PART_DATA ? memmem(data, size, SPEC_PART_END, end_length) : NULL;
        size_t length = end ? (size_t)(end - data) : size;
        fill_part((enum spec_part)i, data, length);
        length += end ? end_length : 0;
        data += length;
        size -= length;
    }
    active = true;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), most = strlen(ending);
    return length >= most && strcmp(path + length - most, ending) == 0;
}

static enum spec_part part_of(const char *path)
{
    if (strcmp(path, SPEC_FILE) == 0)
        return PART_SPEC;
    if (ends_with(path, ".npy") || ends_with(path, ".bin"))
        return PART_DATA;
    return ends_with(path, ".h") ? PART_INCLUDE : PART_KERNEL;
}

int __wrap_open(const char *path, int flags, ...)
{
    char own[40];
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (!active)
        return __real_open(path, flags, mode);
    REQUIRE((flags & O_ACCMODE) == O_RDONLY);
    snprintf(own, sizeof own, "/proc/self/fd/%d", parts[part_of(path)]);
    return __real_open(own, flags);
}

// Files have a dot in their name, folders have none.
int __wrap_stat(const char *path, struct stat *st)
{
    if (!active)
        return __real_stat(path, st);
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    memset(st, 0, sizeof *st);
    if (strncmp(name, "missing", 7) == 0) {
        errno = ENOENT;
        return -1;
    }
    st->st_mode = strchr(name, '.') ? S_IFREG : S_IFDIR;
    return 0;
}
