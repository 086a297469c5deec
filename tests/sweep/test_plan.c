// What --set of a sweep means: values, ranges, lists, expressions; in step and in all combinations.
#include "problem/sweep_plan.h"

#include "../base/suite.h"

#include <string.h>

#define SPEC HONE_SOURCE_DIR "/tests/sweep/data/sizes.json"

#define SETS_MOST 4

static struct spec *load(void)
{
    struct error e = ERROR_INIT;
    struct spec *spec = spec_load(SPEC, NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    return spec;
}

static uint32_t count_of(const char *const *set)
{
    uint32_t count = 0;
    while (count < SETS_MOST && set[count])
        count++;
    return count;
}

// "N=1 M=2; N=2 M=2"
static void points_text(const struct sweep_plan *p, struct text *out)
{
    for (uint32_t i = 0; i < p->point_count; i++) {
        text_add(out, i ? "; " : "");
        for (uint32_t k = 0; k < p->name_count; k++)
            text_addf(out, "%s%s", k ? " " : "", p->points[i].set[k]);
    }
}

static const struct {
    const char *set[SETS_MOST];
    bool product;
    const char *points;
} plans[] = {
    {{"N=256"}, false, "N=256"},
    {{"N=256,512, 1024"}, false, "N=256; N=512; N=1024"},
    {{"N=2**8..2**11"}, false, "N=256; N=512; N=1024; N=2048"},
    {{"N=100..1000"}, false, "N=100; N=200; N=400; N=800"},
    {{"N=1..10..4"}, false, "N=1; N=5; N=9"},
    {{"N=3..3"}, false, "N=3"},
    {{"N=1,4..8,100"}, false, "N=1; N=4; N=8; N=100"},
    {{"N=[2**i for i in range(3, 6)]"}, false, "N=8; N=16; N=32"},
    {{"N=range(1, 4)"}, false, "N=1; N=2; N=3"},
    {{"N=max(1, 2),min(8, 9)"}, false, "N=2; N=8"},
    {{"N=4611686018427387904..9223372036854775807"}, false, "N=4611686018427387904"},
    {{"N=1,2", "M=3,4"}, false, "N=1 M=3; N=2 M=4"},
    {{"N=1,2", "M=3"}, false, "N=1 M=3; N=2 M=3"},
    {{"N=1,2", "M=3,4"}, true, "N=1 M=3; N=1 M=4; N=2 M=3; N=2 M=4"},
    {{"N=4,8", "M=N"}, false, "N=4 M=4; N=8 M=8"},
    {{"M=N // 2", "N=4,8"}, false, "M=2 N=4; M=4 N=8"},
    {{"N=4,8", "M=N / 2"}, false, "N=4 M=2; N=8 M=4"}, // 2.0 and 4.0 in Python
    {{"N=4,8", "M=N,2*N"}, false, "N=4 M=4; N=8 M=16"},
    {{"N=4,8", "M=N,2*N"}, true, "N=4 M=4; N=4 M=8; N=8 M=8; N=8 M=16"},
    {{"N=M*3"}, false, "N=6"}, // M as the spec has it
    {{"M=FACTOR", "FACTOR=N+1", "N=1,2"}, false, "M=2 FACTOR=2 N=1; M=3 FACTOR=3 N=2"},
    {{"HOW=good,wrong"}, false, "HOW=good; HOW=wrong"},
    {{"HOW=1..2"}, false, "HOW=1..2"},
    {{"SCALE=0.5..2"}, false, "SCALE=0.5; SCALE=1.0; SCALE=2.0"},
    {{"SCALE=0.1..0.3..0.1"}, false, "SCALE=0.1; SCALE=0.2; SCALE=0.3"},
    {{"SCALE=0..1..0.4"}, false, "SCALE=0.0; SCALE=0.4; SCALE=0.8"},
    {{"N=4611686018427387904..9223372036854775807"}, false, "N=4611686018427387904"},
};

START_TEST(points)
{
    struct error e = ERROR_INIT;
    struct sweep_plan plan;
    struct arena a;
    struct text text = TEXT_INIT;
    struct spec *spec = load();
    arena_init(&a);
    bool ok = sweep_plan_make(spec, plans[_i].set, count_of(plans[_i].set), plans[_i].product, &a,
                              &plan, &e);
    ck_assert_msg(ok, "%s", e.text);
    points_text(&plan, &text);
    ck_assert_str_eq(text_cstr(&text), plans[_i].points);
    text_release(&text);
    arena_release(&a);
    spec_free(spec);
}
END_TEST

static const struct {
    const char *set[SETS_MOST];
    bool product;
    const char *why; // begins so
} refusals[] = {
    {{"N"}, false, "--set N: write NAME=VALUE"},
    {{"=3"}, false, "--set =3: write NAME=VALUE"},
    {{"N="}, false, "--set N=: write NAME=VALUE"},
    {{"N=1,,2"}, false, "--set N=1,,2: a value is missing beside a comma"},
    {{"N=1,"}, false, "--set N=1,: a value is missing beside a comma"},
    {{"FAKTOR=1"}, false, "--set FAKTOR=1: unknown constant 'FAKTOR'; did you mean 'FACTOR'?"},
    {{"N=1", "N=2"}, false, "--set N=1 and --set N=2: the same name twice; write N=VALUE,"},
    {{"N=1,2", "M=1,2,3"},
     false,
     "--set N=1,2 has 2 values, --set M=1,2,3 has 3: in step they have the same number; --product"},
    {{"N=M", "M=N"}, false, "--set N=M, --set M=N: given by themselves or by each other"},
    {{"N=2*N"}, false, "--set N=2*N: given by themselves or by each other"},
    {{"N=1,1"}, false, "--set: the points 1 and 2 are the same, N=1"},
    {{"N=1,2", "M=N*0"}, true, NULL},
    {{"N=Q"}, false, "--set N=Q: 'Q': column 1: unknown name 'Q'"},
    {{"N=1 +"}, false, "--set N=1 +: '1 +': column 4"},
    {{"N=1//0"}, false, "--set N=1//0: '1//0' has no value: division by zero"},
    {{"N=[]"}, false, "--set N=[]: an empty list"},
    {{"N=64.5"}, false, "--set N=64.5: N is of type int; '64.5' is not"},
    {{"N=1..2..0.5"}, false, "--set N=1..2..0.5: N is of type int; '1.5' is not"},
    {{"N='abc'"}, false, "--set N='abc': 'abc' is not of type int, as N is"},
    {{"M=[N, N]"}, false, "--set M=[N, N]: an expression over constants gives one value"},
    {{"N=8..4"}, false, "--set N=8..4: the range ends below its beginning"},
    {{"N=0..4"}, false, "--set N=0..4: a range doubles from a number above 0 on; with a step"},
    {{"N=1..4..0"}, false, "--set N=1..4..0: the step of a range is above 0"},
    {{"N=M..4"}, false, "--set N=M..4: a range cannot read constants"},
    {{"N='a'..4"}, false, "--set N='a'..4: a range has numbers as its ends"},
    {{"N=..4"}, false, "--set N=..4: ''"},
    {{"N=1..1e300"}, false, NULL},
    {{"N=1..5000..1"}, false, "--set N=1..5000..1: more than 4096 values"},
    {{"N=1..100..1", "M=1..100..1"}, true, "--product: more than 4096 points"},
    {{"N=1..1000..1", "M=1..2000..1"}, false, "--set N=1..1000..1 has 1000 values, --set"},
};

// Without a text it is no refusal, and ends.
START_TEST(refused)
{
    struct error e = ERROR_INIT;
    struct sweep_plan plan;
    struct arena a;
    struct spec *spec = load();
    arena_init(&a);
    bool ok = sweep_plan_make(spec, refusals[_i].set, count_of(refusals[_i].set),
                              refusals[_i].product, &a, &plan, &e);
    if (refusals[_i].why) {
        ck_assert_msg(!ok, "%s", refusals[_i].why);
        ck_assert_msg(str_starts(e.text, refusals[_i].why), "%s", e.text);
        ck_assert_int_eq(e.code, ERROR_USAGE);
    }
    arena_release(&a);
    spec_free(spec);
}
END_TEST

// ---- pictures ----------------------------------------------------------------------------------

#define NO_AXIS UINT32_MAX

static const struct {
    const char *set[SETS_MOST];
    bool product;
    uint32_t axis;
    const char *panels; // a digit for each point
} pictures[] = {
    {{"N=1,2,3"}, false, 0, "000"},
    {{"M=N", "N=1,2"}, false, 1, "00"},
    {{"N=1,2", "M=3,4"}, false, 0, "00"},
    {{"N=1,1,2", "M=3,4,5"}, false, 1, "000"}, // N does not tell them apart
    {{"N=1,1,2,2", "M=3,4,3,4"}, false, NO_AXIS, "0000"},
    {{"HOW=good,wrong"}, false, NO_AXIS, "00"},
    {{"HOW=good,wrong", "N=1,2"}, true, 1, "0011"},
    {{"N=1,2", "M=3,4"}, true, 0, "0101"},
    {{"N=1,2", "M=3,4", "FACTOR=N"}, true, 0, "0101"},
    {{"N=5"}, false, NO_AXIS, "0"},
};

START_TEST(axes_and_panels)
{
    struct error e = ERROR_INIT;
    struct sweep_plan plan;
    struct arena a;
    struct spec *spec = load();
    uint32_t panels[16], most = 0;
    arena_init(&a);
    bool ok = sweep_plan_make(spec, pictures[_i].set, count_of(pictures[_i].set),
                              pictures[_i].product, &a, &plan, &e);
    ck_assert_msg(ok, "%s", e.text);
    ck_assert_uint_eq(plan.point_count, strlen(pictures[_i].panels));
    uint32_t axis = sweep_plan_axis(&plan);
    ck_assert_uint_eq(axis, pictures[_i].axis);
    uint32_t count = sweep_plan_panels(&plan, axis, panels);
    for (uint32_t i = 0; i < plan.point_count; i++) {
        ck_assert_uint_eq(panels[i], (uint32_t)(pictures[_i].panels[i] - '0'));
        most = panels[i] > most ? panels[i] : most;
    }
    ck_assert_uint_eq(count, most + 1);
    arena_release(&a);
    spec_free(spec);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, points, 0, sizeof plans / sizeof *plans);
    tcase_add_loop_test(tests, refused, 0, sizeof refusals / sizeof *refusals);
    tcase_add_loop_test(tests, axes_and_panels, 0, sizeof pictures / sizeof *pictures);
}

int main(void)
{
    return suite_run("sweep_plan", add);
}
