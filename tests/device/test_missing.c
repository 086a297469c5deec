// GPUs without a driver, on made-up system trees.
#include "kit.h"

#include "base/text.h"
#include "device/missing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];
static struct arena arena;

static void set_up(void)
{
    strcpy(root, "/tmp/hone-test-root-XXXXXX");
    ck_assert(mkdtemp(root) != NULL);
    arena_init(&arena);
}

static void tear_down(void)
{
    folder_remove(root);
    arena_release(&arena);
}

static void put(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", root, path);
    char *slash = strrchr(full, '/');
    *slash = '\0';
    ck_assert(folder_make(full, NULL));
    *slash = '/';
    FILE *f = fopen(full, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void put_device(const char *address, const char *class, const char *vendor,
                       const char *device, const char *node)
{
    char path[256];
    snprintf(path, sizeof path, "sys/bus/pci/devices/%s/class", address);
    put(path, class);
    snprintf(path, sizeof path, "sys/bus/pci/devices/%s/vendor", address);
    put(path, vendor);
    snprintf(path, sizeof path, "sys/bus/pci/devices/%s/device", address);
    put(path, device);
    if (node) {
        snprintf(path, sizeof path, "sys/bus/pci/devices/%s/drm/%s/dev", address, node);
        put(path, "226:128\n");
        snprintf(path, sizeof path, "dev/dri/%s", node);
        put(path, "");
    }
}

static struct device_report scan(struct device_info *devices, uint32_t count)
{
    struct device_report list = {.devices = devices, .device_count = count, .problem = ""};
    struct error e = ERROR_INIT;
    ck_assert_msg(missing_scan(&arena, root, &list, &e), "%s", e.text);
    return list;
}

START_TEST(gpu_without_a_registered_driver)
{
    put_device("0000:65:00.0", "0x030200\n", "0x10de\n", "0x2335\n", NULL);
    put_device("0000:00:02.0", "0x020000\n", "0x10de\n", "0x1021\n", NULL); // a network card
    put_device("0000:00:03.0", "0x030000\n", "0x1234\n", "0x1111\n", NULL); // an emulator's display
    put("etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
    struct device_report list = scan(NULL, 0);
    ck_assert_uint_eq(list.note_count, 1);
    ck_assert_str_eq(list.notes[0].device, "NVIDIA GPU 10de:2335 (0000:65:00.0)");
    ck_assert_str_eq(list.notes[0].reason, "no OpenCL driver is registered for it");
    ck_assert(strstr(list.notes[0].remedy, "nvidia-opencl-icd"));
}
END_TEST

START_TEST(gpu_whose_node_may_not_be_opened)
{
    char node[256];
    if (geteuid() == 0) {
        puts("skipped: root may open everything");
        return;
    }
    put_device("0000:03:00.0", "0x030000\n", "0x1002\n", "0x73bf\n", "renderD128");
    put("etc/OpenCL/vendors/mesa.icd", "libMesaOpenCL.so.1\n");
    snprintf(node, sizeof node, "%s/dev/dri/renderD128", root);
    ck_assert_int_eq(chmod(node, 0), 0);
    struct device_report list = scan(NULL, 0);
    ck_assert_uint_eq(list.note_count, 1);
    ck_assert_str_eq(list.notes[0].reason,
                     "you may not open /dev/dri/renderD128 (not in group render)");
    ck_assert(strstr(list.notes[0].remedy, "usermod -a -G render"));
}
END_TEST

START_TEST(gpu_whose_driver_does_not_offer_it)
{
    put_device("0000:03:00.0", "0x030000\n", "0x8086\n", "0x56a0\n", "renderD128");
    put("etc/OpenCL/vendors/intel.icd", "/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so\n");
    struct device_report list = scan(NULL, 0);
    ck_assert_uint_eq(list.note_count, 1);
    ck_assert(strstr(list.notes[0].reason, "does not offer it"));
}
END_TEST

START_TEST(offered_gpus_are_not_missing)
{
    struct device_info devices[] = {
        {.type = DEVICE_CPU, .vendor = "GenuineIntel", .pci = ""},
        {.type = DEVICE_GPU, .vendor = "NVIDIA Corporation", .pci = "0000:65:00.0"},
    };
    put_device("0000:65:00.0", "0x030200\n", "0x10de\n", "0x2335\n", NULL);
    put_device("0000:66:00.0", "0x030200\n", "0x10de\n", "0x2335\n", NULL);
    put_device("0000:00:02.0", "0x030000\n", "0x8086\n", "0x3e92\n", NULL);
    put("etc/OpenCL/vendors/nvidia.icd", "libnvidia-opencl.so.1\n");
    struct device_report list = scan(devices, 2);
    ck_assert_uint_eq(list.note_count, 2); // in the order of their addresses
    ck_assert(strstr(list.notes[0].device, "0000:00:02.0"));
    ck_assert(strstr(list.notes[1].device, "0000:66:00.0"));
    devices[1].pci = ""; // a driver that says no address may mean any of them
    list = scan(devices, 2);
    ck_assert_uint_eq(list.note_count, 1);
}
END_TEST

START_TEST(no_tree_is_no_gpu)
{
    struct device_report list = scan(NULL, 0);
    ck_assert_uint_eq(list.note_count, 0);
}
END_TEST

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, gpu_without_a_registered_driver);
    tcase_add_test(t, gpu_whose_node_may_not_be_opened);
    tcase_add_test(t, gpu_whose_driver_does_not_offer_it);
    tcase_add_test(t, offered_gpus_are_not_missing);
    tcase_add_test(t, no_tree_is_no_gpu);
}

int main(void)
{
    return kit_run("missing", add);
}
