// Tables of fields: each kind as JSON, and what is not known.
#include "base/fields.h"

#include "suite.h"

#include <math.h>

struct part {
    uint64_t number;
};

struct whole {
    const char *text;
    double number;
    bool is_known;
    const struct part *part;
    struct part parts[2];
    uint64_t numbers[2];
    const char *words[2];
};

#define PART(X) X(U64, number, (v->number + (c ? c->number : 0)), "ns", "of a part")
FIELDS(part_fields, struct part, struct part, PART)

static void emit_each(const void *record, const void *context, struct emit *j)
{
    const struct whole *v = record;
    emit_record(j, &part_fields, &v->parts[1], context);
}

static void emit_put(const void *record, const void *context, struct emit *j)
{
    (void)context;
    emit_i64(j, -(int64_t)((const struct part *)record)->number);
}

#define WHOLE(X)                                                                                   \
    X(TEXT, text, (v->text), "", "")                                                               \
    X(SOME, some, (v->text), "", "")                                                               \
    X(JSON, json, ("[1, 2]"), "[]", "")                                                            \
    X(BOOL, flag, (v->is_known), "", "")                                                           \
    X(KNOWN, known, (v->is_known, 7), "", "")                                                      \
    X(MAYBE, maybe, (v->is_known, true), "", "")                                                   \
    X(F64, number, (v->number), "s", "")                                                           \
    X(PAIR, pair, (v->is_known, 1, 2.5), "", "")                                                   \
    X(U64S, numbers, (v->is_known, v->numbers, 2), "", "")                                         \
    X(TEXTS, words, (v->words, 2), "", "")                                                         \
    X(TEXT, made, (arena_printf(a, "%d%s", 4, "2")), "", "")                                       \
    X(RECORD, record, (part_fields, v->part), "", "")                                              \
    X(WITHIN, within, (part_fields, v->part, &v->parts[0]), "", "")                                \
    X(PART, absent, (part_fields, v->part), "", "")                                                \
    X(MEMBERS, members, (part_fields, v->part), "", "")                                            \
    X(RECORDS, records, (part_fields, v->parts, 2), "", "")                                        \
    X(LIST, list, (part_fields, v->is_known, v->parts, 1), "", "")                                 \
    X(EACH, each, (part_fields, emit_each, v), "", "")                                             \
    X(PUT, put, (emit_put, &v->parts[1]), "", "")
FIELDS(whole_fields, struct whole, struct part, WHOLE)

static void check_line(const struct whole *v, const char *expected)
{
    struct text out = TEXT_INIT;
    fields_line(&whole_fields, v, NULL, &out);
    ck_assert_str_eq(text_cstr(&out), expected);
    text_release(&out);
}

START_TEST(known)
{
    static const struct part part = {5};
    const struct whole v = {"a", 0.5, true, &part, {{1}, {2}}, {3, 4}, {"x", NULL}};
    check_line(
        &v,
        "{\"text\":\"a\",\"some\":\"a\",\"json\":[1, 2],\"flag\":true,\"known\":7,\"maybe\":true,"
        "\"number\":0.5,\"pair\":[1.0,2.5],\"numbers\":[3,4],\"words\":[\"x\",null],\"made\":"
        "\"42\","
        "\"record\":{\"number\":5},\"within\":{\"number\":6},\"absent\":{\"number\":5},\"number\":"
        "5,"
        "\"records\":[{\"number\":1},{\"number\":2}],\"list\":[{\"number\":1}],"
        "\"each\":[{\"number\":2}],\"put\":-2}\n");
}
END_TEST

START_TEST(not_known)
{
    const struct whole v = {"", NAN, false, NULL, {{1}, {2}}, {3, 4}, {"x", "y"}};
    check_line(
        &v,
        "{\"text\":\"\",\"some\":null,\"json\":[1, 2],\"flag\":false,\"known\":null,\"maybe\":null,"
        "\"number\":null,\"pair\":null,\"numbers\":null,\"words\":[\"x\",\"y\"],\"made\":\"42\","
        "\"record\":null,\"within\":null,\"records\":[{\"number\":1},{\"number\":2}],\"list\":null,"
        "\"each\":[{\"number\":2}],\"put\":-2}\n");
}
END_TEST

START_TEST(described)
{
    ck_assert_str_eq(part_fields.rows[0].name, "number");
    ck_assert_str_eq(part_fields.rows[0].unit, "ns");
    ck_assert_str_eq(part_fields.rows[0].meaning, "of a part");
    ck_assert_ptr_eq(whole_fields.rows[11].of, &part_fields);
    ck_assert_ptr_null(whole_fields.rows[0].of);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, known);
    tcase_add_test(tests, not_known);
    tcase_add_test(tests, described);
}

int main(void)
{
    return suite_run("fields", add);
}
