// Conditions have three values. A branch whose condition is unknown is kept, its condition's names
// count as seen, and a watched macro that the source itself defines or undefines is unknown from
// there on. Other macros are known if the source has surely defined them (macros.h).
#include "kernel_text/follow.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_LIMIT 32
#define VISIT_LIMIT 1000
#define NEST_LIMIT  256

struct walk {
    struct follow *f;
    struct macros macros;
    bool *visited; // by file, in live text
    struct follow_level levels[NEST_LIMIT];
    uint32_t depth;   // open levels
    uint32_t nesting; // of includes
    uint32_t visits;
};

static enum life life_now(const struct walk *w)
{
    return w->depth > 0 ? w->levels[w->depth - 1].inner : LIFE_LIVE;
}

// ---- what is seen ------------------------------------------------------------------------------

static void see(struct walk *w, uint32_t name);

// A macro's value may name further macros.
static void see_value(struct walk *w, const char *at)
{
    while (at && *at) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        uint32_t name = length > 0 ? scan_name_index(w->f->terms.names, at, length) : UINT32_MAX;
        if (name != UINT32_MAX)
            see(w, name);
        at += length > 0 ? length : 1;
    }
}

static void see(struct walk *w, uint32_t name)
{
    if (w->f->seen[name])
        return;
    w->f->seen[name] = true;
    if (w->f->terms.given[name].given)
        see_value(w, w->f->terms.given[name].value);
}

static void see_all(struct walk *w, const struct scan_item *item)
{
    for (uint32_t i = 0; i < item->name_count; i++)
        see(w, item->names[i]);
}

// ---- conditions --------------------------------------------------------------------------------

static enum truth negate(enum truth t)
{
    return t == TRUTH_UNKNOWN ? t : t == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}

static enum truth test_defined(struct walk *w, const char *name)
{
    struct macro_fact fact = macros_look_up(&w->macros, name, strlen(name));
    return fact.defined ? TRUTH_YES : fact.absent ? TRUTH_NO : TRUTH_UNKNOWN;
}

// A guard around a whole file is open where nothing defines it, whoever compiles it.
static enum truth test_undefined(struct walk *w, const struct scan *scan, const char *name)
{
    enum truth t = negate(test_defined(w, name));
    bool is_open = scan->guard == name && !macros_find(&w->macros, name, strlen(name)) &&
                   scan_name_index(w->f->terms.names, name, strlen(name)) == UINT32_MAX;
    return t == TRUTH_UNKNOWN && is_open ? TRUTH_YES : t;
}

static enum truth test_item(struct walk *w, const struct scan *scan, const struct scan_item *item)
{
    switch (item->kind) {
    case SCAN_IFDEF:
        return test_defined(w, item->text);
    case SCAN_IFNDEF:
        return test_undefined(w, scan, item->text);
    case SCAN_ELSE:
        return TRUTH_YES;
    default:
        return macros_test(&w->macros, item->text);
    }
}

// Enters a branch: #if..., #elif, #else.
static void enter_branch(struct walk *w, struct follow_level *l, const struct scan *scan,
                         const struct scan_item *item)
{
    l->branch = item;
    if (l->outer == LIFE_DEAD || l->taken == TRUTH_YES) {
        l->inner = LIFE_DEAD;
        return;
    }
    enum truth t = test_item(w, scan, item);
    if (t == TRUTH_UNKNOWN) {
        uint32_t name = scan_name_index(w->f->terms.names, item->text, strlen(item->text));
        see_all(w, item);
        if (name != UINT32_MAX)
            see(w, name); // #ifdef NAME
    }
    bool sure = l->outer == LIFE_LIVE && l->taken == TRUTH_NO && t == TRUTH_YES;
    l->inner = t == TRUTH_NO ? LIFE_DEAD : sure ? LIFE_LIVE : LIFE_MAYBE;
    if (t == TRUTH_YES)
        l->taken = TRUTH_YES;
    else if (t == TRUTH_UNKNOWN)
        l->taken = TRUTH_UNKNOWN;
}

// ---- walking -----------------------------------------------------------------------------------

static void walk_file(struct walk *w, uint32_t index);

static void give_up_following(struct walk *w, const char *why, bool strange)
{
    w->f->strange |= strange;
    if (!w->f->opaque)
        w->f->opaque = why;
}

