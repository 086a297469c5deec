// A source that defines a parameter or constant of the spec as a number of its own, `#define TILE 16`
// without a condition around it: the line gives way to the value that the spec passes, so that the kernel
// can be tuned as it stands. The line is blanked, its number stays.
#include "problem/sources.h"

#include "base/text.h"

#include <string.h>

static void blank_lines(char *text, const struct scan_item *item)
{
    uint32_t line = item->first; // `last` is behind them
    for (char *at = text + item->from; *at && line < item->last; at++) {
        line += *at == '\n';
        *at = *at == '\n' || *at == '\r' ? *at : ' ';
    }
}

bool sources_yield_defines(struct spec_sources *src, const struct program_spec *p,
                           struct source_file *f, char *text, bool *changed)
{
    const struct spec *s = src->spec;
    const bool is_made = p->variant_count > 0; // a text for each configuration
    *changed = false;
    for (uint32_t i = 0; i < f->scan.count && !f->scan.strange && !is_made; i++) {
        const struct scan_item *item = &f->scan.items[i];
        const bool is_define = item->kind == SCAN_DEFINE;
        const uint32_t name =
            is_define ? scan_name_index(&src->names, item->text, strlen(item->text)) : UINT32_MAX;
        if (name >= s->slots.derived || !scan_is_own_number(&f->scan, i))
            continue;
        blank_lines(text, item);
        if (!ARENA_ROOM(&src->arena, f->yielded, f->yielded_room, f->yielded_count + (size_t)1))
            return false;
        f->yielded[f->yielded_count++] = (struct yielded){item->text, item->value, item->first};
        *changed = true;
    }
    return true;
}
