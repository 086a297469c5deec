// Specs that were never a file.
#include "../base/suite.h"
#include "fixture.h"

#include <string.h>

// Everything is copied: what it was made from may go.
START_TEST(copies_parameters)
{
    char name[] = "block", text[] = "row";
    struct value values[2] = {value_string(text), value_string("column")}, number = value_int(8);
    struct parameter from[] = {
        {.name = name, .type = PARAMETER_STRING, .values = values, .count = 2, .initial = 1},
        {.name = "n", .path = "list[1]", .type = PARAMETER_INT, .values = &number, .count = 1}};
    struct error e = ERROR_INIT;
    struct spec *s = spec_bare("gemm", from, 2, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    memset(name, 'x', sizeof name);
    memset(text, 'x', sizeof text);
    memset(values, 0, sizeof values);
    memset(from, 0, sizeof from);
    ck_assert_str_eq(s->name, "gemm");
    ck_assert_str_eq(s->path, "gemm");
    ck_assert_uint_eq(s->parameter_count, 2);
    ck_assert_str_eq(s->parameters[0].name, "block");
    ck_assert_str_eq(s->parameters[0].path, "block");
    ck_assert_str_eq(s->parameters[0].values[0].s, "row");
    ck_assert_uint_eq(s->parameters[0].initial, 1);
    ck_assert_str_eq(s->parameters[1].path, "list[1]");
    ck_assert_uint_eq(s->restriction_count + s->metric_count + s->constant_count, 0);
    spec_free(s);
}
END_TEST

// What works on every spec works on it.
START_TEST(is_a_spec)
{
    struct value values[] = {value_int(4), value_int(8)};
    struct parameter p = {.name = "tile", .type = PARAMETER_INT, .values = values, .count = 2};
    struct spec *s = spec_bare("gemm", &p, 1, NULL);
    struct text text = TEXT_INIT;
    struct error e = ERROR_INIT;
    uint32_t choice = UINT32_MAX;
    ck_assert_ptr_nonnull(s);
    ck_assert_msg(spec_parse_configuration(s, "tile=8", &choice, &e), "%s", e.text);
    ck_assert_uint_eq(choice, 1);
    spec_configuration_json(s, &choice, &text);
    ck_assert_str_eq(text.data, "{\"tile\": 8}");
    struct arena arena;
    arena_init(&arena);
    struct value *slots = arena_array(&arena, s->slots.count, sizeof *slots), result;
    spec_bind_fixed(s, NULL, slots);
    ck_assert(spec_bind(s, &choice, slots, &arena, NULL, NULL));
    struct expr *x = expr_parse(&arena, "tile * 2 + len(ProblemSize)", &s->symbols, &e);
    ck_assert_msg(x != NULL, "%s", e.text);
    ck_assert_int_eq(expr_eval(x, slots, &arena, &result), EXPR_FAULT_NONE);
    ck_assert_int_eq(result.i, 16);
    arena_release(&arena);
    ck_assert(!spec_has_language(s, LANGUAGE_OPENCL) && !spec_has_language(s, LANGUAGE_CUDA));
    text_release(&text);
    spec_free(s);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, copies_parameters);
    tcase_add_test(tests, is_a_spec);
}

int main(void)
{
    return suite_run("spec_bare", add);
}
