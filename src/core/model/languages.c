// The languages' rows. Texts of several lines, which hone's own kernels begin with, stand above
// them.
#include "model/languages.h"

#include "base/text.h"
#include "model/job.h"

#include <string.h>

#define WORDS(...)  ((const char *const[]){__VA_ARGS__, NULL})
#define NO_WORDS    ((const char *const[]){NULL})
#define MACROS(...) ((const struct language_macro[]){__VA_ARGS__, {.name = NULL}})
#define CACHES(...) ((const struct language_cache[]){__VA_ARGS__, {.variable = NULL}})

// NVRTC's __global__ is a macro in which the word `global` stands: OpenCL's words with underscores.
extern const char opencl_peak_words[], cuda_peak_words[]; // texts/opencl_peak_words.cl, ...

// Options that a spec may not pass to the compiler: it runs in hone's own folder and makes one
// file, and nothing may be stored under a key that misses something it has read.
static const struct language_option c_refused[] = {
    {"-o -aux-info", "it names an output file", false, false},
    {"@", "it names a file of options", false, false},
    {"-specs -wrapper -B", "it changes what the compiler runs", false, false},
    {"-fplugin", "it loads a plugin into the compiler", false, false},
    {"-X -Wl, -Wa, -Wp,", "it hands options to another program", false, false},
    {"-T", "it names a script of the linker's", false, false},
    {"-M", "it writes a file of dependences", false, false},
    {"-save-temps -fdump -ftest-coverage -coverage -fstack-usage -fcallgraph-info -fopt-info "
     "-gsplit-dwarf",
     "it leaves files", false, false},
    {"-dump", "it names output files", false, false},
    {"-fprofile", "it reads or leaves files", false, false},
    {"-fdiagnostics-", "it changes what a build log shows", false, false},
    {"-c -S -E -static", "a shared object is made", true, false},
    {"-x", "the language is C", false, false},
    {.starts = NULL},
};
// Options in other tuners' files that are meant for nvcc and for the host compiler behind it.
static const struct language_option cuda_ignored[] = {
    {"-O -O0 -O1 -O2 -O3 -O4 -m64 -allow-unsupported-compiler -Wno-deprecated-gpu-targets "
     "-extended-lambda -resource-usage -res-usage",
     "nvcc's", true, false},
    {"-optimize -expt-", "nvcc's", false, false},
    {"-Xcompiler -ccbin", "nvcc's, for the host's compiler", true, true},
    {"-Xcompiler -compiler-options -ccbin -compiler-bindir", "nvcc's, for the host's compiler",
     false, false},
    {"-gencode", "nvcc's", true, true},
    {"-gencode -generate-code", "nvcc's", false, false},
    {"-g", "nvcc's, for code of the host", true, false},
    {"-lcu -cudart", "the linker's", false, false},
    {"-lm -shared", "the linker's", true, false},
    {.starts = NULL},
};

static const struct language_option opencl_ignored[] = {
    {"-std=c++ -std=gnu++", "a C++ compiler's", false, false},
    {"-use_fast_math", "nvcc's (OpenCL has -cl-fast-relaxed-math)", true, false},
    {"-arch -gpu-architecture -maxrregcount -Xptxas", "nvcc's", false, false},
    {"-lineinfo", "nvcc's", true, false},
    {.starts = NULL},
};

// Types, qualifiers and functions of OpenCL C: its headers declare the functions.
static const char opencl_header_words[] =
    "read_only write_only read_write __* kernel global local constant private generic pipe "
    "uniform bool void char char2 char3 char4 char8 char16 uchar uchar2 uchar3 uchar4 uchar8 "
    "uchar16 short short2 short3 short4 short8 short16 ushort ushort2 ushort3 ushort4 ushort8 "
    "ushort16 int int2 int3 int4 int8 int16 uint uint2 uint3 uint4 uint8 uint16 long long2 long3 "
    "long4 long8 long16 ulong ulong2 ulong3 ulong4 ulong8 ulong16 float float2 float3 float4 "
    "float8 float16 double double2 double3 double4 double8 double16 half half2 half3 half4 half8 "
    "half16 size_t ptrdiff_t intptr_t uintptr_t image1d* image2d* image3d* sampler_t event_t "
    "queue_t ndrange_t reserve_id_t cl_mem_fence_flags memory_order memory_scope atomic_* atom_* "
    "convert_* native_* vload* vstore* read_image* write_image* vec_type_hint "
    "work_group_size_hint reqd_work_group_size barrier mem_fence read_mem_fence write_mem_fence "
    "wait_group_events prefetch printf vec_step abs abs_diff acos acosh acospi add_sat all any "
    "asin asinh asinpi atan atan2 atan2pi atanh atanpi bitselect cbrt ceil clamp clz copysign cos "
    "cosh cospi cross ctz degrees distance dot erf erfc exp exp10 exp2 expm1 fabs fdim floor fma "
    "fmax fmin fmod fract frexp hadd hypot ilogb isequal isfinite isgreater isgreaterequal isinf "
    "isless islessequal islessgreater isnan isnormal isnotequal isordered isunordered ldexp "
    "length lgamma lgamma_r log log10 log1p log2 logb mad mad24 mad_hi mad_sat max maxmag min "
    "minmag mix modf mul24 mul_hi nan nextafter normalize popcount pow pown powr radians "
    "remainder remquo rhadd rint rootn rotate round rsqrt select shuffle shuffle2 sign signbit "
    "sin sincos sinh sinpi smoothstep sqrt step sub_sat tan tanh tanpi tgamma trunc upsample";

