// A variant is found by its words with their values. Texts are kept with the sources, for a configuration is made into a job more
// than once: when it is asked for, in the ranking, and for a report.
//
// A generator is a program of the user's: it has a time limit, what it starts ends with it, and it is run only where a spec in
// hone's own form names it. Its text decides everything that a kernel's file does, so that the key of a result has it.
#include "problem/variant_texts.h"

#include "problem/option_words.h"

#include "base/text.h"
#include "os/process.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define TEXT_MOST    ((size_t)16 << 20)
#define GENERATOR_NS (UINT64_C(60) * 1000000000) // how long one may take
#define POLL_MS      50
#define LAST_LINE    400

// ---- reading -----------------------------------------------------------------------------------

bool read_variant(const struct reader *r, const char *path, const char *const *words,
                  uint32_t count, bool is_command, struct program_spec *p)
{
    p->variant = arena_array(r->arena, count + (size_t)1, sizeof *p->variant);
    p->variant_words = words;
    p->variant_count = count;
    p->is_generated = is_command;
    if (!p->variant)
        return error_memory(r->error);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_word_holes(r, path, words[i], NULL, &p->variant[i]))
            return false;
    }
    return true;
}

// ---- a generator -------------------------------------------------------------------------------

static int time_left(uint64_t until)
{
    uint64_t now = clock_ns();
    return now >= until ? 0 : (int)((until - now) / 1000000 + 1);
}

// Reads until the generator closes its output. False: its time is over, or it printed too much.
static bool read_generated(struct process *p, uint64_t until, struct text *out)
{
    char part[65536];
    for (;;) {
        struct pollfd fds[2] = {{p->channel, POLLIN, 0}, {p->printed, POLLIN, 0}};
        int left = time_left(until);
        poll(fds, 2, left < POLL_MS ? left : POLL_MS);
        process_drain(p);
        ssize_t n = recv(p->channel, part, sizeof part, 0);
        if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK))
            return true;
        if (n > 0)
            text_addn(out, part, (size_t)n);
        if (out->length > TEXT_MOST || left == 0)
            return false;
    }
}

// The last line of what it said, in front of which `what` stands.
static bool refuse_generated(const struct process *p, const char *name, const char *what,
                             struct error *e)
{
    size_t end = process_tail_length(p), start = end;
    while (start > 0 && p->tail[start - 1] != '\n' && end - start < LAST_LINE)
        start--;
    return error_set(e, ERROR_USAGE, "the generator '%s' %s%s%.*s", name, what,
                     end > start ? ": " : "", (int)(end - start), p->tail + start);
}

static bool end_generated(struct process *p, const char *name, bool is_whole, uint64_t until,
                          const struct text *out, struct error *e)
{
    char ended[128], what[192];
    int status = 0;
    if (!is_whole) {
        str_format(what, sizeof what, "printed more than %zu MiB, or took longer than %d s",
                   TEXT_MOST >> 20, (int)(GENERATOR_NS / 1000000000));
        return refuse_generated(p, name, what, e);
    }
    if (!process_wait(p, time_left(until), &status))
        return refuse_generated(p, name, "closed its output and did not end", e);
    process_status_text(status, ended, sizeof ended);
    if (status != 0)
        return refuse_generated(p, name, ended, e);
    if (out->length == 0)
        return refuse_generated(p, name, "printed nothing: it prints the kernel's text", e);
    return !out->failed || error_memory(e);
}

// It runs in the spec's folder, whose path comes before its words.
static bool run_generator(const char *folder, const char *const *words, uint32_t count,
                          struct text *out, struct error *e)
{
    struct process p = PROCESS_NONE;
    const char **argv = calloc((size_t)count + 6, sizeof *argv);
    uint64_t until = clock_ns() + GENERATOR_NS;
    if (!argv)
        return error_memory(e);
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = "cd \"$0\" && exec \"$@\" </dev/null";
    argv[3] = folder;
    memcpy(argv + 4, words, count * sizeof *words);
    bool ok = process_start_owned(&p, argv, e);
    if (ok) {
        bool is_whole = read_generated(&p, until, out);
        ok = end_generated(&p, words[0], is_whole, until, out, e);
    }
    process_end(&p);
    free(argv);
    return ok && str_has_no_nul(words[0], text_cstr(out), out->length, e);
}

// ---- texts -------------------------------------------------------------------------------------

struct variant_text {
    const char *words; // with their values, a line each
    const struct program_sources *sources;
    uint32_t program;
    struct variant_text *next;
};

static const char *absolute_folder(const struct spec *s, struct arena *a, struct error *e)
{
    char *real = realpath(s->directory, NULL);
    const char *kept = real ? arena_strdup(a, real) : NULL;
    bool is_there = real != NULL;
    free(real);
    if (!kept && is_there)
        error_memory(e);
    else if (!kept)
        error_set_driver(e, ERROR_IO, errno, "%s: there is no such folder", s->directory);
    return kept;
}

