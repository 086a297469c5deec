// hone-replay FOLDER: launches again what a capture holds, in a process of its own, because drivers and kernels crash. Each line of
// standard input is a request, each line of standard output its answer:
//
//   {"launch": "KEY", "times": 10}              as it was recorded
//   {"launch": "KEY", "times": 1, "options": "-D TILE=8", "global": [64], "local": [16]}     in another configuration
//
//   {"exact": 10, "times": 10, "deviation": 0, "spread": 0, "arguments": []}     or     {"error": "..."}
//
// `deviation` is the largest difference from the recorded output, `spread` that between the replays, both over the root mean
// square of the recorded output; for types that are no numbers they are shares of bytes.
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include "base/digest.h"
#include "extras/capture/capture_guard.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGUMENTS_MOST = 256, NAME_MOST = 1024, ZONE = 4096, ZONE_BYTE = 0xa5 };

#define REPLAY_FUNCTIONS(X)                                                                        \
    X(clGetPlatformIDs)                                                                            \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateContext)                                                                             \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateProgramWithSource)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clCompileProgram)                                                                            \
    X(clLinkProgram)                                                                               \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clCreateBuffer)                                                                              \
    X(clCreateSubBuffer)                                                                           \
    X(clReleaseMemObject)                                                                          \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clFinish)

static cl_icd_dispatch cl;

struct replay {
    const char *folder;
    json_t *lines; // of the log, by "k" or "l" and the key
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    char device_name[NAME_MOST], driver[NAME_MOST];
    bool is_trial;  // of other options: with a text that takes them, and a zone behind each buffer
    char why[2048]; // "": nothing went wrong
};

struct replay_memory {
    cl_mem memory, parent;
    size_t bytes, origin, zone;
    unsigned char *before, *after, *now; // before and after may be one
    unsigned char *first;                // what the first replay gave, if it was not `after`
    bool is_changed, is_as_before;       // as_before: in the device's memory, too
    double deviation, spread, rms;
};

static bool replay_fail(struct replay *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool replay_fail(struct replay *r, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*r->why)
        vsnprintf(r->why, sizeof r->why, format, list);
    va_end(list);
    return false;
}

static bool call_ok(struct replay *r, cl_int status, const char *what)
{
    return status == CL_SUCCESS || replay_fail(r, "%s: error %d", what, (int)status);
}

static const char *text_of(json_t *o, const char *key)
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
                 text_of(o, is_launch ? "launch" : "kernel"));
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
static unsigned char *read_content(struct replay *r, const char *digest, size_t *length)
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

// ---- the device --------------------------------------------------------------------------------

static bool open_loader(struct replay *r)
{
    void *loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader)
        return replay_fail(r, "no libOpenCL.so.1: %s", dlerror());
#define X(name)                                                                                    \
    {                                                                                              \
        void *at = dlsym(loader, #name);                                                           \
        memcpy((void *)&cl.name, &at, sizeof at);                                                  \
    }
    REPLAY_FUNCTIONS(X)
#undef X
    return cl.clGetPlatformIDs != NULL || replay_fail(r, "libOpenCL.so.1 has no clGetPlatformIDs");
}

static bool is_device(cl_device_id d, const char *name, const char *driver)
{
    char own[NAME_MOST] = "", version[NAME_MOST] = "";
    cl.clGetDeviceInfo(d, CL_DEVICE_NAME, sizeof own, own, NULL);
    cl.clGetDeviceInfo(d, CL_DRIVER_VERSION, sizeof version, version, NULL);
    return strcmp(own, name) == 0 && strcmp(version, driver) == 0;
}

static bool find_device(struct replay *r, const char *name, const char *driver)
{
    cl_platform_id platforms[32];
    cl_device_id devices[64];
    cl_uint platform_count = 0, count = 0;
    cl.clGetPlatformIDs(32, platforms, &platform_count);
    for (cl_uint p = 0; p < platform_count && p < 32; p++) {
        if (cl.clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &count) != CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < count && d < 64; d++) {
            if (is_device(devices[d], name, driver)) {
                r->device = devices[d];
                return true;
            }
        }
    }
    return replay_fail(r, "the device of the capture is not here: %s, driver %s", name, driver);
}

static bool open_device(struct replay *r, json_t *launch)
{
    cl_int e = CL_SUCCESS;
    if (r->context)
        return (strcmp(r->device_name, text_of(launch, "device")) == 0 &&
                strcmp(r->driver, text_of(launch, "driver")) == 0) ||
               replay_fail(r, "the kernel ran on several devices");
    snprintf(r->device_name, sizeof r->device_name, "%s", text_of(launch, "device"));
    snprintf(r->driver, sizeof r->driver, "%s", text_of(launch, "driver"));
    if (!open_loader(r) || !find_device(r, r->device_name, r->driver))
        return false;
    r->context = cl.clCreateContext(NULL, 1, &r->device, NULL, NULL, &e);
    if (!call_ok(r, e, "clCreateContext"))
        return false;
    r->queue = cl.clCreateCommandQueue(r->context, r->device, 0, &e);
    return call_ok(r, e, "clCreateCommandQueue");
}

