// The strategy that is a program: what it is told, what it may ask, and what ends it.
#include "search/search.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA HONE_SOURCE_DIR "/tests/search/data/"
#define GRID 90 // valid configurations of grid.json

static struct spec *spec;
static struct space *space;

static void open_grid(void)
{
    struct error e = ERROR_INIT;
    spec = spec_load(DATA "grid.json", NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    space = space_new(spec, NULL, &e);
    ck_assert_msg(space != NULL, "%s", e.text);
}

static void close_grid(void)
{
    space_free(space);
    spec_free(spec);
}

static struct strategy *start_program(const char *text, uint32_t patience_ms)
{
    struct error e = ERROR_INIT;
    struct strategy_setup setup = {.space = space,
                                   .budget = 30,
                                   .seed = 7,
                                   .in_flight = 2,
                                   .value_is_time = true,
                                   .patience_ms = patience_ms};
    struct strategy *s = strategy_new(text, &setup, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

// A shell script as a program: reads lines by `read line`.
static struct strategy *start_script(const char *script, uint32_t patience_ms)
{
    struct text command = TEXT_INIT;
    text_add(&command, "exec:[\"sh\", \"-c\", \"");
    for (const char *at = script; *at; at++) {
        if (*at == '"' || *at == '\\')
            text_addc(&command, '\\');
        text_addc(&command, *at);
    }
    text_add(&command, "\"]");
    struct strategy *s = start_program(text_cstr(&command), patience_ms);
    text_release(&command);
    return s;
}

static size_t ask_patiently(struct strategy *s, uint64_t *out, size_t capacity)
{
    size_t got = strategy_ask(s, out, capacity);
    while (got == 0 && strategy_wait(s, 100))
        got = strategy_ask(s, out, capacity);
    return got;
}

// Asks and tells until nothing is asked any more; returns how many were asked.
static size_t run_program(struct strategy *s, uint64_t *asked)
{
    size_t count = 0;
    while (count < GRID && ask_patiently(s, &asked[count], 1) == 1) {
        strategy_tell(s, asked[count], asked[count] % 5 ? STATUS_CORRECT : STATUS_RUNTIME,
                      1000 + (double)asked[count]);
        count++;
    }
    return count;
}

START_TEST(a_program_searches)
{
    uint64_t first[GRID], again[GRID], initial;
    for (int i = 0; i < 2; i++) {
        struct strategy *s = start_program("exec:[\"python3\", \"" DATA "climb.py\"]", 0);
        uint64_t *asked = i ? again : first;
        size_t count = 0;
        for (; count < 40; count++) {
            ck_assert_uint_eq(ask_patiently(s, &asked[count], 1), 1);
            for (size_t k = 0; k < count; k++)
                ck_assert_uint_ne(asked[k], asked[count]);
            strategy_tell(s, asked[count], STATUS_CORRECT, (double)asked[count]);
        }
        ck_assert_int_eq(s->why.code, ERROR_NONE);
        strategy_free(s);
    }
    ck_assert(space_default(space, &initial));
    ck_assert_uint_eq(first[0], initial);
    ck_assert_mem_eq(first, again, 40 * sizeof *first); // the same seed and outcomes
}
END_TEST

// A program that asks for what it samples comes to the whole space, each configuration once.
START_TEST(samples_are_all_that_is_left)
{
    uint64_t asked[GRID];
    bool seen[GRID] = {false};
    struct strategy *s = start_script("while read a; do case $a in "
                                      "*ask*) echo '{\"sample\": 13}';; "
                                      "*sample*) echo \"{\\\"configurations\\\":${a#*:}\";; "
                                      "esac; done",
                                      0);
    ck_assert_uint_eq(run_program(s, asked), GRID);
    for (size_t i = 0; i < GRID; i++) {
        ck_assert(!seen[asked[i]]);
        seen[asked[i]] = true;
    }
    ck_assert_msg(s->why.code == ERROR_NONE, "%s", s->why.text);
    strategy_free(s);
}
END_TEST

// What a program hears, line by line, is what the documentation says.
START_TEST(what_it_is_told)
{
    char name[] = "/tmp/hone-exec-XXXXXX";
    int fd = mkstemp(name);
    ck_assert_int_ge(fd, 0);
    struct text script = TEXT_INIT, heard = TEXT_INIT;
    struct error e = ERROR_INIT;
    uint64_t index;
    text_addf(&script,
              "for i in 1 2 3 4 5 6 7; do read -r line; echo \"$line\" >> %s; "
              "case $line in *ask*) if [ $i = 2 ]; then "
              "echo '{\"configurations\": [{\"a\": 0, \"b\": 1}, {\"a\": 9, \"b\": 9}]}'; else "
              "echo '{\"configurations\": []}'; fi;; esac; done",
              name);
    struct strategy *s = start_script(text_cstr(&script), 0);
    ck_assert_uint_eq(ask_patiently(s, &index, 1), 1); // the default
    ck_assert_uint_eq(ask_patiently(s, &index, 1), 1);
    strategy_tell(s, index, STATUS_CORRECT, 2500);
    ck_assert_uint_eq(ask_patiently(s, &index, 1), 0);
    strategy_free(s);
    close(fd);
    ck_assert_msg(file_read(name, 0, &heard, &e), "%s", e.text);
    unlink(name);
    const char *text = text_cstr(&heard);
    ck_assert_msg(strstr(text, "{\"hone\":1,\"parameters\":[{\"name\":\"a\",\"values\":[") == text,
                  "%s", text);
    ck_assert_msg(
        strstr(text, "\"valid\":90,\"budget\":30,\"seed\":7,\"in_flight\":2}\n{\"ask\":1}\n"), "%s",
        text);
    ck_assert_msg(
        strstr(text, "{\"configuration\":{\"a\":9,\"b\":9},\"status\":\"constraints\"}\n"), "%s",
        text);
    ck_assert_msg(strstr(text, "\"status\":\"correct\",\"value\":2500.0,\"seconds\":2.5"), "%s",
                  text);
    text_release(&heard);
    text_release(&script);
}
END_TEST

static const struct {
    const char *script, *why;
    size_t asked; // the default among them
} ends[] = {
    {"read a; read b; exit 3", "exited with status 3", 1},
    {"read a; echo oops >&2; exit 3", "it printed: oops", 1},
    {"read a; kill -9 $$", "SIGKILL", 1},
    {"read a; echo hello; read b", "neither {\"configurations\"", 1},
    {"read a; read b; echo '{\"configurations\": [{\"a\": 0}]}'; read c", "without b", 1},
    {"read a; read b; echo '{\"configurations\": [{\"a\": 0, \"b\": 77}]}'; read c",
     "b=77, which is not a value", 1},
    {"read a; read b; echo '{\"configurations\": [{\"a\": 0, \"b\": 1, \"d\": 1}]}'; read c",
     "'d', which the spec does not have", 1},
    {"read a; read b; echo '{\"configurations\": [3]}'; read c", "not an object", 1},
    {"sleep 60", "no new configuration within 0.4 s", 1},
    {"while read a; do case $a in *ask*) echo '{\"configurations\": [{\"a\": 9, \"b\": 9}]}';; "
     "esac; done",
     "no new configuration within 0.4 s", 1}, // not valid, for ever
    {"while read a; do case $a in *ask*) echo '{\"configurations\": []}';; esac; done",
     "named no configuration", 1},
    {"read a; echo '{\"sample\": -1}'; read b", "a sample of -1", 1},
    {"read a; echo '{\"patience\": 0.3}'; sleep 60", "no new configuration within 0.3 s", 1},
    {"read a; echo '{\"patience\": -1}'; read b", "a patience of -1 s", 1},
    {"while read a; do case $a in *ask*) echo '{\"configurations\": [{\"a\": 1, \"b\": 2}]}'; "
     "read b; read b; exit 0;; esac; done",
     NULL, 2},
};

START_TEST(what_ends_it)
{
    uint64_t asked[GRID];
    struct strategy *s =
        start_script(ends[_i].script, strstr(ends[_i].script, "configurations\": [{\"a\": 9") ||
                                              strstr(ends[_i].script, "sleep")
                                          ? 400
                                          : 0);
    size_t count = run_program(s, asked);
    if (ends[_i].why)
        ck_assert_msg(strstr(s->why.text, ends[_i].why), "%d: %s", _i, s->why.text);
    else
        ck_assert_msg(s->why.code == ERROR_NONE, "%d: %s", _i, s->why.text);
    ck_assert_msg(count <= ends[_i].asked, "%d: %zu were asked", _i, count);
    ck_assert_uint_eq(strategy_ask(s, asked, 1), 0);
    strategy_free(s);
}
END_TEST

START_TEST(texts)
{
    static const char *const bad[] = {"exec", "exec:", "exec:  "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct error e = ERROR_INIT;
        ck_assert(!strategy_check(bad[i], &e));
        ck_assert_str_eq(e.text, "strategy 'exec': give what it runs: exec:PROGRAM ARGUMENTS");
    }
    struct error e = ERROR_INIT;
    struct strategy_setup setup = {.space = space};
    ck_assert_ptr_null(strategy_new("exec:[\"a\", 3]", &setup, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    struct strategy *s = start_program("exec:/nonexistent/program -x", 0);
    uint64_t index;
    ck_assert_uint_eq(ask_patiently(s, &index, 1), 0);
    ck_assert_msg(strstr(s->why.text, "cannot start '/nonexistent/program'"), "%s", s->why.text);
    ck_assert_str_eq(strategy_description(s), "exec:/nonexistent/program -x");
    strategy_free(s);
    ck_assert(strategy_runs_program("exec:x") && strategy_runs_program("EXEC"));
    ck_assert(!strategy_runs_program("random") && !strategy_runs_program("nonsense"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("strategy exec");
    TCase *tests = tcase_create("exec");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, open_grid, close_grid);
    tcase_add_test(tests, a_program_searches);
    tcase_add_test(tests, samples_are_all_that_is_left);
    tcase_add_test(tests, what_it_is_told);
    tcase_add_loop_test(tests, what_ends_it, 0, (int)(sizeof ends / sizeof *ends));
    tcase_add_test(tests, texts);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
