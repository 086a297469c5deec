// The schema for editors: valid JSON, with every key of both forms in its place and explained.
#include "problem/spec.h"

#include <check.h>
#include <jansson.h>
#include <string.h>

static json_t *schema;

static void read_schema(void)
{
    struct text text = TEXT_INIT;
    json_error_t why;
    spec_schema(&text);
    schema = json_loadb(text_cstr(&text), text.length, JSON_REJECT_DUPLICATES, &why);
    ck_assert_msg(schema != NULL, "line %d: %s", why.line, why.text);
    text_release(&text);
}

// The schema of a key: "a.b[].c" by way of properties, additionalProperties and items.
static const json_t *schema_of(const char *form, const char *path)
{
    const json_t *at = json_object_get(schema, form);
    while (at && *path) {
        char name[128];
        size_t length = strcspn(path, ".[");
        ck_assert_uint_lt(length, sizeof name);
        memcpy(name, path, length);
        name[length] = '\0';
        at = strcmp(name, "*") == 0 ? json_object_get(at, "additionalProperties")
                                    : json_object_get(json_object_get(at, "properties"), name);
        path += length;
        if (strncmp(path, "[]", 2) == 0) {
            const json_t *items = json_object_get(at, "items");
            at = items ? items : at;
            path += 2;
        }
        path += *path == '.';
    }
    return at;
}

static void check_keys_there(const char *form, const struct spec_key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const json_t *at = schema_of(form, keys[i].path);
        const char *text = json_string_value(json_object_get(at, "description"));
        ck_assert_msg(text && strncmp(text, keys[i].meaning, strlen(keys[i].meaning)) == 0,
                      "%s is not in the schema", keys[i].path);
        ck_assert_msg(keys[i].accepts == KEY_ANY ||
                          json_array_size(json_object_get(at, "type")) > 0,
                      "%s has no type", keys[i].path);
    }
}

START_TEST(test_every_key)
{
    size_t count, more;
    const struct spec_key *t1 = spec_keys(&count), *keys = spec_short_keys(&more);
    read_schema();
    ck_assert_uint_gt(more, 70);
    check_keys_there("then", t1, count);
    check_keys_there("else", keys, more);
    json_decref(schema);
}
END_TEST

// Keys of a launch stand in a language and a reference, too; one object may stand for a list of one.
START_TEST(test_places)
{
    read_schema();
    ck_assert_ptr_nonnull(schema_of("else", "languages.*.kernel"));
    ck_assert_ptr_nonnull(schema_of("else", "launches[].languages.*.global"));
    ck_assert_ptr_nonnull(schema_of("else", "reference.function"));
    ck_assert_ptr_null(schema_of("else", "languages.*.arguments"));
    ck_assert_ptr_nonnull(schema_of("then", "KernelSpecification.Languages.*.KernelFile"));
    ck_assert_ptr_nonnull(
        json_object_get(json_object_get(schema_of("then", "Budget"), "properties"), "BudgetValue"));
    json_decref(schema);
}
END_TEST

// The rows of the short form are complete, and each stands once.
START_TEST(test_short_rows)
{
    size_t count;
    const struct spec_key *keys = spec_short_keys(&count);
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(keys[i].type && keys[i].fallback && keys[i].meaning && keys[i].accepts, "%s",
                      keys[i].path);
        for (size_t other = 0; other < i; other++)
            ck_assert_msg(strcmp(keys[i].path, keys[other].path) != 0, "%s stands twice",
                          keys[i].path);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("schema");
    TCase *tests = tcase_create("schema");
    tcase_add_test(tests, test_every_key);
    tcase_add_test(tests, test_places);
    tcase_add_test(tests, test_short_rows);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
