// Keeps a cache folder within a limit. An entry is a file or a whole tree at a given depth; its size is
// that of its blocks, its age that of the file in it that was changed last. Entries are listed first, then
// the oldest are removed until half of the limit is left, so that this is not needed again soon.
#include "os/cache_folder.h"

#include "base/array.h"
#include "base/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define IN_USE_SECONDS 3600
#define DAY_SECONDS    86400

struct cached {
    char *path;
    uint64_t bytes;
    time_t changed; // newest file within
};

struct listing {
    struct cached *items;
    size_t count, capacity;
    uint64_t bytes;
};

// Calls `each` with the path of every entry of a folder.
static void for_folder_entries(const char *folder, void (*each)(void *context, const char *path),
                               void *context)
{
    DIR *d = opendir(folder);
    if (!d)
        return;
    for (const struct dirent *entry; (entry = readdir(d));) {
        char path[4096];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length > 0 && (size_t)length < sizeof path)
            each(context, path);
    }
    closedir(d);
}

static void add_sizes(void *context, const char *path)
{
    struct cached *c = context;
    struct stat s;
    if (lstat(path, &s) != 0)
        return;
    if (S_ISDIR(s.st_mode)) {
        for_folder_entries(path, add_sizes, c);
        return;
    }
    c->bytes += (uint64_t)s.st_blocks * 512;
    if (s.st_mtime > c->changed)
        c->changed = s.st_mtime;
}

static void add_cache_entry(void *context, const char *path)
{
    struct listing *l = context;
    if (!ARRAY_ROOM(l->items, l->capacity, l->count + 1))
        return;
    struct cached *c = &l->items[l->count];
    *c = (struct cached){.path = strdup(path)};
    if (!c->path)
        return;
    add_sizes(c, path);
    l->bytes += c->bytes;
    l->count++;
}

struct level {
    struct listing *listing;
    unsigned depth;
};

static void descend_to_entries(void *context, const char *path)
{
    struct level *at = context;
    struct level below = {at->listing, at->depth - 1};
    if (at->depth <= 1)
        add_cache_entry(at->listing, path);
    else
        for_folder_entries(path, descend_to_entries, &below);
}

static int oldest_first(const void *a, const void *b)
{
    time_t x = ((const struct cached *)a)->changed, y = ((const struct cached *)b)->changed;
    return x < y ? -1 : x > y;
}

static uint64_t remove_oldest(struct listing *l, uint64_t target)
{
    uint64_t removed = 0;
    time_t now = time(NULL);
    if (l->count)
        qsort(l->items, l->count, sizeof *l->items, oldest_first);
    for (size_t i = 0; i < l->count && l->bytes - removed > target; i++) {
        if (now - l->items[i].changed < IN_USE_SECONDS)
            break;
        if (unlink(l->items[i].path) != 0)
            folder_remove(l->items[i].path);
        removed += l->items[i].bytes;
    }
    return removed;
}

// Lists the entries `depth` levels below the folder.
static void list_entries(const char *folder, unsigned depth, struct listing *out)
{
    struct level top = {out, depth};
    for_folder_entries(folder, descend_to_entries, &top);
}

static void release_listing(struct listing *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i].path);
    free(l->items);
}

uint64_t cache_trim(const char *folder, unsigned depth, uint64_t limit_bytes)
{
    struct listing l = {0};
    list_entries(folder, depth, &l);
    uint64_t removed = l.bytes > limit_bytes ? remove_oldest(&l, limit_bytes / 2) : 0;
    release_listing(&l);
    return removed;
}

struct cache_usage cache_measure(const char *folder, unsigned depth)
{
    struct listing l = {0};
    list_entries(folder, depth, &l);
    struct cache_usage u = {.entries = l.count, .bytes = l.bytes};
    for (size_t i = 0; i < l.count; i++) {
        time_t changed = l.items[i].changed; // 0: no file is in it
        if (changed != 0 && (u.oldest == 0 || changed < u.oldest))
            u.oldest = changed;
        u.newest = changed > u.newest ? changed : u.newest;
    }
    release_listing(&l);
    return u;
}

// Written before the caches are checked, so that among several that end at once one does it. If
// it cannot be written they are checked each time, as if there were no stamp.
bool cache_trim_due(const char *stamp)
{
    struct stat s;
    struct timespec
        fine; // time() may lag behind the clock that stamps files, across a second's end
    clock_gettime(CLOCK_REALTIME, &fine);
    time_t now = fine.tv_sec;
    if (stat(stamp, &s) == 0 && s.st_mtime <= now && now - s.st_mtime < DAY_SECONDS)
        return false;
    int fd = open(stamp, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0) {
        futimens(fd, NULL);
        close(fd);
    }
    return true;
}

struct cache_usage cache_usage_less(const struct cache_usage *before,
                                    const struct cache_usage *left)
{
    return (struct cache_usage){
        .entries = before->entries > left->entries ? before->entries - left->entries : 0,
        .bytes = before->bytes > left->bytes ? before->bytes - left->bytes : 0};
}
