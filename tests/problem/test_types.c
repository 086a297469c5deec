// A spec's arguments held against the parameters that the kernel's source declares.
#include "fixture.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- a spec from a few words -------------------------------------------------------------------

// "a:float:Vector b:int32:Scalar": Name, Type, MemoryType; a fourth part is the FillType.
static void add_arguments(const char *words, struct text *out)
{
    char copy[512], *rest = NULL;
    str_format(copy, sizeof copy, "%s", words);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const char *part[4] = {word, "", "", "Constant"};
        for (int i = 1; i < 4 && (word = strchr(word, ':')); i++) {
            *word++ = '\0';
            part[i] = word;
        }
        bool is_scalar = strcmp(part[2], "Scalar") == 0, is_custom = strcmp(part[1], "custom") == 0;
        text_addf(out, "%s{\"Name\": \"%s\", \"Type\": \"%s\", \"MemoryType\": \"%s\", ",
                  out->length ? ", " : "", part[0], part[1], part[2]);
        text_addf(out, "\"TypeSize\": 12, \"FillType\": \"%s\"%s}",
                  is_custom && is_scalar ? "BinaryRaw" : part[3],
                  is_scalar ? "" : ", \"Size\": \"64\"");
    }
}

static void load(struct fixture *f, enum language l, const char *kernel, const char *arguments)
{
    struct text spec = TEXT_INIT, list = TEXT_INIT;
    add_arguments(arguments, &list);
    text_addf(&spec,
              "{\"Constants\": {\"REAL\": \"float\", \"C\": 2}, \"ConfigurationSpace\": "
              "{\"TuningParameters\": [{\"Name\": \"P\", \"Type\": \"int\", \"Values\": "
              "\"[1, 4]\"}, {\"Name\": \"T\", \"Type\": \"string\", \"Values\": \"['float', "
              "'double', 'float4', 'unsigned int']\"}]}, \"KernelSpecification\": {\"Language\": "
              "\"%s\", \"KernelFile\": \"k\", \"KernelName\": \"k\", \"GlobalSize\": {\"X\": "
              "\"64\"}, \"LocalSize\": {\"X\": \"16\"}, \"Arguments\": [%s]}}",
              l == LANGUAGE_CUDA ? "CUDA" : "OpenCL", text_cstr(&list));
    fixture_start(f);
    fixture_file(f, "k", kernel);
    fixture_load(f, text_cstr(&spec));
    text_release(&spec);
    text_release(&list);
}

// What is said when the sources are read, else of the configuration's job; "" where it is made.
static const char *judge(struct fixture *f, enum language l, const char *configuration, bool *early)
{
    uint32_t choice[8];
    struct job *job = NULL;
    f->sources = spec_sources_read(f->spec, l, NULL, NULL, &f->error);
    *early = !f->sources;
    if (*early)
        return f->error.text;
    spec_default(f->spec, choice);
    ck_assert(spec_parse_configuration(f->spec, configuration, choice, &f->error));
    bool made = spec_job(f->spec, f->sources, NULL, choice, &job, &f->error);
    job_free(job);
    return made ? "" : f->error.text;
}

// ---- what must be refused ----------------------------------------------------------------------

#define CL LANGUAGE_OPENCL
#define CU LANGUAGE_CUDA

