// Random inputs made where they will lie: uniform floats, bit for bit those of fill.c. A host draws and
// copies the inputs of a large product for a tenth of a second, a card for some milliseconds.
//
// A number is low + span * unit in float64, rounded to float. Only spans whose product with a unit of
// 24 bits is exact are made here, so that it does not matter whether the device's compiler fuses the
// two operations. What was made is compared with the host's at both ends and in the middle.
#include "device/open_device.h"

#include "device/fill.h"
#include "device/own_kernel.h"

#include <string.h>

#define GROUPS_MOST 4096
#define PROBE       64 // components that are compared at each place

extern const char fill_body[]; // kernels/fill_body.cl

static const char *const fill_pieces[] = {fill_body, NULL};
static const struct own_text fill_text = {"hone_fill", "", fill_pieces};

// Is the product of the span and any unit exact?
static bool is_exact_span(const struct job_fill *f)
{
    double span = f->high - f->low;
    return span == (double)(float)span;
}

bool fill_offered(struct device *d, const struct job_buffer *b)
{
    const bool is_plain = b->element.scalar == SCALAR_FLOAT && b->fill.kind == FILL_UNIFORM &&
                          b->fill.integer == 0 && element_bytes(&b->element) % 4 == 0 &&
                          element_bytes(&b->element) / 4 == b->element.width;
    return is_plain && is_exact_span(&b->fill) && d->info.float64 && own_kernels_offered(d) &&
           fill_bytes(b) >= d->worth_bytes && fill_bytes(b) >= sizeof(float[PROBE]) &&
           own_kernel_ready(d, &fill_text);
}

static bool launch_fill(struct device *d, const struct job_buffer *b, struct memory *m,
                        struct error *e)
{
    uint64_t count = fill_components(b), groups = count / (4 * OWN_GROUP) + 1;
    uint32_t kind = FILL_UNIFORM, seed_0 = (uint32_t)b->fill.seed,
             seed_1 = (uint32_t)(b->fill.seed >> 32);
    double low = b->fill.low, span = b->fill.high - b->fill.low;
    const struct own_argument arguments[] = {OWN_MEMORY(m),     OWN_VALUE(count),  OWN_VALUE(kind),
                                             OWN_VALUE(seed_0), OWN_VALUE(seed_1), OWN_VALUE(low),
                                             OWN_VALUE(span)};
    struct own_launch l = {
        {groups < GROUPS_MOST ? (uint32_t)groups : GROUPS_MOST, 1}, {OWN_GROUP, 1}, arguments, 7};
    void *kernel = own_kernel_get(d, &fill_text, e);
    return kernel && own_kernel_run(d, kernel, &l, e);
}

// Components `first` and those that follow, as the host makes them and as they lie there.
static bool is_as_on_host(struct device *d, const struct job_buffer *b, struct memory *m,
                          uint64_t first)
{
    uint32_t made[PROBE], there[PROBE]; // their bits
    struct job_buffer part = *b;
    part.element = (struct element){.scalar = SCALAR_FLOAT, .width = 1};
    part.count = PROBE;
    fill_view(&part.fill, first, 1);
    return fill_make(&part, made, NULL) &&
           memory_read(d, m, first * sizeof *there, there, sizeof there, NULL) &&
           memcmp(made, there, sizeof made) == 0;
}

bool fill_on_device(struct device *d, const struct job_buffer *b, struct memory *m)
{
    if (m->host || !fill_offered(d, b) || !launch_fill(d, b, m, NULL))
        return false;
    uint64_t last = fill_components(b) - PROBE;
    return is_as_on_host(d, b, m, 0) && is_as_on_host(d, b, m, last / 2) &&
           is_as_on_host(d, b, m, last);
}
