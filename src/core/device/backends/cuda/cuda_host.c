// Headers of the host's C and C++ that NVRTC lacks. A file meant for nvcc includes them for its host code; what a kernel
// needs of them (printf, assert, mathematics) NVRTC knows by itself. They are empty here but for types. One is given only
// after NVRTC has asked for it in vain, so that a file of the user's or of the toolkit's always comes first.
#include "device/backends/cuda/cuda_host.h"

#include "base/text.h"

#include <string.h>

static const char sized_types[] = "typedef signed char int8_t;\n"
                                  "typedef unsigned char uint8_t;\n"
                                  "typedef short int16_t;\n"
                                  "typedef unsigned short uint16_t;\n"
                                  "typedef int int32_t;\n"
                                  "typedef unsigned int uint32_t;\n"
                                  "typedef long long int64_t;\n"
                                  "typedef unsigned long long uint64_t;\n";
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
               {"algorithm", ""},
               {"array", ""},
               {"assert.h", ""},
               {"cassert", ""},
               {"chrono", ""},
               {"cmath", ""},
               {"cstddef", ""},
               {"cstdio", ""},
               {"cstring", ""},
               {"ctime", ""},
               {"cuda.h", ""},
               {"cuda_runtime.h", ""},
               {"cuda_runtime_api.h", ""},
               {"device_launch_parameters.h", ""},
               {"fstream", ""},
               {"functional", ""},
               {"iomanip", ""},
               {"iostream", ""},
               {"map", ""},
               {"math.h", ""},
               {"memory", ""},
               {"numeric", ""},
               {"random", ""},
               {"sstream", ""},
               {"stddef.h", ""},
               {"stdio.h", ""},
               {"string", ""},
               {"string.h", ""},
               {"sys/time.h", ""},
               {"time.h", ""},
               {"unistd.h", ""},
               {"vector", ""}};

bool cuda_host_add(struct cuda_host *h, const char *log)
{
    static const char asks[] = "cannot open source file \"";
    const char *at = strstr(log, asks);
    if (!at || h->count == CUDA_HOST_MOST)
        return false;
    at += strlen(asks);
    const size_t length = strcspn(at, "\"");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (strlen(headers[i].name) != length || strncmp(headers[i].name, at, length) != 0)
            continue;
        for (uint32_t k = 0; k < h->count; k++) {
            if (h->names[k] == headers[i].name)
                return false; // it was given, and is still not found
        }
        h->names[h->count] = headers[i].name;
        h->texts[h->count++] = headers[i].text;
        return true;
    }
    return false;
}
