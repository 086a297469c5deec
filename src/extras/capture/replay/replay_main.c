// hone-replay FOLDER: launches again what a capture holds, in a process of its own, because drivers and kernels crash. Each line of
// standard input is a request, each line of standard output its answer:
//
//   {"launch": "KEY", "times": 10}              as it was recorded
//   {"launch": "KEY", "times": 10, "placed": true}     with its memory at the recorded addresses
//   {"launch": "KEY", "times": 1, "options": "-D TILE=8", "global": [64], "local": [16]}     in another configuration
//
//   {"exact": 10, "times": 10, "deviation": 0, "spread": 0, "arguments": []}     or     {"error": "..."}
//
// `deviation` is the largest difference from the recorded output, `spread` that between the replays, both over the root mean
// square of what the recorded launch changed; for types that are no numbers they are shares of bytes.
#include "extras/capture/replay/replay_driver.h"

#include "base/digest.h"
#include "extras/capture/capture_guard.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ZONE = 4096, ZONE_BYTE = 0xa5, CHANNEL_FLOAT = 0x10DE };

enum element { ELEMENT_BYTE, ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_INT };

struct replay_memory {
    uintptr_t memory; // 0: none
    bool is_shared;   // another argument's
    bool is_image;
    enum element element; // of an image
    size_t bytes, origin, zone;
    unsigned char *before, *after, *now; // before and after may be one
    unsigned char *first;                // what the first replay gave, if it was not `after`
    bool is_changed, is_as_before;       // as_before: in the device's memory, too
    double deviation, spread;
};

bool replay_fail(struct replay *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*r->why)
        vsnprintf(r->why, sizeof r->why, format, list);
    va_end(list);
    return false;
}

