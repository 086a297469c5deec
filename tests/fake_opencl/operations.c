// What kernels do, by the word after "fake:" in their text, over floats.
//
//   // fake:copy     second = first
//   // fake:add      third = first + second
//   // fake:fill     first = the scalar that comes second
//   // fake:count    first += 1
#include "fake.h"

#include "device/checksum.h"

#include <string.h>

struct floats {
    float *at;
    size_t count;
};

// As many elements as there are work-items, never more than the buffer has.
static struct floats floats_of(cl_kernel k, cl_uint index, size_t work_items)
{
    cl_mem m = k->arguments[index].memory;
    struct floats f = {NULL, 0};
    if (index >= k->argument_count || !m)
        return f;
    f.at = (float *)(void *)m->data;
    f.count = m->size / sizeof(float);
    f.count = work_items < f.count ? work_items : f.count;
    return f;
}

static size_t common(struct floats a, struct floats b)
{
    return a.count < b.count ? a.count : b.count;
}

static void copy(cl_kernel k, size_t n)
{
    struct floats from = floats_of(k, 0, n), to = floats_of(k, 1, n);
    for (size_t i = 0; i < common(from, to); i++)
        to.at[i] = from.at[i];
}

static void add(cl_kernel k, size_t n)
{
    struct floats a = floats_of(k, 0, n), b = floats_of(k, 1, n), to = floats_of(k, 2, n);
    for (size_t i = 0; i < common(a, to) && i < b.count; i++)
        to.at[i] = a.at[i] + b.at[i];
}

static void fill(cl_kernel k, size_t n)
{
    struct floats to = floats_of(k, 0, n);
    float value;
    memcpy(&value, k->arguments[1].value, sizeof value);
    for (size_t i = 0; i < to.count; i++)
        to.at[i] = value;
}

static void count(cl_kernel k, size_t n)
{
    struct floats to = floats_of(k, 0, n);
    for (size_t i = 0; i < to.count; i++)
        to.at[i] += 1;
}

// hone's own: what src/job/probe.c expects.
static void probe(cl_kernel k, size_t n)
{
    cl_mem out = k->arguments[0].memory;
    for (uint32_t i = 0; i < n && 4 * (i + 1) <= out->size; i++) {
        uint32_t value = i * 2654435761u + 12345u;
        memcpy(out->data + 4 * (size_t)i, &value, sizeof value);
    }
}

static uint64_t number_of(cl_kernel k, cl_uint index)
{
    uint64_t number;
    memcpy(&number, k->arguments[index].value, sizeof number);
    return number;
}

// hone's own (bytes, from, length, sums, first); the sum has no order, so it may all stand in the
// first place.
static void checksum(cl_kernel k, size_t n)
{
    cl_mem bytes = k->arguments[0].memory, sums = k->arguments[3].memory;
    uint64_t from = number_of(k, 1), length = number_of(k, 2), sum = 0;
    uint32_t first;
    (void)n;
    memcpy(&first, k->arguments[4].value, sizeof first);
    for (uint64_t at = 0; at < length && from + length <= bytes->size; at += 8)
        sum += checksum_word(bytes->data + from + at, length - at < 8 ? length - at : 8, at / 8);
    memset(sums->data + 8 * (size_t)first, 0, sums->size - 8 * (size_t)first);
    memcpy(sums->data + 8 * (size_t)first, &sum, sizeof sum);
}

static const struct {
    const char *operation; // or the kernel's name
    void (*run)(cl_kernel k, size_t work_items);
} operations[] = {
    {"copy", copy},
    {"add", add},
    {"fill", fill},
    {"count", count},
    {"hone_checksum", checksum},
    {"hone_probe", probe},
};

// Not the checksum of inputs: a driver that lies of everything is found at once.
static void spoil(cl_kernel k)
{
    for (cl_uint i = 0; i < k->argument_count; i++) {
        const struct argument *a = &k->arguments[i];
        for (size_t at = 0; a->memory && !a->constant && at < a->memory->size; at++)
            a->memory->data[at] ^= 0x5a;
    }
}

void fake_operate(cl_kernel k, size_t work_items)
{
    bool is_checksum = strcmp(k->name, "hone_checksum") == 0;
    const char *wanted = strncmp(k->name, "hone_", 5) == 0 ? k->name : k->operation;
    if (!is_checksum && fake_is("FAKE_CL_LIE", "nothing", ""))
        return;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(operations[i].operation, wanted) == 0)
            operations[i].run(k, work_items);
    }
    if (!is_checksum && fake_is("FAKE_CL_LIE", "garbage", ""))
        spoil(k);
}
