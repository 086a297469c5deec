// Starting the simulator, found in a path of folders, with the worker's command behind its own; and
// telling what it found, a line a finding with source lines and work-items indented below it.
#include "workflows/check/races.h"

#include <string.h>
#include <unistd.h>

typedef unsigned long long ull;

static const struct {
    const char *name, *text;
} kinds[] = {
#define X(name, json, text) [RACE_##name] = {json, text},
    RACE_KINDS(X)
#undef X
};

const char *race_kind_text(enum race_kind k)
{
    return (unsigned)k < RACE_KINDS_COUNT ? kinds[k].text : "?";
}

const char *race_kind_name(enum race_kind k)
{
    return (unsigned)k < RACE_KINDS_COUNT ? kinds[k].name : "?";
}

bool race_same(const struct race *a, const struct race *b)
{
    return a->kind == b->kind && a->at.line == b->at.line && str_equal(a->at.file, b->at.file) &&
           str_equal(a->kernel, b->kernel);
}

int race_compare(const void *a, const void *b)
{
    const struct race *x = a, *y = b;
    int order = strcmp(x->at.file, y->at.file);
    if (order == 0)
        order = (x->at.line > y->at.line) - (x->at.line < y->at.line);
    if (order == 0)
        order = (x->kind > y->kind) - (x->kind < y->kind);
    return order ? order : strcmp(x->kernel, y->kernel);
}

// ---- starting ----------------------------------------------------------------------------------

static const char *find_program(const char *path, struct arena *a)
{
    while (path && *path) {
        size_t n = strcspn(path, ":");
        const char *program = arena_printf(a, "%.*s/" RACES_PACKAGE, (int)n, path);
        if (n && program && access(program, X_OK) == 0)
            return program;
        path += n + (path[n] == ':');
    }
    return NULL;
}

// An option with its number, in place of 0 its default.
static bool add_number_option(const char ***at, const char *option, uint64_t value,
                              uint64_t otherwise, struct arena *a)
{
    *(*at)++ = option;
    return (*(*at)++ = arena_printf(a, "%llu", (ull)(value ? value : otherwise))) != NULL;
}

const char *const *races_command(const struct races_options *o, struct arena *a, struct error *e)
{
    size_t count = 0;
    while (o->worker[count])
        count++;
    const char **argv = arena_array(a, count + 12, sizeof *argv), **at = argv;
    const char *program = find_program(o->path, a);
    if (!program) {
        error_set(e, ERROR_USAGE,
                  "the simulator " RACES_PACKAGE
                  " is not in PATH; install it (Debian, Ubuntu: apt install " RACES_PACKAGE ")");
        return NULL;
    }
    if (!argv)
        return error_no_memory(e);
    *at++ = program;
    *at++ = o->counts ? "--inst-counts" : "--data-races";
    bool ok = add_number_option(&at, "--local-mem-size", o->local_memory, RACES_LOCAL_MEMORY, a) &&
              add_number_option(&at, "--max-wgsize", o->max_group_size, RACES_GROUP_SIZE, a) &&
              add_number_option(&at, "--max-errors", o->max_errors, RACES_MAX_ERRORS, a);
    *at++ = "--log";
    *at++ = o->log;
    memcpy(at, o->worker, count * sizeof *at);
    if (!ok)
        error_memory(e);
    return ok ? argv : NULL;
}

// ---- telling -----------------------------------------------------------------------------------

static void add_position(const struct race_place *p, struct text *out)
{
    text_add(out, *p->file ? p->file : "(unknown file)");
    if (p->line)
        text_addf(out, ":%u", p->line);
}

static void add_work_item(const struct race *r, const struct race_place *p, struct text *out)
{
    bool other = p == &r->other;
    if (!*p->item)
        return;
    const char *verb = r->kind == RACE_WRITE_WRITE || (r->kind == RACE_READ_WRITE && other)
                           ? "written by "
                       : r->kind == RACE_READ_WRITE ? "read by "
                                                    : "";
    text_addf(out, "    %s%s", verb, p->item);
    if (other && p->line) {
        text_add(out, " in ");
        add_position(p, out);
    }
    text_addc(out, '\n');
}

void race_text(const struct race *r, struct text *out)
{
    add_position(&r->at, out);
    text_addf(out, ": %s", race_kind_text(r->kind));
    if (*r->kernel)
        text_addf(out, " in kernel %s", r->kernel);
    if (r->bytes)
        text_addf(out, ", %llu byte%s", (ull)r->bytes, r->bytes == 1 ? "" : "s");
    if (*r->memory)
        text_addf(out, ", %s memory", r->memory);
    if (r->count != 1 || r->more)
        text_addf(out, ", %s%llu time%s", r->more ? "at least " : "", (ull)r->count,
                  r->count == 1 ? "" : "s");
    text_addc(out, '\n');
    if (*r->detail)
        text_addf(out, "    %s\n", r->detail);
    if (*r->at.text)
        text_addf(out, "    %s\n", r->at.text);
    add_work_item(r, &r->at, out);
    bool same_line = r->other.line == r->at.line && str_equal(r->other.file, r->at.file);
    if (!same_line && *r->other.text)
        text_addf(out, "    %s\n", r->other.text);
    add_work_item(r, &r->other, out);
}