const char *replay_string(json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

// ---- the folder --------------------------------------------------------------------------------

static bool read_log(struct replay *r)
{
    char path[4096], *line = NULL;
    size_t room = 0;
    ssize_t length;
    snprintf(path, sizeof path, "%s/log", r->folder);
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    r->lines = json_object();
    while ((length = getline(&line, &room, f)) > 0) {
        json_t *o = json_loadb(line, (size_t)length, 0, NULL);
        char key[64];
        const bool is_launch = json_object_get(o, "launch") != NULL;
        snprintf(key, sizeof key, "%c%.40s", is_launch ? 'l' : 'k',
                 replay_string(o, is_launch ? "launch" : "kernel"));
        if (json_is_object(o) && !json_object_get(r->lines, key))
            json_object_set(r->lines, key, o);
        json_decref(o);
    }
    free(line);
    fclose(f);
    return true;
}

static json_t *line_of(const struct replay *r, char kind, const char *key)
{
    char name[64];
    snprintf(name, sizeof name, "%c%.40s", kind, key);
    return json_object_get(r->lines, name);
}

// A content, checked against its digest; for free(), with a NUL behind it.
unsigned char *replay_content(struct replay *r, const char *digest, size_t *length)
{
    char path[4096];
    struct digest named, is;
    struct stat s;
    unsigned char *bytes = NULL;
    if (!digest_parse(digest, &named)) {
        replay_fail(r, "the log names no content");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/data/%s.bin", r->folder, digest);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool ok = file >= 0 && fstat(file, &s) == 0 && S_ISREG(s.st_mode);
    bytes = ok ? malloc((size_t)s.st_size + 1) : NULL;
    size_t at = 0;
    for (ssize_t got = 1; bytes && got > 0 && at < (size_t)s.st_size; at += (size_t)got) {
        got = read(file, bytes + at, (size_t)s.st_size - at);
        if (got < 0)
            break;
    }
    ok = bytes && at == (size_t)s.st_size;
    if (ok) {
        bytes[at] = 0;
        digest_of(bytes, at, &is);
        ok = digest_equal(&named, &is);
        *length = at;
    }
    if (file >= 0)
        close(file);
    if (!ok) {
        replay_fail(r, "data/%.16s... is missing or damaged", digest);
        free(bytes);
        return NULL;
    }
    return bytes;
}

char *replay_source(struct replay *r, const char *digest, size_t *length)
{
    char *text = (char *)replay_content(r, digest, length);
    if (!text || !r->is_trial)
        return text;
    char *guarded = capture_guard_text(text);
    free(text);
    *length = guarded ? strlen(guarded) : 0;
    if (!guarded)
        replay_fail(r, "no memory for a copy of its text");
    return guarded;
}

// ---- arguments ---------------------------------------------------------------------------------

static bool set_value(struct replay *r, unsigned at, json_t *a)
{
    unsigned char bytes[VALUE_MOST];
    const char *hex = replay_string(a, "hex");
    const size_t length = strlen(hex) / 2;
    if (length > sizeof bytes)
        return replay_fail(r, "argument %u is larger than %d bytes", at, VALUE_MOST);
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        if (sscanf(hex + 2 * i, "%2x", &value) != 1)
            return replay_fail(r, "the log has no value for argument %u", at);
        bytes[i] = (unsigned char)value;
    }
    return r->driver->set_value(r, at, bytes, length);
}

static bool load_memory(struct replay *r, struct replay_memory *m, json_t *a)
{
    size_t before = 0, after = 0;
    const json_int_t bytes = json_integer_value(json_object_get(a, "bytes"));
    const json_int_t origin = json_integer_value(json_object_get(a, "origin"));
    m->is_changed = strcmp(replay_string(a, "before"), replay_string(a, "after")) != 0;
    m->before = replay_content(r, replay_string(a, "before"), &before);
    after = before;
    m->after = m->before && m->is_changed ? replay_content(r, replay_string(a, "after"), &after)
                                          : m->before;
    m->bytes = before;
    m->origin = origin > 0 ? (size_t)origin : 0;
    m->now = malloc(before + 1);
    if (m->before && m->after && !m->now)
        return replay_fail(r, "no memory for a copy of %zu bytes", before);
    return m->after && ((bytes >= 0 && before == (size_t)bytes && after == before) ||
                        replay_fail(r, "the log and its data differ in size"));
}

// Arguments that share memory get it from one buffer.
static bool share_memory(struct replay *r, struct replay_memory *list, unsigned at, unsigned with)
{
    struct replay_memory *m = &list[at], *o = &list[with];
    const size_t from = m->origin - o->origin;
    if (!o->memory || m->origin < o->origin || from + m->bytes > o->bytes)
        return replay_fail(r, "arguments %u and %u overlap in part", with, at);
    m->is_shared = from == 0 && m->bytes == o->bytes;
    if (!m->is_shared)
        return r->driver->part(r, o->memory, from, m->bytes, &m->memory);
    m->memory = o->memory;
    return true;
}

static bool is_placed(const struct replay *r, uintptr_t at, size_t bytes)
{
    bool found = false;
    for (size_t i = 0; !found && i < json_array_size(r->places); i++) {
        json_t *place = json_array_get(r->places, i);
        const uintptr_t base = (uintptr_t)json_integer_value(json_array_get(place, 0));
        const size_t size = (size_t)json_integer_value(json_array_get(place, 1));
        found = at >= base && at - base <= size && bytes <= size - (at - base);
    }
    return found;
}

static bool place_memory(struct replay *r)
{
    return !r->places ||
           (r->driver->place ? r->driver->place(r) : replay_fail(r, "the log has places"));
}

static bool make_memory(struct replay *r, unsigned at, json_t *a, struct replay_memory *list)
{
    struct replay_memory *m = &list[at];
    json_t *same = json_object_get(a, "same");
    const json_int_t with = json_integer_value(same);
    if (!load_memory(r, m, a))
        return false;
    json_t *address = json_object_get(a, "at");
    if (address && r->places) { // where it lay
        m->is_shared = true;
        m->memory = (uintptr_t)json_integer_value(address);
        return is_placed(r, m->memory, m->bytes) ||
               replay_fail(r, "the log has no place for argument %u", at);
    }
    if (same && (with < 0 || with >= at))
        return replay_fail(r, "the log names no earlier argument");
    if (same)
        return share_memory(r, list, at, (unsigned)with);
    const char *symbol = json_string_value(json_object_get(a, "symbol"));
    if (symbol) {
        m->is_shared = true; // with the module
        return r->driver->symbol ? r->driver->symbol(r, symbol, m->bytes, &m->memory)
                                 : replay_fail(r, "the log has a symbol");
    }
    json_t *image = json_object_get(a, "image");
    if (image) {
        m->element = json_integer_value(json_object_get(image, "channel")) == CHANNEL_FLOAT
                         ? ELEMENT_FLOAT
                         : ELEMENT_BYTE;
        m->is_image = true;
        return r->driver->image ? r->driver->image(r, a, m->bytes, &m->memory)
                                : replay_fail(r, "the log has an image");
    }
    m->zone = r->is_trial || !m->bytes ? ZONE : 0;
    return r->driver->allocate(r, m->bytes + m->zone, &m->memory);
}

// A pointer inside of an earlier argument.
static bool set_inside(struct replay *r, unsigned at, json_t *into, uintptr_t memory)
{
    const json_int_t argument = json_integer_value(json_array_get(into, 0));
    const json_int_t offset = json_integer_value(json_array_get(into, 1));
    return r->driver->set_inside && argument >= 0 && argument < at && offset >= 0
               ? r->driver->set_inside(r, (unsigned)argument, (size_t)offset, memory)
               : replay_fail(r, "the log names no earlier argument");
}

static bool set_argument(struct replay *r, unsigned at, json_t *a, struct replay_memory *list)
{
    const char *kind = replay_string(a, "kind");
    const json_int_t bytes = json_integer_value(json_object_get(a, "bytes"));
    if (strcmp(kind, "value") == 0)
        return set_value(r, at, a);
    if (strcmp(kind, "local") == 0)
        return r->driver->set_local ? r->driver->set_local(r, at, bytes > 0 ? (size_t)bytes : 0)
                                    : replay_fail(r, "the log has local memory as an argument");
    if (strcmp(kind, "sampler") == 0)
        return r->driver->set_sampler ? r->driver->set_sampler(r, at, a)
                                      : replay_fail(r, "the log has a sampler");
    if (strcmp(kind, "null") == 0)
        return r->driver->set_memory(r, at, 0);
    json_t *into = json_object_get(a, "into");
    if (!make_memory(r, at, a, list))
        return false;
    if (json_object_get(a, "symbol") || at >= r->count)
        return !into || set_inside(r, at, into, list[at].memory);
    return into ? set_inside(r, at, into, list[at].memory)
                : r->driver->set_memory(r, at, list[at].memory);
}

// ---- comparing ---------------------------------------------------------------------------------

static enum element element_of(const char *type)
{
    return strncmp(type, "float", 5) == 0                                  ? ELEMENT_FLOAT
           : strncmp(type, "double", 6) == 0                               ? ELEMENT_DOUBLE
           : strncmp(type, "int", 3) == 0 || strncmp(type, "uint", 4) == 0 ? ELEMENT_INT
                                                                           : ELEMENT_BYTE;
}

static double element_at(enum element e, const unsigned char *bytes, size_t i)
{
    float f;
    double d;
    int32_t n;
    switch (e) {
    case ELEMENT_FLOAT:
        memcpy(&f, bytes + 4 * i, 4);
        return f;
    case ELEMENT_DOUBLE:
        memcpy(&d, bytes + 8 * i, 8);
        return d;
    case ELEMENT_INT:
        memcpy(&n, bytes + 4 * i, 4);
        return n;
    default:
        return bytes[i];
    }
}

static size_t element_size(enum element e)
{
    return e == ELEMENT_BYTE ? 1 : e == ELEMENT_DOUBLE ? 8 : 4;
}

// The largest difference; infinite where only one of them is a number.
static double difference(enum element e, const unsigned char *a, const unsigned char *b,
                         size_t bytes)
{
    double most = 0;
    if (memcmp(a, b, bytes) == 0)
        return 0;
    for (size_t i = 0; i < bytes / element_size(e); i++) {
        const double x = element_at(e, a, i), y = element_at(e, b, i);
        if (memcmp(a + i * element_size(e), b + i * element_size(e), element_size(e)) == 0)
            continue;
        const double d = fabs(x - y);
        most = !(d <= most) ? (isnan(d) ? INFINITY : d) : most;
    }
    return most;
}

// The scale is that of what the launch changed, because the rest may be anything; of all where it changed nothing.
static double root_mean_square(enum element e, const unsigned char *before,
                               const unsigned char *after, size_t bytes)
{
    double sum = 0;
    size_t count = 0;
    const size_t size = element_size(e);
    const bool is_changed = memcmp(before, after, bytes) != 0;
    for (size_t i = 0; i < bytes / size; i++) {
        if (is_changed && memcmp(before + i * size, after + i * size, size) == 0)
            continue;
        const double x = element_at(e, after, i);
        sum += isfinite(x) ? x * x : 0;
        count++;
    }
    return count && sum > 0 ? sqrt(sum / (double)count) : 1;
}

static bool compare_memory(struct replay *r, struct replay_memory *m, enum element e, bool is_first)
{
    const bool is_exact = memcmp(m->now, m->after, m->bytes) == 0;
    m->is_as_before = is_exact && !m->is_changed;
    if (is_first && !is_exact) {
        m->first = malloc(m->bytes);
        if (!m->first)
            return replay_fail(r, "no memory for a copy of %zu bytes", m->bytes);
        memcpy(m->first, m->now, m->bytes);
    }
    if (is_exact && !m->first)
        return true;
    const double scale = root_mean_square(e, m->before, m->after, m->bytes);
    const double own = difference(e, m->now, m->after, m->bytes) / scale;
    const double between = difference(e, m->now, m->first ? m->first : m->after, m->bytes) / scale;
    m->deviation = own > m->deviation ? own : m->deviation;
    m->spread = between > m->spread ? between : m->spread;
    return is_exact;
}

// ---- a request ---------------------------------------------------------------------------------

static bool sizes_of(json_t *list, size_t out[3])
{
    for (size_t i = 0; i < 3; i++)
        out[i] = (size_t)json_integer_value(json_array_get(list, i));
    return json_is_array(list);
}

// Fills the zone behind a buffer.
static bool write_zone(struct replay *r, const struct replay_memory *m)
{
    unsigned char zone[ZONE];
    memset(zone, ZONE_BYTE, sizeof zone);
    return m->zone == 0 || r->driver->write(r, m->memory, m->bytes, m->zone, zone);
}

static bool check_zone(struct replay *r, const struct replay_memory *m, unsigned argument)
{
    unsigned char zone[ZONE];
    bool ok = m->zone == 0 || r->driver->read(r, m->memory, m->bytes, m->zone, zone);
    for (size_t i = 0; ok && i < m->zone; i++)
        ok = zone[i] == ZONE_BYTE ||
             replay_fail(r, "it writes past the end of argument %u", argument);
    return ok;
}

static bool launch_once(struct replay *r, const struct replay_geometry *g,
                        struct replay_memory *list, unsigned count)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++) {
        if (list[i].memory && !list[i].is_as_before)
            ok = r->driver->write(r, list[i].memory, 0, list[i].bytes, list[i].before) &&
                 write_zone(r, &list[i]);
    }
    ok = ok && r->driver->launch(r, g);
    for (unsigned i = 0; ok && i < count; i++) {
        if (list[i].memory)
            ok = r->driver->read(r, list[i].memory, 0, list[i].bytes, list[i].now) &&
                 check_zone(r, &list[i], i);
    }
    return ok;
}

