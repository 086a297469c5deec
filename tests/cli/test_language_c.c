// Kernels in C from outside: each fault beside what is right, what is asked of the compiler's
// options, and that the host's C device takes no other language's place.
#include "base/text.h"
#include "extras.h"
#include "program.h"

#include "../base/suite.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SPEC   HONE_SOURCE_DIR "/tests/cli/data/scale.json"
#define SAME   HONE_SOURCE_DIR "/tests/cli/data/same.json"
#define VECTOR HONE_SOURCE_DIR "/kernels_cl/matmul_vector.json"

#define has(text, part) ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%s", part, text)

static void expect(struct ran r, int status, const char *part)
{
    ck_assert_msg(r.status == status, "%d: %s%s", r.status, r.out, r.err);
    has(status == 2 ? r.err : r.out, part);
    ran_release(&r);
}

START_TEST(faults_beside_what_is_right)
{
    struct ran r = program_run("tune", SPEC, "--no-store");
    ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
    has(r.out, " (C, driver ");
    has(r.out, "2 correct configurations");
    has(r.out, "Failed: 1 compile, ");
    has(r.out, "scale.c:21:");
    has(r.out, "Failed: 3 runtime, ");
    has(r.out, "Failed: 1 timeout, ");
    has(r.out, "Failed: 1 correctness, ");
    ran_release(&r);
    expect(program_run("run", SPEC, "--no-store", "--config", "FAULT=2"), 1,
           "wrote 4 bytes past the end of out");
    expect(program_run("run", SPEC, "--no-store", "--config", "FAULT=4"), 1,
           "the worker died while running");
}
END_TEST

// ---- what a kernel leaves behind

#define LEAVES HONE_SOURCE_DIR "/tests/cli/data/leaves.json"

static const struct {
    int mode;
    const char *told; // of its failure; NULL: it is right, or the system decides
} leaves[] = {
    {0, NULL},
    {1, "runtime: the kernel left 1 thread running"},
    {2, "runtime: the kernel left"},
    {3, "runtime: the kernel left 1 process running"},
    {4, "runtime: the kernel left 1 process running"},
    {5, "runtime: the kernel "}, // changed a limit, for which its process may end before it is seen
    {6, "runtime: the kernel changed how the processor rounds"},
#if defined(__x86_64__)
    {7, "runtime: the kernel changed how the processor rounds"},
#endif
    {8, "runtime: the kernel changed the working folder to /"},
    {9, "runtime: the kernel changed the umask"},
    {10, "runtime: the kernel changed the environment"},
    {11, "runtime: the kernel left an alarm set"},
    {12, "runtime: the kernel changed which signals are ignored"},
    {13, "runtime: the kernel changed which signals are blocked"},
    {14, "runtime: the kernel left a file open (/dev/null)"},
    {15, "runtime: the kernel changed its priority"},
    {16, "runtime: the kernel changed its priority"},
    {17, "runtime: the kernel left its process group"},
    {19, "runtime: the kernel changed the code of the worker, or which functions it calls"},
    {20, "runtime: the kernel changed the code of the worker, or which functions it calls"},
    {21, "runtime: the kernel changed its personality"},
    {23, "runtime: the kernel changed which signals are handled (Segmentation fault)"},
    {24, "runtime: the kernel left 1 process running"},
    {25, NULL}, // what is to happen at its exit never does
    {26, "runtime: the worker died while running"},
    {27, "runtime: the worker died while running"},
    {28, "runtime: the worker died while "}, // it ends the worker before the phase is told
    {29, "runtime: the kernel left an alarm set"},
    {30, "runtime: the worker died while running"},
    {31,
     "runtime: the worker died while running"}, // with a child that the worker cannot end any more
    {105, NULL},
    {110, NULL},
    {115, NULL},
    {120, NULL},
    {125, NULL},
    {130, NULL},
};

// What this test starts is known by a variable of its environment, which only a new program loses.
static void mark_environment(char mark[64])
{
    snprintf(mark, 64, "HONE_TEST_MARK=%ld.", (long)getpid());
    setenv("HONE_TEST_MARK", strchr(mark, '=') + 1, 1);
}

static bool is_left(const char *pid, const char *mark)
{
    static char text[1 << 17];
    char path[64];
    snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
    FILE *f = fopen(path, "r");
    size_t length = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    return memmem(text, length, mark, strlen(mark)) != NULL;
}

