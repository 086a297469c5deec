// Views of sets that are made by hand: where a device is needed to have what they show.
#include "page/page.h"
#include "page/view.h"

#include "../base/suite.h"

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
                           .language = "c",
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
    ck_assert_ptr_nonnull(strstr(e.text, "FLOP/s and of B/s"));
    error_clear(&e);
    s.peak.rates[PEAK_FP32].known = false;
    ck_assert(!page_write_csv(&p, "roofline", &out, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "hone peak"));
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, roofline);
    tcase_add_test(tests, no_roofline);
}

int main(void)
{
    return suite_run("page", add);
}