static const struct {
    enum language language;
    const char *kernel, *arguments, *configuration;
    bool early; // told when the sources are read
    const char *says;
} wrong[] = {
    {CL, "// one\n__kernel void k(__global const int *restrict a, float x) {}",
     "a:float:Vector x:float:Scalar", "P=1", true,
     "KernelSpecification.Arguments[0]: 'a' is a buffer of float, but kernel 'k' (k, line 2) takes "
     "'__global const int *restrict a' there: say \"Type\": \"int32\""},
    {CL, "kernel void k(global float *a, uint n) {}", "a:double:Vector n:int32:Scalar", "P=1", true,
     "say \"Type\": \"float\""},
    {CL, "kernel void k(global float *a, uint n) {}", "a:float:Vector n:int64:Scalar", "P=1", true,
     "[1]: 'n' is a scalar of type int64"},
    {CL, "kernel void k(global float *a, uint n) {}", "a:float:Vector n:float:Scalar", "P=1", true,
     "takes 'uint n' there: say \"Type\": \"uint32\""},
    {CL, "kernel void k(global float *a, uint n) {}", "n:int32:Scalar a:float:Vector", "P=1", true,
     "say \"MemoryType\": \"Vector\" and \"Type\": \"float\", or put the Arguments into"},
    {CL, "kernel void k(global float *a, local int *t) {}", "a:float:Vector t:int32:Vector", "P=1",
     true, "say \"MemoryType\": \"Local\""},
    {CL, "kernel void k(global float *a, global int *t) {}", "a:float:Vector t:int32:Local", "P=1",
     true, "say \"MemoryType\": \"Vector\""},
    {CL, "kernel void k(global float *a, float4 v) {}", "a:float:Vector v:float:Scalar", "P=1",
     true, "say \"Type\": \"float4\""},
    {CL, "kernel void k(global float2 *a) {}", "a:float4:Vector", "P=1", true,
     "say \"Type\": \"float2\"; Size counts elements of it"},
    {CL, "kernel void k(global int8 *a) {}", "a:int8:Vector:Random", "P=1", true,
     "say \"Type\": \"int32x8\""},
    {CL, "kernel void k(global float *a, int n) {}", "a:float:Vector", "P=1", true,
     "kernel 'k' (k, line 1) takes 2 arguments: global float *a, int n; the spec gives 1: a"},
    // A comment that ends on the kernel's line, and a name that is continued on the next.
    {CL, "/* one\n two */ kernel void k(global flo\\ \nat *a) {}", "a:int32:Vector", "P=1", true,
     "(k, line 2) takes 'global float *a'"},
    {CL, "kernel void k(void) {}", "a:float:Vector", "P=1", true, "takes 0 arguments; the spec"},
    {CL, "typedef unsigned long word;\nkernel void k(global word *a) {}", "a:uint32:Vector", "P=1",
     true, "say \"Type\": \"uint64\""},
    {CL, "#define ELEMENT double\nkernel void k(global ELEMENT *a) {}", "a:float:Vector", "P=1",
     true, "takes 'global ELEMENT *a'"},
    // Types that -D gives: in the configuration.
    {CL, "kernel void k(global REAL *a) {}", "a:int32:Vector", "P=1", false, "'global REAL *a'"},
    {CL, "kernel void k(global T *a) {}", "a:float:Vector", "T=double", false, "'global T *a'"},
    {CL, "kernel void k(global T *a) {}", "a:float:Vector", "T='unsigned int'", false,
     "say \"Type\": \"uint32\""},
    {CL,
     "#if P == 4\ntypedef int item;\n#else\ntypedef float item;\n#endif\n"
     "kernel void k(global item *a) {}",
     "a:float:Vector", "P=4", false, "(k, line 6) takes 'global item *a'"},
    {CL, "kernel void k(\n#if P == 4\n global int *b,\n#endif\n global float *a) {}",
     "a:float:Vector", "P=4", false, "takes 2 arguments"},
    // Around the whole file, and what a usual compiler defines.
    {CL, "#ifndef GUARD_CL\n#define GUARD_CL\nkernel void k(global int *a) {}\n#endif",
     "a:float:Vector", "P=1", true, "(k, line 3) takes 'global int *a'"},
    {CL, "#if __OPENCL_VERSION__ >= 120\nkernel void k(global int *a) {}\n#endif", "a:float:Vector",
     "P=1", true, "(k, line 2) takes 'global int *a'"},
    {CL, "#ifdef cl_khr_fp64\nkernel void k(global double *a) {}\n#endif", "a:float:Vector", "P=1",
     true, "(k, line 2) takes 'global double *a'"},
    {CU, "namespace n {\n__global__ void k(int *a) {}\n}", "a:float:Vector", "P=1", true,
     "(k, line 2) takes 'int *a'"},
    // Heads and parameters that macros make.
    {CL, "#define KERNEL(n) kernel void n(global int *a)\nKERNEL(k) {}", "a:float:Vector", "P=1",
     true, "(k, line 2) takes 'global int *a'"},
    {CL, "#define ARGS global int *a, int n\nkernel void k(ARGS) {}", "a:float:Vector", "P=1", true,
     "takes 2 arguments: global int *a, int n"},
    {CL, "#define ARG(t, n) global t *n\nkernel void k(ARG(int, a)) {}", "a:float:Vector", "P=1",
     true, "takes 'global int *a'"},
    {CU, "extern \"C\" __global__ void __launch_bounds__(P * 32)\nk(const int *__restrict__ a) {}",
     "a:float:Vector", "P=1", true, "(k, line 2) takes 'const int *__restrict__ a'"},
    {CU, "__global__ void k(float *a, const size_t n) {}", "a:float:Vector n:int32:Scalar", "P=1",
     true, "say \"Type\": \"uint64\""},
    {CU, "__global__ void k(float *a, float n) {}", "a:float:Vector n:int32:Vector", "P=1", true,
     "say \"MemoryType\": \"Scalar\""},
    {CU, "#include <mma.h>\n__global__ void k(double *a) {}", "a:float:Vector", "P=1", true,
     "say \"Type\": \"double\""},
    {CU, "__global__ void k(float *a, int n) {}",
     "a:float:Vector n:int32:Scalar t:float:Local m:int32:Scalar", "P=1", true,
     "takes 2 arguments: float *a, int n; the spec gives 3: a, n, m"},
};

