// Reads a capture's log and counts. A line that is no JSON was cut by a full disk, and is left out; so is a launch of a kernel
// that the log has not. What is kept is whole: every digest is one, every launch has a value for each argument.
#include "extras/capture/capture.h"

#include "base/digest.h"

#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGUMENTS_MOST = 256, VALUES_MOST = 3 * ARGUMENTS_MOST, LINE_MOST = 64 << 20 };

const char *capture_path(struct arena *a, const struct capture *c, const char *name)
{
    return arena_printf(a, "%s/%s", c->folder, name);
}

static const char *get_text(struct arena *a, json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return arena_strdup(a, text ? text : "");
}

static const char *get_digest(struct arena *a, json_t *o, const char *key)
{
    struct digest d;
    const char *text = json_string_value(json_object_get(o, key));
    return text && strlen(text) == 64 && digest_parse(text, &d) ? arena_strdup(a, text) : NULL;
}

static bool get_key(const char *text)
{
    return text && strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
}

bool capture_content(const struct capture *c, const char *digest, struct text *out, struct error *e)
{
    struct digest named, is;
    char path[4096];
    str_format(path, sizeof path, "%s/data/%s.bin", c->folder, digest);
    if (!digest_parse(digest, &named) || !file_read(path, 0, out, e))
        return error_set(e, ERROR_INPUT, "%s is not content of a capture", path);
    digest_of(out->length ? out->data : "", out->length, &is);
    return digest_equal(&named, &is) ||
           error_set(e, ERROR_INPUT, "%s: its content is not that of its name", path);
}

bool capture_changes(const struct capture_launch *l, uint32_t argument_count)
{
    bool any = false;
    for (uint32_t i = 0; i < argument_count; i++)
        any = any || (l->values[i].kind == CAPTURED_BUFFER &&
                      !str_equal(l->values[i].before, l->values[i].after));
    return any;
}

const char *capture_reason_text(uint32_t reason)
{
    static const char *const reasons[] = {
#define X(name, text) text,
        CAPTURE_REASONS(X)
#undef X
    };
    return reason < CAPTURE_REASON_COUNT ? reasons[reason] : "";
}

// ---- kernels -----------------------------------------------------------------------------------

static bool read_program_part(struct arena *a, json_t *o, struct capture_part *out)
{
    json_t *headers = json_object_get(o, "headers");
    *out = (struct capture_part){.source = get_digest(a, o, "source"),
                                 .options = get_text(a, o, "options")};
    out->headers = arena_array(a, json_array_size(headers) + 1, sizeof *out->headers);
    for (size_t i = 0; out->headers && i < json_array_size(headers); i++) {
        json_t *h = json_array_get(headers, i);
        const char *name = json_string_value(json_array_get(h, 0));
        const char *digest = json_string_value(json_array_get(h, 1));
        struct digest d;
        if (!name || !digest || strlen(digest) != 64 || !digest_parse(digest, &d))
            return false;
        out->headers[out->header_count++] =
            (struct capture_header){arena_strdup(a, name), arena_strdup(a, digest)};
    }
    return out->headers != NULL;
}

static void read_argument(struct arena *a, json_t *o, struct capture_argument *out)
{
    const json_int_t address = json_integer_value(json_object_get(o, "address"));
    out->name = get_text(a, o, "name");
    out->type = get_text(a, o, "type");
    out->is_pointer = address == 0x119B || address == 0x119D; // __global, __constant
    out->is_local = address == 0x119A;
}

// "_ZN2at6nativeE..." as "at::native": the names of a mangled function; a name that is not mangled as it is.
static const char *plain_name(struct arena *a, const char *name)
{
    struct text t = TEXT_INIT;
    const char *at = name + 2;
    if (!str_starts(name, "_Z"))
        return arena_strdup(a, name);
    for (at += *at == 'N'; isdigit((unsigned char)*at);) {
        char *end;
        const unsigned long long length = strtoull(at, &end, 10);
        if (length == 0 || length > strlen(end))
            break;
        if (!str_starts(end, "_GLOBAL__")) { // an unnamed namespace
            text_addf(&t, "%s", t.length ? "::" : "");
            text_addn(&t, end, (size_t)length);
        }
        at = end + length;
    }
    return t.length ? text_to_arena(&t, a) : arena_strdup(a, name);
}

