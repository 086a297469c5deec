// The JSON of a ranking: every field that is documented is there, of its kind.
#include "report/report.h"

#include "../base/suite.h"

#include <jansson.h>
#include <string.h>

static struct text out;
static struct emit j;
static struct result result;

static struct record_frame frame; // of the finalist, which is what is recommended
static const struct report_about about;
static const struct spec spec;

static struct tune_record finalist(void)
{
    static uint64_t samples[] = {10, 12, 11};
    result = (struct result){.verification = VERIFICATION_REFERENCE,
                             .stop = STOP_RANKED,
                             .warm = true,
                             .samples_ns = samples,
                             .sample_count = 3,
                             .batch = 8,
                             .warmups = 1,
                             .ranking = {0xab, 1},
                             .message = "",
                             .log = "",
                             .output = "",
                             .energy.refused = ""};
    return (struct tune_record){.configuration = "a=1",
                                .configuration_json = "{\"a\": 1}",
                                .result = &result,
                                .timed = true,
                                .stats = {.count = 3, .median = 11, .low = 10, .high = 12},
                                .ranked = true,
                                .rank = {.place = 1,
                                         .ratio = 1.25,
                                         .ratio_low = 1.125,
                                         .ratio_high = 1.5,
                                         .ratio_interval = true}};
}

// At the end of a tune that found this one alone.
static struct tune_report report_of(const struct tune_record *record)
{
    static const struct tune_record *list[1];
    list[0] = record;
    return (struct tune_report){.head = {.about = &about, .spec = &spec},
                                .ranking = list,
                                .ranking_count = 1,
                                .records = list,
                                .record_count = 1,
                                .level = 0.95,
                                .cold = true};
}

static json_t *read_json(void)
{
    json_error_t why;
    json_t *read = json_loads(text_cstr(&out), JSON_REJECT_DUPLICATES, &why);
    ck_assert_msg(read != NULL, "%s: %s", why.text, text_cstr(&out));
    return read;
}

static void start(void)
{
    text_clear(&out);
    emit_start(&j, &out);
}

// Separated by spaces: each is there, and nothing else.
static void has_exactly(const json_t *object, const char *names)
{
    size_t count = 0;
    char name[64];
    for (int used; sscanf(names, "%63s%n", name, &used) == 1; names += used, count++)
        ck_assert_msg(json_object_get(object, name) != NULL, "%s is missing", name);
    ck_assert_uint_eq(json_object_size(object), count);
}

// A card that was slowed says so in one sentence; energy that was asked for is there or refused.
START_TEST(a_card)
{
    struct tune_record v = finalist();
    result.gpu = (struct gpu_snapshot){.known = true,
                                       .mhz_before = 1980,
                                       .mhz_after = 1410,
                                       .milliwatts = 698500,
                                       .slowed = 1u << SLOWDOWN_POWER | 1u << SLOWDOWN_HEAT};
    result.energy =
        (struct energy){.microjoules = 2500, .span_ns = 500000000, .launches = 10, .refused = ""};
    start();
    report_result_line(&frame, &v, "ranked", false, j.out);
    json_t *read = read_json(), *gpu = json_object_get(read, "gpu");
    json_t *energy = json_object_get(read, "energy");
    has_exactly(gpu, "mhz_before mhz_after memory_mhz watts celsius slowed note");
    ck_assert(json_is_null(json_object_get(gpu, "celsius")));
    ck_assert_double_eq(json_real_value(json_object_get(gpu, "watts")), 698.5);
    ck_assert_str_eq(json_string_value(json_object_get(gpu, "note")),
                     "measured at 1410 MHz: power limit, temperature limit");
    ck_assert_uint_eq(json_array_size(json_object_get(gpu, "slowed")), 2);
    has_exactly(energy, "joule span_ns launches refused");
    ck_assert_double_eq(json_real_value(json_object_get(energy, "joule")), 0.0025);
    ck_assert(json_is_null(json_object_get(energy, "refused")));
    json_decref(read);
    result.energy = (struct energy){.refused = "no counter"};
    start();
    report_result_line(&frame, &v, "ranked", false, j.out);
    read = read_json();
    energy = json_object_get(read, "energy");
    ck_assert(json_is_null(json_object_get(energy, "joule")));
    ck_assert_str_eq(json_string_value(json_object_get(energy, "refused")), "no counter");
    json_decref(read);
}
END_TEST