// ---- the program -------------------------------------------------------------------------------

static cl_program make_program(struct replay *r, const char *digest)
{
    size_t length = 0;
    cl_int e = CL_SUCCESS;
    char *text = (char *)read_content(r, digest, &length);
    if (text && r->is_trial) {
        char *guarded = capture_guard_text(text);
        free(text);
        text = guarded;
        length = text ? strlen(text) : 0;
    }
    cl_program p =
        text ? cl.clCreateProgramWithSource(r->context, 1, (const char **)&text, &length, &e)
             : NULL;
    free(text);
    if (text)
        call_ok(r, e, "clCreateProgramWithSource");
    return p;
}

static bool compile_part(struct replay *r, json_t *part, const char *options, cl_program *out)
{
    cl_program headers[64];
    const char *names[64];
    json_t *list = json_object_get(part, "headers");
    cl_uint count = 0;
    bool ok = json_array_size(list) <= 64 || replay_fail(r, "more than 64 headers");
    for (; ok && count < json_array_size(list); count++) {
        json_t *header = json_array_get(list, count);
        const char *name = json_string_value(json_array_get(header, 0));
        const char *digest = json_string_value(json_array_get(header, 1));
        names[count] = name ? name : "";
        headers[count] = make_program(r, digest ? digest : "");
        ok = headers[count] != NULL;
    }
    *out = ok ? make_program(r, text_of(part, "source")) : NULL;
    ok = *out &&
         call_ok(r,
                 cl.clCompileProgram(*out, 1, &r->device, options, count, count ? headers : NULL,
                                     count ? names : NULL, NULL, NULL),
                 "clCompileProgram");
    for (cl_uint i = 0; i < count; i++) {
        if (headers[i])
            cl.clReleaseProgram(headers[i]);
    }
    return ok;
}

static cl_program link_program(struct replay *r, json_t *kernel, const char *options)
{
    json_t *parts = json_object_get(kernel, "parts");
    cl_program list[64], linked = NULL;
    cl_int e = CL_SUCCESS;
    cl_uint count = 0;
    bool ok = json_array_size(parts) <= 64 || replay_fail(r, "more than 64 programs linked");
    for (; ok && count < json_array_size(parts); count++) {
        json_t *part = json_array_get(parts, count);
        ok = compile_part(r, part, options ? options : text_of(part, "options"), &list[count]);
    }
    if (ok) {
        linked = cl.clLinkProgram(r->context, 1, &r->device, text_of(kernel, "options"), count,
                                  list, NULL, NULL, &e);
        call_ok(r, e, "clLinkProgram");
    }
    for (cl_uint i = 0; i < count; i++) {
        if (list[i])
            cl.clReleaseProgram(list[i]);
    }
    return linked;
}

static cl_kernel build_kernel(struct replay *r, json_t *kernel, const char *options)
{
    json_t *parts = json_object_get(kernel, "parts");
    cl_int e = CL_SUCCESS;
    cl_program p;
    if (json_is_string(json_object_get(kernel, "without"))) {
        replay_fail(r, "its program was made from a %s", text_of(kernel, "without"));
        return NULL;
    }
    if (json_is_true(json_object_get(kernel, "linked")))
        p = link_program(r, kernel, options);
    else {
        p = make_program(r, text_of(json_array_get(parts, 0), "source"));
        if (p &&
            !call_ok(r,
                     cl.clBuildProgram(p, 1, &r->device,
                                       options ? options : text_of(kernel, "options"), NULL, NULL),
                     "clBuildProgram")) {
            cl.clReleaseProgram(p);
            p = NULL;
        }
    }
    if (!p)
        return NULL;
    cl_kernel k = cl.clCreateKernel(p, text_of(kernel, "name"), &e);
    cl.clReleaseProgram(p);
    call_ok(r, e, "clCreateKernel");
    return k;
}

// ---- arguments ---------------------------------------------------------------------------------

static bool set_value(struct replay *r, cl_kernel k, cl_uint at, json_t *a)
{
    unsigned char bytes[4096];
    const char *hex = text_of(a, "hex");
    const size_t length = strlen(hex) / 2;
    if (length > sizeof bytes)
        return replay_fail(r, "argument %u is larger than 4096 bytes", (unsigned)at);
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        if (sscanf(hex + 2 * i, "%2x", &value) != 1)
            return replay_fail(r, "the log has no value for argument %u", (unsigned)at);
        bytes[i] = (unsigned char)value;
    }
    return call_ok(r, cl.clSetKernelArg(k, at, length, bytes), "clSetKernelArg");
}

