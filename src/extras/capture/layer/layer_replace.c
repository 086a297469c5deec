// `hone with`: launches of kernels that a table has run as the tuned program, everything else as the program's own kernel. A table
// (extras/deploy/deploy_program.c) names the program's text and options by their digest, the kernel, the device, the kinds of the
// arguments and the geometry of each captured launch, followed by a table that libhone-known reads. Its text is the program's own,
// built again with other options beside the program's build.
#include "extras/capture/capture_guard.h"
#include "extras/capture/layer/layer.h"

#include "known/known_program.h"

#include <hone_known.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_MOST = 256 << 20,
    COLUMNS_MOST = 16,
    CASES_MOST = 4096,
    DECISIONS = 8,
    OPTIONS_MOST = 16384
};

struct launch_case { // a captured launch
    size_t global[3], local[3];
    int64_t columns[COLUMNS_MOST];
};

struct tuned_argument {
    char kind; // v: a value, b: a buffer, l: local memory, N: NULL
    size_t bytes;
};

struct tuned_table {
    struct tuned_table *next;
    char *program, *kernel, *device, *driver;
    uint32_t dimensions, argument_count, column_count, case_count;
    bool has_local;
    struct tuned_argument *arguments;
    struct {
        char from; // s: a scalar, g: the global size
        uint32_t at;
    } columns[COLUMNS_MOST];
    struct launch_case *cases;
    hone_known *known;
    atomic_bool is_wrong; // --verify found a difference
};

struct tuned_build { // of one table with one set of options, in one context
    struct tuned_build *next;
    const struct tuned_table *table;
    cl_context context;
    char *options;
    cl_program program; // NULL: it does not build
};

struct decision {
    bool is_made;
    int64_t columns[COLUMNS_MOST];
    size_t asked_global[3], asked_local[3];
    enum replace_reason reason;
    cl_kernel kernel;
    size_t global[3], local[3];
    bool has_local;
};

struct layer_replacement {
    struct tuned_table *table;
    cl_context context;
    cl_device_id device;
    char *text;
    size_t length;
    pthread_mutex_t lock;
    struct decision decisions[DECISIONS];
    uint32_t next; // decision that is overwritten
    uint64_t replaced;
};

static struct tuned_table *tables;
static pthread_mutex_t builds_lock = PTHREAD_MUTEX_INITIALIZER;
static struct tuned_build *builds;

// ---- reading -----------------------------------------------------------------------------------

struct table_reader {
    const char *at, *end;
    bool failed;
};

// The rest of the line behind `key`, a copy; NULL: the line is another.
static char *take_line(struct table_reader *r, const char *key)
{
    const size_t length = strlen(key);
    const char *line = r->at,
               *end = line < r->end ? memchr(line, '\n', (size_t)(r->end - line)) : NULL;
    if (r->failed || !end || (size_t)(end - line) < length || memcmp(line, key, length) != 0) {
        r->failed = true;
        return NULL;
    }
    char *copy = strndup(line + length, (size_t)(end - line) - length);
    r->at = end + 1;
    r->failed = !copy;
    return copy;
}

static uint64_t take_number(struct table_reader *r, char **at, uint64_t most)
{
    char *end;
    const uint64_t value = *at && **at != '-' ? strtoull(*at, &end, 10) : 0;
    if (!*at || **at == '-' || end == *at || value > most) {
        r->failed = true;
        return 0;
    }
    *at = end;
    return value;
}

