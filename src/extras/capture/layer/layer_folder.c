// The folder of a capture, as the layer writes it: `log`, a JSON object a line, each written at once; `data`, contents named by
// their SHA-256, each put in place by a rename; `counts` (capture_counts.h). Whatever was there when a process was killed is whole.
#include "extras/capture/layer/layer.h"

#include "base/digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct layer_settings layer_settings = {.launches = 64, .limit = UINT64_C(4) << 30};

// Where it is counted if there is no folder: seen by nobody.
static struct capture_counts unseen;
struct capture_counts *layer_counts = &unseen;

static struct layer_folder {
    char path[3072];
    int log;
} folder = {.log = -1};

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return otherwise;
    const uint64_t value = strtoull(text, &end, 10);
    return *end ? otherwise : value;
}

static void map_counts(void)
{
    char path[sizeof folder.path + 16];
    snprintf(path, sizeof path, "%s/counts", folder.path);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat s;
    if (file < 0)
        return;
    if (fstat(file, &s) == 0 && s.st_size == (off_t)sizeof unseen) {
        void *at = mmap(NULL, sizeof unseen, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (at != MAP_FAILED)
            layer_counts = at;
    }
    close(file);
}

void layer_folder_open(void)
{
    const char *path = getenv("HONE_CAPTURE_FOLDER"), *verify = getenv("HONE_WITH_VERIFY");
    const char *tables = getenv("HONE_WITH_TABLES");
    if (!path || *path != '/' || strlen(path) >= sizeof folder.path)
        return;
    strcpy(folder.path, path);
    map_counts();
    if (layer_counts->magic != CAPTURE_MAGIC) {
        layer_counts = &unseen;
        return;
    }
    atomic_fetch_add(&layer_counts->processes, 1);
    layer_settings.kernel = getenv("HONE_CAPTURE_KERNEL");
    layer_settings.launches = number_of("HONE_CAPTURE_LAUNCHES", layer_settings.launches);
    layer_settings.limit = number_of("HONE_CAPTURE_LIMIT", layer_settings.limit);
    layer_settings.refuse_binaries = number_of("HONE_CAPTURE_REFUSE", 0) != 0;
    layer_settings.verify = verify ? strtod(verify, NULL) : 0;
    layer_settings.is_capturing = !tables;
    if (tables) {
        layer_replace_open(tables);
        return;
    }
    char name[sizeof folder.path + 16];
    snprintf(name, sizeof name, "%s/log", folder.path);
    folder.log = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static bool note_full(int number)
{
    atomic_store(&layer_counts->full, (uint64_t)number);
    return false;
}

static bool write_whole(int file, const char *bytes, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(file, bytes, length < (1u << 30) ? length : 1u << 30);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return note_full(written < 0 ? errno : ENOSPC);
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

uint64_t layer_room(void)
{
    const uint64_t bytes = atomic_load(&layer_counts->bytes);
    return bytes < layer_settings.limit ? layer_settings.limit - bytes : 0;
}

enum capture_reason layer_keep(const void *bytes, size_t length, uint64_t room, char digest[65])
{
    char path[sizeof folder.path + 96], part[sizeof folder.path + 96];
    struct digest d;
    struct stat s;
    digest_of(bytes, length, &d);
    digest_hex(&d, digest);
    if (folder.log < 0)
        return CAPTURE_DISK;
    snprintf(path, sizeof path, "%s/data/%s.bin", folder.path, digest);
    if (stat(path, &s) == 0 && s.st_size == (off_t)length)
        return CAPTURE_NONE;
    if (length > room)
        return CAPTURE_LIMIT;
    snprintf(part, sizeof part, "%s/data/part.%ld", folder.path, (long)getpid());
    const int file = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        note_full(errno);
        return CAPTURE_DISK;
    }
    bool ok = write_whole(file, bytes, length);
    ok = (close(file) == 0 || note_full(errno)) && ok;
    ok = ok && (rename(part, path) == 0 || note_full(errno));
    if (ok)
        atomic_fetch_add(&layer_counts->bytes, length);
    else
        unlink(part);
    return ok ? CAPTURE_NONE : CAPTURE_DISK;
}

char *layer_read_file(const char *path, size_t *length)
{
    FILE *f = fopen(path, "re");
    char *bytes = NULL;
    size_t room = 0;
    *length = 0;
    while (f && *length < FILE_MOST) {
        char *more = *length == room ? realloc(bytes, (room = room ? 2 * room : 65536) + 1) : bytes;
        const size_t got = more ? fread(more + *length, 1, room - *length, f) : 0;
        bytes = more ? more : bytes;
        *length += got;
        if (!got)
            break;
    }
    if (f)
        fclose(f);
    return bytes;
}

// Linear probing; no lock, and nothing is ever removed.
struct capture_shape *layer_shape(uint64_t key, uint64_t kernel)
{
    key += key == 0;
    for (uint64_t i = 0; i < 64; i++) {
        struct capture_shape *s = &layer_counts->shapes[(key + i) & (CAPTURE_SHAPES - 1)];
        uint64_t found = atomic_load_explicit(&s->key, memory_order_acquire);
        if (found == 0 && atomic_compare_exchange_strong(&s->key, &found, key)) {
            atomic_store(&s->kernel, kernel);
            return s;
        }
        if (found == key)
            return s;
    }
    return NULL;
}

// ---- times -------------------------------------------------------------------------------------

static void take_ended(struct layer_times *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!t->take(&t->list[i]))
            t->list[kept++] = t->list[i];
    }
    t->count = kept;
}

