// From the places that the simulator names to the user's files: as the preprocessor does, by the
// #line directives of the sources, and by the tree of included files.
#include "workflows/check/races.h"

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

static void skip_directive_blanks(struct walk *w, const char **at)
{
    while (*at < w->line + w->length && isblank((unsigned char)**at))
        ++*at;
}

static bool skip_word(struct walk *w, const char **at, const char *word)
{
    size_t n = strlen(word), left = (size_t)(w->line + w->length - *at);
    bool there = left >= n && memcmp(*at, word, n) == 0;
    *at += there ? n : 0;
    skip_directive_blanks(w, at);
    return there;
}

// `#line 12 "name"`, or `# 12 "name"`: the line behind it is 12.
static void take_directive(struct walk *w)
{
    const char *at = w->line, *end = w->line + w->length;
    uint64_t number = 0;
    size_t n = 0;
    skip_directive_blanks(w, &at);
    if (!skip_word(w, &at, "#"))
        return;
    skip_word(w, &at, "line");
    if (at == end || !isdigit((unsigned char)*at))
        return;
    for (; at < end && isdigit((unsigned char)*at) && number < UINT32_MAX; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    w->number = number - 1; // counted on with the next line
    skip_directive_blanks(w, &at);
    if (!skip_word(w, &at, "\""))
        return;
    for (; at < end && *at != '"' && n + 1 < sizeof w->file; at++) {
        at += *at == '\\' && at + 1 < end;
        w->file[n++] = *at;
    }
    w->file[n] = '\0';
}

static bool walk_line(struct walk *w)
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
static const char *find_source_line(const void *text, uint64_t length, const char *name,
                                    uint32_t number, struct arena *a)
{
    struct walk w = {.at = text, .end = (const char *)text + length};
    while (walk_line(&w)) {
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

// The program that contains the kernel; the first one if that is not known.
static const struct job_program *program_of(const struct job *j, const char *kernel)
{
    for (uint32_t i = 0; i < j->launch_count; i++) {
        if (str_equal(j->launches[i].kernel, kernel))
            return &j->programs[j->launches[i].program];
    }
    return j->program_count ? &j->programs[0] : NULL;
}

static void locate_place(struct race_place *at, const struct job_program *p, struct arena *a)
{
    bool unnamed = str_equal(at->file, SOURCE_NAME);
    if (!at->line)
        return;
    const char *text = find_source_line(p->source, p->length, unnamed ? "" : at->file, at->line, a);
    for (uint32_t i = 0; !text && i < p->file_count; i++) {
        if (str_equal(p->files[i].path, at->file))
            text = find_source_line(p->files[i].text, p->files[i].length, "", at->line, a);
    }
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
        locate_place(&race->at, p, a);
        locate_place(&race->other, p, a);
    }
}
