// Replaces a file by writing a new one beside it and renaming that, so that a reader, or a machine that
// loses power, sees the old file or the new one. What is no regular file (a pipe, a terminal) is written in
// place.
#include "os/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_to_write(const char *path, int why, struct error *e)
{
    return error_set_driver(e, ERROR_IO, why, "%s: cannot write: %s", path, strerror(why));
}

bool file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return strcmp(a, b) == 0 ||
           (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

// Something that is there and has to be written as it is.
static bool is_special_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

// The new file beside `path`, whose name is the caller's to free; -1 with the error.
static int open_new_beside(const char *path, char **name, struct error *e)
{
    struct text t = TEXT_INIT;
    text_addf(&t, "%s.%ld.new", path, (long)getpid());
    *name = text_steal(&t);
    if (!*name) {
        error_memory(e);
        return -1;
    }
    int fd = open(*name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0)
        return fd;
    fail_to_write(path, errno, e);
    free(*name);
    return -1;
}

static bool write_whole_text(int fd, const struct text *text)
{
    const char *at = text_cstr(text);
    size_t left = text->length;
    while (left > 0) {
        ssize_t n = write(fd, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        at += n;
        left -= (size_t)n;
    }
    return true;
}

static bool write_special(const char *path, const struct text *text, struct error *e)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write_whole_text(fd, text);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok || fail_to_write(path, why, e);
}

bool file_replaceable(const char *path, struct error *e)
{
    char *name;
    if (!path[0])
        return error_set(e, ERROR_USAGE, "the file has no name");
    if (is_folder(path))
        return fail_to_write(path, EISDIR, e);
    if (is_special_file(path))
        return access(path, W_OK) == 0 || fail_to_write(path, errno, e);
    int fd = open_new_beside(path, &name, e);
    if (fd < 0)
        return false;
    close(fd);
    unlink(name);
    free(name);
    return true;
}

bool file_create(const char *path, const struct text *text, struct error *e)
{
    if (text->failed)
        return error_memory(e);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return error_set(e, ERROR_USAGE, "%s is there already; --output FILE writes another", path);
    bool ok = fd >= 0 && write_whole_text(fd, text);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    if (fd >= 0 && !ok)
        unlink(path); // half of it would be in the way of the next attempt
    return ok || fail_to_write(path, why, e);
}

bool file_replace(const char *path, const struct text *text, struct error *e)
{
    char *name;
    if (text->failed)
        return error_memory(e);
    if (is_special_file(path))
        return write_special(path, text, e);
    int fd = open_new_beside(path, &name, e);
    if (fd < 0)
        return false;
    bool ok = write_whole_text(fd, text);
    int why = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    if (ok && rename(name, path) != 0) {
        ok = false;
        why = errno;
    }
    if (!ok)
        unlink(name);
    free(name);
    return ok || fail_to_write(path, why, e);
}