const char *capture_last_name(const char *function, size_t *length)
{
    const char *end = function + strcspn(function, "<"), *from = function;
    for (const char *at = from; at + 1 < end; at++)
        from = at[0] == ':' && at[1] == ':' ? at + 2 : from;
    *length = (size_t)(end - from);
    return from;
}

// The words by which the program asked the compiler for it, "scale<float>", or the plain name.
static const char *read_function(struct arena *a, const char *name, json_t *expressions)
{
    size_t i;
    json_t *e;
    json_array_foreach(expressions, i, e)
    {
        const char *words = json_string_value(json_array_get(e, 0));
        const char *lowered = json_string_value(json_array_get(e, 1));
        if (words && lowered && str_equal(lowered, name))
            return arena_strdup(a, *words == '&' ? words + 1 : words);
    }
    return plain_name(a, name);
}

static bool read_kernel(struct arena *a, json_t *o, struct capture_kernel *out)
{
    const char *language = json_string_value(json_object_get(o, "language"));
    json_t *parts = json_object_get(o, "parts"), *arguments = json_object_get(o, "arguments");
    const size_t part_count = json_array_size(parts), count = json_array_size(arguments);
    *out = (struct capture_kernel){.key = get_text(a, o, "kernel"),
                                   .name = get_text(a, o, "name"),
                                   .program = get_digest(a, o, "program"),
                                   .options = get_text(a, o, "options"),
                                   .is_linked = json_is_true(json_object_get(o, "linked")),
                                   .tunes = ""};
    out->function = read_function(a, out->name, json_object_get(o, "expressions"));
    if (!language_parse(language ? language : "opencl", &out->language) || !out->function)
        return false;
    if (json_is_string(json_object_get(o, "without")))
        out->without = get_text(a, o, "without");
    out->parts = arena_array(a, part_count + 1, sizeof *out->parts);
    out->arguments = arena_array(a, count + 1, sizeof *out->arguments);
    if (!get_key(out->key) || !out->program || !*out->name || !out->parts || !out->arguments ||
        count > ARGUMENTS_MOST)
        return false;
    for (; out->part_count < part_count; out->part_count++) {
        if (!read_program_part(a, json_array_get(parts, out->part_count),
                               &out->parts[out->part_count]))
            return false;
        if (!out->parts[out->part_count].source && !out->without)
            out->without = "text that could not be kept";
    }
    if (part_count == 0 && !out->without)
        out->without = "text that could not be kept";
    for (; out->argument_count < count; out->argument_count++)
        read_argument(a, json_array_get(arguments, out->argument_count),
                      &out->arguments[out->argument_count]);
    return true;
}

// ---- launches ----------------------------------------------------------------------------------

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(struct arena *a, const char *hex, struct capture_value *out)
{
    const size_t length = strlen(hex);
    unsigned char *bytes = arena_alloc(a, length / 2 + 1);
    if (!bytes || length % 2 || out->bytes != length / 2)
        return false;
    for (size_t i = 0; i < length / 2; i++) {
        const int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (unsigned char)(high * 16 + low);
    }
    out->value = bytes;
    return true;
}