START_TEST(test_wrong)
{
    struct fixture f;
    bool early;
    load(&f, wrong[_i].language, wrong[_i].kernel, wrong[_i].arguments);
    const char *said = judge(&f, wrong[_i].language, wrong[_i].configuration, &early);
    ck_assert_msg(strstr(said, wrong[_i].says) != NULL, "said: %s\nexpected: %s", said,
                  wrong[_i].says);
    ck_assert(early == wrong[_i].early);
    fixture_end(&f);
}
END_TEST

// ---- what must not -----------------------------------------------------------------------------

static const struct {
    enum language language;
    const char *kernel, *arguments, *configuration;
} right[] = {
    {CL,
     "kernel void k(global void *a, global char *b, const global uchar *c, constant float *d) {}",
     "a:float:Vector b:float4:Vector:Random c:double:Vector d:float:Symbol", "P=1"},
    {CL, "kernel void k(global uint *a, ulong n, char c) {}",
     "a:int32:Vector n:int64:Scalar c:uint8:Scalar", "P=1"},
    {CL, "kernel void k(global float *a, local double *t) {}", "a:float:Vector t:float:Local",
     "P=1"},
    {CL, "kernel void k(global float4 *a, global float *b) {}", "a:float:Vector b:uint8:Vector",
     "P=1"}, // floats read as vectors; bytes that nothing generates
    {CL,
     "#if P == 4\n#define floatX float4\n#else\n#define floatX float\n#endif\n"
     "kernel void k(global floatX *a) {}",
     "a:float:Vector", "P=4"},
    {CL, "kernel void k(global T *a) {}", "a:float4:Vector", "T=float"},
    {CL, "kernel void k(global T *a) {}", "a:float:Vector", "T=float4"},
    {CL, "kernel void k(global T *a) {}", "a:uint32:Vector", "T='unsigned int'"},
    // Nobody knows what these are: structs, templates, pasted names, files that are not
    // here.
    {CL, "struct s { int a; };\nkernel void k(global struct s *a, struct s b, struct s c) {}",
     "a:float:Vector b:int32:Scalar c:int32:Vector", "P=1"},
    {CL, "#include \"types.h\"\nkernel void k(global real *a, more) {}", "a:float:Vector", "P=1"},
    {CL,
     "#ifdef SOMETHING\n#define real double\n#else\n#define real float\n#endif\n"
     "kernel void k(global real *a) {}",
     "a:float:Vector", "P=1"},
    {CL,
     "#ifdef SOMETHING\nkernel void k(global int *a) {}\n#else\nkernel void k(global float *a) "
     "{}\n#endif",
     "a:float:Vector", "P=1"},
    {CL,
     "#ifdef SOMETHING\ntypedef int real;\n#else\ntypedef float real;\n#endif\n"
     "kernel void k(global real *a) {}",
     "a:float:Vector", "P=1"},
    {CL,
     "/* kernel void k(int a); */ kernel void k(global float *a) {}\n"
     "kernel void other(global float *a) { k(a); }",
     "a:float:Vector", "P=1"},
    {CL, "kernel void k(global half *a, const half2 b) {}", "a:half:Vector b:half2:Scalar", "P=1"},
    {CL, "kernel void k(global float *a __attribute__((unused))) {}", "a:int32:Vector", "P=1"},
    {CU, "template <typename E> __global__ void k(E *a) {}", "a:float:Vector", "P=1"},
    {CU, "typedef unsigned short half;\n__global__ void k(half *a) {}", "a:uint16:Vector", "P=1"},
    {CU, "#include <cuda_fp16.h>\n__global__ void k(__half2 *a, bool b, PARAMS) {}",
     "a:half2:Vector b:bool:Scalar", "P=1"},
    {CU,
     "struct s { int a; };\n__global__ void k(const __grid_constant__ s p, float3 *a, "
     "unsigned long long at, const float4 *q, float *q2) {}",
     "p:int32:Scalar a:float3:Vector at:float:Vector q:float:Vector q2:int64:Scalar", "P=1"},
    {CU, "using real = float;\n__global__ void k(real *a, long n, float const* b) {}",
     "a:float:Vector n:int64:Scalar b:float:Vector", "P=1"},
};

