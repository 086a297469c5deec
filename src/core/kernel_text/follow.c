// Conditions have three values. A branch whose condition is unknown is kept, its condition's names
// count as seen, and a watched macro that the source itself defines or undefines is unknown from
// there on. Other macros are known if the source has surely defined them.
#include "kernel_text/follow.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_LIMIT 32
#define VISIT_LIMIT 1000
#define NEST_LIMIT  256

enum life { DEAD, MAYBE, LIVE };

// One open #if.
struct level {
    enum life outer;  // around it
    enum life inner;  // of the branch we are in
    enum truth taken; // has an earlier branch been taken?
};

// The source's own definitions of a macro that is not watched.
struct own_macro {
    const char *name;
    struct macro_fact fact;
    struct own_macro *next;
};
#define OWN_CHAINS 256

struct walk {
    struct follow *f;
    struct arena *arena;
    struct own_macro *own[OWN_CHAINS]; // by the name's hash
    bool failed;                       // no memory
    bool *touched;                     // by name: defined or undefined by the source
    bool *visited;                     // by file, in live text
    struct level levels[NEST_LIMIT];
    uint32_t depth;   // open levels
    uint32_t nesting; // of includes
    uint32_t visits;
};

static enum life life_now(const struct walk *w)
{
    return w->depth > 0 ? w->levels[w->depth - 1].inner : LIVE;
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
        uint32_t name = length > 0 ? scan_name_index(w->f->names, at, length) : UINT32_MAX;
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
    if (w->f->macros[name].given)
        see_value(w, w->f->macros[name].value);
}

static void see_all(struct walk *w, const struct scan_item *item)
{
    for (uint32_t i = 0; i < item->name_count; i++)
        see(w, item->names[i]);
}

// A plain decimal integer; other values are not used to decide a condition.
static bool plain_integer(const char *text, int64_t *out)
{
    const char *digits = text + (*text == '-');
    size_t length = strspn(digits, "0123456789");
    if (length == 0 || length > 18 || digits[length] != '\0' || (digits[0] == '0' && length > 1))
        return false;
    *out = strtoll(text, NULL, 10);
    return true;
}

// ---- the source's own macros -------------------------------------------------------------------

static struct own_macro **own_place(struct walk *w, const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    struct own_macro **at = &w->own[hash % OWN_CHAINS];
    while (*at && !(strncmp((*at)->name, name, length) == 0 && (*at)->name[length] == '\0'))
        at = &(*at)->next;
    return at;
}

// If the line may be unseen, the macro is unknown from there on.
static void note_own(struct walk *w, const struct scan_item *item, bool sure)
{
    struct own_macro **at = own_place(w, item->text, strlen(item->text));
    if (!*at && !(*at = arena_alloc(w->arena, sizeof **at))) {
        w->failed = true;
        return;
    }
    struct macro_fact *fact = &(*at)->fact;
    (*at)->name = item->text;
    *fact = (struct macro_fact){.is_own = true};
    if (!sure)
        return;
    fact->defined = item->kind == SCAN_DEFINE;
    fact->absent = !fact->defined;
    fact->has_value = fact->defined && item->value && plain_integer(item->value, &fact->value);
}

// A file that is not here may define and undefine anything.
static void forget_own(struct walk *w)
{
    memset(w->own, 0, sizeof w->own);
}

// ---- conditions --------------------------------------------------------------------------------

static struct macro_fact look_up_macro(void *context, const char *name, size_t length)
{
    struct walk *w = context;
    struct macro_fact fact = {.defined = false};
    uint32_t index = scan_name_index(w->f->names, name, length);
    if (index == UINT32_MAX) {
        const struct own_macro *own = *own_place(w, name, length);
        return own ? own->fact : fact;
    }
    if (!w->f->macros[index].given || w->touched[index])
        return fact;
    const char *value = w->f->macros[index].value;
    fact.defined = true;
    fact.has_value = value && plain_integer(value, &fact.value);
    return fact;
}

static enum truth negate(enum truth t)
{
    return t == TRUTH_UNKNOWN ? t : t == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}

static enum truth test_defined(struct walk *w, const char *name)
{
    struct macro_fact fact = look_up_macro(w, name, strlen(name));
    return fact.defined ? TRUTH_YES : fact.absent ? TRUTH_NO : TRUTH_UNKNOWN;
}

