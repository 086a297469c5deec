// A sweep as table, Markdown, JSON, CSV, and picture.
#include "report/sweep_report.h"

#include "../base/suite.h"

#include <math.h>
#include <string.h>

#define has(text, part)                                                                            \
    ck_assert_msg(strstr(text, part) != NULL, "no '%s' in:\n%.3000s", part, text)
#define has_not(text, part)                                                                        \
    ck_assert_msg(strstr(text, part) == NULL, "'%s' in:\n%.3000s", part, text)

enum { LINES = 3, POINTS = 7, NAMES = 2 };

// A spec against a routine and another spec, at N = M = 256 .. 16384.
struct made {
    struct sweep_report v;
    struct device_info device;
    struct sweep_plan plan;
    struct sweep_name names[NAMES];
    struct sweep_point points[POINTS];
    const char *set[POINTS][NAMES];
    char words[POINTS][NAMES][16];
    struct value values[POINTS][NAMES];
    struct sweep_report_line lines[LINES];
    struct sweep_record records[POINTS];
    struct sweep_entry found[POINTS][LINES];
    uint32_t panels[POINTS];
    struct report_about about;
    struct result correct, failed;
    struct peak peak;
};

// One a point: their metric reads N.
static struct spec *specs[POINTS];

// In GFLOP/s; the other spec has none at the largest size.
static const double rates[POINTS][LINES] = {
    {3021.4, 2890.2, 1100.0},    {15230.0, 16100.0, 5400.0},  {38000.0, 37500.0, 14000.0},
    {48800.0, 47900.0, 24500.0}, {50900.0, 50100.0, 27000.0}, {51800.0, 50700.0, 27900.0},
    {51500.0, 50900.0, 0}};

static void make_entry(struct made *m, int point, int line, double n)
{
    static const uint32_t choice[1];
    struct sweep_entry *e = &m->found[point][line];
    double rate = rates[point][line], ns = 2 * n * n * n / rate;
    *e = (struct sweep_entry){.spec = specs[point],
                              .configuration = line == 1 ? "" : "block=16, work=2",
                              .configuration_json = line == 1 ? "{}" : "{\"block\": 16}",
                              .choice = choice,
                              .result = rate > 0 ? &m->correct : &m->failed,
                              .timed = rate > 0,
                              .in_turn = true};
    if (rate <= 0) {
        e->why = "compile: line 3, \"x\" is \xc3\xa4rgerlich";
        return;
    }
    e->stats = (struct stats_summary){
        .count = 16, .median = ns, .low = 0.98 * ns, .high = 1.03 * ns, .interval = true};
    e->compared = line > 0;
    e->ratio = (struct stats_ratio){.ratio = rates[point][0] / rate,
                                    .low = 0.99 * rates[point][0] / rate,
                                    .high = 1.01 * rates[point][0] / rate,
                                    .interval = true};
}

static void make_specs(void)
{
    static const char form[] =
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"a\", \"Type\": \"int\", "
        "\"Values\": \"[1]\"}]}, \"KernelSpecification\": {\"Language\": \"OpenCL\", "
        "\"KernelName\": "
        "\"k\", \"KernelFile\": \"k.cl\", \"GlobalSize\": {\"X\": \"1\"}}, \"Constants\": {\"N\": "
        "%d}, "
        "\"Metrics\": [{\"Name\": \"GFLOP/s\", \"Expression\": \"2 * N**3 / time_ns\"}]}";
    for (int i = 0; i < POINTS; i++) {
        struct error e = ERROR_INIT;
        struct text text = TEXT_INIT;
        text_addf(&text, form, 256 << i);
        specs[i] = spec_parse(text_cstr(&text), text.length, ".", "spec.json",
                              &(struct spec_options){0}, &e);
        ck_assert_msg(specs[i] != NULL, "%s", e.text);
        text_release(&text);
    }
}

static void free_specs(void)
{
    for (int i = 0; i < POINTS; i++)
        spec_free(specs[i]);
}

// What a name is at a point.
static void set_value(struct made *m, int point, int name, const char *word)
{
    char *out = m->words[point][name];
    double number;
    str_format(out, sizeof m->words[point][name], "%s=%s", m->names[name].name, word);
    m->set[point][name] = out;
    m->values[point][name] =
        str_to_f64(word, &number) ? value_int((int64_t)number) : value_string(out + 2);
}