static void read_arguments(struct table_reader *r, struct tuned_table *t)
{
    char *line = take_line(r, "arguments "), *at = line;
    t->argument_count = (uint32_t)take_number(r, &at, LAYER_ARGUMENTS);
    t->arguments = calloc(t->argument_count + 1, sizeof *t->arguments);
    r->failed = r->failed || !t->arguments;
    for (uint32_t i = 0; !r->failed && i < t->argument_count; i++) {
        at += *at == ' ';
        t->arguments[i].kind = *at;
        r->failed = !*at || !strchr("vblN", *at);
        if (!r->failed)
            at++;
        t->arguments[i].bytes = take_number(r, &at, 1 << 20);
    }
    free(line);
    line = at = take_line(r, "columns ");
    t->column_count = (uint32_t)take_number(r, &at, COLUMNS_MOST);
    for (uint32_t i = 0; !r->failed && i < t->column_count; i++) {
        at += *at == ' ';
        t->columns[i].from = *at;
        at += *at != 0;
        t->columns[i].at = (uint32_t)take_number(r, &at, LAYER_ARGUMENTS - 1);
        r->failed = r->failed ||
                    (t->columns[i].from == 'g'   ? t->columns[i].at >= t->dimensions
                     : t->columns[i].from == 's' ? t->columns[i].at >= t->argument_count ||
                                                       t->arguments[t->columns[i].at].kind != 'v' ||
                                                       t->arguments[t->columns[i].at].bytes > 8
                                                 : true);
    }
    free(line);
}

static void read_cases(struct table_reader *r, struct tuned_table *t)
{
    char *line = take_line(r, "launches "), *at = line;
    t->case_count = (uint32_t)take_number(r, &at, CASES_MOST);
    free(line);
    t->cases = calloc(t->case_count + 1, sizeof *t->cases);
    r->failed = r->failed || !t->cases;
    for (uint32_t i = 0; !r->failed && i < t->case_count; i++) {
        line = at = take_line(r, "");
        for (int a = 0; a < 3; a++)
            t->cases[i].global[a] = take_number(r, &at, SIZE_MAX);
        for (int a = 0; a < 3; a++)
            t->cases[i].local[a] = take_number(r, &at, SIZE_MAX);
        for (uint32_t c = 0; c < t->column_count; c++)
            t->cases[i].columns[c] = (int64_t)take_number(r, &at, INT64_MAX);
        free(line);
    }
}

static void free_table(struct tuned_table *t)
{
    free(t->program), free(t->kernel), free(t->device), free(t->driver);
    free(t->arguments), free(t->cases);
    hone_known_close(t->known);
    free(t);
}

static void read_known(struct table_reader *r, struct tuned_table *t)
{
    const char *const *columns;
    char *line = take_line(r, "table "), *at = line;
    const uint64_t length = take_number(r, &at, FILE_MOST);
    free(line);
    if (r->failed || length > (uint64_t)(r->end - r->at)) {
        r->failed = true;
        return;
    }
    t->known = hone_known_read(r->at, length, NULL, 0);
    r->at += length;
    r->failed = !t->known || hone_known_columns(t->known, &columns) != t->column_count;
}

static struct tuned_table *read_table(struct table_reader *r)
{
    struct tuned_table *t = calloc(1, sizeof *t);
    char *line = t ? take_line(r, "kernel ") : NULL, *at;
    r->failed = r->failed || !t || strlen(line) < 66 || line[64] != ' ';
    if (!r->failed) {
        t->program = strndup(line, 64);
        t->kernel = strdup(line + 65);
        r->failed = !t->program || !t->kernel;
    }
    free(line);
    if (!r->failed) {
        t->device = take_line(r, "device ");
        t->driver = take_line(r, "driver ");
        line = at = take_line(r, "dimensions ");
        t->dimensions = (uint32_t)take_number(r, &at, 3);
        r->failed = r->failed || t->dimensions < 1;
        t->has_local = line && strstr(line, "local 1");
        free(line);
    }
    if (!r->failed)
        read_arguments(r, t);
    if (!r->failed)
        read_cases(r, t);
    if (!r->failed)
        read_known(r, t);
    if (r->failed && t) {
        free_table(t);
        t = NULL;
    }
    return t;
}

static char *read_whole(const char *path, size_t *length)
{
    FILE *f = fopen(path, "re");
    char *bytes = NULL;
    size_t room = 0;
    *length = 0;
    while (f && *length < FILE_MOST) {
        char *more = *length == room ? realloc(bytes, (room = room ? 2 * room : 65536) + 1) : bytes;
        const size_t got = more ? fread(more + *length, 1, room - *length, f) : 0;
        bytes = more ? more : bytes;
        *length += got;
        if (!got)
            break;
    }
    if (f)
        fclose(f);
    return bytes;
}

