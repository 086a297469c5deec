// Several objectives become several searches: nothing is asked twice, whatever order results come
// in, and the ends of the Pareto front are found.
#include "../problem/fixture.h"
#include "workflows/scalarization.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char spec_text[] =
    "{\"Metrics\": [{\"Name\": \"left\", \"Expression\": \"1 + x * x + 0.1 * y\"},"
    "               {\"Name\": \"right\", \"Expression\": \"1 + (29 - x)**2 + 0.1 * y\"}],"
    " \"ConfigurationSpace\": {\"TuningParameters\": ["
    "    {\"Name\": \"x\", \"Type\": \"int\", \"Values\": \"list(range(30))\", \"Default\": 15},"
    "    {\"Name\": \"y\", \"Type\": \"int\", \"Values\": \"list(range(30))\", \"Default\": 15}]},"
    " \"KernelSpecification\": {\"KernelName\": \"k\", \"KernelFile\": \"k.cl\","
    "    \"GlobalSize\": {\"X\": \"64\"}}}";

enum { VALID = 900, IN_FLIGHT = 8 };

static struct fixture f;
static struct space *space;
static struct objectives objectives;

static void setup(void)
{
    struct error e = ERROR_INIT;
    struct space_options so = {0};
    fixture_start(&f);
    fixture_load(&f, spec_text);
    space = space_new(f.spec, &so, &e);
    ck_assert_msg(space != NULL, "%s", e.text);
    ck_assert(objective_parse("min:left,min:right", f.spec, &objectives, &e));
}

static void teardown(void)
{
    space_free(space);
    fixture_end(&f);
}

static struct scalarization *start(const char *strategy, uint64_t budget,
                                   const struct objectives *g)
{
    struct error e = ERROR_INIT;
    struct strategy_setup s = {.space = space, .budget = budget, .seed = 7, .in_flight = IN_FLIGHT};
    struct scalarization *d = scalarization_new(strategy, &s, g, &e);
    ck_assert_msg(d != NULL, "%s", e.text);
    return d;
}

static void tell(struct scalarization *d, uint64_t index)
{
    uint32_t choice[2];
    double values[OBJECTIVES_MOST];
    struct spec_measured m = {1, 0, NULL};
    space_get(space, index, choice);
    if (choice[0] == 20) { // some fail
        scalarization_tell(d, index, STATUS_RUNTIME, NULL);
        return;
    }
    ck_assert(objective_values(&objectives, f.spec, choice, NULL, &m, values));
    scalarization_tell(d, index, STATUS_CORRECT, values);
}

// Asks for at most `most` and tells them, each batch backwards; writes what was asked.
static size_t search(struct scalarization *d, uint64_t *asked, size_t most)
{
    size_t count = 0;
    bool failed;
    while (count < most) {
        size_t want = most - count < IN_FLIGHT ? most - count : IN_FLIGHT;
        size_t got = scalarization_ask(d, asked + count, want, &failed);
        ck_assert(!failed);
        if (got == 0)
            break;
        for (size_t i = got; i > 0; i--)
            tell(d, asked[count + i - 1]);
        count += got;
    }
    return count;
}

START_TEST(as_many_as_are_worthwhile)
{
    static const struct {
        const char *strategy;
        uint64_t budget;
        uint32_t count;
    } cases[] = {{"surrogate", 400, 3}, {"surrogate", 40, 1}, {"genetic", 0, 3}, {"random", 400, 1},
                 {"exhaustive", 0, 1},  {NULL, VALID, 1},     {NULL, 400, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scalarization *d = start(cases[i].strategy, cases[i].budget, &objectives);
        ck_assert_msg(scalarization_count(d) == cases[i].count, "%zu: %u", i,
                      scalarization_count(d));
        scalarization_free(d);
    }
    struct objectives one = objectives;
    one.count = 1;
    struct scalarization *d = start("genetic", 400, &one);
    ck_assert_uint_eq(scalarization_count(d), 1);
    scalarization_free(d);
}
END_TEST

START_TEST(nothing_twice_and_all_in_the_end)
{
    static const char *const names[] = {"genetic", "anneal", "random", "surrogate"};
    for (int i = 0; i < 4; i++) {
        static uint64_t asked[VALID + IN_FLIGHT];
        bool seen[VALID] = {false};
        size_t most = i == 3 ? 200 : VALID + 1; // the model takes its time
        struct scalarization *d = start(names[i], 0, &objectives);
        size_t count = search(d, asked, most);
        ck_assert_uint_eq(count, i == 3 ? 200 : VALID);
        for (size_t k = 0; k < count; k++) {
            ck_assert(!seen[asked[k]]);
            seen[asked[k]] = true;
        }
        scalarization_free(d);
    }
}
END_TEST

START_TEST(same_seed_same_questions)
{
    static uint64_t first[150], second[150];
    for (int i = 0; i < 2; i++) {
        struct scalarization *d = start("genetic:population=10", 300, &objectives);
        ck_assert_uint_eq(search(d, i ? second : first, 150), 150);
        scalarization_free(d);
    }
    ck_assert_mem_eq(first, second, sizeof first);
}
END_TEST

// Both ends and the middle, of which nothing leads from one to the other.
START_TEST(the_ends_are_found)
{
    static uint64_t asked[240];
    struct scalarization *d = start("surrogate", 240, &objectives);
    uint32_t left = 99, right = 0, middle = 0, choice[2];
    size_t count = search(d, asked, 240);
    for (size_t i = 0; i < count; i++) {
        space_get(space, asked[i], choice);
        left = choice[0] < left ? choice[0] : left;
        right = choice[0] > right ? choice[0] : right;
        middle += choice[0] > 10 && choice[0] < 19 && choice[1] < 5;
    }
    ck_assert_uint_eq(left, 0);
    ck_assert_uint_eq(right, 29);
    ck_assert_uint_ge(middle, 5);
    scalarization_free(d);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("scalarization");
    TCase *t = tcase_create("scalarization");
    suite_add_tcase(suite, t);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, as_many_as_are_worthwhile);
    tcase_add_test(t, nothing_twice_and_all_in_the_end);
    tcase_add_test(t, same_seed_same_questions);
    tcase_add_test(t, the_ends_are_found);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