static int count_once(const char *mark)
{
    int count = 0;
    DIR *folder = opendir("/proc");
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        count += is_left(entry->d_name, mark);
    if (folder)
        closedir(folder);
    return count;
}

// A process that was killed may take a moment to be gone, on a busy machine a long one.
static int count_left(const char *mark)
{
    int count = 0;
    for (int i = 0; i < 300 && (count = count_once(mark)) > 0; i++)
        usleep(100000);
    return count;
}

// Each is told of itself, nothing of it meets another configuration, and no process outlives the tune.
START_TEST(nothing_is_left_behind)
{
    char mark[64];
    mark_environment(mark);
    struct ran r = program_run("tune", LEAVES, "--language", "c", "--no-store", "--iterations", "3",
                               "--strategy", "exhaustive", "--verbose");
    struct text all = TEXT_INIT;
    ck_assert_msg(r.status == 0, "%d: %.1500s%.500s", r.status, r.out, r.err);
    text_addf(&all, "%s\n%s", r.out, r.err); // progress is told on the one or the other;
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        const char *told = leaves[i].told;
        char start[32];
        snprintf(start, sizeof start, "\nMODE=%d: ", leaves[i].mode);
        const char *line = strstr(text_cstr(&all), start);
        ck_assert_msg(line != NULL, "nothing of MODE=%d", leaves[i].mode);
        size_t length = strcspn(++line, "\n"), begin = strlen(start) - 1;
        bool is_told =
            told ? str_starts(line + begin, told) : memmem(line, length, ", verified", 10) != NULL;
        ck_assert_msg(is_told, "%.*s", length < 900 ? (int)length : 900, line);
    }
    ck_assert_int_eq(count_left(mark), 0);
    text_release(&all);
    ran_release(&r);
}
END_TEST

// Programs of the user's, each of which starts another one in a session of its own.
static const struct {
    const char *option, *text;
    const char *said;
} owners[] = {
    {"--strategy", "exec:[\"sh\", \"-c\", \"setsid sleep 611.25 >&2 & exec 1>&-; sleep 611.5\"]",
     "the program closed its output"},
    {"--strategy", "exec:[\"sh\", \"-c\", \"setsid sleep 611.25 & exit 3\"]",
     "the program exited with status 3"},
    {"--strategy",
     "exec:[\"sh\", \"-c\", \"setsid sleep 611.25 & yes nothing | head -c 3000000 >&2; exit 4\"]",
     "the program exited with status 4"},
    {"--reference-by", HONE_SOURCE_DIR "/tests/cli/data/leaves.sh", "exited with status 5"},
};
enum { OWNERS = sizeof owners / sizeof *owners };

// The end of each is seen at once, not after the 60 s for which a program may think, and what it has
// started ends with it.
START_TEST(programs_end_with_what_they_start)
{
    struct timespec before, after;
    char mark[64];
    mark_environment(mark);
    clock_gettime(CLOCK_MONOTONIC, &before);
    struct ran r = program_run("tune", SPEC, "--no-store", "--where", "FAULT == 0",
                               owners[_i].option, owners[_i].text);
    clock_gettime(CLOCK_MONOTONIC, &after);
    ck_assert_msg(strstr(r.err, owners[_i].said) != NULL, "%.500s%.1500s", r.out, r.err);
    ck_assert_int_lt(after.tv_sec - before.tv_sec, 50);
    ck_assert_int_eq(count_left(mark), 0);
    ran_release(&r);
}
END_TEST

// The second time what is stored answers: the key holds the compiler and its headers.
START_TEST(what_is_stored_answers)
{
    for (int i = 0; i < 2; i++)
        expect(program_run("check", SPEC, "--where", "FAULT == 0"), 0,
               i ? "2 known from the store" : "OK: 2 configurations are correct");
    expect(program_run("tune", SPEC, "--where", "FAULT == 0"), 0, "2 correct");
    expect(program_run("best", SPEC), 0, "FAULT=0");
}
END_TEST