// The whole file, whose last line is a checksum of all before it.
static void read_tables(const char *path)
{
    static const char first[] = "hone-program 1\n";
    size_t length;
    char *bytes = read_whole(path, &length), sum[64];
    const size_t last = 26; // "checksum " and 16 digits and a line end
    if (bytes && length > sizeof first + last && memcmp(bytes, first, sizeof first - 1) == 0) {
        snprintf(sum, sizeof sum, "checksum %016llx\n",
                 (unsigned long long)known_checksum(bytes, length - last));
        struct table_reader r = {bytes + sizeof first - 1, bytes + length - last,
                                 memcmp(bytes + length - last, sum, last) != 0};
        while (!r.failed && r.at < r.end) {
            struct tuned_table *t = read_table(&r);
            if (!t)
                break;
            t->next = tables;
            tables = t;
        }
    }
    free(bytes);
}

void layer_replace_open(const char *files)
{
    char *list = strdup(files), *rest = list;
    for (char *path; list && (path = strsep(&rest, "\n"));) {
        if (*path)
            read_tables(path);
    }
    free(list);
}

// ---- building ----------------------------------------------------------------------------------

// The options of a configuration without what only the table's columns are for.
static bool take_options(const struct tuned_table *t, const hone_known_device *d,
                         uint32_t configuration, const int64_t *shape, char out[OPTIONS_MOST])
{
    static const char information[] = " -cl-kernel-arg-info"; // --verify asks for types
    const char *const *names;
    const size_t length =
        hone_known_options(t->known, d, configuration, shape, out, OPTIONS_MOST - 32);
    const uint32_t count = hone_known_columns(t->known, &names);
    if (length == 0 || length >= OPTIONS_MOST - 32)
        return false;
    for (uint32_t c = 0; c < count; c++) {
        const size_t own = strlen(names[c]);
        for (char *at = out; (at = strstr(at, "-D"));) {
            char *end = at + strcspn(at, " ");
            if (strncmp(at + 2, names[c], own) == 0 && at[2 + own] == '=')
                memmove(at, end, strlen(end) + 1);
            else
                at = end;
        }
    }
    strcat(out, information);
    return true;
}

// The program of these options, built once in each context. The lock is held while it is built: another thread needs it, too.
static cl_program find_build(const struct layer_replacement *r, const char *options)
{
    pthread_mutex_lock(&builds_lock);
    struct tuned_build *b = builds;
    while (b &&
           !(b->table == r->table && b->context == r->context && strcmp(b->options, options) == 0))
        b = b->next;
    if (!b && (b = calloc(1, sizeof *b)) != NULL) {
        b->table = r->table;
        b->context = r->context;
        b->options = strdup(options);
        b->program = b->options ? layer_next.clCreateProgramWithSource(
                                      r->context, 1, (const char **)&r->text, &r->length, NULL)
                                : NULL;
        if (b->program &&
            layer_next.clBuildProgram(b->program, 1, &r->device, options, NULL, NULL) != CL_SUCCESS)
            b->program = NULL;
        if (b->options) {
            b->next = builds;
            builds = b;
        } else {
            free(b);
            b = NULL;
        }
    }
    cl_program found = b ? b->program : NULL;
    pthread_mutex_unlock(&builds_lock);
    return found;
}

