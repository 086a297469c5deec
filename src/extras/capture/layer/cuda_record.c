// Records launches of CUDA kernels. A launch that is not captured costs a look at its parameters; now and then an event is recorded on
// either side of it. The first of a shape is captured: the context is synchronized, what its pointers point into is read, the
// launch runs alone, and it is read again. Nothing of this is done while a stream is recorded into a graph.
#include "extras/capture/layer/cuda_layer.h"

#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALLOCATOR_ALIGNS = 256, ASKED_MOST = 1 << 15 };

// ---- times -------------------------------------------------------------------------------------

static void add_time(struct capture_shape *s, CUevent start, CUevent end)
{
    float ms = 0;
    if (cuda_below.driver.cuEventElapsedTime(&ms, start, end) != CUDA_SUCCESS || !(ms >= 0))
        return;
    atomic_fetch_add(&s->timed, 1);
    atomic_fetch_add(&s->ns, (uint64_t)((double)ms * 1e6));
}

static void release_events(CUevent start, CUevent end)
{
    if (start)
        cuda_below.driver.cuEventDestroy(start);
    if (end)
        cuda_below.driver.cuEventDestroy(end);
}

static bool take_time(const struct layer_timed *t)
{
    const CUresult asked = cuda_below.cuEventQuery(t->end);
    if (asked == CUDA_ERROR_NOT_READY)
        return false;
    if (asked == CUDA_SUCCESS)
        add_time(t->shape, t->start, t->end);
    release_events(t->start, t->end);
    return true;
}

static struct layer_times times = {.lock = PTHREAD_MUTEX_INITIALIZER, .take = take_time};

void cuda_record_times(void)
{
    if (cuda_below.cuEventQuery && atomic_load(&cuda_graph_captures) == 0)
        layer_times_take(&times);
}

void cuda_record_after_fork(void)
{
    layer_times_after_fork(&times);
}

bool cuda_is_recorded_now(CUstream stream)
{
    int status = 0;
    if (atomic_load(&cuda_graph_captures) > 0) // another stream's forbids synchronizing, too
        return true;
    return cuda_below.cuStreamIsCapturing &&
           (cuda_below.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != 0);
}

// ---- a launch ----------------------------------------------------------------------------------

CUresult cuda_enqueue(const struct cuda_launch *l)
{
    if (l->config) {
        struct cuda_config config = *l->config;
        config.stream = l->stream;
        return cuda_below.cuLaunchKernelEx(&config, l->function, l->parameters, l->extra);
    }
    if (l->is_cooperative)
        return cuda_below.cuLaunchCooperativeKernel(l->function, l->grid[0], l->grid[1], l->grid[2],
                                                    l->block[0], l->block[1], l->block[2],
                                                    l->shared, l->stream, l->parameters);
    return cuda_below.driver.cuLaunchKernel(l->function, l->grid[0], l->grid[1], l->grid[2],
                                            l->block[0], l->block[1], l->block[2], l->shared,
                                            l->stream, l->parameters, l->extra);
}

// Parameters come one by one, or as one buffer.
const unsigned char *cuda_parameter(const struct cuda_launch *l, const struct cuda_function *f,
                                    uint32_t at)
{
    if (l->parameters)
        return l->parameters[at];
    const unsigned char *buffer = NULL;
    size_t size = 0;
    for (void **x = l->extra; x && *x; x += 2) {
        if ((uintptr_t)x[0] == CUDA_LAUNCH_BUFFER)
            buffer = x[1];
        else if ((uintptr_t)x[0] == CUDA_LAUNCH_BUFFER_SIZE)
            memcpy(&size, x[1], sizeof size);
    }
    return buffer && f->offsets[at] + f->sizes[at] <= size ? buffer + f->offsets[at] : NULL;
}

bool cuda_find_range(const unsigned char *word, CUdeviceptr *at, CUdeviceptr *base, size_t *size)
{
    uint64_t value;
    memcpy(&value, word, sizeof value);
    *at = value;
    return value >> 32 && value >> 57 == 0 && cuda_below.cuMemGetAddressRange &&
           cuda_below.cuMemGetAddressRange(base, size, *at) == CUDA_SUCCESS;
}

