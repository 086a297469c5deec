// Checks a store's file and its folder before SQLite opens the file for writing: the header, a log
// beside it, rights, room on the disk, the kind of file system. Alters nothing, and reads the file
// only through SQLite, since closing a descriptor of our own would drop its locks.

#include "store/file.h"

#include "base/text.h"
#include "store/fail.h"
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

// Space that a tune of some thousand configurations needs at least: a shortage is reported early.
#define ROOM (256 * 1024)

// ---- finding it ---------------------------------------------------------------------------------

// Splits "a/b/name" into folder and name; the folder of a bare name is ".".
static const char *path_split(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(folder, PATH_MAX, ".");
    else if (slash == path)
        snprintf(folder, PATH_MAX, "/");
    else
        snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path), path);
    return slash ? slash + 1 : path;
}

static bool find_failed(struct error *e, const char *path, const char *what)
{
    int reason = errno;
    return store_fail(e, path, SQLITE_CANTOPEN, "%s: %s; choose another file", what,
                      strerror(reason));
}

static bool find_missing(struct store_file *f, bool create, struct error *e)
{
    char folder[PATH_MAX];
    struct error why = ERROR_INIT;
    const char *name = path_split(f->shown, folder);
    if (!*f->shown)
        return error_set(e, ERROR_STORE, "the name of a store is empty");
    if (!*name)
        return store_fail(e, f->shown, SQLITE_CANTOPEN, "it names a folder, not a file");
    if (create && !folder_make(folder, &why))
        return error_set_driver(e, why.code, why.driver,
                                "%s: its folder cannot be made: %s; choose another file", f->shown,
                                why.text);
    // A reader is told later that there is no store, with or without a folder.
    if (!realpath(folder, f->folder))
        return create ? find_failed(e, f->shown, "its folder cannot be reached") : true;
    bool root = str_equal(f->folder, "/");
    int length = snprintf(f->path, sizeof f->path, "%s/%s", root ? "" : f->folder, name);
    if (length < 0 || (size_t)length >= sizeof f->path)
        return store_fail(e, f->shown, SQLITE_CANTOPEN, "the path is too long");
    return true;
}

bool store_file_find(struct store_file *f, const char *path, bool create, struct error *e)
{
    struct stat st;
    memset(f, 0, sizeof *f);
    f->shown = path;
    if (strlen(path) >= PATH_MAX)
        return store_fail(e, path, SQLITE_CANTOPEN, "the path is too long");
    if (stat(path, &st) != 0) {
        if (errno == ENOENT)
            return find_missing(f, create, e);
        return find_failed(e, path, "it cannot be reached");
    }
    if (!S_ISREG(st.st_mode))
        return store_fail(e, path, SQLITE_CANTOPEN, "it is %s, not a file; choose another file",
                          S_ISDIR(st.st_mode) ? "a folder" : "a device or pipe");
    if (!realpath(path, f->path))
        return find_failed(e, path, "it cannot be reached");
    path_split(f->path, f->folder);
    f->exists = true;
    f->size = (uint64_t)st.st_size;
    return true;
}

// ---- looking into it ----------------------------------------------------------------------------

// A path as a URI: "?", "#" and "%" mean something there, and a name such as ":memory:" does not
// once it is absolute.
static void uri_of(struct text *out, const char *path, const char *parameters)
{
    text_add(out, "file://");
    for (const char *c = path; *c; c++) {
        if (strchr("?#%", *c))
            text_addf(out, "%%%02x", (unsigned char)*c);
        else
            text_addc(out, *c);
    }
    if (*parameters)
        text_addf(out, "?%s", parameters);
}

