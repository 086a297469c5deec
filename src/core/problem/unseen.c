// Which files a compiler may read that hone did not find: results of such a program say nothing of
// later runs, because nobody knows whether these files are then the same.
//
// The lines are walked from the compiled files on, into what they include. Of conditions only those
// count that the language decides (`#ifdef __CUDACC__`), so that what the other language includes
// is not looked for.
#include "problem/sources.h"

#include "base/text.h"

#include <string.h>

#define NEST_LIMIT  256 // conditionals within each other: deeper ones count as taken
#define DEPTH_LIMIT 200 // includes within each other

struct looking {
    const struct spec_sources *src;
    struct program_sources *out;
    bool *visited; // by file
    uint32_t depth;
    bool all_known; // the folders that the compiler reads from
};

// ---- conditions ---------------------------------------------------------------------------------

// The macros of other languages are known to be undefined; no macro's value is known.
static struct macro_fact fact_of(void *context, const char *name, size_t length)
{
    const struct looking *l = context;
    return compiler_macro(l->src->language, false, name, length);
}

static enum truth truth_of(struct looking *l, const struct scan_item *item)
{
    if (item->kind != SCAN_IFDEF && item->kind != SCAN_IFNDEF)
        return condition_test(item->text, fact_of, l);
    struct macro_fact fact = fact_of(l, item->text, strlen(item->text));
    if (!fact.defined && !fact.absent)
        return TRUTH_UNKNOWN;
    return fact.defined == (item->kind == SCAN_IFDEF) ? TRUTH_YES : TRUTH_NO;
}

// One open #if: whether the compiler may see the branch we are in, and a later one.
struct branch {
    bool live, later;
};

static void enter_unseen_branch(struct looking *l, struct branch *b, const struct scan_item *item)
{
    enum truth t = item->kind == SCAN_ELSE ? TRUTH_YES : truth_of(l, item);
    b->live = b->later && t != TRUTH_NO;
    b->later = b->later && t != TRUTH_YES;
}

// ---- files --------------------------------------------------------------------------------------

static void note_include(struct unseen *u, const struct source_file *f,
                         const struct scan_item *item)
{
    if (!u->file)
        *u = (struct unseen){f->name, item->first, item->reads ? item->reads : item->text,
                             f->leads[item - f->scan.items]};
}

static void look_into(struct looking *l, uint32_t file);

static void look_at_item(struct looking *l, uint32_t file, uint32_t i)
{
    const struct source_file *f = &l->out->list[file];
    const struct scan_item *item = &f->scan.items[i];
    const char *const *supplied = language_traits(l->src->language)->supplied_headers;
    bool reads = item->reads || item->kind == SCAN_INCLUDE;
    bool is_supplied = item->kind == SCAN_INCLUDE && item->angled && !item->next && supplied &&
                       str_listed(supplied, item->text);
    if (reads && f->leads[i] != LEADS_IN)
        note_include(&l->out->leads_out, f, item);
    else if (reads && f->targets[i] != FOLLOW_UNRESOLVED)
        look_into(l, f->targets[i]);
    else if (is_supplied)
        return; // a compiler that finds none is given hone's own
    else if (item->next && l->all_known && f->outside)
        return; // the compiler does not find it either, or does not read this line
    else if (item->reads)
        note_include(&l->out->unseen, f, item);
    else if (item->kind == SCAN_INCLUDE && (!l->all_known || (!item->angled && !f->outside)))
        note_include(&l->out->unseen, f, item);
}

static void look_into(struct looking *l, uint32_t file)
{
    struct branch open[NEST_LIMIT + 1] = {{.live = true}};
    uint32_t depth = 0;
    if (l->visited[file] || l->depth == DEPTH_LIMIT)
        return;
    l->visited[file] = true;
    const struct source_file *f = &l->out->list[file];
    if (f->scan.hides && !f->outside && !l->out->leads_out.file)
        l->out->leads_out = (struct unseen){f->name, f->scan.hides, "...", LEADS_ANYWHERE};
    l->depth++;
    for (uint32_t i = 0; i < l->out->list[file].scan.count; i++) {
        const struct scan_item *item = &l->out->list[file].scan.items[i];
        bool opens = item->kind == SCAN_IF || item->kind == SCAN_IFDEF || item->kind == SCAN_IFNDEF;
        struct branch *b = &open[depth < NEST_LIMIT ? depth : NEST_LIMIT];
        if (opens) {
            struct branch *inner = &open[depth + 1 < NEST_LIMIT ? depth + 1 : NEST_LIMIT];
            bool outer = depth < NEST_LIMIT ? b->live : true;
            inner->later = outer;
            enter_unseen_branch(l, inner, item);
            inner->live |= depth + 1 >= NEST_LIMIT;
            depth++;
        } else if ((item->kind == SCAN_ELIF || item->kind == SCAN_ELSE) && depth > 0) {
            enter_unseen_branch(l, b, item);
        } else if (item->kind == SCAN_ENDIF) {
            depth -= depth > 0;
        } else if (b->live) {
            look_at_item(l, file, i);
        }
    }
    l->depth--;
}

bool unseen_find(const struct spec_sources *src, struct arena *a, struct program_sources *p)
{
    struct looking l = {.src = src, .out = p};
    // NVRTC reads from no folder but those it is told, and the one it runs in ("..." alone).
    l.all_known = language_traits(src->language)->knows_folders && src->include_folders &&
                  *src->include_folders;
    l.visited = arena_array(a, p->count + 1, sizeof *l.visited);
    if (!l.visited)
        return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (i < p->mains || p->list[i].by_option)
            look_into(&l, i);
    return true;
}