static bool load_memory(struct replay *r, struct replay_memory *m, json_t *a)
{
    size_t before = 0, after = 0;
    const json_int_t bytes = json_integer_value(json_object_get(a, "bytes"));
    const json_int_t origin = json_integer_value(json_object_get(a, "origin"));
    m->is_changed = strcmp(text_of(a, "before"), text_of(a, "after")) != 0;
    m->before = read_content(r, text_of(a, "before"), &before);
    after = before;
    m->after =
        m->before && m->is_changed ? read_content(r, text_of(a, "after"), &after) : m->before;
    m->bytes = before;
    m->origin = origin > 0 ? (size_t)origin : 0;
    m->now = malloc(before + 1);
    if (m->before && m->after && !m->now)
        return replay_fail(r, "no memory for a copy of %zu bytes", before);
    return m->after && ((bytes >= 0 && before == (size_t)bytes && after == before) ||
                        replay_fail(r, "the log and its data differ in size"));
}

// Arguments that share memory get it from one buffer.
static bool share_memory(struct replay *r, struct replay_memory *list, cl_uint at, cl_uint with)
{
    struct replay_memory *m = &list[at], *o = &list[with];
    const cl_buffer_region region = {m->origin - o->origin, m->bytes};
    cl_int e = CL_SUCCESS;
    if (!o->memory || m->origin < o->origin || region.origin + m->bytes > o->bytes)
        return replay_fail(r, "arguments %u and %u overlap in part", (unsigned)with, (unsigned)at);
    if (region.origin == 0 && m->bytes == o->bytes) {
        m->parent = o->memory; // not its own
        m->memory = o->memory;
        return true;
    }
    m->memory = cl.clCreateSubBuffer(o->memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &e);
    return call_ok(r, e, "clCreateSubBuffer");
}

static bool set_argument(struct replay *r, cl_kernel k, cl_uint at, json_t *a,
                         struct replay_memory *list)
{
    const char *kind = text_of(a, "kind");
    struct replay_memory *m = &list[at];
    cl_int e = CL_SUCCESS;
    json_t *same = json_object_get(a, "same");
    if (strcmp(kind, "value") == 0)
        return set_value(r, k, at, a);
    if (strcmp(kind, "local") == 0) {
        const json_int_t bytes = json_integer_value(json_object_get(a, "bytes"));
        return call_ok(r, cl.clSetKernelArg(k, at, bytes > 0 ? (size_t)bytes : 0, NULL),
                       "clSetKernelArg");
    }
    if (strcmp(kind, "null") == 0)
        return call_ok(r, cl.clSetKernelArg(k, at, sizeof m->memory, NULL), "clSetKernelArg");
    if (!load_memory(r, m, a))
        return false;
    if (same) {
        const json_int_t with = json_integer_value(same);
        if (with < 0 || with >= at)
            return replay_fail(r, "the log names no earlier argument");
        if (!share_memory(r, list, at, (cl_uint)with))
            return false;
    } else {
        m->zone = r->is_trial || !m->bytes ? ZONE : 0;
        m->memory = cl.clCreateBuffer(r->context, CL_MEM_READ_WRITE, m->bytes + m->zone, NULL, &e);
        if (!call_ok(r, e, "clCreateBuffer"))
            return false;
    }
    return call_ok(r, cl.clSetKernelArg(k, at, sizeof m->memory, &m->memory), "clSetKernelArg");
}

// ---- comparing ---------------------------------------------------------------------------------

enum element { ELEMENT_BYTE, ELEMENT_FLOAT, ELEMENT_DOUBLE, ELEMENT_INT };

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

