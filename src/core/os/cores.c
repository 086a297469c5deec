// How many cores this process may keep busy. The number of processors of the machine is the wrong
// answer in a container: there a CPU quota of the control group throttles what uses more.
#include "os/process.h"
#include "base/text.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_QUOTA 0u

static unsigned affinity_cores(void)
{
    // More processors than a cpu_set_t holds: the kernel refuses sets that are too small.
    for (int processors = CPU_SETSIZE; processors <= 1 << 20; processors *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)processors);
        if (!set)
            break;
        size_t size = CPU_ALLOC_SIZE((size_t)processors);
        int count = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (count > 0)
            return (unsigned)count;
    }
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

static unsigned smaller_quota(unsigned a, unsigned b)
{
    if (a == NO_QUOTA || b == NO_QUOTA)
        return a + b;
    return a < b ? a : b;
}

static unsigned cores_of(int64_t quota, int64_t period)
{
    if (quota <= 0 || period <= 0)
        return NO_QUOTA;
    int64_t cores = quota / period + (quota % period != 0);
    return cores > 1 << 20 ? NO_QUOTA : (unsigned)cores;
}

// The first words of a small file; false when there is no such file.
static bool read_words(const char *folder, const char *file, char words[2][32])
{
    struct text path = TEXT_INIT, content = TEXT_INIT;
    text_addf(&path, "%s/%s", folder, file);
    words[0][0] = words[1][0] = '\0';
    bool ok = !path.failed && file_read(path.data, 4096, &content, NULL) &&
              sscanf(text_cstr(&content), "%31s %31s", words[0], words[1]) >= 1;
    text_release(&content);
    text_release(&path);
    return ok;
}

// Version 2: "QUOTA PERIOD" or "max PERIOD".
static unsigned quota_v2(const char *folder)
{
    char words[2][32];
    int64_t quota, period;
    if (!read_words(folder, "cpu.max", words))
        return NO_QUOTA;
    if (!str_to_i64(words[0], &quota) || !str_to_i64(words[1], &period))
        return NO_QUOTA;
    return cores_of(quota, period);
}

// Version 1: a file each; a quota of -1 means none.
static unsigned quota_v1(const char *folder)
{
    char quota_words[2][32], period_words[2][32];
    int64_t quota, period;
    if (!read_words(folder, "cpu.cfs_quota_us", quota_words) ||
        !read_words(folder, "cpu.cfs_period_us", period_words))
        return NO_QUOTA;
    if (!str_to_i64(quota_words[0], &quota) || !str_to_i64(period_words[0], &period))
        return NO_QUOTA;
    return cores_of(quota, period);
}

// The smallest quota of the group and all above it, up to the mount point. In a container the path
// may not exist below the mount (it is the host's): then the walk ends at the mount itself, which
// is the container's own group.
static unsigned quota_upwards(const char *mount, const char *group,
                              unsigned (*quota_of)(const char *folder))
{
    struct text folder = TEXT_INIT;
    unsigned quota = NO_QUOTA;
    // A group outside of our namespace is shown as "/../..": nothing there is visible to us.
    text_addf(&folder, "%s%s", mount, strstr(group, "..") ? "" : group);
    if (folder.failed)
        goto out;
    size_t least = strlen(mount);
    for (;;) {
        quota = smaller_quota(quota, quota_of(folder.data));
        char *slash = strrchr(folder.data, '/');
        if (!slash || (size_t)(slash - folder.data) < least)
            break;
        *slash = '\0';
    }
out:
    text_release(&folder);
    return quota;
}

static bool lists_cpu(const char *controllers)
{
    for (const char *name = controllers; name; name = strchr(name, ',')) {
        name += *name == ',';
        if (strcspn(name, ",") == 3 && str_starts(name, "cpu"))
            return true;
    }
    return false;
}

// Version 1 mounts each set of controllers in a folder of its own name, or of one of its names.
static unsigned line_quota_v1(const char *root, const char *controllers, const char *group)
{
    const char *const names[] = {controllers, "cpu"};
    unsigned quota = NO_QUOTA;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct text mount = TEXT_INIT;
        text_addf(&mount, "%s/%s", root, names[i]);
        if (!mount.failed)
            quota = smaller_quota(quota, quota_upwards(mount.data, group, quota_v1));
        text_release(&mount);
    }
    return quota;
}

// Version 2 is mounted at the root, or beside version 1 in "unified".
static unsigned line_quota_v2(const char *root, const char *group)
{
    struct text unified = TEXT_INIT;
    text_addf(&unified, "%s/unified", root);
    unsigned quota = quota_upwards(root, group, quota_v2);
    if (!unified.failed)
        quota = smaller_quota(quota, quota_upwards(unified.data, group, quota_v2));
    text_release(&unified);
    return quota;
}

// A line is "ID:CONTROLLERS:GROUP"; version 2 names no controllers. `line` is cut into its parts.
static unsigned line_quota(const char *root, char *line)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return NO_QUOTA;
    controllers++;
    *group++ = '\0';
    if (*controllers == '\0')
        return line_quota_v2(root, group);
    return lists_cpu(controllers) ? line_quota_v1(root, controllers, group) : NO_QUOTA;
}

unsigned cgroup_quota_cores(const char *membership, const char *root)
{
    struct text groups = TEXT_INIT;
    unsigned quota = NO_QUOTA;
    char *rest = NULL;
    if (!file_read(membership, 1 << 20, &groups, NULL))
        goto out;
    for (char *line = strtok_r(groups.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        quota = smaller_quota(quota, line_quota(root, line));
out:
    text_release(&groups);
    return quota;
}

uint32_t machine_load(void)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 && load > 0 ? (uint32_t)(100 * load + 0.5) : 0;
}

uint32_t machine_running(void)
{
    FILE *f = fopen("/proc/loadavg", "re"); // "0.52 0.41 0.30 3/512 4711"
    unsigned running = 0;
    if (f && fscanf(f, "%*s %*s %*s %u/", &running) != 1)
        running = 0;
    if (f)
        fclose(f);
    return running;
}

unsigned process_cores(void)
{
    unsigned cores = affinity_cores();
    unsigned quota = cgroup_quota_cores("/proc/self/cgroup", "/sys/fs/cgroup");
    return quota != NO_QUOTA && quota < cores ? quota : cores;
}
