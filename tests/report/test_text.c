// Tables, units, times and the line of progress, letter for letter.
#include "report/progress.h"
#include "report/report.h"
#include "report/table.h"
#include "report/units.h"

#include "../base/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct text out;

START_TEST(units)
{
    static const struct {
        double value;
        const char *text;
    } numbers[] = {{0, "0.000"},       {4.1434, "4.143"}, {12.345, "12.35"}, {123.45, "123.5"},
                   {153000, "153000"}, {1e9, "1e+09"},    {1e-5, "1e-05"},   {-2.5, "-2.500"}};
    static const struct {
        uint64_t value;
        const char *text;
    } sizes[] = {{0, "0 B"},
                 {1023, "1023 B"},
                 {1024, "1 KiB"},
                 {49152, "48 KiB"},
                 {1536, "1.5 KiB"},
                 {4500120576, "4.2 GiB"},
                 {1ull << 40, "1 TiB"},
                 {UINT64_MAX, "16777216 TiB"}};
    static const struct {
        uint64_t ns;
        const char *text;
    } spans[] = {{0, "0 s"},
                 {1499999999, "1 s"},
                 {59600000000, "1 min"},
                 {185000000000, "3 min 5 s"},
                 {7800000000000, "2 h 10 min"}};
    char got[UNITS_SIZE];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        number_to_str(numbers[i].value, got);
        ck_assert_str_eq(got, numbers[i].text);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bytes_to_str(sizes[i].value, got);
        ck_assert_str_eq(got, sizes[i].text);
    }
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        span_to_str(spans[i].ns, got);
        ck_assert_str_eq(got, spans[i].text);
    }
    ck_assert_uint_eq(columns("a\xc3\xa4\xe2\x82\xac"), 3);
}
END_TEST