START_TEST(test_right)
{
    struct fixture f;
    bool early;
    load(&f, right[_i].language, right[_i].kernel, right[_i].arguments);
    const char *said = judge(&f, right[_i].language, right[_i].configuration, &early);
    ck_assert_msg(!*said, "%s", said);
    fixture_end(&f);
}
END_TEST

// ---- kernels as strangers write them -----------------------------------------------------------

// Each with arguments that are right, and with one of them made wrong where the source surely
// tells: what is said then. "types.h" stands beside the kernel.
static const struct {
    enum language language;
    const char *header, *kernel, *right, *wrong, *says;
} strangers[] = {
    // Qualifiers behind macros.
    {CL, NULL,
     "#define KERNEL __kernel\n#define GLOBAL __global\n#define RESTRICT restrict\n"
     "KERNEL void k(GLOBAL const float *RESTRICT a, const int n)\n{\n}\n",
     "a:float:Vector n:int32:Scalar", "a:int32:Vector n:int32:Scalar", "(k, line 4) takes 'GLOBAL"},
    {CL, NULL,
     "#ifndef KERNEL\n#define KERNEL __kernel __attribute__((reqd_work_group_size(16, 1, 1)))\n"
     "#endif\nKERNEL void k ( __global float * a , int n ) { }",
     "a:float:Vector n:int32:Scalar", "a:float:Vector n:float:Scalar", "(k, line 4) takes 'int n'"},
    {CU, NULL, "#define EXPORT extern \"C\" __global__\nEXPORT void k(double *out, long long n) {}",
     "o:double:Vector n:int64:Scalar", "o:float:Vector n:int64:Scalar", "(k, line 2)"},
    {CL, NULL, "#define GLOBAL(t) __global t *\nkernel void k(GLOBAL(float) a, int n) {}",
     "a:float:Vector n:int32:Scalar", NULL, NULL},
    // Attributes, conditionals and comments inside a head.
    {CL, NULL,
     "__kernel\n#if P > 1\n__attribute__((reqd_work_group_size(16, 1, 1)))\n#endif\n"
     "void k(/* in */ __global const float *a, // (first, second)\n       const uint n /* of a "
     "*/)\n"
     "{ }",
     "a:float:Vector n:uint32:Scalar", "a:float:Vector n:uint64:Scalar", "takes 'const uint n'"},
    {CL, NULL,
     "__attribute__((vec_type_hint(float4))) kernel void k(global float *restrict a "
     "__attribute__((aligned(16))), short s) {}",
     "a:float:Vector s:int16:Scalar", "a:float:Vector s:int32:Scalar", "takes 'short s'"},
    {CU, NULL,
     "#define BX 16\nextern \"C\" {\n__global__ void __launch_bounds__(BX * (P + 1), 2)\n"
     "k(const float* const __restrict__ in, float* __restrict__ out,\n  unsigned n)\n{ }\n}\n",
     "i:float:Vector o:float:Vector n:uint32:Scalar",
     "i:float:Vector o:float:Vector n:double:Scalar", "(k, line 4) takes 'unsigned n'"},
    {CU, NULL, "static __global__ void k(float *a, unsigned long long int n, signed char c) {}",
     "a:float:Vector n:uint64:Scalar c:int8:Scalar",
     "a:float:Vector n:uint64:Scalar c:int32:Scalar", "takes 'signed char c'"},
    // Several functions that look alike.
    {CL, NULL,
     "kernel void k2(global int *a) {}\nkernel void k_all(global double *a, int n) {}\n"
     "float4 kk(float4 k) { return k; }\nkernel void k(global float *a) {}",
     "a:float:Vector", "a:double:Vector", "(k, line 4)"},
    {CU, NULL,
     "__device__ int k(int a) { return a; }\n__global__ void k(float *a) { a[0] = k(1); }",
     "a:float:Vector", "a:int32:Vector", "(k, line 2)"},
    {CL, NULL,
     "kernel void k(global float *, int);\nfloat square(float k) { return (k) * k; }\n"
     "kernel void k(global float *a, int n)\n{ a[n] = square(a[n]); }",
     "a:float:Vector n:int32:Scalar", "a:int32:Vector n:int32:Scalar", "(k, line 3)"},
    {CU, NULL,
     "template <int N> __global__ void other(const float *a) {}\n"
     "__global__ void k(const double *__restrict__ a) {}",
     "a:double:Vector", "a:float:Vector", "(k, line 2)"},
    {CU, NULL,
     "namespace detail {\n__device__ float k(float x) { return x; }\n}\n"
     "using namespace detail;\n__global__ void k(float *a, float x) {}",
     "a:float:Vector x:float:Scalar", "a:float:Vector x:double:Scalar", "takes 'float x'"},
    {CU, NULL,
     "template <typename T, int N = 4>\n__global__ void k(const T* __restrict__ a, T *b) {}",
     "a:float:Vector b:int32:Vector", NULL, NULL},
    {CU, NULL, "__global__ void k(const float &a, float *b, int n = 3) {}",
     "a:float:Vector b:float:Vector n:int32:Scalar", NULL, NULL},
    // Types by way of something.
    {CL, NULL,
     "#if defined(cl_khr_fp64) && defined(USE_DOUBLE)\n#pragma OPENCL EXTENSION cl_khr_fp64 : "
     "enable\n"
     "typedef double real;\n#else\ntypedef float real;\n#endif\n"
     "kernel void k(global real *a, int n) {}",
     "a:float:Vector n:int32:Scalar", "a:float:Vector n:float:Scalar", "takes 'int n'"},
    {CL, NULL,
     "#ifdef SINGLE\ntypedef float real;\ntypedef float2 real2;\n#endif\n"
     "#ifndef SINGLE\ntypedef double real;\n#endif\nkernel void k(global real *a) {}",
     "a:double:Vector", NULL, NULL},
    {CL, NULL, "#ifndef REAL\n#define REAL double\n#endif\nkernel void k(global REAL *a) {}",
     "a:float:Vector", "a:double:Vector", "takes 'global REAL *a'"}, // -DREAL=float
    {CL, NULL, "#ifndef real\n#define real double\n#endif\nkernel void k(global real *a) {}",
     "a:double:Vector", "a:int32:Vector", "takes 'global real *a'"},
    {CL, "#pragma once\ntypedef struct { float x, y; } pair;\ntypedef unsigned char byte;\n",
     "#include \"types.h\"\nkernel void k(global pair *p, pair q, global byte *b, int n) {}",
     "p:float:Vector q:float2:Scalar b:uint8:Vector n:int32:Scalar",
     "p:float:Vector q:float2:Scalar b:uint8:Vector n:int8:Scalar", "takes 'int n'"},
    {CL, "kernel void k(global float *a, global const int *b) {}\n", "#include \"types.h\"\n",
     "a:float:Vector b:int32:Vector", "a:float:Vector b:float:Vector", "(types.h, line 1)"},
    {CL, NULL, "typedef float real, *real_pointer;\nkernel void k(global real *a, int n) {}",
     "a:float:Vector n:int32:Scalar", "a:float:Vector n:int64:Scalar", "takes 'int n'"},
    {CU, NULL, "typedef double *vector;\n__global__ void k(vector a, int n) {}",
     "a:double:Vector n:int32:Scalar", "a:double:Vector n:float:Scalar", "takes 'int n'"},
    {CU, NULL,
     "#include <cstdint>\n#include <cuda_fp16.h>\n"
     "__global__ void k(const uint8_t *in, half *h, std::size_t n) {}",
     "i:uint8:Vector h:half:Vector n:uint64:Scalar", NULL, NULL},
    {CU, NULL, "#include <cuda_fp16.h>\n__global__ void k(const half2 *in, __half *h, size_t n) {}",
     "i:half:Vector h:half:Vector n:uint64:Scalar", "i:half:Vector h:float:Vector n:uint64:Scalar",
     "takes '__half *h'"},
    {CU, NULL, "struct params { int n; float x; };\n__global__ void k(params p, float *a) {}",
     "p:int64:Scalar a:float:Vector", "p:int64:Scalar a:double:Vector", "takes 'float *a'"},
    {CU, NULL,
     "union bits { int i; float f; };\nenum mode { ONE, TWO };\n"
     "__global__ void k(union bits b, enum mode m, unsigned long long t, unsigned char *a) {}",
     "b:float:Scalar m:int32:Scalar t:uint64:Scalar a:float:Vector",
     "b:float:Scalar m:int32:Scalar t:uint64:Scalar a:float:Scalar", "takes 'unsigned char *a'"},
    // What is said of the memory, and where.
    {CL, NULL,
     "kernel void k(const __global float *a, float const __global *b, __global float *const c, "
     "volatile __global int *d, __global float e[], __constant float f[4]) {}",
     "a:float:Vector b:float:Vector c:float:Vector d:int32:Vector e:float:Vector f:float:Vector",
     "a:float:Vector b:float:Vector c:float:Vector d:int32:Vector e:int32:Vector f:float:Vector",
     "takes '__global float e[]'"},
    {CL, NULL,
     "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
     "constant sampler_t s = CLK_FILTER_NEAREST;\n"
     "kernel void k(uint t, global half *h) {}",
     "t:uint32:Scalar h:half:Vector", "t:uint32:Scalar h:float:Vector", "takes 'global half *h'"},
    // OpenCL's vectors of three lie as those of four do, and the schema of T1 has none of three.
    {CL, NULL, "kernel void k(global float3 *a, float3 v, global int *b) {}",
     "a:float4:Vector v:float4:Scalar b:int32:Vector",
     "a:float2:Vector v:float4:Scalar b:int32:Vector", "takes 'global float3 *a'"},
    {CU, NULL, "__global__ void k(float3 *a) {}", "a:float3:Vector", "a:float4:Vector",
     "takes 'float3 *a'"},
    {CL, NULL, "kernel void k(global uchar *a, global const uchar4 *b, uchar c, bool4 d) {}",
     "a:float:Vector b:uint8:Vector c:uint8:Scalar d:int32:Scalar", NULL, NULL},
    {CL, NULL, "kernel void\nk\n(\nglobal\nfloat\n*\na\n,\nint\nn\n)\n{\n}\n",
     "a:float:Vector n:int32:Scalar", "a:float:Vector n:int32:Vector", "(k, line 2) takes 'int n'"},
    {CL, NULL, "kernel void k(global float (*a)[16], int n) {}", "a:float:Vector n:int32:Scalar",
     NULL, NULL},
    {CL, NULL, "#define ARGUMENTS global float *a, \\\n    int n\nkernel void k(ARGUMENTS) {}",
     "a:float:Vector n:int32:Scalar", NULL, NULL},
    {CL, NULL, "#define EMPTY\nkernel void k(EMPTY global float *a EMPTY, int n) {}",
     "a:float:Vector n:int32:Scalar", "a:float:Vector n:float:Scalar", "takes 'int n'"},
    {CL, NULL,
     "#define k k_inner\n#undef k\n#define real float\n#define vec(n) real ## n\n"
     "kernel void k(global vec(4) *a, int n) {}",
     "a:float:Vector n:int32:Scalar", NULL, NULL},
};

