// Counters of a result on their way through its codec, and the bound that they name: each rule at its threshold.
#include "model/result.h"

#include "../base/suite.h"

#include <math.h>
#include <string.h>

static struct arena arena;

// A launch of 100 us on a card that has everything to do and no unit that is busy.
static struct counters *idle_launch(void)
{
    struct counters *c = counters_new(&arena);
    ck_assert_ptr_nonnull(c);
    for (int i = 0; i < COUNTER_COUNT; i++)
        c->values[i] = 0;
    c->source = "CUPTI 130001";
    c->values[COUNTER_counted_ns] = 100000;
    c->values[COUNTER_active_cycles] = 95;
    c->values[COUNTER_elapsed_cycles] = 100;
    c->values[COUNTER_instructions] = 1000;
    c->values[COUNTER_item_instructions] = 32000;
    c->values[COUNTER_l1_sectors] = c->values[COUNTER_l2_sectors] = 1000;
    c->values[COUNTER_shared_wavefronts] = 1000;
    return c;
}

struct change {
    enum counter counter;
    double value;
};

static const struct {
    struct change changes[3];
    enum bound bound;
} cases[] = {
    {{{COUNTER_counted_ns, 3000}}, BOUND_LAUNCH},
    {{{COUNTER_active_cycles, 50}, {COUNTER_fma_busy, 90}}, BOUND_GROUPS},
    {{{COUNTER_dram_busy, 91}, {COUNTER_l2_busy, 80}}, BOUND_MEMORY},
    {{{COUNTER_l2_busy, 80}}, BOUND_L2},
    {{{COUNTER_l2_link_busy, 80}}, BOUND_L2},
    {{{COUNTER_l1_busy, 80}}, BOUND_SHARED},
    {{{COUNTER_l1_busy, 80}, {COUNTER_bank_conflicts, 400}}, BOUND_CONFLICTS},
    {{{COUNTER_l1_busy, 80}, {COUNTER_local_sectors, 900}}, BOUND_SPILLS},
    {{{COUNTER_dram_busy, 80}, {COUNTER_local_sectors, 900}}, BOUND_SPILLS},
    {{{COUNTER_atomic_sectors, 900}}, BOUND_ATOMICS},
    {{{COUNTER_tensor_busy, 80}}, BOUND_TENSOR},
    {{{COUNTER_fma_busy, 80}, {COUNTER_issue_busy, 95}}, BOUND_FLOAT},
    {{{COUNTER_fp64_busy, 80}}, BOUND_DOUBLE},
    {{{COUNTER_alu_busy, 80}}, BOUND_INTEGER},
    {{{COUNTER_xu_busy, 80}}, BOUND_SPECIAL},
    {{{COUNTER_issue_busy, 80}}, BOUND_ISSUE},
    {{{COUNTER_issue_busy, 80}, {COUNTER_item_instructions, 4000}}, BOUND_DIVERGENCE},
    {{{COUNTER_fma_busy, 10}}, BOUND_LATENCY},
    {{{COUNTER_elapsed_cycles, NAN}}, BOUND_UNKNOWN},
};

START_TEST(each_rule_names_its_bound)
{
    struct counters *c = idle_launch();
    for (int i = 0; i < 3; i++) {
        if (cases[_i].changes[i].value != 0)
            c->values[cases[_i].changes[i].counter] = cases[_i].changes[i].value;
    }
    ck_assert_msg(counters_bound(c) == cases[_i].bound, "%s, not %s", bound_text(counters_bound(c)),
                  bound_text(cases[_i].bound));
}
END_TEST

START_TEST(a_result_keeps_its_counters)
{
    struct error e = ERROR_INIT;
    struct text bytes = TEXT_INIT;
    struct wire w;
    struct result *r = result_new(), *without = result_new(), *again;
    ck_assert(r && without);
    r->counters = idle_launch();
    r->counters->passes = 10;
    r->counters->stall = "a \"barrier\"";
    r->counters->values[COUNTER_xu_busy] = NAN;
    ck_assert(result_take_counts(without, r));
    wire_writer(&w, &bytes);
    result_codec(&w, without);
    again = result_decode(bytes.data, bytes.length, &e);
    ck_assert_msg(again != NULL, "%s", e.text);
    ck_assert_ptr_nonnull(again->counters);
    ck_assert_str_eq(again->counters->source, "CUPTI 130001");
    ck_assert_str_eq(again->counters->stall, "a \"barrier\"");
    ck_assert_uint_eq(again->counters->passes, 10);
    ck_assert(again->counters->values[COUNTER_counted_ns] == 100000);
    ck_assert(isnan(again->counters->values[COUNTER_xu_busy]));
    result_free(again);
    // Each shorter one is refused, the one without counters too: nothing is made up.
    for (size_t length = 0; length < bytes.length; length++)
        ck_assert_ptr_null(result_decode(bytes.data, length, NULL));
    // As an earlier hone wrote it, there are none.
    text_clear(&bytes);
    without->counters = NULL;
    wire_writer(&w, &bytes);
    result_codec(&w, without);
    again = result_decode_format(bytes.data, bytes.length - 1, 10, &e);
    ck_assert_msg(again && !again->counters, "%s", e.text);
    result_free(again);
    result_free(without);
    result_free(r);
    text_release(&bytes);
}
END_TEST

START_TEST(a_share_of_nothing_is_not_known)
{
    struct counters *c = counters_new(&arena);
    ck_assert(isnan(counters_share(c, COUNTER_l1_hit_sectors, COUNTER_l1_sectors)));
    c->values[COUNTER_l1_hit_sectors] = c->values[COUNTER_l1_sectors] = 0;
    ck_assert(isnan(counters_share(c, COUNTER_l1_hit_sectors, COUNTER_l1_sectors)));
    c->values[COUNTER_l1_sectors] = 8;
    c->values[COUNTER_l1_hit_sectors] = 2;
    ck_assert(counters_share(c, COUNTER_l1_hit_sectors, COUNTER_l1_sectors) == 25);
}
END_TEST

static void add(TCase *tests)
{
    arena_init(&arena);
    tcase_add_loop_test(tests, each_rule_names_its_bound, 0, sizeof cases / sizeof *cases);
    tcase_add_test(tests, a_result_keeps_its_counters);
    tcase_add_test(tests, a_share_of_nothing_is_not_known);
}

int main(void)
{
    int status = suite_run("model_counters", add);
    arena_release(&arena);
    return status;
}
