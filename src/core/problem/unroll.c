// Loops that Kernel Tuner's convention leaves to the compiler: a parameter whose name begins with
// loop_unroll_factor and whose value is 0 takes its `#pragma unroll` out of the text. Compilers
// refuse a factor of 0, or warn of it for every loop.
#include "problem/job_formulas.h"

#include <ctype.h>
#include <string.h>

static const char start_of_names[] = "loop_unroll_factor";

static const char *skip_blanks_to(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static bool accept_word(const char **at, const char *end, const char *word, size_t length)
{
    const char *from = skip_blanks_to(*at, end), *behind = from + length;
    if ((size_t)(end - from) < length || strncmp(from, word, length) != 0 ||
        (behind < end && (isalnum((unsigned char)*behind) || *behind == '_')))
        return false;
    *at = behind;
    return true;
}

// Is the line `#pragma unroll NAME`, or `#pragma unroll(NAME)`?
static bool is_unroll_line(const char *at, const char *end, const char *name)
{
    at = skip_blanks_to(at, end);
    if (at == end || *at++ != '#' || !accept_word(&at, end, "pragma", strlen("pragma")) ||
        !accept_word(&at, end, "unroll", strlen("unroll")))
        return false;
    at = skip_blanks_to(at, end);
    at += at < end && *at == '(';
    return accept_word(&at, end, name, strlen(name));
}

// Blanks take the lines' place, so that all others stay where they are; NULL where there is none.
static char *blank_lines(struct arena *a, const char *text, uint64_t length, const char *name,
                         bool *failed)
{
    char *copy = NULL;
    const char *end = text + length;
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        if (is_unroll_line(line, stop, name)) {
            copy = copy ? copy : arena_copy(a, text, (size_t)length);
            if (!copy) {
                *failed = true;
                return NULL;
            }
            memset(copy + (line - text), ' ', (size_t)(stop - line));
        }
        line = stop + (stop < end);
    }
    return copy;
}

static bool blank_program(struct maker *m, struct job_program *p, const char *name)
{
    bool failed = false;
    const char *text = blank_lines(m->arena, p->source, p->length, name, &failed);
    p->source = text ? text : p->source;
    for (uint32_t i = 0; i < p->file_count && !failed; i++) {
        text = blank_lines(m->arena, p->files[i].text, p->files[i].length, name, &failed);
        if (!text)
            continue;
        // The files are those of all jobs.
        struct job_file *files = arena_copy(m->arena, p->files, p->file_count * sizeof *files);
        failed = !files;
        if (files) {
            files[i].text = text;
            p->files = files;
        }
    }
    return !failed || error_memory(m->e);
}

bool make_unrolled(struct maker *m, struct job_program *p)
{
    const struct spec *s = m->spec;
    for (uint32_t i = 0; i < s->slots.facts; i++) {
        const char *name = s->symbols.items[i].name;
        int64_t factor;
        if (strncmp(name, start_of_names, strlen(start_of_names)) == 0 &&
            value_to_i64(&m->slots[i], &factor) && factor == 0 && !blank_program(m, p, name))
            return false;
    }
    return true;
}
