// --arch: makes a device of an architecture's name, and refuses a space that asks what differs
// between the cards of one architecture.
#include "cli/architecture.h"

#include "cli/assume.h"
#include "model/arch.h"
#include "space/space.h"

#include <string.h>

bool architecture_fits(const struct check_settings *s)
{
    struct arch_name name;
    struct text known = TEXT_INIT;
    if (!s->arch)
        return true;
    bool is_known = arch_parse(s->arch, &name);
    for (size_t i = 0; arch_capability(i); i++)
        text_addf(&known, "%ssm_%u", i ? ", " : "", arch_capability(i));
    if (!is_known)
        complain("--arch: '%s' is not an architecture; there are %s, the newer ones also with an "
                 "'a' or 'f'",
                 s->arch, text_cstr(&known));
    else if (s->given.language.is_given && s->given.language.language != ARCH_LANGUAGE)
        complain("--arch names an NVIDIA architecture, for which only CUDA is built: add "
                 "--language cuda");
    text_release(&known);
    return is_known && (!s->given.language.is_given || s->given.language.language == ARCH_LANGUAGE);
}

// ---- what it does not tell ---------------------------------------------------------------------

static const struct {
    const char *fact, *example;
} unknown[] = {
    {"device_name", "'device_name=NVIDIA H200'"},
    {"device_compute_units", "device_compute_units=132"},
    {"device_global_memory", "device_global_memory=80000000000"},
};

static bool is_assumed(const struct check_settings *s, const char *fact)
{
    size_t length = strlen(fact);
    for (uint32_t i = 0; i < s->assume.count; i++) {
        if (str_starts(s->assume.items[i], fact) && s->assume.items[i][length] == '=')
            return true;
    }
    return false;
}

static int check_facts(const struct work *w, const struct check_settings *s,
                       const struct space *space)
{
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        if (!space_reads_fact(space, unknown[i].fact) || is_assumed(s, unknown[i].fact))
            continue;
        complain("%s: a restriction asks for %s, which differs between devices of one "
                 "architecture: add --assume %s",
                 w->spec->path, unknown[i].fact, unknown[i].example);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

// A restriction must not read what differs from card to card, unless --assume says it.
static int refuse_unknown(const struct work *w, const struct check_settings *s)
{
    struct error e = ERROR_INIT;
    struct space_options options = {
        .device = w->device, .where = s->given.where.items, .where_count = s->given.where.count};
    struct space *space = space_new(w->spec, &options, &e);
    int status = space ? check_facts(w, s, space) : work_failed(&e);
    space_free(space);
    return status;
}

// ---- opening -----------------------------------------------------------------------------------

int architecture_open(struct work *w, const struct check_settings *s)
{
    struct error e = ERROR_INIT;
    struct arch_name name;
    int status = work_environment(w);
    if (status != EXIT_DONE)
        return status;
    if (!spec_has_language(w->spec, ARCH_LANGUAGE))
        return refuse(EXIT_USAGE,
                      "%s: --arch builds CUDA, and the spec has no CUDA kernel: name one in "
                      "KernelSpecification.Languages.CUDA, such as {\"KernelFile\": \"kernel.cu\"}",
                      w->spec->path);
    struct device_info *device = arena_alloc(&w->arena, sizeof *device);
    if (!device || !arch_parse(s->arch, &name) || !arch_device(&name, &w->arena, device)) {
        error_memory(&e);
        return work_failed(&e);
    }
    for (uint32_t i = 0; i < s->assume.count; i++) {
        if (!assume(device, s->assume.items[i], &e))
            return work_failed(&e);
    }
    w->device = device;
    return refuse_unknown(w, s);
}
