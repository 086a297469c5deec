// What others recorded becomes results of the store: marked, whole or not at all, and once.
#include "../base/suite.h"
#include "extras/formats/export.h"
#include "extras/formats/import.h"
#include "make.h"
#include "stored.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char folder[64];
static struct spec *spec;
static struct notes notes;
static struct log sink;

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/hone-import-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    spec = spec_of(stored_spec);
    sink = notes_log(&notes);
}

static void tear_down(void)
{
    spec_free(spec);
    ck_assert_int_eq(chdir("/"), 0);
    folder_remove(folder);
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

#define ROW(a, more)                                                                               \
    "{\"configuration\": {\"a\": " a ", \"text\": \"x\", \"flag\": true, \"real\": 0.5}, "         \
    "\"times\": {\"compilation\": 2, \"validation\": 3}, " more "}"
#define TIME(value)                                                                                \
    "\"invalidity\": \"correct\", \"correctness\": 1, \"measurements\": [{\"name\": \"time\", "    \
    "\"value\": " value ", \"unit\": \"\"}]"
#define FILE_OF(metadata, rows)                                                                    \
    "{\"metadata\": {\"timeunit\": \"miliseconds\"" metadata "}, \"results\": [" rows "]}"

static bool import(const char *const *files, size_t count, const char *device,
                   struct store_imported *out, struct error *e)
{
    const struct import_options o = {.spec = spec,
                                     .language = LANGUAGE_OPENCL,
                                     .device = device,
                                     .command = "hone import",
                                     .log = &sink};
    return import_recorded("s.sqlite", files, count, &o, out, e);
}

static struct store_imported import_one(const char *file, const char *device)
{
    struct error e = ERROR_INIT;
    struct store_imported counts;
    ck_assert_msg(import(&file, 1, device, &counts, &e), "%s", e.text);
    return counts;
}

// ---- rows --------------------------------------------------------------------------------------

struct seen {
    unsigned rows, correct;
    char device[128], platform[64], statistic[16], message[64];
    double time;
};

static bool look(void *context, const struct store_row *row)
{
    struct seen *s = context;
    const uint64_t *samples;
    uint32_t count;
    ck_assert_int_eq(row->result->stop, STOP_IMPORTED);
    ck_assert_int_eq(row->result->verification, VERIFICATION_NONE);
    ck_assert_uint_eq(row->result->build_ns, 2000000);
    ck_assert_uint_eq(row->result->verify_ns, 3000000);
    s->rows++;
    snprintf(s->device, sizeof s->device, "%s", row->device);
    snprintf(s->platform, sizeof s->platform, "%s", row->platform);
    snprintf(s->statistic, sizeof s->statistic, "%s", row->result->statistic);
    if (row->result->message[0])
        snprintf(s->message, sizeof s->message, "%s", row->result->message);
    if (result_samples(row->result, &samples, &count)) {
        ck_assert_uint_eq(count, 1);
        s->correct++;
        s->time = (double)samples[0];
    }
    return true;
}

static struct seen look_all(void)
{
    struct error e = ERROR_INIT;
    struct seen seen = {.rows = 0};
    struct store *s = store_open("s.sqlite", STORE_READ, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_msg(store_each(s, &(struct store_query){0}, look, &seen, &e), "%s", e.text);
    store_close(s);
    return seen;
}

static void tell(void *context, const struct store_problem *p)
{
    (void)context;
    ck_abort_msg("%s %s: %s", p->table, p->row, p->what);
}

static void verify(void)
{
    struct error e = ERROR_INIT;
    struct store_checked checked;
    struct store *s = store_open("s.sqlite", STORE_READ, &e);
    ck_assert_msg(s && store_verify(s, tell, NULL, &checked, &e), "%s", e.text);
    store_close(s);
}

START_TEST(test_rows_are_marked)
{
    put_file("t.json", FILE_OF("", ROW("16", TIME("0.5")) "," ROW("32", "\"invalidity\": "
                                                                        "\"timeout\"")));
    struct store_imported counts = import_one("t.json", NULL);
    ck_assert_uint_eq(counts.results, 2);
    ck_assert_uint_eq(counts.added, 2);
    ck_assert_ptr_nonnull(strstr(notes.text, "does not say on which device"));
    struct seen seen = look_all();
    ck_assert_uint_eq(seen.rows, 2);
    ck_assert_uint_eq(seen.correct, 1);
    ck_assert_double_eq(seen.time, 500000);
    ck_assert_str_eq(seen.device, "unknown device (t.json)");
    ck_assert_str_eq(seen.platform, "imported mean");
    ck_assert_str_eq(seen.statistic, "mean");
    ck_assert_str_eq(seen.message, "timeout");
    verify();
}
END_TEST

// The same twice adds nothing; another time of the same configuration does.
START_TEST(test_once)
{
    put_file("t.json", FILE_OF(", \"device\": \"H200\"", ROW("16", TIME("0.5"))));
    ck_assert_uint_eq(import_one("t.json", NULL).added, 1);
    ck_assert_uint_eq(import_one("t.json", "h2").added, 0);
    ck_assert_uint_eq(look_all().rows, 1);
    put_file("t.json", FILE_OF(", \"device\": \"H200\"", ROW("16", TIME("0.25"))));
    ck_assert_uint_eq(import_one("t.json", NULL).added, 1);
    ck_assert_uint_eq(look_all().rows, 2);
    verify();
}
END_TEST

// Fractions of a nanosecond come out as they went in, and make another result.
START_TEST(test_fractions_are_kept)
{
    static const double times[] = {3000.4, 3000.3, 0.25, 7};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct error e = ERROR_INIT;
        char text[256];
        snprintf(text, sizeof text,
                 "a,text,flag,real,status,time_ns,compile_ns,verify_ns\n16,x,True,0.5,correct,%g,"
                 "2e6,3e6\n",
                 times[i]);
        put_file("t.csv", text);
        ck_assert_uint_eq(import_one("t.csv", "H200").added, 1);
        ck_assert_uint_eq(import_one("t.csv", "H200").added, 0);
        struct recorded *r = recorded_read("s.sqlite", NULL, &e);
        ck_assert_msg(r != NULL, "%s", e.text);
        ck_assert_double_eq(r->rows[0].time_ns, times[i]);
        recorded_free(r);
        verify();
    }
}
END_TEST

// Two statistics of one device are two spaces.
START_TEST(test_a_mean_is_no_median)
{
    struct error e = ERROR_INIT;
    put_file("mean.json",
             FILE_OF(", \"device\": \"H200\", \"statistic\": \"mean\"", ROW("16", TIME("0.5"))));
    put_file("median.json",
             FILE_OF(", \"device\": \"H200\", \"statistic\": \"median\"", ROW("16", TIME("0.4"))));
    const char *both[] = {"mean.json", "median.json"};
    struct store_imported counts[2];
    ck_assert_msg(import(both, 2, NULL, counts, &e), "%s", e.text);
    ck_assert(counts[0].added == 1 && counts[1].added == 1);
    ck_assert_ptr_null(recorded_read("s.sqlite", NULL, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "scale (WIDTH=256) on H200, imported mean, opencl"));
    ck_assert_ptr_nonnull(strstr(e.text, "scale (WIDTH=256) on H200, imported median, opencl"));
    error_clear(&e);
    struct recorded *r =
        recorded_read("s.sqlite", &(struct recorded_options){.device = "imported median"}, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    ck_assert_str_eq(r->statistic, "median");
    ck_assert_double_eq(r->rows[0].time_ns, 400000);
    recorded_free(r);
}
END_TEST

// What goes out again has the statistic that it came with.
START_TEST(test_out_again)
{
    struct error e = ERROR_INIT;
    struct arena arena;
    struct stored_space *spaces;
    size_t count;
    uint64_t results;
    struct text text = TEXT_INIT;
    arena_init(&arena);
    put_file("t.json",
             FILE_OF(", \"device\": \"H200\", \"statistic\": \"minimum\"", ROW("16", TIME("0.5"))));
    import_one("t.json", NULL);
    struct store *s = store_open("s.sqlite", STORE_READ, &e);
    ck_assert(s && stored_spaces(s, NULL, NULL, STORED_NEWEST, &arena, &spaces, &count, &e));
    ck_assert(count == 1 && spaces[0].is_imported);
    const struct export_options o = {
        .spec = spec, .store = s, .space = &spaces[0], .format = (enum export_format)_i};
    ck_assert_msg(export_space(&o, &text, &results, &e), "%s", e.text);
    struct recorded *r = parse(text_cstr(&text), NULL);
    ck_assert_str_eq(r->statistic, "minimum");
    ck_assert_double_eq_tol(r->rows[0].time_ns, 500000, 1e-6);
    recorded_free(r);
    store_close(s);
    text_release(&text);
    arena_release(&arena);
}
END_TEST

// ---- whole or not at all -----------------------------------------------------------------------

static void refuse(const char *bad, const char *device, const char *says)
{
    struct error e = ERROR_INIT;
    struct store_imported counts[2];
    const char *both[] = {"good.json", "bad.json"};
    put_file("good.json", FILE_OF(", \"device\": \"H200\"", ROW("16", TIME("0.5"))));
    put_file("bad.json", bad);
    ck_assert(!import(both, 2, device, counts, &e));
    ck_assert_msg(strstr(e.text, says) && strstr(e.text, "bad.json"), "%s\nnot: %s", e.text, says);
    ck_assert_int_ne(access("s.sqlite", F_OK), 0);
}

START_TEST(test_whole_or_not_at_all)
{
    refuse("", NULL, "the file is empty");
    refuse("{\"results\": [", NULL, "cut off");
    refuse(FILE_OF("", ROW("7", TIME("1"))), NULL, "a = 7 is not among the values");
    refuse(FILE_OF(", \"constants\": \"WIDTH=64\"", ROW("16", TIME("1"))), NULL,
           "recorded with WIDTH=64, and");
    refuse(FILE_OF(", \"device\": \"A100\"", ROW("16", TIME("1"))), "h200",
           "recorded on A100, not on 'h200'");
    refuse("SQLite format 4", NULL, "no recorded results");
}
END_TEST

START_TEST(test_excluded_ones_are_told)
{
    static const char conditions[] = "\"Conditions\": [{\"Parameters\": [\"a\"], \"Expression\": "
                                     "\"a > 16\"}], \"TuningParameters\"";
    char text[2048];
    const char *at = strstr(stored_spec, "\"TuningParameters\"");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - stored_spec), stored_spec, conditions,
             at + strlen("\"TuningParameters\""));
    spec_free(spec);
    spec = spec_of(text);
    put_file("t.json",
             FILE_OF(", \"device\": \"H200\"", ROW("16", TIME("0.5")) "," ROW("32", TIME("0.5"))));
    ck_assert_uint_eq(import_one("t.json", NULL).added, 2);
    ck_assert_ptr_nonnull(strstr(notes.text, "1 of 2 correct results are of configurations that"));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, test_rows_are_marked);
    tcase_add_test(tests, test_once);
    tcase_add_test(tests, test_fractions_are_kept);
    tcase_add_test(tests, test_a_mean_is_no_median);
    tcase_add_loop_test(tests, test_out_again, 0, EXPORT_FORMAT_COUNT);
    tcase_add_test(tests, test_whole_or_not_at_all);
    tcase_add_test(tests, test_excluded_ones_are_told);
}

int main(void)
{
    return suite_run("import", add);
}
