// What is said of kernels, line by line: the launch, sizes and uses of buffers, names and values.
#include "../base/suite.h"
#include "describe.h"

#include <string.h>

static void expect(enum language l, const char *kernel, const char *text, const char *expected)
{
    struct arena arena;
    struct inferred f;
    struct error e = ERROR_INIT;
    struct text all = TEXT_INIT;
    arena_init(&arena);
    ck_assert_msg(infer_kernel(text, strlen(text), l, kernel, &arena, &f, &e), "%s", e.text);
    describe_inferred(&f, &all);
    ck_assert_str_eq(text_cstr(&all), expected);
    text_release(&all);
    arena_release(&arena);
}

#define CL(kernel, text, expected) expect(LANGUAGE_OPENCL, kernel, text, expected)
#define CU(kernel, text, expected) expect(LANGUAGE_CUDA, kernel, text, expected)
#define OWN                        "block_size_x=64 of [32, 64, 128, 256]; "
#define OWN2                       "block_size_x=16 of [4, 8, 16, 32]; block_size_y=16 of [4, 8, 16, 32]; "

START_TEST(element_by_element)
{
    CL("k",
       "kernel void k(int n, float a, global const float *x, global float *y)\n"
       "{ int i = get_global_id(0); if (i < n) y[i] = a * x[i] + y[i]; }",
       "n; " OWN "| n / block_size_x; | n = n; a = 2.0; x r n; y rw n; ");
    CU("k",
       "__global__ void k(float *y, const float *x, unsigned n)\n"
       "{ for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
       "blockDim.x) y[i] = x[i]; }",
       "n; " OWN "| n / block_size_x; | y w n; x r n; n = n; ");
    // Words of the expression language: constants that others of the text are not called.
    CL("k",
       "kernel void k(global const float *not, global float *or, int in, int is)\n"
       "{ int i = get_global_id(0), in_ = get_global_id(1); if (i < in && in_ < is) or[in_ * in + "
       "i] = not[i]; }",
       "in__; is_; " OWN2 "| in__ / block_size_x; is_ / block_size_y; | not r in__; or w in__ * "
       "is_; in = in__; is = is_; ");
    // Nothing stops it: sizes are multiples of the group.
    CL("k", "#define G __global\nkernel void k(G float *y) { y[get_global_id(0)] = 1; }",
       "SIZE; " OWN "| SIZE / block_size_x; | y w SIZE; | SIZE % block_size_x == 0");
    CL("k",
       "#ifndef PER\n#define PER 4   // items of each\n#endif\n"
       "kernel void k(global float4 *y, int n) { for (int k = 0; k < PER; k++) {\n"
       "int i = get_group_id(0) * BLOCK * PER + k * BLOCK + get_local_id(0);\n"
       "if (i < n) y[i] = 1; } }",
       "n; PER=4 of [2, 4, 8]; BLOCK=64 of [32, 64, 128, 256]; "
       "| ceil(n / (PER * BLOCK)) * BLOCK / BLOCK; | y w 4 * n; n = n; ");
}
END_TEST

// What only the result shows is no parameter; groups that 48 elements make need sizes that 48 divides.
START_TEST(names_and_tiles)
{
    CL("k",
       "kernel void k(global float *y, int n)\n"
       "{ int i = get_global_id(0); if (i < n) y[i] = i * SCALE; }",
       "n; SCALE; " OWN "| n / block_size_x; | y w n; n = n; ");
    CL("k",
       "__attribute__((reqd_work_group_size(8, 8, 1)))\n"
       "kernel void k(global float *c, global const float *a, int rows, int cols) {\n"
       "int y = get_group_id(1) * 48 + get_local_id(1), x = get_group_id(0) * 48 + "
       "get_local_id(0);\n"
       "for (int r = 0; r < 6; r++) for (int k = 0; k < 6; k++)\n"
       "c[(y + 8 * r) * cols + x + 8 * k] = a[(y + 8 * r) * cols + x + 8 * k]; }",
       "rows; cols; | ceil(cols / 48) * 8 / 8; ceil(rows / 48) * 8 / 8; | c w rows * cols; a r "
       "rows * cols; "
       "rows = rows; cols = cols; | cols % 48 == 0| rows % 48 == 0");
}
END_TEST