static void walk_include(struct walk *w, uint32_t target)
{
    if (target == FOLLOW_UNRESOLVED) {
        if (!w->f->terms.assumes)
            macros_forget(&w->macros);
        give_up_following(w, "it includes a file that is not here", false);
        return;
    }
    const struct scan *scan = w->f->files[target].scan;
    if (w->visited[target] && (scan->once || scan->guard))
        return;
    if (life_now(w) == LIFE_LIVE)
        w->visited[target] = true;
    walk_file(w, target);
}

static void walk_live(struct walk *w, uint32_t file, uint32_t i, const struct scan_item *item)
{
    struct follow *f = w->f;
    see_all(w, item);
    if (f->live)
        f->live(f->context, &w->macros, file, item, life_now(w) == LIFE_LIVE);
    if (item->kind == SCAN_DEFINE || item->kind == SCAN_UNDEF) {
        uint32_t index = scan_name_index(f->terms.names, item->text, strlen(item->text));
        if (index != UINT32_MAX)
            see(w, index);
        macros_define(&w->macros, item->text, item->body, life_now(w) == LIFE_LIVE);
    }
    if (item->kind == SCAN_INCLUDE)
        walk_include(w, f->files[file].targets ? f->files[file].targets[i] : FOLLOW_UNRESOLVED);
}

static void open_level(struct walk *w, const struct scan *scan, const struct scan_item *item)
{
    if (w->depth == NEST_LIMIT) {
        give_up_following(w, "its conditionals are nested too deeply", true);
        return;
    }
    w->levels[w->depth] =
        (struct follow_level){.outer = life_now(w), .taken = TRUTH_NO, .first = item};
    w->depth++;
    enter_branch(w, &w->levels[w->depth - 1], scan, item);
}

static void walk_item(struct walk *w, uint32_t file, uint32_t i)
{
    const struct follow *f = w->f;
    const struct scan *scan = f->files[file].scan;
    const struct scan_item *item = &scan->items[i];
    switch (item->kind) {
    case SCAN_IF:
    case SCAN_IFDEF:
    case SCAN_IFNDEF:
        open_level(w, scan, item);
        return;
    case SCAN_ELIF:
    case SCAN_ELSE:
        if (w->depth > 0)
            enter_branch(w, &w->levels[w->depth - 1], scan, item);
        return;
    case SCAN_ENDIF:
        w->depth -= w->depth > 0;
        return;
    case SCAN_ERROR:
        if (f->error)
            f->error(f->context, &w->macros, w->levels, w->depth);
        if (life_now(w) != LIFE_DEAD)
            walk_live(w, file, i, item);
        return;
    default:
        if (life_now(w) != LIFE_DEAD)
            walk_live(w, file, i, item);
    }
}

static void walk_file(struct walk *w, uint32_t index)
{
    const struct scan *scan = w->f->files[index].scan;
    if (scan->opaque)
        give_up_following(w, scan->opaque, scan->strange && !w->f->files[index].is_outside);
    if (w->nesting == DEPTH_LIMIT || w->visits == VISIT_LIMIT) {
        give_up_following(w, "its includes do not end", true);
        return;
    }
    w->nesting++;
    w->visits++;
    for (uint32_t i = 0; i < scan->count && (w->f->regardless || !w->f->opaque); i++)
        walk_item(w, index, i);
    w->nesting--;
}

bool follow_run(struct follow *f, struct arena *scratch)
{
    struct walk *w = arena_alloc(scratch, sizeof *w);
    if (!w)
        return false;
    w->f = f;
    w->macros = (struct macros){.terms = f->terms};
    w->visited = arena_array(scratch, f->file_count + (size_t)1, sizeof *w->visited);
    if (!macros_init(&w->macros, scratch) || !w->visited)
        return false;

    f->opaque = NULL;
    f->strange = false;
    if (!f->seen &&
        !(f->seen = arena_array(scratch, f->terms.names->count + (size_t)1, sizeof *f->seen)))
        return false;
    memset(f->seen, 0, f->terms.names->count * sizeof *f->seen);
    for (uint32_t i = 0; i < f->main_count; i++)
        walk_file(w, i);
    for (uint32_t i = 0; i < f->terms.names->count && f->opaque; i++)
        f->seen[i] = true;
    f->strange |= w->macros.is_strange;
    return !w->macros.failed;
}
