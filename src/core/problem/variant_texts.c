// A variant is found by its words with their values. Texts are kept with the sources, for a configuration is made into a job more
// than once: when it is asked for, in the ranking, and for a report.
//
// Texts of many configurations are begun before they are needed (spec_texts_are_made()): several generators run at once then, beside
// what is built, and what they print is taken when they end, so that a configuration that is refused leaves none. A generator is
// a program of the user's: it has a time limit, what it starts ends with it, and it is run only where a spec in hone's own form
// names it. Its text decides everything that a kernel's file does, so that the key of a result has it.
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
#define GENERATOR_MS 60000 // how long one may take
#define GAP_MOST_MS  1000 // that much of the time between two steps counts: hone itself was stopped
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

// A text that is being made.
struct making {
    struct process process; // none: the text was in a file
    uint64_t seen_ns;       // when its time was counted last
    uint64_t left_ms;       // of its time
    const char *name;       // of the generator; it outlives this
    struct text out;
    bool is_whole; // it closed its output: there is no more
};

static uint64_t count_time(struct making *g)
{
    uint64_t now = clock_ns(), passed = (now - g->seen_ns) / 1000000;
    passed = passed < GAP_MOST_MS ? passed : GAP_MOST_MS;
    g->seen_ns = passed > 0 ? now : g->seen_ns;
    g->left_ms -= passed < g->left_ms ? passed : g->left_ms;
    return g->left_ms;
}

// It runs in the spec's folder, whose path comes before its words.
static bool start_generator(struct making *g, const char *folder, const char *const *words,
                            uint32_t count, struct error *e)
{
    const char **argv = calloc((size_t)count + 6, sizeof *argv);
    if (!argv)
        return error_memory(e);
    argv[0] = "sh";
    argv[1] = "-c";
    argv[2] = "cd \"$0\" && exec \"$@\" </dev/null";
    argv[3] = folder;
    memcpy(argv + 4, words, count * sizeof *words);
    g->seen_ns = clock_ns();
    g->left_ms = GENERATOR_MS;
    bool ok = process_start_owned(&g->process, argv, e);
    free(argv);
    return ok;
}

// Takes what it printed by now, after at most timeout_ms.
static void read_generator(struct making *g, int timeout_ms)
{
    char part[65536];
    struct pollfd fds[2] = {{g->process.channel, POLLIN, 0}, {g->process.printed, POLLIN, 0}};
    poll(fds, 2, timeout_ms);
    process_drain(&g->process);
    ssize_t n = 1;
    while (n > 0 && g->out.length <= TEXT_MOST) {
        n = recv(g->process.channel, part, sizeof part, 0);
        if (n > 0)
            text_addn(&g->out, part, (size_t)n);
    }
    g->is_whole = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK);
}

// The last line of what it said, in front of which `what` stands.
static bool refuse_generated(const struct making *g, const char *what, struct error *e)
{
    const char *tail = g->process.tail;
    size_t end = process_tail_length(&g->process), start = end;
    while (start > 0 && tail[start - 1] != '\n' && end - start < LAST_LINE)
        start--;
    return error_set(e, ERROR_USAGE, "the generator '%s' %s%s%.*s", g->name, what,
                     end > start ? ": " : "", (int)(end - start), tail + start);
}

// The whole of it ended with this status.
static bool check_generated(const struct making *g, int status, struct error *e)
{
    char ended[128];
    process_status_text(status, ended, sizeof ended);
    if (status != 0)
        return refuse_generated(g, ended, e);
    if (g->out.length == 0)
        return refuse_generated(g, "printed nothing: it prints the kernel's text", e);
    return (!g->out.failed || error_memory(e)) &&
           str_has_no_nul(g->name, text_cstr(&g->out), g->out.length, e);
}