// Hashes everything that tells launches apart but where memory lies and what is in it. The functions are locked. 0: not all
// parameters are there.
static uint64_t shape_key(const struct cuda_function *f, const struct cuda_launch *l)
{
    CUdeviceptr known[CUDA_PARAMETERS_MOST]; // a launch in place is another one
    uint64_t key = layer_mix(f->key, l->shared), count = 0, first;
    for (int a = 0; a < 3; a++)
        key = layer_mix(layer_mix(key, l->grid[a]), l->block[a]);
    for (uint32_t i = 0; i < f->count; i++) {
        const unsigned char *bytes = cuda_parameter(l, f, i);
        size_t at = 0;
        if (!bytes)
            return 0;
        for (; at + 8 <= f->sizes[i]; at += 8) {
            CUdeviceptr pointer, base;
            size_t size;
            struct cuda_image image;
            if (cuda_find_range(bytes + at, &pointer, &base, &size)) {
                for (first = 0; first < count && known[first] != pointer; first++)
                    continue;
                key = layer_mix(key, first + 1);
                if (first == count && count < CUDA_PARAMETERS_MOST)
                    known[count++] = pointer;
            } else if (cuda_find_image(f, i, bytes + at, &image))
                key = cuda_image_key(key, &image);
            else
                key = layer_mix(key, pointer);
        }
        key = layer_mix_bytes(key, bytes + at, f->sizes[i] - at);
    }
    return key + (key == 0);
}

// ---- a capture ---------------------------------------------------------------------------------

struct captured {
    const struct cuda_launch *launch;
    struct cuda_function function; // a copy
    struct cuda_memories memories;
    bool is_placed; // there are addresses in memory: a replay puts everything where it lay
    enum capture_reason reason;
};

static bool refuse_capture(struct captured *c, enum capture_reason why)
{
    c->reason = why;
    return false;
}

static enum capture_reason add_memory(struct cuda_memories *list, uint32_t argument, size_t offset,
                                      const unsigned char *word)
{
    struct cuda_memory m = {.argument = argument, .offset = offset};
    int type;
    if (!cuda_find_range(word, &m.at, &m.base, &m.extent)) {
        const bool is_of_host =
            m.at >> 32 && m.at >> 57 == 0 && cuda_below.cuPointerGetAttribute &&
            cuda_below.cuPointerGetAttribute(&type, CUDA_POINTER_MEMORY_TYPE, m.at) == CUDA_SUCCESS;
        return is_of_host ? CAPTURE_SYSTEM_POINTER : CAPTURE_NONE;
    }
    if (list->count >= CUDA_MEMORIES_MOST)
        return CAPTURE_MANY;
    m.size = m.extent - (size_t)(m.at - m.base);
    list->items[list->count++] = m;
    return CAPTURE_NONE;
}

enum capture_reason cuda_find_memories(const struct cuda_launch *l, const struct cuda_function *f,
                                       struct cuda_memories *out)
{
    enum capture_reason why = CAPTURE_NONE;
    out->count = 0;
    out->bytes = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const unsigned char *bytes = cuda_parameter(l, f, i);
        if (!bytes)
            return CAPTURE_ARGUMENT;
        for (size_t at = 0; at + 8 <= f->sizes[i] && why == CAPTURE_NONE; at += 8)
            why = add_memory(out, i, at, bytes + at);
    }
    // An allocator of the program's own hands out parts of larger allocations, well aligned: what one pointer reaches ends where the
    // next begins. A pointer that is not aligned points into the same array.
    for (uint32_t i = 0; i < out->count; i++) {
        struct cuda_memory *m = &out->items[i];
        for (uint32_t o = 0; o < out->count; o++) {
            const CUdeviceptr next = out->items[o].at;
            if (next > m->at && next - m->at < m->size && (next - m->base) % ALLOCATOR_ALIGNS == 0)
                m->size = (size_t)(next - m->at);
        }
        out->bytes += m->size;
    }
    return why;
}