START_TEST(table)
{
    static const struct table_column columns_of[] = {{"left", ALIGN_LEFT},
                                                     {"right", ALIGN_RIGHT},
                                                     {"nothing there", ALIGN_LEFT},
                                                     {"last", ALIGN_LEFT}};
    struct table t;
    table_init(&t, columns_of, 4);
    table_row(&t);
    table_cell(&t, 0, "a");
    table_cell(&t, 1, "%d", 7);
    table_cell(&t, 3, "x");
    table_note(&t, 1, "= a note that is longer than all");
    table_row(&t);
    table_cell(&t, 0, "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
    table_cell(&t, 1, "123456");
    text_clear(&out);
    table_print(&t, REPORT_TEXT, "> ", &out);
    ck_assert_str_eq(text_cstr(&out), "> left    right  last\n"
                                      "> a           7  x\n"
                                      ">        = a note that is longer than all\n"
                                      "> \xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4  123456\n");
    table_release(&t);
}
END_TEST

START_TEST(times)
{
    uint64_t seven[] = {8100000, 8050000, 8220000, 8104000, 8110000, 8090000, 8200000};
    struct stats_summary s;
    text_clear(&out);
    stats_summarise(seven, 7, 0, &s);
    report_time(&s, &out);
    ck_assert_str_eq(text_cstr(&out), "8.104 ms [8.050 .. 8.220]");
    text_clear(&out);
    stats_summarise(seven, 3, 0, &s);
    report_time(&s, &out);
    ck_assert_str_eq(text_cstr(&out), "8.100 ms (8.050 .. 8.220)");
    text_clear(&out);
    stats_summarise(seven, 1, 0, &s);
    report_time(&s, &out);
    ck_assert_str_eq(text_cstr(&out), "8.100 ms");
}
END_TEST

// ---- the end of a tune -------------------------------------------------------------------------

static const struct value numbers[] = {{.kind = VALUE_INT, .i = 1}, {.kind = VALUE_INT, .i = 2}};
static const struct parameter parameters[] = {{.name = "a", .values = numbers, .count = 2},
                                              {.name = "b", .values = numbers, .count = 2}};
static const struct formula metric = {.name = "GFLOP/s"};
static const struct spec spec = {.name = "s",
                                 .parameters = parameters,
                                 .parameter_count = 2,
                                 .metrics = &metric,
                                 .metric_count = 1};
static const struct report_about about = {.seed = 3};
static const double four = 4;

static struct tune_record timed(const char *configuration, double median, double low, double high)
{
    static struct result result = {.message = "", .log = "", .output = "", .energy.refused = ""};
    return (struct tune_record){
        .configuration = configuration,
        .configuration_json = "{}",
        .result = &result,
        .timed = true,
        .stats = {.count = 7, .median = median, .low = low, .high = high, .interval = true},
        .metrics = &four,
        .metric_count = 1};
}

// A report of these, all of them in its ranking.
static struct tune_report report_of(const struct tune_record *records, size_t count)
{
    static const struct tune_record *list[8];
    for (size_t i = 0; i < count; i++)
        list[i] = &records[i];
    return (struct tune_report){
        .head = {.about = &about, .spec = &spec, .check = {VERIFICATION_REFERENCE, "gemm"}},
        .frame.spec = &spec,
        .progress.by_status = {[STATUS_CORRECT] = count},
        .ranking = list,
        .ranking_count = count,
        .records = list,
        .record_count = count,
        .level = 0.95,
        .rows = 10};
}

static const char *summary_of(const struct tune_report *v)
{
    text_clear(&out);
    report_summary(v, &out);
    return text_cstr(&out);
}

#define says(v, words) ck_assert_msg(strstr(summary_of(v), words) != NULL, "%s", text_cstr(&out))

START_TEST(summary)
{
    static const uint32_t choices[2][2] = {{0, 0}, {0, 1}};
    struct result broken = {
        .status = STATUS_COMPILE, .message = "error: no", .log = "", .output = ""};
    struct tune_record records[] = {
        timed("a=1, b=1", 1e6, 0.9e6, 1.1e6), timed("a=1, b=2", 1e6, 0.9e6, 1.1e6),
        timed("a=2, b=1", 1.1e6, 1.05e6, 1.2e6), timed("a=3, b=1", 2e6, 1.9e6, 2.1e6)};
    records[0].choice = choices[0];
    records[1].choice = choices[1];
    records[1].same_as = &records[0];
    records[3].is_default = true;
    const struct tune_record example = {.configuration = "a=9, b=1", .result = &broken};
    struct tune_report v = report_of(records, 4);
    struct tune_progress *p = &v.progress;
    v.speedup =
        (struct tune_speedup){.known = true, .ratio = {2, 1.8, 2.25, true}, .significant = true};
    p->default_record = &records[3];
    p->examples[STATUS_COMPILE] = &example;
    p->by_status[STATUS_COMPILE] = 2;
    p->valid = p->common.planned = p->common.done = 6;
    p->reused = 1;
    p->common.elapsed_ns = 3000000000;
    p->build_ns = 1500000000;
    ck_assert_str_eq(
        summary_of(&v),
        "4 correct configurations (verified against gemm), not ranked: screening only, one "
        "configuration after the other\n"
        "  median  95 % interval     GFLOP/s  configuration\n"
        "1.000 ms  [0.900 .. 1.100]    4.000  a=1, b=1\n"
        "                                     = also b=2\n"
        "1.100 ms  [1.050 .. 1.200]    4.000  a=2, b=1\n"
        "2.000 ms  [1.900 .. 2.100]    4.000  a=3, b=1 (default)\n"
        "This does not decide which of several close ones is the fastest.\n"
        "speed-up over the default, a=3, b=1: 2.000 [1.800 .. 2.250] (screened)\n"
        "2 compile (fails to compile, or the compiler died), e.g. a=9, b=1: error: no\n"
        "6 of 6 configurations (1 known already) in 3 s: builds in parallel 1.500 s\n");
    // Two medians of a few launches each are no speed-up.
    v.speedup = (struct tune_speedup){.known = true, .ratio.ratio = 2.616, .needed = 6};
    says(&v,
         "\nspeed-up over the default, a=3, b=1: unknown: too few launches; it takes at least 6 "
         "of each (--iterations 6), or the ranking\n");
    v.in_short = true;
    says(&v,
         "\nSpeed-up over the default: unknown: too few launches; it takes at least 6 of each ");
    ck_assert_ptr_null(strstr(text_cstr(&out), "2.616"));
}
END_TEST

// ---- progress ----------------------------------------------------------------------------------

static const struct screen any = {0}, narrow = {.width = 79}, wide = {.width = 159, .utf8 = true};

static const struct objectives least_time = {{{.name = "time", .metric = OBJECTIVE_TIME}}, 1};
static const struct objectives most_rate = {{{.name = "GFLOP/s", .maximise = true}}, 1};

static const char *lines(const struct tune_progress *p, const struct screen *s)
{
    text_clear(&out);
    report_tune_progress(p, &least_time, &spec, s, &out);
    return text_cstr(&out);
}

// What runs, and who has the device, comes last: that is what is cut first.
START_TEST(progress_lines)
{
    const struct tune_record best = timed("a=1, b=2", 8.1e6, 8e6, 8.2e6);
    struct tune_progress p = {.common = {.planned = 41, .evaluator.building = 2}};
    struct workflow_progress *c = &p.common;
    ck_assert_str_eq(lines(&p, &any), "--------------------  0/41  building 2");
    c->evaluator.waiting = "the device is in use by process 812";
    ck_assert_str_eq(lines(&p, &any),
                     "--------------------  0/41  paused: the device is in use by process 812");
    c->evaluator =
        (struct evaluator_status){.building = 2, .measuring = true, .running = "a=2, b=1"};
    c->done = 12;
    c->left_ns = 15000000000;
    p.reused = 2;
    p.by_status[STATUS_CORRECT] = 9;
    p.by_status[STATUS_COMPILE] = 1;
    p.by_status[STATUS_TIMEOUT] = 2;
    p.best = &best;
    ck_assert_str_eq(lines(&p, &narrow),
                     "#####--------------  12/41 (2 known)  3 failed  15 s left  building 2, "
                     "measuring a=2, b=1\n"
                     "best so far (screened) 8.100 ms, 4.000 GFLOP/s: a=1, b=2");
    c->evaluator.building = 0;
    ck_assert_ptr_nonnull(strstr(lines(&p, &narrow), "left  measuring a=2, b=1\n"));
    c->cancelled = true;
    ck_assert_ptr_nonnull(strstr(lines(&p, &narrow), "left  ending after the running launch\n"));
    text_clear(&out);
    double rate = 5;
    const struct tune_record by_rate = {
        .configuration = "", .stats.median = 8.1e6, .metrics = &four, .values = &rate};
    p.best = &by_rate;
    report_tune_progress(&p, &most_rate, &spec, &narrow, &out);
    ck_assert_ptr_nonnull(
        strstr(text_cstr(&out), "\nbest so far (screened) 8.100 ms, 5.000 GFLOP/s"));
    p.best = NULL;
    p.pareto = 3;
    ck_assert_ptr_nonnull(strstr(lines(&p, &narrow), "\n3 in the Pareto set"));
}
END_TEST

START_TEST(progress_of_a_ranking)
{
    struct tune_progress p = {
        .common = {.planned = 41, .done = 41, .evaluator = {.measuring = true, .running = "a=1"}},
        .ranked = {.running = true, .status = {.in = 12, .most = 24}}};
    ck_assert_str_eq(lines(&p, &any), "####################  getting 12 finalists ready");
    p.ranked.status.round = 6; // the bar is the ranking's then
    p.common.left_ns = 3000000000;
    ck_assert_str_eq(lines(&p, &any),
                     "#####---------------  ranking 12 finalists, round 6 of at most 24  3 s left");
    const struct tune_record best = timed("a=1, b=2", 8.1e6, 8e6, 8.2e6);
    const struct tune_record leader = timed("a=3, b=1", 9e6, 8e6, 9.2e6);
    p.best = &best;
    ck_assert_ptr_nonnull(strstr(lines(&p, &any), "\nbest so far (screened) 8.100 ms"));
    p.ranked.leader = &leader; // by the rounds: what screening found fastest is not told any more
    p.ranked.leader_ns = 8.4e6;
    ck_assert_ptr_nonnull(strstr(lines(&p, &any), "\nleads so far 8.400 ms: a=3, b=1"));
    ck_assert_ptr_null(strstr(text_cstr(&out), "screened"));
    p.ranked.status.checking = true;
    ck_assert_ptr_nonnull(strstr(lines(&p, &any), "verifying 12 finalists again"));
}
END_TEST

START_TEST(bars)
{
    static const struct {
        uint64_t done, planned;
        struct screen screen;
        const char *bar;
    } cases[] = {
        {0, 0, {.width = 20}, "----------"},
        {1, 2, {.width = 20}, "#####-----"},
        {1, 2, {.width = 48}, "######------"},
        {999, 1000, {.width = 20}, "#########-"}, // full when all is done
        {1000, 1000, {.width = 20}, "##########"},
        {1, 2, {.width = 1000}, "####################--------------------"},
        {1, 4, {.width = 16, .utf8 = true}, "━━────────"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_clear(&out);
        report_bar(cases[i].done, cases[i].planned, &cases[i].screen, &out);
        ck_assert_str_eq(text_cstr(&out), cases[i].bar);
    }
    struct tune_progress p = {.common = {.planned = 4, .done = 1}};
    ck_assert_uint_eq(columns(lines(&p, &wide)), 39 + strlen("  1/4"));
}
END_TEST

START_TEST(cut_with_an_ellipsis)
{
    static const struct {
        const char *line;
        struct screen screen;
        const char *cut;
    } cases[] = {
        {"12345678", {.width = 8}, "12345678"},
        {"123456789", {.width = 8}, "12345..."},
        {"123456789", {.width = 8, .utf8 = true}, "1234567…"},
        {"äöüäöü", {.width = 6}, "äöüäöü"},
        {"äöüäöüä", {.width = 6}, "äöü..."},
        {"any length", {.width = 0}, "any length"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text_clear(&out);
        text_add(&out, "first: ");
        text_add(&out, cases[i].line);
        report_cut(&out, strlen("first: "), &cases[i].screen);
        ck_assert_str_eq(text_cstr(&out) + strlen("first: "), cases[i].cut);
    }
}
END_TEST

// As they are drawn: the last column of a terminal stays free.
START_TEST(screens_of_80_and_160)
{
    const struct tune_record best =
        timed("block_size_x=32, block_size_y=4, tile_size_x=2, tile_size_y=8", 2.712e6, 2e6, 3e6);
    const struct screen ascii = {.width = 79}, utf8 = {.width = 159, .utf8 = true};
    struct tune_progress p = {
        .common = {.planned = 41,
                   .done = 12,
                   .left_ns = 75000000000,
                   .evaluator = {.building = 2,
                                 .measuring = true,
                                 .running = "block_size_x=64, block_size_y=8, tile_size_x=1"}},
        .by_status = {[STATUS_COMPILE] = 3},
        .best = &best};
    const struct {
        const struct screen *screen;
        const char *first, *second;
    } screens[] = {
        {&ascii, "#####--------------  12/41  3 failed  1 min 15 s left  building 2, measuring...",
         "best so far (screened) 2.712 ms, 4.000 GFLOP/s: block_size_x=32, block_size_..."},
        {&utf8,
         "━━━━━━━━━━━────────────────────────────  12/41  3 failed  1 min 15 s left  building 2, "
         "measuring block_size_x=64, block_size_y=8, tile_size_x=1",
         "best so far (screened) 2.712 ms, 4.000 GFLOP/s: block_size_x=32, block_size_y=4, "
         "tile_size_x=2, tile_size_y=8"}};
    for (size_t i = 0; i < 2; i++) {
        const struct screen *screen = screens[i].screen;
        char *all = strdup(lines(&p, screen)), *second = strchr(all, '\n') + 1;
        second[-1] = '\0';
        struct text first = TEXT_INIT, last = TEXT_INIT;
        text_add(&first, all);
        text_add(&last, second);
        report_cut(&first, 0, screen);
        report_cut(&last, 0, screen);
        ck_assert_str_eq(text_cstr(&first), screens[i].first);
        ck_assert_str_eq(text_cstr(&last), screens[i].second);
        ck_assert_uint_le(columns(text_cstr(&first)), screen->width);
        text_release(&first);
        text_release(&last);
        free(all);
    }
}
END_TEST

// ---- the end in short --------------------------------------------------------------------------

static struct tune_record failed(const char *configuration, struct result *r, enum status status,
                                 const char *message)
{
    *r = (struct result){.status = status, .message = message, .log = "", .output = ""};
    return (struct tune_record){
        .configuration = configuration, .configuration_json = "{}", .result = r};
}

// The best with options and geometry, the speed-up with its interval, ties, a line for each kind of failure, what is kept.
START_TEST(short_end)
{
    struct result r[4];
    const struct report_about kept = {.store = "/store"};
    struct tune_record records[] = {
        timed("a=1, b=1", 1e6, 0.9e6, 1.1e6),
        timed("a=2, b=1", 1.2e6, 1.1e6, 1.3e6),
        failed("a=1, b=2", &r[0], STATUS_COMPILE, "error: yes"),
        failed("a=2, b=2", &r[1], STATUS_COMPILE, "error: no"),
        failed("a=3, b=2", &r[2], STATUS_COMPILE, "error: no"),
        failed("a=4, b=2", &r[3], STATUS_TIMEOUT, "it took longer than is good for the screen"),
    };
    struct tune_report v = report_of(records, 6);
    struct tune_progress *p = &v.progress;
    v.in_short = true;
    v.ranking_count = 2;
    v.options = "-Da=1 -Db=1";
    v.head.about = &kept;
    v.frame.chosen = &records[0];
    v.speedup = (struct tune_speedup){
        .known = true, .ranked = true, .ratio = {1.1976, 1.188, 1.208, true}, .significant = true};
    records[0].ranked = records[1].ranked = true;
    records[0].dimensions = 2;
    records[0].global[0] = 64, records[0].global[1] = 32;
    records[0].local[0] = 16, records[0].local[1] = 8;
    p->by_status[STATUS_CORRECT] = 2;
    p->default_record = &records[1];
    p->common.elapsed_ns = 3000000000;
    p->common.done = 6;
    p->valid = 12;
    p->ranked = (struct tune_ranked){.decided = true,
                                     .finalists = 2,
                                     .tied = 2,
                                     .chosen = &records[0],
                                     .why = "the fewest registers",
                                     .status = {.rounds = 24}};
    ck_assert_str_eq(
        summary_of(&v),
        "Best: a=1, b=1\n"
        "  1.000 ms [0.900 .. 1.100], 4.000 GFLOP/s; 64 x 32 work-items in work-groups of 16 x 8\n"
        "  -Da=1 -Db=1\n"
        "Speed-up over the default: 1.198 [1.188 .. 1.208]\n"
        "Tied with 1 other of 2 finalists (95 % family-wise); taken for the fewest registers\n"
        "2 correct configurations (verified against gemm)\n"
        "Failed: 3 compile, 2 of them like a=2, b=2: error: no\n"
        "Failed: 1 timeout, a=4, b=2: it took longer than is good for the screen\n"
        "6 of 12 configurations in 3 s, kept in /store; more: --details\n");
    // What others wrote is cut to the screen; what one copies is not.
    v.screen = (struct screen){.width = 50};
    says(&v, "Best: a=1, b=1\n  1.000 ms [0.900 .. 1.100], 4.000 GFLOP/s; 64 x 32 work-items in");
    says(&v, "\nFailed: 1 timeout, a=4, b=2: it took longer tha...\n");
    v.speedup.significant = false;
    says(&v, "Speed-up over the default: 1.198 [1.188 .. 1.208], not significant\n");
    p->default_record = NULL;
    p->has_default = true;
    v.speedup.known = false;
    says(&v, "Speed-up over the default: not known (it was not run)\n");
    ck_assert_ptr_null(strstr(text_cstr(&out), "Warning"));
    p->ranked.status =
        (struct final_ranking_status){.rounds = 24, .repeated = 5, .marked = 2, .by_load = 7};
    says(&v,
         "\nWarning: the machine was busy: 7 of 29 rounds were disturbed by other processes and 2 "
         "of them count; tune again when it is idle\n");
}
END_TEST

// The ratio is not that of the times that are shown: the best's is of the rounds of a ranking, the other's may be of
// screening on a machine that has become slower since.
START_TEST(what_it_began_with)
{
    struct tune_record records[] = {timed("a=1, b=1", 11520, 11500, 11600),
                                    timed("a=2, b=1", 12000, 11900, 12100),
                                    timed("a=1, b=2", 7787, 7700, 7800)};
    const struct tune_speedup ranked = {.known = true, .ranked = true, .ratio = {.ratio = 1.042}},
                              screened = {.known = true, .ratio = {.ratio = 1.5}};
    const struct tune_start starts[] = {
        {"a=1, b=1", "{}", &records[0], {.known = true, .same = true, .ratio = {.ratio = 1}}},
        {"a=2, b=1", "{}", &records[1], ranked},
        {"a=1, b=2", "{}", &records[2], screened},
        {"a=2, b=2", "{}", NULL, {.known = false}}};
    const struct strategy_heard heard = {.outcome = HEARD_TRUSTED, .agrees = 0.9};
    const struct tune_source sources[] = {{"W", 30, &records[0], heard, ranked, 2, false},
                                          {"X", 30, &records[1], heard, ranked, 2, false},
                                          {"Y", 30, &records[2], heard, screened, 2, false},
                                          {"Z", 30, NULL, heard, {.known = false}, 2, false},
                                          {.name = "V", .results = 7, .is_failed = true}};
    struct tune_report v = report_of(records, 3);
    v.frame.chosen = &records[0];
    v.progress.ranked =
        (struct tune_ranked){.decided = true, .finalists = 2, .chosen = &records[0]};
    records[0].ranked = records[1].ranked = true;
    v.progress.starts = starts;
    v.progress.start_count = 4;
    v.progress.sources = sources;
    v.progress.source_count = 5;
    for (int in_short = 0; in_short < 2; in_short++) {
        v.in_short = in_short;
        says(
            &v,
            "\nStarted with a=1, b=1: 11.52 us, the best here\n"
            "Started with a=2, b=1: 12.00 us, 1.042 times the best's time\n"
            "Started with a=1, b=2: 7.787 us, 1.500 times the best's time (screened)\n"
            "Started with a=2, b=2: not asked for\n"
            "From W: 30 results, used (orders 90 % of pairs as they are ordered here); its best is "
            "the best here\n"
            "From X: 30 results, used (orders 90 % of pairs as they are ordered here); its best "
            "takes "
            "1.042 times the best's time\n"
            "From Y: 30 results, used (orders 90 % of pairs as they are ordered here); its best "
            "takes "
            "1.500 times the best's time (screened)\n"
            "From Z: 30 results, used (orders 90 % of pairs as they are ordered here)\n"
            "From V: 7 results, none correct\n");
    }
    const struct tune_start alone = {
        "", "{}", &records[0], {.known = true, .same = true, .ratio = {.ratio = 1}}};
    v.progress.starts = &alone;
    v.progress.start_count = 1;
    says(&v, "\nStarted with the only one: 11.52 us, the best here\n");
    v.progress.starts = starts;
    v.progress.start_count = 4;
    struct emit j;
    text_clear(&out);
    emit_start(&j, &out);
    emit_record(&j, &report_summary_fields, &v, NULL);
    static const char *const json[] = {
        "\"median_ns\":12000.0,\"best_ratio\":1.042,\"best_ratio_basis\":\"ranked\"},",
        "\"median_ns\":7787.0,\"best_ratio\":1.5,\"best_ratio_basis\":\"screened\"},",
        "\"status\":null,\"median_ns\":null,\"best_ratio\":null,\"best_ratio_basis\":null}]",
        "{\"name\":\"Y\",\"results\":30,\"parameters\":2,\"outcome\":\"used\",\"agrees\":0.9,"
        "\"best_ratio\":1.5,\"best_ratio_basis\":\"screened\"}"};
    for (size_t i = 0; i < sizeof json / sizeof *json; i++)
        ck_assert_msg(strstr(text_cstr(&out), json[i]) != NULL, "%s", text_cstr(&out));
}
END_TEST

START_TEST(short_end_of_nothing)
{
    struct result r;
    const struct tune_record record = failed("", &r, STATUS_COMPILE, "error: no");
    struct tune_report v = report_of(&record, 1);
    v.in_short = true;
    v.ranking_count = 0;
    v.progress.by_status[STATUS_CORRECT] = 0;
    v.progress.valid = v.progress.common.done = 1;
    ck_assert_str_eq(summary_of(&v), "No configuration has a correct, measured result.\n"
                                     "Failed: 1 compile: error: no\n"
                                     "1 of 1 configuration in 0 s\n");
}
END_TEST

// The ranking above, what was screened only below it, never mixed; ties share a place.
static void ranked(struct tune_record *v, size_t place, bool tied, double ratio)
{
    v->ranked = true;
    v->rank = (struct ranking_entry){.place = place,
                                     .tied = tied,
                                     .ratio = ratio,
                                     .ratio_low = ratio - 0.01,
                                     .ratio_high = ratio + 0.01,
                                     .ratio_interval = true};
}

START_TEST(summary_of_a_ranking)
{
    struct tune_record records[] = {
        timed("a=1", 1e6, 0.9e6, 1.1e6), timed("a=2", 1e6, 0.9e6, 1.1e6),
        timed("a=3", 1.2e6, 1.1e6, 1.3e6), timed("a=4", 0.9e6, 0.9e6, 1e6)};
    ranked(&records[0], 0, true, 1);
    ranked(&records[1], 1, true, 1.002);
    ranked(&records[2], 2, false, 1.2);
    records[3].stats.interval = false;
    struct tune_report v = report_of(records, 4);
    struct tune_progress *p = &v.progress;
    v.frame.chosen = &records[1];
    v.speedup = (struct tune_speedup){
        .known = true, .ranked = true, .ratio = {1.1976, 1.188, 1.208, true}, .significant = true};
    p->default_record = &records[2];
    p->valid = p->common.done = 4;
    p->launches = 123;
    p->rank_ns = 2000000000;
    p->common.elapsed_ns = 3000000000;
    p->ranked = (struct tune_ranked){.decided = true,
                                     .finalists = 3,
                                     .tied = 2,
                                     .chosen = &records[1],
                                     .why = "the fewest registers",
                                     .status = {.rounds = 24,
                                                .repeated = 3,
                                                .marked = 1,
                                                .by_load = 1,
                                                .by_clock = 3,
                                                .mhz_least = 2100,
                                                .mhz_most = 3000,
                                                .batch = 8,
                                                .warmups = 1}};
    ck_assert_str_eq(
        summary_of(&v),
        "Best of 4 correct configurations (verified against gemm): 3 finalists in interleaved "
        "rounds\n"
        "place    median  95 % interval     times the winner        GFLOP/s  speed-up  "
        "configuration\n"
        "   =1  1.000 ms  [0.900 .. 1.100]  1                         4.000     1.200  a=1\n"
        " * =1  1.000 ms  [0.900 .. 1.100]  1.002 [0.992 .. 1.012]    4.000     1.198  a=2\n"
        "    3  1.200 ms  [1.100 .. 1.300]  1.200 [1.190 .. 1.210]    4.000     1.000  a=3\n"
        "=1: 2 configurations are tied (95 % family-wise)\n"
        "*   hone best takes this one of them: the fewest registers\n"
        "24 rounds; disturbed rounds: 3 run again, 1 counted all the same (other load: 1, slow "
        "reference launch: 3); batches of 8 launches; clock 2100 .. 3000 MHz; inputs warm\n"
        "Only screened, not ranked; these times are not comparable with those above:\n"
        "    median  range              GFLOP/s  configuration\n"
        "  900.0 us  (900.0 .. 1000.0)    4.000  a=4\n"
        "speed-up over the default, a=3: 1.198 [1.188 .. 1.208]\n"
        "4 of 4 configurations in 3 s: ranking 2.000 s, 123 launches\n");
    v.speedup.ratio.low = 0.99;
    v.speedup.significant = false;
    says(&v, "speed-up over the default, a=3: 1.198 [0.990 .. 1.208], not significant\n");
    p->default_record = NULL;
    p->has_default = true;
    v.speedup = (struct tune_speedup){.known = false};
    says(&v, "speed-up over the default: - (it was not run)\n");
    // The chosen one is shown whatever is cut off, and so is how much that is.
    v.rows = 1;
    says(&v, " * =1  ");
    says(&v, "... and 1 more\n");
    // Where a row is wider than the terminal, configurations stand below their times.
    v.rows = 10;
    v.screen.width = 60;
    says(&v, "4.000\n       a=1\n");
}
END_TEST

START_TEST(summary_of_a_fixed_count)
{
    const struct tune_record record = timed("a=1", 1e6, 0.9e6, 1.1e6);
    struct tune_report v = report_of(&record, 1);
    v.progress.fixed = 7;
    says(&v, "not ranked: 7 launches of each");
}
END_TEST

static const struct objectives time_and_rate = {
    {{.name = "time", .metric = OBJECTIVE_TIME}, {.name = "GFLOP/s", .maximise = true}}, 2};
static const struct objectives rate = {{{.name = "GFLOP/s", .maximise = true}}, 1};

// All of the set and nobody else, whatever the number of rows is.
START_TEST(summary_of_several_objectives)
{
    struct tune_record records[] = {timed("a=1", 1e6, 0.9e6, 1.1e6),
                                    timed("a=2", 1.1e6, 1e6, 1.2e6),
                                    timed("a=3", 2e6, 1.9e6, 2.1e6)};
    records[0].pareto = records[2].pareto = true;
    struct tune_report v = report_of(records, 3);
    v.head.objectives = &time_and_rate;
    v.progress.default_record = &records[2];
    v.progress.fixed = 7;
    v.rows = 1;
    ck_assert_str_eq(
        summary_of(&v),
        "2 configurations in the Pareto set of the shortest time and the greatest GFLOP/s, of 3 "
        "correct ones (verified against gemm): 7 launches of each, one configuration after the "
        "other\n"
        "  median  95 % interval     GFLOP/s  configuration\n"
        "1.000 ms  [0.900 .. 1.100]    4.000  a=1\n"
        "2.000 ms  [1.900 .. 2.100]    4.000  a=3\n"
        "No other one is at least as good in all of these and better in one.\n"
        "0 of 0 configurations in 0 s\n");
    ck_assert_ptr_null(report_best(&v));
}
END_TEST

START_TEST(summary_of_another_objective)
{
    struct tune_record record = timed("a=1", 1e6, 0.9e6, 1.1e6);
    struct tune_report v = report_of(&record, 1);
    v.head.objectives = &rate;
    v.progress.fixed = 7;
    says(&v, "by the greatest GFLOP/s, not ranked: 7 launches");
    says(&v, "which of several close ones is the best");
    ck_assert_ptr_null(report_best(&v)); // it has no value
    record.values = &four;
    ck_assert_ptr_eq(report_best(&v), &record);
}
END_TEST

// The fastest ones may have no value of an objective: they are in no set, and counted.
START_TEST(summary_without_a_value)
{
    const double none = NAN, infinite = INFINITY;
    struct tune_record records[] = {timed("a=1", 1e6, 0.9e6, 1.1e6),
                                    timed("a=2", 1.1e6, 1e6, 1.2e6),
                                    timed("a=3", 2e6, 1.9e6, 2.1e6)};
    struct tune_report v = report_of(records, 3);
    records[2].pareto = true;
    records[0].metrics = &none;
    v.head.objectives = &time_and_rate;
    v.progress.fixed = 7;
    says(&v, "1 of 3 correct configurations has no value of GFLOP/s and is not compared\n");
    records[1].metrics = &infinite;
    says(&v, "2 of 3 correct configurations have no value of GFLOP/s and are not compared\n");
    v.in_short = true;
    says(&v, "2 of 3 correct configurations have no value of GFLOP/s and are not compared\n");
    ck_assert_uint_eq(report_without_value(&v, &time_and_rate.terms[1]), 2);
    ck_assert_uint_eq(report_without_value(&v, &time_and_rate.terms[0]), 0);
    v.head.by_time = true; // the time is what is compared
    ck_assert_ptr_null(strstr(summary_of(&v), "no value"));
}
END_TEST

// The strategy with its options, and what it looks for, where that is not what anybody expects.
START_TEST(head_of_a_run)
{
    struct device_info device = {.name = "d", .platform = "p", .driver = "1"};
    struct run_head v = {.about = &about,
                         .spec = &spec,
                         .constants = "",
                         .strategy = "genetic",
                         .strategy_description = "genetic:population=20",
                         .objectives = &time_and_rate,
                         .device = &device,
                         .cartesian = "9",
                         .valid = 8,
                         .planned = 4,
                         .check = {VERIFICATION_REFERENCE, "gemm"}};
    const struct objectives time = {{time_and_rate.terms[0]}, 1};
    const char *first = "Device: d (OpenCL, p, driver 1)\n"
                        "Spec: s: 8 of 9 configurations are valid, 4 are tried; verified against "
                        "gemm\n";
    text_clear(&out);
    report_run(&v, &out);
    ck_assert(str_starts(text_cstr(&out), first));
    ck_assert_str_eq(
        text_cstr(&out) + strlen(first),
        "Search: genetic:population=20, seed 3, for the Pareto set of the shortest time "
        "and the greatest GFLOP/s\n");
    v.objectives = &time;
    text_clear(&out);
    report_run(&v, &out);
    ck_assert_str_eq(text_cstr(&out) + strlen(first), "Search: genetic:population=20, seed 3\n");
    v.strategy = v.strategy_description = "exhaustive";
    text_clear(&out);
    report_run(&v, &out);
    ck_assert_str_eq(text_cstr(&out), first);
}
END_TEST

START_TEST(nothing_correct)
{
    const struct report_about broken = {.broken = "the device is gone"};
    struct tune_report v = report_of(NULL, 0);
    v.head.about = &broken;
    v.progress.valid = 2;
    v.progress.common.done = 1;
    ck_assert_str_eq(summary_of(&v), "No configuration has a correct, measured result.\n"
                                     "1 of 2 configurations in 0 s\n"
                                     "The tune broke off: these are the results up to then.\n");
}
END_TEST

START_TEST(verification_is_said)
{
    text_clear(&out);
    report_check(&(struct verified_by){VERIFICATION_NONE, "", NULL, false}, &out);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "NOT VERIFIED"));
    text_clear(&out);
    report_check(&(struct verified_by){VERIFICATION_AGREES, "default configuration", NULL, false},
                 &out);
    ck_assert_str_eq(text_cstr(&out), "not verified: compared only with the default configuration");
}
END_TEST

// One that failed was held against the reference too; each resource line names its launch; a
// metric's name is its unit.
START_TEST(one_result)
{
    struct job_launch launches[] = {{.kernel = "partial", .dimensions = 1, .global = {64}},
                                    {.kernel = "finish", .dimensions = 1, .global = {1}}};
    struct job job = {.launches = launches, .launch_count = 2, .reference.name = "plain"};
    struct result *r = result_new();
    struct resources resources[2] = {{.local_bytes = 256}, {.local_bytes = 0}};
    r->status = STATUS_CORRECTNESS;
    r->resources = resources;
    r->resource_count = 2;
    const struct formula names[] = {{.name = "GFLOP/s"}, {.name = "rate"}};
    const struct spec two = {.metrics = names, .metric_count = 2};
    const double values[] = {2.421, 1.625};
    const struct record_frame f = {.spec = &two};
    struct tune_record v = {
        .configuration = "a=1", .result = r, .job = &job, .timed = true, .metrics = values};
    text_clear(&out);
    report_result(&f, &v, &out);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "\nVerification: FAILED against plain\n"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "\nResources of partial: "));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "\nResources of finish: "));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "\nGFLOP/s: 2.421\nrate: 1.625\n"));
    r->resources = NULL;
    r->resource_count = 0;
    result_free(r);
}
END_TEST