static void make(struct made *m)
{
    memset(m, 0, sizeof *m);
    m->correct.status = STATUS_CORRECT;
    m->failed.status = STATUS_COMPILE;
    m->about = (struct report_about){.hone_version = "1",
                                     .command = "hone sweep spec.json",
                                     .host = "ada",
                                     .date = "2024-05-06T07:08:09Z"};
    m->device = (struct device_info){.language = LANGUAGE_OPENCL,
                                     .id = "opencl/0/0",
                                     .name = "NVIDIA 'H200' \\_{x}",
                                     .platform = "NVIDIA CUDA",
                                     .vendor = "NVIDIA",
                                     .driver = "580.159.04"};
    m->names[0] = (struct sweep_name){.name = "N", .varies = true};
    m->names[1] = (struct sweep_name){.name = "M", .varies = true};
    m->lines[0] = (struct sweep_report_line){"swept_spec", "swept_spec", &m->device, false};
    m->lines[1] = (struct sweep_report_line){"cuBLAS", "swept_spec", &m->device, true};
    m->lines[2] = (struct sweep_report_line){"it's another", "other", &m->device, false};
    for (int i = 0; i < POINTS; i++) {
        char word[8];
        str_format(word, sizeof word, "%d", 256 << i);
        for (int k = 0; k < NAMES; k++)
            set_value(m, i, k, word);
        for (int k = 0; k < LINES; k++)
            make_entry(m, i, k, 256 << i);
        m->points[i] = (struct sweep_point){m->set[i], m->values[i]};
        m->records[i] = (struct sweep_record){(uint32_t)i, m->found[i]};
    }
    m->found[0][0].known = true;
    m->plan = (struct sweep_plan){
        .names = m->names, .name_count = NAMES, .points = m->points, .point_count = POINTS};
    m->peak.rates[PEAK_FP32] =
        (struct peak_rate){.known = true, .median = 60000e9, .low = 59900e9, .high = 60100e9};
    m->v = (struct sweep_report){.about = &m->about,
                                 .spec = specs[0],
                                 .device = &m->device,
                                 .plan = &m->plan,
                                 .lines = m->lines,
                                 .line_count = LINES,
                                 .records = m->records,
                                 .count = POINTS,
                                 .progress = {.launches = 1234, .common.elapsed_ns = 12000000000},
                                 .panel_count = 1,
                                 .panels = m->panels,
                                 .peak = &m->peak};
}

START_TEST(as_a_table)
{
    struct made m;
    struct text text = TEXT_INIT;
    make(&m);
    writer_head(&sweep_writers[REPORT_TEXT], &m.v, &text);
    has(text_cstr(&text), "\nSweep: swept_spec at 7 points, against cuBLAS and it's another\n");
    text_clear(&text);
    writer_end(&sweep_writers[REPORT_TEXT], &m.v, &text);
    has(text_cstr(&text),
        "N = M    median  95 % interval     GFLOP/s  of peak  cuBLAS  times cuBLAS  95 % "
        "interval     it's another  times it's another  95 % interval     configuration\n");
    has(text_cstr(&text),
        "  256  11.11 us  [10.88 .. 11.44]     3021    5.0 %    2890         1.045  "
        "[1.035 "
        ".. 1.056]          1100               2.747  [2.719 .. 2.774]  block=16, work=2\n");
    has(text_cstr(&text), "N=16384, M=16384: it's another: compile: line 3, ");
    has(text_cstr(&text), "swept_spec is 1.010 times as fast as cuBLAS, geometric mean over 7 "
                          "points; both interleaved at each\n");
    has(text_cstr(&text), "geometric mean over 6 points");
    has(text_cstr(&text), "of peak: of the 60000 GFLOP/s that the device's fp32 arithmetic was "
                          "measured to have (hone peak)\n");
    has(text_cstr(&text), "7 of 7 points in 12 s, 1234 launches; 1 known from the store\n");
    text_clear(&text);
    report_sweep_row(&m.v, &m.records[1], &text);
    ck_assert_str_eq(text_cstr(&text), "N=512, M=512: 17.63 us, 15230 GFLOP/s, 0.946 times as "
                                       "fast as cuBLAS, 2.820 times as fast as it's another");
    text_release(&text);
}
END_TEST

