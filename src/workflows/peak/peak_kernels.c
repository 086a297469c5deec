// The kernels of `hone peak`, one text for all languages (a language's traits say what its words
// are), in a table of shapes; their sizes; and what comes out, which is known exactly, so that no
// compiler can leave anything out: chains of multiply-adds and sums are computed on the host, and
// what is read from memory is compared with a plain kernel's result.
#include "workflows/peak/peak_kernels.h"

#include <math.h>
#include <string.h>

#define STEPS     16 // of each chain between two looks at the loop's end
#define STARTS    16 // different chains
#define FACTOR    0x1.000004p0f
#define SUMMAND   0x1p-24f
#define SHIFT     3 // of what is read from local memory, from round to round
#define SHIFTS    8
#define SEED      2654435761u
#define HASH      31u
#define GROUP_GPU 256
// Work-items that a compute unit of a GPU has at work.
#define RESIDENT 2048
// Work-items of each core: more than one, so that a core that is late has less to do at the end.
#define PARTS_CPU 16
// The host computes as many steps of each chain, at 10 ns for all chains or so.
#define ROUNDS_FP32  (1u << 17)
#define ROUNDS_LOCAL (1u << 22)
#define LAUNCH_GPU   3e6  // ns
#define LAUNCH_CPU   20e6 // ns
#define BUFFER_MOST  (1ull << 30)
#define BUFFER_CPU   (1ull << 27) // where the cache's size is not known
#define BUFFER_LEAST (1ull << 20) // a work-group of the largest shape
#define CACHES       4            // a buffer is so many times the last-level cache

// ---- texts -------------------------------------------------------------------------------------

// kernels/peak_NAME.cl. In read and copy a work-group has PER_ITEM * SIZE vectors in a row; in local
// the shift is an argument, or a compiler that unrolls the loop would see that rounds repeat
// themselves.
extern const char peak_fp32[], peak_read[], peak_read_plain[], peak_copy[], peak_copy_plain[],
    peak_local[];

// ---- shapes ------------------------------------------------------------------------------------

enum { ON_CPU = 1, ON_GPU = 2, NOT_ON_NVIDIA = 4 };

static const struct shape_entry {
    unsigned where;
    struct peak_shape shape;
} shape_table[] = {
    {ON_CPU, {PEAK_FP32, .width = 16, .depth = 12, .fused = true}},
    {ON_CPU, {PEAK_FP32, .width = 16, .depth = 8, .fused = true}},
    {ON_CPU, {PEAK_FP32, .width = 8, .depth = 12, .fused = true}},
    {ON_CPU, {PEAK_FP32, .width = 8, .depth = 8, .fused = true}},
    {ON_CPU, {PEAK_FP32, .width = 4, .depth = 12, .fused = true}},
    {ON_CPU, {PEAK_FP32, .width = 4, .depth = 16, .fused = true}},
    {ON_CPU, {PEAK_FP32, .width = 8, .depth = 8}},
    {ON_GPU, {PEAK_FP32, .width = 1, .depth = 4, .fused = true}},
    {ON_GPU, {PEAK_FP32, .width = 1, .depth = 8, .fused = true}},
    {ON_GPU, {PEAK_FP32, .width = 1, .depth = 16, .fused = true}},
    {ON_GPU | NOT_ON_NVIDIA, {PEAK_FP32, .width = 2, .depth = 8, .fused = true}},
    {ON_GPU | NOT_ON_NVIDIA, {PEAK_FP32, .width = 4, .depth = 8, .fused = true}},
    {ON_CPU, {PEAK_READ, .width = 16, .depth = 4}},
    {ON_CPU, {PEAK_READ, .width = 8, .depth = 4}},
    {ON_CPU, {PEAK_READ, .width = 8, .depth = 8}},
    {ON_GPU, {PEAK_READ, .width = 4, .depth = 4, .per_item = 32}},
    {ON_GPU, {PEAK_READ, .width = 4, .depth = 8, .per_item = 64}},
    {ON_GPU, {PEAK_READ, .width = 4, .depth = 8, .per_item = 256}},
    {ON_GPU, {PEAK_READ, .width = 2, .depth = 8, .per_item = 64}},
    {ON_CPU, {PEAK_COPY, .width = 16, .depth = 4, .past_cache = true}},
    {ON_CPU, {PEAK_COPY, .width = 16, .depth = 4}},
    {ON_CPU, {PEAK_COPY, .width = 8, .depth = 4, .past_cache = true}},
    {ON_CPU, {PEAK_COPY, .width = 8, .depth = 4}},
    {ON_GPU, {PEAK_COPY, .width = 4, .depth = 1, .per_item = 1}},
    {ON_GPU, {PEAK_COPY, .width = 4, .depth = 4, .per_item = 4}},
    {ON_GPU, {PEAK_COPY, .width = 4, .depth = 4, .per_item = 32}},
    {ON_GPU, {PEAK_COPY, .width = 2, .depth = 4, .per_item = 4}},
    {ON_CPU, {PEAK_LOCAL, .width = 16, .depth = 8}},
    {ON_CPU, {PEAK_LOCAL, .width = 8, .depth = 8}},
    {ON_CPU, {PEAK_LOCAL, .width = 4, .depth = 8}},
    {ON_GPU, {PEAK_LOCAL, .width = 4, .depth = 8}},
    {ON_GPU, {PEAK_LOCAL, .width = 4, .depth = 16}},
    {ON_GPU, {PEAK_LOCAL, .width = 2, .depth = 16}},
};