START_TEST(a_finalist)
{
    struct tune_record v = finalist();
    frame.chosen = &v;
    start();
    report_result_line(&frame, &v, "ranked", false, j.out);
    json_t *read = read_json();
    has_exactly(
        read,
        "type configuration status verified verification outputs median_ns imported interval_ns "
        "samples_ns time_basis stopped batch warmups warm clock clock_fault reused origin message "
        "fault metrics "
        "is_default same_as same_code_as global_size local_size limit_ns ranking place tied "
        "chosen ratio ratio_interval times_ns gpu energy counters");
    const char *type, *id, *stopped;
    double ratio, low, high;
    int place, tied, chosen, batch, warmups;
    ck_assert_int_eq(json_unpack(read, "{s:s, s:s, s:s, s:i, s:b, s:b, s:i, s:i, s:F, s:[F,F]}",
                                 "type", &type, "ranking", &id, "stopped", &stopped, "place",
                                 &place, "tied", &tied, "chosen", &chosen, "batch", &batch,
                                 "warmups", &warmups, "ratio", &ratio, "ratio_interval", &low,
                                 &high),
                     0);
    ck_assert_str_eq(type, "ranked");
    ck_assert_str_eq(id, "ab010000000000000000000000000000");
    ck_assert_str_eq(stopped, "ranked");
    ck_assert_str_eq(json_string_value(json_object_get(read, "time_basis")), "ranked");
    ck_assert(place == 2 && !tied && chosen && batch == 8 && warmups == 1);
    ck_assert(ratio == 1.25 && low == 1.125 && high == 1.5);
    json_decref(read);
}
END_TEST

START_TEST(one_that_was_not_ranked)
{
    static const char *const none[] = {"ranking", "place", "ratio", "ratio_interval"};
    struct tune_record v = finalist();
    v.ranked = false;
    memset(result.ranking, 0, sizeof result.ranking);
    start();
    report_result_line(&frame, &v, NULL, false, j.out);
    json_t *read = read_json();
    ck_assert_ptr_null(json_object_get(read, "type"));
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(json_is_null(json_object_get(read, none[i])), "%s", none[i]);
    ck_assert(json_is_false(json_object_get(read, "tied")));
    json_decref(read);
    result.stop = STOP_SETTLED;
    start();
    report_result_line(&frame, &v, NULL, false, j.out);
    read = read_json();
    ck_assert_str_eq(json_string_value(json_object_get(read, "time_basis")), "screened");
    json_decref(read);
}
END_TEST

static void check_speedup(const struct tune_speedup *speedup, const char *basis, bool has_interval)
{
    const struct tune_record v = finalist();
    struct tune_report summary = report_of(&v);
    summary.speedup = *speedup;
    start();
    emit_record(&j, &report_summary_fields, &summary, NULL);
    json_t *read = read_json();
    const json_t *ratio = json_object_get(read, "speedup_over_default");
    const json_t *interval = json_object_get(read, "speedup_over_default_interval");
    const char *told = json_string_value(json_object_get(read, "speedup_over_default_basis"));
    ck_assert_int_eq(json_is_real(ratio), basis != NULL);
    ck_assert_int_eq(json_integer_value(json_object_get(read, "speedup_over_default_needs")),
                     speedup->needed);
    ck_assert_int_eq(json_is_array(interval), has_interval);
    ck_assert((!told && !basis) || strcmp(told, basis) == 0);
    ck_assert_int_eq(json_is_true(json_object_get(read, "speedup_over_default_significant")),
                     speedup->significant);
    json_decref(read);
}

START_TEST(the_speedup)
{
    struct tune_speedup s = {.known = false};
    check_speedup(&s, NULL, false);
    s = (struct tune_speedup){.known = true, .ratio = {3.5, 3.25, 3.75, true}, .significant = true};
    check_speedup(&s, "screened", true);
    s = (struct tune_speedup){.known = true, .ratio.ratio = 3.5, .needed = 6};
    check_speedup(&s, NULL, false);
    s = (struct tune_speedup){
        .known = true, .ranked = true, .ratio = {3.5, 3.25, 3.75, true}, .significant = true};
    check_speedup(&s, "ranked", true);
}
END_TEST