START_TEST(hidden_kernels)
{
    static const struct {
        const char *text, *hidden;
    } cases[] = {
        {"kernel void k(global float *y) { y[0] = 1; }", ""},
        {"#ifndef K_CL\n#define K_CL\nkernel void k(global float *y) { y[0] = 1; }\n#endif\n", ""},
        {"#if defined(ONE)\n__kernel __attribute__((vec_type_hint(float)))\nvoid fill(global float "
         "*y) {}\n#elif TWO == 2\nkernel void fill(global int *y) {}\n#else\n#ifdef "
         "MORE\nkernel void other(global int *y) {}\n#endif\n#endif\n",
         "fill stands in #if defined(ONE); fill stands in #elif TWO == 2; other stands in the "
         "#else "
         "of line 6, in it #ifdef MORE"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena;
        struct inferred_kernels k;
        struct error e = ERROR_INIT;
        arena_init(&arena);
        ck_assert(
            infer_kernels(cases[i].text, strlen(cases[i].text), LANGUAGE_OPENCL, &arena, &k, &e));
        ck_assert_str_eq(k.hidden, cases[i].hidden);
        arena_release(&arena);
    }
}
END_TEST

START_TEST(planes)
{
    CL("k",
       "kernel void k(global const float *in, global float *out, int w, int h)\n"
       "{ int x = get_global_id(0), y = get_global_id(1);\n"
       "  if (x > 0 && y > 0 && x < w - 1 && y < h - 1) out[y * w + x] = in[y * w + x + 1] + "
       "in[(y + 1) * w + x]; }",
       "w; h; " OWN2 "| w / block_size_x; h / block_size_y; "
       "| in r w * h; out rw w * h; w = w; h = h; ");
    // The border stands around: one more element on each side.
    CL("k",
       "kernel void k(global const float *in, global float *out, int w, int h)\n"
       "{ int x = get_global_id(0), y = get_global_id(1); if (x >= w || y >= h) return;\n"
       "  float s = 0; for (int j = 0; j < 3; j++) for (int i = 0; i < 3; i++)\n"
       "  s += in[(y + j) * (w + 2) + x + i]; out[y * w + x] = s; }",
       "w; h; " OWN2 "| w / block_size_x; h / block_size_y; "
       "| in r (w + 2) * (h + 2); out w w * h; w = w; h = h; ");
    CL("k",
       "kernel void k(global float *o, global const float *a, int w, int h) {\n"
       "local float t[T][T + 1]; int x = get_local_id(0), y = get_local_id(1);\n"
       "t[y][x] = a[(get_group_id(1) * T + y) * w + get_group_id(0) * T + x];\n"
       "barrier(1); o[(get_group_id(0) * T + y) * h + get_group_id(1) * T + x] = t[x][y]; }",
       "w; h; T=16 of [8, 16, 32]; | w / T; h / T; | o w w * h; a r w * h; w = w; h = h; "
       "| w % T == 0| h % T == 0");
}
END_TEST

START_TEST(by_data)
{
    CL("k",
       "kernel void k(global const uchar *d, global uint *h, int n)\n"
       "{ int i = get_global_id(0); if (i < n) atomic_inc(&h[d[i]]); }",
       "n; " OWN "| n / block_size_x; | d r n; h rw 256; n = n; ");
    CL("k",
       "kernel void k(global const int *p, global const int *c, global const float *v,\n"
       "global const float *x, global float *y, int rows) { int r = get_global_id(0);\n"
       "if (r < rows) { float s = 0; for (int j = p[r]; j < p[r + 1]; j++) s += v[j] * x[c[j]];\n"
       "y[r] = s; } }",
       "rows; " OWN "| rows / block_size_x; | p r rows + 1 {16 * i}; c r rows * 16; "
       "v r rows * 16; x r rows; y w rows; rows = rows; ");
}
END_TEST

START_TEST(sums)
{
    CL("k",
       "kernel void k(global const float *in, global float *out, local float *t, int n)\n"
       "{ int l = get_local_id(0); float s = 0;\n"
       "for (int i = get_global_id(0); i < n; i += get_global_size(0)) s += in[i];\n"
       "t[l] = s; for (int o = get_local_size(0) / 2; o > 0; o /= 2) { barrier(1);\n"
       "if (l < o) t[l] += t[l + o]; } if (l == 0) out[get_group_id(0)] = t[0]; }",
       "n; " OWN "| n / block_size_x; | in r n; out w ceil(n / (block_size_x)); "
       "t local block_size_x; n = n; ");
    CL("k",
       "kernel __attribute__((reqd_work_group_size(64, 1, 1))) void k(global const float *a,\n"
       "global float *y, int m, int n) { local float p[64]; int r = get_group_id(0),\n"
       "l = get_local_id(0); float s = 0; for (int c = l; c < n; c += 64) s += a[r * n + c];\n"
       "p[l] = s; barrier(1); if (l == 0) y[r] = p[0] + p[63]; }",
       "m; n; | m * 64 / 64; | a r m * n; y w m; m = m; n = n; ");
}
END_TEST

// Nothing that the kernel lacks: another kernel's names, or names of a branch not taken.
START_TEST(only_its_own_names)
{
    CL("k",
       "#ifndef OTHER\n#define OTHER 3\n#endif\n#define UNUSED 4\n"
       "kernel void other(global int *x) { x[OTHER * LAST] = 1; }\n"
       "#if MODE == 1\n#define ADD +\n#else\n#define ADD -\n#endif\n"
       "kernel void k(global int *x, int n) { int i = get_global_id(0);\n"
       "if (i < n) x[i] = 1 ADD 2; }",
       // LAST has to be given for the file to build.
       "n; MODE=0 of [0, 1]; " OWN "LAST; | n / block_size_x; | x w n; n = n; ");
    CU("k",
       "template <int B, typename T> __global__ void k(T *y, int n)\n"
       "{ int i = blockIdx.x * B + threadIdx.x; if (i < n) y[i] = T(1); }",
       "n; B=64 of [32, 64, 128, 256]; | n / B; | y w n; n = n; ");
}
END_TEST

// Members are seen as arguments; those that the kernel does not use are not.
START_TEST(structs_by_value)
{
    CL("k",
       "typedef struct { int rows, cols; float gain; int unused; } shape;\n"
       "kernel void k(global float *x, shape s, global const float *y)\n"
       "{ int i = get_global_id(0), j = get_global_id(1);\n"
       "if (i < s.cols && j < s.rows) x[j * s.cols + i] = s.gain * y[j * s.cols + i]; }",
       "s_cols; s_rows; block_size_x=16 of [4, 8, 16, 32]; block_size_y=16 of [4, 8, 16, 32]; "
       "| s_cols / block_size_x; s_rows / block_size_y; "
       "| x w s_cols * s_rows; s struct; y r s_cols * s_rows; s.cols = s_cols; s.rows = s_rows; "
       "s.gain = 0.5; ");
    CU("k",
       "struct part { float2 at[2]; struct { int n; } in; };\n"
       "__global__ void k(int *x, part p, int n)\n"
       "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = p.in.n + p.at[0].x; }",
       "n; " OWN "| n / block_size_x; | x w n; p struct; n = n; ");
}
END_TEST

// An array of extents, and the strides that are their products; a type that nothing defines is int.
START_TEST(structs_with_arrays)
{
    CL("k",
       "typedef struct { extent_t dims[4]; extent_t strides[4]; extent_t offset; } shape;\n"
       "kernel void k(global float *x, const shape s)\n"
       "{ int i = get_global_id(0), j = get_global_id(1);\n"
       "if (i < s.dims[0] && j < s.dims[1]) x[s.offset + j * s.strides[1] + i] = 1; }",
       "s_dims_0; s_dims_1; " OWN2 "extent_t; | s_dims_0 / block_size_x; s_dims_1 / block_size_y; "
       "| x w s_dims_0 * s_dims_1; s struct; s.dims[0] = s_dims_0; s.dims[1] = s_dims_1; s.offset "
       "= "
       "0; ");
    CL("k",
       "typedef struct { int n[2]; } counts;\n"
       "kernel void k(global int *x, counts c)\n"
       "{ int i = get_global_id(0); if (i < c.n[1]) x[i] = c.n[0]; }",
       "c_n_1; c_n_0; " OWN
       "| c_n_1 / block_size_x; | x w c_n_1; c struct; c.n[1] = c_n_1; c.n[0] = c_n_0; ");
}
END_TEST

// Each group works on the block behind its own.
START_TEST(one_group_less)
{
    CL("k",
       "kernel void k(global float *m, int n) {\n"
       "int x = (get_group_id(0) + 1) * T + get_local_id(0);\n"
       "int y = (get_group_id(1) + 1) * T + get_local_id(1);\n"
       "m[y * n + x] -= m[get_local_id(1) * n + x] * m[y * n + get_local_id(0)]; }",
       "n; T=16 of [8, 16, 32]; | n - T / T; n - T / T; | m rw n * n; n = n; | n % T == 0");
    CL("k",
       "kernel void k(global int *y, global const int *sums, int n) {\n"
       "int block = get_group_id(0) + 1, end = (block + 1) * T < n ? (block + 1) * T : n;\n"
       "int sum = sums[block];\n"
       "for (int i = block * T + get_local_id(0); i < end; i += get_local_size(0)) y[i] += sum; }",
       "n; T=32 of [16, 32, 64]; " OWN "| ceil(n / T) * block_size_x / block_size_x; "
       "| y rw n; sums r ceil(n / (T)) + 1; n = n; ");
}
END_TEST

// The length of a row is the number of work-items, and its name says nothing; an argument that is only held against
// numbers is no size.
START_TEST(sizes_by_use)
{
    CL("k",
       "#define AT(p, row) (p[(row) * N_PT + get_global_id(0)])\n"
       "kernel void k(global const float *t, global float *r) {\n"
       "float x = t[get_global_id(0)]; AT(r, 0) = x; AT(r, 72) = 2 * x; }",
       "N_PT; " OWN
       "| N_PT / block_size_x; | t r N_PT; r rw 73 * N_PT; | N_PT % block_size_x == 0");
    CL("k",
       "kernel void k(global float *y, int n, int dim) { int i = get_global_id(0);\n"
       "if (i < n) y[i] = dim == 1 ? i : dim == 2 ? 1 : 0; }",
       "n; " OWN "| n / block_size_x; | y w n; n = n; dim = 1; ");
}
END_TEST

START_TEST(what_cannot_be_passed)
{
    static const char *const texts[] = {
        "kernel void k(read_only image2d_array_t i, global int *x) { x[0] = 1; }",
        "struct s { int a; global float *b; }; kernel void k(struct s v, global int *x) { x[0] = "
        "v.a; }",
        "kernel void k(global int **x) { x[0][0] = 1; }",
        "kernel void k(global int *x, write_only pipe int p) { write_pipe(p, x); }",
        "kernel void k(global Pack<float, Two<int>> *x) { x[0] = x[1]; }",
        "texture<float, 1> t; kernel void k(global float *x) { x[0] = tex1Dfetch(t, 1); }"};
    static const char *const words[] = {"image",
                                        "struct by value",
                                        "pointer to pointers",
                                        "a pipe",
                                        "'x' of k is of a template's type (Pack<>)",
                                        "k reads the texture reference 't'"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct arena arena;
        struct inferred f;
        struct error e = ERROR_INIT;
        arena_init(&arena);
        ck_assert(!infer_kernel(texts[i], strlen(texts[i]), LANGUAGE_OPENCL, "k", &arena, &f, &e));
        ck_assert_msg(strstr(e.text, words[i]) != NULL, "%s", e.text);
        arena_release(&arena);
    }
}
END_TEST

// A kernel that cannot be read has a spec all the same, and says what is open.
START_TEST(what_is_not_understood)
{
    const char *text = "kernel void k(global float *x, int n) { goto end; end: x[0] = 1; }";
    struct arena arena;
    struct inferred f;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    ck_assert(infer_kernel(text, strlen(text), LANGUAGE_OPENCL, "k", &arena, &f, &e));
    ck_assert_uint_eq(f.argument_count, 2);
    ck_assert(f.arguments[0].is_guess);
    ck_assert_uint_gt(f.open_count, 0);
    ck_assert_msg(strstr(f.open[0], "line 1") != NULL, "%s", f.open[0]);
    ck_assert_int_eq(f.arguments[0].access, INFERRED_BOTH); // the text writes it
    arena_release(&arena);
}
END_TEST

// A specialisation is not the template, types of CUDA's headers have their sizes, and bytes take small values.
START_TEST(words_of_cuda)
{
    CU("k",
       "template <typename T> __global__ void k(T *o, const T *x, int n)\n"
       "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = x[i]; }\n"
       "template <> __global__ void k(half *o, const half *x, int n) { o[0] = x[1]; }",
       "n; " OWN "| n / block_size_x; | o w n; x r n; n = n; ");
    CU("k",
       "__global__ void k(clock_t *t, curandState *s, char c, int n)\n"
       "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { t[i] = c; s[i] = s[i]; } }",
       "n; " OWN "| n / block_size_x; | t w n; s rw n; c = 1; n = n; ");
    CU("k",
       "__global__ void k(float *o, int n)\n"
       "{ cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
       "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = tile.size(); }",
       "n; " OWN "| n / block_size_x; | o w n; n = n; ");
}
END_TEST

// Texts that are long, deep, or wrong: they are read all the same, within the stack and in no time.
static bool is_read(const char *text, size_t length, struct arena *arena, struct inferred *f)
{
    struct error e = ERROR_INIT;
    arena_init(arena);
    return infer_kernel(text, length, LANGUAGE_OPENCL, "k", arena, f, &e);
}

START_TEST(what_is_too_much)
{
    static const char *const chains[] = {"i + ", "i, ", "i ? 1 : ", "i * (", "y["};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        struct text t = TEXT_INIT;
        struct arena arena;
        struct inferred f;
        text_add(&t, "kernel void k(global int *y, int n) { int i = get_global_id(0); y[i] = (");
        for (int k = 0; k < 200000; k++)
            text_add(&t, chains[i]);
        text_add(&t, "0); }");
        ck_assert_msg(is_read(text_cstr(&t), t.length, &arena, &f), "%s", chains[i]);
        ck_assert_msg(f.open_count > 0 && strstr(f.open[0], "not understood"), "%s", chains[i]);
        arena_release(&arena);
        text_release(&t);
    }
    // Functions that call each other below as much as is read.
    struct text t = TEXT_INIT;
    struct arena arena;
    struct inferred f;
    for (int i = 0; i < 24; i++) {
        text_addf(&t, "int f%d(int x) { return f%d(x)", i, i - 1);
        for (int k = 0; k < 1900; k++)
            text_add(&t, " + 1");
        text_add(&t, "; }\n");
    }
    text_add(&t, "kernel void k(global int *y, int n) { int i = get_global_id(0);\n"
                 "if (i < n) y[i] = f23(1); }");
    ck_assert(is_read(text_cstr(&t), t.length, &arena, &f));
    arena_release(&arena);
    text_clear(&t);
    // What one #error of a long chain says has all branches before it.
    text_add(&t, "#if A == 0\n");
    for (int i = 0; i < 5000; i++)
        text_addf(&t, "#elif A == %d\n#error no\n", i);
    text_add(&t, "#endif\nkernel void k(global int *y, int n) { int i = get_global_id(0);\n"
                 "const int c0 = BLOCK;\n");
    for (int i = 0; i < 50; i++)
        text_addf(&t, "const int c%d = c%d + c%d;\n", i + 1, i, i);
    text_add(&t, "static_assert(c50 > 3, \"\"); if (i < n) y[i] = 1; }");
    ck_assert(is_read(text_cstr(&t), t.length, &arena, &f));
    arena_release(&arena);
    text_release(&t);
}
END_TEST