static bool read_image(struct arena *a, json_t *o, struct capture_value *out)
{
    struct capture_image *image = arena_alloc(a, sizeof *image);
    json_t *size = json_object_get(o, "size");
    if (!image)
        return false;
    *image = (struct capture_image){(uint32_t)json_integer_value(json_object_get(o, "type")),
                                    (uint32_t)json_integer_value(json_object_get(o, "order")),
                                    (uint32_t)json_integer_value(json_object_get(o, "channel")),
                                    {0},
                                    (uint64_t)json_integer_value(json_object_get(o, "layers")),
                                    json_is_true(json_object_get(o, "surface"))};
    for (size_t i = 0; i < 3; i++)
        image->size[i] = (uint64_t)json_integer_value(json_array_get(size, i));
    out->image = image;
    return image->size[0] > 0 && image->size[1] > 0 && image->size[2] > 0;
}

static bool read_sampler(struct arena *a, json_t *o, struct capture_value *out)
{
    static const char *const addressing[] = {"none", "clamp_to_edge", "clamp", "repeat",
                                             "mirrored_repeat"};
    const json_int_t way = json_integer_value(json_object_get(o, "addressing")) - 0x1130;
    const json_int_t filter = json_integer_value(json_object_get(o, "filter"));
    const bool is_normalized = json_integer_value(json_object_get(o, "normalized")) != 0;
    out->kind = CAPTURED_SAMPLER;
    out->sampler = way >= 0 && way < 5 ? arena_printf(a, "%s %s%s", addressing[way],
                                                      filter == 0x1141 ? "linear" : "nearest",
                                                      is_normalized ? " normalized" : "")
                                       : NULL;
    return out->sampler != NULL;
}

static bool read_value(struct arena *a, json_t *o, uint32_t at, struct capture_value *out)
{
    const char *kind = get_text(a, o, "kind");
    json_t *same = json_object_get(o, "same");
    const json_int_t bytes = json_integer_value(json_object_get(o, "bytes"));
    const json_int_t origin = json_integer_value(json_object_get(o, "origin"));
    *out = (struct capture_value){.bytes = (uint64_t)bytes, .origin = (uint64_t)origin, .same = -1};
    if (bytes < 0 || origin < 0)
        return false;
    if (same)
        out->same = json_integer_value(same);
    if (out->same < -1 || out->same >= (int64_t)at)
        return false;
    if (str_equal(kind, "value"))
        return read_hex(a, get_text(a, o, "hex"), out);
    if (str_equal(kind, "local") || str_equal(kind, "null")) {
        out->kind = str_equal(kind, "local") ? CAPTURED_LOCAL : CAPTURED_NULL;
        return true;
    }
    if (str_equal(kind, "sampler"))
        return read_sampler(a, o, out);
    json_t *image = json_object_get(o, "image");
    if (image && (!read_image(a, image, out) ||
                  (json_object_get(o, "addressing") && !read_sampler(a, o, out)))) // a texture
        return false;
    out->kind = CAPTURED_BUFFER;
    out->before = get_digest(a, o, "before");
    out->after = get_digest(a, o, "after");
    return (str_equal(kind, "buffer") || str_equal(kind, "svm")) && out->before && out->after;
}

static bool read_sizes(json_t *list, uint32_t count, int64_t least, int64_t out[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        json_t *n = json_array_get(list, i);
        out[i] = i < count ? json_integer_value(n) : 1;
        if (i < count && (!json_is_integer(n) || out[i] < least))
            return false;
    }
    return true;
}

// Memory alone is another argument's, too.
static bool is_shared_rightly(const struct capture_value *values, uint32_t at)
{
    const struct capture_value *v = &values[at];
    return v->same < 0 || (v->kind == CAPTURED_BUFFER && values[v->same].kind == CAPTURED_BUFFER);
}

