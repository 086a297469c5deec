// Headers of the host's C and C++ that NVRTC lacks. A file meant for nvcc includes them for its host code; what a kernel
// needs of them (printf, assert, mathematics) NVRTC knows by itself. They are empty here but for types. One is given only
// after NVRTC has asked for it in vain, so that a file of the user's or of the toolkit's always comes first.
#include "device/backends/cuda/cuda_host.h"

#include "model/languages.h"

#include <stdlib.h>
#include <string.h>

static const char sized_types[] = "typedef signed char int8_t;\n"
                                  "typedef unsigned char uint8_t;\n"
                                  "typedef short int16_t;\n"
                                  "typedef unsigned short uint16_t;\n"
                                  "typedef int int32_t;\n"
                                  "typedef unsigned int uint32_t;\n"
                                  "typedef long long int64_t;\n"
                                  "typedef unsigned long long uint64_t;\n"
                                  "typedef long long intptr_t;\n"
                                  "typedef unsigned long long uintptr_t;\n"
                                  "namespace std {\n"
                                  "using ::int8_t; using ::uint8_t; using ::int16_t;\n"
                                  "using ::uint16_t; using ::int32_t; using ::uint32_t;\n"
                                  "using ::int64_t; using ::uint64_t; using ::intptr_t;\n"
                                  "using ::uintptr_t; using ::size_t; using ::ptrdiff_t;\n"
                                  "}\n";
static const char short_names[] = "typedef unsigned char uchar;\n"
                                  "typedef unsigned short ushort;\n"
                                  "typedef unsigned int uint;\n"
                                  "typedef unsigned long ulong;\n";
static const char limits[] = "#define CHAR_BIT 8\n"
                             "#define INT_MAX 2147483647\n"
                             "#define INT_MIN (-INT_MAX - 1)\n"
                             "#define UINT_MAX 4294967295u\n"
                             "#define LLONG_MAX 9223372036854775807ll\n"
                             "#define ULLONG_MAX 18446744073709551615ull\n";
static const char floats[] = "#define FLT_MAX 3.402823466e+38f\n"
                             "#define FLT_MIN 1.175494351e-38f\n"
                             "#define FLT_EPSILON 1.192092896e-07f\n"
                             "#define DBL_MAX 1.7976931348623157e+308\n"
                             "#define DBL_MIN 2.2250738585072014e-308\n"
                             "#define DBL_EPSILON 2.2204460492503131e-16\n";

static const char mathematics[] =
    "#define M_E 2.7182818284590452354\n"
    "#define M_LOG2E 1.4426950408889634074\n"
    "#define M_LOG10E 0.43429448190325182765\n"
    "#define M_LN2 0.69314718055994530942\n"
    "#define M_LN10 2.30258509299404568402\n"
    "#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n"
    "#define M_PI_4 0.78539816339744830962\n"
    "#define M_1_PI 0.31830988618379067154\n"
    "#define M_2_PI 0.63661977236758134308\n"
    "#define M_2_SQRTPI 1.12837916709551257390\n"
    "#define M_SQRT2 1.41421356237309504880\n"
    "#define M_SQRT1_2 0.70710678118654752440\n"
    "#ifndef INFINITY\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#endif\n"
    "#ifndef NAN\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "#endif\n"
    "#define HUGE_VALF INFINITY\n"
    "#define HUGE_VAL ((double)INFINITY)\n"
    "namespace std {\n"
    "using ::sqrt; using ::exp; using ::log; using ::pow; using ::abs;\n"
    "using ::fabs; using ::sin; using ::cos; using ::tan; using ::floor;\n"
    "using ::ceil; using ::fmod; using ::tanh; using ::round;\n"
    "}\n";
// Functions of <algorithm> that kernels call.
static const char smallest_and_largest[] =
    "#ifndef HONE_MIN_AND_MAX\n"
    "#define HONE_MIN_AND_MAX\n"
    "namespace std {\n"
    "template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b)\n"
    "{ return a < b ? b : a; }\n"
    "template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b)\n"
    "{ return b < a ? b : a; }\n"
    "}\n"
    "#endif\n";