// Where the lock is taken, its holder does it.
void layer_times_take(struct layer_times *t)
{
    if (pthread_mutex_trylock(&t->lock) != 0)
        return;
    take_ended(t);
    pthread_mutex_unlock(&t->lock);
}

bool layer_times_keep(struct layer_times *t, struct capture_shape *s, void *start, void *end)
{
    if (pthread_mutex_trylock(&t->lock) != 0)
        return false;
    if (t->count >= PENDING_MOST / 2)
        take_ended(t);
    const bool has_room = t->count < PENDING_MOST;
    if (has_room)
        t->list[t->count++] = (struct layer_timed){s, start, end};
    pthread_mutex_unlock(&t->lock);
    return has_room;
}

void layer_times_after_fork(struct layer_times *t)
{
    pthread_mutex_init(&t->lock, NULL);
    t->count = 0;
}

// ---- lines -------------------------------------------------------------------------------------

static bool line_room(struct layer_line *l, size_t more)
{
    while (!l->failed && l->room - l->length <= more) {
        const size_t room = l->room ? l->room * 2 : 1024;
        char *text = realloc(l->text, room);
        l->failed = !text;
        if (text)
            l->text = text, l->room = room;
    }
    return !l->failed;
}

void line_add(struct layer_line *l, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    const int length = vsnprintf(NULL, 0, format, list);
    if (length >= 0 && line_room(l, (size_t)length + 1)) {
        vsnprintf(l->text + l->length, (size_t)length + 1, format, again);
        l->length += (size_t)length;
    }
    va_end(again);
    va_end(list);
}

// Bytes that are no ASCII go in as Latin-1, so that the line is valid whatever the program says.
void line_text(struct layer_line *l, const char *text)
{
    line_add(l, "\"");
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            line_add(l, "\\%c", *c);
        else
            line_add(l, *c < 32 || *c > 126 ? "\\u%04x" : "%c", *c);
    }
    line_add(l, "\"");
}

// A line that was cut by a full disk is ended by the next, and the reader drops it.
void line_end(struct layer_line *l, bool write)
{
    line_add(l, "\n");
    if (write && !l->failed && folder.log >= 0)
        write_whole(folder.log, l->text, l->length);
    free(l->text);
}
