#include "eval/lock.h"

#include "base/digest.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Somebody who waits looks again after 5 ms; we stay away long enough for two such looks.
#define COURTESY_NS (12ull * 1000000)

#define PCI_DIGITS 12 // "0000:65:00.0"

// One address is written in several ways: see pci_same().
static const char *last_digits(const char *pci, char *out)
{
    size_t length = strlen(pci), from = length > PCI_DIGITS ? length - PCI_DIGITS : 0;
    snprintf(out, PCI_DIGITS + 1, "%s", pci + from);
    for (char *c = out; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'F' ? *c - 'A' + 'a' : *c);
    return out;
}

void device_lock_name(const struct device_info *d, char *out)
{
    const char *what = d->pci && *d->pci ? d->pci : d->uuid && *d->uuid ? d->uuid : "host";
    struct digest digest;
    char hex[65], address[PCI_DIGITS + 1];
    if (d->type == DEVICE_CPU)
        what = "host";
    else if (what == d->pci)
        what = last_digits(d->pci, address);
    digest_of(what, strlen(what), &digest);
    digest_hex(&digest, hex);
    snprintf(out, DEVICE_LOCK_NAME, "hone-device-%.16s.lock", hex);
}

// In a sticky folder an existing file of another user may only be opened without O_CREAT.
static int open_shared(const char *path)
{
    for (int tries = 0; tries < 3; tries++) {
        int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0 || errno != ENOENT)
            return fd;
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0) {
            (void)!fchmod(fd, 0666); // whatever the umask: the device is everybody's
            return fd;
        }
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

bool device_lock_open(struct device_lock *l, const char *folder, const struct device_info *d,
                      struct error *e)
{
    char path[4096], name[DEVICE_LOCK_NAME];
    memset(l, 0, sizeof *l);
    device_lock_name(d, name);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    l->fd = open_shared(path);
    if (l->fd < 0)
        return error_set_driver(e, ERROR_IO, errno, "cannot open the device's lock '%s': %s", path,
                                strerror(errno));
    return true;
}

static bool set(int fd, short type, off_t byte)
{
    struct flock region = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &region) == 0;
}

static bool somebody_waits(const struct device_lock *l)
{
    struct flock region = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};
    return fcntl(l->fd, F_OFD_GETLK, &region) == 0 && region.l_type != F_UNLCK;
}

static void note_holder(struct device_lock *l)
{
    char text[64] = "";
    ssize_t got = pread(l->fd, text, sizeof text - 1, 16);
    if (got < 0)
        got = 0;
    text[got] = 0;
    text[strcspn(text, "\n")] = 0;
    snprintf(l->holder, sizeof l->holder, "%s", *text ? text : "another process");
}

static int wait_on(struct device_lock *l)
{
    if (!l->waiting)
        l->waiting = set(l->fd, F_RDLCK, 1);
    note_holder(l);
    return 0;
}

int device_lock_try(struct device_lock *l, struct error *e)
{
    char mine[64];
    if (l->held)
        return 1;
    bool just_had_it = l->released_ns && clock_ns() - l->released_ns < COURTESY_NS;
    if (just_had_it && !l->waiting && somebody_waits(l))
        return 0;
    if (!set(l->fd, F_WRLCK, 0)) {
        if (errno == EAGAIN || errno == EACCES)
            return wait_on(l);
        error_set_driver(e, ERROR_IO, errno, "locking the device: %s", strerror(errno));
        return -1;
    }
    l->held = true;
    if (l->waiting)
        set(l->fd, F_UNLCK, 1);
    l->waiting = false;
    int length = snprintf(mine, sizeof mine, "process %ld\n", (long)getpid());
    (void)!pwrite(l->fd, mine, (size_t)length, 16); // only told to those who wait
    return 1;
}

void device_lock_release(struct device_lock *l)
{
    if (!l->held)
        return;
    set(l->fd, F_UNLCK, 0);
    l->held = false;
    l->released_ns = clock_ns();
}

void device_lock_close(struct device_lock *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}
