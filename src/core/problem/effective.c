// Digest of the work that the device really runs: of two configurations whose compilers see the
// same source and whose launches are equal, one measurement is enough.
//
// Sources are the same for all jobs of a run, so the lines that the compiler sees stand for their
// text. A -D option counts when its name can be seen in those lines. If a program cannot be
// followed, everything counts.
#include "problem/job_formulas.h"

#include "base/text.h"

#include <string.h>

struct digester {
    const struct spec_sources *src;
    struct digest_state *state;
    struct arena *scratch;
};

static void add_digest_number(struct digest_state *state, uint32_t v)
{
    unsigned char bytes[4] = {(unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16),
                              (unsigned char)(v >> 24)};
    digest_add(state, bytes, sizeof bytes);
}

static void add_effective_lines(void *context, struct macros *m, uint32_t file,
                                const struct scan_item *item, bool sure)
{
    struct digest_state *state = context;
    (void)m;
    add_digest_number(state, file);
    add_digest_number(state, item->first);
    add_digest_number(state, item->last);
    add_digest_number(state, sure);
}

static const struct program_sources *find_sources(const struct spec_sources *src,
                                                  const struct job_program *p)
{
    for (uint32_t i = 0; i < src->program_count; i++) {
        const struct program_sources *s = &src->programs[i];
        // One whose unrolling is taken out (unroll.c) has the same lines.
        if (s->text == p->source || (s->length == p->length && str_equal(s->name, p->name)))
            return s;
    }
    return NULL;
}

// Options that change what names mean in ways that are not followed here.
static bool is_strange(const char *option)
{
    static const char *const starts[] = {"-U",      "-include", "-imacros", "--pre-include",
                                         "-Wp",     "-Xpre",    "-Xclang",  "--define",
                                         "--undef", "-undef",   "@"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (strncmp(option, starts[i], strlen(starts[i])) == 0)
            return true;
    }
    return strcmp(option, "-D") == 0;
}

bool sources_note_macros(const struct scan_names *names, const struct job_program *p,
                         struct follow_macro *macros)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        size_t length;
        const char *value, *name = option_macro(p->options[i], &length, &value);
        if (is_strange(p->options[i]))
            return false;
        if (!name)
            continue;
        uint32_t index = scan_name_index(names, name, length);
        if (index == UINT32_MAX || macros[index].given || name[length] == '(')
            return false;
        macros[index] = (struct follow_macro){true, value};
    }
    return true;
}

// Leaves in *p the options that matter, and adds the live lines to the digest.
static bool keep_seen(const struct digester *d, struct job_program *p)
{
    const struct program_sources *sources = find_sources(d->src, p);
    const struct scan_names *names = &d->src->names;
    struct follow_macro *macros = arena_array(d->scratch, names->count + 1, sizeof *macros);
    bool *seen = arena_array(d->scratch, names->count + 1, sizeof *seen);
    const char **kept = arena_array(d->scratch, p->option_count + 1, sizeof *kept);
    if (!macros || !seen || !kept)
        return false;
    if (!sources || !sources_note_macros(names, p, macros))
        return true;
    struct follow f = sources->follow;
    f.terms.given = macros;
    f.live = add_effective_lines;
    f.context = d->state;
    f.seen = seen;
    if (!follow_run(&f, d->scratch))
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->option_count; i++) {
        size_t length;
        const char *value, *name = option_macro(p->options[i], &length, &value);
        if (!name || seen[scan_name_index(names, name, length)])
            kept[count++] = p->options[i];
    }
    p->options = kept;
    p->option_count = count;
    return true;
}

// A shallow copy of the job whose programs have only the options that matter.
static bool reduce_job(const struct digester *d, const struct job *job, struct job *out)
{
    *out = *job;
    out->programs =
        arena_copy(d->scratch, job->programs, job->program_count * sizeof *job->programs);
    if (!out->programs)
        return false;
    for (uint32_t i = 0; i < out->program_count; i++) {
        if (!keep_seen(d, &out->programs[i]))
            return false;
    }
    return true;
}

bool spec_effective_digest(const struct spec *s, const struct spec_sources *src,
                           const struct job *job, struct digest *out)
{
    (void)s;
    struct digest_state state;
    struct arena scratch;
    struct job reduced, other;
    arena_init(&scratch);
    digest_start(&state);
    struct digester d = {.src = src, .state = &state, .scratch = &scratch};
    bool ok = reduce_job(&d, job, &reduced);
    if (ok && job->reference.job) {
        ok = reduce_job(&d, job->reference.job, &other);
        reduced.reference.job = &other;
    }
    if (ok) {
        struct wire w;
        wire_hasher(&w, &state);
        job_codec(&w, &reduced);
        ok = !w.failed;
    }
    digest_finish(&state, out);
    arena_release(&scratch);
    return ok;
}
