// Views of sets that are made by hand: where a device is needed to have what they show.
#include "extras/page/page.h"
#include "extras/page/view.h"
#include "runner/farm.h"

#include "../base/suite.h"

#include <stdlib.h>
#include <string.h>

// Two configurations, 4 FLOP for each byte, on a device of 1 TFLOP/s and 100 GB/s.
static void with_roofline(struct page_set *s)
{
    static const char *const names[] = {"GFLOP/s", "GB/s"};
    static const double metrics[2][2] = {{360, 90}, {200, 50}};
    static const uint32_t choices[] = {0, 1};
    static const struct value values[] = {{.kind = VALUE_INT, .i = 16},
                                          {.kind = VALUE_INT, .i = 32}};
    static struct parameter parameter = {.name = "tile", .count = 2};
    static struct page_row rows[2];
    static size_t fastest[] = {0, 1};
    parameter.values = values;
    for (size_t i = 0; i < 2; i++)
        rows[i] = (struct page_row){.choice = &choices[i],
                                    .timed = true,
                                    .median = 1000.0 * (double)(i + 1),
                                    .screened = NAN,
                                    .metrics = metrics[i]};
    *s = (struct page_set){.origin = "store",
                           .spec = "spec",
                           .constants = "",
                           .device = "device",
                           .driver = "",
                           .language = "c",
                           .inputs = "",
                           .text = "",
                           .run = "",
                           .metrics = names,
                           .metric_count = 2,
                           .parameters = &parameter,
                           .parameter_count = 1,
                           .rows = rows,
                           .count = 2,
                           .timed = 2,
                           .fastest = fastest,
                           .best = 0,
                           .usual = SIZE_MAX};
    s->peak.rates[PEAK_FP32] = (struct peak_rate){.known = true, .median = 1e12, .high = 1e12};
    s->peak.rates[PEAK_READ] = (struct peak_rate){.known = true, .median = 1e11, .high = 1e11};
}

START_TEST(roofline)
{
    struct page p = {.count = 1};
    struct page_set s;
    struct text csv = TEXT_INIT, svg = TEXT_INIT;
    struct error e = ERROR_INIT;
    with_roofline(&s);
    p.sets = &s;
    s.page = &p;
    ck_assert(page_write_csv(&p, "roofline", &csv, &e));
    ck_assert_str_eq(text_cstr(&csv),
                     "configuration,basis,FLOP for each byte,GFLOP/s,GB/s,share of the roof\n"
                     "tile=16,screened,4,360,90,0.9\n"
                     "tile=32,screened,4,200,50,0.5\n");
    ck_assert(page_write_svg(&p, "roofline", &svg, &e));
    ck_assert_ptr_nonnull(strstr(text_cstr(&svg), "line peak"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&svg), "memory, read"));
    text_release(&csv);
    text_release(&svg);
}
END_TEST

// Without metrics: of what was counted, and only where both were.
START_TEST(counted_roofline)
{
    struct page p = {.count = 1};
    struct page_set s;
    struct text csv = TEXT_INIT, markdown = TEXT_INIT;
    struct error e = ERROR_INIT;
    struct counters counted = {.source = "Oclgrind"}, half = {.source = "Oclgrind"};
    for (int i = 0; i < COUNTER_COUNT; i++)
        counted.values[i] = half.values[i] = NAN;
    half.values[COUNTER_operations] = counted.values[COUNTER_operations] = 36000;
    counted.values[COUNTER_requested_read_bytes] = 60000;
    counted.values[COUNTER_requested_write_bytes] = 12000;
    struct page_detail details[] = {{.row = 1, .counters = &half},
                                    {.row = 0, .counters = &counted}};
    with_roofline(&s);
    p.sets = &s;
    s.page = &p;
    s.metric_count = 0;
    s.details = details;
    s.detail_count = 2;
    ck_assert(page_write_csv(&p, "roofline", &csv, &e));
    ck_assert_str_eq(text_cstr(&csv),
                     "configuration,basis,FLOP for each byte,GFLOP/s,GB/s,share of the roof\n"
                     "tile=16,screened,0.5,36,72,0.72\n");
    page_view_roofline.tell(&s, &markdown);
    ck_assert_ptr_nonnull(strstr(text_cstr(&markdown), "72 % of its roof, which is memory"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&markdown), "the kernel requests"));
    s.detail_count = 1;
    ck_assert(!page_write_csv(&p, "roofline", &csv, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "counted neither"));
    error_clear(&e);
    text_release(&csv);
    text_release(&markdown);
}
END_TEST

