// Compiled expressions against hone's own evaluation: random ones, run as postfix programs and as generated C.
#include "extras/deploy/core_table.h"
#include "extras/deploy/emit_c.h"
#include "extras/deploy/header_texts.h"

#include "base/random.h"

#include "../base/suite.h"

#include <check.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPRESSIONS = SUITE_SANITIZED ? 100 : 600, VECTORS = 24, COLUMNS = 3, DEPTH = 5 };

static const char spec_text[] =
    "{\"General\": {\"BenchmarkName\": \"random\", \"FormatVersion\": 1},"
    " \"Constants\": {\"a\": 1, \"b\": 1, \"c\": 1, \"r\": 0.75, \"q\": 3},"
    " \"ConfigurationSpace\": {\"TuningParameters\": ["
    "  {\"Name\": \"p\", \"Type\": \"int\", \"Values\": \"[4, 8]\"},"
    "  {\"Name\": \"word\", \"Type\": \"string\", \"Values\": \"['slow', 'fast']\"}],"
    "  \"Conditions\": []},"
    " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\","
    "  \"KernelSource\": \"__kernel void k(__global float *to) { }\","
    "  \"GlobalSize\": {\"X\": \"1\"}, \"LocalSize\": {\"X\": \"1\"}, \"Arguments\": []}}";

// One spec, with names that vary and names that do not.
struct fixture {
    struct arena arena;
    struct spec *spec;
    struct value *slots;
    uint32_t *varying;
    struct rng random;
};

static void fixture_init(struct fixture *f)
{
    struct error e = ERROR_INIT;
    memset(f, 0, sizeof *f);
    f->spec = spec_parse(spec_text, strlen(spec_text), NULL, "random.json", NULL, &e);
    ck_assert_msg(f->spec != NULL, "%s", e.text);
    const struct spec *s = f->spec;
    f->slots = arena_array(&f->arena, s->slots.count, sizeof *f->slots);
    f->varying = arena_array(&f->arena, s->slots.count, sizeof *f->varying);
    spec_bind_fixed(s, NULL, f->slots);
    f->slots[s->slots.parameters] = value_int(8);
    f->slots[s->slots.parameters + 1] = value_string("fast");
    for (uint32_t i = 0; i < s->slots.count; i++)
        f->varying[i] = DEPLOY_FIXED;
    for (uint32_t i = 0; i < COLUMNS; i++)
        f->varying[s->slots.constants + i] = i;
    rng_init(&f->random, 20, 1);
}

static void fixture_release(struct fixture *f)
{
    spec_free(f->spec);
    arena_release(&f->arena);
}

// ---- random expressions ------------------------------------------------------------------------

static uint32_t roll(struct fixture *f, uint32_t sides)
{
    return (uint32_t)rng_below(&f->random, sides);
}

static void add_leaf(struct fixture *f, struct text *out)
{
    static const char *const leaves[] = {"a", "b", "c", "a", "b",  "c",  "p",   "q",   "r",
                                         "0", "1", "2", "7", "-3", "64", "2.5", "True"};
    text_add(out, leaves[roll(f, sizeof leaves / sizeof *leaves)]);
}

static void add_random(struct fixture *f, uint32_t depth, struct text *out);

static void add_between(struct fixture *f, uint32_t depth, const char *operator, struct text * out)
{
    add_random(f, depth, out);
    text_addf(out, " %s ", operator);
    add_random(f, depth, out);
}

static void add_random(struct fixture *f, uint32_t depth, struct text *out)
{
    static const char *const binary[] = {"+",  "-", "*", "/", "//", "%", "**", "<<",
                                         ">>", "&", "|", "^", "//", "*", "+",  "%"};
    static const char *const comparison[] = {"<", "<=", "==", "!=", ">", ">="};
    static const char *const unary[] = {"ceil", "floor", "int", "round", "abs", "bool", "float"};
    static const char *const two[] = {"min", "max", "gcd"};
    if (depth == 0 || roll(f, 5) == 0) {
        add_leaf(f, out);
        return;
    }
    text_addc(out, '(');
    switch (roll(f, 10)) {
    case 0:
    case 1:
    case 2:
        add_between(f, depth - 1, binary[roll(f, 16)], out);
        break;
    case 3:
        add_between(f, depth - 1, comparison[roll(f, 6)], out);
        if (roll(f, 2)) {
            text_addf(out, " %s ", comparison[roll(f, 6)]);
            add_random(f, depth - 1, out);
        }
        break;
    case 4:
        add_between(f, depth - 1, roll(f, 2) ? "and" : "or", out);
        break;
    case 5:
        text_add(out, roll(f, 2) ? "not " : "-");
        add_random(f, depth - 1, out);
        break;
    case 6:
        add_between(f, depth - 1, "if", out);
        text_add(out, " else ");
        add_random(f, depth - 1, out);
        break;
    case 7:
        text_addf(out, "%s(", unary[roll(f, 7)]);
        add_random(f, depth - 1, out);
        text_addc(out, ')');
        break;
    case 8:
        text_addf(out, "%s(", two[roll(f, 3)]);
        add_between(f, depth - 1, ",", out);
        text_addc(out, ')');
        break;
    default:
        add_random(f, depth - 1, out);
        text_add(out, roll(f, 2) ? " in [1, 2, 'slow', " : " not in [0.5, 8, ");
        add_random(f, roll(f, 2) ? depth - 1 : 0, out);
        text_add(out, "]");
        break;
    }
    text_addc(out, ')');
}