// What swept fails has its row and its reason; a name that is the same everywhere has no column.
START_TEST(a_row_that_failed)
{
    struct made m;
    struct text text = TEXT_INIT;
    make(&m);
    m.names[1].varies = false;
    for (int i = 0; i < POINTS; i++)
        set_value(&m, i, 1, "7");
    m.plan.point_count = 2;
    m.v.line_count = 1;
    m.v.progress.common.cancelled = true;
    m.found[0][0] = (struct sweep_entry){.why = "no configuration is valid: N | 3"};
    m.v.count = 2;
    writer_end(&sweep_writers[REPORT_TEXT], &m.v, &text);
    ck_assert_str_eq(text_cstr(&text),
                     "  N    median  95 % interval     GFLOP/s  of peak  configuration\n"
                     "256    failed\n"
                     "512  17.63 us  [17.27 .. 18.15]    15230   25.4 %  block=16, work=2\n"
                     "N=256: swept_spec: no configuration is valid: N | 3\n"
                     "of peak: of the 60000 GFLOP/s that the device's fp32 arithmetic was measured "
                     "to have (hone peak)\n"
                     "2 of 2 points in 12 s, 1234 launches; ended early\n");
    text_clear(&text);
    writer_end(&sweep_writers[REPORT_MARKDOWN], &m.v, &text);
    has(text_cstr(&text), "| N | median | 95 % interval | GFLOP/s | of peak | configuration |\n"
                          "| ---: | ---: | :--- | ---: | ---: | :--- |\n"
                          "| 256 | failed |  |  |  |  |\n"
                          "| 512 | 17.63 us | [17.27 .. 18.15] | 15230 | 25.4 % | block=16, ");
    text_clear(&text);
    m.v.count = 1; // the peak is told of only where there is a share of it
    writer_end(&sweep_writers[REPORT_TEXT], &m.v, &text);
    ck_assert_ptr_null(strstr(text_cstr(&text), "peak"));
    text_clear(&text);
    m.about.broken = "the device is gone"; // which stderr has, too
    writer_end(&sweep_writers[REPORT_TEXT], &m.v, &text);
    has(text_cstr(&text), "; ended early\nBroken off\n");
    text_clear(&text);
    writer_end(&sweep_writers[REPORT_MARKDOWN], &m.v, &text);
    has(text_cstr(&text), "; ended early\nBroken off: the device is gone\n");
    text_release(&text);
}
END_TEST

START_TEST(as_json)
{
    struct made m;
    struct text text = TEXT_INIT;
    make(&m);
    writer_end(&sweep_writers[REPORT_JSON], &m.v, &text);
    has(text_cstr(&text), "\"names\":[\"N\",\"M\"],\"lines\":[{\"label\":\"swept_spec\",");
    has(text_cstr(&text),
        "\"metric\":\"GFLOP/s\",\"limit\":{\"metric\":\"GFLOP/s\",\"what\":\"fp32 "
        "arithmetic\",\"value\":60000.0,\"interval\":[59900.0,60100.0]}");
    has(text_cstr(&text), "\"rows\":[{\"constants\":{\"N\":256,\"M\":256},\"lines\":[{\"label\":"
                          "\"swept_spec\",\"configuration\":{\"block\": 16},\"status\":\"correct\","
                          "\"known\":true,\"part\":null,\"in_turn\":true,\"median_ns\":");
    has(text_cstr(&text),
        "\"status\":\"compile\",\"known\":false,\"part\":null,\"in_turn\":true,\"median_ns\":"
        "null,\"interval_ns\":null,\"samples\":0,\"metrics\":{\"GFLOP/s\":null},"
        "\"share\":null,\"times_as_fast\":null,");
    text_release(&text);
}
END_TEST

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

START_TEST(as_csv)
{
    struct made m;
    struct text text = TEXT_INIT;
    make(&m);
    report_sweep_csv(&m.v, &text);
    const char *csv = text_cstr(&text);
    ck_assert(str_starts(csv, "N,M,line,kind,configuration,status,median_ns,low_ns,high_ns,samples,"
                              "GFLOP/s,GFLOP/s slow,GFLOP/s fast,share_of_peak,times_as_fast,"
                              "times_as_fast_low,times_as_fast_high,in_turn,message,spec,device,"
                              "driver\n256,256,swept_spec,tuned,\"block=16, work=2\",correct,"));
    ck_assert_uint_eq(count(csv, "\n"), 1 + POINTS * LINES);
    has(csv, "\n256,256,cuBLAS,routine,,correct,");
    has(csv,
        "\n16384,16384,it's another,tuned,\"block=16, work=2\",compile,,,,0,,,,,,,,1,\"compile: "
        "line 3, \"\"x\"\" is \xc3\xa4rgerlich\",other,NVIDIA 'H200' \\_{x},580.159.04\n");
    text_release(&text);
}
END_TEST