// Options whose value is the next word.
static const char *const with_value[] = {"-D",       "-U",         "-I",       "-L",
                                         "-l",       "-include",   "-imacros", "-iquote",
                                         "-isystem", "-idirafter", "--param",  NULL};

static const struct language_traits rows[LANGUAGE_COUNT + 1] =
    {
        [LANGUAGE_OPENCL] =
            {
                .text = "opencl",
                .title = "OpenCL",
                .remedy = "For a CPU install PoCL (Debian and Ubuntu: apt install pocl-opencl-icd "
                          "ocl-icd-libopencl1); for a GPU the OpenCL part of its driver "
                          "(nvidia-opencl-icd, mesa-opencl-icd, intel-opencl-icd)",
                .probe = "kernel void hone_probe(global uint *out)\n"
                         "{\n"
                         "    uint i = get_global_id(0);\n"
                         "    out[i] = i * 2654435761u + 12345u;\n"
                         "}\n",
                .peak_words = opencl_peak_words,
                .endings = WORDS(".cl", ".clh", ".ocl", ".spv"),
                .kernel_words = WORDS("__kernel", "kernel"),
                .telling_words = WORDS("__kernel"),
                .weak_word = "kernel", // may be any name elsewhere
                .macros = WORDS("__OPENCL_VERSION__", "__OPENCL_C_VERSION__"),
                // OpenCL 3.0 with OpenCL C 1.2 and doubles
                .usual_macros = MACROS({"__OPENCL_VERSION__", 300}, {"__OPENCL_C_VERSION__", 120},
                                       {"CL_VERSION_1_0", 100}, {"CL_VERSION_1_1", 110},
                                       {"CL_VERSION_1_2", 120}, {"CL_VERSION_2_0", 200},
                                       {"CL_VERSION_3_0", 300}, {"__ENDIAN_LITTLE__", 1},
                                       {"cl_khr_fp64", 1}, {"cl_khr_byte_addressable_store", 1},
                                       {"cl_khr_global_int32_base_atomics", 1},
                                       {"cl_khr_global_int32_extended_atomics", 1},
                                       {"cl_khr_local_int32_base_atomics", 1},
                                       {"cl_khr_local_int32_extended_atomics", 1},
                                       {"cl_khr_int64_base_atomics", 1}),
                .some_macros = NO_WORDS,
                .qualifiers = WORDS("private", "__private", "read_only", "__read_only",
                                    "write_only", "__write_only", "read_write", "__read_write"),
                .global_words = WORDS("global", "__global", "constant", "__constant"),
                .local_words = WORDS("local", "__local"),
                // NVIDIA's OpenCL keeps what it compiles where CUDA does.
                .time_variables = WORDS("POCL_"),
                .other_variables = WORDS("POCL_CACHE_DIR=", "POCL_KERNEL_CACHE="),
                .caches = CACHES({.variable = "CUDA_CACHE_PATH", .below = "", .is_beside = true},
                                 {.variable = "POCL_CACHE_DIR", .below = ""},
                                 {.variable = "XDG_CACHE_HOME", .below = "/pocl/kcache"},
                                 {.variable = "HOME", .below = "/.cache/pocl/kcache"}),
                .ignored = opencl_ignored,
                .header_words = opencl_header_words,
                .routines = 1u << ROUTINE_CBLAS | 1u << ROUTINE_CLBLAST,
                .vector_widths = 1u << 2 | 1u << 3 | 1u << 4 | 1u << 8 | 1u << 16,
                .passes_local = true,
                .passes_symbols = true,
                .passes_samplers = true,
                .has_images = true,
                .retargets = true,
                .builds_on_device = true,
                .is_simulated = true,
            },
        [LANGUAGE_CUDA] =
            {
                .text = "cuda",
                .title = "CUDA",
                .remedy = "CUDA needs an NVIDIA GPU and NVIDIA's driver",
                .probe = "extern \"C\" __global__ void hone_probe(unsigned *out)\n"
                         "{\n"
                         "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "    out[i] = i * 2654435761u + 12345u;\n"
                         "}\n",
                .peak_words = cuda_peak_words,
                .endings = WORDS(".cu", ".cuh", ".ptx", ".cubin"),
                .kernel_words = WORDS("__global__"),
                .telling_words = WORDS("__global__"),
                .own_compiler = "__CUDACC_RTC__",
                .macros = WORDS("__CUDACC__", "__CUDACC_RTC__", "__CUDA_ARCH__"),
                .usual_macros =
                    MACROS({"__cplusplus", 201703}, {"__CUDACC__", 1}, {"__CUDACC_RTC__", 1},
                           {"__CUDA_ARCH__", 900}, {"__CUDACC_VER_MAJOR__", 12}),
                .some_macros = WORDS("__NVCC__"),
                .qualifiers = WORDS("__grid_constant__"),
                .supplied_headers =
                    WORDS("algorithm", "array", "assert.h", "atomic", "bitset", "cassert",
                          "cctype", "cerrno", "cfloat", "chrono", "climits", "cmath",
                          "condition_variable", "cstddef", "cstdint", "cstdio", "cstdlib",
                          "cstring", "ctime", "ctype.h", "cuda.h", "cuda_runtime.h",
                          "cuda_runtime_api.h", "deque", "device_launch_parameters.h", "errno.h",
                          "exception", "filesystem", "float.h", "fstream", "functional",
                          "future", "getopt.h", "inttypes.h", "iomanip", "ios", "iostream",
                          "istream", "iterator", "limits.h", "list", "locale", "map",
                          "math.h", "memory", "mutex", "new", "numeric", "omp.h", "optional",
                          "ostream", "pthread.h", "queue", "random", "regex", "set",
                          "shared_mutex", "signal.h", "sstream", "stack", "stddef.h",
                          "stdexcept", "stdint.h", "stdio.h", "stdlib.h", "string", "string.h",
                          "string_view", "sys/stat.h", "sys/time.h", "sys/types.h", "system_error",
                          "thread", "time.h", "tuple", "type_traits", "unistd.h", "unordered_map",
                          "unordered_set", "utility", "variant", "vector"),
                .global_words = NO_WORDS,
                .local_words = NO_WORDS,
                .time_variables = NO_WORDS,
                .other_variables = NO_WORDS,
                .caches = CACHES({.variable = "CUDA_CACHE_PATH", .below = ""},
                                 {.variable = "HOME", .below = "/.nv/ComputeCache"}),
                .ignored = cuda_ignored,
                .routines =
                    1u << ROUTINE_CUBLAS | 1u << ROUTINE_CUBLAS_TF32 | 1u << ROUTINE_CUBLAS_FAST,
                .vector_widths = 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4,
                .packs_three = true, // a float3 is a struct of three floats
                .has_size_type = true,
                .takes_structs = true,
                .takes_addresses = true,
                .has_images = true,
                .sizes_local = true,
                .counts_groups = true,
                .needs_local_size = true,
                .knows_folders = true, // NVRTC: CPATH and its like mean nothing to it
            },
        [LANGUAGE_C] =
            {
                .text = "c",
                .title = "C",
                .remedy = "C needs a compiler: install one (Debian and Ubuntu: apt install gcc "
                          "libc6-dev), or name it with HONE_CC",
                .probe = "void hone_probe(unsigned *out)\n"
                         "{\n"
                         "    for (unsigned i = 0; i < 64; i++)\n"
                         "        out[i] = i * 2654435761u + 12345u;\n"
                         "}\n",
                .endings = WORDS(".c"),
                .kernel_words = WORDS("void"),
                .telling_words = NO_WORDS, // any of them may stand in the others' texts
                .usual_macros = MACROS({"__GNUC__", 12}, {"__STDC__", 1}, {"__x86_64__", 1}),
                .macros = NO_WORDS,
                .some_macros = NO_WORDS,
                .qualifiers = NO_WORDS,
                .global_words = NO_WORDS,
                .local_words = NO_WORDS,
                .time_variables = WORDS("OMP_", "GOMP_", "KMP_"),
                .other_variables = NO_WORDS,
                .refused = c_refused,
                .caches = CACHES({.variable = NULL}),
                .has_size_type = true,
                .takes_structs = true,
                .passes_symbols = true,
                .knows_folders = true, // it says itself which they are
                .is_plain_call = true,
                .is_native = true,
                .has_words_alone = true,
                .comes_last = true,
            },
        [LANGUAGE_PROGRAM] =
            {
                .text = "program",
                .title = "Program",
                .remedy = "Programs are run by hone's own extra: configure it with "
                          "-DHONE_EXTRA_PROGRAM=ON",
                .probe =
                    "hone_probe: out[i] = i * 2654435761u + 12345u", // which it does once `true` has run
                .endings = NO_WORDS, // a spec says it: its kernel is an object with a command
                .kernel_words = NO_WORDS,
                .telling_words = NO_WORDS,
                .macros = NO_WORDS,
                .some_macros = NO_WORDS,
                .qualifiers = NO_WORDS,
                .global_words = NO_WORDS,
                .local_words = NO_WORDS,
                .time_variables = WORDS("OMP_", "GOMP_", "KMP_", "CUDA_VISIBLE_DEVICES=",
                                        "HIP_VISIBLE_DEVICES=", "ROCR_VISIBLE_DEVICES="),
                .other_variables = NO_WORDS,
                .caches = CACHES({.variable = NULL}),
                .is_plain_call = true,
                .is_command = true,
                .has_words_alone = true,
                .comes_last = true,
            },
        // A language that this hone does not know.
        [LANGUAGE_COUNT] = {.text = "?",
                            .title = "?",
                            .remedy = "",
                            .endings = NO_WORDS,
                            .kernel_words = NO_WORDS,
                            .telling_words = NO_WORDS,
                            .macros = NO_WORDS,
                            .some_macros = NO_WORDS,
                            .qualifiers = NO_WORDS,
                            .global_words = NO_WORDS,
                            .local_words = NO_WORDS,
                            .caches = CACHES({.variable = NULL})},
};

