// Checksums of what is in the device's memory, where it is.
#include "device/open_device.h"

#include "base/text.h"
#include "device/checksum.h"
#include "device/own_kernel.h"

#include <stdlib.h>

#define GROUPS_MOST 1024
#define LOCAL       256

// The same mixing as checksum.c. Data may begin anywhere; the last word is filled up with zeros.
// Each work-group leaves one sum, from sums[first] on; their sum modulo 2^64 has no order.
extern const char checksum_body[]; // kernels/checksum_body.cl

static void *get_kernel(struct device *d, struct error *e)
{
    static const char *const pieces[] = {checksum_body, NULL};
    char defines[200];
    str_format(defines, sizeof defines,
               "#define PLACE 0x%llxUL\n#define MIX_1 0x%llxUL\n#define MIX_2 0x%llxUL\n"
               "#define LOCAL %d\n",
               (unsigned long long)CHECKSUM_PLACE, (unsigned long long)CHECKSUM_MIX_1,
               (unsigned long long)CHECKSUM_MIX_2, LOCAL);
    const struct own_text t = {"hone_checksum", defines, pieces};
    return own_kernel_get(d, &t, e);
}

bool checksum_offered(struct device *d)
{
    return own_kernels_offered(d) && get_kernel(d, NULL);
}

static uint32_t groups_for(uint64_t bytes)
{
    uint64_t groups = bytes / (8 * LOCAL) + 1;
    return bytes == 0 ? 0 : groups < GROUPS_MOST ? (uint32_t)groups : GROUPS_MOST;
}

static bool launch(struct device *d, void *kernel, const struct region *r, uint32_t first,
                   struct memory *sums, struct error *e)
{
    uint64_t from = (uint64_t)((int64_t)r->memory->offset + r->at);
    const struct own_argument arguments[] = {OWN_WHOLE(r->memory), OWN_VALUE(from),
                                             OWN_VALUE(r->bytes), OWN_MEMORY(sums),
                                             OWN_VALUE(first)};
    struct own_launch l = {{groups_for(r->bytes), 1}, {LOCAL, 1}, arguments, 5};
    return own_kernel_run(d, kernel, &l, e);
}

static void sum_up(struct region *r, const uint64_t *parts)
{
    r->sum = 0;
    for (uint32_t i = 0; i < groups_for(r->bytes); i++)
        r->sum += parts[i];
}

bool checksums_on_device(struct device *d, struct region *regions, uint32_t count, struct error *e)
{
    uint32_t first = 0, all = 0;
    void *kernel = get_kernel(d, e);
    for (uint32_t i = 0; i < count; i++)
        all += groups_for(regions[i].bytes);
    // Zeroed: if the driver only claims to have read, no old sums may stand here.
    uint64_t *parts = calloc(all + 1, sizeof *parts);
    struct memory *sums = kernel ? own_scratch(d, all * sizeof *parts, e) : NULL;
    bool ok = sums && (parts || error_memory(e));
    for (uint32_t i = 0; ok && i < count; first += groups_for(regions[i++].bytes))
        ok = regions[i].bytes == 0 || launch(d, kernel, &regions[i], first, sums, e);
    ok = ok && (all == 0 || memory_read(d, sums, 0, parts, all * sizeof *parts, e));
    first = 0;
    for (uint32_t i = 0; ok && i < count; first += groups_for(regions[i++].bytes))
        sum_up(&regions[i], parts + first);
    free(parts);
    return ok || error_context(e, "checksums of buffers");
}
