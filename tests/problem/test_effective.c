// When two configurations are the same work, and, more important, when they are not.
#include "fixture.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char spec_text[] =
    "{\"Constants\": {\"N\": 64},"
    " \"ConfigurationSpace\": {\"TuningParameters\": ["
    "  {\"Name\": \"A\", \"Type\": \"int\", \"Values\": \"[0, 1, 2]\"},"
    "  {\"Name\": \"B\", \"Type\": \"int\", \"Values\": \"[0, 1, 2]\"},"
    "  {\"Name\": \"T\", \"Type\": \"string\", \"Values\": \"['float', 'A', 'unsigned int']\"},"
    "  {\"Name\": \"local\", \"Type\": \"int\", \"Values\": \"[8, 16]\"}]},"
    " \"KernelSpecification\": {\"Language\": \"OpenCL\", \"KernelName\": \"k\","
    "  \"KernelFile\": \"k.cl\", \"GlobalSize\": {\"X\": \"N\"}, \"LocalSize\": {\"X\": \"local\"},"
    "  \"Arguments\": [{\"Name\": \"o\", \"Type\": \"int\", \"MemoryType\": \"Vector\","
    "    \"AccessType\": \"WriteOnly\", \"Size\": \"N\"}]}}";

// Do the two configurations give one digest?
static const struct {
    const char *what;
    const char *source;
    const char *one, *two;
    bool same;
} pairs[] = {
    {"value in the text", "int x = A;\n", "A=0", "A=1", false},
    {"value nowhere", "int x = B;\n", "A=0", "A=1", true},
    {"in a comment only", "int x; // A\n/* A\n A */\n", "A=0", "A=1", true},
    {"part of a longer name", "int AB, xA, A1;\n", "A=0", "A=1", true},
    {"in a string, which a _Pragma may be", "_Pragma(\"unroll A\")\n", "A=0", "A=1", false},
    {"in a #pragma", "#pragma unroll A\n", "A=0", "A=1", false},
    {"a split name", "int x = \\\nA;\n", "A=0", "A=1", false},
    {"split inside", "#define AA 1\nint x = A\\\n;\n", "A=0", "A=1", false},
    // branches
    {"dead branch", "#if A\nint x = B;\n#endif\n", "A=0,B=0", "A=0,B=1", true},
    {"live branch", "#if A\nint x = B;\n#endif\n", "A=1,B=0", "A=1,B=1", false},
    {"other branch", "#if A\nint x;\n#else\nint y;\n#endif\n", "A=0", "A=1", false},
    {"same branch", "#if A\nint x;\n#else\nint y;\n#endif\n", "A=1", "A=2", true},
    {"equal texts in other lines", "#if A\nint x;\n#else\nint x;\n#endif\n", "A=0", "A=1", false},
    {"elif", "#if A == 0\nint x;\n#elif A == 1\nint y = B;\n#else\nint z;\n#endif\n", "A=2,B=0",
     "A=2,B=1", true},
    {"elif taken", "#if A == 0\nint x;\n#elif A == 1\nint y = B;\n#else\nint z;\n#endif\n",
     "A=1,B=0", "A=1,B=1", false},
    {"nested in a dead one", "#if A > 5\n#if B\nint x;\n#else\nint y;\n#endif\n#endif\n", "B=0",
     "B=1", true},
    {"ifdef", "#ifdef A\nint x;\n#else\nint y = B;\n#endif\n", "B=0", "B=1", true},
    {"ifndef guard", "#ifndef A\n#define A B\n#endif\nint x;\n", "B=0", "B=1", true},
    {"undecided", "#if OTHER\nint x;\n#else\nint y = B;\n#endif\n", "B=0", "B=1", false},
    {"undecided with a value", "#if OTHER > A\nint x;\n#endif\n", "A=0", "A=1", false},
    {"decided by half", "#if A > 5 && OTHER > B\nint x;\n#endif\n", "B=0", "B=1", true},
    {"a value that is not an integer", "#if T\nint x;\n#endif\n", "T=float", "T='unsigned int'",
     false},
    {"a value that is not an expression", "#if B || T\nint x;\n#endif\n", "B=1,T=float",
     "B=1,T='unsigned int'", false},
    // macros
    {"in a macro's body", "#define X (A + 1)\nint x;\n", "A=0", "A=1", false},
    {"a condition on a macro", "#define X A\n#if X\nint x;\n#endif\n", "A=0", "A=1", false},
    {"the source's own macro", "#define OWN\n#ifndef OWN\nint x = B;\n#endif\n", "B=0", "B=1",
     true},
    {"its own, taken back", "#define OWN\n#undef OWN\n#ifdef OWN\nint x = B;\n#endif\n", "B=0",
     "B=1", true},
    {"its own, perhaps", "#if OTHER\n#define OWN\n#endif\n#ifndef OWN\nint x = B;\n#endif\n", "B=0",
     "B=1", false},
    {"its own value", "#define OWN 2\n#if OWN == 1\nint x = B;\n#endif\n", "B=0", "B=1", true},
    {"its own value is another's", "#define OWN A\n#if OWN == 1\nint x = B;\n#endif\n", "B=0",
     "B=1", true},
    {"its own value, perhaps", "#define OWN OTHER\n#if OWN == 1\nint x = B;\n#endif\n", "B=0",
     "B=1", false},
    {"its own value beside what decides", "#define OWN (A)\n#if 0 && OWN\nint x = B;\n#endif\n",
     "B=0", "B=1", true},
    {"pasted together", "#define P(a, b) a##b\nint x = P(,A);\n", "B=0", "B=1", false},
    {"a value names another", "T x;\n", "T=A,A=0", "T=A,A=1", false},
    {"a value names no other", "T x;\n", "T=float,A=0", "T=float,A=1", true},
    {"a computed include", "#define H \"k.h\"\n#include H\n", "A=0", "A=1", false},
    {"digraphs", "%:if A\nint x;\n%:endif\n", "A=0", "A=1", false},
    {"trigraphs", "?\?=if A\nint x;\n?\?=endif\n", "A=0", "A=1", false},
    {"unbalanced", "int x;\n#endif\n", "A=0", "A=1", false},
    {"never closed", "#if 0\nint x;\n", "A=0", "A=1", false},
    {"raw strings", "auto x = R\"(#if 0)\";\n", "A=0", "A=1", false},
    {"a comment split over lines", "/\\\n* A */\nint x;\n", "A=0", "A=1", false},
    // includes
    {"in an include", "#include \"uses_a.h\"\n", "A=0", "A=1", false},
    {"not in an include", "#include \"uses_a.h\"\n", "B=0", "B=1", true},
    {"in a dead include", "#if B\n#include \"uses_a.h\"\n#endif\n", "A=0", "A=1", true},
    {"an include that is not here", "#include <other.h>\n", "A=0", "A=1", false},
    {"a dead one that is not here", "#if B\n#include <other.h>\n#endif\n", "A=0", "A=1", true},
    {"an include guard", "#include \"guarded.h\"\n#include \"guarded.h\"\n", "B=0", "B=1", true},
    {"an include without end", "#include \"endless.h\"\n", "B=0", "B=1", false},
    // sizes
    {"local size alone", "int x;\n", "local=8", "local=16", false},
};

