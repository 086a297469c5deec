// Random small specs, each held against brute force over its Cartesian product.
#include "../base/suite.h"
#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS 5

// Restrictions over three parameters, written a, b, c here, and a number n. Many divide by values
// that may be zero, so that faults are as common as they are in real specs.
static const char *const templates[] = {
    "a * b <= n",
    "a % b == 0",
    "a // b == c",
    "a < b < c",
    "a == 1 or b % a == 0",
    "a / b > 1",
    "not (a > b and c < 3)",
    "(a + b) % 3 != 1",
    "a in [1, 2, n]",
    "max(a, b) > c",
    "a + b + c <= n",
    "a if b > 1 else c",
    "(a * b) % (c + 1) == 0",
    "a != b",
    "b % n == 0",
    "D <= a + 1",
    "a * b * c > n and a > 0",
    "2**a > b",
    "32 <= a * n or c > D",
};

static uint32_t below(struct rng *r, uint32_t bound)
{
    return (uint32_t)rng_below(r, bound);
}

// "p0 [3, 0, 5]; ...": distinct values in a random order.
static void random_parameters(struct rng *r, uint32_t count, struct text *out)
{
    for (uint32_t p = 0; p < count; p++) {
        uint64_t values[] = {0, 1, 2, 3, 4, 6, 8, 16};
        uint32_t used = 1 + below(r, 6);
        rng_shuffle(r, values, 8);
        text_addf(out, "p%u [", p);
        for (uint32_t i = 0; i < used; i++)
            text_addf(out, "%s%u", i > 0 ? ", " : "", (unsigned)values[i]);
        text_add(out, "];");
    }
}

// A template with its one-letter names replaced.
static void random_restriction(struct rng *r, uint32_t parameters, struct text *out)
{
    const char *c = templates[below(r, sizeof templates / sizeof *templates)];
    uint32_t bound[3] = {below(r, parameters), below(r, parameters), below(r, parameters)};
    uint32_t n = 1 + below(r, 12);
    for (; *c; c++) {
        bool alone =
            (c[1] < 'a' || c[1] > 'z') && (out->length == 0 || out->data[out->length - 1] < 'a' ||
                                           out->data[out->length - 1] > 'z');
        if (alone && *c >= 'a' && *c <= 'c')
            text_addf(out, "p%u", bound[*c - 'a']);
        else if (alone && *c == 'n')
            text_addf(out, "%u", n);
        else
            text_addc(out, *c);
    }
}

static struct spec *random_spec(struct rng *r)
{
    struct text parameters = TEXT_INIT, restrictions = TEXT_INIT;
    uint32_t count = 1 + below(r, PARAMETERS);
    random_parameters(r, count, &parameters);
    for (uint32_t i = below(r, 5); i > 0; i--) {
        random_restriction(r, count, &restrictions);
        text_addc(&restrictions, ';');
    }
    char derived[64];
    snprintf(derived, sizeof derived, "D = p%u // p%u", below(r, count), below(r, count));
    struct spec *s = make_spec_derived(parameters.data, text_cstr(&restrictions),
                                       below(r, 2) ? derived : "D = 3", "");
    text_release(&parameters);
    text_release(&restrictions);
    return s;
}

// ---- held against brute force ------------------------------------------------------------------

struct truth {
    uint32_t (*choices)[PARAMETERS]; // the valid ones, in lexicographic order
    size_t count;
};

static struct truth brute_force(const struct spec *s)
{
    struct truth t = {calloc(7776, sizeof *t.choices), 0};
    uint32_t choice[PARAMETERS] = {0};
    ck_assert_ptr_nonnull(t.choices);
    do {
        if (is_valid(s, choice))
            memcpy(t.choices[t.count++], choice, sizeof choice);
    } while (next_choice(s, choice));
    return t;
}

static void check_members(const struct spec *s, const struct space *sp, const struct truth *t)
{
    uint32_t choice[PARAMETERS] = {0};
    uint64_t valid = 0;
    do {
        uint64_t index;
        struct space_reason reason;
        bool member = space_find(sp, choice, &index), expected = is_valid(s, choice);
        space_why(sp, choice, &reason);
        ck_assert_int_eq(member, expected);
        ck_assert_int_eq(reason.restriction == NULL, expected);
        if (!expected)
            continue;
        uint32_t got[PARAMETERS] = {0};
        ck_assert_uint_eq(index, valid);
        space_get(sp, index, got);
        ck_assert_mem_eq(got, t->choices[valid], sizeof got);
        valid++;
    } while (next_choice(s, choice));
}