static bool is_cpu(const struct device_info *d)
{
    return d->type == DEVICE_CPU;
}

uint32_t peak_shapes(const struct device_info *d, struct peak_shape *out, uint32_t most)
{
    unsigned where = is_cpu(d) ? ON_CPU : ON_GPU;
    bool is_nvidia = d->capability > 0;
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof shape_table / sizeof *shape_table && count < most; i++) {
        const struct shape_entry *s = &shape_table[i];
        if ((s->where & where) && !(is_nvidia && (s->where & NOT_ON_NVIDIA)))
            out[count++] = s->shape;
    }
    return count;
}

bool peak_has_rounds(enum peak_limit limit)
{
    return limit == PEAK_FP32 || limit == PEAK_LOCAL;
}

uint32_t peak_first_rounds(const struct device_info *d, enum peak_limit limit)
{
    if (!is_cpu(d))
        return 256;
    return limit == PEAK_FP32 ? 1024 : 16384;
}

uint32_t peak_rounds(const struct device_info *d, enum peak_limit limit, double ns)
{
    double wanted = peak_first_rounds(d, limit) * (is_cpu(d) ? LAUNCH_CPU : LAUNCH_GPU);
    double most = limit == PEAK_FP32 ? ROUNDS_FP32 : ROUNDS_LOCAL;
    return (uint32_t)fmin(fmax(wanted / fmax(ns, 1), 1), most);
}

// ---- sizes -------------------------------------------------------------------------------------

struct sizes {
    uint64_t local;    // work-items of a group
    uint64_t items;    // of the launch
    uint64_t per_item; // READ, COPY: vectors
    uint64_t words;    // READ, COPY: of the buffer
};

static uint64_t largest_power(uint64_t most)
{
    uint64_t power = 1;
    while (2 * power <= most)
        power *= 2;
    return power;
}

static uint64_t local_size(const struct device_info *d)
{
    bool is_small = d->max_group_size > 0 && d->max_group_size < GROUP_GPU;
    return is_cpu(d) ? 1 : is_small ? largest_power(d->max_group_size) : GROUP_GPU;
}

static uint64_t units(const struct device_info *d)
{
    return d->compute_units ? d->compute_units : 1;
}

// Several times the last-level caches, of which a CPU may have one for every few cores and a driver
// reports one, and a small part of the memory.
static uint64_t peak_buffer_bytes(const struct device_info *d)
{
    uint64_t all = d->all_cache_bytes, cache = all > d->cache_bytes ? all : d->cache_bytes;
    uint64_t bytes = !is_cpu(d) ? BUFFER_MOST : cache ? CACHES * cache : BUFFER_CPU;
    const uint64_t bounds[] = {BUFFER_MOST, d->global_bytes / 16, d->max_alloc_bytes};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        bytes = bounds[i] > 0 && bounds[i] < bytes ? bounds[i] : bytes; // 0: not known
    return bytes < BUFFER_LEAST ? BUFFER_LEAST : largest_power(bytes);
}

