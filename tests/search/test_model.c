// What the surrogate is made of: the Gaussian process against a plain one, the scale of values, the
// axes, and what was asked.
#include "search/gp.h"
#include "search/learner.h"
#include "search/scale.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AXES 3
#define ROWS 20
#define POOL 70
#define GRID HONE_SOURCE_DIR "/tests/search/data/grid.json"

// ---- a plain Gaussian process, by elimination --------------------------------------------------

static const struct gp_axis axis[AXES] = {{1, 2, 5}, {0.25, 1, 0}, {INFINITY, 0, 0}};

static double covariance(const struct gp_shape *s, const float *a, const float *b)
{
    double square = 0, trend = 0;
    for (int i = 0; i < AXES; i++) {
        double x = (double)a[i], y = (double)b[i];
        trend += axis[i].line * x * y + axis[i].square * (x * x - 1.0 / 12) * (y * y - 1.0 / 12);
        double apart = (double)a[i] - (double)b[i], jump = fmin(1, axis[i].roughness * s->jump);
        square += s->weights[i] * ((1 - jump) * apart * apart + (apart != 0 ? jump : 0));
    }
    double r = sqrt(5 * square);
    return (1 + r + r * r / 3) * exp(-r) + s->trend * trend;
}

// Mean and variance (of variance 1) at a point, given rows; the matrix is small and well behaved.
static void predict(const struct gp_shape *s, float (*points)[AXES], const double *values,
                    int count, const float *at, double *mean, double *variance)
{
    double m[ROWS][ROWS + 2], k[ROWS];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            m[i][j] = covariance(s, points[i], points[j]) + (i == j ? s->noise : 0);
        k[i] = covariance(s, points[i], at);
        m[i][count] = values[i] - s->mean;
        m[i][count + 1] = k[i];
    }
    for (int c = 0; c < count; c++) {
        for (int i = 0; i < count; i++) {
            double factor = i == c ? 0 : m[i][c] / m[c][c];
            for (int j = c; j < count + 2; j++)
                m[i][j] -= factor * m[c][j];
        }
    }
    *mean = s->mean;
    *variance = covariance(s, at, at);
    for (int i = 0; i < count; i++) {
        *mean += k[i] * m[i][count] / m[i][i];
        *variance -= k[i] * m[i][count + 1] / m[i][i];
    }
}

// ---- fixtures ----------------------------------------------------------------------------------

struct data {
    float points[ROWS][AXES], candidates[POOL][AXES];
    double values[ROWS];
};

static void draw_point(struct rng *r, float *out)
{
    for (int i = 0; i < AXES; i++)
        out[i] = (float)rng_below(r, i == 2 ? 3 : 9) / (i == 2 ? 1 : 8);
}

static struct data draw(uint64_t seed)
{
    struct data d;
    struct rng r;
    rng_init(&r, seed, 0);
    for (int i = 0; i < ROWS; i++) {
        draw_point(&r, d.points[i]);
        d.values[i] = 2 * (double)d.points[i][0] - 1 + (d.points[i][2] == 1) + 0.1 * rng_unit(&r);
    }
    for (int i = 0; i < POOL; i++)
        draw_point(&r, d.candidates[i]);
    return d;
}

static struct gp start(void)
{
    struct gp g;
    ck_assert(gp_init(&g, AXES, axis, ROWS, POOL));
    gp_prior(&g);
    g.shape.weights[0] = 3;
    g.shape.weights[1] = 0.5;
    g.shape.weights[2] = 1;
    g.shape.mean = 0.2;
    g.shape.noise = 0.01;
    return g;
}

static void check_predictions(const struct gp *g, struct data *d, int rows)
{
    for (int i = 0; i < POOL; i++) {
        double mean, variance;
        predict(&g->shape, d->points, d->values, rows, d->candidates[i], &mean, &variance);
        ck_assert_double_lt(fabs(gp_mean(g, (uint32_t)i) - mean), 2e-5);
        ck_assert_double_lt(fabs(gp_variance(g, (uint32_t)i) - g->shape.variance * variance), 2e-5);
    }
}

// ---- the process -------------------------------------------------------------------------------

