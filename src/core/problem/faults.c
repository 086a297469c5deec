// Collecting mistakes: a list of texts without repetition, put into one error at the end, as many as
// its text has room for.
#include "problem/faults.h"

#include "problem/spec.h"

#include "base/text.h"

#include <string.h>

#define FAULTS_MOST  200
#define ERROR_MARGIN 512 // of an error's text: for the path in front and the last line

static struct fault *new_fault(struct arena *a, const char *text)
{
    struct fault *x = arena_alloc(a, sizeof *x);
    if (x)
        x->text = arena_strdup(a, text);
    return x && x->text ? x : NULL;
}

// A block that is read for each language gives the same text again.
static bool is_kept(const struct faults *f, const char *text)
{
    for (const struct fault *x = f->first; x; x = x->next) {
        if (strcmp(x->text, text) == 0)
            return true;
    }
    return false;
}

bool faults_is_hidden(const struct faults *f, const char *path)
{
    for (const struct fault *h = f->hidden; h; h = h->next) {
        size_t length = strlen(h->text);
        if (strncmp(path, h->text, length) == 0 &&
            (path[length] == '\0' || strchr(":.[", path[length]) != NULL))
            return true;
    }
    return false;
}

bool faults_keep(struct faults *f, struct arena *a, bool ok, struct error *e)
{
    if (ok || (e->code != ERROR_INPUT && e->code != ERROR_IO))
        return ok;
    if (f->count >= FAULTS_MOST) { // of more than this only the number is told
        f->count++;
    } else if (!is_kept(f, e->text) && !faults_is_hidden(f, e->text)) {
        struct fault *x = new_fault(a, e->text);
        if (!x) {
            error_clear(e);
            return error_memory(e);
        }
        x->code = e->code;
        x->driver = e->driver;
        *(f->last ? &f->last->next : &f->first) = x;
        f->last = x;
        f->count++;
    }
    error_clear(e);
    return true;
}

bool faults_hide(struct faults *f, struct arena *a, const char *path, struct error *e)
{
    if (f->count >= FAULTS_MOST)
        return faults_end(f, e);
    struct fault *x = new_fault(a, path);
    if (!x)
        return error_memory(e);
    x->next = f->hidden;
    f->hidden = x;
    return true;
}

bool faults_end(const struct faults *f, struct error *e)
{
    if (f->count == 0)
        return true;
    if (f->count == 1)
        return error_set_driver(e, f->first->code, f->first->driver, "%s", f->first->text);
    struct text all = TEXT_INIT;
    uint32_t told = 0;
    text_addf(&all, "%u mistakes", (unsigned)f->count);
    for (const struct fault *x = f->first; x; x = x->next) {
        if (all.length + strlen(x->text) + ERROR_MARGIN > sizeof e->text)
            break;
        text_add(&all, told == 0 ? ":\n  " : "\n  ");
        size_t before = all.length;
        spec_place(f->spec, x->text, &all);
        text_addf(&all, "%s%s", all.length > before ? ": " : "", x->text);
        told++;
    }
    if (told < f->count)
        text_addf(&all, "\n  and %u more", (unsigned)(f->count - told));
    error_set(e, ERROR_INPUT, "%s", text_cstr(&all));
    text_release(&all);
    return false;
}
