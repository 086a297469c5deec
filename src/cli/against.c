// --against: a vendor's library by its name or file, its label, and a device that it can use.
#include "cli/against.h"

#include "cli/option.h"
#include "cli/tuning.h"
#include "workflows/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The accepted words, each with the library that is used if none is named.
static const struct {
    const char *name;
    enum routine routine;
    bool needs_library;
} choices[] = {{"cublas", ROUTINE_CUBLAS, false},
               {"cublas-tf32", ROUTINE_CUBLAS_TF32, false},
               {"cublas-fast", ROUTINE_CUBLAS_FAST, false},
               {"openblas", ROUTINE_CBLAS, false},
               {"cblas", ROUTINE_CBLAS, true},
               {"clblast", ROUTINE_CLBLAST, false}};

#define CHOICES "cublas, cublas-tf32, cublas-fast, openblas, cblas=FILE and clblast"

bool against_read(const char *text, struct against *out, struct error *e)
{
    size_t length = strcspn(text, "=");
    const char *library = text[length] ? text + length + 1 : NULL;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        if (strlen(choices[i].name) != length || strncmp(choices[i].name, text, length) != 0)
            continue;
        if (library ? !*library : choices[i].needs_library)
            return error_set(e, ERROR_USAGE,
                             "%s needs the library's file or name: %s=/usr/lib/libNAME.so%s",
                             choices[i].name, choices[i].name,
                             choices[i].needs_library ? "; openblas finds the usual one" : "");
        *out = (struct against){text, choices[i].routine, library};
        return true;
    }
    return error_set(e, ERROR_USAGE,
                     "'%s' is not a library; the libraries are " CHOICES
                     ", each also with =FILE for a library elsewhere",
                     text);
}

bool option_against(void *field, const char *value, struct error *e)
{
    struct against ignored;
    return against_read(value, &ignored, e) && option_list(field, value, e);
}

static void add_name(const struct against *a, bool whole, struct text *out)
{
    bool open = a->routine == ROUTINE_CBLAS && !a->library;
    text_add(out, open ? "OpenBLAS" : routine_title(a->routine));
    if (!a->library)
        return;
    const char *base = whole ? NULL : strrchr(a->library, '/');
    text_addf(out, " of %s", base ? base + 1 : a->library);
}

void against_name(const struct against *a, const char *spec, struct text *out)
{
    struct text name = TEXT_INIT;
    add_name(a, false, &name);
    compare_name(spec, text_cstr(&name), out);
    out->failed |= name.failed;
    text_release(&name);
}

void against_label(const struct against *a, const struct against *const *all, size_t count,
                   struct text *out)
{
    struct text name = TEXT_INIT;
    bool is_shared = false;
    add_name(a, false, &name);
    for (size_t i = 0; i < count; i++) {
        struct text other = TEXT_INIT;
        add_name(all[i], false, &other);
        is_shared |= all[i] != a && str_equal(text_cstr(&other), text_cstr(&name));
        out->failed |= other.failed;
        text_release(&other);
    }
    text_release(&name);
    add_name(a, is_shared, out);
}

int against_refuse_same(const struct against *const *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (all[i]->routine != all[k]->routine || !str_equal(all[i]->library, all[k]->library))
                continue;
            return refuse(EXIT_USAGE, "--against %s and --against %s are the same library",
                          all[k]->text, all[i]->text);
        }
    }
    return EXIT_DONE;
}

// ---- where it is called ------------------------------------------------------------------------

static bool is_cublas(enum routine r)
{
    return r == ROUTINE_CUBLAS || r == ROUTINE_CUBLAS_TF32 || r == ROUTINE_CUBLAS_FAST;
}

static int find_view(struct work *w, const struct against *a, enum language language,
                     const struct device_info *beside)
{
    int status = work_devices(w, NULL, language_text(language));
    work_drop_workers(w);
    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; i < w->devices.device_count; i++) {
        if (device_same_card(&w->devices.devices[i], beside)) {
            w->device = &w->devices.devices[i];
            return EXIT_DONE;
        }
    }
    const char *problem = w->devices.problem;
    complain("--against %s: %s is called through %s, and %s has no %s view here%s%s", a->text,
             routine_title(a->routine), language_title(language), beside->name,
             language_title(language), problem && problem[0] ? ": " : "", problem ? problem : "");
    return EXIT_NOTHING;
}

// A name without a slash is looked up by the loader.
static int make_absolute(struct work *w, struct against *a)
{
    struct error e = ERROR_INIT;
    if (!a->library || *a->library == '/' || !strchr(a->library, '/'))
        return EXIT_DONE;
    char *here = getcwd(NULL, 0);
    if (!here)
        return refuse(EXIT_NOTHING,
                      "--against %s: the working directory: %s; give the file's absolute path",
                      a->text, strerror(errno));
    a->library = arena_printf(&w->arena, "%s/%s", here, a->library);
    free(here);
    if (a->library)
        return EXIT_DONE;
    error_memory(&e);
    return work_failed(&e);
}

static int choose_view(struct work *w, struct against *a, const struct device_info *beside)
{
    int status = make_absolute(w, a);
    if (status != EXIT_DONE)
        return status;
    bool is_cpu = beside->type == DEVICE_CPU;
    if (a->routine == ROUTINE_CBLAS && !is_cpu) {
        complain("--against %s: a CBLAS computes on the host's cores, and %s is not a CPU; name "
                 "one with --device, or take cublas or clblast",
                 a->text, beside->name);
        return EXIT_USAGE;
    }
    if (is_cublas(a->routine) && is_cpu)
        return refuse(EXIT_USAGE,
                      "--against %s: cuBLAS is for NVIDIA's cards, and %s is a CPU; take openblas",
                      a->text, beside->name);
    enum language language = routine_language(a->routine);
    w->device = beside;
    return beside->language == language ? EXIT_DONE : find_view(w, a, language, beside);
}

int against_open(struct work *w, const char *text, const struct device_info *beside,
                 struct against *out)
{
    struct error e = ERROR_INIT;
    int status = against_read(text, out, &e) ? work_spec(w) : work_failed(&e);
    if (status != EXIT_DONE)
        return status;
    const char *no = spec_no_routine(w->spec);
    if (no)
        return refuse(EXIT_USAGE, "--against %s: %s: %s", text, w->spec->path, no);
    status = choose_view(w, out, beside);
    return status == EXIT_DONE ? open_kept(w) : status;
}