// ---- both ways ---------------------------------------------------------------------------------

struct sample {
    const struct expr *expr;
    struct deploy_program program;
};

// False: refused.
static bool make_sample(struct fixture *f, struct sample *out)
{
    struct error e = ERROR_INIT;
    struct text text = TEXT_INIT;
    add_random(f, DEPTH, &text);
    const char *copy = arena_strdup(&f->arena, text_cstr(&text));
    text_release(&text);
    out->expr = expr_parse(&f->arena, copy, &f->spec->symbols, &e);
    ck_assert_msg(out->expr != NULL, "%s: %s", copy, e.text);
    struct formula formula = {.path = "x", .text = copy, .expr = out->expr};
    struct deploy_compiler c = {
        .arena = &f->arena, .spec = f->spec, .slots = f->slots, .varying = f->varying, .error = &e};
    if (!deploy_put_formula(&c, &formula)) {
        ck_assert_msg(strstr(e.text, "cannot be deployed") != NULL, "%s", e.text);
        return false;
    }
    uint32_t depth = known_program_check(c.steps, (uint32_t)c.count, COLUMNS);
    ck_assert_msg(depth > 0, "%s: no program", copy);
    out->program = (struct deploy_program){c.steps, (uint32_t)c.count, depth, copy};
    return true;
}

static int64_t random_size(struct fixture *f)
{
    static const int64_t extremes[] = {
        0, 1, -1, 2, INT64_MAX, INT64_MIN, INT64_C(1) << 53, (INT64_C(1) << 53) + 1, 63, 64};
    uint32_t kind = roll(f, 4);
    if (kind == 0)
        return extremes[roll(f, 10)];
    int64_t size = (int64_t)(rng_u64(&f->random) >> (kind == 1 ? roll(f, 63) : 48 + roll(f, 15)));
    return roll(f, 4) == 0 ? -size : size;
}

static void random_vector(struct fixture *f, hone_core_value *slots)
{
    for (uint32_t i = 0; i < COLUMNS; i++) {
        int64_t size = random_size(f);
        slots[i] = hone_core_int(size);
        f->slots[f->spec->slots.constants + i] = value_int(size);
    }
}

// Where a program may have a fault and hone a value: `/` of large integers, a negative exponent.
static bool may_differ(const char *text)
{
    for (const char *at = text; (at = strchr(at, '/')) != NULL; at++) {
        if (at[1] != '/' && (at == text || at[-1] != '/'))
            return true;
    }
    return strstr(text, "**") != NULL;
}

static bool agrees(const struct value *v, const hone_core_value *c)
{
    if (c->kind == HONE_CORE_INT)
        return (v->kind == VALUE_INT || v->kind == VALUE_BOOL) && v->i == c->i;
    return v->kind == VALUE_FLOAT && (v->f == c->f || (isnan(v->f) && isnan(c->f)));
}

static const char *describe(const hone_core_value *c)
{
    static char text[80];
    if (c->kind == HONE_CORE_FLOAT)
        snprintf(text, sizeof text, "%.17g", c->f);
    else
        snprintf(text, sizeof text, "%s%lld", c->kind == HONE_CORE_INT ? "" : "fault ",
                 (long long)c->i);
    return text;
}