// ---- the picture -------------------------------------------------------------------------------

START_TEST(drawn_by_hone)
{
    struct made m;
    struct text text = TEXT_INIT;
    make(&m);
    ck_assert(report_sweep_picture(&m.v, &text));
    const char *svg = text_cstr(&text);
    has(svg, "<style>");
    has(svg, ">swept_spec</text>");
    has(svg, ">it&#39;s another</text>");
    has(svg, ">N = M</text>");
    has(svg, ">GFLOP/s</text>");
    has(svg, ">16384</text>");
    has(svg, "data-x=\"log ");
    has(svg, "measured peak (fp32 arithmetic): 60000");
    // a bar at each point that has a time, a line, and the one of the legend
    ck_assert_uint_eq(count(svg, "class=\"line s0\""), POINTS + 2);
    ck_assert_uint_eq(count(svg, "class=\"line s2\""), POINTS - 1 + 2);
    text_clear(&text);
    m.v.panel_count = 2; // the first point alone, with what tells panels apart: nothing here
    for (int i = 0; i < POINTS; i++)
        m.panels[i] = i > 0;
    ck_assert(report_sweep_picture(&m.v, &text));
    ck_assert_uint_eq(count(text_cstr(&text), "class=\"frame\""), 2);
    text_clear(&text);
    m.v.count = 0;
    ck_assert(!report_sweep_picture(&m.v, &text));
    ck_assert_uint_eq(text.length, 0);
    text_release(&text);
}
END_TEST

START_TEST(times_where_there_is_no_rate)
{
    struct made m;
    struct text text = TEXT_INIT;
    make(&m);
    const struct spec bare = {.name = "bare"};
    m.v.spec = &bare;
    ck_assert(report_sweep_picture(&m.v, &text));
    has(text_cstr(&text), ">time");
    has_not(text_cstr(&text), "measured peak");
    text_release(&text);
}
END_TEST

START_TEST(panels_and_points)
{
    struct made m;
    struct text text = TEXT_INIT;
    make(&m);
    for (int i = 0; i < POINTS; i++) { // N = 1, 2, 3, ...: in two panels by M
        m.panels[i] = (uint32_t)i % 2;
        set_value(&m, i, 1, i % 2 ? "odd" : "even");
        m.values[i][0] = value_int(1 + i);
    }
    m.v.panel_count = 2;
    ck_assert(report_sweep_picture(&m.v, &text));
    has(text_cstr(&text), ">M=even</text>");
    has(text_cstr(&text), ">M=odd</text>");
    text_clear(&text);
    m.v.axis = UINT32_MAX; // the points one after the other, each named
    m.v.panel_count = 1;
    for (int i = 0; i < POINTS; i++)
        m.panels[i] = 0;
    ck_assert(report_sweep_picture(&m.v, &text));
    has(text_cstr(&text), ">N=256,</text>"); // in two lines: the points are many
    has(text_cstr(&text), ">N=512,</text>");
    ck_assert_uint_eq(count(text_cstr(&text), ">M=odd</text>"), POINTS / 2);
    text_clear(&text);
    for (int i = 0; i < POINTS; i++) {
        for (int k = 0; k < LINES; k++)
            m.found[i][k].timed = false;
    }
    ck_assert(!report_sweep_picture(&m.v, &text));
    text_release(&text);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make_specs, free_specs);
    tcase_add_test(tests, as_a_table);
    tcase_add_test(tests, a_row_that_failed);
    tcase_add_test(tests, as_json);
    tcase_add_test(tests, as_csv);
    tcase_add_test(tests, drawn_by_hone);
    tcase_add_test(tests, times_where_there_is_no_rate);
    tcase_add_test(tests, panels_and_points);
}

int main(void)
{
    return suite_run("report_sweep", add);
}