// The same buffer for all shapes, so that it is made once. On a CPU each work-item has a part that
// is a whole number of the widest vectors.
static struct sizes peak_sizes_of(const struct peak_shape *s, const struct device_info *d)
{
    struct sizes z = {.local = local_size(d)};
    uint64_t parts = units(d) * PARTS_CPU;
    uint64_t words = peak_buffer_bytes(d) / sizeof(uint32_t);
    if (peak_has_rounds(s->limit)) {
        z.items = is_cpu(d) ? parts : units(d) * (RESIDENT / z.local) * z.local;
        return z;
    }
    z.words = is_cpu(d) ? words / (parts * 128) * (parts * 128) : words;
    z.per_item = s->per_item ? s->per_item : z.words / parts / s->width;
    z.items = z.words / (z.per_item * s->width);
    return z;
}

// ---- what comes out ----------------------------------------------------------------------------

static float multiply_add(float x, bool fused)
{
    volatile float product; // rounded: a compiler may make one operation of two
    if (fused)
        return fmaf(x, FACTOR, SUMMAND);
    product = x * FACTOR;
    return product + SUMMAND;
}

static void expect_fp32(const struct peak_shape *s, uint32_t rounds, uint32_t *out, uint64_t items)
{
    uint32_t ends[STARTS];
    float x[STARTS];
    for (unsigned i = 0; i < STARTS; i++)
        x[i] = 1 + (float)i / STARTS;
    for (uint64_t step = 0; step < (uint64_t)rounds * STEPS; step++) {
        for (unsigned i = 0; i < STARTS; i++)
            x[i] = multiply_add(x[i], s->fused);
    }
    memcpy(ends, x, sizeof ends);
    for (uint64_t item = 0; item < items; item++) {
        uint32_t hash = 0;
        for (uint32_t c = 0; c < s->depth; c++) {
            for (uint32_t i = 0; i < s->width; i++)
                hash = hash * HASH + ends[(item + 5 * c + i) % STARTS];
        }
        out[item] = hash;
    }
}

// All sums are of 32 bits.
static uint32_t sum_of_tile(const struct peak_shape *s, uint32_t first)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < s->depth; k++) {
        for (uint32_t c = 0; c < s->width; c++)
            sum += ((first + SHIFTS * k) * s->width + c) * SEED;
    }
    return sum;
}

static void expect_local(const struct peak_shape *s, uint32_t rounds, uint32_t *out,
                         const struct sizes *z)
{
    for (uint32_t lane = 0; lane < z->local; lane++) {
        uint32_t total = 0;
        for (uint32_t turn = 0; turn < SHIFTS; turn++) {
            uint32_t times = rounds / SHIFTS + (turn < rounds % SHIFTS);
            total += times * sum_of_tile(s, lane + turn * SHIFT % SHIFTS);
        }
        for (uint64_t item = lane; item < z->items; item += z->local)
            out[item] = total;
    }
}

// ---- jobs --------------------------------------------------------------------------------------

// A job under construction; everything in its arena.
struct making {
    struct job *job;
    struct arena *arena;
    const struct peak_shape *shape;
    struct sizes sizes;
    bool failed;
};

static void *check_allocated(struct making *m, void *allocated)
{
    m->failed |= !allocated;
    return allocated;
}

static const char *macro_option(struct making *m, const char *name, uint64_t value)
{
    return check_allocated(m, arena_printf(m->arena, "-D%s=%llu", name, (unsigned long long)value));
}