static void load_stranger(struct fixture *f, int i, const char *arguments)
{
    load(f, strangers[i].language, strangers[i].kernel, arguments);
    if (strangers[i].header)
        fixture_file(f, "types.h", strangers[i].header);
}

START_TEST(test_strangers)
{
    struct fixture f;
    bool early;
    load_stranger(&f, _i, strangers[_i].right);
    const char *said = judge(&f, strangers[_i].language, "P=4", &early);
    ck_assert_msg(!*said, "%s", said);
    fixture_end(&f);
    if (!strangers[_i].wrong)
        return;
    load_stranger(&f, _i, strangers[_i].wrong);
    said = judge(&f, strangers[_i].language, "P=4", &early);
    ck_assert_msg(strstr(said, strangers[_i].says) && strstr(said, "Arguments["),
                  "said: %s\nexpected: %s", said, strangers[_i].says);
    fixture_end(&f);
}
END_TEST

// ---- specs that others wrote, and our own ------------------------------------------------------

// BAT's pnpoly passes four arguments to a kernel of three: a pointer as its number of points.
static const char *const refused = HONE_TEST_DATA "/foreign/bat/pnpoly/pnpoly-CAFF.json";

static const char *const specs[] = {
    HONE_SOURCE_DIR "/kernels_cl/matmul_naive.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_tiled.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_blocked.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_bounded.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_register.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_shared.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_simt.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_tensor.json",
    HONE_SOURCE_DIR "/kernels_cl/matmul_vector.json",
    HONE_TEST_DATA "/foreign/ktt/JSON/ClTuneGemm.json",
    HONE_TEST_DATA "/foreign/ktt/JSON/CoulombSum3d.json", // float for const float4 *
    HONE_TEST_DATA "/foreign/bat/GEMM/GEMM-CAFF.json",
    HONE_TEST_DATA "/foreign/bat/nbody/nbody-CAFF.json",
    HONE_TEST_DATA "/foreign/hub/convolution_milo.json",
};