static void answer_result(struct replay *r, const struct replay_memory *list, unsigned count,
                          json_int_t exact, json_int_t times)
{
    double deviation = 0, spread = 0;
    json_t *arguments = json_array();
    for (unsigned i = 0; i < count; i++) {
        deviation = fmax(deviation, list[i].deviation);
        spread = fmax(spread, list[i].spread);
        if (list[i].deviation > 0)
            json_array_append_new(arguments, json_integer(i));
    }
    json_t *o = *r->why ? json_pack("{s:s}", "error", r->why)
                        : json_pack("{s:I,s:I,s:f,s:f,s:O}", "exact", exact, "times", times,
                                    "deviation", fmin(deviation, 1e300), "spread",
                                    fmin(spread, 1e300), "arguments", arguments);
    char *text = json_dumps(o, JSON_COMPACT);
    printf("%s\n", text ? text : "{\"error\":\"no memory\"}");
    fflush(stdout);
    free(text);
    json_decref(o);
    json_decref(arguments);
}

static bool open_driver(struct replay *r, json_t *kernel, json_t *launch)
{
    const char *device = replay_string(launch, "device"), *driver = replay_string(launch, "driver");
    if (r->state)
        return (strcmp(r->device_name, device) == 0 && strcmp(r->driver_name, driver) == 0) ||
               replay_fail(r, "the kernel ran on several devices");
    snprintf(r->device_name, sizeof r->device_name, "%s", device);
    snprintf(r->driver_name, sizeof r->driver_name, "%s", driver);
    r->driver =
        strcmp(replay_string(kernel, "language"), "cuda") == 0 ? &replay_cuda : &replay_opencl;
    return r->driver->open(r, r->device_name, r->driver_name);
}