// Goes on for at most timeout_ms; once it has ended, it has no process. False with the reason why there will be no text.
static bool step_generator(struct making *g, int timeout_ms, struct error *e)
{
    char what[128];
    int status = 0;
    g->seen_ns = g->process.stopped ? clock_ns() : g->seen_ns;
    process_continue(&g->process);
    if (!g->is_whole)
        read_generator(g, timeout_ms);
    if (g->is_whole && process_wait(&g->process, timeout_ms, &status))
        return check_generated(g, status, e);
    if (count_time(g) > 0 && g->out.length <= TEXT_MOST)
        return true;
    str_format(what, sizeof what, "printed more than %zu MiB, or took longer than %d s",
               TEXT_MOST >> 20, GENERATOR_MS / 1000);
    return refuse_generated(g, g->is_whole ? "closed its output and did not end" : what, e);
}

static void drop_making(struct making *g)
{
    process_end(&g->process);
    text_release(&g->out);
}

// ---- texts -------------------------------------------------------------------------------------

struct variant_text {
    const char *words;                     // with their values, a line each
    const struct program_sources *sources; // NULL: not made yet, or it cannot be
    const struct error *why;               // it cannot be
    const struct spec_sources *owner;      // whose list it was added to
    uint32_t program;
    struct making making;
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

// Begins to make a text; that of a file is there at once. The words outlive *g, which drop_making() ends.
static bool start_making(struct making *g, const struct spec *s, const struct program_spec *p,
                         const char *const *words, struct arena *a, struct error *e)
{
    const char *folder = absolute_folder(s, a, e);
    *g = (struct making){.process = PROCESS_NONE, .name = words[0], .out = TEXT_INIT};
    if (!folder)
        return false;
    if (p->is_generated)
        return start_generator(g, folder, words, p->variant_count, e);
    struct text path = TEXT_INIT;
    text_addf(&path, "%s%s%s", words[0][0] == '/' ? "" : folder, words[0][0] == '/' ? "" : "/",
              words[0]);
    bool ok = file_read(text_cstr(&path), TEXT_MOST, &g->out, e);
    text_release(&path);
    return ok;
}

// The whole text, which is waited for; nothing is left of the generator. NULL with an error, if `ok` is false with that of before.
static const char *take_text(struct making *g, bool ok, const struct program_spec *p,
                             struct arena *a, size_t *length, struct error *e)
{
    while (ok && g->process.pid > 0)
        ok = step_generator(g, POLL_MS, e);
    *length = g->out.length;
    const char *kept = ok ? arena_bytes(a, text_cstr(&g->out), g->out.length) : NULL;
    if (ok && !kept)
        error_memory(e);
    if (!ok)
        error_context(e, "%s", p->path);
    drop_making(g);
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
    if (!words)
        return false;
    struct making g;
    bool ok = start_making(&g, s, p, words, a, e);
    *text = take_text(&g, ok, p, a, length, e);
    *name = words[0];
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
                                                          const char *name, const char *text,
                                                          size_t length)
{
    struct spec_sources *src =
        (struct spec_sources *)(uintptr_t)m->src; // which keeps what was made
    struct program_sources *out = arena_alloc(&src->arena, sizeof *out);
    struct program_spec plain = m->language->programs[program];
    const char *folder = absolute_folder(m->spec, m->arena, m->e);
    plain.text = text;
    plain.text_length = length;
    plain.text_name = arena_strdup(&src->arena, name);
    plain.variant_count = 0;
    if (!out || !plain.text_name)
        error_memory(m->e);
    if (!out || !plain.text_name || !folder ||
        !sources_read_program(src, &plain, folder, out, m->e))
        return NULL;
    out->named = m->src->programs[program].named;
    return out;
}

// The program's text for the configuration that is made, which is begun if it was not. NULL with an error.
static struct variant_text *find_variant(struct maker *m, uint32_t program)
{
    struct spec_sources *src = (struct spec_sources *)(uintptr_t)m->src;
    const struct program_spec *p = &m->language->programs[program];
    const char **words = fill_variant(p, m->slots, m->arena, m->e);
    const char *key = words ? join_lines(words, p->variant_count, m->arena) : NULL;
    if (!key)
        return words ? (error_memory(m->e), NULL) : NULL;
    for (struct variant_text *v = src->variants; v; v = v->next) {
        if (v->program == program && strcmp(v->words, key) == 0)
            return v;
    }
    struct variant_text *v = arena_alloc(&src->arena, sizeof *v);
    key = arena_strdup(&src->arena, key);
    words[0] = arena_strdup(&src->arena, words[0]);
    if (!v || !key || !words[0])
        return error_memory(m->e), NULL;
    *v = (struct variant_text){
        .words = key, .program = program, .owner = src, .next = src->variants};
    if (!start_making(&v->making, m->spec, p, words, m->arena, m->e)) {
        drop_making(&v->making);
        error_context(m->e, "%s", p->path);
        return NULL;
    }
    src->variants = v;
    return v;
}

// The whole of it is taken, or why there is none.
static void settle_variant(struct maker *m, struct variant_text *v, bool ok)
{
    struct spec_sources *src = (struct spec_sources *)(uintptr_t)m->src;
    size_t length;
    const char *name = v->making.name;
    const char *text =
        take_text(&v->making, ok, &m->language->programs[v->program], &src->arena, &length, m->e);
    v->sources = text ? read_variant_sources(m, v->program, name, text, length) : NULL;
    if (!v->sources && !(v->why = arena_copy(&src->arena, m->e, sizeof *m->e)))
        v->words = ""; // no memory: it is not found again
}

const struct program_sources *make_variant(struct maker *m, uint32_t program)
{
    struct variant_text *v = find_variant(m, program);
    if (v && v->why)
        *m->e = *v->why;
    else if (v && !v->sources)
        settle_variant(m, v, true);
    return v ? v->sources : NULL;
}

// ---- ahead -------------------------------------------------------------------------------------

bool spec_generates(const struct spec_sources *src)
{
    const struct language_spec *l = &src->spec->kernel->languages[src->language];
    for (uint32_t i = 0; i < l->program_count; i++) {
        if (l->programs[i].is_generated)
            return true;
    }
    return false;
}

// Its programs one after the other: none is begun for a configuration of which there will be no job. False: it goes on.
static bool make_texts(struct maker *m, struct error *e)
{
    bool is_usable = false;
    if (!make_names(m) || !make_truth(m, &m->language->when, &is_usable) || !is_usable)
        return true;
    for (uint32_t i = 0; i < m->language->program_count; i++) {
        if (!m->language->programs[i].is_generated)
            continue;
        struct variant_text *v = find_variant(m, i);
        bool is_made = v && (v->sources || v->why);
        bool ok = is_made || (v && step_generator(&v->making, 0, m->e));
        if (ok && !is_made && v->making.process.pid > 0)
            return false;
        if (v && !is_made)
            settle_variant(m, v, ok);
        else if (!v && (m->e->code == ERROR_IO || m->e->code == ERROR_MEMORY))
            *e = *m->e; // hone's own: it was not started
        if (!v || v->why)
            return true;
    }
    return true;
}

bool spec_texts_are_made(const struct spec_sources *src, const struct device_info *device,
                         const uint32_t *choice, struct error *e)
{
    struct error ignored = ERROR_INIT; // spec_job() has it again
    struct arena arena;
    struct maker m;
    arena_init(&arena);
    make_start(&m, src, device, &ignored);
    m.choice = choice;
    m.arena = &arena;
    bool is_over = make_texts(&m, e);
    arena_release(&arena);
    return is_over;
}

void spec_texts_pause(const struct spec_sources *src)
{
    for (struct variant_text *v = src->variants; v; v = v->next) {
        if (!v->making.process.stopped)
            process_stop(&v->making.process);
    }
}

void spec_texts_drop(struct spec_sources *src)
{
    for (struct variant_text **at = &src->variants; *at;) {
        struct variant_text *v = *at;
        bool is_dropped = !v->sources && !v->why && v->owner == src;
        if (is_dropped)
            drop_making(&v->making);
        if (is_dropped)
            *at = v->next;
        else
            at = &v->next;
    }
}