// What agrees with the default is not called correct, and what the kernel left has no value.
START_TEST(one_result_that_agrees)
{
    struct deviation d = {
        .name = "C", .ok = true, .compared = true, .components = 10, .written = 5, .left = 5};
    struct result *r = result_new();
    const struct tune_record v = {.configuration = "a=1", .result = r};
    const struct record_frame f = {.spec = &spec};
    r->verification = VERIFICATION_AGREES;
    r->deviations = &d;
    r->deviation_count = 1;
    text_clear(&out);
    report_result(&f, &v, &out);
    ck_assert_ptr_null(strstr(text_cstr(&out), "correct"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "Status: ran; not verified\n"));
    ck_assert_ptr_nonnull(strstr(
        text_cstr(&out), "Verification: not verified: agrees with the default configuration\n"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), ", 5 of 10 written, 5 not compared: "));
    r->status = STATUS_CORRECTNESS;
    d.ok = false;
    d.unwritten = 5;
    d.got = 1.30577e+36; // the poison
    text_clear(&out);
    report_result(&f, &v, &out);
    ck_assert_ptr_null(strstr(text_cstr(&out), "e+36"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), ", 5 not written"));
    r->deviation_count = 0;
    result_free(r);
}
END_TEST

static struct spec *metric_of_energy(void)
{
    static const char text[] =
        "{\"General\": {\"FormatVersion\": 1}, \"ConfigurationSpace\": {\"TuningParameters\": "
        "[{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1]\"}]}, \"KernelSpecification\": "
        "{\"Language\": \"OpenCL\", \"KernelName\": \"k\", \"KernelFile\": \"k.cl\", "
        "\"GlobalSize\": "
        "{\"X\": \"1\"}}, \"Metrics\": [{\"Name\": \"GFLOP/J\", \"Expression\": \"1 / joule\"}]}";
    struct error e = ERROR_INIT;
    struct spec *s = spec_parse(text, strlen(text), ".", "energy", &(struct spec_options){0}, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    return s;
}

// What the card did meanwhile, and why a metric has no value.
START_TEST(one_result_on_a_card)
{
    struct result *r = result_new();
    struct spec *joules = metric_of_energy();
    const double none = NAN;
    const struct tune_record v = {
        .configuration = "a=1", .result = r, .timed = true, .metrics = &none, .metric_count = 1};
    const struct record_frame f = {.spec = joules};
    r->gpu = (struct gpu_snapshot){.known = true,
                                   .mhz_before = 1410,
                                   .mhz_after = 1980,
                                   .memory_mhz = 3201,
                                   .milliwatts = 398000,
                                   .celsius = 61,
                                   .slowed = 1u << SLOWDOWN_SETTING};
    r->energy = (struct energy){.refused = "the card is divided"};
    text_clear(&out);
    report_result(&f, &v, &out);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "\nGFLOP/J: not known: the card is divided\n"));
    text_clear(&out);
    report_line(&f, &v, &out);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), ", GFLOP/J - (the card is divided)"));
    r->energy = (struct energy){
        .microjoules = 2000000, .span_ns = 500000000, .launches = 100, .refused = ""};
    text_clear(&out);
    report_result(&f, &v, &out);
    ck_assert_ptr_nonnull(strstr(
        text_cstr(&out), "\nEnergy: 2.000 J a launch, 400.0 W over 100 launches in 500.0 ms\n"
                         "GPU: 1980 MHz (1410 MHz before), memory 3201 MHz, 398.0 W, 61 "
                         "degrees Celsius\n"
                         "Slowed: measured at 1410 MHz: clocks held down\n"));
    text_clear(&out);
    report_line(&f, &v, &out);
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), ", measured at 1410 MHz: clocks held down"));
    result_free(r);
    spec_free(joules);
}
END_TEST

