// Units against limits, and what is said of a share.
#include "report/peak_report.h"

#include "../base/suite.h"

#include <string.h>

static const struct peak known = {.rates = {[PEAK_FP32] = {.known = true,
                                                           .median = 1487e9,
                                                           .low = 1480e9,
                                                           .high = 1490e9,
                                                           .interval = true,
                                                           .rounds = 16,
                                                           .configuration = "width=16, chains=12",
                                                           .date = "2024-05-06T07:08:09.123Z"},
                                            [PEAK_READ] = {.known = true,
                                                           .median = 20.5e9,
                                                           .low = 20e9,
                                                           .high = 21e9,
                                                           .interval = true,
                                                           .rounds = 16,
                                                           .configuration = "width=8"},
                                            [PEAK_COPY] = {.known = true,
                                                           .median = 19.5e9,
                                                           .low = 19e9,
                                                           .high = 20e9,
                                                           .interval = true,
                                                           .rounds = 16,
                                                           .configuration = "width=4"},
                                            [PEAK_LOCAL] = {.why = "compile: no"}}};

START_TEST(units_of_metrics)
{
    static const struct {
        const char *unit;
        double scale; // 0: none
        enum peak_limit limit;
    } units[] = {
        {"FLOP/s", 1, PEAK_FP32},   {"GFLOP/s", 1e9, PEAK_FP32},  {"TFLOP/s", 1e12, PEAK_FP32},
        {"GFLOPS", 1e9, PEAK_FP32}, {"GFlops/s", 1e9, PEAK_FP32}, {"MFLOP/s", 1e6, PEAK_FP32},
        {"B/s", 1, PEAK_READ},      {"GB/s", 1e9, PEAK_READ},     {"TB/s", 1e12, PEAK_READ},
        {"kB/s", 1e3, PEAK_READ},   {"GiB/s", 0x1p30, PEAK_READ}, {"MiB/s", 0x1p20, PEAK_READ},
        {"byte/s", 1, PEAK_READ},   {"GOP/s", 0, PEAK_FP32},      {"FLOP", 0, PEAK_FP32},
        {"joule", 0, PEAK_FP32},    {"", 0, PEAK_FP32},           {"G", 0, PEAK_FP32},
        {"i/s", 0, PEAK_FP32},      {NULL, 0, PEAK_FP32},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct peak_share share;
        bool has_one = units[i].scale > 0;
        ck_assert_msg(peak_has_unit(units[i].unit) == has_one, "%s", units[i].unit);
        ck_assert_msg(peak_share(&known, units[i].unit, 1, &share) == has_one, "%s", units[i].unit);
        if (!has_one)
            continue;
        ck_assert_msg(share.scale == units[i].scale, "%s", units[i].unit);
        ck_assert_msg(share.limit == units[i].limit, "%s", units[i].unit);
    }
}
END_TEST

// Bytes are held against the faster of the two; of what is not known nothing is said.
START_TEST(limit_of_bytes)
{
    struct peak p = known;
    struct peak_share share;
    p.rates[PEAK_COPY].median = 30e9;
    ck_assert(peak_share(&p, "GB/s", 15, &share));
    ck_assert_int_eq(share.limit, PEAK_COPY);
    ck_assert_double_eq(share.share, 0.5);
    p.rates[PEAK_READ].known = p.rates[PEAK_COPY].known = false;
    ck_assert(!peak_share(&p, "GB/s", 15, &share));
    ck_assert(!peak_share(NULL, "GB/s", 15, &share));
}
END_TEST

START_TEST(shares)
{
    static const struct {
        const char *unit;
        bool known;
        double value;
        const char *text;
    } lines[] = {
        {"GFLOP/s", true, 1234,
         "1234 GFLOP/s is 83 % of the device's measured fp32 peak (1487 [1480 .. 1490]; hone "
         "peak)\n"},
        {"TFLOP/s", true, 1.234,
         "1.234 TFLOP/s is 83 % of the device's measured fp32 peak (1.487 [1.480 .. 1.490]; hone "
         "peak)\n"},
        {"GFLOP/s", true, 50,
         "50.00 GFLOP/s is 3.4 % of the device's measured fp32 peak (1487 [1480 .. 1490]; hone "
         "peak)\n"},
        {"GFLOP/s", true, 1489, // within the interval
         "1489 GFLOP/s is 100 % of the device's measured fp32 peak (1487 [1480 .. 1490]; hone "
         "peak)\n"},
        {"GFLOP/s", true, 3000,
         "3000 GFLOP/s is 202 % of the device's measured fp32 peak (1487 [1480 .. 1490]; hone "
         "peak): above it, so other units contributed (tensor cores, half precision), or the "
         "device was shared while it was measured\n"},
        {"GB/s", true, 10.25,
         "10.25 GB/s is 50 % of the device's measured memory bandwidth (20.50 [20.00 .. 21.00]; "
         "hone peak)\n"},
        {"GB/s", true, 41,
         "41.00 GB/s is 200 % of the device's measured memory bandwidth (20.50 [20.00 .. 21.00]; "
         "hone peak): above it, so caches contributed, or the device was shared while it was "
         "measured\n"},
        {"B/s", true, 10.25e9,
         "1.025e+10 B/s is 50 % of the device's measured memory bandwidth (2.05e+10; hone "
         "peak)\n"},
        {"GFLOP/s", false, 0, ""},
        {"joule", true, 1, ""},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct formula name = {.name = lines[i].unit};
        const struct spec spec = {.metrics = &name, .metric_count = 1};
        const double value = lines[i].known ? lines[i].value : NAN;
        const struct tune_record result = {.metrics = &value};
        struct record_frame frame = {.spec = &spec, .peak = &known};
        struct text out = TEXT_INIT;
        report_peak_shares(&frame, &result, &out);
        ck_assert_str_eq(text_cstr(&out), lines[i].text);
        text_clear(&out);
        frame.peak = NULL;
        report_peak_shares(&frame, &result, &out);
        ck_assert_str_eq(text_cstr(&out), "");
        text_release(&out);
    }
}
END_TEST