// A store may come from anywhere: nothing in its schema is run, and cells are checked.
static void distrust(sqlite3 *db)
{
    static const struct {
        int what, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(db, settings[i].what, settings[i].value, (int *)NULL);
    sqlite3_exec(db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL, NULL);
}

sqlite3 *store_file_open(const struct store_file *f, int flags, const char *parameters,
                         struct error *e)
{
    sqlite3 *db = NULL;
    struct text uri = TEXT_INIT;
    uri_of(&uri, f->path, parameters);
    if (uri.failed) {
        error_memory(e);
        goto cleanup;
    }
    int code = sqlite3_open_v2(text_cstr(&uri), &db, flags | SQLITE_OPEN_URI, NULL);
    if (code != SQLITE_OK) {
        if (db)
            store_fail_sqlite(e, f->shown, db, "opening the store");
        else
            error_memory(e);
        sqlite3_close(db);
        db = NULL;
        goto cleanup;
    }
    sqlite3_extended_result_codes(db, 1);
    distrust(db);
cleanup:
    text_release(&uri);
    return db;
}

sqlite3 *store_file_peek(const struct store_file *f, struct error *e)
{
    return store_file_open(f, SQLITE_OPEN_READONLY, "immutable=1", e);
}

static bool beside(const struct store_file *f, const char *suffix)
{
    char name[PATH_MAX + 16];
    struct stat st;
    snprintf(name, sizeof name, "%s%s", f->path, suffix);
    return stat(name, &st) == 0 && st.st_size > 0;
}

bool store_file_has_log(const struct store_file *f)
{
    return beside(f, "-wal") || beside(f, "-journal");
}

// The first 100 bytes of every SQLite file
// (https://sqlite.org/fileformat2.html#the_database_header).
#define HEADER_BYTES 100

static uint32_t big_endian(const unsigned char *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static bool read_store_header(sqlite3 *db, unsigned char *header)
{
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file ||
        !file->pMethods)
        return false;
    return file->pMethods->xRead(file, header, HEADER_BYTES, 0) == SQLITE_OK;
}

// Checks the owner of the file. Application id at byte 68, user version (ours: the schema's) at 60.
static bool check_store_header(const struct store_file *f, const unsigned char *h, struct error *e)
{
    if (f->size < HEADER_BYTES || memcmp(h, "SQLite format 3", 16) != 0)
        return store_fail(e, f->shown, SQLITE_NOTADB,
                          "it is not a store of hone, nor any SQLite file; it is left as it is: "
                          "choose another file");
    return schema_owner_check(f->shown, big_endian(h + 68), big_endian(h + 60), e);
}

// Page size at byte 16 (1 stands for 65536), pages in the file at 28 (valid when 24 equals 92).
static bool header_truncated(const struct store_file *f, const unsigned char *h)
{
    uint64_t page = (uint64_t)h[16] << 8 | h[17];
    if (page == 1)
        page = 65536;
    if (page < 512 || (page & (page - 1)) != 0)
        return true;
    bool counted = big_endian(h + 24) == big_endian(h + 92);
    return counted && big_endian(h + 28) * page > f->size;
}

static bool inspect_once(const struct store_file *f, struct error *e)
{
    bool ok = false;
    unsigned char header[HEADER_BYTES] = {0};
    bool whole = !store_file_has_log(f);
    sqlite3 *db = store_file_peek(f, e);
    if (!db)
        return false;
    if (!read_store_header(db, header) && f->size >= HEADER_BYTES) {
        store_fail(e, f->shown, SQLITE_IOERR, "its first bytes cannot be read");
        goto cleanup;
    }
    if (!check_store_header(f, header, e))
        goto cleanup;
    // A log or journal beside it holds a part of the truth: then SQLite looks, once it has opened.
    if (!whole || store_file_has_log(f))
        ok = true;
    else if (header_truncated(f, header))
        store_fail(e, f->shown, SQLITE_CORRUPT,
                   "the file is damaged: it was cut short; it is left as it is: restore a copy, or "
                   "choose another file");
    else
        ok = schema_check(db, f->shown, f->size, e);
cleanup:
    sqlite3_close(db);
    return ok;
}

static bool same_moment(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

// Without locks another process may write meanwhile, so a refusal counts only when the file did not
// change while it was read.
bool store_file_inspect(const struct store_file *f, struct error *e)
{
    struct store_file now = *f;
    struct error why = ERROR_INIT;
    for (int attempt = 0; attempt < 20; attempt++) {
        struct stat before, after;
        error_clear(&why);
        if (stat(f->path, &before) != 0)
            return find_failed(e, f->shown, "it cannot be reached");
        now.size = (uint64_t)before.st_size;
        if (inspect_once(&now, &why))
            return true;
        if (stat(f->path, &after) != 0 ||
            (same_moment(&before, &after) &&
             !(why.driver == SQLITE_CORRUPT && store_file_has_log(f))))
            break;
        sqlite3_sleep(5);
    }
    return error_set_driver(e, why.code, why.driver, "%s", why.text);
}

// ---- the place it lies in -----------------------------------------------------------------------

// By the effective user, which is whom the kernel asks about.
static bool permitted(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

bool store_file_writable(const struct store_file *f)
{
    if (f->exists && !permitted(f->path, W_OK))
        return false;
    return permitted(f->folder, W_OK | X_OK);
}

static bool rights_ready(const struct store_file *f, struct error *e)
{
    if (store_file_writable(f))
        return true;
    bool file = f->exists && !permitted(f->path, W_OK);
    if (!file && permitted(f->folder, W_OK | X_OK))
        return true; // given between the two looks
    if (errno == EROFS)
        return store_fail(e, f->shown, SQLITE_READONLY,
                          "its file system is mounted read-only; choose another file");
    return store_fail_readonly(e, f->shown, file ? f->path : f->folder);
}

// Past RLIMIT_FSIZE a write does not just fail, it kills with SIGXFSZ: look instead of trying.
static bool limit_ready(const struct store_file *f, struct error *e)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        f->size + ROOM <= limit.rlim_cur)
        return true;
    return store_fail_code(e, f->shown, SQLITE_IOERR, EFBIG,
                           "checking that results can be written");
}

// If no unnamed file can be made, the file system's report has to do.
static bool space_reported(const struct store_file *f)
{
    struct statfs fs;
    if (statfs(f->folder, &fs) != 0 || fs.f_blocks == 0)
        return true;
    return (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= ROOM;
}

// 0, or errno of the write that failed.
static int space_written(int fd)
{
    static const char zeros[16 * 1024];
    for (off_t at = 0; at < ROOM; at += (off_t)sizeof zeros) {
        ssize_t n = pwrite(fd, zeros, sizeof zeros, at);
        if (n != (ssize_t)sizeof zeros)
            return n < 0 ? errno : ENOSPC;
    }
    return 0;
}

// Writes to a file without a name, which is gone with its descriptor: a full disk or quota shows
// before the store is touched.
static bool space_ready(const struct store_file *f, struct error *e)
{
    int fd = open(f->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int failed = 0;
    if (fd >= 0) {
        failed = space_written(fd);
        close(fd);
    } else if (errno == ENOSPC || errno == EDQUOT || !space_reported(f)) {
        failed = ENOSPC;
    }
    if (!failed)
        return true;
    return store_fail_code(e, f->shown, SQLITE_IOERR, failed,
                           "checking that results can be written");
}

bool store_file_ready(const struct store_file *f, struct error *e)
{
    return rights_ready(f, e) && limit_ready(f, e) && space_ready(f, e);
}

bool store_magic_local(unsigned long magic)
{
    static const uint32_t shared[] = {
        0x6969,     // NFS
        0xff534d42, // CIFS
        0xfe534d42, // SMB 2
        0x517b,     // SMB
        0x01021997, // 9p
        0x65735546, // FUSE: sshfs, virtiofs, mounted folders of virtual machines
        0x786f4256, // folders shared by VirtualBox
        0x5346414f, // AFS
        0x6b414653, // AFS of the kernel
        0x73757245, // Coda
        0x564c,     // NCP
        0x00c36400, // Ceph
        0x0bd00bd0, // Lustre
        0x47504653, // GPFS
        0x19830326, // BeeGFS
        0x01161970, // GFS2
        0x7461636f, // OCFS2
        0xaad7aaea, // PanFS
        0x20030528, // OrangeFS
    };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (shared[i] == (uint32_t)magic)
            return false;
    return true;
}

bool store_file_local(const struct store_file *f)
{
    struct statfs fs;
    return statfs(f->folder, &fs) == 0 && store_magic_local((unsigned long)fs.f_type);
}
