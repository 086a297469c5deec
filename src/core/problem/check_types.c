// Compares a spec's arguments with the parameters of its kernels, as far as the source shows
// them: once for all configurations when the sources are read, and if that leaves something open
// (a type that a parameter gives, say) for each configuration when its job is made.
#include "problem/job_formulas.h"
#include "problem/signature.h"

#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

// One launch's arguments beside its kernel.
struct pairing {
    const struct spec_sources *src;
    const struct launch_spec *launch;
    const char *kernel;
    const struct signature *signature;
    struct passed *passed;     // what the language passes, in order
    const uint32_t *arguments; // of the spec, in the same order
    uint32_t count;
    struct error *e;
};

static const struct argument_spec *argument_of_pair(const struct pairing *p, uint32_t i)
{
    return &p->src->spec->kernel->arguments[p->arguments[i]];
}

// ---- telling -----------------------------------------------------------------------------------

static bool refuse_count(const struct pairing *p)
{
    const struct signature *s = p->signature;
    struct text takes = TEXT_INIT, gives = TEXT_INIT;
    for (uint32_t i = 0; i < s->count; i++)
        text_addf(&takes, "%s%s", i ? ", " : ": ", s->parameters[i].text);
    for (uint32_t i = 0; i < p->count; i++)
        text_addf(&gives, "%s%s", i ? ", " : ": ", argument_of_pair(p, i)->name);
    error_set(p->e, ERROR_INPUT,
              "%s: kernel '%s' (%s, line %u) takes %u argument%s%s; the spec gives %u%s",
              p->launch->path, p->kernel, s->file, s->line, s->count, s->count == 1 ? "" : "s",
              text_cstr(&takes), p->count, text_cstr(&gives));
    text_release(&takes);
    text_release(&gives);
    return false;
}

// "a buffer of float"
static void add_given(const struct passed *p, struct text *out)
{
    static const char *const kinds[ARGUMENT_KINDS] = {[ARGUMENT_BUFFER] = "a buffer of",
                                                      [ARGUMENT_SCALAR] = "a scalar of type",
                                                      [ARGUMENT_LOCAL] = "local memory for",
                                                      [ARGUMENT_NULL] = "null in place of"};
    char type[24];
    element_name(&p->element, type);
    if (p->kind == ARGUMENT_SAMPLER)
        text_add(out, "a sampler");
    else
        text_addf(out, "%s %s", p->is_image ? "an image of" : kinds[p->kind], type);
}

static void add_kind_advice(const struct declared *d, struct text *out)
{
    bool wants_local = d->space == SPACE_LOCAL;
    const char *memory = d->kind == DECLARED_VALUE     ? "Scalar"
                         : d->kind == DECLARED_SAMPLER ? "Sampler"
                         : wants_local                 ? "Local"
                                                       : "Vector";
    text_addf(out, "say \"MemoryType\": \"%s\"%s", memory,
              d->kind == DECLARED_IMAGE ? " and \"Image\": [WIDTH, HEIGHT]" : "");
    if (d->has_element) {
        char type[24];
        element_name(&d->element, type);
        text_addf(out, " and \"Type\": \"%s\"", type);
    }
    text_add(out, ", or put the Arguments into the kernel's order");
}

static bool refuse_type(const struct pairing *p, uint32_t i, enum declared_fault fault)
{
    const struct signature_parameter *parameter = &p->signature->parameters[i];
    const struct argument_spec *a = argument_of_pair(p, i);
    struct text given = TEXT_INIT, advice = TEXT_INIT;
    add_given(&p->passed[i], &given);
    // The advice: what would be right.
    char type[24];
    element_name(&parameter->declared.element, type);
    if (fault == DECLARED_OTHER_KIND)
        add_kind_advice(&parameter->declared, &advice);
    else
        text_addf(&advice, "say \"%s\": \"%s\"%s",
                  str_starts(a->path, "arguments") ? "type" : "Type", type,
                  fault == DECLARED_OTHER_WIDTH && p->passed[i].kind == ARGUMENT_BUFFER
                      ? "; Size counts elements of it"
                      : "");
    error_set(p->e, ERROR_INPUT,
              "%s: '%s' is %s, but kernel '%s' (%s, line %u) takes '%s' there: %s", a->path,
              a->name, text_cstr(&given), p->kernel, p->signature->file, p->signature->line,
              parameter->text, text_cstr(&advice));
    text_release(&given);
    text_release(&advice);
    return false;
}

// ---- comparing ---------------------------------------------------------------------------------

