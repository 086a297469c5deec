// What directives say of names.
#include "extras/init/survey.h"

#include "../base/suite.h"

START_TEST(names_are_surveyed)
{
    static const char text[] =
        "#ifndef TILE // a default\n  #define TILE 16\n#endif\n"
        "#ifndef GUARD_H\n#define GUARD_H\n#endif\n"
        "#if !defined(ALSO)\n#define ALSO (4)\n#endif\n"
        "#define OWN 7\n#ifndef TILE\n#define TILE 64\n#endif\n"
        "#if V == 1\n#elif V == 2\n#endif\n"
        "#if SWITCH\n#endif\n#if SIZE >= 512\n#endif\n"
        "#if C == 1\n#else\n#endif\n"
        "#ifdef GIVEN\n#define LANES GIVEN\n#else\n#define LANES 64\n#endif\n"
        "#define TWICE 1\n#undef TWICE\n#define ONE 8\n#define SUM (ONE + 1)\n";
    struct arena arena;
    struct lone_text lone;
    struct survey_of_names s;
    arena_init(&arena);
    ck_assert(lone_text_read(text, sizeof text - 1, &arena, &lone) &&
              survey_read(&lone, &arena, &s));
    ck_assert_str_eq(survey_find(&s, "TILE")->initial, "16");
    ck_assert_str_eq(survey_find(&s, "ALSO")->initial, "(4)");
    ck_assert_ptr_null(survey_find(&s, "GUARD_H")->initial);
    ck_assert(survey_find(&s, "OWN")->is_defined);
    ck_assert_uint_eq(survey_find(&s, "V")->compared_count, 2);
    ck_assert(!survey_find(&s, "V")->has_chain_end);
    ck_assert(survey_find(&s, "C")->has_chain_end);
    ck_assert(survey_find(&s, "SWITCH")->is_bare);
    ck_assert(survey_find(&s, "SIZE")->compared_order);
    ck_assert_str_eq(survey_find(&s, "GIVEN")->initial, "64");
    ck_assert(survey_find(&s, "OWN")->is_own_number);
    ck_assert(survey_find(&s, "ONE")->is_own_number);
    ck_assert(!survey_find(&s, "TWICE")->is_own_number);
    ck_assert(!survey_find(&s, "LANES")->is_own_number);
    ck_assert(!survey_find(&s, "SUM")->is_own_number);
    arena_release(&arena);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, names_are_surveyed);
}

int main(void)
{
    return suite_run("survey", add);
}
