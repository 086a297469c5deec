// Every allocation fails once (of those that a store makes every third): reading, importing and
// exporting then end with "out of memory",
// nothing leaks, and of an import nothing is in the store.
#include "../base/suite.h"
#include "../support/failing.h"
#include "extras/formats/export.h"
#include "extras/formats/import.h"
#include "make.h"
#include "stored.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define ROW(a, b, more)                                                                            \
    "{\"configuration\": {\"a\": " a ", \"text\": " b ", \"flag\": true, \"real\": 0.5}, "         \
    "\"times\": {\"runtimes\": [1, 2, 6]}, \"message\": \"said\", \"measurements\": [{\"name\": "  \
    "\"energy\", \"value\": 3}]" more "}"

static const char t4[] = "{\"metadata\": {\"device\": \"d\", \"name\": \"n\"}, \"results\": [" ROW(
    "16", "\"x\"", "") "," ROW("32", "\"y z\"", ", \"invalidity\": \"compile\"") "]}";
static const char cache[] =
    "{\"device_name\": \"d\", \"cache\": {\"16,x\": {\"time\": 1.5, \"GFLOP/s\": 2}, \"32,x\": "
    "{\"time\": \"InvalidConfig\"}}, \"tune_params\": {\"a\": [16, 32], \"text\": "
    "[\"x\"]}, \"tune_params_keys\": [\"a\", \"text\"]}";
static const char csv[] = "a,text,status,time_ns,statistic,message,device,more\n"
                          "16,x,correct,5,median,,d,7\n32,\"y z\",timeout,,median,late,d,\n";

struct input {
    const void *data;
    size_t length;
};

// Counts up by `step` until nothing failed. The error says memory.
static void every_allocation(bool (*use)(const struct input *in, struct error *e),
                             const struct input *in, long step)
{
    long n = 0;
    for (bool reached = true; reached; n += step) {
        struct error e = ERROR_INIT;
        failing_start(n);
        bool ok = use(in, &e);
        reached = failing_end();
        ck_assert_msg(failing_left() == 0, "allocation %ld: %ld blocks are left", n,
                      failing_left());
        ck_assert_msg(ok || (reached && strstr(e.text, "memory")), "allocation %ld: %s", n, e.text);
    }
    ck_assert_int_gt(n, 5);
}

// ---- reading -----------------------------------------------------------------------------------

static bool read_once(const struct input *in, struct error *e)
{
    struct recorded *r = recorded_parse("t.json", in->data, in->length, NULL, e);
    bool ok = r != NULL;
    recorded_free(r);
    return ok;
}

START_TEST(test_reading)
{
    unsigned char packed[2048];
    const char *const texts[] = {t4, cache, csv};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        every_allocation(read_once, &(struct input){texts[i], strlen(texts[i])}, 1);
    z_stream z = {0};
    ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)t4;
    z.avail_in = (uInt)strlen(t4);
    z.next_out = packed;
    z.avail_out = sizeof packed;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t length = sizeof packed - z.avail_out;
    deflateEnd(&z);
    every_allocation(read_once, &(struct input){packed, length}, 1);
}
END_TEST

// ---- in and out --------------------------------------------------------------------------------

static struct spec *spec;

static bool import_once(const struct input *in, struct error *e)
{
    struct store_imported counts;
    const char *file = in->data;
    const struct import_options o = {.spec = spec, .command = "hone import"};
    return import_recorded("s.sqlite", &file, 1, &o, &counts, e);
}

static bool export_once(const struct input *in, struct error *e)
{
    struct arena arena;
    struct stored_space *spaces;
    size_t count;
    uint64_t results;
    struct text text = TEXT_INIT;
    arena_init(&arena);
    struct store *s = store_open("s.sqlite", STORE_READ, e);
    bool ok = s && stored_spaces(s, NULL, NULL, STORED_NEWEST, &arena, &spaces, &count, e);
    if (ok) {
        const struct export_options o = {
            .spec = spec, .store = s, .space = spaces, .format = (enum export_format)in->length};
        ok = export_space(&o, &text, &results, e);
    }
    if (ok && results != 2)
        ok = error_set(e, ERROR_INTERNAL, "%d results", (int)results);
    store_close(s);
    text_release(&text);
    arena_release(&arena);
    return ok;
}

START_TEST(test_in_and_out)
{
    char folder[] = "/tmp/hone-memory-XXXXXX";
    struct error e = ERROR_INIT;
    struct store_counts counts;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    spec = spec_of(stored_spec);
    FILE *f = fopen("t.json", "w");
    ck_assert(f && fputs(t4, f) >= 0 && fclose(f) == 0);
    ck_assert(import_once(&(struct input){"t.json", 0}, &e)); // what SQLite keeps for ever is there
    unlink("s.sqlite");
    every_allocation(import_once, &(struct input){"t.json", 0}, 3); // SQLite makes many
    struct store *s = store_open("s.sqlite", STORE_READ, &e);
    ck_assert(s && store_count(s, &counts, &e));
    ck_assert_uint_eq(counts.results, 2);
    ck_assert_uint_eq(counts.sessions, 1);
    store_close(s);
    for (size_t format = 0; format < EXPORT_FORMAT_COUNT; format++)
        every_allocation(export_once, &(struct input){NULL, format}, 3);
    spec_free(spec);
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove(folder);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, test_reading);
    tcase_add_test(tests, test_in_and_out);
}

int main(void)
{
    return suite_run("exchange/memory", add);
}