// The table, and a warning where the best one was slowed.
START_TEST(summary_of_a_slow_card)
{
    struct result *r = result_new();
    struct tune_record record = timed("a=1", 1e6, 0.9e6, 1.1e6);
    struct tune_report v = report_of(&record, 1);
    r->gpu = (struct gpu_snapshot){
        .known = true, .mhz_before = 1980, .mhz_after = 1410, .slowed = 1u << SLOWDOWN_POWER};
    record.result = r;
    says(&v, "  a=1\n");
    says(&v, "  measured at 1410 MHz: power limit\n");
    says(&v, "\nWarning: the best was measured at 1410 MHz: power limit\n");
    r->gpu.slowed = 0;
    ck_assert_ptr_null(strstr(summary_of(&v), "measured at"));
    result_free(r);
}
END_TEST

START_TEST(parts_of_launches)
{
    uint64_t parts[] = {1, 10, 3, 30, 2, 20};
    struct result r = {.parts_ns = parts, .part_count = 6, .part_columns = 2};
    ck_assert_double_eq(report_part_median(&r, 0), 2);
    ck_assert_double_eq(report_part_median(&r, 1), 20);
    ck_assert(isnan(report_part_median(&r, 2)));
    r.part_columns = 0;
    ck_assert(isnan(report_part_median(&r, 0)));
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, units);
    tcase_add_test(tests, table);
    tcase_add_test(tests, times);
    tcase_add_test(tests, progress_lines);
    tcase_add_test(tests, progress_of_a_ranking);
    tcase_add_test(tests, bars);
    tcase_add_test(tests, cut_with_an_ellipsis);
    tcase_add_test(tests, screens_of_80_and_160);
    tcase_add_test(tests, short_end);
    tcase_add_test(tests, what_it_began_with);
    tcase_add_test(tests, short_end_of_nothing);
    tcase_add_test(tests, summary);
    tcase_add_test(tests, summary_of_a_ranking);
    tcase_add_test(tests, summary_of_a_fixed_count);
    tcase_add_test(tests, summary_of_several_objectives);
    tcase_add_test(tests, summary_without_a_value);
    tcase_add_test(tests, summary_of_another_objective);
    tcase_add_test(tests, head_of_a_run);
    tcase_add_test(tests, nothing_correct);
    tcase_add_test(tests, verification_is_said);
    tcase_add_test(tests, one_result);
    tcase_add_test(tests, one_result_that_agrees);
    tcase_add_test(tests, one_result_on_a_card);
    tcase_add_test(tests, summary_of_a_slow_card);
    tcase_add_test(tests, parts_of_launches);
}

int main(void)
{
    return suite_run("report/text", add);
}