static bool read_memory(struct captured *c, struct cuda_memory *m, int after)
{
    struct digest was, is;
    if (!after)
        m->bytes = malloc(m->size + 1);
    if (!m->bytes)
        return refuse_capture(c, CAPTURE_MEMORY);
    if (m->image ? !cuda_image_read(m->image, m->bytes)
                 : cuda_below.cuMemcpyDtoH(m->bytes, m->at, m->size) != CUDA_SUCCESS)
        return refuse_capture(c, CAPTURE_READ);
    digest_of(m->bytes, m->size, &is);
    digest_hex(&is, m->digest[after]);
    if (after && digest_parse(m->digest[0], &was) && digest_equal(&was, &is))
        return true;
    const enum capture_reason why = layer_keep(m->bytes, m->size, layer_room(), m->digest[after]);
    return why == CAPTURE_NONE || refuse_capture(c, why);
}

// The memory of the list that an address lies in.
static bool is_in_list(const struct cuda_memories *list, uint64_t at)
{
    bool found = false;
    for (uint32_t i = 0; !found && i < list->count; i++)
        found = at - list->items[i].at < list->items[i].size;
    return found;
}

// Words in memory that are addresses. What they point into is captured, too, each allocation whole, and then everything is replayed where it lay.
// The driver is asked about a limited number: numbers may look like addresses.
static bool find_reached(struct captured *c, const struct cuda_memory *m, uint32_t *asked)
{
    struct cuda_memories *list = &c->memories;
    for (size_t at = (size_t)(-m->at & 7); !m->image && at + 8 <= m->size; at += 8) {
        struct cuda_memory found = {.is_reached = true};
        uint64_t word;
        memcpy(&word, m->bytes + at, sizeof word);
        if (!(word >> 32) || word >> 57)
            continue;
        const bool is_known = is_in_list(list, word);
        c->is_placed = c->is_placed || is_known;
        if (is_known || *asked == ASKED_MOST)
            continue;
        (*asked)++;
        if (!cuda_find_range(m->bytes + at, &found.at, &found.base, &found.size))
            continue;
        if (list->count >= CUDA_MEMORIES_MOST)
            return refuse_capture(c, CAPTURE_MANY);
        found.at = found.base;
        found.extent = found.size;
        list->bytes += found.size;
        list->items[list->count++] = found;
        c->is_placed = true;
        if (list->bytes > layer_settings.limit)
            return refuse_capture(c, CAPTURE_LIMIT);
    }
    return true;
}

static bool read_after(struct captured *c)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->memories.count; i++)
        ok = read_memory(c, &c->memories.items[i], 1);
    return ok;
}

static bool is_argument(const struct captured *c, const struct cuda_memory *m)
{
    return !m->symbol && !m->is_reached && c->function.sizes[m->argument] == 8;
}

// The entry of an argument that is a pointer and nothing else.
static const struct cuda_memory *memory_of(const struct captured *c, uint32_t argument)
{
    for (uint32_t i = 0; i < c->memories.count; i++) {
        if (is_argument(c, &c->memories.items[i]) && c->memories.items[i].argument == argument)
            return &c->memories.items[i];
    }
    return NULL;
}

static bool holds(const struct cuda_memory *o, const struct cuda_memory *m)
{
    return !o->symbol && !m->symbol && !o->image && !m->image && o->base == m->base &&
           m->at >= o->at && m->at + m->size <= o->at + o->size;
}

// The entry of the log that has a memory, too, of those before its own; -1: none. Arguments come first, then the others.
static int64_t entry_with(const struct captured *c, const struct cuda_memory *m)
{
    int64_t others = c->function.count;
    for (uint32_t i = 0; i < c->memories.count; i++) {
        const struct cuda_memory *o = &c->memories.items[i];
        if (o != m && is_argument(c, o) && (!is_argument(c, m) || o < m) && holds(o, m))
            return o->argument;
    }
    for (const struct cuda_memory *o = c->memories.items; o < m && !is_argument(c, m); o++) {
        if (!is_argument(c, o) && holds(o, m))
            return others;
        others += !is_argument(c, o);
    }
    return -1;
}

