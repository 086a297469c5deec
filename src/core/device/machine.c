// Reads /proc/stat, the cores' clocks and the last-level caches of the cores that this process may run
// on. The files stay open, because a snapshot is taken between two launches.
#include "device/machine.h"

#include "os/process.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#define STAT_MOST  65536 // bytes of /proc/stat: the lines of the cores stand first
#define NS_PER_SEC 1000000000

// ---- small files of the system

static int open_file(const char *root, const char *path)
{
    struct text full = TEXT_INIT;
    text_addf(&full, "%s/%s", root, path);
    int fd = full.failed ? -1 : open(full.data, O_RDONLY | O_CLOEXEC);
    text_release(&full);
    return fd;
}

// Reads the file's current text; "" if it cannot be read.
static void read_again(int fd, char *out, size_t size)
{
    size_t length = 0;
    ssize_t n;
    while (fd >= 0 && length + 1 < size &&
           (n = pread(fd, out + length, size - 1 - length, (off_t)length)) > 0)
        length += (size_t)n;
    out[length] = '\0';
}

static void read_once(const char *root, const char *path, char *out, size_t size)
{
    int fd = open_file(root, path);
    read_again(fd, out, size);
    if (fd >= 0)
        close(fd);
}

// ---- load

static bool is_watched(const struct machine *m, uint64_t cpu)
{
    return cpu < CPU_SETSIZE && CPU_ISSET(cpu, &m->cpus);
}

// " USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...", in ticks: all but idle and iowait. What
// follows STEAL is in USER and NICE already.
static uint64_t busy_of(char *at)
{
    static const bool busy[] = {true, true, true, false, false, true, true, true};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof busy; i++) {
        uint64_t ticks = *at == ' ' ? strtoull(at, &at, 10) : 0;
        sum += busy[i] ? ticks : 0;
    }
    return sum;
}

// Sums up the watched cores' lines, "cpu3 ..."; false if the system does not list all of them.
static bool busy_ticks(const struct machine *m, char *stat, uint64_t *sum)
{
    uint32_t found = 0;
    char *rest = NULL;
    *sum = 0;
    for (char *line = strtok_r(stat, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (!str_starts(line, "cpu"))
            break;
        uint64_t cpu = line[3] == ' ' ? CPU_SETSIZE : strtoull(line + 3, &line, 10);
        if (!is_watched(m, cpu))
            continue;
        *sum += busy_of(line);
        found++;
    }
    return found > 0 && found == m->cores && *sum > 0;
}

// Processor time of the children that were waited for: jobs' that have ended, programs.
static uint64_t ended_children_ns(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) != 0)
        return 0;
    uint64_t us = (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_SEC + us * 1000;
}

static bool others_ns(const struct machine *m, int64_t *out)
{
    char stat[STAT_MOST];
    uint64_t ticks;
    read_again(m->stat, stat, sizeof stat);
    if (!busy_ticks(m, stat, &ticks))
        return false;
    *out = (int64_t)ticks * (NS_PER_SEC / sysconf(_SC_CLK_TCK)) -
           (int64_t)(clock_processor_ns() + ended_children_ns() + m->jobs_ns);
    return true;
}

// ---- clocks