static const char *type_of(json_t *kernel, json_t *request, unsigned at)
{
    const char *asked = json_string_value(json_array_get(json_object_get(request, "types"), at));
    return asked ? asked
                 : replay_string(json_array_get(json_object_get(kernel, "arguments"), at), "type");
}

// How many of the launches gave the recorded output.
static json_int_t play_launches(struct replay *r, json_t *kernel, json_t *launch, json_t *request,
                                struct replay_memory *list, unsigned count)
{
    const json_int_t times = json_integer_value(json_object_get(request, "times"));
    struct replay_geometry g;
    json_int_t exact = 0;
    json_t *global = json_object_get(request, "global"), *local = json_object_get(request, "local");
    const json_int_t shared = json_integer_value(json_object_get(launch, "shared"));
    g.dimensions = (unsigned)json_integer_value(json_object_get(launch, "dimensions"));
    sizes_of(global ? global : json_object_get(launch, "global"), g.global);
    g.has_local = sizes_of(local ? local : json_object_get(launch, "local"), g.local);
    g.has_offset = sizes_of(json_object_get(launch, "offset"), g.offset);
    g.shared = shared > 0 && shared < UINT32_MAX ? (uint32_t)shared : 0;
    bool ok = (g.dimensions >= 1 && g.dimensions <= 3) || replay_fail(r, "the log has no geometry");
    for (json_int_t t = 0; ok && t < times; t++) {
        bool is_exact = true;
        ok = launch_once(r, &g, list, count);
        for (unsigned i = 0; ok && i < count; i++) {
            if (list[i].memory)
                is_exact &= compare_memory(
                    r, &list[i],
                    list[i].is_image ? list[i].element : element_of(type_of(kernel, request, i)),
                    t == 0);
        }
        exact += is_exact;
        ok = ok && !*r->why;
    }
    return exact;
}