// Does no launch before this one, nor another pass of it, write what the argument names?
static bool is_first_use(const struct pairing *p, uint32_t argument)
{
    const struct kernel_spec *k = p->src->spec->kernel;
    const struct launch_spec *all = k->languages[p->src->language].launches;
    if (k->repeat.swap_count > 0 || p->launch->repeat.swap_count > 0)
        return false;
    for (const struct launch_spec *l = all; l < p->launch; l++) {
        for (uint32_t i = 0; i < l->argument_count; i++) {
            if (l->arguments[i] == argument)
                return false;
        }
    }
    return true;
}

// Refuses an access in the spec that is certainly not what the kernel's source does with the buffer.
static bool check_access(const struct pairing *p, uint32_t i)
{
    const struct signature_parameter *parameter = &p->signature->parameters[i];
    const struct argument_spec *a = argument_of_pair(p, i);
    bool is_reference = p->launch == p->src->spec->kernel->languages[p->src->language].reference;
    bool reads =
        a->access == ACCESS_WRITE && parameter->reads_first && is_first_use(p, p->arguments[i]);
    bool writes = a->access == ACCESS_READ && a->says_access && parameter->writes;
    if (a->memory != MEMORY_VECTOR || a->temporary || is_reference || (!reads && !writes))
        return true;
    return error_set(
        p->e, ERROR_INPUT,
        "%s: '%s' is %s, but kernel '%s' (%s, line %u) %s: say \"AccessType\": \"ReadWrite\" "
        "(\"access\": \"readwrite\" in the short form)%s",
        a->path, a->name, reads ? "WriteOnly" : "ReadOnly", p->kernel, p->signature->file,
        p->signature->line, reads ? "reads it before it writes it" : "writes it",
        reads ? ", and it begins each launch with the contents that the spec gives it" : "");
}

static bool check_pairs(const struct pairing *p)
{
    const struct signature *s = p->signature;
    if (!s->known)
        return true;
    if (s->count != p->count)
        return refuse_count(p);
    for (uint32_t i = 0; i < p->count; i++) {
        struct declared d = s->parameters[i].declared;
        enum declared_fault fault = declared_check(&d, &p->passed[i], p->src->language);
        if (fault != DECLARED_FITS)
            return refuse_type(p, i, fault);
        if (!check_access(p, i))
            return false;
    }
    return true;
}

static enum memory memory_of_argument(const struct spec_sources *src, const struct launch_spec *l,
                                      uint32_t i)
{
    return src->spec->kernel->arguments[l->arguments[i]].memory;
}

// Which of a launch's arguments the language passes to its kernel; returns how many.
static uint32_t list_arguments(const struct spec_sources *src, const struct launch_spec *l,
                               bool symbols, uint32_t *out)
{
    const struct language_traits *traits = language_traits(src->language);
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->argument_count; i++) {
        if (memory_is_passed(memory_of_argument(src, l, i), traits, symbols))
            out[count++] = l->arguments[i];
    }
    return count;
}

// How many of a launch's arguments are of this memory.
static uint32_t count_memory(const struct spec_sources *src, const struct launch_spec *l,
                             enum memory memory)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->argument_count; i++)
        count += memory_of_argument(src, l, i) == memory;
    return count;
}

// Other tuners also pass a symbol's contents as an argument, if the kernel takes so many.
static bool takes_symbols(const struct spec_sources *src, const struct launch_spec *l,
                          const struct signature *s)
{
    return !language_traits(src->language)->passes_symbols && s->known &&
           count_memory(src, l, MEMORY_SYMBOL) > 0 &&
           s->count == l->argument_count - count_memory(src, l, MEMORY_LOCAL) -
                           count_memory(src, l, MEMORY_SAMPLER);
}

// ---- all configurations ------------------------------------------------------------------------

static struct passed passed_always(const struct spec_sources *src, const struct argument_spec *a)
{
    enum fill_kind fill = a->fill.kind;
    struct passed p = {.kind = a->memory == MEMORY_SCALAR    ? ARGUMENT_SCALAR
                               : a->memory == MEMORY_LOCAL   ? ARGUMENT_LOCAL
                               : a->memory == MEMORY_NOTHING ? ARGUMENT_NULL
                               : a->memory == MEMORY_SAMPLER ? ARGUMENT_SAMPLER
                                                             : ARGUMENT_BUFFER,
                       .element = a->element,
                       .is_image = a->image.axes > 0,
                       .generated =
                           fill == FILL_UNIFORM || fill == FILL_NORMAL || fill == FILL_GENERATOR};
    p.element.packed = language_traits(src->language)->packs_three && p.element.width == 3;
    return p;
}

