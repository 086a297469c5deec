// What a machine's files say of load, clocks and caches: known answers from files of the test's.
#include "kit.h"

#include "os/process.h"
#include "base/text.h"
#include "device/machine.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICK_NS (1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK))

static char root[64];
static cpu_set_t cpus;

static void set_up(void)
{
    strcpy(root, "/tmp/hone-test-machine-XXXXXX");
    ck_assert(mkdtemp(root) != NULL);
    ck_assert_int_eq(sched_getaffinity(0, sizeof cpus, &cpus), 0);
}

static void tear_down(void)
{
    folder_remove(root);
}

// Rewritten in place: a look reads the file that it opened.
static void write_file(const char *folder, const char *name, const char *content)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    ck_assert(folder_make(path, NULL));
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(content, f) >= 0 && fclose(f) == 0);
}

// Cores of this process have these ticks each; one core that it may not run on has a great many.
static void write_stat(const char *watched, const char *foreign)
{
    struct text stat = TEXT_INIT;
    text_add(&stat, "cpu  9 9 9 9 9 9 9 9 9 9\n");
    for (int i = 0; i < CPU_SETSIZE; i++) {
        bool mine = CPU_ISSET(i, &cpus);
        if (mine || i < 8)
            text_addf(&stat, "cpu%d %s\n", i, mine ? watched : foreign);
    }
    text_add(&stat, "intr 1 2 3\nbtime 7\n");
    write_file("proc", "stat", text_cstr(&stat));
    text_release(&stat);
}

static void write_for_each(const char *file, const char *content)
{
    char folder[128];
    for (int i = 0; i < CPU_SETSIZE; i++) {
        snprintf(folder, sizeof folder, "sys/devices/system/cpu/cpu%d/%s", i, file);
        char *name = strrchr(folder, '/');
        *name++ = '\0';
        if (CPU_ISSET(i, &cpus))
            write_file(folder, name, content);
    }
}

static void burn(uint64_t ns)
{
    uint64_t end = clock_ns() + ns;
    while (clock_ns() < end) {
    }
}

// Idle time and time that waits for a disk are nobody's; user, nice, system, interrupts and stolen
// time are others', by 1, 2, 4, 32, 64 and 128 ticks. Guests are in user already.
START_TEST(busy_time_of_the_watched_cores_is_others)
{
    struct machine m;
    struct machine_snapshot snapshot;
    uint64_t cores = (uint64_t)CPU_COUNT(&cpus);
    write_stat("1000 1000 1000 1000 1000 1000 1000 1000 1000 1000", "5 5 5 5 5 5 5 5 0 0");
    machine_open(&m, root, false);
    machine_take(&m, &snapshot);
    ck_assert_uint_eq(snapshot.cores, cores);
    ck_assert_uint_eq(snapshot.mhz, 0);
    ck_assert_uint_le(snapshot.other_cpu_ns, 0);
    write_stat("1001 1002 1004 1008 1016 1032 1064 1128 1256 1512", "9999 5 5 5 5 5 5 5 0 0");
    machine_take(&m, &snapshot);
    uint64_t most = cores * (1 + 2 + 4 + 32 + 64 + 128) * TICK_NS;
    ck_assert_uint_le(snapshot.other_cpu_ns, most);
    ck_assert_uint_ge(snapshot.other_cpu_ns, most - 100000000); // less what this process used
    machine_close(&m);
}
END_TEST

START_TEST(this_process_does_not_count_and_time_never_runs_back)
{
    struct machine m;
    struct machine_snapshot first, second;
    write_stat("1000 0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0");
    machine_open(&m, root, false);
    write_stat("1100 0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0");
    machine_take(&m, &first);
    burn(50000000);
    machine_take(&m, &second);
    ck_assert_uint_eq(first.other_cpu_ns, second.other_cpu_ns);
    ck_assert_uint_ge(second.at_ns, first.at_ns + 50000000);
    machine_close(&m);
    machine_open(&m, root, false);
    write_stat("1110 0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0");
    uint64_t busy = (uint64_t)CPU_COUNT(&cpus) * 10 * TICK_NS;
    burn(30000000);
    machine_take(&m, &first);
    // Some 30 ms of the ticks were our own.
    ck_assert_uint_le(first.other_cpu_ns, busy);
    ck_assert_uint_lt(first.other_cpu_ns, busy - 1000000);
    machine_close(&m);
}
END_TEST

START_TEST(clocks_are_those_of_a_cpu_device)
{
    struct machine m;
    struct machine_snapshot snapshot;
    write_stat("1000 0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0");
    write_for_each("cpufreq/scaling_cur_freq", "2250000\n");
    machine_open(&m, root, true);
    machine_take(&m, &snapshot);
    ck_assert_uint_eq(snapshot.mhz, 2250);
    write_for_each("cpufreq/scaling_cur_freq", "1100000\n");
    machine_take(&m, &snapshot);
    ck_assert_uint_eq(snapshot.mhz, 1100);
    machine_close(&m);
    machine_open(&m, root, false);
    machine_take(&m, &snapshot);
    ck_assert_uint_eq(snapshot.mhz, 0);
    machine_close(&m);
}
END_TEST

// One cache that all share counts once, one a core as often as there are cores; the last level that
// is there is meant.
START_TEST(last_level_caches_are_summed)
{
    struct machine m;
    char own[32];
    write_for_each("cache/index0/size", "48K\n");
    write_for_each("cache/index0/shared_cpu_list", "0\n");
    write_for_each("cache/index3/size", "2048K\n");
    write_for_each("cache/index3/shared_cpu_list", "0-1023\n");
    machine_open(&m, root, true);
    ck_assert_uint_eq(m.cache_bytes, 2048 << 10);
    machine_close(&m);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        char folder[128];
        snprintf(folder, sizeof folder, "sys/devices/system/cpu/cpu%d/cache/index3", i);
        snprintf(own, sizeof own, "%d,1023\n", i);
        if (CPU_ISSET(i, &cpus))
            write_file(folder, "shared_cpu_list", own);
    }
    machine_open(&m, root, true);
    ck_assert_uint_eq(m.cache_bytes, (uint64_t)CPU_COUNT(&cpus) * (2048 << 10));
    ck_assert_uint_eq(machine_caches(root), m.cache_bytes);
    machine_close(&m);
}
END_TEST

START_TEST(a_system_that_tells_nothing_is_no_failure)
{
    static const char *const stats[] = {NULL, "", "cpu  1 2 3 4\n", "cpu0\ncpu1\n", "garbage"};
    struct machine m;
    struct machine_snapshot snapshot;
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        if (stats[i])
            write_file("proc", "stat", stats[i]);
        machine_open(&m, root, true);
        machine_take(&m, &snapshot);
        ck_assert_uint_eq(snapshot.cores, 0);
        ck_assert_uint_eq(snapshot.other_cpu_ns, 0);
        ck_assert_uint_eq(snapshot.mhz, 0);
        ck_assert_uint_gt(snapshot.at_ns, 0);
        ck_assert_uint_eq(m.cache_bytes, 0);
        machine_close(&m);
    }
}
END_TEST

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, busy_time_of_the_watched_cores_is_others);
    tcase_add_test(t, this_process_does_not_count_and_time_never_runs_back);
    tcase_add_test(t, clocks_are_those_of_a_cpu_device);
    tcase_add_test(t, last_level_caches_are_summed);
    tcase_add_test(t, a_system_that_tells_nothing_is_no_failure);
}

int main(void)
{
    return kit_run("machine", add);
}
