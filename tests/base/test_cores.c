#include "os/process.h"
#include "base/text.h"
#include "suite.h"

#include <sched.h>
#include <stdio.h>

// A made-up /proc/self/cgroup and /sys/fs/cgroup in a folder of the test.
static char folder[] = "/tmp/hone_cores_XXXXXX";

static void setup(void)
{
    ck_assert_ptr_ne(mkdtemp(folder), NULL);
}

static void teardown(void)
{
    folder_remove(folder);
}

static void put(const char *directory, const char *file, const char *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, directory);
    ck_assert(folder_make(path, NULL));
    snprintf(path, sizeof path, "%s/%s/%s", folder, directory, file);
    FILE *out = fopen(path, "w");
    ck_assert_ptr_ne(out, NULL);
    fputs(content, out);
    ck_assert_int_eq(fclose(out), 0);
}

static unsigned quota_of(const char *membership)
{
    char groups[512], root[512];
    put(".", "membership", membership);
    snprintf(groups, sizeof groups, "%s/membership", folder);
    snprintf(root, sizeof root, "%s/cgroup", folder);
    return cgroup_quota_cores(groups, root);
}

static const struct {
    const char *content;
    unsigned cores;
} limits[] = {
    {"max 100000\n", 0},
    {"200000 100000\n", 2},
    {"150000 100000\n", 2},
    {"1000 100000\n", 1},
    {"100001 100000\n", 2},
    {"0 100000\n", 0},
    {"-5 100000\n", 0},
    {"100000\n", 0},
    {"", 0},
    {"200000 0\n", 0},
    {"many 100000\n", 0},
    {"9223372036854775807 1\n", 0},
    {"99999999999999999999 1\n", 0},
};

START_TEST(test_version_2_content)
{
    put("cgroup", "cpu.max", limits[_i].content);
    ck_assert_uint_eq(quota_of("0::/\n"), limits[_i].cores);
}
END_TEST

START_TEST(test_version_2_parents_limit_too)
{
    put("cgroup/a/b", "cpu.max", "800000 100000");
    ck_assert_uint_eq(quota_of("0::/a/b\n"), 8);
    put("cgroup/a", "cpu.max", "300000 100000");
    ck_assert_uint_eq(quota_of("0::/a/b\n"), 3);
    put("cgroup/other", "cpu.max", "100000 100000");
    put("cgroup/a/b/below", "cpu.max", "100000 100000");
    ck_assert_uint_eq(quota_of("0::/a/b\n"), 3);
    // In a container the path can be the host's, and absent here.
    put("cgroup", "cpu.max", "500000 100000");
    ck_assert_uint_eq(quota_of("0::/docker/0123456789\n"), 5);
    ck_assert_uint_eq(quota_of("0::/../..\n"), 5);
}
END_TEST

START_TEST(test_version_2_beside_version_1)
{
    put("cgroup/unified/a", "cpu.max", "400000 100000");
    ck_assert_uint_eq(quota_of("1:name=systemd:/\n0::/a\n"), 4);
}
END_TEST

START_TEST(test_version_1)
{
    put("cgroup/cpu/job", "cpu.cfs_quota_us", "-1\n");
    put("cgroup/cpu/job", "cpu.cfs_period_us", "100000\n");
    ck_assert_uint_eq(quota_of("4:memory:/x\n3:cpu:/job\n"), 0);
    put("cgroup/cpu/job", "cpu.cfs_quota_us", "250000\n");
    ck_assert_uint_eq(quota_of("4:memory:/x\n3:cpu:/job\n"), 3);
    ck_assert_uint_eq(quota_of("3:cpu,cpuacct:/job\n"), 3);
    ck_assert_uint_eq(quota_of("3:cpuacct,cpu:/job\n"), 3);
    ck_assert_uint_eq(quota_of("3:cpuset:/job\n2:cpuacct:/job\n"), 0);
}
END_TEST

START_TEST(test_version_1_joint_mount)
{
    put("cgroup/cpu,cpuacct", "cpu.cfs_quota_us", "600000\n");
    put("cgroup/cpu,cpuacct", "cpu.cfs_period_us", "100000\n");
    ck_assert_uint_eq(quota_of("3:cpu,cpuacct:/not/here\n"), 6);
}
END_TEST

START_TEST(test_no_or_broken_membership)
{
    ck_assert_uint_eq(cgroup_quota_cores("/nowhere/cgroup", "/nowhere"), 0);
    ck_assert_uint_eq(quota_of(""), 0);
    ck_assert_uint_eq(quota_of("nonsense\n::\n0:\n:\n"), 0);
}
END_TEST

START_TEST(test_affinity_counts)
{
    cpu_set_t set, one;
    ck_assert_int_eq(sched_getaffinity(0, sizeof set, &set), 0);
    unsigned cores = process_cores();
    ck_assert_uint_ge(cores, 1);
    ck_assert_uint_le(cores, (unsigned)CPU_COUNT(&set));

    int cpu = 0;
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, &one), 0);
    ck_assert_uint_eq(process_cores(), 1);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, test_version_2_content, 0, sizeof limits / sizeof *limits);
    tcase_add_test(tests, test_version_2_parents_limit_too);
    tcase_add_test(tests, test_version_2_beside_version_1);
    tcase_add_test(tests, test_version_1);
    tcase_add_test(tests, test_version_1_joint_mount);
    tcase_add_test(tests, test_no_or_broken_membership);
    tcase_add_test(tests, test_affinity_counts);
}

int main(void)
{
    return suite_run("cores", add);
}