const struct language_traits *language_traits(enum language l)
{
    return &rows[(unsigned)l < LANGUAGE_COUNT ? l : LANGUAGE_COUNT];
}

const char *language_text(enum language l)
{
    return language_traits(l)->text;
}

const char *language_title(enum language l)
{
    return language_traits(l)->title;
}

bool language_parse(const char *text, enum language *out)
{
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        if (str_equal_nocase(text, rows[l].text)) {
            *out = (enum language)l;
            return true;
        }
    }
    return false;
}

bool language_is_told_by_text(enum language l)
{
    return *language_traits(l)->telling_words != NULL;
}

enum language language_of_commands(void)
{
    unsigned l = 0;
    while (l < LANGUAGE_COUNT && !rows[l].is_command)
        l++;
    return (enum language)l;
}

uint32_t languages_unnamed(void)
{
    uint32_t set = 0;
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++)
        set |= (uint32_t)!rows[l].comes_last << l;
    return set;
}

static const struct language_option *find_option(const struct language_option *list,
                                                 const char *option)
{
    for (const struct language_option *o = list; o && o->starts; o++) {
        size_t n;
        for (const char *start = o->starts; *start; start += n + (start[n] == ' ')) {
            n = strcspn(start, " ");
            // GNU's long options are the same with another dash.
            const char *word = str_starts(option, "--") && *start == '-' ? option + 1 : option;
            if (strncmp(word, start, n) == 0 && (!o->is_whole || !word[n]))
                return o;
        }
    }
    return NULL;
}

const char *language_ignores(enum language l, const char *option, bool *next)
{
    const struct language_option *o = find_option(language_traits(l)->ignored, option);
    *next = o && o->takes_next;
    return o ? o->why : NULL;
}

bool language_has_header_word(enum language l, const char *name, size_t length)
{
    const char *word = language_traits(l)->header_words;
    for (size_t n; word && *word; word += n + (word[n] == ' ')) {
        n = strcspn(word, " ");
        bool is_start = word[n - 1] == '*';
        size_t least = n - is_start;
        if ((is_start ? length >= least : length == least) && strncmp(word, name, least) == 0)
            return true;
    }
    return false;
}

const char *language_refuses(enum language l, const char *option, const char *before)
{
    const struct language_traits *t = language_traits(l);
    if (t->has_words_alone && before && str_listed(with_value, before))
        return NULL;
    const struct language_option *o = find_option(t->refused, option);
    if (o)
        return o->why;
    return t->has_words_alone && *option != '-' ? "it names a file: sources go into Sources" : NULL;
}