static void write_includes(struct fixture *f)
{
    fixture_file(f, "uses_a.h", "int from_include = A;\n");
    fixture_file(f, "guarded.h", "// comment\n#ifndef G\n#define G\nint g = A;\n#endif\n");
    fixture_file(f, "endless.h", "#include \"endless.h\"\n");
    fixture_file(f, "k.h", "int k;\n");
}

static void digest_one(struct fixture *f, const char *configuration, struct digest *out)
{
    struct job *job = fixture_job(f, configuration, NULL);
    ck_assert(spec_effective_digest(f->spec, f->sources, job, out));
    job_free(job);
}

START_TEST(test_pair)
{
    struct fixture f;
    struct digest one, two, again;
    fixture_start(&f);
    write_includes(&f);
    fixture_file(&f, "k.cl", pairs[_i].source);
    fixture_load(&f, spec_text);
    fixture_sources(&f, LANGUAGE_OPENCL);
    digest_one(&f, pairs[_i].one, &one);
    digest_one(&f, pairs[_i].one, &again);
    digest_one(&f, pairs[_i].two, &two);
    ck_assert_msg(digest_equal(&one, &again), "%s: not repeatable", pairs[_i].what);
    ck_assert_msg(digest_equal(&one, &two) == pairs[_i].same, "%s: %s and %s must be %s",
                  pairs[_i].what, pairs[_i].one, pairs[_i].two,
                  pairs[_i].same ? "the same" : "different");
    fixture_end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spec_effective");
    TCase *cases = tcase_create("pairs");
    tcase_add_loop_test(cases, test_pair, 0, sizeof pairs / sizeof pairs[0]);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