// Candidates before the rows, and behind some of them: the predictions are the same. With a trend and without.
START_TEST(predictions_are_right)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct data d = draw(seed);
        struct gp g = start();
        g.shape.trend = seed % 2 == 0 ? 0 : 0.3;
        int early = _i * POOL / 3;
        for (int i = 0; i < early; i++)
            gp_add_candidate(&g, d.candidates[i]);
        for (int i = 0; i < ROWS; i++) {
            for (int k = early; k < POOL && i == ROWS / 2; k++)
                gp_add_candidate(&g, d.candidates[k]);
            gp_add_row(&g, d.points[i], true, d.values[i]);
        }
        check_predictions(&g, &d, ROWS);
        gp_release(&g);
    }
}
END_TEST

// Pending rows change no mean; told in any order they are as good as known from the beginning.
START_TEST(pending_rows)
{
    struct data d = draw(5);
    struct gp g = start();
    double means[POOL], mean, variance;
    for (int i = 0; i < POOL; i++)
        gp_add_candidate(&g, d.candidates[i]);
    for (int i = 0; i < 8; i++)
        gp_add_row(&g, d.points[i], true, d.values[i]);
    for (uint32_t i = 0; i < POOL; i++)
        means[i] = gp_mean(&g, i);
    for (int i = 8; i < ROWS; i++)
        gp_add_row(&g, d.points[i], false, 1e9);
    for (uint32_t i = 0; i < POOL; i++) {
        ck_assert_double_eq(gp_mean(&g, i), means[i]);
        predict(&g.shape, d.points, d.values, ROWS, d.candidates[i], &mean, &variance);
        ck_assert_double_lt(fabs(gp_variance(&g, i) - variance), 2e-5);
    }
    for (int i = 0; i < ROWS - 8; i++) {
        int row = 8 + (i * 5 + 3) % (ROWS - 8);
        gp_tell(&g, (uint32_t)row, d.values[row]);
    }
    check_predictions(&g, &d, ROWS);
    gp_release(&g);
}
END_TEST

// A line that goes on behind the rows is a trend; values that follow nothing are none, and one that was there goes.
START_TEST(a_trend_is_where_the_rows_say_so)
{
    struct gp g = start();
    struct rng r;
    float point[AXES] = {0};
    rng_init(&r, 1, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        point[0] = (float)(i % 10) / 9 - 0.5F;
        point[1] = (float)(i % 7) / 6 - 0.5F;
        gp_place_row(&g, i, point, 3 * (double)point[0] + 0.3 * (rng_unit(&r) - 0.5));
    }
    gp_fit(&g, ROWS, 4);
    ck_assert_double_gt(g.shape.trend, 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        draw_point(&r, point);
        gp_place_row(&g, i, point, rng_unit(&r) < 0.5 ? -1 : 1);
    }
    gp_fit(&g, ROWS, 4);
    ck_assert_double_eq(g.shape.trend, 0);
    gp_release(&g);
}
END_TEST

// The first axis and the third decide: the second gets the greatest length.
START_TEST(fit_finds_the_axes_that_matter)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct data d = draw(seed);
        struct gp g = start();
        gp_prior(&g);
        for (uint32_t i = 0; i < ROWS; i++)
            gp_place_row(&g, i, d.points[i], d.values[i]);
        gp_fit(&g, ROWS, 4);
        ck_assert_double_lt(2 * g.shape.weights[1], g.shape.weights[0]);
        ck_assert_double_lt(2 * g.shape.weights[1], g.shape.weights[2]);
        ck_assert_double_gt(g.shape.variance, 0);
        ck_assert_double_gt(g.shape.noise, 0);
        gp_release(&g);
    }
}
END_TEST

// Equal points and equal values: nothing breaks.
START_TEST(degenerate_data)
{
    struct data d = draw(1);
    struct gp g = start();
    for (uint32_t i = 0; i < ROWS; i++)
        gp_place_row(&g, i, d.points[0], 0);
    gp_fit(&g, ROWS, 3);
    gp_clear(&g);
    for (int i = 0; i < POOL; i++)
        gp_add_candidate(&g, d.candidates[i]);
    for (int i = 0; i < ROWS; i++)
        gp_add_row(&g, d.points[0], i % 2 != 0, 0);
    for (uint32_t i = 0; i < POOL; i++) {
        ck_assert(isfinite(gp_mean(&g, i)));
        ck_assert(gp_variance(&g, i) > 0 && isfinite(gp_variance(&g, i)));
    }
    gp_release(&g);
}
END_TEST

