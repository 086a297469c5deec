// Loading specs: the files of other projects, hone's own dialect, the table of keys, names and
// configurations as text.
#include "fixture.h"

#include <check.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- files of other projects -------------------------------------------------------------------

static unsigned load_folder(const char *folder)
{
    unsigned loaded = 0;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", HONE_TEST_DATA, folder);
    DIR *d = opendir(path);
    ck_assert_msg(d != NULL, "%s", path);
    for (struct dirent *entry; (entry = readdir(d));) {
        struct error e = ERROR_INIT;
        size_t length = strlen(entry->d_name);
        bool spec = length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 &&
                    strcmp(entry->d_name, "expected.json") != 0;
        if (!spec)
            continue;
        snprintf(path, sizeof path, "%s/%s/%s", HONE_TEST_DATA, folder, entry->d_name);
        struct spec *s = spec_load(path, NULL, &e);
        ck_assert_msg(s != NULL, "%s", e.text);
        ck_assert_uint_gt(s->parameter_count, 0);
        spec_free(s);
        loaded++;
    }
    closedir(d);
    return loaded;
}

// With other options, and after its file has changed.
START_TEST(test_read_again)
{
    static const char text[] = "{\"General\": {\"FormatVersion\": 1}, \"Constants\": {\"N\": 8}, "
                               "\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"A\", "
                               "\"Type\": \"int\", \"Values\": \"[1, 2]\"}]}, "
                               "\"KernelSpecification\": {\"KernelName\": \"k\", \"KernelFile\": "
                               "\"k.cl\", \"GlobalSize\": {\"X\": \"N\"}, \"LocalSize\": {\"X\": "
                               "\"1\"}, \"Arguments\": []}}";
    char path[] = "/tmp/hone-test-XXXXXX";
    const char *const set[] = {"N=16"};
    const struct spec_options options = {.set = set, .set_count = 1};
    struct error e = ERROR_INIT;
    int fd = mkstemp(path);
    ck_assert(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
    struct spec *s = spec_load(path, NULL, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert(ftruncate(fd, 0) == 0 && close(fd) == 0);
    struct spec *again = spec_read_again(s, &options, &e);
    ck_assert_msg(again != NULL, "%s", e.text);
    ck_assert_str_eq(again->path, s->path);
    ck_assert_str_eq(again->directory, s->directory);
    ck_assert(digest_equal(&again->digest, &s->digest));
    ck_assert_int_eq(again->constants[0].value.i, 16);
    spec_free(again);
    spec_free(s);
    unlink(path);
}
END_TEST

START_TEST(test_other_projects)
{
    ck_assert_uint_ge(load_folder("t1"), 7);
    ck_assert_uint_ge(load_folder("spaces"), 14);
}
END_TEST

// ---- keys --------------------------------------------------------------------------------------

START_TEST(test_keys_are_documented)
{
    size_t count;
    const struct spec_key *keys = spec_keys(&count);
    ck_assert_uint_gt(count, 100);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(keys[i].type && keys[i].fallback && keys[i].meaning && keys[i].accepts, "%s",
                      keys[i].path);
        for (size_t other = 0; other < i; other++)
            ck_assert_msg(strcmp(keys[i].path, keys[other].path) != 0, "%s stands twice",
                          keys[i].path);
    }
}
END_TEST

// A spec that uses most of the format: no key of it is unknown.
static const char rich[] =
    "{\"Comment\": \"c\", \"General\": {\"BenchmarkName\": \"rich\", \"FormatVersion\": 1},"
    "\"Constants\": [{\"Name\": \"N\", \"Type\": \"int\", \"Value\": 64}],"
    "\"Iterations\": 9,"
    "\"Metrics\": [{\"Name\": \"GB/s\", \"Expression\": \"N * 4 / time_ns\", \"Unit\": \"GB/s\"},"
    "  {\"Name\": \"half\", \"Expression\": \"time_ms / 2 if double > 8 else 1 / 0\"}],"
    "\"Budget\": {\"Type\": \"TuningDuration\", \"BudgetValue\": 30},"
    "\"SearchSettings\": {\"Name\": \"random\", \"Attributes\": ["
    "  {\"Name\": \"popsize\", \"Value\": 20}, {\"Name\": \"list\", \"Value\": [1]},"
    "  {\"Name\": \"method\", \"Value\": \"uniform\"}]},"
    "\"Objective\": [\"max:GB/s\", \"time\"],"
    "\"ConfigurationSpace\": {\"TuningParameters\": ["
    "  {\"Name\": \"P\", \"Type\": \"int\", \"Values\": [4, 8], \"Default\": [8]},"
    "  {\"Name\": \"F\", \"Type\": \"float\", \"Values\": \"[0.5, 1]\"},"
    "  {\"Name\": \"T\", \"Type\": \"string\", \"Values\": \"['a, b', 'int']\"},"
    "  {\"Name\": \"B\", \"Values\": \"[True, False]\"},"
    "  {\"Name\": \"ONE\", \"Values\": \"[7]\"}],"
    "  \"Constraints\": [\"P < N\", {\"Parameters\": [], \"Expression\": \"P % 4 == 0\"}],"
    "  \"Derived\": [{\"Name\": \"double\", \"Expression\": \"2 * P\"}]},"
    "\"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"k\", \"KernelFile\": "
    "\"k.cu\","
    "  \"IncludeFolders\": [], \"ProblemSize\": [\"N\", 3], \"GridDivX\": [\"P\"],"
    "  \"LocalSize\": {\"X\": \"P\"}, \"Stream\": null, \"Profiling\": false}}";

START_TEST(test_rich)
{
    struct fixture f;
    fixture_start(&f);
    fixture_load(&f, rich);
    const struct spec *s = f.spec;
    ck_assert_str_eq(text_cstr(&f.warnings), "");
    ck_assert_str_eq(s->name, "rich");
    ck_assert_uint_eq(s->iterations, 9);
    ck_assert(s->budget_seconds == 30 && s->budget_count == 0);
    ck_assert_str_eq(s->strategy, "random");
    ck_assert_uint_eq(s->strategy_attribute_count, 2); // a list is no option of ours
    ck_assert_str_eq(s->strategy_attributes[0], "popsize=20");
    ck_assert_str_eq(s->strategy_attributes[1], "method=uniform");
    ck_assert_uint_eq(s->objective_count, 2);
    ck_assert(s->objectives[0].metric == 0 && s->objectives[0].maximise);
    ck_assert(s->objectives[1].metric == OBJECTIVE_TIME && !s->objectives[1].maximise);
    ck_assert_uint_eq(s->restriction_count, 2);
    ck_assert_str_eq(s->restrictions[1].path, "ConfigurationSpace.Constraints[1].Expression");
    ck_assert_int_eq(s->parameters[3].type, PARAMETER_BOOL);
    ck_assert_int_eq(s->parameters[1].values[1].kind, VALUE_FLOAT);
    ck_assert(s->parameters[0].has_default && s->parameters[0].initial == 1);
    ck_assert(!s->uses_device);
    ck_assert(spec_has_language(s, LANGUAGE_CUDA) && !spec_has_language(s, LANGUAGE_OPENCL));
    fixture_end(&f);
}
END_TEST

// As Python's lists: 2 stays an integer beside a text and beside 2.5, and what text a value has tells it from all others.
START_TEST(test_values_of_several_kinds)
{
    static const char mixed[] = "{\"parameters\": {\"X\": [\"test\", 2, \"2\", 2.5, true, 1, 2.0]},"
                                "\"kernel\": \"none.cl\", \"global\": 1}";
    static const char *const texts[] = {"X=test", "X=2", "X='2'", "X=2.5", "X=True"};
    static const enum value_kind kinds[] = {VALUE_STRING, VALUE_INT, VALUE_STRING, VALUE_FLOAT,
                                            VALUE_BOOL};
    struct fixture f;
    fixture_start(&f);
    fixture_load(&f, mixed);
    const struct parameter *p = &f.spec->parameters[0];
    ck_assert_int_eq(p->type, PARAMETER_MIXED);
    ck_assert_uint_eq(p->count, 5); // True is 1, and 2.0 is 2
    for (uint32_t i = 0; i < p->count; i++) {
        struct text text = TEXT_INIT;
        uint32_t choice = UINT32_MAX;
        struct error e = {0};
        ck_assert_int_eq(p->values[i].kind, kinds[i]);
        spec_configuration_text(f.spec, &i, true, &text);
        ck_assert_str_eq(text_cstr(&text), texts[i]);
        ck_assert(spec_parse_configuration(f.spec, texts[i], &choice, &e));
        ck_assert_uint_eq(choice, i);
        text_release(&text);
    }
    fixture_end(&f);
}
END_TEST

// A metric over energy has a value where that is known; no other is hurt by its absence.
START_TEST(test_energy)
{
    static const char plain[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"bx\", \"Type\": \"int\", "
        "\"Values\": \"[1, 2]\"}]},"
        " \"KernelSpecification\": {\"KernelName\": \"k\", \"KernelFile\": \"k.cl\", "
        "\"GlobalSize\": {\"X\": \"64\"}},"
        " \"Metrics\": [{\"Name\": \"per watt\", \"Expression\": \"8 / joule\"},"
        "               {\"Name\": \"rate\", \"Expression\": \"8 / time_ns\"}]}";
    struct fixture f;
    uint32_t choice[1];
    double value;
    fixture_start(&f);
    fixture_load(&f, rich);
    ck_assert(!f.spec->uses_energy);
    fixture_end(&f);
    fixture_start(&f);
    fixture_load(&f, plain);
    spec_default(f.spec, choice);
    ck_assert(f.spec->uses_energy);
    ck_assert(spec_metric_uses_energy(f.spec, 0) && !spec_metric_uses_energy(f.spec, 1));
    ck_assert(!spec_metric(f.spec, 0, choice, NULL, &(struct spec_measured){4, NAN, NULL}, &value));
    ck_assert(spec_metric(f.spec, 1, choice, NULL, &(struct spec_measured){4, NAN, NULL}, &value));
    ck_assert(value == 2);
    ck_assert(spec_metric(f.spec, 0, choice, NULL, &(struct spec_measured){4, 0.5, NULL}, &value));
    ck_assert(value == 16);
    fixture_end(&f);
}
END_TEST

// What other tuners call the objective is taken where the spec has a metric of the name.
START_TEST(test_general_objective)
{
    static const char format[] =
        "{\"General\": {\"Objective\": \"%s\", \"Minimize\": false},"
        " \"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"bx\", \"Type\": \"int\", "
        "\"Values\": \"[1, 2]\"}]},"
        " \"KernelSpecification\": {\"KernelName\": \"k\", \"KernelFile\": \"k.cl\", "
        "\"GlobalSize\": {\"X\": \"64\"}},"
        " \"Metrics\": [{\"Name\": \"rate\", \"Expression\": \"8 / time_ns\"}]}";
    static const char *const names[] = {"rate", "GFLOPs"};
    for (int i = 0; i < 2; i++) {
        struct fixture f;
        char text[1024];
        str_format(text, sizeof text, format, names[i]);
        fixture_start(&f);
        fixture_load(&f, text);
        ck_assert_uint_eq(f.spec->objective_count, i == 0);
        ck_assert(i == 1 || (f.spec->objectives[0].metric == 0 && f.spec->objectives[0].maximise));
        const char *warning =
            strstr(text_cstr(&f.warnings), "General.Objective: 'GFLOPs' is not a metric");
        ck_assert(i == 0 ? f.warnings.length == 0 : warning != NULL);
        fixture_end(&f);
    }
}
END_TEST

START_TEST(test_metrics)
{
    struct fixture f;
    uint32_t choice[5];
    double value;
    fixture_start(&f);
    fixture_load(&f, rich);
    spec_default(f.spec, choice);
    ck_assert(
        spec_metric(f.spec, 0, choice, NULL, &(struct spec_measured){128, NAN, NULL}, &value));
    ck_assert(value == 2);
    ck_assert(
        spec_metric(f.spec, 1, choice, NULL, &(struct spec_measured){3e6, NAN, NULL}, &value));
    ck_assert(value == 1.5);
    choice[0] = 0; // double is 8
    ck_assert(
        !spec_metric(f.spec, 1, choice, NULL, &(struct spec_measured){3e6, NAN, NULL}, &value));
    fixture_end(&f);
}
END_TEST

// ---- configurations as text --------------------------------------------------------------------

START_TEST(test_configuration_text)
{
    struct fixture f;
    uint32_t choice[5], back[5] = {0};
    struct text text = TEXT_INIT;
    fixture_start(&f);
    fixture_load(&f, rich);
    spec_default(f.spec, choice);
    choice[3] = 1;
    spec_configuration_text(f.spec, choice, false, &text);
    ck_assert_str_eq(text_cstr(&text), "P=8, F=0.5, T='a, b', B=False");
    ck_assert_msg(spec_parse_configuration(f.spec, text_cstr(&text), back, &f.error), "%s",
                  f.error.text);
    ck_assert_mem_eq(choice, back, sizeof choice);
    text_clear(&text);
    spec_configuration_text(f.spec, choice, true, &text);
    ck_assert_str_eq(text_cstr(&text), "P=8, F=0.5, T='a, b', B=False, ONE=7");
    text_clear(&text);
    spec_configuration_json(f.spec, choice, &text);
    ck_assert_str_eq(text_cstr(&text),
                     "{\"P\": 8, \"F\": 0.5, \"T\": \"a, b\", \"B\": false, \"ONE\": 7}");
    text_clear(&text);
    spec_constants_text(f.spec, &text);
    ck_assert_str_eq(text_cstr(&text), "N=64");
    text_release(&text);
    fixture_end(&f);
}
END_TEST

START_TEST(test_configuration_parts)
{
    struct fixture f;
    uint32_t choice[5] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    fixture_start(&f);
    fixture_load(&f, rich);
    ck_assert(spec_parse_configuration(f.spec, " F = 1 ,T=int, B=true,", choice, &f.error));
    ck_assert_uint_eq(choice[0], UINT32_MAX);
    ck_assert_uint_eq(choice[1], 1);
    ck_assert_uint_eq(choice[2], 1);
    ck_assert_uint_eq(choice[3], 0);
    ck_assert(spec_parse_configuration(f.spec, "", choice, &f.error));
    ck_assert(!spec_parse_configuration(f.spec, "P=16", choice, &f.error));
    ck_assert_str_eq(f.error.text, "16 is not a value of P, which has 4, 8");
    error_clear(&f.error);
    ck_assert(!spec_parse_configuration(f.spec, "P=4,P=8", choice, &f.error));
    ck_assert_str_eq(f.error.text, "P is given twice");
    fixture_end(&f);
}
END_TEST

START_TEST(test_slots)
{
    struct fixture f;
    struct value slots[64];
    uint32_t choice[5], derived;
    enum expr_fault fault;
    struct device_info device = {
        .language = LANGUAGE_OPENCL, .type = DEVICE_CPU, .name = "cpu", .compute_units = 6};
    fixture_start(&f);
    fixture_load(&f, rich);
    const struct spec_slots *at = &f.spec->slots;
    ck_assert_uint_eq(at->parameters, 0);
    ck_assert_uint_eq(at->constants, 5);
    ck_assert_uint_eq(at->derived, 6);
    ck_assert_uint_eq(at->facts, 7);
    ck_assert_uint_le(at->count, 64);
    spec_default(f.spec, choice);
    spec_bind_fixed(f.spec, &device, slots);
    ck_assert(spec_bind(f.spec, choice, slots, NULL, &derived, &fault));
    ck_assert_int_eq(slots[at->constants].i, 64);
    ck_assert_int_eq(slots[at->derived].i, 16);
    ck_assert_str_eq(slots[at->facts].s, "OpenCL");
    ck_assert_uint_eq(slots[at->special].count, 2);
    ck_assert_int_eq(slots[at->special].items[0].i, 64);
    for (uint32_t i = at->facts; i < at->special; i++) {
        if (strcmp(f.spec->symbols.items[i].name, "device_compute_units") == 0)
            ck_assert_int_eq(slots[i].i, 6);
        if (strcmp(f.spec->symbols.items[i].name, "device_type") == 0)
            ck_assert_str_eq(slots[i].s, "cpu");
        if (strcmp(f.spec->symbols.items[i].name, "device_vendor") == 0)
            ck_assert_str_eq(slots[i].s, "");
    }
    fixture_end(&f);
}
END_TEST

// Constants and parameters beyond the limit are refused at once, with the limit.
START_TEST(test_too_many_names)
{
    struct fixture f;
    struct text spec = TEXT_INIT;
    char path[128], limit[32];
    fixture_start(&f);
    for (int constants = 0; constants <= SPEC_NAMES_LIMIT + 1; constants += SPEC_NAMES_LIMIT + 1) {
        struct error e = ERROR_INIT;
        text_clear(&spec);
        text_add(&spec, "{\"Constants\": {\"LAST\": 1");
        for (int i = 0; i < constants; i++)
            text_addf(&spec, ", \"C%d\": 1", i);
        text_add(&spec, "}, \"ConfigurationSpace\": {\"TuningParameters\": [");
        for (int i = constants; i < SPEC_NAMES_LIMIT + 1; i++)
            text_addf(&spec, "%s{\"Name\": \"P%d\", \"Type\": \"int\", \"Values\": \"[1]\"}",
                      i > constants ? ", " : "", i);
        text_add(&spec, "]}}");
        snprintf(path, sizeof path, "%s/spec.json", f.folder);
        fixture_file(&f, "spec.json", text_cstr(&spec));
        ck_assert_ptr_null(spec_load(path, NULL, &e));
        snprintf(limit, sizeof limit, "more than %d parameters", SPEC_NAMES_LIMIT);
        ck_assert_msg(strstr(e.text, limit) != NULL, "%s", e.text);
    }
    text_release(&spec);
    fixture_end(&f);
}
END_TEST

// Every part of the file cut off, and every byte replaced: an error or a spec, never a crash.
START_TEST(test_damaged)
{
    struct fixture f;
    char path[128];
    fixture_start(&f);
    snprintf(path, sizeof path, "%s/spec.json", f.folder);
    char *text = strdup(rich);
    for (size_t i = 0; text[i]; i++) {
        struct error e = ERROR_INIT;
        char kept = text[i];
        text[i] = "0\"{[,x-}"[i % 8];
        fixture_file(&f, "spec.json", text);
        text[i] = kept;
        struct spec *s = spec_load(path, NULL, &e);
        ck_assert(s || e.text[0]);
        spec_free(s);
    }
    free(text);
    fixture_end(&f);
}
END_TEST

// Lines and columns of the text as it stands: comments, characters of several bytes, keys that are written with an
// escape, lists that need no brackets, parts that are missing.
START_TEST(test_places)
{
    static const struct {
        const char *text, *error;
    } of[] = {
        {"{\n  \"kernel\": \"k.cl\",\n  \"global\": [1],\n  \"budget\": \"soon\"\n}",
         "a:4:3: budget: "},
        {"{\"kernel\": \"k.cl\", // \"budget\": {\n/* \"budget\" */ # more\n \"budget\": \"soon\"}",
         "3:2: budget: "},
        {"{\"name\": \"\u00e4\u00f6\", \"kernel\": \"k.cl\", \"budget\": \"soon\"}",
         "1:34: budget: "},
        {"\xef\xbb\xbf{\"kernel\": \"k.cl\", \"budget\": \"soon\"}", "1:20: budget: "},
        {"{\"n\\u0061me\": \"x\", \"kernel\": \"k.cl\",\n\"budget\": \"soon\"}", "2:1: budget: "},
        {"{\"kernel\": \"k.cl\", \"restrictions\": [\n  \"1 < [\", {\"a\": \"}\"},\n  \"1 >\"]}",
         "3:3: restrictions[2]: "},
        {"{\"ConfigurationSpace\": {},\n \"KernelSpecification\": {}}",
         "1:2: ConfigurationSpace.TuningParameters: "},
        {"{\"General\": {}}", "\n  ConfigurationSpace: is missing"},
        {"[1]", "a: the file: must be"},
        {"{\n \"kernel\": \"k.cl\",,}", "a:2:19: not valid JSON"},
        {"{ /* no end", "a:1:3: this comment does not end"},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct error e = ERROR_INIT;
        struct spec *s = spec_parse(of[i].text, strlen(of[i].text), NULL, "a", NULL, &e);
        ck_assert_msg(!s && strstr(e.text, of[i].error), "%s\nnot '%s', but: %s", of[i].text,
                      of[i].error, e.text);
    }
}
END_TEST

// Shapes that T1 does not have, and what is written of them in T1; without `t1`, what is said.
START_TEST(test_other_shapes)
{
    static const struct {
        const char *key, *t1, *error;
    } of[] = {
        {"\"ProblemSize\": {\"X\": \"A * 64\", \"Y\": 8}", "\"ProblemSize\": [\"A * 64\", 8]",
         NULL},
        {"\"ProblemSize\": \"(A * 64, max(A, 8))\"", "\"ProblemSize\": [\"A * 64\", \"max(A, 8)\"]",
         NULL},
        {"\"ProblemSize\": \"[64, 8,]\"", "\"ProblemSize\": [\"64\", \"8\"]", NULL},
        {"\"ProblemSize\": \"(A + 1) * max(A, 2)\"", "\"ProblemSize\": \"(A + 1) * max(A, 2)\"",
         NULL},
        {"\"ProblemSize\": \"(A, [1, 2)\"", "\"ProblemSize\": \"(A, [1, 2)\"", NULL},
        {"\"ProblemSize\": {\"X\": 8, \"Width\": 8}", NULL, "ProblemSize"},
        {"\"GlobalSize\": [\"A\", 2], \"LocalSize\": \"A\"",
         "\"GlobalSize\": {\"X\": \"A\", \"Y\": 2},", NULL},
        {"\"GlobalSize\": [1, 2, 3, 4]", NULL, "GlobalSize: must be an object"},
        {"\"GlobalSize\": {\"X\": 8}, \"CompilerOptions\": \" -O2  -DB=1 \"",
         "\"CompilerOptions\": [\"-O2\", \"-DB=1\"]", NULL},
        {"\"GlobalSize\": {\"X\": 8}, \"KernelFile\": [\"a.cl\", \"b.cl\"]",
         "\"Sources\": [\"a.cl\", \"b.cl\"]", NULL},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct error e = ERROR_INIT;
        struct text t1 = TEXT_INIT, text = TEXT_INIT;
        text_addf(&text,
                  "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"A\", \"Type\": "
                  "\"int\", \"Values\": \"[8]\"}]}, \"KernelSpecification\": {\"Language\": "
                  "\"OpenCL\", \"KernelName\": \"k\", %s%s}}",
                  strstr(of[i].key, "KernelFile") ? "" : "\"KernelFile\": \"k.cl\", ", of[i].key);
        struct spec *s = spec_parse(text_cstr(&text), text.length, NULL, "a", NULL, &e);
        ck_assert_msg(!s == !of[i].t1, "%s: %s", of[i].key, e.text);
        if (s)
            ck_assert_msg(spec_to_t1(s, NULL, &t1, &e), "%s", e.text);
        const char *part = s ? of[i].t1 : of[i].error;
        ck_assert_msg(strstr(s ? text_cstr(&t1) : e.text, part), "%s: no %s in %s %s", of[i].key,
                      part, text_cstr(&t1), e.text);
        spec_free(s);
        text_release(&t1);
        text_release(&text);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spec_load");
    TCase *cases = tcase_create("load");
    if (HONE_TEST_DATA[0])
        tcase_add_test(cases, test_other_projects);
    else
        printf("skipped: files of other projects (no test data)\n");
    tcase_add_test(cases, test_read_again);
    tcase_add_test(cases, test_keys_are_documented);
    tcase_add_test(cases, test_rich);
    tcase_add_test(cases, test_metrics);
    tcase_add_test(cases, test_energy);
    tcase_add_test(cases, test_values_of_several_kinds);
    tcase_add_test(cases, test_general_objective);
    tcase_add_test(cases, test_configuration_text);
    tcase_add_test(cases, test_configuration_parts);
    tcase_add_test(cases, test_slots);
    tcase_add_test(cases, test_too_many_names);
    tcase_add_test(cases, test_damaged);
    tcase_add_test(cases, test_places);
    tcase_add_test(cases, test_other_shapes);
    tcase_set_timeout(cases, 60);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
