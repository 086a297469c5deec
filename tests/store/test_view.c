// What comes out of the store again: rows, texts, counts, and what sqlite3 shows of the file.

#include "faults.h"
#include "fixture.h"

#include "store/database.h"
#include "store/query/query.h"

#include <stdio.h>
#include <string.h>

// ---- rows

struct seen {
    int rows;
    int stop_after; // 0: never
    char configurations[256];
    char ids[8][40];
};

static bool note_row(void *context, const struct store_row *row)
{
    struct seen *seen = context;
    strncat(seen->configurations, row->configuration,
            sizeof seen->configurations - strlen(seen->configurations) - 1);
    strncat(seen->configurations, ";",
            sizeof seen->configurations - strlen(seen->configurations) - 1);
    if (seen->rows < 8)
        snprintf(seen->ids[seen->rows], sizeof seen->ids[0], "%s", row->id);
    seen->rows++;
    return seen->rows != seen->stop_after;
}

static struct seen look(struct store *s, const struct store_query *q, int stop_after)
{
    struct error e = ERROR_INIT;
    struct seen seen = {.stop_after = stop_after};
    ck_assert_msg(store_each(s, q, note_row, &seen, &e), "%s", e.text);
    return seen;
}

static struct store *three_results(void)
{
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put(s, 1);
    struct result *r = result_new();
    result_fail(r, STATUS_COMPILE, FAULT_CONFIGURATION, "no such function");
    put_result(s, 2, &test_policy, r);
    put(s, 3);
    return s;
}

START_TEST(test_rows_newest_first)
{
    struct store *s = three_results();
    struct store_query all = {0};
    struct seen seen = look(s, &all, 0);
    ck_assert_int_eq(seen.rows, 3);
    ck_assert_str_eq(seen.configurations, "block=3;block=2;block=1;");
    ck_assert_uint_eq(strlen(seen.ids[0]), 32);
    ck_assert_str_ne(seen.ids[0], seen.ids[1]);
    ck_assert_str_eq(look(s, &all, 2).configurations, "block=3;block=2;");
    store_close(s);
}
END_TEST