// Looks up what is launched for these columns.
static void decide(const struct layer_replacement *r, struct decision *d)
{
    const struct tuned_table *t = r->table;
    const hone_known_device device = {.name = t->device};
    char options[OPTIONS_MOST];
    hone_known_launch launch;
    uint32_t configuration;
    d->is_made = true;
    d->kernel = NULL;
    d->reason = REPLACE_SIZE;
    if (hone_known_best(t->known, &device, d->columns, t->column_count, &configuration) != 1 ||
        hone_known_launches(t->known, configuration) != 1 ||
        hone_known_geometry(t->known, &device, configuration, 0, d->columns, &launch) != 1 ||
        !take_options(t, &device, configuration, d->columns, options))
        return;
    d->reason = REPLACE_BUILD;
    cl_program program = find_build(r, options);
    d->kernel = program ? layer_next.clCreateKernel(program, t->kernel, NULL) : NULL;
    if (!d->kernel)
        return;
    for (int a = 0; a < 3; a++) {
        d->global[a] = launch.global[a];
        d->local[a] = launch.local[a];
    }
    d->has_local = launch.has_local;
    d->reason = launch.dimensions == t->dimensions ? REPLACE_NONE : REPLACE_GEOMETRY;
}

// ---- a kernel ----------------------------------------------------------------------------------

static bool device_is(cl_device_id device, const struct tuned_table *t)
{
    char name[1024] = "", driver[1024] = "";
    layer_next.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    layer_next.clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    return strcmp(name, t->device) == 0 && strcmp(driver, t->driver) == 0;
}

static cl_device_id find_device(cl_program program, const struct tuned_table *t)
{
    cl_device_id devices[64];
    size_t size = 0;
    if (layer_next.clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices, devices, &size) !=
        CL_SUCCESS)
        return NULL;
    for (size_t i = 0; i < size / sizeof *devices; i++) {
        if (device_is(devices[i], t))
            return devices[i];
    }
    return NULL;
}

static struct layer_replacement *new_replacement(struct tuned_table *t, cl_program program,
                                                 cl_device_id device)
{
    struct layer_replacement *r = calloc(1, sizeof *r);
    struct layer_program *p = r ? layer_lock(&layer_objects.programs, program) : NULL;
    if (p) {
        const bool has_text = p->part_count == 1 && !p->is_linked;
        r->text = has_text ? capture_guard_text(p->parts->text) : NULL;
        layer_unlock(&layer_objects.programs);
    }
    if (!r || !r->text ||
        layer_next.clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof r->context, &r->context,
                                    NULL) != CL_SUCCESS) {
        layer_replace_release(r);
        return NULL;
    }
    r->length = strlen(r->text);
    r->table = t;
    r->device = device;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

struct layer_replacement *layer_replace_prepare(cl_program program, const char *digest,
                                                const char *name)
{
    for (struct tuned_table *t = tables; t; t = t->next) {
        if (strcmp(t->program, digest) != 0 || strcmp(t->kernel, name) != 0)
            continue;
        cl_device_id device = find_device(program, t);
        struct layer_replacement *r = device ? new_replacement(t, program, device) : NULL;
        // Programs are built now, as the program builds its own; decisions for more shapes are made at their launch.
        for (uint32_t i = 0; r && i < t->case_count && i < DECISIONS; i++) {
            struct decision *d = &r->decisions[i];
            memcpy(d->columns, t->cases[i].columns, sizeof d->columns);
            memcpy(d->asked_global, t->cases[i].global, sizeof d->asked_global);
            memcpy(d->asked_local, t->cases[i].local, sizeof d->asked_local);
            decide(r, d);
        }
        return r;
    }
    return NULL;
}

void layer_replace_release(struct layer_replacement *r)
{
    for (uint32_t i = 0; r && i < DECISIONS; i++) {
        if (r->decisions[i].kernel)
            layer_next.clReleaseKernel(r->decisions[i].kernel);
    }
    if (r)
        free(r->text);
    free(r);
}

// ---- a launch ----------------------------------------------------------------------------------