START_TEST(numbers_at_the_edge)
{
    // A name that is 0 is no part of another.
    CL("k",
       "#ifndef BLOCK\n#define BLOCK 64\n#endif\n#ifndef SKEW\n#define SKEW 0\n#endif\n"
       "kernel void k(global const float *in, global float *out) { local float t[2 * BLOCK];\n"
       "int l = get_local_id(0), g = get_group_id(0) * BLOCK + l; t[l + SKEW] = in[g];\n"
       "barrier(1); out[g] = t[l + SKEW]; }",
       "BLOCK=64 of [32, 64, 128, 256]; SKEW=0 of [0, 1]; SIZE; | SIZE / BLOCK; "
       "| in r SIZE; out w SIZE; | SIZE % BLOCK == 0");
    // What is written lies before the buffer.
    CL("k",
       "kernel void k(global float *out)\n"
       "{ out[get_group_id(0) * 64 + get_local_id(0) - 1000000000] = 1; }",
       "SIZE; | ceil(SIZE / 64) * 512 / 512; | out rw SIZE?; | SIZE % 64 == 0");
}
END_TEST

// The first value of a constant of what is inferred.
static int64_t constant(const struct inferred *f, const char *name)
{
    for (uint32_t i = 0; i < f->name_count; i++) {
        if (strcmp(f->names[i].name, name) == 0 && f->names[i].role == NAME_CONSTANT)
            return f->names[i].value;
    }
    return -1;
}

