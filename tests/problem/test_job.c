// Jobs made from specs: words for the compiler, sizes, arguments, sources, references.
#include "fixture.h"

#include "problem/data.h"

#include "os/process.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define KERNEL_FILE "\"KernelName\": \"k\", \"KernelFile\": \"k.cl\", "
#define ONE_PARAMETER                                                                              \
    "\"ConfigurationSpace\": {\"TuningParameters\": ["                                             \
    "{\"Name\": \"P\", \"Type\": \"int\", \"Values\": \"[4, 8]\"}]}, "

// The job of the default configuration of a spec with these parts, whose kernel is k.cl.
static struct job *make(struct fixture *f, const char *head, const char *kernel, enum language l,
                        const struct device_info *device)
{
    struct text spec = TEXT_INIT;
    text_addf(&spec, "{%s \"KernelSpecification\": {%s}}", head, kernel);
    fixture_load(f, text_cstr(&spec));
    text_release(&spec);
    fixture_sources(f, l);
    return fixture_job(f, "", device);
}

static void start(struct fixture *f, const char *source)
{
    fixture_start(f);
    fixture_file(f, "k.cl", source);
}

static void end(struct fixture *f, struct job *j)
{
    job_free(j);
    fixture_end(f);
}

// ---- words -------------------------------------------------------------------------------------