// Is the launch as one that was captured, with arguments of the same kinds? Fills in the columns.
static enum replace_reason match_launch(const struct tuned_table *t, const struct layer_kernel *k,
                                        const struct layer_launch *l, struct decision *d)
{
    bool found = false;
    if (k->argument_count != t->argument_count || k->is_indirect)
        return REPLACE_ARGUMENTS;
    for (uint32_t i = 0; i < t->argument_count; i++) {
        const struct layer_argument *a = &k->arguments[i];
        const char kind = t->arguments[i].kind;
        const bool is_same =
            kind == 'v' ? a->kind == LAYER_VALUE && a->size == t->arguments[i].bytes
            : kind == 'b'
                ? (a->kind == LAYER_VALUE && a->size == sizeof(cl_mem)) || a->kind == LAYER_SVM
            : kind == 'l' ? a->kind == LAYER_LOCAL
                          : a->kind == LAYER_VALUE || a->kind == LAYER_LOCAL;
        if (!is_same)
            return REPLACE_ARGUMENTS;
    }
    if (l->dimensions != t->dimensions || (l->local != NULL) != t->has_local || !l->global)
        return REPLACE_GEOMETRY;
    memset(d, 0, sizeof *d);
    for (uint32_t a = 0; a < 3; a++) {
        d->asked_global[a] = a < l->dimensions ? l->global[a] : 1;
        d->asked_local[a] = l->local && a < l->dimensions ? l->local[a] : l->local ? 1 : 0;
        if (a < l->dimensions && l->offset && l->offset[a])
            return REPLACE_GEOMETRY;
    }
    for (uint32_t c = 0; c < t->column_count; c++) {
        const uint32_t at = t->columns[c].at;
        if (t->columns[c].from == 'g')
            d->columns[c] = (int64_t)d->asked_global[at];
        else
            memcpy(&d->columns[c], layer_bytes(&k->arguments[at]), t->arguments[at].bytes);
        if (t->columns[c].from == 's' && t->arguments[at].bytes == 4)
            d->columns[c] =
                (int32_t)
                    d->columns[c]; // columns are positive: a larger unsigned one is not as captured
        if (d->columns[c] < 1)
            return REPLACE_GEOMETRY;
    }
    for (uint32_t i = 0; !found && i < t->case_count; i++) {
        const struct launch_case *x = &t->cases[i];
        found =
            memcmp(x->global, d->asked_global, sizeof x->global) == 0 &&
            (!l->local || memcmp(x->local, d->asked_local, t->dimensions * sizeof *x->local) == 0);
    }
    return found ? REPLACE_NONE : REPLACE_GEOMETRY;
}

// With the replacement locked.
static struct decision *find_decision(struct layer_replacement *r, const struct decision *like)
{
    for (uint32_t i = 0; i < DECISIONS; i++) {
        struct decision *d = &r->decisions[i];
        if (d->is_made &&
            memcmp(d->columns, like->columns, r->table->column_count * sizeof *d->columns) == 0 &&
            memcmp(d->asked_global, like->asked_global, sizeof d->asked_global) == 0 &&
            (!r->table->has_local || memcmp(d->asked_local, like->asked_local,
                                            r->table->dimensions * sizeof *d->asked_local) == 0))
            return d;
    }
    struct decision *d = &r->decisions[r->next++ % DECISIONS];
    if (d->kernel)
        layer_next.clReleaseKernel(d->kernel);
    *d = *like;
    decide(r, d);
    return d;
}

static cl_int set_arguments(cl_kernel kernel, const struct layer_kernel *k, const cl_mem *copies)
{
    cl_int status = CL_SUCCESS;
    for (uint32_t i = 0; status == CL_SUCCESS && i < k->argument_count; i++) {
        const struct layer_argument *a = &k->arguments[i];
        const void *pointer;
        if (copies && copies[i])
            status = layer_next.clSetKernelArg(kernel, i, sizeof copies[i], &copies[i]);
        else if (a->kind == LAYER_SVM) {
            memcpy(&pointer, layer_bytes(a), sizeof pointer);
            status = layer_next.clSetKernelArgSVMPointer(kernel, i, pointer);
        } else
            status = layer_next.clSetKernelArg(kernel, i, a->size,
                                               a->kind == LAYER_LOCAL ? NULL : layer_bytes(a));
    }
    return status;
}