// Counts up through the values of all parameters; restrictions do not matter here.
static void next_choice(const struct spec *s, uint32_t *choice)
{
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        if (++choice[i] < s->parameters[i].count)
            return;
        choice[i] = 0;
    }
}

// What a file lacks or a configuration makes impossible is not the question.
static void ask(const struct spec *s, enum language l)
{
    struct error e = ERROR_INIT;
    uint32_t choice[64] = {0};
    struct spec_sources *sources = spec_sources_read(s, l, NULL, NULL, &e);
    ck_assert_msg(!strstr(e.text, " takes "), "%s", e.text);
    for (int i = 0; sources && i < 60; i++) {
        struct job *job = NULL;
        error_clear(&e);
        if (spec_job(s, sources, NULL, choice, &job, &e))
            job_free(job);
        ck_assert_msg(!strstr(e.text, " takes "), "%s", e.text);
        next_choice(s, choice);
    }
    spec_sources_free(sources);
}

START_TEST(test_specs)
{
    struct error e = ERROR_INIT;
    struct spec_options options = {.log = NULL};
    if (access(specs[_i], R_OK) != 0) {
        printf("SKIP: %s is not here\n", specs[_i]);
        return;
    }
    struct spec *s = spec_load(specs[_i], &options, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        if (spec_has_language(s, (enum language)l))
            ask(s, (enum language)l);
    }
    spec_free(s);
}
END_TEST