static void log_memory(struct layer_line *l, const struct captured *c, const struct cuda_memory *m)
{
    line_add(l,
             "{\"kind\":\"buffer\",\"bytes\":%zu,\"origin\":%zu,\"before\":\"%s\",\"after\":\"%s\"",
             m->size, (size_t)(m->at - m->base), m->digest[0], m->digest[1]);
    const int64_t same = entry_with(c, m);
    if (m->image)
        cuda_image_log(l, m->image);
    else if (c->is_placed && !m->symbol)
        line_add(l, ",\"at\":%llu", m->at);
    if (same >= 0)
        line_add(l, ",\"same\":%lld", (long long)same);
    if (m->symbol) {
        line_add(l, ",\"symbol\":");
        line_text(l, m->symbol);
    } else if (!is_argument(c, m) && !m->is_reached)
        line_add(l, ",\"into\":[%u,%zu]", m->argument, m->offset);
    line_add(l, "}");
}

// A value that is the number of a texture, too, says so: if the kernel reads one by it, a replay reads another.
static void log_value(struct layer_line *l, const unsigned char *bytes, size_t size)
{
    const char *like = size == sizeof(uint64_t) ? cuda_view_name(bytes) : NULL;
    line_add(l, "{\"kind\":\"value\",\"bytes\":%zu,\"hex\":\"", size);
    for (size_t i = 0; i < size; i++)
        line_add(l, "%02x", bytes[i]);
    line_add(l, like ? "\",\"not_taken_for\":\"%s\"}" : "\"}", like);
}

static void log_arguments(struct layer_line *l, const struct captured *c)
{
    line_add(l, ",\"arguments\":[");
    for (uint32_t i = 0; i < c->function.count; i++) {
        const struct cuda_memory *m = memory_of(c, i);
        line_add(l, i ? "," : "");
        if (m)
            log_memory(l, c, m);
        else
            log_value(l, cuda_parameter(c->launch, &c->function, i), c->function.sizes[i]);
    }
    for (uint32_t i = 0; i < c->memories.count; i++) { // inside of structs, and symbols
        const struct cuda_memory *m = &c->memories.items[i];
        if (is_argument(c, m))
            continue;
        line_add(l, c->function.count || i ? "," : "");
        log_memory(l, c, m);
    }
    line_add(l, "]");
}

void cuda_driver_text(char out[64])
{
    int version = 0;
    cuda_below.driver.cuDriverGetVersion(&version);
    snprintf(out, 64, "CUDA %d.%d", version / 1000, version % 1000 / 10);
}

// The allocations, each once.
static void log_places(struct layer_line *l, const struct captured *c)
{
    const char *before = ",\"places\":[";
    for (uint32_t i = 0; i < c->memories.count; i++) {
        const struct cuda_memory *m = &c->memories.items[i];
        bool is_new = !m->symbol && !m->image;
        for (uint32_t o = 0; o < i; o++)
            is_new =
                is_new && (c->memories.items[o].symbol || c->memories.items[o].base != m->base);
        if (is_new)
            line_add(l, "%s[%llu,%zu]", before, m->base, m->extent);
        before = is_new ? "," : before;
    }
    line_add(l, "]");
}

static void log_launch(const struct captured *c, uint64_t key)
{
    const struct cuda_launch *launch = c->launch;
    struct layer_line l = {0};
    size_t global[3], local[3];
    uint32_t dimensions = 1;
    for (uint32_t a = 0; a < 3; a++) {
        local[a] = launch->block[a];
        global[a] = (size_t)launch->grid[a] * launch->block[a];
        dimensions = global[a] > 1 ? a + 1 : dimensions;
    }
    line_add(&l, "{\"launch\":\"%016llx\",\"of\":\"%016llx\",\"dimensions\":%u",
             (unsigned long long)key, (unsigned long long)c->function.key, (unsigned)dimensions);
    CUdevice device = 0;
    char name[256] = "", driver[64];
    if (cuda_below.cuCtxGetDevice(&device) == CUDA_SUCCESS)
        cuda_below.driver.cuDeviceGetName(name, sizeof name, device);
    cuda_driver_text(driver);
    line_add(&l, ",\"device\":");
    line_text(&l, name);
    line_add(&l, ",\"driver\":\"%s\"", driver);
    layer_log_sizes(&l, "global", global, dimensions);
    layer_log_sizes(&l, "local", local, dimensions);
    line_add(&l, ",\"shared\":%u", launch->shared);
    if (c->is_placed)
        log_places(&l, c);
    log_arguments(&l, c);
    line_add(&l, "}");
    line_end(&l, true);
}