static cl_int enqueue_tuned(const struct layer_launch *l, const struct decision *d,
                            bool is_verified)
{
    return layer_next.clEnqueueNDRangeKernel(
        l->queue, d->kernel, l->dimensions, NULL, d->global, d->has_local ? d->local : NULL,
        is_verified ? 0 : l->wait_count, is_verified ? NULL : l->wait,
        is_verified ? NULL : l->event);
}

// ---- --verify ----------------------------------------------------------------------------------

struct verifying {
    cl_mem originals[LAYER_ARGUMENTS], copies[LAYER_ARGUMENTS];
    size_t sizes[LAYER_ARGUMENTS];
    bool is_float[LAYER_ARGUMENTS];
    uint32_t count;
};

// A copy of each buffer; arguments that are one buffer have one copy.
static bool copy_buffers(struct verifying *v, const struct layer_launch *l,
                         const struct layer_kernel *k, const struct decision *d, cl_context context)
{
    v->count = k->argument_count;
    for (uint32_t i = 0; i < v->count; i++) {
        const struct layer_argument *a = &k->arguments[i];
        char type[32] = "";
        cl_mem handle = NULL;
        cl_int e = CL_SUCCESS;
        if (a->kind == LAYER_SVM)
            return false;
        if (a->kind != LAYER_VALUE || a->size != sizeof handle)
            continue;
        memcpy(&handle, layer_bytes(a), sizeof handle);
        const struct layer_memory *m = layer_lock(&layer_objects.memories, handle);
        if (!m)
            continue;
        v->sizes[i] = m->is_buffer ? m->size : 0;
        layer_unlock(&layer_objects.memories);
        v->originals[i] = handle;
        for (uint32_t o = 0; o < i; o++)
            v->copies[i] = v->originals[o] == handle ? v->copies[o] : v->copies[i];
        layer_next.clGetKernelArgInfo(d->kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type,
                                      NULL);
        v->is_float[i] = strncmp(type, "float", 5) == 0;
        if (v->copies[i])
            continue;
        v->copies[i] = layer_next.clCreateBuffer(context, CL_MEM_READ_WRITE, v->sizes[i], NULL, &e);
        if (!v->copies[i] ||
            layer_next.clEnqueueCopyBuffer(l->queue, handle, v->copies[i], 0, 0, v->sizes[i], 0,
                                           NULL, NULL) != CL_SUCCESS)
            return false;
    }
    return layer_next.clFinish(l->queue) == CL_SUCCESS;
}

static void release_copies(struct verifying *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        bool is_first = v->copies[i] != NULL;
        for (uint32_t o = 0; o < i; o++)
            is_first = is_first && v->copies[o] != v->copies[i];
        if (is_first)
            layer_next.clReleaseMemObject(v->copies[i]);
    }
}

// As wide as hone's own tolerance for floats; other types agree bit for bit.
static bool agree(const unsigned char *a, const unsigned char *b, size_t bytes, bool is_float)
{
    double sum = 0;
    if (memcmp(a, b, bytes) == 0)
        return true;
    if (!is_float)
        return false;
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        float x;
        memcpy(&x, a + i, 4);
        sum += isfinite(x) ? (double)x * x : 0;
    }
    const double scale = 1e-4 * sqrt(sum / (double)(bytes / 4));
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        float x, y;
        memcpy(&x, a + i, 4);
        memcpy(&y, b + i, 4);
        if (memcmp(a + i, b + i, 4) != 0 &&
            !(fabs((double)x - y) <= scale + 1e-4 * fabs((double)x)))
            return false;
    }
    return true;
}

static bool outputs_agree(const struct verifying *v, const struct layer_launch *l)
{
    bool same = true;
    for (uint32_t i = 0; same && i < v->count; i++) {
        unsigned char *a = v->copies[i] ? malloc(v->sizes[i] + 1) : NULL;
        unsigned char *b = a ? malloc(v->sizes[i] + 1) : NULL;
        if (b &&
            layer_next.clEnqueueReadBuffer(l->queue, v->originals[i], CL_TRUE, 0, v->sizes[i], a, 0,
                                           NULL, NULL) == CL_SUCCESS &&
            layer_next.clEnqueueReadBuffer(l->queue, v->copies[i], CL_TRUE, 0, v->sizes[i], b, 0,
                                           NULL, NULL) == CL_SUCCESS)
            same = agree(a, b, v->sizes[i], v->is_float[i]);
        free(a);
        free(b);
    }
    return same;
}

