// Data files are never held: they are read in parts, each time from the path, and a part only
// counts when the file still is what it was when its digest was computed.
#include "model/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot_read(const char *path, int reason, struct error *e)
{
    return error_set_driver(e, ERROR_IO, reason, "cannot read '%s': %s", path, strerror(reason));
}

static bool note_facts(int fd, struct blob_file *out, struct error *e)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return cannot_read(out->path, errno, e);
    if (!S_ISREG(s.st_mode))
        return error_set(e, ERROR_IO, "cannot read '%s': %s", out->path,
                         S_ISDIR(s.st_mode)
                             ? "it is a folder, not a file"
                             : "it is not a regular file, and data is read more than "
                               "once");
    out->device = (uint64_t)s.st_dev;
    out->inode = (uint64_t)s.st_ino;
    out->size = (uint64_t)s.st_size;
    out->modified_s = (int64_t)s.st_mtim.tv_sec;
    out->modified_ns = (int64_t)s.st_mtim.tv_nsec;
    return true;
}

// Without waiting for a writer: a FIFO is refused rather than opened.
static int open_file(const char *path, struct error *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        cannot_read(path, errno, e);
    return fd;
}

bool blob_file_look(const char *path, struct blob_file *out, struct error *e)
{
    int fd = open_file(path, e);
    *out = (struct blob_file){.path = path};
    bool ok = fd >= 0 && note_facts(fd, out, e);
    if (fd >= 0)
        close(fd);
    return ok;
}

static bool read_part(int fd, const struct blob_file *f, uint64_t from, void *out, size_t length,
                      struct error *e)
{
    uint8_t *at = out;
    while (length > 0) {
        ssize_t n = pread(fd, at, length, (off_t)from);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot_read(f->path, errno, e);
        if (n == 0)
            return error_set(e, ERROR_INPUT, "%s: ends earlier than it did before", f->path);
        at += n;
        from += (uint64_t)n;
        length -= (size_t)n;
    }
    return true;
}

static bool check_unchanged(int fd, const struct blob_file *was, struct error *e)
{
    struct blob_file is = {.path = was->path};
    if (!note_facts(fd, &is, e))
        return false;
    bool same = was->device == is.device && was->inode == is.inode && was->size == is.size &&
                was->modified_s == is.modified_s && was->modified_ns == is.modified_ns;
    return same || error_set(e, ERROR_INPUT,
                             "%s: has changed since this run began to use it; what was measured so "
                             "far is of what it held then: start again",
                             was->path);
}

// The facts are looked at behind the reading too: what was written meanwhile shows in them.
bool blob_file_read(const struct blob_file *f, uint64_t from, void *out, size_t length,
                    struct error *e)
{
    int fd = open_file(f->path, e);
    bool ok = fd >= 0 && check_unchanged(fd, f, e) && read_part(fd, f, from, out, length, e) &&
              check_unchanged(fd, f, e);
    if (fd >= 0)
        close(fd);
    return ok;
}