START_TEST(test_refused)
{
    struct error e = ERROR_INIT;
    struct spec_options options = {.log = NULL};
    if (access(refused, R_OK) != 0) {
        printf("SKIP: %s is not here\n", refused);
        return;
    }
    struct spec *s = spec_load(refused, &options, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    ck_assert_ptr_null(spec_sources_read(s, LANGUAGE_CUDA, NULL, NULL, &e));
    ck_assert_msg(strstr(e.text, "takes 3 arguments: int *bitmap, float2 *points, int n; the spec "
                                 "gives 4: bitmap, points, vertex_xy, size"),
                  "%s", e.text);
    spec_free(s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("spec_types");
    TCase *cases = tcase_create("types");
    tcase_set_timeout(cases,
                      20); // a stranger's header is thousands of lines, under a sanitizer, too
    tcase_add_loop_test(cases, test_wrong, 0, sizeof wrong / sizeof wrong[0]);
    tcase_add_loop_test(cases, test_right, 0, sizeof right / sizeof right[0]);
    tcase_add_loop_test(cases, test_strangers, 0, sizeof strangers / sizeof strangers[0]);
    tcase_add_loop_test(cases, test_specs, 0, sizeof specs / sizeof specs[0]);
    tcase_add_test(cases, test_refused);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
