// Jobs: making, freeing and decoding them, and what several places ask of one: the regions that are
// compared, its geometry as text, its blobs. And the names of vendors' routines.
#include "model/job.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const char *routine_text(enum routine r)
{
    static const char *const texts[] = {
#define X(name, text, title) text,
        ROUTINES(X)
#undef X
    };
    return (unsigned)r < ROUTINE_COUNT ? texts[r] : "?";
}

const char *routine_title(enum routine r)
{
    static const char *const titles[] = {
#define X(name, text, title) title,
        ROUTINES(X)
#undef X
    };
    return (unsigned)r < ROUTINE_COUNT ? titles[r] : "?";
}

enum language routine_language(enum routine r)
{
    unsigned l = 0;
    while (l < LANGUAGE_COUNT && !(language_traits((enum language)l)->routines >> r & 1))
        l++;
    return (enum language)l;
}

bool compare_is_whole(enum compare_kind k)
{
    return k == COMPARE_SUM || k == COMPARE_SET;
}

struct job_region buffer_region(const struct job_buffer *b)
{
    struct job_region r;
    r.first = b->compare.first < b->count ? b->compare.first : b->count;
    r.count = b->count - r.first;
    if (b->compare.count > 0 && b->compare.count < r.count)
        r.count = b->compare.count;
    return r;
}

static bool names_region(const struct job_buffer *b)
{
    return b->compare.first > 0 || b->compare.count > 0;
}

struct job_region reference_region(const struct job_buffer *output, const struct job_buffer *other)
{
    struct job_region mine = buffer_region(output);
    bool fits = mine.first <= other->count && mine.count <= other->count - mine.first;
    if (names_region(other) || !names_region(output) || !fits)
        return buffer_region(other);
    return mine;
}

struct job *job_new(void)
{
    struct job *j = calloc(1, sizeof *j);
    if (j == NULL)
        return NULL;
    arena_init(&j->arena);
    j->configuration = "";
    return j;
}

struct job *job_hold(struct job *j)
{
    j->holders++;
    return j;
}

void job_free(struct job *j)
{
    if (j == NULL || j->holders-- > 0)
        return;
    arena_release(&j->arena);
    free(j);
}

struct job *job_decode(const void *data, size_t length, struct error *e)
{
    char what[64];
    struct wire w;
    struct job *j = job_new();
    if (j == NULL)
        return error_no_memory(e);
    wire_reader(&w, data, length, &j->arena);
    job_codec(&w, j);
    str_format(what, sizeof what, "these %zu bytes are not a job", length);
    if (wire_finish(&w, ERROR_INPUT, what, e))
        return j;
    job_free(j);
    return NULL;
}

void job_geometry_text(const struct job *j, struct text *out)
{
    for (uint32_t i = 0; i < j->launch_count; i++) {
        const struct job_launch *l = &j->launches[i];
        text_add(out, i ? "; " : "");
        for (uint32_t a = 0; a < l->dimensions; a++)
            text_addf(out, "%s%llu", a ? "x" : "", (unsigned long long)l->global[a]);
        for (uint32_t a = 0; l->local[0] && a < l->dimensions; a++)
            text_addf(out, "%s%llu", a ? "x" : " / ", (unsigned long long)l->local[a]);
    }
}

static bool is_for_caches(const char *option)
{
    return str_starts(option, "-DHONE_SOURCE=") || str_starts(option, "-DHONE_RUN=");
}

void job_options_text(const char *const *options, size_t count, struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        if (is_for_caches(options[i]))
            continue;
        text_add(out, out->length ? " " : "");
        text_add_shell(out, options[i]);
    }
}

// "TILE=8": its line of a header.
static void add_define_line(const char *macro, struct text *out)
{
    size_t length = strcspn(macro, "=");
    text_add(out, "#define ");
    text_addn(out, macro, length);
    text_addf(out, " %s\n", macro[length] ? macro + length + 1 : "1");
}

void job_header_text(const char *const *options, size_t count, struct text *out)
{
    struct text others = TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        if (str_equal(options[i], "-D") && i + 1 < count)
            add_define_line(options[++i], out);
        else if (!str_starts(options[i], "-D"))
            job_options_text(&options[i], 1, &others);
        else if (!is_for_caches(options[i]))
            add_define_line(options[i] + 2, out);
    }
    if (others.length)
        text_addf(out, "/* build with: %s */\n", text_cstr(&others));
    out->failed |= others.failed;
    text_release(&others);
}

bool job_each_blob(struct job *j, bool (*visit)(void *context, struct job_blob *b), void *context)
{
    struct job_reference *r = &j->reference;
    for (uint32_t i = 0; i < j->buffer_count; i++) {
        struct job_fill *f = &j->buffers[i].fill;
        if (f->kind == FILL_DATA && f->blob.length > 0 && !visit(context, &f->blob))
            return false;
    }
    for (uint32_t i = 0; i < r->data_count; i++) {
        if (r->data[i].blob.length > 0 && !visit(context, &r->data[i].blob))
            return false;
    }
    return r->kind != REFERENCE_JOB || !r->job || job_each_blob(r->job, visit, context);
}