START_TEST(programs_give_what_expressions_give)
{
    struct fixture f;
    fixture_init(&f);
    size_t refused = 0, values = 0, faults = 0, cautious = 0;
    for (size_t i = 0; i < 4000; i++) {
        struct sample sample;
        if (!make_sample(&f, &sample)) {
            refused++;
            continue;
        }
        for (size_t k = 0; k < VECTORS; k++) {
            hone_core_value slots[COLUMNS];
            struct value expected;
            random_vector(&f, slots);
            enum expr_fault fault = expr_eval(sample.expr, f.slots, &f.arena, &expected);
            hone_core_value got =
                known_program_run(sample.program.steps, sample.program.count, slots);
            if (got.kind == HONE_CORE_FAULT) {
                bool allowed = fault != EXPR_FAULT_NONE || may_differ(sample.program.text);
                ck_assert_msg(allowed, "%s: a=%lld b=%lld c=%lld: %s", sample.program.text,
                              (long long)slots[0].i, (long long)slots[1].i, (long long)slots[2].i,
                              describe(&got));
                faults += fault != EXPR_FAULT_NONE;
                cautious += fault == EXPR_FAULT_NONE;
                continue;
            }
            ck_assert_msg(fault == EXPR_FAULT_NONE && agrees(&expected, &got),
                          "%s: a=%lld b=%lld c=%lld: %s, but hone has fault %d, %lld, %.17g",
                          sample.program.text, (long long)slots[0].i, (long long)slots[1].i,
                          (long long)slots[2].i, describe(&got), fault, (long long)expected.i,
                          expected.f);
            values++;
        }
    }
    // The generator makes more than refusals and faults.
    ck_assert_msg(refused < 2000 && values > 20000 && faults > 1000 && cautious * 10 < values,
                  "%zu refused, %zu values, %zu faults, %zu faults for values", refused, values,
                  faults, cautious);
    fixture_release(&f);
}
END_TEST

// ---- as C --------------------------------------------------------------------------------------

typedef hone_core_value (*evaluate_fn)(uint32_t expression, const hone_core_value *slots);

static void write_generated(const char *path, const struct sample *samples, size_t count)
{
    struct text out = TEXT_INIT;
    text_add(&out, known_core_text);
    text_addc(&out, '\n');
    for (size_t i = 0; i < count; i++)
        emit_c_program(&samples[i].program, "t", (uint32_t)i, &out);
    text_add(&out, "hone_core_value evaluate(uint32_t expression, const hone_core_value *x);\n"
                   "hone_core_value evaluate(uint32_t expression, const hone_core_value *x)\n{\n"
                   "    switch (expression) {\n");
    for (size_t i = 0; i < count; i++)
        text_addf(&out, "    case %zu: return t_x%zu(x);\n", i, i);
    text_add(&out, "    default: return hone_core_fault(0);\n    }\n}\n");
    FILE *file = fopen(path, "w");
    ck_assert(file && fwrite(out.data, 1, out.length, file) == out.length && fclose(file) == 0);
    text_release(&out);
}

START_TEST(generated_c_gives_the_same)
{
    struct fixture f;
    fixture_init(&f);
    static struct sample samples[EXPRESSIONS];
    char folder[] = "/tmp/hone_compile_XXXXXX", command[512], source[64], library[64];
    for (size_t i = 0; i < EXPRESSIONS;)
        i += make_sample(&f, &samples[i]);
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/t.c", folder);
    snprintf(library, sizeof library, "%s/t.so", folder);
    write_generated(source, samples, EXPRESSIONS);
    snprintf(command, sizeof command,
             "cc -std=c99 -Wall -Wextra -Werror -pedantic -O0 -fPIC -shared -o %s %s", library,
             source);
    ck_assert_int_eq(system(command), 0);
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(loaded != NULL, "%s", dlerror());
    evaluate_fn evaluate;
    *(void **)&evaluate = dlsym(loaded, "evaluate");
    ck_assert(evaluate != NULL);
    for (size_t i = 0; i < EXPRESSIONS; i++) {
        for (size_t k = 0; k < VECTORS; k++) {
            hone_core_value slots[COLUMNS];
            random_vector(&f, slots);
            hone_core_value program =
                known_program_run(samples[i].program.steps, samples[i].program.count, slots);
            hone_core_value compiled = evaluate((uint32_t)i, slots);
            bool same = program.kind == compiled.kind && program.i == compiled.i &&
                        (program.f == compiled.f || (isnan(program.f) && isnan(compiled.f)));
            ck_assert_msg(same, "%s: program %s", samples[i].program.text, describe(&program));
        }
    }
    dlclose(loaded);
    folder_remove(folder);
    fixture_release(&f);
}
END_TEST

// ---- refusals ----------------------------------------------------------------------------------