START_TEST(improvement_is_right)
{
    struct improvement t;
    improvement_init(&t);
    for (double z = -11; z < 8; z += 0.013) {
        double known = exp(-z * z / 2) / sqrt(2 * M_PI) + z * erfc(-z / sqrt(2)) / 2;
        double found = 0.5 * known, got = improvement_expected(&t, 3, 3 - 0.5 * z, 0.5);
        if (z > -5) // further out erfc() cancels
            ck_assert_double_lt(fabs(got - found), 3e-3 * found);
        ck_assert(got > 0);
    }
    double before = 1;
    for (double z = 0; z < 40; z += 0.1) { // falls for ever
        double now = improvement_expected(&t, 0, z, 1);
        ck_assert(now < before);
        before = now;
    }
    ck_assert(!(improvement_expected(&t, 0, NAN, 1) > 0)); // never the most promising
}
END_TEST

// ---- the scale ---------------------------------------------------------------------------------

START_TEST(scale_is_the_same_in_any_unit)
{
    struct ranked ms[9], ns[9];
    struct scale a, b;
    for (uint32_t i = 0; i < 9; i++) {
        ms[i] = (struct ranked){1 + i * i, i};
        ns[i] = (struct ranked){1e6 * ms[i].value, i};
    }
    scale_choose(&a, ms, 9);
    scale_choose(&b, ns, 9);
    for (int i = 0; i < 9; i++)
        ck_assert_double_lt(fabs(scale_apply(&a, ms[i].value) - scale_apply(&b, 1e6 * ms[i].value)),
                            1e-9);
    ck_assert_double_eq(scale_apply(&a, 1e9), a.ceiling); // what is bad is only bad
    ck_assert_double_gt(a.failure, a.ceiling);
}
END_TEST

// Ascending stays ascending, whatever the signs.
START_TEST(scale_keeps_the_order)
{
    static const double values[][4] = {
        {1, 2, 3, 4}, {-8, -4, -2, -1}, {-1, 0, 1, 2}, {-1e300, 0, 1e-310, 1e300}, {5, 5, 5, 5}};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        struct ranked ranked[4];
        struct scale s;
        for (uint32_t i = 0; i < 4; i++)
            ranked[i] = (struct ranked){values[v][i], i};
        scale_choose(&s, ranked, 4);
        for (int i = 0; i < 4; i++) {
            double y = scale_apply(&s, values[v][i]);
            ck_assert(isfinite(y) && y <= s.ceiling);
            ck_assert(i == 0 || y >= scale_apply(&s, values[v][i - 1]));
        }
        ck_assert(isfinite(scale_apply(&s, -1e308)) && isfinite(scale_apply(&s, 1e308)));
        ck_assert(scale_apply(&s, -1e308) <= scale_apply(&s, values[v][0]));
    }
}
END_TEST

