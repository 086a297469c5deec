#include "spec_files.h"

#include "base/text.h"
#include "model/blob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool __wrap_file_read(const char *path, size_t limit, struct text *out, struct error *e);
bool __real_file_read(const char *path, size_t limit, struct text *out, struct error *e);
bool __wrap_blob_file_look(const char *path, struct blob_file *out, struct error *e);
bool __real_blob_file_look(const char *path, struct blob_file *out, struct error *e);
bool __wrap_blob_file_read(const struct blob_file *f, uint64_t from, void *out, size_t length,
                           struct error *e);
bool __real_blob_file_read(const struct blob_file *f, uint64_t from, void *out, size_t length,
                           struct error *e);
int __wrap_stat(const char *path, struct stat *st);
int __real_stat(const char *path, struct stat *st);

static struct {
    const uint8_t *data;
    size_t size;
} parts[PART_COUNT];
static bool active;

void spec_files_end(void)
{
    active = false;
}

void spec_files_begin(const uint8_t *data, size_t size)
{
    active = true;
    for (int i = 0; i < PART_COUNT; i++) {
        const uint8_t *end = size > 0 && i != PART_DATA ? memchr(data, 0, size) : NULL;
        size_t length = end ? (size_t)(end - data) : size;
        parts[i].data = data;
        parts[i].size = length;
        length += end != NULL;
        data += length;
        size -= length;
    }
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

bool __wrap_file_read(const char *path, size_t limit, struct text *out, struct error *e)
{
    if (!active)
        return __real_file_read(path, limit, out, e);
    enum spec_part part = part_of(path);
    text_clear(out);
    if (limit && parts[part].size > limit)
        return error_set(e, ERROR_IO, "%s: larger than %zu bytes", path, limit);
    text_add(out, ""); // an empty file too has bytes to point to
    text_addn(out, parts[part].data, parts[part].size);
    return !out->failed || error_memory(e);
}

bool __wrap_blob_file_look(const char *path, struct blob_file *out, struct error *e)
{
    if (!active)
        return __real_blob_file_look(path, out, e);
    *out = (struct blob_file){.path = path, .size = parts[PART_DATA].size};
    return true;
}

bool __wrap_blob_file_read(const struct blob_file *f, uint64_t from, void *out, size_t length,
                           struct error *e)
{
    if (!active)
        return __real_blob_file_read(f, from, out, length, e);
    if (from > f->size || length > f->size - from)
        abort();
    if (length > 0)
        memcpy(out, parts[PART_DATA].data + from, length);
    return true;
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
