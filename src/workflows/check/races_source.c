// From the places that the simulator names to the user's files: as the preprocessor does, by the
// #line directives of the sources, and by the tree of included files.
#include "races.h"

#include <ctype.h>
#include <string.h>

#define SOURCE_NAME "input.cl" // the simulator's name for the text that it was given

// A walk over a source's lines, as they are numbered after #line.
struct walk {
    const char *at, *end; // what is left
    const char *line;     // the present one
    size_t length;
    char file[512]; // "" before a #line names one
    uint64_t number;
};

static void skip_blanks(struct walk *w, const char **at)
{
    while (*at < w->line + w->length && isblank((unsigned char)**at))
        ++*at;
}

static bool skip_word(struct walk *w, const char **at, const char *word)
{
    size_t n = strlen(word), left = (size_t)(w->line + w->length - *at);
    bool there = left >= n && memcmp(*at, word, n) == 0;
    *at += there ? n : 0;
    skip_blanks(w, at);
    return there;
}

static void take_name(struct walk *w, const char *at)
{
    size_t n = 0;
    for (; at < w->line + w->length && *at != '"' && n + 1 < sizeof w->file; at++) {
        at += *at == '\\' && at + 1 < w->line + w->length;
        w->file[n++] = *at;
    }
    w->file[n] = '\0';
}

// `#line 12 "name"`, or `# 12 "name"`: the line behind it is 12.
static void take_directive(struct walk *w)
{
    const char *at = w->line, *end = w->line + w->length;
    uint64_t number = 0;
    skip_blanks(w, &at);
    if (!skip_word(w, &at, "#"))
        return;
    skip_word(w, &at, "line");
    if (at == end || !isdigit((unsigned char)*at))
        return;
    for (; at < end && isdigit((unsigned char)*at) && number < UINT32_MAX; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    w->number = number - 1; // counted on with the next line
    skip_blanks(w, &at);
    if (skip_word(w, &at, "\""))
        take_name(w, at);
}

static bool next_line(struct walk *w)
{
    if (w->at >= w->end)
        return false;
    const char *stop = memchr(w->at, '\n', (size_t)(w->end - w->at));
    w->line = w->at;
    w->length = (size_t)((stop ? stop : w->end) - w->at);
    w->at = stop ? stop + 1 : w->end;
    w->number++;
    take_directive(w);
    return true;
}

// The line's text, trimmed, from a source; NULL when it has none of that name and number. `name` ""
// is the text before any #line.
static const char *find_line(const void *text, uint64_t length, const char *name, uint32_t number,
                             struct arena *a)
{
    struct walk w = {.at = text, .end = (const char *)text + length};
    while (next_line(&w)) {
        if (w.number != number || !str_equal(w.file, name))
            continue;
        while (w.length && isspace((unsigned char)*w.line)) {
            w.line++;
            w.length--;
        }
        while (w.length && isspace((unsigned char)w.line[w.length - 1]))
            w.length--;
        return arena_strndup(a, w.line, w.length);
    }
    return NULL;
}

// The program that the kernel is in; the first one where that is not told.
static const struct job_program *program_of(const struct job *j, const char *kernel)
{
    for (uint32_t i = 0; i < j->launch_count; i++) {
        if (str_equal(j->launches[i].kernel, kernel))
            return &j->programs[j->launches[i].program];
    }
    return j->program_count ? &j->programs[0] : NULL;
}

static const char *find_included(const struct job_program *p, const struct race_place *at,
                                 struct arena *a)
{
    for (uint32_t i = 0; i < p->file_count; i++) {
        if (str_equal(p->files[i].path, at->file))
            return find_line(p->files[i].text, p->files[i].length, "", at->line, a);
    }
    return NULL;
}

static void locate(struct race_place *at, const struct job_program *p, struct arena *a)
{
    bool unnamed = str_equal(at->file, SOURCE_NAME);
    if (!at->line)
        return;
    const char *text = find_line(p->source, p->length, unnamed ? "" : at->file, at->line, a);
    if (!text)
        text = find_included(p, at, a);
    at->text = text ? text : "";
    if (unnamed)
        at->file = p->name;
}

void races_locate(struct races *r, const struct job *j, struct arena *a)
{
    for (size_t i = 0; i < r->count; i++) {
        struct race *race = &r->races[i];
        const struct job_program *p = program_of(j, race->kernel);
        if (!p)
            continue;
        locate(&race->at, p, a);
        locate(&race->other, p, a);
    }
}
