// What kernels do.
#include "kernel.h"

#include "device/checksum.h"

#include <string.h>

struct launch {
    const struct operand *operands;
    unsigned count;
    size_t work_items;
};

struct floats {
    float *at;
    size_t count;
};

// As many elements as there are work-items, never more than the buffer has.
static struct floats floats_of(const struct launch *l, unsigned index)
{
    const struct operand *o = &l->operands[index];
    struct floats f = {NULL, 0};
    if (index >= l->count || !o->data)
        return f;
    f.at = (float *)(void *)o->data;
    f.count = o->size / sizeof(float);
    f.count = l->work_items < f.count ? l->work_items : f.count;
    return f;
}

static size_t common(struct floats a, struct floats b)
{
    return a.count < b.count ? a.count : b.count;
}

static void copy(const struct launch *l)
{
    struct floats from = floats_of(l, 0), to = floats_of(l, 1);
    for (size_t i = 0; i < common(from, to); i++)
        to.at[i] = from.at[i];
}

static void add(const struct launch *l)
{
    struct floats a = floats_of(l, 0), b = floats_of(l, 1), to = floats_of(l, 2);
    for (size_t i = 0; i < common(a, to) && i < b.count; i++)
        to.at[i] = a.at[i] + b.at[i];
}

static void take(const struct launch *l, unsigned index, void *out, size_t size)
{
    memset(out, 0, size);
    if (index < l->count && l->operands[index].value)
        memcpy(out, l->operands[index].value, size);
}

static void fill(const struct launch *l)
{
    struct floats to = floats_of(l, 0);
    float value;
    take(l, 1, &value, sizeof value);
    for (size_t i = 0; i < to.count; i++)
        to.at[i] = value;
}

static void count(const struct launch *l)
{
    struct floats to = floats_of(l, 0);
    for (size_t i = 0; i < to.count; i++)
        to.at[i] += 1;
}

// What the host has set of the module's symbol, which stands behind the arguments.
static void raise_by(const struct launch *l)
{
    struct floats to = floats_of(l, 0);
    float by = 0;
    if (l->operands[1].data)
        memcpy(&by, l->operands[1].data, sizeof by);
    for (size_t i = 0; i < to.count; i++)
        to.at[i] += by;
}

static void keep(const struct launch *l)
{
    raise_by(l);
    memcpy(l->operands[1].data, l->operands[0].data, sizeof(float));
}

// The memory need not be the driver's: a pointer that leads nowhere kills, as one does on a card.
static void through(const struct launch *l)
{
    float *at;
    int32_t n;
    memcpy(&at, l->operands[0].data, sizeof at);
    take(l, 1, &n, sizeof n);
    for (int32_t i = 0; i < n; i++)
        at[i] += 1;
}

// hone's own: what src/core/model/probe.c expects.
static void probe(const struct launch *l)
{
    const struct operand *out = &l->operands[0];
    for (uint32_t i = 0; i < l->work_items && 4 * ((size_t)i + 1) <= out->size; i++) {
        uint32_t value = i * 2654435761u + 12345u;
        memcpy(out->data + 4 * (size_t)i, &value, sizeof value);
    }
}

// hone's own (bytes, from, length, sums, first); the sum has no order, so it may all stand in the
// first place.
static void checksum(const struct launch *l)
{
    const struct operand *bytes = &l->operands[0], *sums = &l->operands[3];
    uint64_t from, length, sum = 0;
    uint32_t first;
    take(l, 1, &from, sizeof from);
    take(l, 2, &length, sizeof length);
    take(l, 4, &first, sizeof first);
    for (uint64_t at = 0; at < length && from + length <= bytes->size; at += 8)
        sum += checksum_word(bytes->data + from + at, length - at < 8 ? length - at : 8, at / 8);
    memset(sums->data + 8 * (size_t)first, 0, sums->size - 8 * (size_t)first);
    memcpy(sums->data + 8 * (size_t)first, &sum, sizeof sum);
}

// hone's own kernels of `hone peak`, and the plain ones that they are compared with. What reads memory leaves the input's
// beginning, the plain one too. The others leave nothing, which takes no time: of what is copied the plain one neither, and
// what computes is wrong.
static void peak(const struct launch *l)
{
    const struct operand *from = &l->operands[0], *to = &l->operands[1];
    if (from->data && to->data && to->size < from->size)
        memcpy(to->data, from->data, to->size);
}

static void nothing(const struct launch *l)
{
    (void)l;
}

static const struct operation {
    const char *name; // or the kernel's, of hone's own
    unsigned arguments;
    void (*run)(const struct launch *l);
} operations[] = {
    {"copy", 2, copy},        {"add", 3, add},
    {"fill", 2, fill},        {"raise", 1, raise_by},
    {"keep", 1, keep},        {"count", 1, count},
    {"through", 2, through},  {"hone_checksum", 5, checksum},
    {"hone_probe", 1, probe}, {"hone_hold", 1, nothing},
    {"hone_peak", 2, peak},   {"hone_plain", 2, peak},
};

static const struct operation *find(const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    }
    return NULL;
}

static bool is_own(const char *name)
{
    return strncmp(name, "hone_", 5) == 0;
}

bool fake_knows_own(const char *name)
{
    return is_own(name) && find(name);
}

// Not the checksum of inputs: a driver that lies of everything is found at once.
static void spoil(const struct launch *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        const struct operand *o = &l->operands[i];
        for (size_t at = 0; o->data && !o->constant && at < o->size; at++)
            o->data[at] ^= 0x5a;
    }
}

void fake_operate(const struct declaration *k, const struct operand *operands, size_t work_items,
                  const char *lie)
{
    const struct launch l = {operands, k->count, work_items};
    bool may_lie = strcmp(k->name, "hone_checksum") != 0;
    const struct operation *o = find(is_own(k->name) ? k->name : k->operation);
    if (may_lie && strcmp(lie, "nothing") == 0)
        return;
    if (o && o->arguments <= k->count)
        o->run(&l);
    if (may_lie && strcmp(lie, "garbage") == 0)
        spoil(&l);
}