// The words with these values; NULL with an error.
static const char **fill_variant(const struct program_spec *p, const struct value *slots,
                                 struct arena *a, struct error *e)
{
    const char **words = arena_array(a, p->variant_count + (size_t)1, sizeof *words);
    if (!words)
        error_memory(e);
    for (uint32_t i = 0; words && i < p->variant_count; i++) {
        words[i] = fill_word(p->variant_words[i], &p->variant[i], slots, a, e);
        if (!words[i])
            return NULL;
    }
    return words;
}

static const char *variant_text(const struct spec *s, const struct program_spec *p,
                                const char *const *words, struct arena *a, size_t *length,
                                struct error *e)
{
    struct text text = TEXT_INIT, path = TEXT_INIT;
    const char *folder = absolute_folder(s, a, e);
    bool ok = folder != NULL;
    if (ok && p->is_generated) {
        ok = run_generator(folder, words, p->variant_count, &text, e);
    } else if (ok) {
        text_addf(&path, "%s%s%s", words[0][0] == '/' ? "" : folder, words[0][0] == '/' ? "" : "/",
                  words[0]);
        ok = file_read(text_cstr(&path), TEXT_MOST, &text, e);
    }
    *length = text.length;
    const char *kept = ok ? arena_bytes(a, text_cstr(&text), text.length) : NULL;
    if (ok && !kept)
        error_memory(e);
    if (!ok)
        error_context(e, "%s", p->path);
    text_release(&text);
    text_release(&path);
    return kept;
}

bool variant_default(const struct spec *s, const struct program_spec *p, enum language l,
                     struct arena *a, const char **name, const char **text, size_t *length,
                     struct error *e)
{
    const struct spec_sources none = {.spec = s, .language = l};
    uint32_t *choice = arena_array(a, s->parameter_count + (size_t)1, sizeof *choice);
    struct value *slots = arena_array(a, s->slots.count, sizeof *slots);
    if (!choice || !slots)
        return error_memory(e);
    if (!spec_is_bound(s, e) || !default_choice(&none, s->device, choice, e))
        return false;
    spec_bind_fixed(s, s->device, slots);
    slots[s->slots.facts + FACT_LANGUAGE_INDEX] = value_string(language_title(l));
    spec_bind(s, choice, slots, a, NULL, NULL);
    const char **words = fill_variant(p, slots, a, e);
    *text = words ? variant_text(s, p, words, a, length, e) : NULL;
    *name = words ? words[0] : NULL;
    return *text != NULL;
}

static const char *join_lines(const char *const *words, uint32_t count, struct arena *a)
{
    struct text text = TEXT_INIT;
    for (uint32_t i = 0; i < count; i++)
        text_addf(&text, "%s\n", words[i]);
    return text_to_arena(&text, a);
}

// Reads the text with what it includes, as the default's was read.
static const struct program_sources *read_variant_sources(struct maker *m, uint32_t program,
                                                          const char *const *words)
{
    struct spec_sources *src =
        (struct spec_sources *)(uintptr_t)m->src; // which keeps what was made
    const struct program_spec *p = &m->language->programs[program];
    struct program_sources *out = arena_alloc(&src->arena, sizeof *out);
    struct program_spec plain = *p;
    const char *folder = absolute_folder(m->spec, m->arena, m->e);
    if (!out)
        error_memory(m->e);
    if (!out || !folder)
        return NULL;
    plain.text = variant_text(m->spec, p, words, &src->arena, &plain.text_length, m->e);
    if (!plain.text)
        return NULL;
    plain.text_name = arena_strdup(&src->arena, words[0]);
    plain.variant_count = 0;
    if (!plain.text_name || !sources_read_program(src, &plain, folder, out, m->e))
        return NULL;
    out->named = m->src->programs[program].named;
    return out;
}

const struct program_sources *make_variant(struct maker *m, uint32_t program)
{
    struct spec_sources *src = (struct spec_sources *)(uintptr_t)m->src;
    const struct program_spec *p = &m->language->programs[program];
    const char **words = fill_variant(p, m->slots, m->arena, m->e);
    const char *key = words ? join_lines(words, p->variant_count, &src->arena) : NULL;
    if (!key)
        return words ? (error_memory(m->e), NULL) : NULL;
    for (const struct variant_text *v = src->variants; v; v = v->next) {
        if (v->program == program && strcmp(v->words, key) == 0)
            return v->sources;
    }
    struct variant_text *v = arena_alloc(&src->arena, sizeof *v);
    if (!v)
        return error_memory(m->e), NULL;
    *v = (struct variant_text){.words = key, .program = program, .next = src->variants};
    v->sources = read_variant_sources(m, program, words);
    if (v->sources)
        src->variants = v;
    return v->sources;
}