static const char traits[] =
    "#ifndef HONE_TYPE_TRAITS\n"
    "#define HONE_TYPE_TRAITS\n"
    "namespace std {\n"
    "template <class T, T V> struct integral_constant { static constexpr T value = V; };\n"
    "using true_type = integral_constant<bool, true>;\n"
    "using false_type = integral_constant<bool, false>;\n"
    "template <class A, class B> struct is_same : false_type {};\n"
    "template <class A> struct is_same<A, A> : true_type {};\n"
    "template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;\n"
    "template <bool B, class T = void> struct enable_if {};\n"
    "template <class T> struct enable_if<true, T> { using type = T; };\n"
    "template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;\n"
    "template <bool B, class T, class F> struct conditional { using type = T; };\n"
    "template <class T, class F> struct conditional<false, T, F> { using type = F; };\n"
    "template <bool B, class T, class F>\n"
    "using conditional_t = typename conditional<B, T, F>::type;\n"
    "template <class T> struct remove_const { using type = T; };\n"
    "template <class T> struct remove_const<const T> { using type = T; };\n"
    "template <class T> struct remove_reference { using type = T; };\n"
    "template <class T> struct remove_reference<T &> { using type = T; };\n"
    "template <class T> struct remove_reference<T &&> { using type = T; };\n"
    "}\n"
    "#endif\n";
// nvcc includes the runtime's header first, which brings these.
static const char usual_headers[] = "#include <cstdint>\n"
                                    "#include <cfloat>\n"
                                    "#include <climits>\n"
                                    "#include <cmath>\n"
                                    "#include <algorithm>\n"
                                    "#include <type_traits>\n";

static const struct {
    const char *name, *text;
} headers[] = {{"stdint.h", sized_types},
               {"cstdint", sized_types},
               {"inttypes.h", sized_types},
               {"stdlib.h", short_names},
               {"cstdlib", short_names},
               {"sys/types.h", short_names},
               {"limits.h", limits},
               {"climits", limits},
               {"float.h", floats},
               {"cfloat", floats},
               {"algorithm", smallest_and_largest},
               {"type_traits", traits},
               {"cmath", mathematics},
               {"math.h", mathematics}};

// NULL: hone supplies no such header; those without a text above are empty.
const char *cuda_host_text(const char *name)
{
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (strcmp(headers[i].name, name) == 0)
            return headers[i].text;
    }
    return str_listed(language_traits(LANGUAGE_CUDA)->supplied_headers, name) ? "" : NULL;
}

static bool is_given(const struct cuda_host *h, const char *name)
{
    for (uint32_t i = 0; i < h->count; i++) {
        if (strcmp(h->names[i], name) == 0)
            return true;
    }
    return false;
}

// False: the name is given already (and still not found), or there is no room.
static bool give_header(struct cuda_host *h, const char *name, const char *text)
{
    char *own = is_given(h, name) || h->count == CUDA_HOST_MOST ? NULL : strdup(name);
    if (!own)
        return false;
    h->own[h->count] = own;
    h->names[h->count] = own;
    h->texts[h->count++] = text;
    return true;
}

bool cuda_host_add(struct cuda_host *h, const char *log)
{
    static const char asks[] = "cannot open source file \"";
    const char *at = strstr(log, asks);
    if (!at)
        return false;
    at += strlen(asks);
    char *name = strndup(at, strcspn(at, "\""));
    const char *text = name ? cuda_host_text(name) : NULL;
    bool is_new = name && (text || h->takes_any) && give_header(h, name, text ? text : "");
    if (is_new && !text)
        text_addf(&h->not_found, "%s%s", h->not_found.length ? ", " : "", name);
    free(name);
    return is_new;
}

void cuda_host_add_usual(struct cuda_host *h)
{
    static const char *const names[] = {"cstdint", "cfloat",    "climits",
                                        "cmath",   "algorithm", "type_traits"};
    give_header(h, CUDA_HOST_USUAL, usual_headers);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        give_header(h, names[i], cuda_host_text(names[i]));
}

bool cuda_host_add_empty(struct cuda_host *h, const char *name)
{
    return give_header(h, name, "");
}

bool cuda_log_next_error(const char **log, char *file, size_t size, uint32_t *line)
{
    for (const char *at = *log; *at; at = *log) {
        const size_t length = strcspn(at, "\n");
        *log = at + length + (at[length] == '\n');
        const char *end = memmem(at, length, "): error", 8);
        end = end ? end : memmem(at, length, "): catastrophic error", 21);
        const char *open = end;
        while (open && open > at && *open != '(')
            open--;
        char *stop = NULL;
        open = *at == ' ' ? NULL : open; // a line of the source
        const unsigned long number = open && open > at ? strtoul(open + 1, &stop, 10) : 0;
        if (!number || stop != end || (size_t)(open - at) >= size)
            continue;
        str_format(file, size, "%.*s", (int)(open - at), at);
        *line = (uint32_t)number;
        return true;
    }
    return false;
}

void cuda_host_release(struct cuda_host *h)
{
    for (uint32_t i = 0; i < h->count; i++)
        free(h->own[i]);
    text_release(&h->not_found);
    *h = (struct cuda_host){.count = 0};
}