START_TEST(the_ranking_of_a_summary)
{
    struct tune_record v = finalist();
    struct tune_report summary = report_of(&v);
    const char *why = "the fewest registers";
    struct tune_ranked *ranked = &summary.progress.ranked;
    *ranked = (struct tune_ranked){.decided = true,
                                   .id = {0xab},
                                   .finalists = 9,
                                   .failed = 1,
                                   .tied = 2,
                                   .chosen = &v,
                                   .status = {.rounds = 24,
                                              .repeated = 3,
                                              .marked = 4,
                                              .by_load = 5,
                                              .by_clock = 2,
                                              .batch = 8,
                                              .warmups = 1,
                                              .launches = 1234}};
    str_format(ranked->why, sizeof ranked->why, "%s", why);
    start();
    emit_record(&j, &report_summary_fields, &summary, NULL);
    json_t *read = read_json();
    const json_t *r = json_object_get(read, "ranking");
    has_exactly(r, "id contenders failed rounds repeated marked by_load by_clock batch warmups "
                   "cold level tied chosen why known short launches");
    static const struct {
        const char *name;
        json_int_t value;
    } whole[] = {{"contenders", 9}, {"failed", 1},  {"rounds", 24},    {"repeated", 3},
                 {"marked", 4},     {"by_load", 5}, {"by_clock", 2},   {"batch", 8},
                 {"warmups", 1},    {"tied", 2},    {"launches", 1234}};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        ck_assert_int_eq(json_integer_value(json_object_get(r, whole[i].name)), whole[i].value);
    ck_assert_double_eq(json_real_value(json_object_get(r, "level")), 0.95);
    ck_assert(json_is_true(json_object_get(r, "cold")));
    ck_assert(json_is_false(json_object_get(r, "known")));
    ck_assert(json_is_false(json_object_get(r, "short")));
    ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(r, "chosen"), "a")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(r, "why")), why);
    json_decref(read);
    ranked->decided = false;
    start();
    emit_record(&j, &report_summary_fields, &summary, NULL);
    read = read_json();
    ck_assert(json_is_null(json_object_get(read, "ranking")));
    json_decref(read);
}
END_TEST

START_TEST(several_objectives)
{
    static const struct objectives objectives = {
        {{.name = "time", .metric = OBJECTIVE_TIME}, {.name = "rate", .maximise = true}}, 2};
    struct tune_record v = finalist();
    struct tune_report summary = report_of(&v);
    summary.head.objectives = &objectives;
    v.pareto = true;
    start();
    emit_record(&j, &report_summary_fields, &summary, NULL);
    json_t *read = read_json(), *pareto = json_object_get(read, "pareto");
    ck_assert(json_is_null(json_object_get(read, "best")));
    ck_assert_str_eq(json_string_value(json_object_get(read, "objective")), "time, max:rate");
    const json_t *second = json_array_get(json_object_get(read, "objectives"), 1);
    has_exactly(second, "name direction");
    ck_assert_str_eq(json_string_value(json_object_get(second, "direction")), "max");
    ck_assert_uint_eq(json_array_size(pareto), 1);
    ck_assert(json_object_get(json_array_get(pareto, 0), "median_ns") != NULL);
    json_decref(read);
    summary.head.objectives = NULL;
    start();
    emit_record(&j, &report_summary_fields, &summary, NULL);
    read = read_json();
    ck_assert(json_is_null(json_object_get(read, "pareto")));
    ck_assert(json_is_object(json_object_get(read, "best")));
    json_decref(read);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, a_card);
    tcase_add_test(tests, a_finalist);
    tcase_add_test(tests, one_that_was_not_ranked);
    tcase_add_test(tests, the_speedup);
    tcase_add_test(tests, the_ranking_of_a_summary);
    tcase_add_test(tests, several_objectives);
}

int main(void)
{
    return suite_run("report/json", add);
}
