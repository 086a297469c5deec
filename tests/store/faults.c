#include "faults.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static struct {
    sqlite3_vfs *real;
    unsigned left; // calls until the one that fails, itself included; 0: none fails
    bool lasting;
    enum file_fault kind;
    struct faults_met met;
} faults;

struct file {
    sqlite3_file base;
    sqlite3_file *real; // follows in the same memory
};

static sqlite3_file *real(sqlite3_file *f)
{
    return ((struct file *)f)->real;
}

// SQLITE_OK, or `code` when it is this call's turn.
static int trip(int code)
{
    if (faults.left == 0 || (faults.kind == FAULT_MEMORY && code != SQLITE_IOERR_READ))
        return SQLITE_OK;
    if (faults.left > 1) {
        faults.left--;
        return SQLITE_OK;
    }
    faults.met.any = true;
    faults.left = faults.lasting ? 1 : 0;
    return faults.kind == FAULT_MEMORY ? SQLITE_IOERR_NOMEM : code;
}

// A call that may fail with `code`, else is passed on.
#define PASS(code, call)                                                                           \
    do {                                                                                           \
        int tripped = trip(code);                                                                  \
        return tripped != SQLITE_OK ? tripped : (call);                                            \
    } while (0)

// ---- a file -------------------------------------------------------------------------------------

static int file_close(sqlite3_file *f)
{
    return real(f)->pMethods->xClose(real(f));
}

static int file_read(sqlite3_file *f, void *to, int bytes, sqlite3_int64 at)
{
    faults.met.reads++;
    if (faults.kind == FAULT_MEMORY && bytes < 512) // of the header
        return real(f)->pMethods->xRead(real(f), to, bytes, at);
    PASS(SQLITE_IOERR_READ, real(f)->pMethods->xRead(real(f), to, bytes, at));
}

static int file_write(sqlite3_file *f, const void *from, int bytes, sqlite3_int64 at)
{
    int tripped = trip(faults.kind == FAULT_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE);
    faults.met.write |= tripped != SQLITE_OK;
    return tripped != SQLITE_OK ? tripped : real(f)->pMethods->xWrite(real(f), from, bytes, at);
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    PASS(SQLITE_IOERR_TRUNCATE, real(f)->pMethods->xTruncate(real(f), size));
}

// No power fails here, and a real one takes milliseconds.
static int file_sync(sqlite3_file *f, int flags)
{
    (void)f, (void)flags;
    return trip(SQLITE_IOERR_FSYNC);
}

static int file_size(sqlite3_file *f, sqlite3_int64 *size)
{
    PASS(SQLITE_IOERR_FSTAT, real(f)->pMethods->xFileSize(real(f), size));
}

static int file_lock(sqlite3_file *f, int kind)
{
    PASS(SQLITE_IOERR_LOCK, real(f)->pMethods->xLock(real(f), kind));
}

static int file_unlock(sqlite3_file *f, int kind)
{
    return real(f)->pMethods->xUnlock(real(f), kind);
}

static int file_reserved(sqlite3_file *f, int *is)
{
    PASS(SQLITE_IOERR_CHECKRESERVEDLOCK, real(f)->pMethods->xCheckReservedLock(real(f), is));
}

static int file_control(sqlite3_file *f, int operation, void *argument)
{
    if (operation == SQLITE_FCNTL_LAST_ERRNO && faults.met.any && faults.kind == FAULT_DISK) {
        *(int *)argument = EIO;
        return SQLITE_OK;
    }
    return real(f)->pMethods->xFileControl(real(f), operation, argument);
}

static int file_sector(sqlite3_file *f)
{
    return real(f)->pMethods->xSectorSize(real(f));
}

static int file_features(sqlite3_file *f)
{
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static int file_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **to)
{
    PASS(SQLITE_IOERR_SHMMAP, real(f)->pMethods->xShmMap(real(f), page, size, extend, to));
}

static int file_shm_lock(sqlite3_file *f, int offset, int count, int flags)
{
    if (flags & SQLITE_SHM_UNLOCK)
        return real(f)->pMethods->xShmLock(real(f), offset, count, flags);
    PASS(SQLITE_IOERR_SHMLOCK, real(f)->pMethods->xShmLock(real(f), offset, count, flags));
}

static void file_shm_barrier(sqlite3_file *f)
{
    real(f)->pMethods->xShmBarrier(real(f));
}

static int file_shm_unmap(sqlite3_file *f, int delete_it)
{
    return real(f)->pMethods->xShmUnmap(real(f), delete_it);
}

static const sqlite3_io_methods file_methods = {
    .iVersion = 2, // without memory-mapped reads: all go through file_read()
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector,
    .xDeviceCharacteristics = file_features,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// ---- the file system ----------------------------------------------------------------------------

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    (void)v;
    struct file *file = (struct file *)f;
    file->base.pMethods = NULL;
    file->real = (sqlite3_file *)(file + 1);
    int code = trip(SQLITE_CANTOPEN);
    if (code == SQLITE_OK)
        code = faults.real->xOpen(faults.real, name, file->real, flags, out);
    if (code == SQLITE_OK)
        file->base.pMethods = &file_methods;
    return code;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync)
{
    (void)v;
    (void)sync;
    PASS(SQLITE_IOERR_DELETE, faults.real->xDelete(faults.real, name, 0));
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *out)
{
    (void)v;
    PASS(SQLITE_IOERR_ACCESS, faults.real->xAccess(faults.real, name, flags, out));
}

static int vfs_full_pathname(sqlite3_vfs *v, const char *name, int size, char *out)
{
    (void)v;
    return faults.real->xFullPathname(faults.real, name, size, out);
}

void faults_install(void)
{
    static sqlite3_vfs vfs;
    sqlite3_initialize();
    faults.real = sqlite3_vfs_find(NULL);
    vfs = *faults.real; // clocks and random numbers are the real one's
    vfs.zName = "faults";
    vfs.pNext = NULL;
    vfs.szOsFile = (int)sizeof(struct file) + faults.real->szOsFile;
    vfs.xOpen = vfs_open;
    vfs.xDelete = vfs_delete;
    vfs.xAccess = vfs_access;
    vfs.xFullPathname = vfs_full_pathname;
    sqlite3_vfs_register(&vfs, 1);
}

void faults_set(unsigned at, bool lasting, enum file_fault kind)
{
    faults.left = at;
    faults.lasting = lasting;
    faults.kind = kind;
    faults.met = (struct faults_met){0};
}

struct faults_met faults_end(void)
{
    faults.left = 0;
    return faults.met;
}