START_TEST(test_words)
{
    struct fixture f;
    start(&f, "grid_size_x kernel_tuner");
    struct job *j =
        make(&f,
             "\"Constants\": {\"T\": \"unsigned int\", \"SCALE\": 1e-3, \"ON\": true, \"LOW\": -5},"
             "\"ConfigurationSpace\": {\"TuningParameters\": ["
             "{\"Name\": \"P\", \"Type\": \"int\", \"Values\": \"[4]\"},"
             "{\"Name\": \"OFF\", \"Type\": \"bool\", \"Values\": \"[False, True]\"},"
             "{\"Name\": \"WHOLE\", \"Type\": \"float\", \"Values\": \"[2, 0.1]\"}],"
             "\"Derived\": [{\"Name\": \"D\", \"Expression\": \"P / 8\"},"
             "{\"Name\": \"LIST\", \"Expression\": \"[P]\"}]},",
             KERNEL_FILE "\"CompilerOptions\": [\"-w\", \"\"], \"GlobalSize\": {\"X\": \"12\"}, "
                         "\"LocalSize\": {\"X\": \"P\"}",
             LANGUAGE_OPENCL, NULL);
    static const char *const words[] = {
        "-w",    "-DHONE=1", "-DT=unsigned int", "-DON=1",  "-DLOW=-5",         "-DSCALE=0.001",
        "-DP=4", "-DOFF=0",  "-DWHOLE=2.0",      "-DD=0.5", "-Dkernel_tuner=1", "-Dgrid_size_x=3"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        ck_assert_msg(program_has(&j->programs[0], words[i]), "%s", words[i]);
    // and -DHONE_SOURCE; no list, no empty option, no grid_size_y
    ck_assert_uint_eq(j->programs[0].option_count, sizeof words / sizeof words[0] + 1);
    end(&f, j);
}
END_TEST

// "#ifndef kernel_tuner" stands around a program's own defaults: without the macro these would
// replace every value.
START_TEST(test_tested_words)
{
    static const char *const texts[] = {"#ifndef kernel_tuner\n#define P 1\n#endif\n",
                                        "#ifdef kernel_tuner\n#endif\n",
                                        "#if !defined(kernel_tuner)\n#define P 1\n#endif\n",
                                        "#define kernel_tuner 1\n#ifndef kernel_tuner\n"
                                        "#define P 1\n#endif\n"};
    struct fixture f;
    start(&f, texts[_i]);
    struct job *j = make(&f, ONE_PARAMETER, KERNEL_FILE "\"GlobalSize\": {\"X\": \"P\"}",
                         LANGUAGE_OPENCL, NULL);
    ck_assert(program_has(&j->programs[0], "-Dkernel_tuner=1"));
    end(&f, j);
}
END_TEST

// No form of an option that names a folder with a blank is known to every OpenCL compiler.
START_TEST(test_blank_in_folder)
{
    struct fixture f;
    bool has_own = false, has_other = false;
    start(&f, "#include \"factor.h\"\n#include \"my headers/more.h\"\n");
    fixture_file(&f, "my headers/factor.h", "#define FACTOR 3\n");
    fixture_file(&f, "my headers/more.h", "#define MORE 4\n");
    struct job *j = make(&f, ONE_PARAMETER,
                         KERNEL_FILE "\"IncludeFolders\": [\"my headers\"], \"GlobalSize\": "
                                     "{\"X\": \"P\"}",
                         LANGUAGE_OPENCL, NULL);
    const struct job_program *p = &j->programs[0];
    for (uint32_t i = 0; i < p->folder_count; i++)
        ck_assert_msg(!strchr(p->folders[i], ' '), "%s", p->folders[i]);
    for (uint32_t i = 0; i < p->file_count; i++) {
        has_own |= strcmp(p->files[i].path, "my_headers/factor.h") == 0;
        has_other |= strcmp(p->files[i].path, "my headers/more.h") == 0;
    }
    ck_assert(has_own && has_other);
    end(&f, j);
}
END_TEST

START_TEST(test_source_digest)
{
    char hex[65], word[64];
    struct digest digest, changed;
    struct fixture f;
    start(&f, "#include \"h.h\"\n");
    fixture_file(&f, "h.h", "int a;\n");
    struct job *j = make(&f, ONE_PARAMETER, KERNEL_FILE "\"GlobalSize\": {\"X\": \"P\"}",
                         LANGUAGE_OPENCL, NULL);
    spec_sources_digest(f.sources, &digest);
    digest_hex(&digest, hex);
    snprintf(word, sizeof word, "-DHONE_SOURCE=0x%.16s", hex);
    ck_assert_msg(program_has(&j->programs[0], word), "%s", word);
    job_free(j);
    // A changed include is another digest.
    fixture_file(&f, "h.h", "int b;\n");
    spec_sources_free(f.sources);
    fixture_sources(&f, LANGUAGE_OPENCL);
    spec_sources_digest(f.sources, &changed);
    ck_assert(!digest_equal(&digest, &changed));
    fixture_end(&f);
}
END_TEST

// ---- files that are read where they lie --------------------------------------------------------

// "%" stands for the fixture's folder.
static const struct outside {
    const char *what;
    const char *text, *options;
    const char *folders; // of the device's compiler
    enum language language;
    bool unseen;  // not all is found
    bool changes; // other contents of elsewhere/h.h are another digest
} outsides[] = {
    {"a file named whole", "#include \"%/elsewhere/h.h\"\n", "", NULL, LANGUAGE_OPENCL, false,
     true},
    {"through such a file", "#include \"%/elsewhere/by.h\"\n", "", NULL, LANGUAGE_OPENCL, false,
     true},
    {"by an option", "", "\"-include\", \"%/elsewhere/h.h\"", NULL, LANGUAGE_OPENCL, false, true},
    {"by an option, in one word", "", "\"--pre-include=%/elsewhere/h.h\"", NULL, LANGUAGE_CUDA,
     false, true},
    {"by an option, from a folder of the spec", "", "\"-include\", \"elsewhere/h.h\"", NULL,
     LANGUAGE_OPENCL, false, true},
    {"by an option, nowhere", "", "\"-include\", \"nowhere.h\"", NULL, LANGUAGE_OPENCL, true,
     false},
    {"a folder of an option", "#include <h.h>\n", "\"-isystem\", \"%/elsewhere\"", NULL,
     LANGUAGE_OPENCL, false, true},
    {"a folder that depends on the compiler's", "#include <h.h>\n", "\"-isystem\", \"elsewhere\"",
     NULL, LANGUAGE_OPENCL, true, false},
    {"a name that a macro gives", "#define H \"elsewhere/by.h\" // which\n#include H\n", "", NULL,
     LANGUAGE_OPENCL, false, true},
    {"a name that an option gives", "#include H\n", "\"-DH=\\\\\\\"elsewhere/h.h\\\\\\\"\"", NULL,
     LANGUAGE_OPENCL, false, true},
    {"a name that an option gives, in <>", "# include H \n", "\"-DH=<%/elsewhere/h.h>\"", NULL,
     LANGUAGE_CUDA, false, true},
    {"one of two names",
     "#ifdef X\n#define H \"elsewhere/h.h\"\n#else\n#define H \"k.cl\"\n#endif\n"
     "#include H\n",
     "", NULL, LANGUAGE_OPENCL, true, false},
    {"a name from a file that a name gives",
     "#define H \"elsewhere/h.h\"\n#define A \"again.h\"\n#include A\n#include H\n", "", NULL,
     LANGUAGE_OPENCL, true, false},
    {"a name by another", "#define G H\n#define H \"elsewhere/h.h\"\n#include G\n", "", NULL,
     LANGUAGE_OPENCL, true, false},
    {"a file that is embedded", "#embed \"elsewhere/h.h\" limit(4)\n", "", NULL, LANGUAGE_C, true,
     false},
    {"an apostrophe in a number", "int a = 1'000; // define what include gives\n", "", NULL,
     LANGUAGE_OPENCL, false, false},
    {"what hone leaves out", "#ifndef HONE\n#include <h.h>\n#endif\n", "", NULL, LANGUAGE_OPENCL,
     false, false},
    {"the next of a name", "#include_next <h.h>\n", "", NULL, LANGUAGE_CUDA, true, false},
    {"the next of a name, in the compiler's own folders", "#include <h.h>\n", "",
     "%/next:%/elsewhere", LANGUAGE_C, false, true},
    {"the next of a name, and there is none", "#include <h.h>\n", "", "%/elsewhere:%/next",
     LANGUAGE_C, false, true},
    {"a file that is nowhere", "#include <h.h>\n", "", NULL, LANGUAGE_OPENCL, true, false},
    {"what the other language includes",
     "#ifdef __CUDACC__\n#include <h.h>\n#elif __CUDA_ARCH__ > 700\n#include <h.h>\n#endif\n"
     "#if !defined(__OPENCL_VERSION__)\n#include <h.h>\n#endif\n",
     "", NULL, LANGUAGE_OPENCL, false, false},
    {"what either may include", "#ifdef SOME\n#include <h.h>\n#endif\n", "", NULL, LANGUAGE_OPENCL,
     true, false},
    {"the compiler's own folder", "#include <by.h>\n", "", "%/other:%/elsewhere", LANGUAGE_CUDA,
     false, true},
    {"the folder that the compiler runs in", "#include \"nowhere.h\"\n", "", "%/elsewhere",
     LANGUAGE_CUDA, true, false},
    {"headers that hone supplies", "#include <stdio.h>\n#include <math.h>\n#include <cstdint>\n",
     "", NULL, LANGUAGE_CUDA, false, false},
    {"headers that it supplies to another language", "#include <stdio.h>\n", "", NULL,
     LANGUAGE_OPENCL, true, false},
    {"the compiler's own folder, not known", "#include <by.h>\n", "", NULL, LANGUAGE_CUDA, true,
     false},
};

static void put_folder(const struct fixture *f, const char *text, struct text *out)
{
    text_clear(out);
    for (; *text; text++) {
        if (*text == '%')
            text_add(out, f->folder);
        else
            text_addc(out, *text);
    }
    text_add(out, "");
}

static void count_told(void *context, enum log_level level, const char *message)
{
    unsigned *told = context;
    *told += level == LOG_WARNING && strstr(message, "--also unseen") != NULL;
}

static void read_again(struct fixture *f, const struct outside *o, struct digest *digest)
{
    struct text folders = TEXT_INIT;
    unsigned told = 0;
    struct log log = {count_told, &told};
    struct device_info device = {.language = o->language};
    put_folder(f, o->folders ? o->folders : "", &folders);
    device.include_folders = o->folders ? text_cstr(&folders) : NULL;
    spec_sources_free(f->sources);
    f->sources = spec_sources_read(f->spec, o->language, &device, &log, &f->error);
    ck_assert_msg(f->sources != NULL, "%s: %s", o->what, f->error.text);
    ck_assert_msg(told == o->unseen, "%s: told %u times", o->what, told);
    spec_sources_digest(f->sources, digest);
    text_release(&folders);
}

// What is found is in the digest; results of what is not answer for their own run alone.
START_TEST(test_files_outside)
{
    struct fixture f;
    struct digest before, again, after;
    const struct outside *o = &outsides[_i];
    struct text text = TEXT_INIT, options = TEXT_INIT, kernel = TEXT_INIT;
    fixture_start(&f);
    fixture_file(&f, "elsewhere/h.h", "int a;\n");
    fixture_file(&f, "next/h.h", "#include_next <h.h>\n");
    // A toolkit's headers include what they need elsewhere; NVRTC reads no other folder.
    fixture_file(&f, "elsewhere/by.h",
                 o->language == LANGUAGE_CUDA ? "#include \"h.h\"\n#include <stdlib.h>\n"
                                              : "#include \"h.h\"\n");
    fixture_file(&f, "again.h", "#undef H\n#define H \"other.h\"\n");
    put_folder(&f, o->text, &text);
    fixture_file(&f, "k.cl", text_cstr(&text));
    put_folder(&f, o->options, &options);
    text_addf(
        &kernel,
        "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"P\", \"Type\": \"int\", "
        "\"Values\": \"[1, 2]\", \"Default\": 1}]}, \"KernelSpecification\": {\"Language\": "
        "\"%s\", \"KernelName\": \"k\", \"KernelFile\": \"k.cl\", \"CompilerOptions\": [%s], "
        "\"GlobalSize\": {\"X\": \"P\"}, \"LocalSize\": {\"X\": \"P\"}, \"Arguments\": []}}",
        language_title(o->language), text_cstr(&options));
    fixture_load(&f, text_cstr(&kernel));
    read_again(&f, o, &before);
    struct job *j = fixture_job(&f, "P=2", NULL);
    ck_assert_msg(job_is_unseen(j) == o->unseen, "%s", o->what);
    ck_assert_msg(j->programs[0].outside == (o->unseen || j->programs[0].file_count < o->changes),
                  "%s", o->what);
    job_free(j);
    read_again(&f, o, &again);
    ck_assert_msg(digest_equal(&before, &again), "%s", o->what);
    fixture_file(&f, "elsewhere/h.h", "int b;\n");
    read_again(&f, o, &after);
    ck_assert_msg(digest_equal(&before, &after) == !o->changes, "%s", o->what);
    text_release(&text);
    text_release(&options);
    text_release(&kernel);
    fixture_end(&f);
}
END_TEST

// ---- what no compiler shall show ---------------------------------------------------------------

static const struct {
    const char *what, *text, *told;
} leading_out[] = {
    {"a name that a macro makes", "#define H(x) <x>\n#include H(/etc/passwd)\n", "line 2"},
    {"a name that a parameter gives", "#ifndef P\n#define P \"k.cl\"\n#endif\n#include P\n",
     "line 4"},
    {"a name that nothing gives", "#include H\n", "line 1"},
    {"by another name", "#define G H\n#define H \"/etc/passwd\"\n#include G\n", "line 3"},
    {"one of two", "#define H \"k.cl\"\n#undef H\n#define H \"/etc/passwd\"\n#include H\n",
     "line 4"},
    {"embedded", "#embed \"/etc/passwd\" limit(9)\n", "line 1"},
    {"imported", "#import </etc/passwd>\n", "line 1"},
    {"the next", "#include_next \"/etc/passwd\"\n", "line 1"},
    {"behind a digraph", "%:include \"/etc/passwd\"\n", "line 1"},
    {"behind a trigraph", "?\?=include \"/etc/passwd\"\n", "line 1"},
    {"in two lines", "#incl?\?/\nude \"/etc/passwd\"\n", "line 1"},
    {"behind a string that ends otherwise",
     "char *a = \"?\?/\" /* \";\n#include \"/etc/passwd\"\n/**/\n", "line 2"},
    {"behind a raw string", "auto a = R\"(\" /* )\";\n#include \"/etc/passwd\"\n/**/\n", "line 2"},
    {"behind an apostrophe", "int a = 1'000 /* ';\n#include \"/etc/passwd\"\n/**/\n", "line 2"},
    {"behind half a comment's end", "/* *\\\n/\n#include \"/etc/passwd\"\n/**/\n", "line 2"},
};

// Lines of a file that nobody named would stand in the build log.
START_TEST(test_leads_out)
{
    struct fixture f;
    fixture_start(&f);
    fixture_file(&f, "k.cl", leading_out[_i].text);
    fixture_load(&f, "{\"ConfigurationSpace\": {\"TuningParameters\": [{\"Name\": \"P\", \"Type\": "
                     "\"int\", \"Values\": \"[1, 2]\", \"Default\": 1}]}, \"KernelSpecification\": "
                     "{\"Language\": \"OpenCL\", \"KernelName\": \"k\", \"KernelFile\": \"k.cl\", "
                     "\"GlobalSize\": {\"X\": \"P\"}, \"LocalSize\": {\"X\": \"P\"}, "
                     "\"Arguments\": []}}");
    f.sources = spec_sources_read(f.spec, LANGUAGE_OPENCL, NULL, NULL, &f.error);
    ck_assert_msg(f.sources == NULL, "%s is read", leading_out[_i].what);
    ck_assert_msg(strstr(f.error.text, "outside of the folders") &&
                      strstr(f.error.text, leading_out[_i].told),
                  "%s: %s", leading_out[_i].what, f.error.text);
    fixture_end(&f);
}
END_TEST

// ---- sizes -------------------------------------------------------------------------------------

static const struct {
    const char *what;
    const char *kernel; // keys of KernelSpecification
    uint64_t global[3], local[3];
    uint32_t dimensions;
} sizes[] = {
    {"work-items",
     "\"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": {\"X\": \"P\"}",
     {64, 1, 1},
     {4, 1, 1},
     1},
    {"work-items, rounded up",
     "\"GlobalSize\": {\"X\": \"9\", \"Y\": \"3\"}, "
     "\"LocalSize\": {\"X\": \"P\", \"Y\": \"2\"}",
     {12, 4, 1},
     {4, 2, 1},
     2},
    {"work-groups",
     "\"GlobalSizeType\": \"CUDA\", \"GlobalSize\": {\"X\": \"9\", \"Z\": \"2\"}, "
     "\"LocalSize\": {\"X\": \"P\"}",
     {36, 1, 2},
     {4, 1, 1},
     3},
    {"local size of more axes",
     "\"GlobalSize\": {\"X\": \"8\"}, "
     "\"LocalSize\": {\"X\": \"P\", \"Y\": \"2\"}",
     {8, 2, 1},
     {4, 2, 1},
     2},
    {"driver's choice", "\"GlobalSize\": {\"X\": \"9\"}", {9, 1, 1}, {0, 0, 0}, 1},
    {"problem by divisors",
     "\"ProblemSize\": [100, 10], \"GridDivX\": [\"P\", 3], "
     "\"GridDivY\": [\"2\"], \"LocalSize\": {\"X\": \"P\"}",
     {36, 5, 1},
     {4, 1, 1},
     2},
    {"problem by local size",
     "\"ProblemSize\": 10, \"LocalSize\": {\"X\": \"P\"}",
     {12, 1, 1},
     {4, 1, 1},
     1},
    {"problem told",
     "\"ProblemSize\": [10], \"GlobalSizeFrom\": \"ProblemSize\", "
     "\"GlobalSize\": {\"X\": \"77\"}, \"LocalSize\": {\"X\": \"P\"}",
     {12, 1, 1},
     {4, 1, 1},
     1},
    {"problem size first",
     "\"ProblemSize\": [10], \"GlobalSize\": {\"X\": \"ProblemSize[0] * 2\"}, "
     "\"LocalSize\": {\"X\": \"P\"}",
     {12, 1, 1},
     {4, 1, 1},
     1},
    {"global size told",
     "\"ProblemSize\": [10], \"GlobalSize\": {\"X\": \"ProblemSize[0] * 2\"}, "
     "\"GlobalSizeFrom\": \"GlobalSize\", \"LocalSize\": {\"X\": \"P\"}",
     {20, 1, 1},
     {4, 1, 1},
     1},
    {"an unknown name where nobody looks",
     "\"ProblemSize\": [10], \"GlobalSize\": {\"X\": \"nobody * 2\"}, "
     "\"LocalSize\": {\"X\": \"P\"}",
     {12, 1, 1},
     {4, 1, 1},
     1},
    {"problem of parameters",
     "\"ProblemSize\": [\"P * 5\"], \"GridDivX\": [\"ProblemSize[0] // 2\"], "
     "\"LocalSize\": {\"X\": \"P\"}",
     {8, 1, 1},
     {4, 1, 1},
     1},
    {"no divisor",
     "\"ProblemSize\": [10, 3], \"GridDivX\": [\"P\"], \"GridDivY\": [], "
     "\"LocalSize\": {\"X\": \"P\", \"Y\": \"2\"}",
     {12, 6, 1},
     {4, 2, 1},
     2},
    {"a float without fraction",
     "\"GlobalSize\": {\"X\": \"64 / 4\"}, \"LocalSize\": {\"X\": \"P\"}",
     {16, 1, 1},
     {4, 1, 1},
     1},
};

// Structs in structs, arrays of them, and vectors; CUDA aligns double2 to 16 as OpenCL does.
START_TEST(test_padding)
{
    static const struct {
        const char *type, *padding; // NULL: it is not known
    } cases[] = {
        {"struct {char c; int i;}", "x---xxxx"},
        {"struct {int i; float f;}", ""},
        {"struct {char c; double2 v; struct {short s; char t;} in[2];}",
         "x---------------xxxxxxxxxxxxxxxxxxx-xxx---------"},
        {"custom", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        char kernel[512];
        start(&f, "__kernel void k(__global struct s *out) {}\n");
        snprintf(kernel, sizeof kernel,
                 KERNEL_FILE "\"GlobalSize\": {\"X\": \"P\"}, \"Arguments\": [{\"Name\": \"out\", "
                             "\"Type\": \"%s\", \"TypeSize\": 8, \"MemoryType\": \"Vector\", "
                             "\"AccessType\": \"WriteOnly\", \"Size\": 4}]",
                 cases[i].type);
        struct job *j = make(&f, ONE_PARAMETER, kernel, LANGUAGE_OPENCL, NULL);
        const char *got = j->buffers[0].padding, *wanted = cases[i].padding;
        ck_assert_msg(wanted ? got && strcmp(got, wanted) == 0 : !got, "%s: %s", cases[i].type,
                      got ? got : "NULL");
        ck_assert(!got || !*got || strlen(got) == j->buffers[0].element.custom_bytes);
        end(&f, j);
    }
}
END_TEST

START_TEST(test_sizes)
{
    struct fixture f;
    struct text kernel = TEXT_INIT;
    start(&f, "");
    text_addf(&kernel, KERNEL_FILE "%s", sizes[_i].kernel);
    struct job *j = make(&f, ONE_PARAMETER, text_cstr(&kernel), LANGUAGE_OPENCL, NULL);
    const struct job_launch *l = &j->launches[0];
    ck_assert_msg(memcmp(l->global, sizes[_i].global, sizeof l->global) == 0, "%s: %d %d %d",
                  sizes[_i].what, (int)l->global[0], (int)l->global[1], (int)l->global[2]);
    ck_assert_msg(memcmp(l->local, sizes[_i].local, sizeof l->local) == 0, "%s", sizes[_i].what);
    ck_assert_msg(l->dimensions == sizes[_i].dimensions, "%s", sizes[_i].what);
    text_release(&kernel);
    end(&f, j);
}
END_TEST

START_TEST(test_block_names)
{
    struct fixture f;
    start(&f, "");
    struct job *j = make(&f,
                         "\"Constants\": {\"block_size_y\": 2}, \"ConfigurationSpace\": "
                         "{\"TuningParameters\": [{\"Name\": \"block_size_x\", \"Type\": \"int\", "
                         "\"Values\": \"[8]\"}]},",
                         KERNEL_FILE "\"ProblemSize\": [20, 5]", LANGUAGE_OPENCL, NULL);
    ck_assert_uint_eq(j->launches[0].local[0], 8);
    ck_assert_uint_eq(j->launches[0].local[1], 2);
    ck_assert_uint_eq(j->launches[0].global[0], 24);
    ck_assert_uint_eq(j->launches[0].global[1], 6);
    end(&f, j);
}
END_TEST

// As the benchmark hub and BAT write it: T1's sizes are there because its schema wants them.
START_TEST(test_block_names_first)
{
    struct fixture f;
    start(&f, "");
    struct job *j = make(&f,
                         "\"ConfigurationSpace\": {\"TuningParameters\": ["
                         "{\"Name\": \"block_size_x\", \"Values\": \"[8]\"},"
                         "{\"Name\": \"tile\", \"Values\": \"[2]\"}]},",
                         KERNEL_FILE "\"ProblemSize\": [40], \"GridDivX\": [\"block_size_x\", "
                                     "\"tile\"], \"GlobalSize\": {\"X\": \"77\"}, "
                                     "\"LocalSize\": {\"X\": \"wrong\", \"Y\": \"3\"}",
                         LANGUAGE_OPENCL, NULL);
    ck_assert_uint_eq(j->launches[0].local[0], 8);
    ck_assert_uint_eq(j->launches[0].local[1], 1);
    ck_assert_uint_eq(j->launches[0].global[0], 24);
    end(&f, j);
}
END_TEST

// ---- unrolling ---------------------------------------------------------------------------------

START_TEST(test_unroll)
{
    static const char source[] = "kernel void k() {\n"
                                 "  # pragma unroll loop_unroll_factor_a\n"
                                 "#pragma unroll (loop_unroll_factor_b)\n"
                                 "#pragma unroll loop_unroll_factor_a2\n"
                                 "}\n";
    struct fixture f;
    start(&f, source);
    struct job *j = make(&f,
                         "\"ConfigurationSpace\": {\"TuningParameters\": ["
                         "{\"Name\": \"P\", \"Values\": [4]},"
                         "{\"Name\": \"loop_unroll_factor_a\", \"Values\": [0, 2]},"
                         "{\"Name\": \"loop_unroll_factor_b\", \"Values\": [2, 0]}]},",
                         KERNEL_FILE "\"GlobalSize\": {\"X\": \"4\"}", LANGUAGE_OPENCL, NULL);
    const struct job_program *p = &j->programs[0];
    const char *text = p->source;
    ck_assert_uint_eq(p->length, strlen(source));
    ck_assert_ptr_null(strstr(text, "loop_unroll_factor_a\n"));
    ck_assert_ptr_nonnull(strstr(text, "#pragma unroll (loop_unroll_factor_b)\n"));
    ck_assert_ptr_nonnull(strstr(text, "#pragma unroll loop_unroll_factor_a2\n"));
    ck_assert(program_has(p, "-Dloop_unroll_factor_a=0"));
    end(&f, j);
}
END_TEST

// ---- launches that repeat ----------------------------------------------------------------------

// The last pass writes the second of the pair, whatever their number, and none writes the first.
START_TEST(test_swap)
{
    static const uint32_t reads[3][3] = {{0}, {0, 2}, {0, 1, 2}};
    static const uint32_t writes[3][3] = {{1}, {2, 1}, {1, 2, 1}};
    struct fixture f;
    struct text kernel = TEXT_INIT;
    uint32_t passes = (uint32_t)_i + 1;
    start(&f, "kernel void k(global float *a, global float *b, int n) {}");
    text_addf(&kernel,
              KERNEL_FILE "\"Repeat\": %u, \"Swap\": [\"a\", \"b\"], \"GlobalSize\": {\"X\": \"4 * "
                          "(pass + 1)\"}, \"Arguments\": ["
                          "{\"Name\": \"a\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "
                          "\"Size\": 9}, "
                          "{\"Name\": \"b\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "
                          "\"AccessType\": \"WriteOnly\", \"Size\": 9}, "
                          "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", "
                          "\"FillExpression\": \"pass\"}]",
              passes);
    struct job *j = make(&f, ONE_PARAMETER, text_cstr(&kernel), LANGUAGE_OPENCL, NULL);
    ck_assert_uint_eq(j->launch_count, passes);
    ck_assert_uint_eq(j->buffer_count, passes > 1 ? 3 : 2);
    for (uint32_t i = 0; i < passes; i++) {
        const struct job_launch *l = &j->launches[i];
        ck_assert_uint_eq(l->arguments[0].buffer, reads[_i][i]);
        ck_assert_uint_eq(l->arguments[1].buffer, writes[_i][i]);
        ck_assert_int_eq(*(const unsigned char *)l->arguments[2].value, (int)i);
        ck_assert_uint_eq(l->global[0], 4 * (i + 1));
    }
    ck_assert(j->buffers[1].output && !j->buffers[0].output);
    ck_assert(passes == 1 || (j->buffers[2].temporary && !j->buffers[2].output));
    text_release(&kernel);
    end(&f, j);
}
END_TEST

// ---- arguments ---------------------------------------------------------------------------------

#define ONE_SIZE "\"GlobalSize\": {\"X\": \"4\"}, \"LocalSize\": {\"X\": \"P\"}, "

static const struct {
    const char *type, *value;
    unsigned char bytes[16];
    uint64_t length;
} scalars[] = {
    {"int32", "258", {2, 1}, 4},
    {"int32", "-1", {255, 255, 255, 255}, 4},
    {"uint8", "255", {255}, 1},
    {"int64", "P * 2**33", {0, 0, 0, 0, 8}, 8},
    {"float", "0.5", {0, 0, 0, 0x3f}, 4},
    {"double", "1", {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, 8},
    {"half", "1", {0, 0x3c}, 2},
    {"bool", "P > 3", {1}, 1},
    {"float2", "1", {0, 0, 0x80, 0x3f, 0, 0, 0x80, 0x3f}, 8},
    {"int16", "2.0", {2, 0}, 2},
    // A vector's components, over i.
    {"int2", "0\", \"FillType\": \"Generator\", \"DataSource\": \"P + i", {4, 0, 0, 0, 5}, 8},
    {"uchar4",
     "0\", \"FillType\": \"Generator\", \"DataSource\": \"[9, 8, 7, 6][i]",
     {9, 8, 7, 6},
     4},
};

START_TEST(test_scalar)
{
    struct fixture f;
    struct text kernel = TEXT_INIT;
    start(&f, "");
    text_addf(&kernel,
              KERNEL_FILE ONE_SIZE "\"Arguments\": [{\"Name\": \"s\", \"Type\": \"%s\", "
                                   "\"MemoryType\": \"Scalar\", \"FillExpression\": \"%s\"}]",
              scalars[_i].type, scalars[_i].value);
    struct job *j = make(&f, ONE_PARAMETER, text_cstr(&kernel), LANGUAGE_OPENCL, NULL);
    const struct job_argument *a = &j->launches[0].arguments[0];
    ck_assert_int_eq(a->kind, ARGUMENT_SCALAR);
    ck_assert_uint_eq(a->length, scalars[_i].length);
    ck_assert_msg(memcmp(a->value, scalars[_i].bytes, a->length) == 0, "%s %s", scalars[_i].type,
                  scalars[_i].value);
    text_release(&kernel);
    end(&f, j);
}
END_TEST

static const struct {
    const char *what, *keys;
    struct job_fill fill;
} fills[] = {
    {"nothing said", "\"Type\": \"float\"", {.kind = FILL_CONSTANT}},
    {"constant",
     "\"Type\": \"int32\", \"FillValue\": 3.0",
     {.kind = FILL_CONSTANT, .value = 3, .integer = 3}},
    {"random",
     "\"Type\": \"float\", \"FillType\": \"Random\"",
     {.kind = FILL_UNIFORM, .low = -1, .high = 1, .seed = 1}},
    {"random below",
     "\"Type\": \"float\", \"FillType\": \"Random\", \"FillValue\": 20",
     {.kind = FILL_UNIFORM, .low = 0, .high = 20, .seed = 1}},
    {"random range",
     "\"Type\": \"float\", \"FillType\": \"random\", \"Range\": [\"-P\", 0.5], "
     "\"RandomSeed\": 9",
     {.kind = FILL_UNIFORM, .low = -4, .high = 0.5, .seed = 9}},
    {"random integers",
     "\"Type\": \"uint8\", \"FillType\": \"Random\", \"Range\": [0, 255]",
     {.kind = FILL_UNIFORM, .low = 0, .high = 256, .seed = 1}},
    {"random unsigned",
     "\"Type\": \"uint32\", \"FillType\": \"Random\"",
     {.kind = FILL_UNIFORM, .low = 0, .high = 2, .seed = 1}},
    {"normal",
     "\"Type\": \"float\", \"FillType\": \"Random\", \"Distribution\": \"normal\", "
     "\"Range\": [1, 2]",
     {.kind = FILL_NORMAL, .low = 1, .high = 2, .seed = 1}},
    {"generator",
     "\"Type\": \"float\", \"FillType\": \"Generator\", "
     "\"DataSource\": \"i % P + size * max(P) if 'P' != 'i' else -1\"",
     {.kind = FILL_GENERATOR, .expression = "i % (4) + size * max([4, 8]) if 'P' != 'i' else -1"}},
};

START_TEST(test_fill)
{
    struct fixture f;
    struct text kernel = TEXT_INIT;
    start(&f, "");
    text_addf(&kernel,
              KERNEL_FILE ONE_SIZE "\"Arguments\": [{\"Name\": \"b\", \"MemoryType\": \"Vector\", "
                                   "\"Size\": \"P * P\", %s}]",
              fills[_i].keys);
    struct job *j = make(&f, ONE_PARAMETER, text_cstr(&kernel), LANGUAGE_OPENCL, NULL);
    const struct job_fill *got = &j->buffers[0].fill, *want = &fills[_i].fill;
    ck_assert_uint_eq(j->buffers[0].count, 16);
    ck_assert_msg(got->kind == want->kind && got->value == want->value &&
                      got->integer == want->integer && got->low == want->low &&
                      got->high == want->high && got->seed == want->seed &&
                      str_equal(got->expression, want->expression),
                  "%s: [%g, %g] %s", fills[_i].what, got->low, got->high,
                  got->expression ? got->expression : "");
    text_release(&kernel);
    end(&f, j);
}
END_TEST

START_TEST(test_buffers)
{
    struct fixture f;
    start(&f, "");
    struct job *j = make(
        &f, ONE_PARAMETER,
        KERNEL_FILE ONE_SIZE
        "\"Arguments\": ["
        "{\"Name\": \"w\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"AccessType\": "
        "\"writeonly\", \"FillType\": \"Constant\", \"FillValue\": 3},"
        "{\"Name\": \"rw\", \"Type\": \"double\", \"MemoryType\": \"Vector\", \"Output\": 1, "
        "\"Restore\": false, \"Verification\": {\"Method\": \"norm\", \"RelativeTolerance\": "
        "\"1e-3 * P\", \"Region\": [0, 1]}},"
        "{\"Name\": \"t\", \"Type\": \"int32\", \"MemoryType\": \"Vector\", \"Temporary\": true},"
        "{\"Name\": \"c\", \"Type\": \"int32\", \"MemoryType\": \"Vector\", \"MemType\": "
        "\"Constant\"},"
        "{\"Name\": \"i\", \"Type\": \"int32\", \"MemoryType\": \"Vector\", \"AccessType\": "
        "\"ReadWrite\"}]",
        LANGUAGE_OPENCL, NULL);
    const struct job_buffer *w = &j->buffers[0], *rw = &j->buffers[1], *t = &j->buffers[2],
                            *c = &j->buffers[3], *i = &j->buffers[4];
    ck_assert(w->access == ACCESS_WRITE && w->output && w->fill.kind == FILL_NONE);
    ck_assert(w->compare.kind == COMPARE_CLOSE && w->compare.atol == 1e-4);
    ck_assert(rw->access == ACCESS_BOTH && rw->output && rw->keep);
    ck_assert(rw->compare.kind == COMPARE_NORM && rw->compare.rtol == 1e-3 * 4);
    ck_assert_uint_eq(rw->compare.count, 1);
    ck_assert(t->temporary && !t->output && t->fill.kind == FILL_NONE);
    ck_assert(c->constant && c->access == ACCESS_READ && !c->output);
    ck_assert(i->output && !i->keep && i->compare.kind == COMPARE_EXACT);
    end(&f, j);
}
END_TEST

START_TEST(test_a_view_of_much)
{
    struct fixture f;
    start(&f, "");
    struct job *j = make(&f, ONE_PARAMETER,
                         KERNEL_FILE ONE_SIZE
                         "\"Arguments\": ["
                         "{\"Name\": \"all\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "
                         "\"AccessType\": \"ReadOnly\", \"FillType\": \"Random\", \"Size\": "
                         "\"2**33\"},"
                         "{\"Name\": \"end\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "
                         "\"AccessType\": \"ReadOnly\", \"Size\": 4, \"LinkedTo\": {\"Argument\": "
                         "\"all\", \"First\": \"2**33 - 4\"}}]",
                         LANGUAGE_OPENCL, NULL);
    struct job_fill expected = j->buffers[0].fill;
    fill_view(&expected, (UINT64_C(1) << 33) - 4, 1);
    ck_assert(expected.value == 1 && j->buffers[1].fill.value == 1);
    ck_assert_int_eq(j->buffers[1].fill.integer, expected.integer);
    end(&f, j);
}
END_TEST

// ---- languages and launches --------------------------------------------------------------------

#define BOTH                                                                                       \
    KERNEL_FILE ONE_SIZE                                                                           \
        "\"Language\": \"OpenCL\", \"CompilerOptions\": [\"-cl-mad-enable\"], \"SharedMemory\": "  \
        "100, "                                                                                    \
        "\"Languages\": {\"CUDA\": {\"KernelFile\": \"k.cu\", \"KernelNameExpression\": "          \
        "\"'k<' + str(P) + '>'\", \"CompilerOptions\": [\"-std=c++11\"], \"When\": "               \
        "\"device_capability >= 80\", \"Conditions\": [\"P > 4\"]}}, "                             \
        "\"Arguments\": ["                                                                         \
        "{\"Name\": \"l\", \"Type\": \"float\", \"MemoryType\": \"Local\", \"Size\": \"P\"},"      \
        "{\"Name\": \"c\", \"Type\": \"float\", \"MemoryType\": \"Symbol\"},"                      \
        "{\"Name\": \"b\", \"Type\": \"float\", \"MemoryType\": \"Vector\"}]"

START_TEST(test_opencl_of_two)
{
    struct fixture f;
    start(&f, "");
    struct job *j = make(&f, ONE_PARAMETER, BOTH, LANGUAGE_OPENCL, NULL);
    const struct job_launch *l = &j->launches[0];
    ck_assert_str_eq(l->kernel, "k");
    ck_assert(program_has(&j->programs[0], "-cl-mad-enable"));
    ck_assert_uint_eq(l->argument_count, 3);
    ck_assert_int_eq(l->arguments[0].kind, ARGUMENT_LOCAL);
    ck_assert_uint_eq(l->arguments[0].local_bytes, 16);
    ck_assert_uint_eq(l->dynamic_local_bytes, 0);
    struct spec_languages has;
    ck_assert(spec_languages(f.spec, &has, NULL));
    ck_assert(spec_has_language(f.spec, LANGUAGE_OPENCL) &&
              spec_has_language(f.spec, LANGUAGE_CUDA));
    ck_assert_int_eq(has.list[0], LANGUAGE_OPENCL);
    end(&f, j);
}
END_TEST

START_TEST(test_cuda_of_two)
{
    struct fixture f;
    struct device_info device = {.language = LANGUAGE_CUDA, .capability = 90};
    start(&f, "");
    fixture_file(&f, "k.cu", "");
    struct job *j = make(&f, ONE_PARAMETER, BOTH, LANGUAGE_CUDA, &device);
    const struct job_launch *l = &j->launches[0];
    ck_assert_str_eq(l->kernel, "k<4>");
    ck_assert_str_eq(j->programs[0].name, "k.cu");
    ck_assert(program_has(&j->programs[0], "-std=c++11"));
    ck_assert(!program_has(&j->programs[0], "-cl-mad-enable"));
    // GlobalSizeType follows the spec's language, not the one it runs in.
    ck_assert_uint_eq(l->global[0], 4);
    ck_assert_uint_eq(l->argument_count, 1);
    ck_assert_str_eq(l->arguments[0].name, "b");
    ck_assert_uint_eq(l->dynamic_local_bytes, 116);
    ck_assert_uint_eq(j->buffer_count, 2);
    ck_assert(j->buffers[0].constant);
    end(&f, j);
}
END_TEST

// Vectors of MemType Constant are arguments, too, where the kernel takes so many.
START_TEST(test_symbols)
{
    static const struct {
        const char *kernel;
        uint32_t count;
        bool is_wrong;
    } cases[] = {
        {"__global__ void k(float *b, const float *c) {}", 2, false},
        {"__constant__ float c[9];\n__global__ void k(float *b) {}", 1, false},
        {"#if P == 4\n__global__ void k(float *b, const float *c) {}\n#else\n__global__ void "
         "k(float *b) {}\n#endif",
         2, false},
        {"template <typename E> __global__ void k(float *b, const float *c) {}", 1, false},
        {"__global__ void k(float *b, const int *c) {}", 2, true},
    };
    struct fixture f;
    struct job *j = NULL;
    uint32_t choice[4];
    fixture_start(&f);
    fixture_file(&f, "k.cu", cases[_i].kernel);
    fixture_load(&f, "{" ONE_PARAMETER
                     "\"KernelSpecification\": {\"Language\": \"CUDA\", \"KernelName\": \"k\", "
                     "\"KernelFile\": \"k.cu\", \"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": "
                     "{\"X\": \"8\"}, \"Arguments\": [{\"Name\": \"b\", \"Type\": \"float\", "
                     "\"MemoryType\": \"Vector\"}, {\"Name\": \"c\", \"Type\": \"float\", "
                     "\"MemoryType\": \"Vector\", \"MemType\": \"Constant\"}, {\"Name\": \"l\", "
                     "\"Type\": \"float\", \"MemoryType\": \"Local\", \"Size\": \"P\"}]}}");
    f.sources = spec_sources_read(f.spec, LANGUAGE_CUDA, NULL, NULL, &f.error);
    spec_default(f.spec, choice);
    bool made = f.sources && spec_job(f.spec, f.sources, NULL, choice, &j, &f.error);
    ck_assert_msg(made != cases[_i].is_wrong, "%s", f.error.text);
    if (cases[_i].is_wrong)
        ck_assert_msg(strstr(f.error.text, "takes 'const int *c'") != NULL, "%s", f.error.text);
    else
        ck_assert_uint_eq(j->launches[0].argument_count, cases[_i].count);
    end(&f, j);
}
END_TEST

// As -D, a template's own parameter would break its line; so would an argument of its kernel.
START_TEST(test_template_names)
{
    struct fixture f;
    struct job *j = NULL;
    uint32_t choice[4];
    fixture_start(&f);
    fixture_file(
        &f, "k.cu",
        "template <int P, typename T = float> __global__ void k(T *b, int n) { b[n] = P; }");
    fixture_load(
        &f,
        "{" ONE_PARAMETER
        "\"Constants\": {\"n\": 5, \"m\": 6}, \"KernelSpecification\": {\"Language\": "
        "\"CUDA\", \"KernelNameExpression\": \"'k<' + str(P) + '>'\", \"KernelFile\": \"k.cu\", "
        "\"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": {\"X\": \"8\"}, \"Arguments\": ["
        "{\"Name\": \"b\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Size\": 64}, "
        "{\"Name\": \"n\", \"Type\": \"int32\", \"MemoryType\": \"Scalar\", "
        "\"FillValue\": 1}]}}");
    f.sources = spec_sources_read(f.spec, LANGUAGE_CUDA, NULL, NULL, &f.error);
    spec_default(f.spec, choice);
    bool made = f.sources && spec_job(f.spec, f.sources, NULL, choice, &j, &f.error);
    ck_assert_msg(made, "%s", f.error.text);
    ck_assert(program_has(&j->programs[0], "-Dm=6"));
    ck_assert(!program_has(&j->programs[0], "-Dn=5"));
    ck_assert(!program_has(&j->programs[0], "-DP=4"));
    end(&f, j);
}
END_TEST

// Where its When holds, and for OpenCL alone.
#define RETARGET                                                                                   \
    "\"Language\": \"OpenCL\", \"KernelName\": \"k\", \"KernelFile\": \"k.cl\", "                  \
    "\"GlobalSize\": {\"X\": \"64\"}, \"LocalSize\": {\"X\": \"8\"}, \"Languages\": {\"CUDA\": "   \
    "{\"KernelFile\": \"k.cu\"}}, "                                                                \
    "\"Retarget\": {\"Target\": \"sm_90a\", "                                                      \
    "\"When\": \"device_capability == 90 and P == 8\"}"

START_TEST(test_retarget)
{
    static const struct {
        enum language language;
        uint32_t capability;
        const char *configuration, *target;
    } cases[] = {
        {LANGUAGE_OPENCL, 90, "P=8", "sm_90a"}, {LANGUAGE_OPENCL, 90, "P=4", NULL},
        {LANGUAGE_OPENCL, 80, "P=8", NULL},     {LANGUAGE_OPENCL, 0, "P=8", NULL},
        {LANGUAGE_CUDA, 90, "P=8", NULL},
    };
    struct digest effective[2];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        struct device_info device = {.language = cases[i].language,
                                     .capability = cases[i].capability};
        start(&f, ""); // the source does not mention P: only the target differs
        fixture_file(&f, "k.cu", "");
        fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {" RETARGET "}}");
        fixture_sources(&f, cases[i].language);
        // In CUDA, P is indeed used by nothing.
        ck_assert(cases[i].language == LANGUAGE_CUDA || f.warnings.length == 0);
        struct job *j = fixture_job(&f, cases[i].configuration, &device);
        const char *target = j->programs[0].retarget;
        ck_assert_msg(str_equal(target, cases[i].target), "%zu: %s", i, target ? target : "none");
        if (i < 2) {
            ck_assert(spec_effective_digest(f.spec, f.sources, j, &effective[i]));
        }
        end(&f, j);
    }
    ck_assert(!digest_equal(&effective[0], &effective[1]));
}
END_TEST

// ---- which language

#define BY_LANGUAGE                                                                                \
    "{" ONE_PARAMETER "\"KernelSpecification\": {\"KernelName\": \"k\", "                          \
    "\"KernelFile\": {\"CUDA\": \"k.cu\", \"OpenCL\": \"k.cl\"}, \"GlobalSize\": {\"X\": 4}"

// The file of each language; the first named is the spec's own, whose GlobalSizeType counts.
START_TEST(test_files_by_language)
{
    struct fixture f;
    struct spec_languages has;
    start(&f, "int of_opencl;\n");
    fixture_file(&f, "k.cu", "int of_cuda;\n");
    fixture_load(&f, BY_LANGUAGE ", \"LocalSize\": {\"X\": 2}, \"CompilerOptions\": [\"-x\"]}}");
    ck_assert(spec_languages(f.spec, &has, &f.error));
    ck_assert_uint_eq(has.count, 2);
    ck_assert(has.list[0] == LANGUAGE_CUDA && has.list[1] == LANGUAGE_OPENCL);
    for (unsigned l = 0; l <= LANGUAGE_CUDA; l++) {
        bool is_cuda = l == LANGUAGE_CUDA;
        fixture_sources(&f, (enum language)l);
        struct job *j = fixture_job(&f, "", NULL);
        ck_assert_str_eq(j->programs[0].name, is_cuda ? "k.cu" : "k.cl");
        ck_assert(program_has(&j->programs[0], "-x") == is_cuda);
        ck_assert_uint_eq(j->launches[0].global[0], 8);
        job_free(j);
        spec_sources_free(f.sources);
        f.sources = NULL;
    }
    end(&f, NULL);
}
END_TEST

// Language says which of the files is the spec's own, whatever stands first.
START_TEST(test_own_of_files)
{
    struct fixture f;
    struct spec_languages has;
    start(&f, "");
    fixture_load(&f, BY_LANGUAGE ", \"Language\": \"OpenCL\"}}");
    ck_assert(spec_languages(f.spec, &has, &f.error));
    ck_assert(has.count == 2 && has.list[0] == LANGUAGE_OPENCL);
    fixture_sources(&f, LANGUAGE_OPENCL);
    struct job *j = fixture_job(&f, "", NULL);
    ck_assert_uint_eq(j->launches[0].global[0], 4);
    end(&f, j);
}
END_TEST

// Without Language and a known ending the text says it, and only when it is asked for.
static void expect_language(const char *text, enum language expected)
{
    struct fixture f;
    struct spec_languages has;
    struct error e = ERROR_INIT;
    enum language other = expected == LANGUAGE_CUDA ? LANGUAGE_OPENCL : LANGUAGE_CUDA;
    start(&f, "");
    fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {\"KernelName\": \"k\", "
                     "\"KernelFile\": \"k.inc\", \"GlobalSize\": {\"X\": 4}, "
                     "\"LocalSize\": {\"X\": 2}}}"); // there is no file yet
    ck_assert(!spec_languages(f.spec, &has, &f.error));
    ck_assert_ptr_nonnull(strstr(f.error.text, "k.inc"));
    error_clear(&f.error);
    fixture_file(&f, "k.inc", text);
    ck_assert_msg(spec_languages(f.spec, &has, &f.error), "%s", f.error.text);
    ck_assert_uint_eq(has.count, 1);
    ck_assert_int_eq(has.list[0], expected);
    ck_assert_ptr_null(spec_sources_read(f.spec, other, NULL, NULL, &e));
    ck_assert_ptr_nonnull(strstr(e.text, "it has a kernel in "));
    fixture_sources(&f, expected);
    struct job *j = fixture_job(&f, "", NULL);
    ck_assert_uint_eq(j->launches[0].global[0], expected == LANGUAGE_CUDA ? 8 : 4);
    end(&f, j);
}

START_TEST(test_language_by_text)
{
    expect_language("// __global__\n__kernel void k() {}\n", LANGUAGE_OPENCL);
    expect_language("kernel void k() {}\n", LANGUAGE_OPENCL);
    expect_language("/* __kernel */ __global__ void kernel() {}\n", LANGUAGE_CUDA);
}
END_TEST

static void expect_no_language(const char *text, const char *why)
{
    struct fixture f;
    struct spec_languages has;
    start(&f, "");
    fixture_file(&f, "k.inc", text);
    fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {\"KernelName\": \"k\", "
                     "\"KernelFile\": \"k.inc\", \"GlobalSize\": {\"X\": 4}}}");
    ck_assert(!spec_languages(f.spec, &has, &f.error));
    ck_assert_msg(strstr(f.error.text, why) != NULL, "%s", f.error.text);
    end(&f, NULL);
}

START_TEST(test_no_language_by_text)
{
    expect_no_language("#ifdef __CUDACC__\n__global__\n#else\n__kernel\n#endif\nvoid k();\n",
                       "the kernel's source has both __kernel and __global__");
    expect_no_language("void k();\n", "has neither __kernel nor __global__");
}
END_TEST

// A language that has its source under Languages leaves the other one outside.
START_TEST(test_language_left_over)
{
    struct fixture f;
    struct spec_languages has;
    start(&f, "");
    fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {\"KernelName\": \"k\", "
                     "\"KernelFile\": \"k.inc\", \"GlobalSize\": {\"X\": 4}, "
                     "\"Languages\": {\"OpenCL\": {\"KernelFile\": \"k.cl\"}}}}");
    ck_assert_msg(spec_languages(f.spec, &has, &f.error), "%s", f.error.text);
    ck_assert(has.count == 2 && has.list[0] == LANGUAGE_CUDA);
    end(&f, NULL);
}
END_TEST

START_TEST(test_language_fits)
{
    struct fixture f;
    struct device_info device = {.language = LANGUAGE_CUDA, .capability = 70};
    start(&f, "");
    fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {" BOTH "}}");
    ck_assert(!spec_language_fits(f.spec, LANGUAGE_CUDA, &device));
    ck_assert(spec_language_fits(f.spec, LANGUAGE_OPENCL, &device));
    device.capability = 90;
    ck_assert(spec_language_fits(f.spec, LANGUAGE_CUDA, &device));
    end(&f, NULL);
}
END_TEST

START_TEST(test_language_when)
{
    struct fixture f;
    struct job *j;
    struct device_info device = {.language = LANGUAGE_CUDA, .capability = 70};
    uint32_t choice[1] = {0};
    start(&f, "");
    fixture_file(&f, "k.cu", "");
    fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {" BOTH "}}");
    fixture_sources(&f, LANGUAGE_CUDA);
    ck_assert(!spec_job(f.spec, f.sources, &device, choice, &j, &f.error));
    ck_assert_ptr_null(j);
    ck_assert_ptr_nonnull(strstr(f.error.text, "KernelSpecification.Languages.CUDA.When: "
                                               "'device_capability >= 80' is false"));
    // The language's own condition.
    ck_assert_uint_eq(f.spec->restriction_count, 1);
    ck_assert(f.spec->uses_device);
    struct value slots[64];
    bool truth;
    uint32_t slot = f.spec->slots.parameters;
    spec_bind_fixed(f.spec, &device, slots);
    slots[slot] = value_int(4);
    ck_assert_int_eq(expr_test(f.spec->restrictions[0].expr, slots, NULL, &truth), EXPR_FAULT_NONE);
    ck_assert(!truth);
    device.language = LANGUAGE_OPENCL;
    spec_bind_fixed(f.spec, &device, slots);
    ck_assert_int_eq(expr_test(f.spec->restrictions[0].expr, slots, NULL, &truth), EXPR_FAULT_NONE);
    ck_assert(truth);
    fixture_end(&f);
}
END_TEST

START_TEST(test_launches)
{
    struct fixture f;
    start(&f, "one two");
    fixture_file(&f, "other.cl", "three");
    struct job *j =
        make(&f, ONE_PARAMETER,
             KERNEL_FILE ONE_SIZE
             "\"Launches\": ["
             "{\"KernelName\": \"one\", \"Arguments\": [\"in\", \"tmp\"], \"Name\": \"first\"},"
             "{\"KernelName\": \"never\", \"When\": \"P > 100\"},"
             "{\"KernelName\": \"two\", \"Arguments\": [\"tmp\", \"out\"], \"GlobalSize\": "
             "{\"X\": \"P * 2\"}},"
             "{\"KernelName\": \"three\", \"KernelFile\": \"other.cl\", \"ProblemSize\": [5], "
             "\"LocalSize\": {\"X\": \"2\"}}],"
             "\"Arguments\": ["
             "{\"Name\": \"in\", \"Type\": \"float\", \"MemoryType\": \"Vector\"},"
             "{\"Name\": \"tmp\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Temporary\": "
             "true},"
             "{\"Name\": \"out\", \"Type\": \"float\", \"MemoryType\": \"Vector\", \"Output\": "
             "true}]",
             LANGUAGE_OPENCL, NULL);
    ck_assert_uint_eq(j->launch_count, 3);
    ck_assert_uint_eq(j->program_count, 2);
    ck_assert_str_eq(j->launches[0].name, "first");
    ck_assert_str_eq(j->launches[0].kernel, "one");
    ck_assert_str_eq(j->launches[1].name, "two");
    ck_assert_uint_eq(j->launches[1].program, 0);
    ck_assert_uint_eq(j->launches[1].global[0], 8);
    ck_assert_uint_eq(j->launches[1].argument_count, 2);
    ck_assert_uint_eq(j->launches[1].arguments[0].buffer, 1);
    ck_assert_uint_eq(j->launches[2].program, 1);
    ck_assert_uint_eq(j->launches[2].global[0], 6);
    ck_assert_uint_eq(j->launches[2].argument_count, 3);
    end(&f, j);
}
END_TEST

// ---- sources -----------------------------------------------------------------------------------

START_TEST(test_joined)
{
    struct fixture f;
    start(&f, "");
    fixture_file(&f, "a.cl", "int a;");
    fixture_file(&f, "sub/b.cl", "int b;\n");
    struct job *j =
        make(&f, ONE_PARAMETER, KERNEL_FILE ONE_SIZE "\"Sources\": [\"a.cl\", \"sub/b.cl\"]",
             LANGUAGE_OPENCL, NULL);
    static const char joined[] = "#line 1 \"a.cl\"\nint a;\n#line 1 \"sub/b.cl\"\nint b;\n";
    ck_assert_uint_eq(j->programs[0].length, strlen(joined));
    ck_assert_mem_eq(j->programs[0].source, joined, strlen(joined));
    end(&f, j);
}
END_TEST

START_TEST(test_inline)
{
    struct fixture f;
    start(&f, "");
    struct job *j = make(&f, ONE_PARAMETER,
                         KERNEL_FILE ONE_SIZE "\"KernelSource\": \"#include \\\"h.h\\\"\\nint a;\"",
                         LANGUAGE_OPENCL, NULL);
    ck_assert_uint_eq(j->programs[0].length, strlen("#include \"h.h\"\nint a;"));
    end(&f, j);
}
END_TEST

static bool has_file(const struct job_program *p, const char *path, const char *text)
{
    for (uint32_t i = 0; i < p->file_count; i++) {
        if (strcmp(p->files[i].path, path) == 0)
            return p->files[i].length == strlen(text) &&
                   memcmp(p->files[i].text, text, strlen(text)) == 0;
    }
    return false;
}

// Files keep their places relative to each other; their common root is the tree's.
START_TEST(test_tree)
{
    struct fixture f;
    fixture_start(&f);
    fixture_file(&f, "spec/k.cl",
                 "#include \"own.h\"\n#if 0\n#include \"../lib/up.h\"\n#endif\n"
                 "#include <shared.h>\n#include <stdio.h>\n");
    fixture_file(&f, "spec/own.h", "own\n");
    fixture_file(&f, "lib/up.h", "# include \"inner/deep.h\"\n");
    fixture_file(&f, "lib/inner/deep.h", "deep\n");
    fixture_file(&f, "include/shared.h", "shared\n");
    fixture_file(&f, "unused/none.h", "none\n");
    struct job *j =
        make(&f, ONE_PARAMETER,
             "\"KernelName\": \"k\", \"KernelFile\": \"spec/k.cl\", " ONE_SIZE
             "\"IncludeFolders\": [\"unused\"], \"CompilerOptions\": [\"-Iinclude\", \"-w\"]",
             LANGUAGE_OPENCL, NULL);
    const struct job_program *p = &j->programs[0];
    ck_assert_uint_eq(p->file_count, 4);
    ck_assert(has_file(p, "spec/own.h", "own\n"));
    ck_assert(has_file(p, "lib/up.h", "# include \"inner/deep.h\"\n"));
    ck_assert(has_file(p, "lib/inner/deep.h", "deep\n"));
    ck_assert(has_file(p, "include/shared.h", "shared\n"));
    ck_assert_uint_eq(p->folder_count, 2);
    ck_assert_str_eq(p->folders[0], "spec");
    ck_assert_str_eq(p->folders[1], "include");
    ck_assert(program_has(p, "-w") && !program_has(p, "-Iinclude"));
    end(&f, j);
}
END_TEST

// ---- references --------------------------------------------------------------------------------

#define OUT_AND_IN                                                                                 \
    "\"Arguments\": [{\"Name\": \"out\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "        \
    "\"AccessType\": \"WriteOnly\", \"Size\": 4}, {\"Name\": \"in\", \"Type\": \"float\", "        \
    "\"MemoryType\": \"Vector\", \"Size\": 4}], "

START_TEST(test_reference_kernel)
{
    struct fixture f;
    start(&f, "P");
    fixture_file(&f, "plain.cl", "kernel void plain(global float *in, global float *out) { N; }");
    struct job *j = make(&f, "\"Constants\": {\"N\": 3, \"M\": 2}, " ONE_PARAMETER,
                         KERNEL_FILE ONE_SIZE OUT_AND_IN
                         "\"CompilerOptions\": [\"-w\"], \"Reference\": {\"Kind\": \"kernel\", "
                         "\"KernelName\": \"plain\", \"KernelFile\": \"plain.cl\", \"GlobalSize\": "
                         "{\"X\": \"4\"}, \"Arguments\": [\"in\", \"out\"]}",
                         LANGUAGE_OPENCL, NULL);
    ck_assert_int_eq(j->reference.kind, REFERENCE_JOB);
    ck_assert(!j->reference.agreement);
    ck_assert_str_eq(j->reference.name, "plain in plain.cl");
    const struct job *other = j->reference.job;
    ck_assert_uint_eq(other->launch_count, 1);
    ck_assert_uint_eq(other->program_count, 1);
    ck_assert_uint_eq(other->launches[0].local[0], 0);
    ck_assert_str_eq(other->launches[0].arguments[0].name, "in");
    // Only what it mentions is defined, so that it stays the same where the rest varies.
    ck_assert(program_has(&other->programs[0], "-DN=3"));
    ck_assert(!program_has(&other->programs[0], "-DM=2"));
    ck_assert(!program_has(&other->programs[0], "-DP=4"));
    struct digest one, two;
    struct job *next = fixture_job(&f, "P=8", NULL);
    job_reference_digest(j, &one);
    job_reference_digest(next, &two);
    ck_assert(digest_equal(&one, &two));
    job_free(next);
    end(&f, j);
}
END_TEST

START_TEST(test_reference_configuration)
{
    struct fixture f;
    start(&f, "P");
    struct job *j = make(&f, ONE_PARAMETER,
                         KERNEL_FILE ONE_SIZE OUT_AND_IN
                         "\"Reference\": {\"Kind\": \"configuration\", \"Configuration\": \"P=8\"}",
                         LANGUAGE_OPENCL, NULL);
    ck_assert(!j->reference.agreement);
    ck_assert_str_eq(j->reference.name, "configuration P=8");
    ck_assert(program_has(&j->reference.job->programs[0], "-DP=8"));
    ck_assert(program_has(&j->programs[0], "-DP=4"));
    end(&f, j);
}
END_TEST

START_TEST(test_reference_none)
{
    struct fixture f;
    start(&f, "P");
    struct job *j = make(&f, ONE_PARAMETER,
                         KERNEL_FILE ONE_SIZE OUT_AND_IN "\"Reference\": {\"Kind\": \"none\"}",
                         LANGUAGE_OPENCL, NULL);
    ck_assert_int_eq(j->reference.kind, REFERENCE_NONE);
    end(&f, j);
}
END_TEST

START_TEST(test_reference_arguments)
{
    struct fixture f;
    start(&f, "P");
    struct job *j = make(&f, ONE_PARAMETER,
                         KERNEL_FILE ONE_SIZE OUT_AND_IN
                         "\"ReferenceArguments\": [{\"Name\": \"r\", \"TargetName\": \"out\", "
                         "\"FillType\": \"Generator\", \"DataSource\": \"i * P\", "
                         "\"ValidationMethod\": \"SideBySideRelativeComparison\", "
                         "\"ValidationThreshold\": 0.25}]",
                         LANGUAGE_OPENCL, NULL);
    static const float expected[] = {0, 4, 8, 12};
    ck_assert_int_eq(j->reference.kind, REFERENCE_DATA);
    ck_assert_uint_eq(j->reference.data_count, 1);
    ck_assert_mem_eq(j->reference.data[0].blob.data, expected, sizeof expected);
    ck_assert(j->buffers[0].compare.kind == COMPARE_CLOSE);
    ck_assert(j->buffers[0].compare.atol == 0 && j->buffers[0].compare.rtol == 0.25);
    end(&f, j);
}
END_TEST

#define OF_THREES                                                                                  \
    "{" ONE_PARAMETER "\"KernelSpecification\": {\"KernelName\": \"k\", "                          \
    "\"KernelFile\": {\"OpenCL\": \"k.cl\", \"CUDA\": \"k.cu\"}, \"GlobalSize\": {\"X\": 4}, "     \
    "\"LocalSize\": {\"X\": 2}, \"Arguments\": ["                                                  \
    "{\"Name\": \"out\", \"Type\": \"float3\", \"MemoryType\": \"Vector\", "                       \
    "\"AccessType\": \"WriteOnly\", \"Size\": 2}, "                                                \
    "{\"Name\": \"s\", \"TypeExpression\": \"'float3' if P else 'float'\", \"Type\": \"float\", "  \
    "\"MemoryType\": \"Scalar\", \"FillExpression\": \"0.5\"}, "                                   \
    "{\"Name\": \"l\", \"Type\": \"float3\", \"MemoryType\": \"Local\", \"Size\": 4}], "           \
    "\"ReferenceArguments\": [{\"Name\": \"r\", \"TargetName\": \"out\", "                         \
    "\"FillType\": \"Generator\", \"DataSource\": \"i\"}]}}"

// A vector of three takes the place of four in OpenCL and of three in CUDA: buffers, values, local
// memory and expected contents.
START_TEST(test_vectors_of_three)
{
    static const float spaced[] = {0, 1, 2, 0, 3, 4, 5, 0}, packed[] = {0, 1, 2, 3, 4, 5};
    for (unsigned l = 0; l <= LANGUAGE_CUDA; l++) {
        struct fixture f;
        bool is_cuda = l == LANGUAGE_CUDA;
        size_t bytes = is_cuda ? 12 : 16;
        start(&f, "P");
        fixture_file(&f, "k.cu", "P");
        fixture_load(&f, OF_THREES);
        fixture_sources(&f, (enum language)l);
        struct job *j = fixture_job(&f, "", NULL);
        const struct job_launch *launch = &j->launches[0];
        ck_assert_ptr_null(job_wrong(j));
        ck_assert_uint_eq(element_bytes(&j->buffers[0].element), bytes);
        ck_assert_uint_eq(launch->arguments[1].length, bytes);
        ck_assert_uint_eq(launch->argument_count, is_cuda ? 2 : 3);
        ck_assert_uint_eq(is_cuda ? launch->dynamic_local_bytes : launch->arguments[2].local_bytes,
                          4 * bytes);
        ck_assert_uint_eq(j->reference.data[0].blob.length, 2 * bytes);
        ck_assert_mem_eq(j->reference.data[0].blob.data, is_cuda ? packed : spaced, 2 * bytes);
        end(&f, j);
    }
}
END_TEST

// A NumPy file as numpy.save() writes it.
static void write_npy(struct fixture *f, const char *header, const float *values, size_t count)
{
    char path[128], head[128];
    snprintf(path, sizeof path, "%s/r.npy", f->folder);
    snprintf(head, sizeof head, "%-117s\n", header);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(head, 1, 118, file);
    fwrite(values, sizeof *values, count, file);
    ck_assert_int_eq(fclose(file), 0);
}

#define FILE_REFERENCE                                                                             \
    KERNEL_FILE ONE_SIZE OUT_AND_IN                                                                \
        "\"Reference\": {\"Kind\": \"file\", \"Files\": {\"out\": \"r.npy\"}}"

START_TEST(test_reference_file)
{
    struct fixture f;
    static const float values[] = {1, 2, 3, 4};
    start(&f, "P");
    write_npy(&f, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", values, 4);
    struct job *j = make(&f, ONE_PARAMETER, FILE_REFERENCE, LANGUAGE_OPENCL, NULL);
    ck_assert_int_eq(j->reference.kind, REFERENCE_DATA);
    ck_assert_mem_eq(j->reference.data[0].blob.data, values, sizeof values);
    end(&f, j);
}
END_TEST

// 72 KB of one byte, written in place; the file's time is that second of 1970.
static void write_large(const char *path, int byte, time_t second)
{
    const struct timespec times[2] = {{.tv_sec = second}, {.tv_sec = second}};
    FILE *file = fopen(path, access(path, F_OK) == 0 ? "r+b" : "wb");
    ck_assert_ptr_nonnull(file);
    for (int i = 0; i < 72000; i++)
        ck_assert_int_eq(fputc(byte, file), byte);
    ck_assert_int_eq(fclose(file), 0);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool data_read(const char *path, struct arena *a, struct spec_digests *known,
                      struct data_file *out, struct error *e)
{
    struct data_reading reading = {.file = out};
    if (!data_look(path, a, out, e))
        return false;
    data_read_all(&reading, 1, a, known);
    if (!reading.ok)
        *e = reading.e;
    return reading.ok;
}

// Other contents with the same size and time are not noticed where digests are kept: the file was
// not read again. With another time they are.
START_TEST(test_data_hashed_once)
{
    struct fixture f;
    struct arena arena = {NULL, 0};
    char path[128];
    struct spec_digests known = {.first = NULL};
    struct data_file first, same, anew, changed;
    struct error e = ERROR_INIT;
    fixture_start(&f);
    snprintf(path, sizeof path, "%s/large.bin", f.folder);
    write_large(path, 'a', 1000);
    ck_assert_msg(data_read(path, &arena, &known, &first, &e), "%s", e.text);
    write_large(path, 'b', 1000);
    ck_assert(data_read(path, &arena, &known, &same, &e));
    ck_assert(data_read(path, &arena, NULL, &anew, &e));
    ck_assert(digest_equal(&same.blob.digest, &first.blob.digest));
    ck_assert(!digest_equal(&anew.blob.digest, &first.blob.digest));
    ck_assert_uint_eq(same.blob.length, 72000);
    write_large(path, 'b', 1001);
    ck_assert(data_read(path, &arena, &known, &changed, &e));
    ck_assert(digest_equal(&changed.blob.digest, &anew.blob.digest));
    spec_digests_release(&known);
    arena_release(&arena);
    fixture_end(&f);
}
END_TEST

// More files than threads, of which one is gone by then and one was read before: each has its own digest or error.
START_TEST(test_data_hashed_beside_each_other)
{
    enum { FILES = 20, GONE = 7, KNOWN = 11, BYTES = 3 << 20 };
    struct fixture f;
    struct arena arena = {NULL, 0};
    struct spec_digests known = {.first = NULL};
    static struct data_file files[FILES];
    static struct data_reading readings[FILES];
    struct error e = ERROR_INIT;
    uint8_t *bytes = malloc(BYTES);
    ck_assert_ptr_nonnull(bytes);
    fixture_start(&f);
    for (int i = 0; i < FILES; i++) {
        char path[128];
        size_t length = i % 3 ? BYTES : 10;
        snprintf(path, sizeof path, "%s/%d.bin", f.folder, i);
        memset(bytes, i, length);
        FILE *file = fopen(path, "wb");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_eq(fwrite(bytes, 1, length, file), length);
        ck_assert_int_eq(fclose(file), 0);
        ck_assert_msg(data_look(path, &arena, &files[i], &e), "%s", e.text);
        readings[i].file = &files[i];
        if (i == GONE)
            ck_assert_int_eq(unlink(path), 0);
    }
    data_read_all(&readings[KNOWN], 1, &arena, &known);
    data_read_all(readings, FILES, &arena, &known);
    for (int i = 0; i < FILES; i++) {
        size_t length = i % 3 ? BYTES : 10;
        ck_assert_msg(readings[i].ok == (i != GONE), "%d: %s", i, readings[i].e.text);
        memset(bytes, i, length);
        struct job_blob wanted = blob_of(bytes, length);
        if (i != GONE)
            ck_assert(digest_equal(&files[i].blob.digest, &wanted.digest));
        ck_assert((files[i].blob.data != NULL) == (i != GONE && length == 10));
    }
    ck_assert(strstr(readings[GONE].e.text, "7.bin"));
    free(bytes);
    spec_digests_release(&known);
    arena_release(&arena);
    fixture_end(&f);
}
END_TEST

static const struct {
    const char *header;
    bool job;         // refused when the job is made
    const char *part; // of the message
} npy_faults[] = {
    {"{'descr': '>f4', 'fortran_order': False, 'shape': (4,), }", false, "little-endian"},
    {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", false, "order='C'"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }", true, "f8, but float is f4"},
    {"{'descr': '<f4', 'fortran_order': False}", false, "header is incomplete"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (x,), }", false, "shape makes no sense"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", false,
     "shape makes no sense"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", true, "16 bytes follow"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }", true,
     "its header says 8 elements of 4 bytes, but 16 bytes follow"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", true, "says 3 elements"},
    {"{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }", true, "i4, but float is f4"},
    {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,), }", false, "little-endian"},
    {"{'descr': '<f4", false, "is no .npy file hone reads"},
};

START_TEST(test_npy_fault)
{
    struct fixture f;
    struct job *j = NULL;
    uint32_t choice[1] = {0};
    static const float values[] = {1, 2, 3, 4};
    start(&f, "P");
    write_npy(&f, npy_faults[_i].header, values, 4);
    fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {" FILE_REFERENCE "}}");
    f.sources = spec_sources_read(f.spec, LANGUAGE_OPENCL, NULL, NULL, &f.error);
    ck_assert_int_eq(f.sources != NULL, npy_faults[_i].job);
    ck_assert(!f.sources || !spec_job(f.spec, f.sources, NULL, choice, &j, &f.error));
    ck_assert_msg(strstr(f.error.text, npy_faults[_i].part) != NULL, "%s", f.error.text);
    fixture_end(&f);
}
END_TEST

static const struct {
    size_t length;
    const char *bytes, *part;
} npy_beginnings[] = {
    {0, "", "it does not begin like one"},
    {6, "\x93NUMPY", "it does not begin like one"},
    {9, "\x93NUMPY\x01\x00\x76", "it does not begin like one"},
    {10, "\x93NUMPY\x01\x00\x76\x00", "it ends inside its header"},
    {12, "\x93NUMPY\x02\x00\xff\xff\xff\xff", "it ends inside its header"},
    {16, "\x93NUMPX\x01\x00\x06\x00{'a':}", "it does not begin like one"},
};

START_TEST(test_npy_beginning)
{
    struct fixture f;
    start(&f, "P");
    char path[128];
    snprintf(path, sizeof path, "%s/r.npy", f.folder);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite(npy_beginnings[_i].bytes, 1, npy_beginnings[_i].length, file);
    ck_assert_int_eq(fclose(file), 0);
    fixture_load(&f, "{" ONE_PARAMETER "\"KernelSpecification\": {" FILE_REFERENCE "}}");
    f.sources = spec_sources_read(f.spec, LANGUAGE_OPENCL, NULL, NULL, &f.error);
    ck_assert_ptr_null(f.sources);
    ck_assert_msg(strstr(f.error.text, npy_beginnings[_i].part) != NULL, "%s", f.error.text);
    fixture_end(&f);
}
END_TEST

// ---- expectations ------------------------------------------------------------------------------

#define EXPECTING(out, more)                                                                       \
    KERNEL_FILE ONE_SIZE                                                                           \
        "\"Arguments\": [{\"Name\": \"out\", \"Type\": \"" out "\", "                              \
        "\"MemoryType\": \"Vector\", \"AccessType\": \"WriteOnly\", \"Size\": 4, " more            \
        "}, {\"Name\": \"in\", \"Type\": \"float\", \"MemoryType\": \"Vector\", "                  \
        "\"FillType\": \"Random\", \"Size\": 4}, {\"Name\": \"a\", \"Type\": \"float\", "          \
        "\"MemoryType\": \"Scalar\", \"FillValue\": 0.1}, {\"Name\": \"N\", \"Type\": "            \
        "\"uint8\", \"MemoryType\": \"Scalar\", \"FillExpression\": \"N + 1\"}]"

// Names are bound, the argument's before the constant's, each in its own type; and all of it is on the wire and in the key.
START_TEST(test_expect)
{
    struct fixture f;
    struct text bytes = TEXT_INIT;
    struct wire w;
    struct digest one, other;
    start(&f, "P");
    struct job *j =
        make(&f, "\"Constants\": {\"N\": 3, \"M\": 2}, " ONE_PARAMETER,
             EXPECTING("float", "\"Expect\": \"a * in[i] + N + M\""), LANGUAGE_OPENCL, NULL);
    const struct job_expression *x = j->reference.expressions;
    ck_assert_int_eq(j->reference.kind, REFERENCE_EXPRESSION);
    ck_assert_str_eq(j->reference.name, "out[i] = a * in[i] + N + M");
    ck_assert_uint_eq(j->reference.expression_count, 1);
    ck_assert_uint_eq(x->number_count, 3);
    ck_assert(!x->total && j->buffers[0].output);
    for (uint32_t i = 0; i < 3; i++) {
        const struct job_number *n = &x->numbers[i];
        if (n->name[0] == 'a')
            ck_assert(n->is_float && n->number == (double)0.1F);
        else
            ck_assert(!n->is_float && n->integer == (n->name[0] == 'N' ? 4 : 2));
    }
    wire_writer(&w, &bytes);
    job_codec(&w, j);
    struct job *copy = job_decode(bytes.data, bytes.length, &f.error);
    ck_assert_msg(copy != NULL, "%s", f.error.text);
    job_reference_digest(j, &one);
    job_reference_digest(copy, &other);
    ck_assert(digest_equal(&one, &other));
    copy->reference.expressions[0].numbers[0].integer++;
    job_reference_digest(copy, &other);
    ck_assert(!digest_equal(&one, &other));
    job_free(copy);
    text_release(&bytes);
    end(&f, j);
}
END_TEST

START_TEST(test_expect_total)
{
    struct fixture f;
    start(&f, "P");
    struct job *j =
        make(&f, ONE_PARAMETER "\"Constants\": {\"N\": 1}, ",
             EXPECTING("float", "\"Verification\": {\"Method\": \"sum\"}, \"Expect\": \"sum(in)\""),
             LANGUAGE_OPENCL, NULL);
    ck_assert(j->reference.expressions[0].total);
    ck_assert_str_eq(j->reference.name, "sum of out = sum(in)");
    end(&f, j);
}
END_TEST

START_TEST(test_expect_file)
{
    struct fixture f;
    static const float values[] = {1, 2, 3, 4};
    start(&f, "P");
    write_npy(&f, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", values, 4);
    struct job *j = make(&f, ONE_PARAMETER "\"Constants\": {\"N\": 1}, ",
                         EXPECTING("float", "\"Expect\": \"r.npy\""), LANGUAGE_OPENCL, NULL);
    ck_assert_int_eq(j->reference.kind, REFERENCE_DATA);
    ck_assert_mem_eq(j->reference.data[0].blob.data, values, sizeof values);
    end(&f, j);
}
END_TEST

static const struct {
    const char *type, *expect, *part;
} expect_faults[] = {
    {"float", "in", "column 1: 'in' is an array; give an index, as in in[i]"},
    {"float", "in[i / 2]", "column 6: an index must be an integer"},
    {"int32", "in[i]", "gives floats, and 'out' holds integers"},
    {"float", "language", "'language' is of type string, and numbers are wanted"},
    {"float", "str(i)", "str() gives no number"},
};

START_TEST(test_expect_fault)
{
    struct fixture f;
    struct job *j = NULL;
    struct text spec = TEXT_INIT;
    uint32_t choice[1] = {0};
    start(&f, "P");
    text_addf(&spec, "{\"Constants\": {\"N\": 1}, " ONE_PARAMETER "\"KernelSpecification\": {%s}}",
              EXPECTING("TYPE", "\"Expect\": \"WHAT\""));
    char *text = text_steal(&spec);
    struct text real = TEXT_INIT;
    char *type = strstr(text, "TYPE"), *what = strstr(text, "WHAT");
    text_addf(&real, "%.*s%s%.*s%s%s", (int)(type - text), text, expect_faults[_i].type,
              (int)(what - type - 4), type + 4, expect_faults[_i].expect, what + 4);
    fixture_load(&f, text_cstr(&real));
    f.sources = spec_sources_read(f.spec, LANGUAGE_OPENCL, NULL, NULL, &f.error);
    ck_assert_msg(f.sources != NULL, "%s", f.error.text);
    ck_assert(!spec_job(f.spec, f.sources, NULL, choice, &j, &f.error));
    ck_assert_msg(strstr(f.error.text, expect_faults[_i].part) != NULL, "%s", f.error.text);
    ck_assert_ptr_nonnull(strstr(f.error.text, "KernelSpecification.Arguments[0].Expect"));
    free(text);
    text_release(&real);
    fixture_end(&f);
}
END_TEST

// A job survives the wire: it is whole, and its reference is inside.
START_TEST(test_wire)
{
    struct fixture f;
    struct text bytes = TEXT_INIT;
    struct wire w;
    start(&f, "P");
    struct job *j = make(&f, ONE_PARAMETER, KERNEL_FILE ONE_SIZE OUT_AND_IN "\"Stream\": null",
                         LANGUAGE_OPENCL, NULL);
    ck_assert(j->reference.agreement);
    wire_writer(&w, &bytes);
    job_codec(&w, j);
    struct job *copy = job_decode(bytes.data, bytes.length, &f.error);
    ck_assert_msg(copy != NULL, "%s", f.error.text);
    ck_assert_str_eq(copy->reference.name, "default configuration");
    job_free(copy);
    text_release(&bytes);
    end(&f, j);
}
END_TEST

// ---- generators --------------------------------------------------------------------------------

// Is there a text for the configuration? None of the steps waits.
static bool is_generated(struct fixture *f, const char *configuration, int steps, struct error *e)
{
    uint32_t choice[32];
    spec_default(f->spec, choice);
    ck_assert(spec_parse_configuration(f->spec, configuration, choice, &f->error));
    for (int i = 0; i < steps; i++) {
        uint64_t began = clock_ns();
        bool is_over = spec_texts_are_made(f->sources, NULL, choice, e);
        ck_assert_uint_lt(clock_ns() - began, 10000000000);
        if (is_over)
            return true;
        usleep(10000);
    }
    return false;
}

// 1 is ready, 2 is refused by its geometry, 4 closes its output and lives on, 8 prints too much.
START_TEST(test_generators)
{
    struct fixture f;
    struct job *job;
    struct error e = ERROR_INIT;
    uint32_t choice[1] = {1};
    struct rlimit files, few;
    siginfo_t told;
    fixture_start(&f);
    fixture_file(&f, "gen.sh",
                 "echo 'kernel void k(global float *y) { y[get_global_id(0)] = 1; }'\n"
                 "[ $1 != 4 ] || { exec >&-; sleep 60; }\n"
                 "[ $1 != 8 ] || yes\n");
    fixture_load(
        &f, "{\"kernel\": {\"exec\": [\"sh\", \"gen.sh\", \"{TILE}\"]}, \"language\": \"OpenCL\","
            " \"parameters\": {\"TILE\": [1, 2, 4, 8, 16]}, \"global\": [64],"
            " \"local\": [\"0 if TILE == 2 else 16\"],"
            " \"arguments\": {\"y\": {\"size\": 64, \"expect\": \"1\"}}}");
    fixture_sources(&f, LANGUAGE_OPENCL);
    size_t left = process_files_left();
    ck_assert(is_generated(&f, "TILE=1", 1000, &e) && is_generated(&f, "TILE=2", 1000, &e));
    ck_assert(!spec_job(f.spec, f.sources, NULL, choice, &job, &f.error));
    ck_assert(is_generated(&f, "TILE=8", 1000, &e));
    choice[0] = 3;
    ck_assert(!spec_job(f.spec, f.sources, NULL, choice, &job, &f.error));
    ck_assert_ptr_nonnull(strstr(f.error.text, "printed more than 16 MiB"));
    ck_assert_uint_eq(process_files_left(), left);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);

    ck_assert(!is_generated(&f, "TILE=4", 50, &e));
    spec_texts_pause(f.sources);
    ck_assert_int_eq(waitid(P_ALL, 0, &told, WSTOPPED), 0);
    ck_assert(!is_generated(&f, "TILE=4", 5, &e));
    ck_assert_int_eq(waitid(P_ALL, 0, &told, WCONTINUED), 0);
    ck_assert_uint_eq(process_files_left(), left - 2);
    spec_texts_drop(f.sources);
    ck_assert_uint_eq(process_files_left(), left);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);

    // That no file can be opened is not the configuration's.
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
    few = files;
    few.rlim_cur -= left;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    ck_assert_int_eq(e.code, ERROR_NONE);
    is_generated(&f, "TILE=16", 1, &e);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
    ck_assert_int_eq(e.code, ERROR_IO);
    e = (struct error)ERROR_INIT;
    ck_assert(is_generated(&f, "TILE=16", 1000, &e));
    job_free(fixture_job(&f, "TILE=16", NULL));
    fixture_end(&f);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spec_job");
    TCase *cases = tcase_create("jobs");
    tcase_set_timeout(cases, 30);
    tcase_add_test(cases, test_words);
    tcase_add_loop_test(cases, test_tested_words, 0, 4);
    tcase_add_loop_test(cases, test_symbols, 0, 5);
    tcase_add_test(cases, test_template_names);
    tcase_add_test(cases, test_source_digest);
    tcase_add_test(cases, test_blank_in_folder);
    tcase_add_test(cases, test_padding);
    tcase_add_loop_test(cases, test_files_outside, 0, (int)(sizeof outsides / sizeof *outsides));
    tcase_add_loop_test(cases, test_leads_out, 0, (int)(sizeof leading_out / sizeof *leading_out));
    tcase_add_loop_test(cases, test_sizes, 0, sizeof sizes / sizeof sizes[0]);
    tcase_add_test(cases, test_block_names);
    tcase_add_test(cases, test_block_names_first);
    tcase_add_test(cases, test_unroll);
    tcase_add_loop_test(cases, test_swap, 0, 3);
    tcase_add_loop_test(cases, test_scalar, 0, sizeof scalars / sizeof scalars[0]);
    tcase_add_loop_test(cases, test_fill, 0, sizeof fills / sizeof fills[0]);
    tcase_add_test(cases, test_buffers);
    tcase_add_test(cases, test_a_view_of_much);
    tcase_add_test(cases, test_opencl_of_two);
    tcase_add_test(cases, test_cuda_of_two);
    tcase_add_test(cases, test_retarget);
    tcase_add_test(cases, test_files_by_language);
    tcase_add_test(cases, test_own_of_files);
    tcase_add_test(cases, test_language_by_text);
    tcase_add_test(cases, test_no_language_by_text);
    tcase_add_test(cases, test_language_left_over);
    tcase_add_test(cases, test_language_fits);
    tcase_add_test(cases, test_language_when);
    tcase_add_test(cases, test_launches);
    tcase_add_test(cases, test_joined);
    tcase_add_test(cases, test_inline);
    tcase_add_test(cases, test_tree);
    tcase_add_test(cases, test_reference_kernel);
    tcase_add_test(cases, test_reference_configuration);
    tcase_add_test(cases, test_reference_none);
    tcase_add_test(cases, test_reference_arguments);
    tcase_add_test(cases, test_vectors_of_three);
    tcase_add_test(cases, test_reference_file);
    tcase_add_test(cases, test_data_hashed_once);
    tcase_add_test(cases, test_data_hashed_beside_each_other);
    tcase_add_loop_test(cases, test_npy_fault, 0, sizeof npy_faults / sizeof npy_faults[0]);
    tcase_add_loop_test(cases, test_npy_beginning, 0,
                        sizeof npy_beginnings / sizeof npy_beginnings[0]);
    tcase_add_test(cases, test_expect);
    tcase_add_test(cases, test_expect_total);
    tcase_add_test(cases, test_expect_file);
    tcase_add_loop_test(cases, test_expect_fault, 0,
                        sizeof expect_faults / sizeof expect_faults[0]);
    tcase_add_test(cases, test_wire);
    tcase_add_test(cases, test_generators);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
