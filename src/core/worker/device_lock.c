// The lock of a device is a file in a folder that all users share, locked by its bytes: 0 by who has
// the device, 1 (shared) by who waits. The locks belong to the open file, so they go with their
// holder. Who has just had it does not take it again while somebody waits. What stands in the file
// (who holds it) is only for messages, since anybody may write there.
#include "worker/device_lock.h"

#include "base/digest.h"
#include "os/process.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Somebody who waits looks again after 5 ms; we stay away long enough for two such looks.
#define COURTESY_NS (12ull * 1000000)

// So often it is looked who has what somebody waits for.
#define HOLDER_NS (250ull * 1000000)

#define COMMAND_BYTES 72 // of the command of who has the device

#define PCI_DIGITS 12 // "0000:65:00.0"

void device_lock_name(const struct device_info *d, char *out)
{
    const char *what = d->pci && *d->pci ? d->pci : d->uuid && *d->uuid ? d->uuid : "host";
    struct digest digest;
    char hex[65], address[PCI_DIGITS + 1];
    if (d->type == DEVICE_CPU)
        what = "host";
    else if (what == d->pci) {
        // One address is written in several ways: see pci_same().
        size_t length = strlen(d->pci), from = length > PCI_DIGITS ? length - PCI_DIGITS : 0;
        snprintf(address, PCI_DIGITS + 1, "%s", d->pci + from);
        for (char *c = address; *c; c++)
            *c = (char)(*c >= 'A' && *c <= 'F' ? *c - 'A' + 'a' : *c);
        what = address;
    }
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

bool device_lock_is_name(const char *name)
{
    static const char begin[] = "hone-device-", end[] = ".lock";
    const char *digits = name + sizeof begin - 1;
    return str_starts(name, begin) && strspn(digits, "0123456789abcdef") == 16 &&
           str_equal(digits + 16, end);
}

bool device_lock_open(struct device_lock *l, const char *folder, const struct device_info *d,
                      struct error *e)
{
    char name[DEVICE_LOCK_NAME];
    device_lock_name(d, name);
    return device_lock_open_named(l, folder, name, e);
}

void device_lock_open_on(struct device_lock *l, struct device_lock_host *h,
                         const struct device_info *d)
{
    *l = (struct device_lock){.fd = -1, .host = h};
    device_lock_name(d, l->path);
}

bool device_lock_open_named(struct device_lock *l, const char *folder, const char *name,
                            struct error *e)
{
    char path[4096];
    memset(l, 0, sizeof *l);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    str_format(l->path, sizeof l->path, "%s", path);
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

// ---- who has it --------------------------------------------------------------------------------

// Reads the holder's note. Anyone may write there, so that only a number is taken from it. 0: none.
static long noted_process(const struct device_lock *l)
{
    static const char begin[] = "process ";
    char text[64] = "";
    ssize_t got = pread(l->fd, text, sizeof text - 1, 16);
    text[got > 0 ? got : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    uint64_t pid;
    bool is_noted = strncmp(text, begin, sizeof begin - 1) == 0 &&
                    str_to_u64(text + sizeof begin - 1, &pid) && pid > 0 && pid <= INT32_MAX;
    return is_noted ? (long)pid : 0;
}

static void put_user(uid_t uid, char *out, size_t size)
{
    char room[1024];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, room, sizeof room, &found) == 0 && found)
        str_format(out, size, " of user %s", found->pw_name);
    else
        str_format(out, size, " of user %lu", (unsigned long)uid);
}

// " (hone tune spmv.json)": the beginning of the command, as ASCII; "" if it cannot be read.
static void put_command(long pid, char *out, size_t size)
{
    char path[64], words[COMMAND_BYTES + 1];
    snprintf(path, sizeof path, "/proc/%ld/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, words, COMMAND_BYTES) : 0;
    if (fd >= 0)
        close(fd);
    words[got > 0 ? got : 0] = '\0';
    const char *slash = strrchr(words, '/'); // of the program: its words end at the first zero
    size_t from = slash ? (size_t)(slash + 1 - words) : 0, end = (size_t)(got > 0 ? got : 0);
    for (size_t i = from; i < end; i++)
        words[i] = words[i] == '\0' ? ' ' : words[i] < ' ' || words[i] > '~' ? '?' : words[i];
    bool is_cut = end == COMMAND_BYTES;
    while (end > from && words[end - 1] == ' ')
        words[--end] = '\0';
    out[0] = '\0';
    if (end > from)
        str_format(out, size, " (%s%s)", words + from, is_cut ? "..." : "");
}

static void put_process(long pid, char *out, size_t size)
{
    char folder[64], user[128], command[COMMAND_BYTES + 8];
    struct stat s;
    snprintf(folder, sizeof folder, "/proc/%ld", pid);
    if (pid == 0) {
        str_format(out, size, "a process that does not say which it is");
    } else if (stat(folder, &s) != 0) {
        str_format(out, size,
                   "another process than the one that noted itself, %ld, which has ended", pid);
    } else {
        put_user(s.st_uid, user, sizeof user);
        put_command(pid, command, sizeof command);
        str_format(out, size, "process %ld%s%s", pid, command, user);
    }
}

// The age of the holder's note, which is written when the lock is taken; at least the time that
// this process has waited.
static double held_ns(const struct device_lock *l)
{
    struct stat s;
    struct timespec now;
    double waited = (double)(clock_ns() - l->waits_ns);
    if (fstat(l->fd, &s) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return waited;
    double age =
        1e9 * (double)(now.tv_sec - s.st_mtim.tv_sec) + (double)(now.tv_nsec - s.st_mtim.tv_nsec);
    return age > waited ? age : waited;
}

// Asks more of the system than the lock itself, and only people read it.
static void renew_holder(struct device_lock *l, uint64_t now)
{
    char who[256], age[32];
    put_process(noted_process(l), who, sizeof who);
    duration_to_str(held_ns(l), age);
    str_format(l->holder, sizeof l->holder, "%s, for %s (%s)", who, age, l->path);
    l->told_ns = now;
}

static int wait_on(struct device_lock *l, struct error *e)
{
    char took[32];
    uint64_t now = clock_ns();
    bool is_new = !l->waiting;
    if (is_new) {
        l->waits_ns = now;
        l->waiting = set(l->fd, F_RDLCK, 1);
    }
    uint64_t limit = l->limit_ns ? l->limit_ns : DEVICE_LOCK_WAIT_NS;
    bool is_over = now - l->waits_ns >= limit;
    if (is_new || is_over || now - l->told_ns >= HOLDER_NS)
        renew_holder(l, now);
    if (!is_over)
        return 0;
    duration_to_str((double)limit, took);
    error_set(
        e, ERROR_DEVICE,
        "the device was not free within %s: it is in use by %s; wait until that has ended, or "
        "give it longer by --timeout lock=TIME",
        took, l->holder);
    return -1;
}

int device_lock_try(struct device_lock *l, struct error *e)
{
    char mine[64];
    if (l->held)
        return 1;
    if (l->host)
        return l->host->try(l->host, l, e);
    bool just_had_it = l->released_ns && clock_ns() - l->released_ns < COURTESY_NS;
    if (just_had_it && !l->waiting && somebody_waits(l))
        return 0;
    if (!set(l->fd, F_WRLCK, 0)) {
        if (errno == EAGAIN || errno == EACCES)
            return wait_on(l, e);
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
    if (l->host)
        l->host->release(l->host, l);
    else
        set(l->fd, F_UNLCK, 0);
    l->held = false;
    l->released_ns = clock_ns();
}

void device_lock_close(struct device_lock *l)
{
    if (l->host)
        l->host->close(l->host, l);
    l->host = NULL;
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}
