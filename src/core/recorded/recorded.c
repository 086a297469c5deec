// Opens a recorded space of any format, told by its first bytes. A file whose parameters stand behind
// its rows is read twice.

#include "recorded/recorded.h"

#include "extras.h"
#include "recorded/reading.h"
#include "recorded/read_store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *recorded_format_text(enum recorded_format f)
{
    static const char *const names[] = {RECORDED_FORMATS(LIST_TEXT)};
    return names[f];
}

// Where the bytes come from: a file, or memory.
struct input {
    const char *path;
    const void *data; // NULL: the file
    size_t length;
};

static bool input_open(const struct input *in, struct bytes *b, struct error *e)
{
    return in->data ? bytes_open_memory(b, in->path, in->data, in->length, e)
                    : bytes_open(b, in->path, e);
}

// The first byte that is no blank, behind a byte order mark; -1: there is none.
static int first_byte(struct bytes *b, struct error *e)
{
    static const char mark[] = "\xef\xbb\xbf";
    int c = bytes_peek(b, e);
    if (c == 0xef && b->end - b->at >= 3 && memcmp(b->at, mark, 3) == 0)
        b->at += 3;
    while ((c = bytes_peek(b, e)) >= 0 && strchr(" \t\r\n", c) && c != 0) {
        b->line += c == '\n';
        b->at++;
    }
    return c;
}

// The first that takes a file reads it.
static const struct recorded_reader *const readers[] = {EXTRA_FORMATS(&json_reader, &csv_reader, )
                                                            NULL};

static bool refuse_recorded_kind(const char *path, struct error *e)
{
    if (!readers[0])
        return error_set(e, ERROR_INPUT,
                         "%s: not a store, and this hone was built without the formats of others "
                         "(HONE_EXTRA_FORMATS)",
                         path);
    return error_set(
        e, ERROR_INPUT,
        "%s: no recorded results: it is not a T4 file, nor Kernel Tuner's cache, a result "
        "of KTT, a CSV of hone or a store",
        path);
}

static bool read_recorded_text(struct reading *r, struct error *e)
{
    int c = first_byte(&r->bytes, e);
    if (c == -2)
        return false;
    if (c == -1)
        return error_set(e, ERROR_INPUT, "%s: the file is empty", r->bytes.path);
    tokens_release(&r->tokens);
    tokens_init(&r->tokens, &r->bytes);
    for (const struct recorded_reader *const *reader = readers; *reader; reader++) {
        if ((*reader)->takes(c))
            return (*reader)->read(r);
    }
    return refuse_recorded_kind(r->bytes.path, e);
}

static bool again(struct reading *r, const struct input *in, struct error *e)
{
    struct stat st;
    if (!in->data && (stat(in->path, &st) != 0 || !S_ISREG(st.st_mode)))
        return error_set(e, ERROR_INPUT,
                         "%s: its results stand before 'tune_params', so that it has to be read "
                         "twice, which a pipe cannot; save it as a file",
                         in->path);
    bytes_close(&r->bytes);
    r->is_again = true;
    return input_open(in, &r->bytes, e) && read_recorded_text(r, e);
}

static void say_unit(const struct reading *r)
{
    if (r->gather.recorded->format == RECORDED_T4 && !r->gather.is_unit_said &&
        r->gather.needs_unit)
        log_add(r->gather.o->log, LOG_NOTE,
                "%s: metadata.timeunit is not said; milliseconds are assumed", r->bytes.path);
}

static bool read_recorded(struct recorded *rec, const struct input *in,
                          const struct recorded_options *o, struct error *e)
{
    struct reading r = {.e = e, .bytes.fd = -1};
    bool ok = gather_init(&r.gather, rec, o, e) && input_open(in, &r.bytes, e) &&
              read_recorded_text(&r, e);
    if (ok && !r.has_rows)
        ok = again(&r, in, e);
    ok = ok && gather_finish(&r.gather);
    if (ok)
        say_unit(&r);
    bytes_close(&r.bytes);
    tokens_release(&r.tokens);
    gather_release(&r.gather);
    free(r.order);
    return ok;
}

static struct recorded *make_recorded(const struct input *in, const struct recorded_options *o,
                                      struct error *e)
{
    static const struct recorded_options nothing;
    struct recorded *rec = calloc(1, sizeof *rec);
    if (rec) {
        arena_init(&rec->arena);
        rec->path = arena_strdup(&rec->arena, in->path);
    }
    if (!rec || !rec->path) {
        error_memory(e);
        recorded_free(rec);
        return NULL;
    }
    o = o ? o : &nothing;
    bool is_store = !in->data && is_store_file(in->path);
    if (!(is_store ? read_store(rec, o, e) : read_recorded(rec, in, o, e))) {
        recorded_free(rec);
        return NULL;
    }
    return rec;
}

struct recorded *recorded_read(const char *path, const struct recorded_options *o, struct error *e)
{
    return make_recorded(&(struct input){.path = path}, o, e);
}

struct recorded *recorded_parse(const char *path, const void *data, size_t length,
                                const struct recorded_options *o, struct error *e)
{
    return make_recorded(&(struct input){path, data, length}, o, e);
}

void recorded_free(struct recorded *r)
{
    if (!r)
        return;
    arena_release(&r->arena);
    free(r);
}