// The axes of a made spec, which is to be freed.
static struct spec *make_axes(struct axes *x, const struct parameter *p, uint32_t count)
{
    struct error e = ERROR_INIT;
    struct spec *spec = spec_bare("made", p, count, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    ck_assert(axes_init(x, spec));
    return spec;
}

// ---- axes, ground ------------------------------------------------------------------------------

// Sorted in no time, also where they come the other way round.
START_TEST(axes_of_many_values)
{
    enum { MANY = 200000 };
    struct value *values = calloc(MANY, sizeof *values);
    ck_assert_ptr_nonnull(values);
    for (uint32_t i = 0; i < MANY; i++)
        values[i] = value_int(MANY - (int64_t)i);
    struct parameter p = {.name = "n", .path = "n", .values = values, .count = MANY};
    struct axes x;
    struct spec *spec = make_axes(&x, &p, 1);
    for (uint32_t i = 0; i < MANY; i++)
        ck_assert(x.items[0].order[i] == MANY - 1 - i && x.items[0].place[i] == MANY - 1 - i);
    axes_release(&x);
    spec_free(spec);
    free(values);
}
END_TEST

// Of a long list that mixes them: 16 = 2^4, 32 = 2^5, 48 = 3 * 2^4, ..., 256 = 2^8. Not where it says nothing that the order
// does not say, nor of a handful.
START_TEST(axes_count_twos)
{
    struct value mixed[16], powers[10], odd[10], halves[10], few[4];
    for (int i = 0; i < 16; i++)
        mixed[i] = value_int(16 * (16 - i)); // descending
    for (int i = 0; i < 10; i++) {
        powers[i] = value_int(1 << i);
        odd[i] = value_int(2 * i + 1);
        halves[i] = value_float(i + 0.5);
    }
    for (int i = 0; i < 4; i++)
        few[i] = value_int(i + 1);
    struct parameter p[] = {{.name = "m", .path = "m", .values = mixed, .count = 16},
                            {.name = "p", .path = "p", .values = powers, .count = 10},
                            {.name = "o", .path = "o", .values = odd, .count = 10},
                            {.name = "h", .path = "h", .values = halves, .count = 10},
                            {.name = "f", .path = "f", .values = few, .count = 4}};
    struct axes x;
    struct spec *spec = make_axes(&x, p, 5);
    ck_assert_uint_eq(x.twos, 1);
    for (uint32_t i = 1; i < x.count; i++)
        ck_assert_ptr_null(x.items[i].twos);
    static const float of[] = {1, 0, .25F, 0, .5F, 0, .25F, 0, .75F, 0, .25F, 0, .5F, 0, .25F, 0};
    ck_assert_mem_eq(x.items[0].twos, of, sizeof of);
    axes_release(&x);
    spec_free(spec);
}
END_TEST

// Values as they come: 8, 1, 4, 2; strings; one value alone.
START_TEST(axes_order_values)
{
    struct value numbers[] = {value_int(8), value_float(1), value_int(4), value_int(2)};
    struct value strings[] = {value_string("b"), value_string("a"), value_string("c")};
    struct value one[] = {value_int(7)}, bools[] = {value_bool(true), value_bool(false)};
    struct parameter p[] = {{.name = "n", .path = "n", .values = numbers, .count = 4},
                            {.name = "s", .path = "s", .values = strings, .count = 3},
                            {.name = "o", .path = "o", .values = one, .count = 1},
                            {.name = "b", .path = "b", .values = bools, .count = 2}};
    struct axes x;
    struct spec *spec = make_axes(&x, p, 4);
    ck_assert_uint_eq(x.count, 3);
    ck_assert_uint_eq(x.parameters, 4);
    ck_assert_uint_eq(x.steps, 3 + 2 + 1);
    ck_assert(x.items[0].ordered && !x.items[1].ordered && x.items[2].ordered);
    static const uint32_t ascending[] = {1, 3, 2, 0}, places[] = {3, 0, 2, 1};
    ck_assert_mem_eq(x.items[0].order, ascending, sizeof ascending);
    ck_assert_mem_eq(x.items[0].place, places, sizeof places);
    ck_assert_uint_eq(x.items[2].parameter, 3);
    ck_assert_uint_eq(x.items[2].order[0], 1);

    bool seen[4][4] = {{false}}; // each step changes one parameter, each in its way
    for (uint64_t step = 0; step < x.steps; step++) {
        uint32_t choice[4] = {2, 1, 0, 0}, before[4] = {2, 1, 0, 0};
        int changed = -1;
        axes_change(&x, step, choice);
        for (int i = 0; i < 4; i++) {
            if (choice[i] != before[i]) {
                ck_assert_int_eq(changed, -1);
                changed = i;
            }
        }
        ck_assert_int_ge(changed, 0);
        ck_assert(!seen[changed][choice[changed]]);
        seen[changed][choice[changed]] = true;
    }
    struct rng r;
    rng_init(&r, 1, 1);
    for (int i = 0; i < 100; i++) {
        uint32_t choice[4] = {2, 1, 0, 0};
        axes_mutate(&x, (uint32_t)i % 3, &r, choice);
        uint32_t changed = x.items[i % 3].parameter;
        ck_assert_uint_lt(choice[changed], p[changed].count);
        ck_assert(choice[changed] != (changed == 0 ? 2 : changed == 1 ? 1 : 0));
    }
    axes_release(&x);
    spec_free(spec);
}
END_TEST

START_TEST(asked_are_found)
{
    struct asked a;
    ck_assert(asked_init(&a, 0));
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t index = i * UINT64_C(0x100000001);
        ck_assert_ptr_null(asked_find(&a, index));
        ck_assert(asked_reserve(&a, 1));
        asked_add(&a, index);
        asked_find(&a, index)->value = (double)i;
    }
    for (uint64_t i = 0; i < 5000; i++) {
        ck_assert_ptr_eq(asked_find(&a, i * UINT64_C(0x100000001)), &a.entries[i]);
        ck_assert_double_eq(a.entries[i].value, (double)i);
        ck_assert_int_eq(a.entries[i].state, ASKED_PENDING);
    }
    ck_assert_uint_eq(a.count, 5000);
    asked_release(&a);
}
END_TEST

