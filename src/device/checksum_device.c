// The checksum of inputs where they are.
#include "device/open_device.h"

#include "base/text.h"
#include "device/checksum.h"
#include "device/own_kernel.h"

#include <stdlib.h>

#define GROUPS_MOST 512
#define LOCAL       256

// The same mixing as checksum.c. Data may begin anywhere; the last word is filled up with zeros.
// Each work-group leaves one sum, from sums[first] on; their sum modulo 2^64 has no order.
static const char body[] =
    "function ulong word_at(global const uchar *bytes, ulong at, ulong length)\n"
    "{\n"
    "    ulong word = 0;\n"
    "    for (uint i = 0; i < 8 && i < length; i++)\n"
    "        word |= (ulong)bytes[at + i] << 8 * i;\n"
    "    return word;\n"
    "}\n"
    "kernel void hone_checksum(global const uchar *bytes, ulong from, ulong length,\n"
    "                          global ulong *sums, uint first)\n"
    "{\n"
    "    local ulong parts[LOCAL];\n"
    "    global const ulong *words = (global const ulong *)(bytes + from);\n"
    "    ulong whole = from % 8 ? 0 : length / 8, count = (length + 7) / 8, sum = 0;\n"
    "    for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {\n"
    "        ulong x = i < whole ? words[i] : word_at(bytes, from + 8 * i, length - 8 * i);\n"
    "        x ^= (i + 1) * PLACE;\n"
    "        x = (x ^ x >> 30) * MIX_1;\n"
    "        x = (x ^ x >> 27) * MIX_2;\n"
    "        sum += x ^ x >> 31;\n"
    "    }\n"
    "    parts[get_local_id(0)] = sum;\n"
    "    for (uint step = LOCAL / 2; step > 0; step /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (get_local_id(0) < step)\n"
    "            parts[get_local_id(0)] += parts[get_local_id(0) + step];\n"
    "    }\n"
    "    if (get_local_id(0) == 0)\n"
    "        sums[first + get_group_id(0)] = parts[0];\n"
    "}\n";

static void *get_kernel(struct device *d, struct error *e)
{
    static const char *const pieces[] = {body, NULL};
    char defines[200];
    str_format(defines, sizeof defines,
               "#define PLACE 0x%llxUL\n#define MIX_1 0x%llxUL\n#define MIX_2 0x%llxUL\n"
               "#define LOCAL %d\n",
               (unsigned long long)CHECKSUM_PLACE, (unsigned long long)CHECKSUM_MIX_1,
               (unsigned long long)CHECKSUM_MIX_2, LOCAL);
    const struct own_text t = {"hone_checksum", defines, pieces};
    return own_kernel_get(d, &t, e);
}

static bool sum_up(struct device *d, void *kernel, struct memory *m, uint64_t *out, struct error *e)
{
    uint64_t parts[GROUPS_MOST], groups = m->bytes / (8 * LOCAL) + 1;
    uint32_t first = 0;
    struct memory *sums = own_scratch(d, sizeof parts, e);
    struct own_argument arguments[] = {OWN_WHOLE(m), OWN_VALUE(m->offset), OWN_VALUE(m->bytes),
                                       OWN_MEMORY(sums), OWN_VALUE(first)};
    struct own_launch l = {.local = {LOCAL, 1}, .arguments = arguments, .count = 5};
    l.groups[0] = groups < GROUPS_MOST ? (uint32_t)groups : GROUPS_MOST;
    l.groups[1] = 1;
    if (!sums || !own_kernel_run(d, kernel, &l, e) ||
        !memory_read(d, sums, 0, parts, l.groups[0] * sizeof *parts, e))
        return false;
    *out = 0;
    for (uint32_t i = 0; i < l.groups[0]; i++)
        *out += parts[i];
    return true;
}

bool checksum_on_device(struct device *d, struct memory *m, uint64_t *out, struct error *e)
{
    void *kernel = get_kernel(d, e);
    return (kernel && sum_up(d, kernel, m, out, e)) || error_context(e, "checksum of a buffer");
}