static void release_memories(struct replay *r, struct replay_memory *list, unsigned count)
{
    for (unsigned i = count; i-- > 0;) {
        if (list[i].memory && !list[i].is_shared)
            r->driver->free(r, list[i].memory);
        if (list[i].after != list[i].before)
            free(list[i].after);
        free(list[i].before), free(list[i].first), free(list[i].now);
    }
}

static void answer_request(struct replay *r, json_t *request)
{
    json_t *launch = line_of(r, 'l', replay_string(request, "launch"));
    json_t *kernel = launch ? line_of(r, 'k', replay_string(launch, "of")) : NULL;
    json_t *arguments = json_object_get(launch, "arguments");
    const unsigned count =
        json_array_size(arguments) <= ARGUMENTS_MOST ? (unsigned)json_array_size(arguments) : 0;
    struct replay_memory *list = calloc(ARGUMENTS_MOST, sizeof *list);
    json_int_t exact = 0;
    *r->why = 0;
    const struct replay_text other = {
        json_string_value(json_object_get(request, "options")),
        json_string_value(json_object_get(request, "source")),
        json_string_value(json_object_get(request, "function")),
    };
    r->is_trial = other.options != NULL;
    r->places =
        json_is_true(json_object_get(request, "placed")) ? json_object_get(launch, "places") : NULL;
    r->count = (unsigned)json_array_size(json_object_get(kernel, "arguments"));
    bool ok = (kernel && list && count == json_array_size(arguments)) ||
              replay_fail(r, "the log has no such launch");
    ok = ok && open_driver(r, kernel, launch) &&
         r->driver->build(r, kernel, r->is_trial ? &other : NULL) && place_memory(r);
    for (unsigned i = 0; ok && i < count; i++)
        ok = set_argument(r, i, json_array_get(arguments, i), list);
    if (ok)
        exact = play_launches(r, kernel, launch, request, list, count);
    answer_result(r, list, ok ? count : 0, exact,
                  json_integer_value(json_object_get(request, "times")));
    if (list)
        release_memories(r, list, count);
    if (r->state)
        r->driver->release(r);
    free(list);
}

int main(int argc, char **argv)
{
    struct replay r = {.folder = argv[argc - 1]};
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (argc != 2 || !read_log(&r)) {
        fprintf(stderr, "hone-replay FOLDER: started by hone capture\n");
        return 2;
    }
    while ((length = getline(&line, &room, stdin)) > 0) {
        json_t *request = json_loadb(line, (size_t)length, 0, NULL);
        answer_request(&r, request);
        json_decref(request);
    }
    free(line);
    json_decref(r.lines);
    return 0;
}
