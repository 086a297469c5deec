// Puts included files in the place of their #include lines, as the preprocessor would: conditions around them stay, so
// that what is not read there is not read here either. What the compiler brings itself stays an #include.
#include "extras/deploy/paste_source.h"

#include "problem/sources.h"

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
        if (item->reads)
            return error_set(
                e, ERROR_INPUT,
                "%s, line %u: '#include %s' cannot be pasted, as hone cannot tell which "
                "file it names; write the file's name there",
                f->name, item->first, item->reads);
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