START_TEST(test_rows_by_query)
{
    struct store *s = three_results();
    begin(s, "other.json");
    put(s, 3);
    struct digest none = {{0}}, source;
    static const char text[] = "#include \"tile.h\"\n__kernel void scale(__global float *c) {}\n";
    struct digest key, identity;
    digest_of(text, strlen(text), &source);
    device_info_digest(&test_device, &identity);
    key_of(3, &key);
    const struct {
        struct store_query q;
        int rows;
    } cases[] = {
        {{0}, 4},
        {{.correct_only = true}, 3},
        {{.spec_name = "scale.json"}, 3},
        {{.spec_name = "other.json"}, 1}, // by its session, though scale.json made the job
        {{.spec_name = "scale"}, 0},
        {{.constants = "WIDTH=256"}, 4},
        {{.constants = ""}, 0},
        {{.device = "processor"}, 0},
        {{.device = "Test Processor 9000"}, 4},
        {{.device = "%"}, 0},
        {{.source = &source}, 4},
        {{.source = &none}, 0},
        {{.spec_name = "scale.json", .correct_only = true, .device = "Test Processor 9000"}, 2},
        {{.device_identity = &identity}, 4},
        {{.device_identity = &none}, 0},
        {{.key = &key}, 2},
        {{.key = &none}, 0},
        {{.spec_name = "other.json", .key = &key}, 1},
        {{.today = true}, 4},
        {{.inputs = STORE_INPUTS_WARM}, 4},
        {{.inputs = STORE_INPUTS_COLD}, 1}, // a failure counts whatever they were
        {{.telling = true}, 4},
        {{.newest = STORE_NEWEST_OF_JOB}, 3},
        {{.newest = STORE_NEWEST_OF_CONFIGURATION}, 3},
        {{.newest = STORE_NEWEST_OF_SESSION}, 2},
        {{.correct_only = true, .newest = STORE_NEWEST_OF_JOB}, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(look(s, &cases[i].q, 0).rows == cases[i].rows, "case %zu", i);
    store_close(s);
}
END_TEST

// Pages that a walk reads of a store that was opened for it: counted below SQLite, which reads those
// of a long text past its cache since 3.45.
static unsigned pages_read(const char *path, const struct store_query *q, int rows)
{
    struct error e = ERROR_INIT;
    struct store *s = store_open(path, STORE_READ, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    sqlite3_db_release_memory(s->db);
    faults_set(0, false, FAULT_DISK);
    ck_assert_int_eq(look(s, q, 0).rows, rows);
    unsigned pages = faults_end().reads;
    store_close(s);
    return pages;
}

// What is read grows neither with the rows of other specs nor, unless they are asked for, with
// logs.
START_TEST(test_what_a_walk_reads)
{
    struct error e = ERROR_INIT;
    const struct store_query own = {.spec_name = "own.json"}, job = {.session = NULL},
                             logs = {.spec_name = "own.json", .logs = true};
    unsigned pages[3], foreign = 100;
    faults_install();
    struct store *s = store_make("s.db");
    begin(s, "own.json");
    for (unsigned i = 0; i < 20; i++)
        put(s, i);
    for (int more = 0; more < 3; more++, foreign *= 5) {
        begin(s, "other.json");
        ck_assert(store_together(s, &e));
        for (unsigned i = 0; i < foreign; i++)
            put(s, 100 * foreign + i);
        ck_assert(store_together_end(s, true, &e));
        pages[more] = pages_read("s.db", &own, 20);
    }
    // A job is found by a digest: among many, each is on a page of its own.
    ck_assert_msg(pages[2] <= pages[0] + 20 + 12, "%u pages, then %u, then %u", pages[0], pages[1],
                  pages[2]);
    ck_assert_uint_gt(pages_read("s.db", &job, 20 + 100 + 500 + 2500), 1000); // it is counted
    struct text log = TEXT_INIT;
    for (int i = 0; i < 100000; i++)
        text_add(&log, "a warning ");
    struct result *r = result_make(21);
    r->log = text_cstr(&log);
    begin(s, "own.json");
    put_result(s, 21, &test_policy, r);
    store_close(s);
    ck_assert_uint_le(pages_read("s.db", &own, 21), pages[2] + 12);
    ck_assert_uint_gt(pages_read("s.db", &logs, 21), 900);
    text_release(&log);
}
END_TEST

static bool check_row(void *context, const struct store_row *row)
{
    struct digest key, identity;
    char hex[65];
    struct digest_state state;
    struct wire w;
    struct device_info device = test_device;
    key_of(1, &key);
    digest_start(&state);
    wire_hasher(&w, &state);
    device_info_identity(&w, &device);
    digest_finish(&state, &identity);
    digest_hex(&identity, hex);
    ck_assert(digest_equal(&row->key, &key));
    ck_assert_str_eq(row->device_identity, hex);
    ck_assert_str_eq(row->configuration_json, "{\"block\": 1}");
    ck_assert_str_eq(row->spec_name, "scale.json");
    ck_assert_str_eq(row->constants, "WIDTH=256");
    ck_assert_str_eq(row->device, "Test Processor 9000");
    ck_assert_str_eq(row->platform, "Portable Computing Language");
    ck_assert_str_eq(row->driver, "3.1");
    ck_assert_str_eq(row->geometry, "1024 / 16");
    ck_assert_str_eq(row->hone_version, "0.1.0");
    ck_assert_int_eq(row->measuring_version, HONE_MEASURING_VERSION);
    ck_assert_uint_eq(row->result->sample_count, 7);
    ck_assert_uint_eq(row->result->samples_ns[0], 1006);
    ck_assert_uint_eq(strlen(row->date), strlen("2026-01-01T00:00:00.000Z"));
    ck_assert_int_eq(row->date[10], 'T');
    ck_assert_int_eq(row->date[23], 'Z');
    *(bool *)context = true;
    return true;
}

START_TEST(test_row_in_full)
{
    struct error e = ERROR_INIT;
    struct store_query all = {0};
    bool seen = false;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    put(s, 1);
    ck_assert(store_each(s, &all, check_row, &seen, &e));
    ck_assert(seen);
    store_close(s);
}
END_TEST

static bool use_store(void *context, const struct store_row *row)
{
    struct error e = ERROR_INIT;
    struct store *s = context;
    struct result *r = find_one(s, &row->key, &e);
    ck_assert_ptr_nonnull(r);
    result_free(r);
    put(s, 9);
    return true;
}

START_TEST(test_callback_may_use_the_store)
{
    struct error e = ERROR_INIT;
    struct store_query all = {0};
    struct store_counts counts;
    struct store *s = three_results();
    ck_assert_msg(store_each(s, &all, use_store, s, &e), "%s", e.text);
    ck_assert(store_count(s, &counts, &e));
    ck_assert_uint_eq(counts.results, 6);
    store_close(s);
}
END_TEST

START_TEST(test_damaged_body_is_an_error)
{
    struct error e = ERROR_INIT;
    struct store_query all = {0};
    struct seen seen = {0};
    struct digest key;
    store_close(three_results());
    ask("s.db", "UPDATE result SET body = substr(body, 1, 20) RETURNING 1");
    struct store *s = store_make("s.db");
    ck_assert(!store_each(s, &all, note_row, &seen, &e));
    ck_assert(str_starts(e.text, "s.db: "));
    error_clear(&e);
    key_of(1, &key);
    ck_assert_ptr_null(find_one(s, &key, &e));
    ck_assert_int_ne(e.code, ERROR_NONE);
    store_close(s);
}
END_TEST

START_TEST(test_other_formats_are_passed_over)
{
    struct error e = ERROR_INIT;
    struct store_query all = {0};
    struct digest key;
    store_close(three_results());
    ask("s.db", "UPDATE result SET format = 99 WHERE sequence = 1 RETURNING 1");
    struct store *s = store_make("s.db");
    ck_assert_int_eq(look(s, &all, 0).rows, 2);
    key_of(1, &key);
    ck_assert_ptr_null(find_one(s, &key, &e));
    ck_assert_int_eq(e.code, ERROR_NONE);
    store_close(s);
}
END_TEST

// ---- texts

static bool note_text(void *context, const char *kind, const char *name, const char *text,
                      size_t length)
{
    text_addf(context, "%s %s %zu %.8s|", kind, name, length, text);
    return true;
}

static bool first_text(void *context, const char *kind, const char *name, const char *text,
                       size_t length)
{
    note_text(context, kind, name, text, length);
    return false;
}

START_TEST(test_texts_of_a_job)
{
    struct error e = ERROR_INIT;
    struct text got = TEXT_INIT;
    struct digest key;
    struct store *s = three_results();
    key_of(2, &key);
    ck_assert_msg(store_texts(s, &key, note_text, &got, &e), "%s", e.text);
    ck_assert_str_eq(text_cstr(&got), "spec scale.json 27 {\"Kernel|source scale.cl 60 #include|"
                                      "include tile.h 15 #define |");
    text_clear(&got);
    ck_assert(store_texts(s, &key, first_text, &got, &e));
    ck_assert_str_eq(text_cstr(&got), "spec scale.json 27 {\"Kernel|");
    text_clear(&got);
    key_of(77, &key);
    ck_assert(store_texts(s, &key, note_text, &got, &e));
    ck_assert_str_eq(text_cstr(&got), "");
    text_release(&got);
    store_close(s);
}
END_TEST

// Puts a job made by hand.
static void put_job(struct store *s, struct job *j, struct digest *key)
{
    struct error e = ERROR_INIT;
    struct result *r = result_make(1);
    struct store_job job = {.job = j, .as.spec_name = "scale.json", .as.constants = ""};
    j->configuration = "block=1";
    j->configuration_json = "{}";
    job_key(j, &test_device, &job.key);
    *key = job.key;
    ck_assert_msg(store_put(s, &job, &test_policy, r, &e), "%s", e.text);
    result_free(r);
}

START_TEST(test_texts_of_reference_and_repeated_programs)
{
    struct error e = ERROR_INIT;
    struct text got = TEXT_INIT;
    struct digest key;
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    struct job *j = job_make(1), *reference = job_make(2);
    // Two programs of one source with other options, and an empty one.
    struct job_program *programs = arena_array(&j->arena, 3, sizeof *programs);
    programs[0] = programs[1] = j->programs[0];
    programs[1].option_count = 1;
    programs[2] = (struct job_program){.name = "empty.cl", .source = "", .length = 0};
    j->programs = programs;
    j->program_count = 3;
    reference->programs[0].name = "naive.cl";
    j->reference =
        (struct job_reference){.kind = REFERENCE_JOB, .name = "naive.cl", .job = reference};
    put_job(s, j, &key);
    put_job(s, j, &key);
    ck_assert(store_texts(s, &key, note_text, &got, &e));
    ck_assert_str_eq(text_cstr(&got),
                     "spec scale.json 27 {\"Kernel|source scale.cl 60 #include|"
                     "include tile.h 15 #define |source empty.cl 0 |"
                     "reference naive.cl 60 #include|reference tile.h 15 #define |");
    text_release(&got);
    store_close(s);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM text"), 6);
    ck_assert_int_eq(ask("s.db", "SELECT length(options) - length(replace(options, char(10), ''))"
                                 " FROM job"),
                     3); // "-DBLOCK=1 \n -DTYPE=unsigned int \n \n -DBLOCK=1"
    job_free(j);
    job_free(reference);
}
END_TEST

START_TEST(test_each_text_is_kept_once)
{
    static char large[100000];
    memset(large, 'x', sizeof large);
    struct error e = ERROR_INIT;
    struct digest key;
    struct store_counts counts;
    struct store *s = store_make("s.db");
    for (unsigned i = 0; i < 100; i++) {
        struct job *j = job_make(i);
        // A session each, a source now and then: never more than two sets of texts and the spec.
        begin(s, "scale.json");
        j->programs[0].source = large;
        j->programs[0].length = sizeof large - i / 50;
        put_job(s, j, &key);
        job_free(j);
    }
    ck_assert(store_count(s, &counts, &e));
    ck_assert_uint_eq(counts.jobs, 100);
    ck_assert_uint_eq(counts.sessions, 100);
    store_close(s);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM text"), 5);
    ck_assert_int_lt(
        ask("s.db", "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
        600000);
}
END_TEST

START_TEST(test_more_sets_than_are_remembered)
{
    struct digest key;
    static char texts[40][8];
    struct store *s = store_make("s.db");
    begin(s, "scale.json");
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 40; i++) {
            struct job *j = job_make(i);
            snprintf(texts[i], sizeof texts[i], "text%u", i);
            j->programs[0].source = texts[i];
            j->programs[0].length = strlen(texts[i]);
            put_job(s, j, &key);
            job_free(j);
        }
    store_close(s);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM text WHERE kind = 'source'"), 40);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM job"), 40);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM result"), 80);
}
END_TEST

// ---- counts, and what sqlite3 shows

START_TEST(test_counts)
{
    struct error e = ERROR_INIT;
    struct store_counts counts;
    struct store *s = store_make("s.db");
    ck_assert(store_count(s, &counts, &e));
    ck_assert_uint_eq(counts.jobs + counts.sessions + counts.results + counts.correct, 0);
    begin(s, "scale.json");
    ck_assert(store_count(s, &counts, &e));
    ck_assert_uint_eq(counts.sessions, 0); // written with the first result
    store_close(s);
    s = three_results();
    put(s, 1);
    ck_assert(store_count(s, &counts, &e));
    ck_assert_uint_eq(counts.jobs, 3);
    ck_assert_uint_eq(counts.sessions, 1);
    ck_assert_uint_eq(counts.results, 4);
    ck_assert_uint_eq(counts.correct, 3);
    ck_assert_uint_gt(counts.file_bytes, 4096);
    store_close(s);
}
END_TEST

START_TEST(test_in_clear)
{
    store_close(three_results());
#define HAS(sql) ck_assert_msg(ask("s.db", "SELECT count(*) FROM " sql) > 0, "%s", sql)
    HAS("result WHERE status = 'correct' AND median_ns = 1001.0 AND sample_count = 7 AND stop = "
        "'settled' AND samples_ns = '[1006, 998, 1010, 1001, 1000, 1003, 994]'");
    HAS("result WHERE status = 'compile' AND median_ns IS NULL AND sample_count = 0 AND "
        "samples_ns = '[]' AND message = 'no such function' AND fault = 'configuration'");
    HAS("result WHERE policy_launches = 7 AND policy_build_limit_ns = 60000000000");
    HAS("result WHERE length(id) = 16 AND length(job) = 32");
    HAS("job WHERE configuration = 'block=1' AND options = '-DBLOCK=1' || char(10) || "
        "'-DTYPE=unsigned int' AND kernels = 'scale' AND language = 'opencl'");
    HAS("session WHERE seed = '18446744073709551615' AND host = 'nowhere' AND compiler = 'clang "
        "14' AND device_surroundings = 'cores=2' AND surroundings = 'governor=performance'");
    HAS("text JOIN job ON text.texts = job.texts WHERE kind = 'include' AND body LIKE '#define%'");
    HAS("text JOIN session ON text.texts = session.texts WHERE kind = 'spec'");
    HAS("sqlite_master WHERE sql LIKE '%-- launches a sample is the mean of%'");
#undef HAS
}
END_TEST

// What is known of a run at its end.
START_TEST(test_other_surroundings)
{
    struct error e = ERROR_INIT;
    struct store *s = three_results();
    ck_assert_msg(store_surroundings(s, "governor=powersave devices=[]", &e), "%s", e.text);
    ck_assert_uint_eq(ask("s.db", "SELECT count(*) FROM session WHERE surroundings = "
                                  "'governor=powersave devices=[]'"),
                      1);
    store_close(s);
    s = store_open("s.db", STORE_READ, &e);
    ck_assert(s && !store_surroundings(s, "x", &e));
    store_close(s);
}
END_TEST

START_TEST(test_without_texts_and_device)
{
    struct error e = ERROR_INIT;
    struct store_session nothing = {0};
    struct store_query all = {0};
    struct digest key;
    struct store *s = store_make("s.db");
    ck_assert_msg(store_begin(s, &nothing, &e), "%s", e.text);
    struct job *j = job_make(1);
    put_job(s, j, &key);
    job_free(j);
    ck_assert_int_eq(look(s, &all, 0).rows, 1);
    store_close(s);
}
END_TEST

START_TEST(test_put_needs_session_and_right)
{
    struct error e = ERROR_INIT;
    struct store *s = store_make("s.db");
    ck_assert(!put_quietly(s, 1, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    begin(s, "scale.json");
    put(s, 1);
    store_close(s);
    error_clear(&e);
    s = store_open("s.db", STORE_READ, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    begin(s, "scale.json");
    ck_assert(!put_quietly(s, 1, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    store_close(s);
}
END_TEST

// ---- what is imported

START_TEST(test_put_once)
{
    static const uint8_t id[STORE_ID_BYTES] = {1, 2, 3};
    struct error e = ERROR_INIT;
    struct store *s = store_make("s.db");
    struct store_job record = {.as.spec_name = "scale", .as.constants = ""};
    struct job *job = job_make(1);
    struct result *r = result_make(1);
    bool added;
    job->configuration = "block=1";
    job->configuration_json = "{}";
    record.job = job;
    key_of(1, &record.key);
    begin(s, "scale.json");
    ck_assert(store_put_once(s, id, &record, &test_policy, r, &added, &e) && added);
    ck_assert(store_put_once(s, id, &record, &test_policy, r, &added, &e) && !added);
    store_close(s);
    // In another session, which then leaves no trace.
    s = store_make("s.db");
    begin(s, "scale.json");
    ck_assert(store_together(s, &e));
    ck_assert(store_put_once(s, id, &record, &test_policy, r, &added, &e) && !added);
    ck_assert(store_together_end(s, true, &e));
    store_close(s);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM result"), 1);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM session"), 1);
    ck_assert_int_eq(ask("s.db", "SELECT count(*) FROM result WHERE "
                                 "hex(id) = '01020300000000000000000000000000'"),
                     1);
    result_free(r);
    job_free(job);
}
END_TEST

// ---- spaces

static void begin_under(struct store *s, const char *driver)
{
    struct error e = ERROR_INIT;
    struct device_info device = test_device;
    device.driver = driver;
    const struct store_session session = {.command = "hone tune scale.json",
                                          .hone_version = "0.1.0",
                                          .spec_name = "scale.json",
                                          .spec_text = "{}",
                                          .constants = "WIDTH=256",
                                          .host = "nowhere",
                                          .device = &device};
    ck_assert_msg(store_begin(s, &session, &e), "%s", e.text);
}

static void put_cold(struct store *s, unsigned i)
{
    struct policy cold = test_policy;
    cold.cold = true;
    put_result(s, i, &cold, result_make(i));
}

static void check_spaces(struct store *s, enum stored_apart apart, const char *expected)
{
    struct arena a = {0};
    struct error e = ERROR_INIT;
    struct text found = TEXT_INIT;
    struct stored_space *spaces;
    size_t count;
    ck_assert_msg(stored_spaces(s, NULL, NULL, apart, &a, &spaces, &count, &e), "%s", e.text);
    for (size_t i = 0; i < count; i++) {
        const struct stored_space *of = &spaces[i];
        struct seen seen = {0};
        ck_assert(stored_space_each(s, of, note_row, &seen, &e));
        text_addf(&found, "%s, run %u, %s, %llu of %llu: %s\n", of->driver, of->run,
                  of->cold ? "cold" : "warm", (unsigned long long)of->results,
                  (unsigned long long)(of->results + of->left_out), seen.configurations);
    }
    ck_assert_str_eq(text_cstr(&found), expected);
    text_release(&found);
    arena_release(&a);
}

START_TEST(test_spaces_apart)
{
    struct store *s = store_make("s.db");
    begin_under(s, "1.0");
    put(s, 1);
    put(s, 2);
    begin_under(s, "0.9"); // cold inputs alone: nothing of it compares
    put_cold(s, 5);
    begin_under(s, "2.0");
    put(s, 1);
    put_cold(s, 2);
    begin_under(s, "2.0");
    put(s, 3);
    check_spaces(s, STORED_NEWEST, "2.0, run 0, warm, 2 of 6: block=3;block=1;\n");
    check_spaces(s, STORED_DRIVERS,
                 "2.0, run 0, warm, 2 of 4: block=3;block=1;\n"
                 "1.0, run 0, warm, 2 of 2: block=2;block=1;\n");
    check_spaces(s, STORED_RUNS,
                 "2.0, run 4, warm, 1 of 1: block=3;\n"
                 "2.0, run 3, cold, 1 of 2: block=2;\n"
                 "0.9, run 2, cold, 1 of 1: block=5;\n"
                 "1.0, run 1, warm, 2 of 2: block=2;block=1;\n");
    store_close(s);
}
END_TEST

static void tests_add(TCase *t)
{
    tcase_add_test(t, test_rows_newest_first);
    tcase_add_test(t, test_rows_by_query);
    tcase_add_test(t, test_what_a_walk_reads);
    tcase_add_test(t, test_row_in_full);
    tcase_add_test(t, test_callback_may_use_the_store);
    tcase_add_test(t, test_damaged_body_is_an_error);
    tcase_add_test(t, test_other_formats_are_passed_over);
    tcase_add_test(t, test_texts_of_a_job);
    tcase_add_test(t, test_texts_of_reference_and_repeated_programs);
    tcase_add_test(t, test_each_text_is_kept_once);
    tcase_add_test(t, test_more_sets_than_are_remembered);
    tcase_add_test(t, test_counts);
    tcase_add_test(t, test_in_clear);
    tcase_add_test(t, test_other_surroundings);
    tcase_add_test(t, test_without_texts_and_device);
    tcase_add_test(t, test_put_needs_session_and_right);
    tcase_add_test(t, test_put_once);
    tcase_add_test(t, test_spaces_apart);
}

int main(void)
{
    return store_suite_run("store view", tests_add);
}