static enum truth test_item(struct walk *w, const struct scan_item *item)
{
    switch (item->kind) {
    case SCAN_IFDEF:
        return test_defined(w, item->text);
    case SCAN_IFNDEF:
        return negate(test_defined(w, item->text));
    case SCAN_ELSE:
        return TRUTH_YES;
    default:
        return condition_test(item->text, look_up_macro, w);
    }
}

// Enters a branch: #if..., #elif, #else.
static void enter_branch(struct walk *w, struct level *l, const struct scan_item *item)
{
    if (l->outer == DEAD || l->taken == TRUTH_YES) {
        l->inner = DEAD;
        return;
    }
    enum truth t = test_item(w, item);
    if (t == TRUTH_UNKNOWN) {
        uint32_t name = scan_name_index(w->f->names, item->text, strlen(item->text));
        see_all(w, item);
        if (name != UINT32_MAX)
            see(w, name); // #ifdef NAME
    }
    bool sure = l->outer == LIVE && l->taken == TRUTH_NO && t == TRUTH_YES;
    l->inner = t == TRUTH_NO ? DEAD : sure ? LIVE : MAYBE;
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
        forget_own(w);
        give_up_following(w, "it includes a file that is not here", false);
        return;
    }
    const struct scan *scan = w->f->files[target].scan;
    if (w->visited[target] && (scan->once || scan->guard))
        return;
    if (life_now(w) == LIVE)
        w->visited[target] = true;
    walk_file(w, target);
}

static void walk_live(struct walk *w, uint32_t file, uint32_t i, const struct scan_item *item)
{
    struct follow *f = w->f;
    see_all(w, item);
    if (f->live)
        f->live(f->context, file, item, life_now(w) == LIVE);
    if (item->kind == SCAN_DEFINE || item->kind == SCAN_UNDEF) {
        uint32_t index = scan_name_index(w->f->names, item->text, strlen(item->text));
        if (index != UINT32_MAX) {
            w->touched[index] = true;
            see(w, index);
        } else {
            note_own(w, item, life_now(w) == LIVE);
        }
    }
    if (item->kind == SCAN_INCLUDE)
        walk_include(w, f->files[file].targets[i]);
}

static void open_level(struct walk *w, const struct scan_item *item)
{
    if (w->depth == NEST_LIMIT) {
        give_up_following(w, "its conditionals are nested too deeply", true);
        return;
    }
    w->levels[w->depth] = (struct level){.outer = life_now(w), .taken = TRUTH_NO};
    w->depth++;
    enter_branch(w, &w->levels[w->depth - 1], item);
}

static void walk_item(struct walk *w, uint32_t file, uint32_t i)
{
    const struct scan_item *item = &w->f->files[file].scan->items[i];
    switch (item->kind) {
    case SCAN_IF:
    case SCAN_IFDEF:
    case SCAN_IFNDEF:
        open_level(w, item);
        return;
    case SCAN_ELIF:
    case SCAN_ELSE:
        if (w->depth > 0)
            enter_branch(w, &w->levels[w->depth - 1], item);
        return;
    case SCAN_ENDIF:
        w->depth -= w->depth > 0;
        return;
    default:
        if (life_now(w) != DEAD)
            walk_live(w, file, i, item);
    }
}

static void walk_file(struct walk *w, uint32_t index)
{
    const struct scan *scan = w->f->files[index].scan;
    if (scan->opaque)
        give_up_following(w, scan->opaque, scan->strange);
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
    w->arena = scratch;
    w->touched = arena_array(scratch, f->names->count + 1, sizeof *w->touched);
    w->visited = arena_array(scratch, f->file_count + 1, sizeof *w->visited);
    if (!w->touched || !w->visited)
        return false;

    f->opaque = NULL;
    f->strange = false;
    memset(f->seen, 0, f->names->count * sizeof *f->seen);
    for (uint32_t i = 0; i < f->main_count; i++)
        walk_file(w, f->mains[i]);
    for (uint32_t i = 0; i < f->names->count && f->opaque; i++)
        f->seen[i] = true;
    return !w->failed;
}