START_TEST(no_roofline)
{
    struct page p = {.count = 1};
    struct page_set s;
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    with_roofline(&s);
    p.sets = &s;
    s.page = &p;
    s.metric_count = 1;
    ck_assert(!page_write_csv(&p, "roofline", &out, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "metric in FLOP/s and one in B/s"));
    error_clear(&e);
    s.peak.rates[PEAK_FP32].known = false;
    ck_assert(!page_write_csv(&p, "roofline", &out, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "hone peak"));
    text_release(&out);
}
END_TEST

static struct page_set size_of(const struct page *p, const char *origin, const char *constants,
                               double median)
{
    struct page_set s;
    with_roofline(&s);
    struct page_row *rows = calloc(2, sizeof *rows);
    rows[0] = s.rows[0];
    rows[0].median = median;
    s.rows = rows;
    s.count = s.timed = 1;
    s.page = p;
    s.origin = origin;
    s.constants = constants;
    s.driver = "driver";
    return s;
}

// Two stores that have the same sizes of the same device have a line each.
START_TEST(sizes_of_two_stores)
{
    struct page_set sets[4];
    struct page p = {.sets = sets, .count = 4};
    struct text csv = TEXT_INIT;
    struct error e = ERROR_INIT;
    static const struct {
        const char *first, *second, *first_line, *second_line;
    } cases[] = {{"old/a.sqlite", "b.sqlite", ",a.sqlite,", ",b.sqlite,"},
                 {"old/a.sqlite", "new/a.sqlite", ",old/a.sqlite,", ",new/a.sqlite,"}};
    for (size_t i = 0; i < 2; i++) {
        sets[0] = size_of(&p, cases[i].first, "N=1", 1000);
        sets[1] = size_of(&p, cases[i].first, "N=2", 2000);
        sets[2] = size_of(&p, cases[i].second, "N=1", 1100);
        sets[3] = size_of(&p, cases[i].second, "N=2", 2200);
        text_clear(&csv);
        ck_assert(page_write_csv(&p, "sizes", &csv, &e));
        ck_assert_ptr_nonnull(strstr(text_cstr(&csv), cases[i].first_line));
        ck_assert_ptr_nonnull(strstr(text_cstr(&csv), cases[i].second_line));
        for (size_t k = 0; k < 4; k++)
            free(sets[k].rows);
    }
    // No size is in both: the stores make up one line.
    sets[0] = size_of(&p, "a.sqlite", "N=1", 1000);
    sets[1] = size_of(&p, "b.sqlite", "N=2", 2000);
    p.count = 2;
    text_clear(&csv);
    ck_assert(page_write_csv(&p, "sizes", &csv, &e));
    ck_assert_ptr_null(strstr(text_cstr(&csv), "sqlite"));
    free(sets[0].rows);
    free(sets[1].rows);
    text_release(&csv);
}
END_TEST

// What hone score found is of a spec's name, and not of its results.
START_TEST(found_is_kin_of_nobody)
{
    struct page_set sets[3];
    struct page p = {.sets = sets, .count = 3};
    for (size_t i = 0; i < 3; i++) {
        with_roofline(&sets[i]);
        sets[i].page = &p;
    }
    sets[0].score_count = 1;
    ck_assert(page_is_kin(&sets[0], &sets[0]));
    ck_assert(!page_is_kin(&sets[0], &sets[1]));
    ck_assert(!page_is_kin(&sets[1], &sets[0]));
    ck_assert(page_is_kin(&sets[1], &sets[2]));
    ck_assert(page_is_first(&sets[1]));
    ck_assert(!page_is_first(&sets[2]));
}
END_TEST