static bool pair_always(struct pairing *p, struct arena *a, bool *settled)
{
    const struct spec_sources *src = p->src;
    uint32_t *arguments = arena_array(a, p->launch->argument_count + 1, sizeof *arguments);
    p->passed = arena_array(a, p->launch->argument_count + 1, sizeof *p->passed);
    if (!arguments || !p->passed)
        return error_memory(p->e);
    p->arguments = arguments;
    p->count =
        list_arguments(src, p->launch, takes_symbols(src, p->launch, p->signature), arguments);
    *settled = p->signature->known && p->signature->count == p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct argument_spec *argument = argument_of_pair(p, i);
        p->passed[i] = passed_always(src, argument);
        if (!p->signature->known || i >= p->signature->count)
            continue;
        struct declared *d = &p->signature->parameters[i].declared;
        d->always = true;
        d->has_element &= !argument->type.expr; // a formula's type is each configuration's own
        // Nothing is left to look at in a configuration.
        *settled = *settled && d->kind != DECLARED_UNKNOWN && d->has_element &&
                   !p->signature->parameters[i].is_open;
    }
    return check_pairs(p);
}

// Is a watched name always passed to the program with -D? Names of the spec are; hone's own and
// Kernel Tuner's if make_program() says so, and of CompilerOptions the program's.
static bool is_given(const struct spec_sources *src, const struct program_sources *p, uint32_t name)
{
    uint32_t tuner = src->first_extra + EXTRA_KERNEL_TUNER;
    if (name < tuner)
        return name >= src->first_extra || !p->named[name];
    if (name < src->first_extra + EXTRA_COUNT)
        return program_mentions(p, name);
    for (uint32_t i = 0; i < p->option_count; i++) {
        size_t length;
        const char *value, *macro = option_macro(p->options[i], &length, &value);
        if (macro && scan_name_index(&src->names, macro, length) == name)
            return true;
    }
    return false;
}

// A launch that has a condition may never take place.
static bool check_always(const struct spec_sources *src, const struct launch_spec *l, bool *agree,
                         struct error *e)
{
    struct arena a;
    struct signature signature;
    arena_init(&a);
    struct follow_macro *macros = arena_array(&a, src->names.count + 1, sizeof *macros);
    bool ok = macros || error_memory(e);
    for (uint32_t i = 0; ok && i < src->names.count; i++)
        macros[i].given = is_given(src, &src->programs[l->program], i); // the value differs
    *agree = false;
    if (ok && l->kernel && !l->when.expr) {
        struct pairing p = {
            .src = src, .launch = l, .kernel = l->kernel, .signature = &signature, .e = e};
        ok = signature_read(src, &src->programs[l->program], macros, l->kernel, &a, &signature)
                 ? pair_always(&p, &a, agree)
                 : error_memory(e);
        *agree |= signature.absent;
    }
    arena_release(&a);
    return ok;
}

// ---- kernels that are nowhere -------------------------------------------------------------------

static bool holds_word(const struct source_file *f, const char *word, size_t length)
{
    const char *end = f->text + f->length;
    for (const char *at = f->text; (at = memmem(at, (size_t)(end - at), word, length)); at++) {
        bool starts = at == f->text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        bool ends =
            at + length == end || !(isalnum((unsigned char)at[length]) || at[length] == '_');
        if (starts && ends)
            return true;
    }
    return false;
}