static bool read_launch(struct arena *a, json_t *o, uint32_t argument_count,
                        struct capture_launch *out)
{
    json_t *values = json_object_get(o, "arguments"), *local = json_object_get(o, "local");
    json_t *offset = json_object_get(o, "offset");
    const json_int_t shared = json_integer_value(json_object_get(o, "shared"));
    const size_t value_count = json_array_size(values);
    int64_t offsets[3] = {0};
    *out = (struct capture_launch){
        .key = get_text(a, o, "launch"),
        .device = get_text(a, o, "device"),
        .driver = get_text(a, o, "driver"),
        .dimensions = (uint32_t)json_integer_value(json_object_get(o, "dimensions")),
        .has_local = json_is_array(local),
        .is_indirect = json_is_true(json_object_get(o, "indirect")),
        .is_placed = json_object_get(o, "places") != NULL,
        .shared = shared > 0 && shared < UINT32_MAX ? (uint32_t)shared : 0};
    if (!get_key(out->key) || out->dimensions < 1 || out->dimensions > 3 ||
        value_count < argument_count || value_count > VALUES_MOST ||
        !read_sizes(json_object_get(o, "global"), out->dimensions, 1, out->global) ||
        (out->has_local && !read_sizes(local, out->dimensions, 1, out->local)) ||
        (json_is_array(offset) && !read_sizes(offset, out->dimensions, 0, offsets)))
        return false;
    for (uint32_t i = 0; json_is_array(offset) && i < out->dimensions; i++)
        out->has_offset = out->has_offset || offsets[i] != 0;
    out->values = arena_array(a, value_count + 1, sizeof *out->values);
    out->symbols = arena_array(a, value_count + 1, sizeof *out->symbols);
    for (uint32_t i = 0; out->values && out->symbols && i < value_count; i++) {
        // Behind the arguments lies what is inside of them, and the module's symbols.
        json_t *item = json_array_get(values, i);
        const char *symbol = json_string_value(json_object_get(item, "symbol"));
        if (!read_value(a, item, i, &out->values[i]) || !is_shared_rightly(out->values, i) ||
            (symbol && (!*symbol || out->values[i].kind != CAPTURED_BUFFER)))
            return false;
        out->bytes += out->values[i].kind == CAPTURED_BUFFER ? out->values[i].bytes : 0;
        out->has_inside = out->has_inside || (i >= argument_count && !symbol);
        if (i < argument_count || !symbol)
            continue;
        struct capture_symbol *to = &out->symbols[out->symbol_count++];
        *to = (struct capture_symbol){arena_strdup(a, symbol), i};
        if (!to->name)
            return false;
    }
    return out->values && out->symbols;
}

// ---- the log -----------------------------------------------------------------------------------

static struct capture_kernel *find_kernel(struct capture *c, const char *key)
{
    for (size_t i = 0; i < c->kernel_count; i++) {
        if (str_equal(c->kernels[i].key, key))
            return &c->kernels[i];
    }
    return NULL;
}

static bool take_kernel(struct capture *c, struct arena *a, json_t *o)
{
    struct capture_kernel k;
    if (!read_kernel(a, o, &k) || find_kernel(c, k.key))
        return true;
    if (!ARENA_ROOM(a, c->kernels, c->kernel_room, c->kernel_count + 1))
        return false;
    c->kernels[c->kernel_count++] = k;
    return true;
}

static bool take_launch(struct capture *c, struct arena *a, json_t *o)
{
    struct capture_launch l;
    struct capture_kernel *k = find_kernel(c, get_text(a, o, "of"));
    if (!k || !read_launch(a, o, k->argument_count, &l))
        return true;
    for (size_t i = 0; i < k->launch_count; i++) {
        if (str_equal(k->launches[i].key, l.key))
            return true; // by another process of the program
    }
    if (!ARENA_ROOM(a, k->launches, k->launch_room, k->launch_count + 1))
        return false;
    k->launches[k->launch_count++] = l;
    return true;
}

static bool take_line(struct capture *c, struct arena *a, const char *line, size_t length)
{
    json_t *o = json_loadb(line, length, 0, NULL);
    bool ok = true;
    if (json_is_object(o) && json_object_get(o, "launch"))
        ok = take_launch(c, a, o);
    else if (json_is_object(o))
        ok = take_kernel(c, a, o);
    json_decref(o);
    return ok;
}