static void check_refused(struct fixture *f, const char *text, const char *what)
{
    struct error e = ERROR_INIT;
    struct formula formula = {.path = "x", .text = text};
    formula.expr = expr_parse(&f->arena, text, &f->spec->symbols, &e);
    ck_assert_msg(formula.expr != NULL, "%s", e.text);
    struct deploy_compiler c = {
        .arena = &f->arena, .spec = f->spec, .slots = f->slots, .varying = f->varying, .error = &e};
    ck_assert_msg(!deploy_put_formula(&c, &formula), "%s", text);
    ck_assert_msg(strstr(e.text, what) != NULL, "%s: %s", text, e.text);
}

START_TEST(what_cannot_be_compiled_is_refused_by_name)
{
    struct fixture f;
    fixture_init(&f);
    check_refused(&f, "sqrt(a) > 3", "sqrt()");
    check_refused(&f, "a / 2 // 3", "'//' of a number that may be a float");
    check_refused(&f, "a == word", "string");
    check_refused(&f, "[a, b][c]", "a list or a text");
    check_refused(&f, "sum(x for x in range(a)) > 1", "sum()");
    check_refused(&f, "2 ** -1 + a ** -1", "negative power");
    check_refused(&f, "a in range(10000)", "too long");
    check_refused(&f, "a is 1", "'is'");
    fixture_release(&f);
}
END_TEST

// What the parameters decide falls away, with the texts in it.
START_TEST(known_parts_fall_away)
{
    struct fixture f;
    struct error e = ERROR_INIT;
    fixture_init(&f);
    const char *text =
        "word == 'slow' and sqrt(a) > 2 or (a if word == 'fast' else len(word)) % p == 0";
    struct formula formula = {.path = "x", .text = text};
    formula.expr = expr_parse(&f.arena, text, &f.spec->symbols, &e);
    struct deploy_compiler c = {
        .arena = &f.arena, .spec = f.spec, .slots = f.slots, .varying = f.varying, .error = &e};
    ck_assert_msg(deploy_put_formula(&c, &formula), "%s", e.text);
    const int codes[] = {KNOWN_STEP_SLOT, KNOWN_STEP_PUSH, HONE_CORE_MOD, KNOWN_STEP_PUSH,
                         HONE_CORE_EQ};
    ck_assert_uint_eq(c.count, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_int_eq(c.steps[i].code, codes[i]);
    fixture_release(&f);
}
END_TEST

// A program that would leave its stack, its slots or itself is none.
START_TEST(hostile_programs_are_none)
{
    const struct {
        struct known_step steps[4];
        uint32_t count;
    } bad[] = {
        {{{.code = HONE_CORE_ADD}}, 1},
        {{{.code = KNOWN_STEP_PUSH}, {.code = KNOWN_STEP_PUSH}}, 2},
        {{{.code = KNOWN_STEP_SLOT, .i = 3}}, 1},
        {{{.code = KNOWN_STEP_SLOT, .i = -1}}, 1},
        {{{.code = KNOWN_STEP_PUSH}, {.code = KNOWN_STEP_JUMP, .i = 0}}, 2},
        {{{.code = KNOWN_STEP_PUSH}, {.code = KNOWN_STEP_JUMP, .i = 9}}, 2},
        {{{.code = KNOWN_STEP_PUSH},
          {.code = KNOWN_STEP_UNLESS, .i = 3},
          {.code = KNOWN_STEP_PUSH}},
         3},
        {{{.code = KNOWN_STEP_PUSH},
          {.code = KNOWN_STEP_AND, .i = 3},
          {.code = KNOWN_STEP_PUSH},
          {.code = HONE_CORE_ADD}},
         4},
        {{{.code = 99}}, 1},
        {{{.code = -1}}, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(known_program_check(bad[i].steps, bad[i].count, 3) == 0, "program %zu", i);
    ck_assert_uint_eq(known_program_check(bad[0].steps, 0, 3), 0);
    const struct known_step good[] = {{.code = KNOWN_STEP_SLOT, .i = 2}};
    ck_assert_uint_eq(known_program_check(good, 1, 3), 1);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("deploy_compile");
    TCase *t = tcase_create("deploy_compile");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 300);
    tcase_add_test(t, programs_give_what_expressions_give);
    tcase_add_test(t, generated_c_gives_the_same);
    tcase_add_test(t, what_cannot_be_compiled_is_refused_by_name);
    tcase_add_test(t, known_parts_fall_away);
    tcase_add_test(t, hostile_programs_are_none);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
