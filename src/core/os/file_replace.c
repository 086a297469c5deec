// Replaces a file by writing a new one beside it and renaming that, so that a reader, or a machine that
// loses power, sees the old file or the new one. The new one has the mode, owner and group of the old,
// and a symbolic link stays one: its target is replaced. Some things are written in place: pipes and
// terminals, an open file of this process (/dev/stdout), and a file of another owner, which a new file
// could not have.
#include "os/file_replace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MOST 40 // as the kernel

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

// ---- where to ----------------------------------------------------------------------------------

// A path without a symbolic link at its end.
struct destination {
    char *path;
    bool is_there, is_special; // neither file nor folder, or an open file of this process
    struct stat was;           // of what is there
};

static bool is_open_file(const char *link)
{
    return str_starts(link, "/proc/") || str_starts(link, "/dev/fd/");
}

// The path that the link points to: `says`, relative to the link's folder. Frees the link's path.
static char *join_link(char *link, const char *says)
{
    struct text t = TEXT_INIT;
    const char *slash = *says == '/' ? NULL : strrchr(link, '/');
    if (slash)
        text_addn(&t, link, (size_t)(slash - link) + 1);
    text_add(&t, says);
    free(link);
    return text_steal(&t);
}

// The destination's path is the caller's to free, also after a failure.
static bool find_destination(const char *path, struct destination *d, struct error *e)
{
    char says[PATH_MAX];
    ssize_t length = 0;
    *d = (struct destination){.path = strdup(path)};
    for (int links = 0; d->path && links < LINKS_MOST; links++) {
        length = readlink(d->path, says, sizeof says - 1);
        if (length < 0)
            break;
        says[length] = '\0';
        d->is_special |= is_open_file(d->path);
        d->path = join_link(d->path, says);
    }
    if (!d->path)
        return error_memory(e);
    if (length >= 0)
        return fail_to_write(path, ELOOP, e);
    d->is_there = stat(path, &d->was) == 0;
    d->is_special |= d->is_there && !S_ISREG(d->was.st_mode) && !S_ISDIR(d->was.st_mode);
    return true;
}

static bool is_anothers(const struct destination *d)
{
    return d->is_there && d->was.st_uid != geteuid() && geteuid() != 0;
}

// ---- the new file ------------------------------------------------------------------------------

static bool add_random_name(struct text *name)
{
    unsigned char bytes[12];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        text_addf(name, "%02x", bytes[i]);
    text_add(name, ".new");
    return !name->failed;
}

// A group that cannot be kept gets none of the rights that were another group's.
static bool keep_attributes(int fd, const struct stat *was)
{
    mode_t mode = was->st_mode & 07777;
    if (was->st_uid != geteuid() && fchown(fd, was->st_uid, (gid_t)-1) != 0)
        return false;
    if (fchown(fd, (uid_t)-1, was->st_gid) != 0)
        mode &= ~(mode_t)(S_ISUID | S_ISGID | S_IRWXG);
    return fchmod(fd, mode) == 0;
}

// The new file beside the destination, whose name is the caller's to free; -1 with the error.
static int open_new_beside(const struct destination *d, char **name, struct error *e)
{
    struct text t = TEXT_INIT;
    int why = ENOMEM;
    text_addf(&t, "%s.", d->path);
    bool ok = add_random_name(&t);
    *name = text_steal(&t);
    int fd = ok && *name ? open(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                d->is_there ? 0600 : 0666)
                         : -1;
    if (ok && *name)
        why = errno;
    if (fd >= 0 && (!d->is_there || keep_attributes(fd, &d->was)))
        return fd;
    if (fd >= 0) {
        why = errno;
        close(fd);
        unlink(*name);
    }
    fail_to_write(d->path, why, e);
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

// Not every file system, and nothing but files, can be told to.
static bool is_synced(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

// Closes it. errno says why not.
static bool write_and_close(int fd, const struct text *text)
{
    bool ok = fd >= 0 && write_whole_text(fd, text) && is_synced(fd);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    errno = why;
    return ok;
}

// That a name now means another file is the folder's to keep.
static bool sync_folder(const char *path)
{
    char *folder = strdup(path);
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[slash == folder] = '\0';
    int fd = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool ok = fd < 0 ? errno == EACCES : is_synced(fd); // a folder may be written that is not read
    int why = errno;
    if (fd >= 0)
        close(fd);
    free(folder);
    errno = why;
    return ok;
}

static bool replace(const struct destination *d, const struct text *text, struct error *e)
{
    char *name;
    int fd = open_new_beside(d, &name, e);
    if (fd < 0)
        return false;
    bool ok = write_and_close(fd, text) && rename(name, d->path) == 0;
    int why = errno;
    if (!ok)
        unlink(name);
    free(name);
    if (ok && !sync_folder(d->path)) {
        ok = false;
        why = errno;
    }
    return ok || fail_to_write(d->path, why, e);
}

// Writes without replacing the file. Text for an open file or a device is appended to what it has.
static bool write_in_place(const struct destination *d, const char *path, const struct text *text,
                           struct error *e)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | (d->is_special ? O_APPEND : O_TRUNC));
    return write_and_close(fd, text) || fail_to_write(path, errno, e);
}

// ---- the interface -----------------------------------------------------------------------------

bool file_replaceable(const char *path, struct error *e)
{
    struct destination d;
    char *name;
    if (!path[0])
        return error_set(e, ERROR_USAGE, "the file has no name");
    bool ok = find_destination(path, &d, e);
    if (ok && d.is_there && S_ISDIR(d.was.st_mode)) {
        ok = fail_to_write(path, EISDIR, e);
    } else if (ok && (d.is_special || is_anothers(&d))) {
        ok = access(path, W_OK) == 0 || fail_to_write(path, errno, e);
    } else if (ok) {
        int fd = open_new_beside(&d, &name, e);
        ok = fd >= 0;
        if (ok) {
            close(fd);
            unlink(name);
            free(name);
        }
    }
    free(d.path);
    return ok;
}

bool file_create(const char *path, const struct text *text, struct error *e)
{
    if (text->failed)
        return error_memory(e);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST)
        return error_set(e, ERROR_USAGE, "%s is there already; --output FILE writes another", path);
    bool ok = write_and_close(fd, text) && sync_folder(path);
    int why = errno;
    if (fd >= 0 && !ok)
        unlink(path); // half of it would be in the way of the next attempt
    return ok || fail_to_write(path, why, e);
}

bool file_replace(const char *path, const struct text *text, struct error *e)
{
    struct destination d;
    if (text->failed)
        return error_memory(e);
    bool ok = find_destination(path, &d, e);
    if (ok && d.is_there && S_ISDIR(d.was.st_mode))
        ok = fail_to_write(path, EISDIR, e);
    else if (ok)
        ok = d.is_special || is_anothers(&d) ? write_in_place(&d, path, text, e)
                                             : replace(&d, text, e);
    free(d.path);
    return ok;
}