bool cuda_has_attributes(const struct cuda_launch *l)
{
    bool any = l->is_cooperative;
    for (unsigned i = 0; l->config && i < l->config->attribute_count; i++) {
        const struct cuda_attribute *a = &l->config->attributes[i];
        if (a->id == CUDA_ATTRIBUTE_COOPERATIVE)
            any = any || a->value.number;
        else if (a->id == CUDA_ATTRIBUTE_CLUSTER)
            any = any || a->value.words[0] * a->value.words[1] * a->value.words[2] != 1;
    }
    return any;
}

static bool prepare_capture(struct captured *c)
{
    if (cuda_is_recorded_now(c->launch->stream))
        return refuse_capture(c, CAPTURE_GRAPH);
    if (cuda_has_attributes(c->launch))
        return refuse_capture(c, CAPTURE_ATTRIBUTES);
    enum capture_reason why = cuda_find_memories(c->launch, &c->function, &c->memories);
    if (why == CAPTURE_NONE)
        why = cuda_add_images(c->launch, &c->function, &c->memories);
    if (why == CAPTURE_NONE)
        why = cuda_add_symbols(c->function.module, &c->memories);
    if (why != CAPTURE_NONE)
        return refuse_capture(c, why);
    if (c->memories.bytes > layer_settings.limit)
        return refuse_capture(c, CAPTURE_LIMIT);
    if (cuda_below.cuCtxSynchronize() != CUDA_SUCCESS)
        return refuse_capture(c, CAPTURE_FAILED);
    // The list grows by what is found.
    uint32_t asked = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < c->memories.count; i++)
        ok = read_memory(c, &c->memories.items[i], 0) &&
             find_reached(c, &c->memories.items[i], &asked);
    return ok;
}