START_TEST(table)
{
    const struct device_info card = {
        .compute_units = 132, .capability = 90, .clock_mhz = 1980, .type = DEVICE_GPU};
    struct peak p = known;
    struct text out = TEXT_INIT;
    p.rates[PEAK_FP32].median = 60e12;
    p.rates[PEAK_FP32].low = 59.9e12;
    p.rates[PEAK_FP32].high = 60.1e12;
    report_peak(&card, &p, REPORT_TEXT, &out);
    ck_assert_str_eq(
        text_cstr(&out),
        "limit                      median  95 % interval     launches  reached by\n"
        "fp32 arithmetic     60.00 TFLOP/s  [59.90 .. 60.10]        16  width=16, chains=12\n"
        "memory, read           20.50 GB/s  [20.00 .. 21.00]        16  width=8\n"
        "memory, copied         19.50 GB/s  [19.00 .. 20.00]        16  width=4\n"
        "local memory, read      not known\n"
        "                    compile: no\n"
        "fp32: 89.7 % of 66.91 TFLOP/s = 132 compute units x 128 lanes x 2 x 1980 MHz\n");
    text_release(&out);
}
END_TEST

// Only what was measured now, and was more before.
START_TEST(earlier)
{
    struct peak now = known, kept = known;
    struct text out = TEXT_INIT;
    report_peak_earlier(&now, &kept, &out);
    ck_assert_str_eq(text_cstr(&out), "");
    now.rates[PEAK_FP32].median = 1100e9;
    now.rates[PEAK_READ].known = false;
    kept.rates[PEAK_COPY].median = 18e9;
    report_peak_earlier(&now, &kept, &out);
    ck_assert_str_eq(text_cstr(&out), "fp32 arithmetic: 1487 GFLOP/s, measured 2024-05-06, is "
                                      "higher and counts\n");
    text_release(&out);
}
END_TEST

START_TEST(lanes)
{
    static const struct {
        uint32_t capability, lanes;
    } cards[] = {{0, 0},   {35, 0},  {52, 128}, {60, 64},  {61, 128}, {70, 64},
                 {75, 64}, {80, 64}, {86, 128}, {89, 128}, {90, 128}, {120, 128}};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        const struct device_info card = {
            .compute_units = 1, .clock_mhz = 1, .capability = cards[i].capability};
        ck_assert_double_eq(peak_arithmetic(&card), cards[i].lanes * 2e6);
    }
}
END_TEST

START_TEST(json)
{
    const struct formula names[] = {{.name = "GFLOP/s"}, {.name = "GB/s"}, {.name = "joule"}};
    const struct spec spec = {.metrics = names, .metric_count = 3};
    const double values[] = {743.5, NAN, 1};
    const struct tune_record result = {.metrics = values};
    struct record_frame frame = {.spec = &spec, .peak = &known};
    const struct peak none = {.rates = {[PEAK_FP32] = {.why = "no"}}};
    struct text out = TEXT_INIT;
    struct emit j;
    emit_start(&j, &out);
    report_peak_json(&result, &frame, &j);
    ck_assert_str_eq(
        text_cstr(&out),
        "{\"limits\":{\"fp32\":{\"rate\":1487000000000.0,"
        "\"interval\":[1480000000000.0,1490000000000.0],\"rounds\":16,"
        "\"configuration\":\"width=16, chains=12\",\"date\":\"2024-05-06T07:08:09.123Z\","
        "\"why\":null},"
        "\"memory_read\":{\"rate\":20500000000.0,"
        "\"interval\":[20000000000.0,21000000000.0],\"rounds\":16,"
        "\"configuration\":\"width=8\",\"date\":null,\"why\":null},"
        "\"memory_copy\":{\"rate\":19500000000.0,"
        "\"interval\":[19000000000.0,20000000000.0],\"rounds\":16,"
        "\"configuration\":\"width=4\",\"date\":null,\"why\":null},"
        "\"local\":{\"rate\":null,\"interval\":null,\"rounds\":0,"
        "\"configuration\":null,\"date\":null,\"why\":\"compile: no\"}},"
        "\"shares\":{\"GFLOP/s\":{\"limit\":\"fp32\",\"share\":0.5}}}");
    text_clear(&out);
    emit_start(&j, &out);
    frame.peak = &none;
    report_peak_json(&result, &frame, &j);
    ck_assert_str_eq(text_cstr(&out), "null");
    text_clear(&out);
    emit_start(&j, &out);
    frame.peak = NULL;
    report_peak_json(NULL, &frame, &j);
    ck_assert_str_eq(text_cstr(&out), "null");
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, units_of_metrics);
    tcase_add_test(tests, limit_of_bytes);
    tcase_add_test(tests, shares);
    tcase_add_test(tests, table);
    tcase_add_test(tests, earlier);
    tcase_add_test(tests, lanes);
    tcase_add_test(tests, json);
}

int main(void)
{
    return suite_run("report/peak", add);
}