// The first file beside a source, with its ending, that has the word: "xgemm_part4.opencl". False: none.
static bool find_beside(const struct source_file *f, const char *word, size_t length,
                        struct text *name)
{
    struct dirent **entries;
    const char *slash = strrchr(f->path, '/'), *dot = strrchr(f->path, '.');
    int count = dot ? scandir(f->folder, &entries, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        const char *one = entries[i]->d_name, *ending = strrchr(one, '.');
        bool is_wanted = name->length == 0 && ending && strcmp(ending, dot) == 0 &&
                         !(slash && strcmp(one, slash + 1) == 0);
        struct text path = TEXT_INIT, text = TEXT_INIT;
        struct error none = ERROR_INIT;
        if (is_wanted)
            text_addf(&path, "%s/%s", f->folder, one);
        if (is_wanted && file_read(text_cstr(&path), 1 << 20, &text, &none)) {
            const struct source_file beside = {.text = text_cstr(&text), .length = text.length};
            if (holds_word(&beside, word, length))
                text_add(name, one);
        }
        text_release(&path);
        text_release(&text);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return name->length > 0;
}

// Reports a kernel whose name is in none of its files, if nothing can put it there. Alone it is
// left to the driver, which knows the program's kernels; beside other mistakes it is reported with
// them.
static bool check_kernel_named(const struct spec_sources *src, const struct launch_spec *l,
                               struct error *e)
{
    const struct program_sources *p = &src->programs[l->program];
    size_t length = l->kernel ? strcspn(l->kernel, "<(: ") : 0;
    bool found = length == 0 || l->when.expr || p->outside || p->unseen.file;
    for (uint32_t i = 0; i < p->count && !found; i++)
        found = p->list[i].scan.opaque || holds_word(&p->list[i], l->kernel, length);
    if (found)
        return true;
    struct text files = TEXT_INIT, beside = TEXT_INIT;
    for (uint32_t i = 0; i < p->mains; i++)
        text_addf(&files, "%s%s", i ? ", " : "", p->list[i].name);
    const char *nor = p->count > p->mains ? ", nor in what it includes" : "";
    if (p->mains > 0 && find_beside(&p->list[0], l->kernel, length, &beside))
        error_set(
            e, ERROR_INPUT,
            "%s: there is no kernel '%s' in %s%s; %s beside it has this word: name in Sources "
            "all files that the kernel is made of",
            l->path, l->kernel, text_cstr(&files), nor, text_cstr(&beside));
    else
        error_set(
            e, ERROR_INPUT,
            "%s: there is no kernel '%s' in %s%s; name the file that has it, or all files that "
            "it is made of in Sources",
            l->path, l->kernel, text_cstr(&files), nor);
    text_release(&files);
    text_release(&beside);
    return false;
}

bool sources_check_types(struct spec_sources *src, struct error *e)
{
    const struct language_spec *l = &src->spec->kernel->languages[src->language];
    src->types_agree = arena_array(&src->arena, l->launch_count + 1, sizeof *src->types_agree);
    if (!src->types_agree)
        return error_memory(e);
    for (uint32_t i = 0; i < l->launch_count; i++) {
        src->types_agree[i] = language_traits(src->language)->is_command;
        bool ok = src->types_agree[i] ||
                  ((src->faults.count == 0 || check_kernel_named(src, &l->launches[i], e)) &&
                   check_always(src, &l->launches[i], &src->types_agree[i], e));
        if (!faults_keep(&src->faults, &src->arena, ok, e))
            return false;
    }
    // A reference is not given every name of the spec: it is checked with each configuration.
    return true;
}

// ---- one configuration -------------------------------------------------------------------------

// Reads the kernel's parameters under the -D options of its program; unknown if these leave them
// open.
static bool read_made(struct maker *m, const struct launch_spec *l, const struct job_launch *made,
                      struct arena *a, struct signature *out)
{
    const struct spec_sources *src = m->src;
    struct follow_macro *macros = arena_array(a, src->names.count + 1, sizeof *macros);
    *out = (struct signature){.known = false};
    if (!macros)
        return error_memory(m->e);
    return !sources_note_macros(&src->names, &m->job->programs[made->program], macros) ||
           signature_read(src, &src->programs[l->program], macros, made->kernel, a, out) ||
           error_memory(m->e);
}

bool make_takes_symbols(struct maker *m, const struct launch_spec *l, const struct job_launch *made,
                        bool *out)
{
    struct signature signature;
    struct arena a;
    *out = false;
    if (language_traits(m->src->language)->passes_symbols ||
        count_memory(m->src, l, MEMORY_SYMBOL) == 0)
        return true;
    arena_init(&a);
    bool ok = read_made(m, l, made, &a, &signature);
    *out = ok && takes_symbols(m->src, l, &signature);
    arena_release(&a);
    return ok;
}

static bool check_made(struct maker *m, const struct launch_spec *l, const struct job_launch *made,
                       struct arena *a)
{
    struct signature signature;
    if (!read_made(m, l, made, a, &signature))
        return false;
    struct pairing p = {
        .src = m->src, .launch = l, .kernel = made->kernel, .signature = &signature, .e = m->e};
    uint32_t *arguments = arena_array(a, p.launch->argument_count + 1, sizeof *arguments);
    p.passed = arena_array(a, made->argument_count + 1, sizeof *p.passed);
    if (!arguments || !p.passed)
        return error_memory(m->e);
    p.arguments = arguments;
    p.count =
        list_arguments(p.src, p.launch, takes_symbols(p.src, p.launch, p.signature), arguments);
    for (uint32_t i = 0; i < p.count; i++)
        p.passed[i] = declared_passed(m->job, &made->arguments[i]);
    return check_pairs(&p);
}

bool make_types_check(struct maker *m, const struct launch_spec *l, const struct job_launch *made)
{
    const struct language_spec *language = m->language;
    size_t index =
        l == language->reference ? language->launch_count : (size_t)(l - language->launches);
    struct arena a;
    if (m->src->types_agree[index])
        return true;
    arena_init(&a);
    bool ok = check_made(m, l, made, &a);
    arena_release(&a);
    return ok;
}