START_TEST(messages_are_shared)
{
    struct page p = {.count = 0};
    struct page_set s = {.page = &p};
    struct page_messages m = {0};
    char message[40];
    uint32_t index;
    bool is_new;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 20000; i++) {
            str_format(message, sizeof message, "%u differ", i);
            ck_assert(page_note_message(&p, &s, &m, message, &index, &is_new));
            ck_assert_uint_eq(index, i);
            ck_assert(is_new == (round == 0));
        }
    }
    ck_assert_uint_eq(s.message_count, 20000);
    ck_assert_str_eq(s.messages[19999], "19999 differ");
    page_index_release(&m.index);
    arena_release(&p.arena);
}
END_TEST

// As a run's surroundings say it, with a name from outside.
START_TEST(devices_of_a_shared_tune)
{
    static const char said[] =
        "governor=performance device_capability=90 devices=[{\"name\": \"a, card 0 (<b>)\", "
        "\"node\": \"a\", "
        "\"state\": \"working\", \"results\": 12, \"rounds\": 5, \"ratio\": 1.041, "
        "\"ratio_interval\": [1.038, 1.044]}, {\"name\": \"b\", \"node\": \"b\", \"state\": "
        "\"lost\", "
        "\"why\": \"silence\", \"results\": 3, \"rounds\": 0, \"ratio\": null}]";
    struct page p = {.count = 1};
    struct page_set s;
    struct text out = TEXT_INIT;
    struct error e = ERROR_INIT;
    with_roofline(&s);
    p.sets = &s;
    s.page = &p;
    ck_assert(!page_write_csv(&p, "devices", &out, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "one device measured everything"));
    error_clear(&e);
    ck_assert(page_read_members(&s, said, &p.arena));
    ck_assert(page_write_csv(&p, "devices", &out, &e));
    ck_assert_str_eq(text_cstr(&out),
                     "device,node,state,results,rounds,ratio to its siblings,low,high,why\n"
                     "\"a, card 0 (<b>)\",a,working,12,5,1.041,1.038,1.044,\n"
                     "b,b,lost,3,0,,,,silence\n");
    text_clear(&out);
    ck_assert(page_write_svg(&p, "devices", &out, &e));
    ck_assert_ptr_nonnull(strstr(text_cstr(&out), "(&lt;b&gt;)"));
    ck_assert_str_eq(page_without_members(said, &p.arena),
                     "governor=performance device_capability=90");
    text_release(&out);
    arena_release(&p.arena);
}
END_TEST

// Nothing of these is a list of devices, and nothing goes wrong.
START_TEST(devices_that_nobody_wrote)
{
    static const char *const said[] = {"",
                                       "devices=",
                                       "devices=[",
                                       "devices=[]",
                                       "devices=[1, null, \"x\"",
                                       "xdevices=[{}]",
                                       "devices={}"};
    struct page p = {.count = 0};
    struct page_set s = {.page = &p};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        ck_assert(page_read_members(&s, said[i], &p.arena));
        ck_assert_msg(s.member_count == 0, "%s", said[i]);
        ck_assert_ptr_nonnull(page_without_members(said[i], &p.arena));
    }
    struct text many = TEXT_INIT;
    text_add(&many, "devices=[0");
    for (unsigned i = 0; i < FARM_MOST; i++)
        text_add(&many, ",[]");
    text_add(&many, "]");
    ck_assert(page_read_members(&s, text_cstr(&many), &p.arena) && s.member_count == 0);
    ck_assert(page_read_members(&s, "devices=[1, {\"name\": 2, \"ratio\": \"x\"}]", &p.arena));
    ck_assert_uint_eq(s.member_count, 2);
    ck_assert_str_eq(s.members[1].name, "");
    ck_assert(isnan(s.members[1].ratio));
    text_release(&many);
    arena_release(&p.arena);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, devices_of_a_shared_tune);
    tcase_add_test(tests, devices_that_nobody_wrote);
    tcase_add_test(tests, roofline);
    tcase_add_test(tests, counted_roofline);
    tcase_add_test(tests, no_roofline);
    tcase_add_test(tests, sizes_of_two_stores);
    tcase_add_test(tests, found_is_kin_of_nobody);
    tcase_add_test(tests, messages_are_shared);
}

int main(void)
{
    return suite_run("page", add);
}