static bool read_log(struct capture *c, struct arena *a, struct error *e)
{
    struct text log = TEXT_INIT;
    const char *path = capture_path(a, c, "log");
    struct stat s;
    bool ok = true;
    if (path && stat(path, &s) != 0)
        return true; // nothing was captured
    if (!path || !file_read(path, LINE_MOST, &log, e))
        return false;
    for (const char *at = text_cstr(&log), *end = at + log.length; ok && at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            break; // cut
        ok = take_line(c, a, at, (size_t)(line_end - at));
        at = line_end + 1;
    }
    text_release(&log);
    return ok || error_memory(e);
}

// ---- the counts --------------------------------------------------------------------------------

static void take_shape(struct capture *c, const struct capture_shape *s)
{
    char kernel[17], key[17];
    str_format(kernel, sizeof kernel, "%016llx", (unsigned long long)s->kernel);
    str_format(key, sizeof key, "%016llx", (unsigned long long)s->key);
    struct capture_kernel *k = find_kernel(c, kernel);
    const double ns = s->timed ? (double)s->ns / (double)s->timed * (double)s->launches : 0;
    c->ns += ns;
    if (!k)
        return;
    k->shapes++;
    k->all_launches += s->launches;
    k->ns += ns;
    for (size_t i = 0; i < k->launch_count; i++) {
        if (str_equal(k->launches[i].key, key)) {
            k->launches[i].launches = s->launches;
            k->launches[i].ns = ns;
            return;
        }
    }
    k->reason = s->reason;
}

static int compare_launches(const void *a, const void *b)
{
    const struct capture_launch *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : strcmp(x->key, y->key);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct capture_kernel *x = a, *y = b;
    return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : strcmp(x->key, y->key);
}

static bool is_title(const struct capture *c, size_t before, const char *title)
{
    for (size_t i = 0; i < before; i++) {
        if (str_equal(c->kernels[i].title, title))
            return true;
    }
    return false;
}

// A file's name of the kernel's, with a number where another has it, too.
static const char *make_title(struct arena *a, const struct capture *c, size_t at)
{
    size_t length;
    const char *name = capture_last_name(c->kernels[at].function, &length);
    char *title = arena_strndup(a, name, length < 100 ? length : 100);
    for (char *t = title; t && *t; t++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *t))
            *t = '_';
    }
    const char *found = title;
    for (uint32_t i = 2; found && is_title(c, at, found); i++)
        found = arena_printf(a, "%s.%u", title, i);
    return found;
}

bool capture_read(const char *folder, struct arena *a, struct capture_counts *counts,
                  struct capture *out, struct error *e)
{
    *out = (struct capture){.folder = folder, .counts = counts};
    char path[4096];
    str_format(path, sizeof path, "%s/counts", out->folder);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t at = 0;
    for (ssize_t got = 1; file >= 0 && got > 0 && at < sizeof *counts;
         at += (size_t)(got > 0 ? got : 0))
        got = read(file, (char *)counts + at, sizeof *counts - at);
    if (file >= 0)
        close(file);
    if (!((at == sizeof *counts && counts->magic == CAPTURE_MAGIC) ||
          error_set(e, ERROR_INPUT,
                    "%s is not a capture of this version of hone: hone capture -o FOLDER "
                    "-- PROGRAM makes one",
                    out->folder)) ||
        !read_log(out, a, e))
        return false;
    for (uint32_t i = 0; i < CAPTURE_SHAPES; i++) {
        if (counts->shapes[i].key)
            take_shape(out, &counts->shapes[i]);
    }
    if (out->kernel_count)
        qsort(out->kernels, out->kernel_count, sizeof *out->kernels, compare_kernels);
    for (size_t i = 0; i < out->kernel_count; i++) {
        struct capture_kernel *k = &out->kernels[i];
        if (k->launch_count)
            qsort(k->launches, k->launch_count, sizeof *k->launches, compare_launches);
        k->title = make_title(a, out, i);
        if (!k->title)
            return error_memory(e);
    }
    return true;
}