// Evenly over the watched cores, where there are more than are read.
static void open_clocks(struct machine *m, const char *root)
{
    uint32_t step = (m->cores + MACHINE_CLOCKS - 1) / MACHINE_CLOCKS, nth = 0;
    char path[96];
    for (unsigned cpu = 0; cpu < CPU_SETSIZE && m->clock_count < MACHINE_CLOCKS; cpu++) {
        if (!is_watched(m, cpu) || nth++ % step)
            continue;
        str_format(path, sizeof path, "sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
        int fd = open_file(root, path);
        if (fd >= 0)
            m->clocks[m->clock_count++] = fd;
    }
}

// ---- caches

#define CACHE_LEVELS 8 // index0, index1, ...: the last one there is the last level

// "0-3,8-11": the first watched core of the list.
static uint64_t first_watched(const struct machine *m, char *list)
{
    while (*list >= '0' && *list <= '9') {
        uint64_t cpu = strtoull(list, &list, 10);
        uint64_t last = *list == '-' ? strtoull(list + 1, &list, 10) : cpu;
        for (; cpu <= last && cpu < CPU_SETSIZE; cpu++) {
            if (is_watched(m, cpu))
                return cpu;
        }
        list += *list == ',';
    }
    return CPU_SETSIZE;
}

// Bytes of this core's last-level cache when it is the first watched core that shares it, else 0.
static uint64_t cache_led_by(const struct machine *m, const char *root, unsigned cpu)
{
    char path[96], text[1024];
    uint64_t bytes = 0;
    int level = CACHE_LEVELS;
    while (bytes == 0 && level-- > 0) {
        str_format(path, sizeof path, "sys/devices/system/cpu/cpu%u/cache/index%d/size", cpu,
                   level);
        read_once(root, path, text, sizeof text);
        // "49152K" -> bytes.
        char *unit = NULL;
        uint64_t n = strtoull(text, &unit, 10);
        bytes = *unit == 'K' ? n << 10 : *unit == 'M' ? n << 20 : n;
    }
    str_format(path, sizeof path, "sys/devices/system/cpu/cpu%u/cache/index%d/shared_cpu_list", cpu,
               level);
    read_once(root, path, text, sizeof text);
    return first_watched(m, text) == cpu ? bytes : 0;
}

static uint64_t all_caches(const struct machine *m, const char *root)
{
    uint64_t sum = 0;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        sum += is_watched(m, cpu) ? cache_led_by(m, root, cpu) : 0;
    return sum;
}

// False on a machine with more processors than a cpu_set_t holds: nothing is known of it.
static bool take_cpus(struct machine *m)
{
    return sched_getaffinity(0, sizeof m->cpus, &m->cpus) == 0;
}

uint64_t machine_caches(const char *root)
{
    struct machine m = {.stat = -1};
    return take_cpus(&m) ? all_caches(&m, root) : 0;
}

// ---- snapshots ---------------------------------------------------------------------------------

void machine_open(struct machine *m, const char *root, bool is_device)
{
    *m = (struct machine){.stat = open_file(root, "proc/stat")};
    if (take_cpus(m))
        m->cores = (uint32_t)CPU_COUNT(&m->cpus);
    if (is_device)
        m->cache_bytes = all_caches(m, root);
    if (!others_ns(m, &m->start_ns))
        m->cores = 0;
    else if (is_device)
        open_clocks(m, root);
}

void machine_close(struct machine *m)
{
    if (m->stat >= 0)
        close(m->stat);
    for (uint32_t i = 0; i < m->clock_count; i++)
        close(m->clocks[i]);
    *m = (struct machine){.stat = -1};
}

void machine_take(struct machine *m, struct machine_snapshot *out)
{
    int64_t now_ns;
    *out = (struct machine_snapshot){.at_ns = clock_ns()};
    if (!m->cores || !others_ns(m, &now_ns))
        return;
    if (now_ns - m->start_ns > (int64_t)m->other_ns)
        m->other_ns = (uint64_t)(now_ns - m->start_ns);
    out->cores = m->cores;
    out->other_cpu_ns = m->other_ns;
    uint64_t sum = 0;
    char khz[32];
    for (uint32_t i = 0; i < m->clock_count; i++) {
        read_again(m->clocks[i], khz, sizeof khz);
        sum += strtoull(khz, NULL, 10);
    }
    out->mhz = m->clock_count ? (uint32_t)(sum / m->clock_count / 1000) : 0;
}

// ---- the host as a device

// The value behind a key of /proc/cpuinfo; "" where the system does not say.
static const char *processor_text(const char *cpuinfo, const char *key, struct arena *a)
{
    size_t length = strlen(key);
    for (const char *line = cpuinfo; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *colon =
            line + length + strspn(line + (strncmp(line, key, length) ? 0 : length), "\t ");
        if (strncmp(line, key, length) != 0 || *colon != ':')
            continue;
        colon += 1 + strspn(colon + 1, " ");
        const char *value = arena_strndup(a, colon, strcspn(colon, "\n"));
        return value ? value : "";
    }
    return "";
}

void machine_describe(const char *root, struct arena *a, struct device_info *d)
{
    struct text path = TEXT_INIT, cpuinfo = TEXT_INIT;
    struct utsname system;
    struct sysinfo memory;
    text_addf(&path, "%s/proc/cpuinfo", root);
    file_read(text_cstr(&path), 0, &cpuinfo, NULL);
    d->name = processor_text(text_cstr(&cpuinfo), "model name", a);
    d->vendor = processor_text(text_cstr(&cpuinfo), "vendor_id", a);
    d->clock_mhz = (uint32_t)atof(processor_text(text_cstr(&cpuinfo), "cpu MHz", a));
    if (!*d->name) {
        const char *machine = uname(&system) == 0 ? arena_strdup(a, system.machine) : NULL;
        d->name = machine ? machine : "host";
    }
    if (sysinfo(&memory) == 0)
        d->global_bytes = d->max_alloc_bytes = (uint64_t)memory.totalram * memory.mem_unit;
    d->all_cache_bytes = d->cache_bytes = machine_caches(root);
    d->compute_units = process_cores();
    text_release(&path);
    text_release(&cpuinfo);
}
