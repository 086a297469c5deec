// Limits of the device, each a predicate whose first failure becomes the result's message.
#include "device/limits.h"

#include "base/text.h"
#include "device/fill.h"
#include "device/open_device.h"

typedef unsigned long long ull;

void limits_sizes_text(const struct job_launch *l, const uint64_t sizes[3], char *out, size_t size)
{
    if (l->dimensions <= 1)
        str_format(out, size, "%llu", (ull)sizes[0]);
    else if (l->dimensions == 2)
        str_format(out, size, "%llux%llu", (ull)sizes[0], (ull)sizes[1]);
    else
        str_format(out, size, "%llux%llux%llu", (ull)sizes[0], (ull)sizes[1], (ull)sizes[2]);
}

static bool refuse_limit(struct result *r, const struct job_launch *l, const char *what)
{
    result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "kernel '%s': %s", l->kernel, what);
    r->device_limit = true;
    return false;
}

// Sizes that no device takes.
static bool refuse_spec(struct result *r, const struct job_launch *l, const char *what)
{
    return result_fail(r, STATUS_CONSTRAINTS, FAULT_SPEC, "kernel '%s': %s", l->kernel, what);
}

uint64_t limits_group_size(const struct job_launch *l)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < l->dimensions; i++) {
        if (__builtin_mul_overflow(n, l->local[i], &n))
            return UINT64_MAX;
    }
    return n;
}

static bool check_group_size(const struct job_launch *l, uint64_t most, const char *whose,
                             struct result *r)
{
    char sizes[80], text[160];
    if (most == 0 || limits_group_size(l) <= most)
        return true;
    limits_sizes_text(l, l->local, sizes, sizeof sizes);
    str_format(text, sizeof text, "work-group %s = %llu exceeds the %s %llu", sizes,
               (ull)limits_group_size(l), whose, (ull)most);
    return refuse_limit(r, l, text);
}

static bool check_axis(const struct job_launch *l, uint32_t axis, const struct device_info *d,
                       struct result *r)
{
    char text[160];
    uint64_t local = l->local[axis], global = l->global[axis], most = d->max_item_sizes[axis];
    if (most && local > most) {
        str_format(text, sizeof text, "work-group of %llu along axis %u exceeds the device's %llu",
                   (ull)local, axis, (ull)most);
        return refuse_limit(r, l, text);
    }
    if (local && global % local) {
        str_format(text, sizeof text,
                   "global size %llu along axis %u is not a multiple of the work-group's %llu",
                   (ull)global, axis, (ull)local);
        return refuse_spec(r, l, text);
    }
    if (global == 0)
        return refuse_spec(r, l, "the global size is 0");
    return true;
}

static bool check_launch(const struct job_launch *l, const struct device_info *d, struct result *r)
{
    bool chosen = l->local[0] || l->local[1] || l->local[2];
    for (uint32_t i = 0; i < l->dimensions; i++) {
        if (chosen && l->local[i] == 0)
            return refuse_spec(r, l, "the work-group's size is 0 along an axis");
        if (!check_axis(l, i, d, r))
            return false;
    }
    return !chosen || check_group_size(l, d->max_group_size, "device's", r);
}

static bool refuse_buffer(const struct job_buffer *b, uint64_t bytes, uint64_t guards,
                          const char *limit, uint64_t most, struct result *r)
{
    result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                "buffer %s: %llu bytes%s, but the device's %s is %llu", b->name, (ull)bytes,
                guards ? " with its guard zones" : "", limit, (ull)most);
    r->device_limit = true;
    return false;
}

bool limits_check_job(const struct job *j, const struct device_info *d, uint64_t guards,
                      struct result *r)
{
    for (uint32_t i = 0; i < j->launch_count; i++) {
        if (!check_launch(&j->launches[i], d, r))
            return false;
    }
    uint64_t sum = 0;
    bool copied = false;
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        const struct job_buffer *b = &j->buffers[i];
        uint64_t bytes = fill_bytes(b) + guards;
        copied = copied || buffer_restores(b, false);
        sum += buffer_restores(b, false) ? 2 * bytes : bytes;
        if (d->max_alloc_bytes && bytes > d->max_alloc_bytes)
            return refuse_buffer(b, bytes, guards, "largest buffer", d->max_alloc_bytes, r);
        if (d->global_bytes && sum > d->global_bytes)
            return refuse_buffer(b, sum, guards,
                                 copied ? "memory (all buffers together, and a copy of those that "
                                          "are restored)"
                                        : "memory (all buffers together)",
                                 d->global_bytes, r);
    }
    return true;
}

bool limits_check_arguments(const struct job_launch *l, uint32_t taken, struct result *r)
{
    struct text names = TEXT_INIT;
    if (taken == l->argument_count)
        return true;
    for (uint32_t i = 0; i < l->argument_count; i++)
        text_addf(&names, "%s%s", i ? ", " : ": ", l->arguments[i].name);
    result_fail(r, STATUS_COMPILE, FAULT_SPEC,
                "kernel '%s' takes %u argument%s, the spec gives %u%s", l->kernel, taken,
                taken == 1 ? "" : "s", l->argument_count, text_cstr(&names));
    text_release(&names);
    return false;
}

uint64_t limits_local_arguments(const struct job_launch *l)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->argument_count; i++) {
        if (l->arguments[i].kind == ARGUMENT_LOCAL)
            sum += l->arguments[i].local_bytes;
    }
    return sum;
}

bool limits_check_required(const struct job_launch *l, const size_t required[3], struct result *r)
{
    struct job_launch wanted = {.dimensions = 3};
    uint64_t sizes[3] = {required[0], required[1], required[2]};
    char own[80], text[80];
    bool same = true;
    for (uint32_t i = 0; i < 3; i++)
        same = same && (i < l->dimensions ? l->local[i] : 1) == required[i];
    if (same || required[0] == 0 || l->local[0] == 0)
        return true;
    while (wanted.dimensions > l->dimensions && sizes[wanted.dimensions - 1] == 1)
        wanted.dimensions--;
    limits_sizes_text(&wanted, sizes, text, sizeof text);
    limits_sizes_text(l, l->local, own, sizeof own);
    return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                       "kernel '%s' is compiled for work-groups of %s (reqd_work_group_size), and "
                       "LocalSize gives %s",
                       l->kernel, text, own);
}

bool limits_check_kernel(const struct job_launch *l, const struct device_info *d, uint64_t most,
                         uint64_t local_bytes, struct result *r)
{
    char text[160];
    bool chosen = l->local[0] != 0;
    if (chosen && !check_group_size(l, most, "kernel's limit on this device,", r))
        return false;
    if (d->local_bytes == 0 || local_bytes <= d->local_bytes)
        return true;
    str_format(text, sizeof text, "%llu bytes of local memory exceed the device's %llu",
               (ull)local_bytes, (ull)d->local_bytes);
    return refuse_limit(r, l, text);
}
