// `hone peak` from outside on a device, and what others say of a result once it is known.
#include "base/text.h"
#include "program.h"

#include "../base/suite.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define SPEC HONE_SOURCE_DIR "/tests/cli/data/vector_add.json"
#define ONE  "--config", "block=32,work=1,flavor=0"

static const char *const limits[] = {"fp32", "memory_read", "memory_copy", "local", NULL};

static struct ran succeed(struct ran r)
{
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    return r;
}

// The last line of what was written, as JSON.
static json_t *last_of(struct ran r)
{
    json_error_t why;
    size_t end = strlen(succeed(r).out);
    ck_assert(end > 0 && r.out[end - 1] == '\n');
    size_t start = end - 1;
    while (start > 0 && r.out[start - 1] != '\n')
        start--;
    json_t *j = json_loads(r.out + start, 0, &why);
    ck_assert_msg(j != NULL, "%s: %s", why.text, r.out + start);
    ran_release(&r);
    return j;
}

static double rate_of(json_t *list, const char *limit)
{
    json_t *j = json_object_get(list, limit);
    json_t *interval = json_object_get(j, "interval");
    double rate = json_real_value(json_object_get(j, "rate"));
    ck_assert_double_gt(rate, 1e7);
    ck_assert_double_lt(rate, 1e16);
    ck_assert_uint_eq(json_array_size(interval), 2);
    ck_assert_double_le(json_real_value(json_array_get(interval, 0)), rate);
    ck_assert_double_ge(json_real_value(json_array_get(interval, 1)), rate);
    ck_assert_int_eq(json_integer_value(json_object_get(j, "rounds")), 16);
    ck_assert(json_string_value(json_object_get(j, "configuration")));
    ck_assert(json_is_null(json_object_get(j, "why")));
    return rate;
}

START_TEST(as_json)
{
    json_t *j = last_of(program_run("peak", "--json", "--no-store"));
    json_t *list = json_object_get(j, "limits");
    for (const char *const *l = limits; *l; l++)
        rate_of(list, *l);
    ck_assert_ptr_nonnull(json_object_get(json_object_get(j, "device"), "name"));
    ck_assert(json_is_null(json_object_get(j, "store")));
    ck_assert_ptr_nonnull(json_object_get(j, "fp32_arithmetic"));
    ck_assert(json_is_false(json_object_get(j, "cancelled")));
    ck_assert(json_is_null(json_object_get(j, "error")));
    json_decref(j);
    struct ran cache = succeed(program_run("cache", "--json"));
    ck_assert_msg(
        strstr(cache.out, "\"variable\":\"HONE_WORKER_CACHE\",\"own\":true,\"entries\":0,") != NULL,
        "%s", cache.out);
    ran_release(&cache);
}
END_TEST

START_TEST(known_from_then_on)
{
    json_t *j = last_of(program_run("tune", SPEC, ONE, "--json"));
    ck_assert(json_is_null(json_object_get(j, "peak")));
    json_decref(j);

    struct ran r = succeed(program_run("peak"));
    ran_release(&r);
    r = succeed(program_run("store", "verify"));
    ran_release(&r);

    const char *const commands[] = {"tune", "run"};
    for (size_t i = 0; i < 2; i++) {
        j = last_of(program_run(commands[i], SPEC, ONE, "--json"));
        json_t *peak = json_object_get(j, "peak");
        json_t *share = json_object_get(json_object_get(peak, "shares"), "GB/s");
        const char *limit = json_string_value(json_object_get(share, "limit"));
        ck_assert(limit && str_starts(limit, "memory_"));
        ck_assert_double_gt(json_real_value(json_object_get(share, "share")), 0);
        for (const char *const *l = limits; *l; l++)
            rate_of(json_object_get(peak, "limits"), *l);
        json_decref(j);
    }
}
END_TEST

#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 240);
    if (!sanitized) // what it adds is mostly the device's time
        tcase_add_test(tests, as_json);
    tcase_add_test(tests, known_from_then_on);
}

int main(void)
{
    program_folder();
    if (!program_has_device()) {
        program_folder_remove();
        puts("skipped: no OpenCL device");
        return 77;
    }
    int status = suite_run("cli/peak", add);
    program_folder_remove();
    return status;
}