START_TEST(as_brute_force)
{
    struct rng r;
    rng_init(&r, 7, (uint64_t)_i);
    struct spec *s = random_spec(&r);
    struct space *sp = make_space(s, NULL);
    struct truth t = brute_force(s);
    ck_assert_uint_eq(space_count(sp), t.count);
    check_members(s, sp, &t);
    for (int i = 0; t.count > 0 && i < 20; i++) {
        uint64_t sample = space_sample(sp, &r);
        ck_assert_uint_lt(sample, t.count);
    }
    free(t.choices);
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- details -----------------------------------------------------------------------------------

static uint64_t count_without(const struct spec *s, const struct formula *skipped)
{
    struct formula *restrictions = (struct formula *)s->restrictions;
    struct formula kept = *skipped;
    uint32_t choice[PARAMETERS] = {0}, at = (uint32_t)(skipped - s->restrictions);
    uint64_t count = 0;
    struct arena arena;
    arena_init(&arena);
    restrictions[at].expr = expr_parse(&arena, "True", &s->symbols, NULL);
    do {
        count += is_valid(s, choice);
    } while (next_choice(s, choice));
    restrictions[at] = kept;
    arena_release(&arena);
    return count;
}

// Without a restriction that reads it, a derived parameter without a value still excludes.
START_TEST(details_as_brute_force)
{
    struct rng r;
    rng_init(&r, 9, (uint64_t)_i);
    struct spec *s = random_spec(&r);
    struct space *sp = make_space(s, NULL);
    struct space_details d;
    uint64_t product = 1;
    uint32_t seen = 0, parameters = 0;
    ck_assert(space_detail(sp, &d, NULL));
    for (size_t i = 0; i < d.restriction_count; i++) {
        const struct formula *f = d.restrictions[i].restriction;
        bool own = f >= s->restrictions && f < s->restrictions + s->restriction_count;
        ck_assert(!own || d.last[i] == count_without(s, f) - space_count(sp));
    }
    for (size_t i = 0; i < d.group_count; i++) {
        product *= d.groups[i].valid;
        parameters += d.groups[i].count;
        for (uint32_t k = 0; k < d.groups[i].count; k++)
            seen |= UINT32_C(1) << d.groups[i].parameters[k];
    }
    ck_assert(d.group_count == 0 || product == space_count(sp));
    ck_assert(d.group_count == 0 || parameters == s->parameter_count);
    ck_assert(d.group_count == 0 || seen == (UINT32_C(1) << s->parameter_count) - 1);
    ck_assert_int_eq(d.group_count > 0, space_count(sp) > 0);
    space_details_release(&d);
    space_free(sp);
    spec_free(s);
}
END_TEST

// ---- options -----------------------------------------------------------------------------------

// A few partial configurations, as texts and as rows of value indices (UINT32_MAX: any).
#define ROWS 3
struct wanted {
    struct text texts[ROWS];
    uint32_t rows[ROWS][PARAMETERS];
    uint32_t count;
};

static void random_wanted(struct rng *r, const struct spec *s, struct wanted *w)
{
    memset(w, 0, sizeof *w);
    memset(w->rows, 0xff, sizeof w->rows);
    for (w->count = 0; w->count == 0 || (w->count < ROWS && below(r, 3) > 0); w->count++) {
        struct text *t = &w->texts[w->count];
        uint32_t always = below(r, s->parameter_count);
        for (uint32_t p = 0; p < s->parameter_count; p++) {
            const struct parameter *q = &s->parameters[p];
            if (p != always && below(r, 3) > 0)
                continue;
            uint32_t value = below(r, q->count);
            w->rows[w->count][p] = value;
            text_addf(t, "%s%s=%ld", t->length > 0 ? "," : "", q->name, (long)q->values[value].i);
        }
    }
}

static bool is_wanted(const struct wanted *w, const struct spec *s, const uint32_t *choice)
{
    for (uint32_t i = 0; i < w->count; i++) {
        uint32_t p = 0;
        while (p < s->parameter_count &&
               (w->rows[i][p] == UINT32_MAX || w->rows[i][p] == choice[p]))
            p++;
        if (p == s->parameter_count)
            return true;
    }
    return false;
}

// --config as a union, and --where, which excludes the first value of the first parameter.
START_TEST(options_as_brute_force)
{
    struct rng r;
    rng_init(&r, 8, (uint64_t)_i);
    struct spec *s = random_spec(&r);
    struct wanted w;
    random_wanted(&r, s, &w);
    const char *texts[] = {w.texts[0].data, w.texts[1].data, w.texts[2].data};
    char where[32], *wheres = where;
    snprintf(where, sizeof where, "p0 != %ld", (long)s->parameters[0].values[0].i);
    struct space_options o = {.configurations = texts, .configuration_count = w.count};
    o.where = (const char *const *)&wheres;
    o.where_count = below(&r, 2);
    struct space *sp = make_space(s, &o);

    uint32_t choice[PARAMETERS] = {0};
    uint64_t valid = 0, index;
    do {
        bool expected = is_wanted(&w, s, choice) && is_valid(s, choice);
        expected = expected && (o.where_count == 0 || choice[0] != 0);
        ck_assert_int_eq(space_find(sp, choice, &index), expected);
        ck_assert(!expected || index == valid);
        valid += expected;
    } while (next_choice(s, choice));
    ck_assert_uint_eq(space_count(sp), valid);
    space_free(sp);
    spec_free(s);
    for (uint32_t i = 0; i < ROWS; i++)
        text_release(&w.texts[i]);
}
END_TEST

// Every valid configuration is drawn equally often (chi-square, 9 degrees of freedom, p = 1e-4).
START_TEST(samples_are_uniform)
{
    struct spec *s = make_spec("a [1, 2, 3, 4]; b [1, 2, 3, 4]", "a <= b", "");
    struct space *sp = make_space(s, NULL);
    struct rng r;
    double drawn[10] = {0}, chi = 0;
    ck_assert_uint_eq(space_count(sp), 10);
    rng_init(&r, 99, 0);
    for (int i = 0; i < 10000; i++)
        drawn[space_sample(sp, &r)]++;
    for (int i = 0; i < 10; i++)
        chi += (drawn[i] - 1000) * (drawn[i] - 1000) / 1000;
    ck_assert_double_lt(chi, 33.7);
    space_free(sp);
    spec_free(s);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_loop_test(tests, as_brute_force, 0, 200);
    tcase_add_loop_test(tests, details_as_brute_force, 0, 100);
    tcase_add_loop_test(tests, options_as_brute_force, 0, 100);
    tcase_add_test(tests, samples_are_uniform);
}

int main(void)
{
    return suite_run("space_random", add);
}