// The configurations that differ from one in a single parameter, by any or by one place of its values, ascending.
static size_t list_neighbours(const struct space *sp, uint64_t from, bool is_adjacent,
                              uint64_t *out)
{
    uint32_t own[8], other[8];
    size_t count = 0;
    space_get(sp, from, own);
    for (uint64_t i = 0; i < space_count(sp); i++) {
        uint32_t changes = 0, places = 0;
        space_get(sp, i, other);
        for (uint32_t p = 0; p < space_spec(sp)->parameter_count; p++) {
            changes += other[p] != own[p];
            places += other[p] > own[p] ? other[p] - own[p] : own[p] - other[p];
        }
        if (changes == 1 && (!is_adjacent || places == 1))
            out[count++] = i;
    }
    return count;
}

// All neighbours, each once, those one place away first; none that was asked.
START_TEST(learner_finds_all_around)
{
    struct error e = ERROR_INIT;
    struct spec *spec = spec_load(GRID, NULL, &e);
    ck_assert_msg(spec != NULL, "%s", e.text);
    struct space *space = space_new(spec, NULL, &e);
    ck_assert_msg(space != NULL, "%s", e.text);
    struct strategy_setup setup = {.space = space, .seed = 4, .budget = 90};
    for (uint64_t from = 0; from < 90; from++) {
        struct learner g;
        uint64_t found[64], known[64], adjacent[8];
        ck_assert(learner_init(&g, &setup, &e));
        size_t near = list_neighbours(space, from, true, adjacent);
        size_t count = list_neighbours(space, from, false, known);
        asked_add(&g.asked, known[count - 1]);
        bool was_near = adjacent[near - 1] == known[count - 1];
        ck_assert_uint_eq(learner_around(&g, from, 1000, found, 64), count - 1);
        for (size_t i = 0; i < count - 1; i++) {
            size_t times = 0, is_near = 0;
            for (size_t k = 0; k < count - 1; k++)
                times += found[k] == known[i];
            for (size_t k = 0; k < near; k++)
                is_near += adjacent[k] == found[i];
            ck_assert_uint_eq(times, 1);
            ck_assert_uint_eq(is_near, i < near - was_near);
        }
        ck_assert_uint_eq(learner_around(&g, from, 1000, found, 3), 3);
        learner_release(&g);
    }
    space_free(space);
    spec_free(spec);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("model");
    TCase *tests = tcase_create("model");
    tcase_set_timeout(tests, 180);
    tcase_add_loop_test(tests, predictions_are_right, 0, 4);
    tcase_add_test(tests, pending_rows);
    tcase_add_test(tests, a_trend_is_where_the_rows_say_so);
    tcase_add_test(tests, fit_finds_the_axes_that_matter);
    tcase_add_test(tests, degenerate_data);
    tcase_add_test(tests, improvement_is_right);
    tcase_add_test(tests, scale_is_the_same_in_any_unit);
    tcase_add_test(tests, scale_keeps_the_order);
    tcase_add_test(tests, axes_order_values);
    tcase_add_test(tests, axes_count_twos);
    tcase_add_test(tests, axes_of_many_values);
    tcase_add_test(tests, asked_are_found);
    tcase_add_test(tests, learner_finds_all_around);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