static void describe_peak_program(struct making *m, const char *text)
{
    const struct peak_shape *s = m->shape;
    const struct {
        const char *name;
        uint64_t value;
    } constants[] = {{"WIDTH", s->width},      {"DEPTH", s->depth},
                     {"SIZE", m->sizes.local}, {"PER_ITEM", m->sizes.per_item},
                     {"STEPS", STEPS},         {"STARTS", STARTS},
                     {"SHIFTS", SHIFTS},       {"HASH", HASH},
                     {"FUSED", s->fused},      {"PAST_CACHE", s->past_cache}};
    uint32_t count = sizeof constants / sizeof *constants;
    const char *words = language_traits(m->job->language)->peak_words;
    struct job_program *p = check_allocated(m, arena_alloc(m->arena, sizeof *p));
    const char **options = check_allocated(m, arena_array(m->arena, count, sizeof *options));
    char *source = check_allocated(m, arena_printf(m->arena, "%s%s", words, text));
    if (m->failed)
        return;
    for (uint32_t i = 0; i < count; i++)
        options[i] = macro_option(m, constants[i].name, constants[i].value);
    *p = (struct job_program){.name = "a limit of the device",
                              .source = source,
                              .length = strlen(source),
                              .options = options,
                              .option_count = count};
    m->job->programs = p;
    m->job->program_count = 1;
}

// The output stands last.
static void describe_buffers(struct making *m, uint64_t output)
{
    bool has_input = !peak_has_rounds(m->shape->limit);
    struct job_buffer *b = check_allocated(m, arena_array(m->arena, 2, sizeof *b));
    const struct element word = {.scalar = SCALAR_U32, .width = 1};
    if (m->failed)
        return;
    b[0] = (struct job_buffer){.name = "in",
                               .element = word,
                               .count = m->sizes.words,
                               .access = ACCESS_READ,
                               .fill = {.kind = FILL_UNIFORM, .high = 4294967295.0, .seed = 1}};
    b[1] = (struct job_buffer){.name = "out",
                               .element = word,
                               .count = output,
                               .access = ACCESS_WRITE,
                               .output = true,
                               .compare.kind = COMPARE_EXACT};
    m->job->buffers = has_input ? b : b + 1;
    m->job->buffer_count = has_input ? 2 : 1;
}

static void add_scalar(struct making *m, const char *name, enum scalar scalar, const void *value)
{
    struct job_launch *l = m->job->launches;
    l->arguments[l->argument_count++] =
        (struct job_argument){.name = name,
                              .kind = ARGUMENT_SCALAR,
                              .element = {.scalar = scalar, .width = 1},
                              .value = check_allocated(m, arena_copy(m->arena, value, 4)),
                              .length = 4};
}

static void describe_peak_launch(struct making *m, const char *kernel)
{
    struct job *j = m->job;
    struct job_launch *l = check_allocated(m, arena_alloc(m->arena, sizeof *l));
    struct job_argument *a = check_allocated(m, arena_array(m->arena, 4, sizeof *a));
    if (m->failed)
        return;
    *l = (struct job_launch){.name = kernel,
                             .kernel = kernel,
                             .dimensions = 1,
                             .global = {m->sizes.items, 1, 1},
                             .local = {m->sizes.local, 1, 1},
                             .arguments = a};
    for (uint32_t i = 0; i < j->buffer_count; i++)
        a[l->argument_count++] =
            (struct job_argument){.name = j->buffers[i].name, .kind = ARGUMENT_BUFFER, .buffer = i};
    j->launches = l;
    j->launch_count = 1;
}

// Expected outputs that the host computes.
static void expect_data(struct making *m, uint32_t rounds)
{
    uint64_t items = m->sizes.items;
    struct job_data *data = check_allocated(m, arena_alloc(m->arena, sizeof *data));
    uint32_t *out = check_allocated(m, arena_array(m->arena, items, sizeof *out));
    if (m->failed)
        return;
    if (m->shape->limit == PEAK_FP32)
        expect_fp32(m->shape, rounds, out, items);
    else
        expect_local(m->shape, rounds, out, &m->sizes);
    *data = (struct job_data){.blob = blob_of(out, items * sizeof *out)};
    m->job->reference = (struct job_reference){
        .kind = REFERENCE_DATA, .name = "known values", .data = data, .data_count = 1};
}

// Expected outputs that a plain kernel computes from the same input.
static void expect_plain(struct making *m)
{
    bool is_read = m->shape->limit == PEAK_READ;
    struct job *plain = check_allocated(m, arena_alloc(m->arena, sizeof *plain));
    struct making of_plain = *m;
    if (m->failed)
        return;
    of_plain.job = plain;
    plain->language = m->job->language;
    plain->buffers = m->job->buffers;
    plain->buffer_count = m->job->buffer_count;
    describe_peak_program(&of_plain, is_read ? peak_read_plain : peak_copy_plain);
    describe_peak_launch(&of_plain, "hone_plain");
    m->failed |= of_plain.failed;
    m->job->reference =
        (struct job_reference){.kind = REFERENCE_JOB, .name = "plain kernel", .job = plain};
}