static double root_mean_square(enum element e, const unsigned char *a, size_t bytes)
{
    double sum = 0;
    const size_t count = bytes / element_size(e);
    for (size_t i = 0; i < count; i++) {
        const double x = element_at(e, a, i);
        sum += isfinite(x) ? x * x : 0;
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
    const double scale = root_mean_square(e, m->after, m->bytes);
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
    return m->zone == 0 || call_ok(r,
                                   cl.clEnqueueWriteBuffer(r->queue, m->memory, CL_TRUE, m->bytes,
                                                           m->zone, zone, 0, NULL, NULL),
                                   "clEnqueueWriteBuffer");
}

static bool check_zone(struct replay *r, const struct replay_memory *m, cl_uint argument)
{
    unsigned char zone[ZONE];
    bool ok = m->zone == 0 || call_ok(r,
                                      cl.clEnqueueReadBuffer(r->queue, m->memory, CL_TRUE, m->bytes,
                                                             m->zone, zone, 0, NULL, NULL),
                                      "clEnqueueReadBuffer");
    for (size_t i = 0; ok && i < m->zone; i++)
        ok = zone[i] == ZONE_BYTE ||
             replay_fail(r, "it writes past the end of argument %u", (unsigned)argument);
    return ok;
}

static bool launch_once(struct replay *r, cl_kernel k, json_t *launch, json_t *request,
                        struct replay_memory *list, cl_uint count)
{
    size_t global[3], local[3], offset[3];
    json_t *own_global = json_object_get(request, "global");
    json_t *own_local = json_object_get(request, "local");
    cl_uint dimensions = (cl_uint)json_integer_value(json_object_get(launch, "dimensions"));
    bool ok = (dimensions >= 1 && dimensions <= 3) || replay_fail(r, "the log has no geometry");
    sizes_of(own_global ? own_global : json_object_get(launch, "global"), global);
    const bool has_local =
        sizes_of(own_local ? own_local : json_object_get(launch, "local"), local);
    const bool has_offset = sizes_of(json_object_get(launch, "offset"), offset);
    for (cl_uint i = 0; ok && i < count; i++) {
        if (list[i].memory && !list[i].is_as_before)
            ok = call_ok(r,
                         cl.clEnqueueWriteBuffer(r->queue, list[i].memory, CL_TRUE, 0,
                                                 list[i].bytes, list[i].before, 0, NULL, NULL),
                         "clEnqueueWriteBuffer") &&
                 write_zone(r, &list[i]);
    }
    ok =
        ok && call_ok(r,
                      cl.clEnqueueNDRangeKernel(r->queue, k, dimensions, has_offset ? offset : NULL,
                                                global, has_local ? local : NULL, 0, NULL, NULL),
                      "clEnqueueNDRangeKernel");
    ok = ok && call_ok(r, cl.clFinish(r->queue), "clFinish");
    for (cl_uint i = 0; ok && i < count; i++) {
        if (list[i].memory)
            ok = call_ok(r,
                         cl.clEnqueueReadBuffer(r->queue, list[i].memory, CL_TRUE, 0, list[i].bytes,
                                                list[i].now, 0, NULL, NULL),
                         "clEnqueueReadBuffer") &&
                 check_zone(r, &list[i], i);
    }
    return ok;
}

static void answer_result(struct replay *r, const struct replay_memory *list, cl_uint count,
                          json_int_t exact, json_int_t times)
{
    double deviation = 0, spread = 0;
    json_t *arguments = json_array();
    for (cl_uint i = 0; i < count; i++) {
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

static void answer_request(struct replay *r, json_t *request)
{
    struct replay_memory *list = calloc(ARGUMENTS_MOST, sizeof *list);
    json_t *launch = line_of(r, 'l', text_of(request, "launch"));
    json_t *kernel = launch ? line_of(r, 'k', text_of(launch, "of")) : NULL;
    json_t *arguments = json_object_get(launch, "arguments");
    json_t *types = json_object_get(kernel, "arguments");
    const json_int_t times = json_integer_value(json_object_get(request, "times"));
    const cl_uint count = (cl_uint)json_array_size(arguments);
    json_int_t exact = 0;
    *r->why = 0;
    r->is_trial = json_string_value(json_object_get(request, "options")) != NULL;
    bool ok =
        (kernel && list && count <= ARGUMENTS_MOST) || replay_fail(r, "the log has no such launch");
    ok = ok && open_device(r, launch);
    cl_kernel k =
        ok ? build_kernel(r, kernel, json_string_value(json_object_get(request, "options"))) : NULL;
    ok = k != NULL;
    for (cl_uint i = 0; ok && i < count; i++)
        ok = set_argument(r, k, i, json_array_get(arguments, i), list);
    for (json_int_t t = 0; ok && t < times; t++) {
        bool is_exact = true;
        ok = launch_once(r, k, launch, request, list, count);
        for (cl_uint i = 0; ok && i < count; i++) {
            if (list[i].memory)
                is_exact &= compare_memory(
                    r, &list[i], element_of(text_of(json_array_get(types, i), "type")), t == 0);
        }
        exact += is_exact;
        ok = ok && !*r->why;
    }
    answer_result(r, list, ok ? count : 0, exact, times);
    for (cl_uint i = count < ARGUMENTS_MOST ? count : ARGUMENTS_MOST; list && i-- > 0;) {
        if (list[i].memory && !list[i].parent)
            cl.clReleaseMemObject(list[i].memory);
        if (list[i].after != list[i].before)
            free(list[i].after);
        free(list[i].before), free(list[i].first), free(list[i].now);
    }
    if (k)
        cl.clReleaseKernel(k);
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