// The tuned kernel on copies, then the program's own on its buffers: the program gets what it would have got.
static bool verify_launch(struct layer_replacement *r, const struct layer_launch *l,
                          const struct layer_kernel *k, const struct decision *d, cl_int *status)
{
    struct verifying *v = calloc(1, sizeof *v);
    if (!v || atomic_load(&layer_user_events) > 0) {
        free(v);
        return false;
    }
    if (l->wait_count)
        layer_next.clWaitForEvents(l->wait_count, l->wait);
    layer_next.clFinish(l->queue);
    bool ok = copy_buffers(v, l, k, d, r->context) &&
              set_arguments(d->kernel, k, v->copies) == CL_SUCCESS &&
              enqueue_tuned(l, d, true) == CL_SUCCESS &&
              layer_next.clFinish(l->queue) == CL_SUCCESS;
    if (ok) {
        *status = layer_enqueue(l);
        layer_next.clFinish(l->queue);
        atomic_fetch_add(&layer_counts->verified, 1);
        if (*status == CL_SUCCESS && !outputs_agree(v, l)) {
            atomic_fetch_add(&layer_counts->differences, 1);
            atomic_store(&r->table->is_wrong, true);
        }
    }
    release_copies(v);
    free(v);
    return ok;
}

// ---- the whole ---------------------------------------------------------------------------------

static cl_int keep_own(const struct layer_launch *l, enum replace_reason why)
{
    atomic_fetch_add_explicit(&layer_counts->kept[why], 1, memory_order_relaxed);
    return layer_enqueue(l);
}

static bool is_verified_now(const struct layer_replacement *r)
{
    const double p = layer_settings.verify;
    return p > 0 && floor((double)(r->replaced + 1) * p) > floor((double)r->replaced * p);
}

// With the replacement locked, so that two launches of one kernel do not set each other's arguments.
static cl_int launch_tuned(struct layer_replacement *r, const struct layer_launch *l,
                           const struct layer_kernel *k, const struct decision *like)
{
    cl_int status = CL_SUCCESS;
    struct decision *d = find_decision(r, like);
    if (d->reason != REPLACE_NONE)
        return keep_own(l, d->reason);
    const bool is_verified = is_verified_now(r) && verify_launch(r, l, k, d, &status);
    r->replaced++;
    if (is_verified)
        return status;
    status = set_arguments(d->kernel, k, NULL);
    if (status == CL_SUCCESS)
        status = enqueue_tuned(l, d, false);
    if (status != CL_SUCCESS) {
        d->reason = REPLACE_LAUNCH;
        return keep_own(l, REPLACE_LAUNCH);
    }
    atomic_fetch_add_explicit(&layer_counts->replaced, 1, memory_order_relaxed);
    return status;
}

cl_int layer_replace_launch(const struct layer_launch *l)
{
    struct decision like;
    struct layer_kernel *k = layer_lock(&layer_objects.kernels, l->kernel);
    atomic_fetch_add_explicit(&layer_counts->launches, 1, memory_order_relaxed);
    if (!k)
        return keep_own(l, REPLACE_UNKNOWN);
    struct layer_replacement *r = k->replacement;
    enum replace_reason why = !r ? REPLACE_UNKNOWN
                              : atomic_load(&r->table->is_wrong)
                                  ? REPLACE_DIFFERENCE
                                  : match_launch(r->table, k, l, &like);
    // The kernel's arguments are the program's to leave alone during its own launch; the entry stays until it is released.
    layer_unlock(&layer_objects.kernels);
    if (why != REPLACE_NONE)
        return keep_own(l, why);
    pthread_mutex_lock(&r->lock);
    const cl_int status = launch_tuned(r, l, k, &like);
    pthread_mutex_unlock(&r->lock);
    return status;
}