static CUresult launch_between(const struct cuda_launch *l, CUevent events[2])
{
    const struct cuda_api *d = &cuda_below.driver;
    events[0] = events[1] = NULL;
    bool ok = d->cuEventCreate(&events[0], CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
              d->cuEventCreate(&events[1], CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
              d->cuEventRecord(events[0], l->stream) == CUDA_SUCCESS;
    const CUresult code = cuda_enqueue(l);
    ok = ok && code == CUDA_SUCCESS && d->cuEventRecord(events[1], l->stream) == CUDA_SUCCESS;
    if (!ok) {
        release_events(events[0], events[1]);
        events[0] = events[1] = NULL;
    }
    return code;
}

// The launch, whatever becomes of the capture.
static CUresult capture_launch(struct captured *c, struct capture_shape *s, uint64_t key)
{
    CUevent events[2];
    if (!prepare_capture(c))
        return cuda_enqueue(c->launch);
    const CUresult code = launch_between(c->launch, events);
    if (code != CUDA_SUCCESS || cuda_below.cuCtxSynchronize() != CUDA_SUCCESS)
        refuse_capture(c, CAPTURE_FAILED);
    else if (read_after(c))
        log_launch(c, key);
    if (events[0])
        add_time(s, events[0], events[1]);
    release_events(events[0], events[1]);
    return code;
}

static CUresult time_launch(const struct cuda_launch *l, struct capture_shape *s)
{
    CUevent events[2];
    if (cuda_is_recorded_now(l->stream) || !cuda_below.cuEventQuery)
        return cuda_enqueue(l);
    const CUresult code = launch_between(l, events);
    if (events[0] && !layer_times_keep(&times, s, events[0], events[1]))
        release_events(events[0], events[1]);
    return code;
}

static CUresult try_capture(struct captured *c, struct capture_shape *s, uint64_t key)
{
    if (!layer_begin_capture(s, c->function.name, c->function.key))
        return time_launch(c->launch, s);
    const CUresult code = capture_launch(c, s, key);
    layer_end_capture(s, c->function.key, c->reason);
    for (uint32_t i = 0; i < c->memories.count; i++)
        free(c->memories.items[i].bytes), free(c->memories.items[i].symbol),
            free(c->memories.items[i].image);
    return code;
}

// 0: not all parameters are there.
static uint64_t hash_bytes(const struct cuda_function *f, const struct cuda_launch *l)
{
    uint64_t hash = layer_mix(f->key, l->shared);
    if (f->takes_any) // a number may be another's by now
        hash = layer_mix(hash, cuda_views_made());
    for (int a = 0; a < 3; a++)
        hash = layer_mix(layer_mix(hash, l->grid[a]), l->block[a]);
    for (uint32_t i = 0; i < f->count; i++) {
        const unsigned char *bytes = cuda_parameter(l, f, i);
        uint64_t word = 0;
        if (!bytes)
            return 0;
        if (f->sizes[i] <= sizeof word) {
            memcpy(&word, bytes, f->sizes[i]);
            hash = layer_mix(hash, word);
        } else
            hash = layer_mix_bytes(hash, bytes, f->sizes[i]);
    }
    return hash + (hash == 0);
}

static uint64_t find_shape(struct cuda_function *f, const struct cuda_launch *l)
{
    const uint64_t bytes = hash_bytes(f, l), at = bytes % CUDA_SEEN;
    if (bytes && f->seen[at].bytes != bytes) {
        f->seen[at].shape = shape_key(f, l);
        f->seen[at].bytes = bytes;
    }
    return bytes ? f->seen[at].shape : 0;
}

// The function as it is now, for a capture; another thread may unload it. NULL: no memory.
static struct captured *start_capture(const struct cuda_launch *l, const struct cuda_function *f)
{
    struct captured *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->launch = l;
    c->function = *f;
    c->function.name = strdup(f->name);
    if (c->function.name)
        return c;
    free(c);
    return NULL;
}

// The function of a launch, locked; NULL: nothing is known of it.
static struct cuda_function *lock_function(const struct cuda_launch *l)
{
    struct cuda_function *f = layer_lock(&cuda_objects.functions, l->function);
    if (f && !f->module) { // its module was unloaded: the handle is another's
        layer_unlock(&cuda_objects.functions);
        f = NULL;
    }
    if (!f) {
        cuda_note_function(l->function, NULL, NULL);
        f = layer_lock(&cuda_objects.functions, l->function);
    }
    return f;
}

struct capture_shape *cuda_shape_of(const struct cuda_launch *l)
{
    struct cuda_function *f = lock_function(l);
    const uint64_t key = f && f->key && f->name ? find_shape(f, l) : 0;
    struct capture_shape *s = key ? layer_shape(key, f->key) : NULL;
    if (f)
        layer_unlock(&cuda_objects.functions);
    return s;
}

static CUresult record_launch(const struct cuda_launch *l)
{
    struct cuda_function *f = lock_function(l);
    const uint64_t key = f && f->key && f->name ? find_shape(f, l) : 0;
    struct capture_shape *s = key ? layer_shape(key, f->key) : NULL;
    const uint64_t n = s ? atomic_fetch_add_explicit(&s->launches, 1, memory_order_relaxed) : 0;
    struct captured *c = s && layer_is_to_be_captured(s) ? start_capture(l, f) : NULL;
    if (f)
        layer_unlock(&cuda_objects.functions);
    if (!s) {
        atomic_fetch_add(&layer_counts->unlisted, 1);
        return cuda_enqueue(l);
    }
    if (!c)
        return layer_is_timed(n) ? time_launch(l, s) : cuda_enqueue(l);
    const CUresult code = try_capture(c, s, key);
    free(c->function.name);
    free(c);
    return code;
}

// Recorded into a graph it is no launch yet.
static bool is_recorded(CUstream stream)
{
    int status = 0;
    return atomic_load_explicit(&cuda_graph_captures, memory_order_relaxed) > 0 &&
           cuda_below.cuStreamIsCapturing &&
           cuda_below.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status != 0;
}

CUresult cuda_launch_noted(const struct cuda_launch *l)
{
    if (layer_settings.is_capturing && is_recorded(l->stream))
        return cuda_enqueue(l);
    atomic_fetch_add_explicit(&layer_counts->launches, 1, memory_order_relaxed);
    return layer_settings.is_capturing ? record_launch(l) : cuda_replace_launch(l);
}
