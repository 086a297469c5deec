// Puts included files in the place of their #include lines, as the preprocessor would: conditions around them stay, so
// that what is not read there is not read here either. What the compiler brings itself stays an #include.
#include "extras/deploy/paste_source.h"

#include "problem/sources.h"

#include <stdio.h>
#include <string.h>

enum { PASTE_DEPTH = 32, PASTE_BYTES = 1 << 24 };

// The beginning of a line behind `from`, `count` lines on.
static const char *skip_source_lines(const char *from, const char *end, uint32_t count)
{
    for (; count > 0 && from < end; count--) {
        const char *stop = memchr(from, '\n', (size_t)(end - from));
        from = stop ? stop + 1 : end;
    }
    return from;
}

// A line that reads a file which hone does not know, where the preprocessor may read it.
struct unknown_read {
    const struct program_sources *program;
    const struct source_file *file; // NULL: there is none
    const struct scan_item *item;
};

static void look_for_read(void *context, struct macros *m, uint32_t file,
                          const struct scan_item *item, bool sure)
{
    struct unknown_read *r = context;
    (void)m;
    (void)sure;
    if (!item->reads || r->file || r->program->list[file].outside)
        return;
    r->file = &r->program->list[file];
    r->item = item;
}

// As a usual compiler reads the program: all names of the spec are given, with values that no one knows.
static bool find_unknown_read(const struct spec_sources *src, struct arena *scratch,
                              struct unknown_read *out, struct error *e)
{
    struct follow f = out->program->follow;
    struct follow_macro *macros = arena_array(scratch, src->names.count + 1, sizeof *macros);
    f.seen = arena_array(scratch, src->names.count + 1, sizeof *f.seen);
    if (!macros || !f.seen)
        return error_memory(e);
    for (uint32_t i = 0; i < src->names.count; i++)
        macros[i].given = true;
    f.terms.given = macros;
    f.terms.assumes = f.regardless = true;
    f.live = look_for_read;
    f.context = out;
    return follow_run(&f, scratch) || error_memory(e);
}

static bool check_reads(const struct spec_sources *src, const struct program_sources *p,
                        struct error *e)
{
    struct arena scratch = {0};
    struct unknown_read r = {.program = p};
    char word[16] = "include";
    bool ok = find_unknown_read(src, &scratch, &r, e);
    arena_release(&scratch);
    if (!ok || !r.file)
        return ok;
    sscanf(r.file->text + r.item->from, " # %15[a-z_]", word);
    return error_set(e, ERROR_INPUT,
                     "%s, line %u: '#%s %s' cannot be pasted, as hone cannot tell which file it "
                     "names; write #include and the file's name there",
                     r.file->name, r.item->first, word, r.item->reads);
}

static bool paste_file(const struct program_sources *p, uint32_t index, uint32_t depth,
                       struct text *out, struct error *e)
{
    const struct source_file *f = &p->list[index];
    const char *at = f->text, *end = f->text + f->length;
    uint32_t line = 1;
    if (depth > PASTE_DEPTH || out->length > PASTE_BYTES)
        return error_set(e, ERROR_INPUT,
                         "%s: its #include lines lead too deep to be pasted into one text",
                         f->name);
    if (f->scan.once)
        text_addf(out, "#ifndef HONE_PASTED_%u\n#define HONE_PASTED_%u\n", index, index);
    for (uint32_t i = 0; i < f->scan.count; i++) {
        const struct scan_item *item = &f->scan.items[i];
        if (item->kind != SCAN_INCLUDE || f->targets[i] == FOLLOW_UNRESOLVED ||
            p->list[f->targets[i]].outside)
            continue;
        const char *here = skip_source_lines(at, end, item->first - line);
        text_addn(out, at, (size_t)(here - at));
        if (!paste_file(p, f->targets[i], depth + 1, out, e))
            return false;
        at = skip_source_lines(here, end, item->last - item->first); // `last` is behind them
        line = item->last;
    }
    text_addn(out, at, (size_t)(end - at));
    if (out->length && !out->failed && out->data[out->length - 1] != '\n')
        text_addc(out, '\n');
    if (f->scan.once)
        text_add(out, "#endif\n");
    return true;
}

bool paste_source(const struct deploy_table *t, struct text *out, struct error *e)
{
    if (!t->sources)
        return error_set(e, ERROR_USAGE,
                         "%s: the kernel's source cannot be embedded, as it was not read",
                         t->spec_path);
    const struct spec *s = t->sources->spec;
    const struct program_sources *p =
        &t->sources->programs[s->kernel->languages[t->language].launches[0].program];
    if (!check_reads(t->sources, p, e))
        return false;
    for (uint32_t i = 0; i < p->mains; i++) {
        if (p->list[i].outside)
            return error_set(e, ERROR_INPUT,
                             "%s lies outside the kernel's folders and cannot be embedded",
                             p->list[i].name);
        if (!paste_file(p, i, 0, out, e))
            return false;
    }
    return !out->failed || error_memory(e);
}