// Three of four configurations come to one code, by a real compiler: one of them is launched, and
// table, progress, records, page and T4 name it for the others, now and from the store.
START_TEST(the_same_code_is_launched_once)
{
    // With several builders another one may be built first.
    expect(program_run("tune", SAME, "--verbose", "--jobs", "1"), 0, "(the same code as STEP=1)\n");
    for (int known = 0; known < 2; known++) {
        struct ran r = program_run("tune", SAME, "--json");
        ck_assert_msg(r.status == 0, "%d: %s%s", r.status, r.out, r.err);
        has(r.out, "\"same_as\":{\"STEP\": 1},\"same_code_as\":\"STEP=1\"");
        ran_release(&r);
        r = program_run("tune", SAME, "--details");
        has(r.out, "= also STEP=2");
        has(r.out, "= also STEP=3");
        ck_assert_ptr_null(strstr(r.out, "= also STEP=8"));
        ran_release(&r);
    }
    EXTRA_FORMATS(
        expect(program_run("export", SAME, "--format", "t4"), 0, "\"same_code_as\":\"STEP=1\"");)
    EXTRA_PAGE(expect(program_run("report", SAME, "--format", "csv", "--views", "table"), 0,
                      "the same code as STEP=1");)
}
END_TEST

// The same sizes that no tile divides, packed and not, on one thread and on all.
START_TEST(the_port_is_right)
{
    expect(program_run("check", VECTOR, "--language", "c", "--no-store", "--set", "M=37", "--set",
                       "N=43", "--set", "K=29", "--set", "BETA=0.5", "--sample", "5"),
           0, "OK: 5 configurations are correct");
}
END_TEST

static json_t *device_list_of(struct ran *r)
{
    json_error_t why;
    json_t *j = json_loads(r->out, 0, &why);
    ck_assert_msg(j != NULL, "%s: %s", why.text, r->out);
    return j;
}

// It stands last, and takes no other device's place, by whatever part of its name.
START_TEST(stands_last)
{
    struct ran r = program_run("devices", "--json");
    json_t *j = device_list_of(&r), *list = json_object_get(j, "devices");
    json_t *last = json_array_get(list, json_array_size(list) - 1);
    const char *name = json_string_value(json_object_get(last, "name"));
    ck_assert_str_eq(json_string_value(json_object_get(last, "language")), "c");
    ck_assert_str_eq(json_string_value(json_object_get(last, "type")), "cpu");
    if (program_has_device()) {
        struct ran one = program_run("run", VECTOR, "--no-store", "--device", name, "--set", "M=8",
                                     "--set", "N=8", "--set", "K=8");
        struct ran other = program_run("run", VECTOR, "--no-store", "--set", "M=8", "--set", "N=8",
                                       "--set", "K=8");
        ck_assert_int_eq(one.status, 0);
        has(other.out, "Status: correct");
        ck_assert_ptr_null(strstr(other.out, " (C, "));
        ran_release(&one);
        ran_release(&other);
    }
    json_decref(j);
    ran_release(&r);
    expect(program_run("peak", "--language", "c"), 2, "hone has no kernels in C");
}
END_TEST

START_TEST(options_are_refused)
{
    char path[512], text[2048];
    struct ran r;
    snprintf(path, sizeof path, "%s/refused.json", program_folder());
    snprintf(text, sizeof text, // without parameters: there is one configuration
             "{\"ConfigurationSpace\": {\"TuningParameters\": []}, \"KernelSpecification\": "
             "{\"Language\": \"C\", \"KernelName\": \"k\", "
             "\"KernelSource\": \"void k(float *a) { a[0] = 1; }\", "
             "\"CompilerOptions\": [\"-O3\", \"-o\", \"/tmp/elsewhere\"], \"Arguments\": ["
             "{\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": 4, "
             "\"Output\": true}]}}");
    FILE *f = fopen(path, "w");
    ck_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    r = program_run("run", path, "--no-store");
    ck_assert_int_eq(r.status, 2);
    has(r.err, "CompilerOptions: '-o' is refused: it names an output file");
    ran_release(&r);
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 240);
    tcase_add_test(tests, faults_beside_what_is_right);
    tcase_add_test(tests, nothing_is_left_behind);
    tcase_add_loop_test(tests, programs_end_with_what_they_start, 0, OWNERS);
    tcase_add_test(tests, what_is_stored_answers);
    tcase_add_test(tests, the_same_code_is_launched_once);
    tcase_add_test(tests, the_port_is_right);
    tcase_add_test(tests, stands_last);
    tcase_add_test(tests, options_are_refused);
}

static bool has_compiler(void)
{
    struct ran r = program_run("devices");
    bool has = strstr(r.out, "\n  C, driver ") != NULL;
    ran_release(&r);
    return has;
}

int main(void)
{
    program_folder();
    if (!has_compiler()) {
        program_folder_remove();
        puts("skipped: no C compiler");
        return 77;
    }
    int status = suite_run("cli/language_c", add);
    program_folder_remove();
    return status;
}
