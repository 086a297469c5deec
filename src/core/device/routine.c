// Vendors' libraries: looked for by the names they go by, opened with all that they need, and asked
// for their version and threads. The product that a job asks for as a BLAS takes it.
#include "device/routine.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool product_of(const struct job *j, struct product *out, struct result *r)
{
    const struct job_gemm *g = &j->reference.gemm;
    if (g->m > INT_MAX || g->n > INT_MAX || g->k > INT_MAX || g->others >= INT_MAX)
        return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                           "%s takes sizes up to %d, and this product is %llu x %llu x %llu",
                           routine_title(j->routine), INT_MAX, (unsigned long long)g->m,
                           (unsigned long long)g->n, (unsigned long long)g->k);
    *out = (struct product){
        .type = j->buffers[g->a].element.scalar,
        .type_b = j->buffers[g->b].element.scalar,
        .type_c = j->buffers[g->c].element.scalar,
        .of = *g,
        .m = (int)g->m,
        .n = (int)g->n,
        .k = (int)g->k,
        .count = (int)g->others + 1,
        .a_row = (int)(g->transpose_a ? g->m : g->k),
        .b_row = (int)(g->transpose_b ? g->k : g->n),
        .c_row = (int)g->n,
    };
    return true;
}

// ---- libraries ---------------------------------------------------------------------------------

// A library that exists but cannot be opened (damaged, or lacking a dependency) is another fault.
static bool is_absent(const char *why, const char *name)
{
    return strstr(why, name) && strstr(why, "No such file");
}

void *routine_open(const char *name, struct text *why)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *reason = library ? NULL : dlerror();
    if (reason && why->length == 0 && !is_absent(reason, name))
        text_add(why, reason);
    return library;
}

static void *try_names(const struct library_search *s, struct text *tried, struct text *why)
{
    void *library = NULL;
    for (size_t i = 0; !library && s->names[i]; i++) {
        text_addf(tried, "%s%s", i ? ", " : "", s->names[i]);
        library = routine_open(s->names[i], why);
    }
    if (!library)
        text_add(tried, " where the loader looks");
    return library ? library : s->elsewhere ? s->elsewhere(s, tried, why) : NULL;
}

// Where a path names something else than a file (a FIFO would be waited for).
static bool is_no_file(const char *name)
{
    struct stat st;
    return strchr(name, '/') && stat(name, &st) == 0 && !S_ISREG(st.st_mode);
}

void *routine_library(const struct library_search *s, const struct library_function *functions,
                      size_t count, void *table, struct result *r)
{
    struct text tried = TEXT_INIT, why = TEXT_INIT;
    const char *title = routine_title(s->routine);
    void *library = NULL;
    bool refused = s->given && is_no_file(s->given);
    if (!refused)
        library = s->given ? dlopen(s->given, RTLD_NOW | RTLD_LOCAL) : try_names(s, &tried, &why);
    if (refused) {
        result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                    "%s cannot be opened as %s: it is not a file", s->given, title);
    } else if (!library && s->given) {
        const char *reason = dlerror();
        result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "%s cannot be opened as %s: %s",
                    s->given, title, reason ? reason : "the loader does not say why");
    } else if (!library) {
        result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                    "%s was not found (tried %s%s%s): %s, or name the file with --against %s=FILE",
                    title, text_cstr(&tried), why.length ? "; " : "", text_cstr(&why), s->remedy,
                    routine_text(s->routine));
    }
    text_release(&tried);
    text_release(&why);
    const char *missing = library ? library_functions(library, functions, count, table) : NULL;
    if (missing)
        result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION,
                    "%s has no %s: it is not a library, or no version, of %s that hone can call",
                    s->given ? s->given : "the library that was found", missing, title);
    return missing ? NULL : library;
}

bool device_routine_about(const struct device_options *o, enum routine routine, const char *library,
                          struct text *about, struct result *r)
{
    switch (routine) {
    case ROUTINE_CUBLAS:
    case ROUTINE_CUBLAS_TF32:
    case ROUTINE_CUBLAS_FAST:
        return cublas_about(routine, library, o->toolkit, about, r);
    case ROUTINE_CBLAS:
        return cblas_about(library, about, r);
    case ROUTINE_CLBLAST:
        return clblast_about(library, about, r);
    default:
        return result_fail(r, STATUS_CONSTRAINTS, FAULT_CONFIGURATION, "%s is not a routine",
                           routine_title(routine));
    }
}

void routine_about(void *library, const char *symbol, const char *name, struct text *about)
{
    Dl_info info;
    void *function = dlsym(library, symbol);
    char *real = function && dladdr(function, &info) && info.dli_fname
                     ? realpath(info.dli_fname, NULL)
                     : NULL;
    text_addf(about, "%s, %s", name, real ? real : "of a file that the loader does not name");
    free(real);
}