static void describe_scalars(struct making *m, uint32_t rounds)
{
    static const float factor = FACTOR, summand = SUMMAND;
    static const uint32_t seed = SEED, shift = SHIFT;
    if (m->failed)
        return;
    if (m->shape->limit == PEAK_FP32) {
        add_scalar(m, "a", SCALAR_FLOAT, &factor);
        add_scalar(m, "b", SCALAR_FLOAT, &summand);
    } else {
        add_scalar(m, "seed", SCALAR_U32, &seed);
        add_scalar(m, "shift", SCALAR_U32, &shift);
    }
    add_scalar(m, "rounds", SCALAR_U32, &rounds);
}

// Describes a shape to the reader as "width=16, chains=12"; the JSON has all of it.
static void describe_shape(struct making *m, uint32_t rounds)
{
    const struct peak_shape *s = m->shape;
    struct text text = TEXT_INIT, json = TEXT_INIT;
    bool is_long = peak_has_rounds(s->limit);
    const struct {
        const char *name;
        uint64_t value;
        bool is_there, is_shown;
    } parts[] = {{"width", s->width, true, true},
                 {s->limit == PEAK_FP32 ? "chains" : "depth", s->depth, true, true},
                 {"per_item", m->sizes.per_item, !is_long, true},
                 {"fused", s->fused, s->limit == PEAK_FP32, !s->fused},
                 {"past_cache", s->past_cache, s->limit == PEAK_COPY, s->past_cache},
                 {"rounds", rounds, is_long, false}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        unsigned long long value = parts[i].value;
        if (parts[i].is_there)
            text_addf(&json, "%s\"%s\": %llu", json.length ? ", " : "{", parts[i].name, value);
        if (parts[i].is_there && parts[i].is_shown)
            text_addf(&text, "%s%s=%llu", text.length ? ", " : "", parts[i].name, value);
    }
    text_add(&json, "}");
    m->failed |= text.failed || json.failed;
    m->job->configuration = check_allocated(m, arena_strdup(m->arena, text_cstr(&text)));
    m->job->configuration_json = check_allocated(m, arena_strdup(m->arena, text_cstr(&json)));
    text_release(&text);
    text_release(&json);
}

static uint64_t work_of(const struct peak_shape *s, const struct sizes *z, uint32_t rounds)
{
    uint64_t once = z->items * s->width * s->depth * rounds;
    switch (s->limit) {
    case PEAK_FP32:
        return once * STEPS * 2;
    case PEAK_LOCAL:
        return once * sizeof(uint32_t);
    case PEAK_COPY:
        return z->words * sizeof(uint32_t) * 2;
    default:
        return z->words * sizeof(uint32_t);
    }
}

struct job *peak_job(const struct peak_shape *s, const struct device_info *d, uint32_t rounds,
                     uint64_t *work)
{
    static const char *const texts[PEAK_COUNT] = {[PEAK_FP32] = peak_fp32,
                                                  [PEAK_READ] = peak_read,
                                                  [PEAK_COPY] = peak_copy,
                                                  [PEAK_LOCAL] = peak_local};
    struct making m = {.job = job_new(), .shape = s, .sizes = peak_sizes_of(s, d)};
    if (!m.job)
        return NULL;
    m.arena = &m.job->arena;
    m.job->language = d->language;
    describe_peak_program(&m, texts[s->limit]);
    describe_buffers(&m, s->limit == PEAK_COPY ? m.sizes.words : m.sizes.items);
    describe_peak_launch(&m, "hone_peak");
    if (peak_has_rounds(s->limit)) {
        describe_scalars(&m, rounds);
        expect_data(&m, rounds);
    } else {
        expect_plain(&m);
    }
    describe_shape(&m, rounds);
    *work = work_of(s, &m.sizes, rounds);
    if (!m.failed)
        return m.job;
    job_free(m.job);
    return NULL;
}
