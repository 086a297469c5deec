// Kernels of hone's own on a real device: what they compute is what the host computes.
#include "kit.h"

#include "device/checksum.h"
#include "device/gemm.h"
#include "device/open_device.h"
#include "device/own_kernel.h"

#include <stdlib.h>
#include <string.h>

static struct kit kit;

static void set_up(void)
{
    kit_open(&kit, NULL);
}

static void tear_down(void)
{
    kit_close(&kit);
}

// Memory that the host does not see, as a GPU's, on any device.
static struct memory memory_with(const void *data, uint64_t bytes)
{
    struct device *d = kit.device;
    struct memory m = {.bytes = bytes, .exact = true};
    struct error e = ERROR_INIT;
    ck_assert_msg(d->backend->memory_new(d->own, &m, ACCESS_BOTH, &e), "%s", e.text);
    ck_assert(!m.host);
    ck_assert_msg(memory_write(d, &m, data, &e), "%s", e.text);
    return m;
}

static void *random_bytes(uint64_t count)
{
    uint8_t *bytes = malloc(count + 1);
    uint32_t x = 12345;
    for (uint64_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> 24);
    return bytes;
}

// ---- checksum

static const uint64_t lengths[] = {1, 7, 8, 9, 2047, 2048, 2056, 100003, 3000000};

START_TEST(checksum_is_the_hosts)
{
    uint64_t sum, length = lengths[_i];
    void *bytes = random_bytes(length);
    struct memory m = memory_with(bytes, length);
    struct error e = ERROR_INIT;
    ck_assert_msg(checksum_on_device(kit.device, &m, &sum, &e), "%s", e.text);
    ck_assert_uint_eq(sum, checksum_of(bytes, length));
    memory_free(kit.device, &m);
    free(bytes);
}
END_TEST

// ---- building

static const char *const pieces[] = {"this is no kernel\n", NULL};
static const struct own_text nonsense = {"hone_nonsense", "", pieces};

START_TEST(text_that_does_not_build_is_not_built_twice)
{
    struct error e = ERROR_INIT;
    ck_assert_ptr_null(own_kernel_get(kit.device, &nonsense, &e));
    ck_assert_msg(strstr(e.text, "clBuildProgram of hone's own kernels"), "%s", e.text);
    error_clear(&e);
    ck_assert_ptr_null(own_kernel_get(kit.device, &nonsense, &e));
    ck_assert_str_eq(e.text, "hone_nonsense of hone's own did not build");
}
END_TEST

static void add(TCase *t)
{
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_loop_test(t, checksum_is_the_hosts, 0, sizeof lengths / sizeof *lengths);
    tcase_add_test(t, text_that_does_not_build_is_not_built_twice);
}

int main(void)
{
    return kit_has_device() ? kit_run("own", add) : KIT_SKIPPED;
}