// Sizes that the restrictions allow; the switch that the text offers first; a bool; steps of a host's loop.
START_TEST(values_that_compile)
{
    const char *tile =
        "kernel __attribute__((reqd_work_group_size(8, 8, 1))) void k(global float *c,\n"
        "global const float *a, int rows, int cols) { int r0 = get_group_id(1) * 48 + "
        "get_local_id(1),\n"
        "c0 = get_group_id(0) * 48 + get_local_id(0); for (int r = 0; r < 6; r++)\n"
        "for (int k = 0; k < 6; k++) c[(r0 + 8 * r) * cols + c0 + 8 * k] =\n"
        "2.0f * a[(r0 + 8 * r) * cols + c0 + 8 * k]; }";
    const char *real = "#ifdef SINGLE\n#define REAL float\n#elif USE_DOUBLE\n#define REAL double\n"
                       "#elif USE_OLD\n#define REAL double\n#endif\n"
                       "kernel void k(global REAL *a, int n) { int i = get_global_id(0);\n"
                       "if (i < n) a[i] = 1; }";
    struct arena arena;
    struct inferred f;
    ck_assert(is_read(tile, strlen(tile), &arena, &f));
    ck_assert_int_gt(constant(&f, "rows"), 255);
    ck_assert_int_eq(constant(&f, "rows") % 48, 0);
    ck_assert_int_eq(constant(&f, "cols") % 48, 0);
    arena_release(&arena);
    ck_assert(is_read(real, strlen(real), &arena, &f));
    ck_assert_int_eq(constant(&f, "SINGLE"), 1);
    ck_assert_uint_eq(f.name_count, 3); // n, the group's size
    ck_assert_str_eq(f.arguments[0].type, "float");
    arena_release(&arena);
    CU("flip",
       "__global__ void flip(float *o, bool negate, int n)\n"
       "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = negate ? 1 : 2; }",
       "n; " OWN "| n / block_size_x; | o w n; negate = 1; n = n; ");
    CL("k",
       "kernel void k(global float *u, int plane, int n) { int i = get_global_id(0);\n"
       "if (i < n) u[plane * n + i] += 1; }",
       "n; " OWN "| n / block_size_x; | u rw 2 * n; plane = 1; n = n; ");
}
END_TEST

static void add(TCase *tests)
{
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, values_that_compile);
    tcase_add_test(tests, element_by_element);
    tcase_add_test(tests, names_and_tiles);
    tcase_add_test(tests, hidden_kernels);
    tcase_add_test(tests, planes);
    tcase_add_test(tests, by_data);
    tcase_add_test(tests, sums);
    tcase_add_test(tests, only_its_own_names);
    tcase_add_test(tests, structs_by_value);
    tcase_add_test(tests, structs_with_arrays);
    tcase_add_test(tests, one_group_less);
    tcase_add_test(tests, sizes_by_use);
    tcase_add_test(tests, what_cannot_be_passed);
    tcase_add_test(tests, what_is_not_understood);
    tcase_add_test(tests, words_of_cuda);
    tcase_add_test(tests, what_is_too_much);
    tcase_add_test(tests, numbers_at_the_edge);
}

int main(void)
{
    return suite_run("infer", add);
}
