// Every allocation fails once: libhone refuses with "out of memory" (or does without), and leaks
// nothing. The allocator of this program is the library's too, since a program's symbols come
// first.
#include <hone/hone.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL HONE_SOURCE_DIR "/tests/api/data/small.json"

// glibc's own, under their other names.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t bytes);
void __libc_free(void *old);

#define VISIBLE __attribute__((visibility("default")))

static long until_failure = -1; // allocations that still succeed; negative: all
static long living;             // allocated and not freed while counting
static bool counting;

static bool fails(void)
{
    return until_failure >= 0 && until_failure-- == 0;
}

static void *counted(void *p)
{
    living += counting && p;
    return p;
}

VISIBLE void *malloc(size_t bytes)
{
    return fails() ? NULL : counted(__libc_malloc(bytes));
}

VISIBLE void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

VISIBLE void *realloc(void *old, size_t bytes)
{
    if (fails())
        return NULL;
    void *p = __libc_realloc(old, bytes);
    return old ? p : counted(p);
}

VISIBLE void free(void *old)
{
    living -= counting && old;
    __libc_free(old);
}

// Everything that libhone does with a spec alone. 0 when all worked.
static bool use_spec(struct hone_error *e)
{
    const char *const where[] = {"ID < 4", NULL};
    const char *const set[] = {"SLOWNESS=7", NULL};
    struct hone_space *sp = NULL;
    uint32_t c[2];
    char text[128];
    bool ok = false;
    struct hone_spec *s = hone_spec_load(SMALL, set, NULL, e);
    if (!s)
        return false;
    hone_spec_default(s, c);
    if (!hone_spec_read(s, "ID=4", c, e))
        goto out;
    hone_spec_json(s, c, text, sizeof text);
    sp = hone_space_new(s, NULL, where, e);
    if (!sp)
        goto out;
    hone_space_why(sp, c, text, sizeof text);
    ok = hone_space_count(sp) == 4; // an assertion would allocate
out:
    hone_space_free(sp);
    hone_spec_free(s);
    return ok;
}

static bool use_devices(struct hone_error *e)
{
    const struct hone_worker fake = {.program = FAKE_WORKER};
    struct hone_devices *d = hone_devices_list(&fake, e);
    bool ok = d && hone_devices_pick(d, "fake", e);
    hone_devices_free(d);
    return ok;
}

static struct hone_spec *tuned_spec;
static struct hone_devices *tuned_devices;

// Making a tune, and leaving it before it has worked.
static bool use_tune(struct hone_error *e)
{
    const char *const where[] = {"ID < 4", NULL};
    struct hone_tune_options o = HONE_TUNE_OPTIONS_INIT;
    o.spec = tuned_spec;
    o.device = hone_devices_get(tuned_devices, 0);
    o.worker.program = FAKE_WORKER;
    o.where = where;
    o.budget = "2,60s";
    struct hone_tune *t = hone_tune_new(&o, e);
    hone_tune_free(t);
    return t != NULL;
}

// Repeats with the n-th allocation failing until there are not so many.
static void fail_everywhere(bool (*use)(struct hone_error *), long least)
{
    struct hone_error e = HONE_ERROR_INIT;
    ck_assert_msg(use(&e), "%s", e.text); // what is made once and kept is there now
    bool reached = true;
    for (long n = 0; reached; n++) {
        e = (struct hone_error)HONE_ERROR_INIT;
        living = 0;
        counting = true;
        until_failure = n;
        bool ok = use(&e);
        reached = until_failure < 0;
        until_failure = -1;
        counting = false;
        ck_assert_msg(ok == (e.code == HONE_ERROR_NONE), "allocation %ld: %s", n, e.text);
        ck_assert_msg(ok || reached, "allocation %ld: %s", n, e.text);
        ck_assert_msg(living == 0, "allocation %ld: %ld blocks are left", n, living);
        ck_assert_msg(reached || n > least, "only %ld allocations", n);
    }
}

START_TEST(specs_and_spaces)
{
    fail_everywhere(use_spec, 50);
}
END_TEST

START_TEST(devices)
{
    fail_everywhere(use_devices, 5);
}
END_TEST

START_TEST(tunes)
{
    struct hone_error e = HONE_ERROR_INIT;
    const struct hone_worker fake = {.program = FAKE_WORKER};
    tuned_spec = hone_spec_load(SMALL, NULL, NULL, &e);
    tuned_devices = hone_devices_list(&fake, &e);
    ck_assert_msg(tuned_spec && tuned_devices, "%s", e.text);
    fail_everywhere(use_tune, 20);
    hone_devices_free(tuned_devices);
    hone_spec_free(tuned_spec);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("api_memory");
    TCase *c = tcase_create("allocations");
    tcase_set_timeout(c, 100);
    tcase_add_test(c, specs_and_spaces);
    tcase_add_test(c, devices);
    tcase_add_test(c, tunes);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
