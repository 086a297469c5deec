// The host as a device: its processor, its compiler and its memory. There is one where there is a
// compiler: the one that the user named, else `cc`. What identifies it is what it says of itself
// and the contents of its file.
#include "device/backends/c/c.h"

#include "base/digest.h"
#include "device/machine.h"
#include "os/tool.h"
#include "os/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define COMPILER     "cc"
#define DIGEST_BYTES ((size_t)4 << 20) // of the compiler's file
// Resolution of the host's clock: the time that two readings take.
#define CLOCK_NS 250

// ---- the compiler

// Collects the compiler's output; false if it cannot be run or fails.
static bool ask_compiler(const char *compiler, const char *const *words, struct text *out)
{
    struct error ignored = ERROR_INIT;
    const char *argv[8] = {compiler};
    int status;
    for (size_t i = 0; words[i]; i++)
        argv[i + 1] = words[i];
    text_clear(out);
    return tool_run(argv, out, &status, &ignored) && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0 && !out->failed;
}

// "cc (Debian 12.2.0-14) 12.2.0", and of its file a digest: wrappers and rebuilt compilers of one
// version differ in it.
static bool describe_compiler(const char *compiler, struct arena *a, struct device_info *d)
{
    static const char *const version[] = {"--version", NULL};
    struct text out = TEXT_INIT;
    struct digest digest;
    char hex[65];
    bool ok = ask_compiler(compiler, version, &out);
    if (ok)
        d->driver = arena_strndup(a, text_cstr(&out), strcspn(text_cstr(&out), "\n"));
    text_clear(&out);
    FILE *f = ok ? fopen(compiler, "rb") : NULL;
    char *bytes = f ? malloc(DIGEST_BYTES) : NULL;
    if (bytes) {
        struct digest_state state;
        size_t length = fread(bytes, 1, DIGEST_BYTES, f);
        digest_start(&state);
        digest_add(&state, bytes, length);
        digest_finish(&state, &digest);
        digest_hex(&digest, hex);
        d->compiler = arena_printf(a, "%s, %.16s", strrchr(compiler, '/') + 1, hex);
    }
    free(bytes);
    if (f)
        fclose(f);
    text_release(&out);
    return ok && d->driver && d->compiler;
}

// The folders that it searches for <...>, each on a line of its own between two that say so.
static const char *find_include_folders(const char *compiler, struct arena *a)
{
    static const char *const verbose[] = {"-E", "-v", "-x", "c", "/dev/null", NULL};
    struct text out = TEXT_INIT, folders = TEXT_INIT;
    const char *at = NULL, *list;
    if (ask_compiler(compiler, verbose, &out))
        at = strstr(text_cstr(&out), "#include <...> search starts here:\n");
    at = at ? strchr(at, '\n') + 1 : "";
    while (*at == ' ') {
        size_t length = strcspn(++at, "\n");
        text_addf(&folders, "%s%.*s", folders.length ? ":" : "", (int)length, at);
        at += length + (at[length] == '\n');
    }
    list = text_to_arena(&folders, a);
    text_release(&out);
    return list ? list : "";
}

// ---- the host

static bool describe_host(const char *compiler, const struct device_options *o, struct arena *a,
                          struct device_info *d)
{
    const char *environment = o ? o->environment[LANGUAGE_C] : NULL;
    *d = (struct device_info){
        .language = LANGUAGE_C,
        .type = DEVICE_CPU,
        .platform = "C",
        DEVICE_INFO_UNSAID,
        .max_group_size = 1,
        .max_item_sizes = {1, 1, 1},
        .base_align = 64,
        .timer_ns = CLOCK_NS,
        .float64 = true,
        .shares_host = true,
    };
    machine_describe(o && o->root ? o->root : "/", a, d);
    d->surroundings = arena_printf(a, "cores=%u%s%s", d->compute_units, environment ? " " : "",
                                   environment ? environment : "");
    d->id = arena_printf(a, "c/%s", d->name);
    d->include_folders = find_include_folders(compiler, a);
    return d->surroundings && d->id && describe_compiler(compiler, a, d);
}

// ---- listing and opening

static const char *wanted_compiler(const struct device_options *o)
{
    return o && o->compiler ? o->compiler : COMPILER;
}

// Without a compiler there is no device, of which those who asked for C alone are told.
bool c_list(struct arena *a, const struct device_options *o, struct device_report *out,
            struct error *e)
{
    struct text compiler = TEXT_INIT;
    struct device_info *d = arena_alloc(a, sizeof *d);
    bool is_asked = o && o->languages == 1u << LANGUAGE_C;
    if (!d)
        return error_memory(e);
    if (tool_find(wanted_compiler(o), &compiler) && describe_host(text_cstr(&compiler), o, a, d)) {
        out->devices = d;
        out->device_count = 1;
    } else if (is_asked) {
        out->problem = arena_printf(a, "%s is not a compiler that can be run", wanted_compiler(o));
    }
    text_release(&compiler);
    return out->problem || error_memory(e);
}

void *c_open(const char *id, const struct device_options *o, struct arena *a,
             struct device_info *info, struct error *e)
{
    struct c_host *h = alloc_zeroed(sizeof *h, e);
    if (!h)
        return NULL;
    h->options = o;
    if (!tool_find(wanted_compiler(o), &h->compiler) ||
        !describe_host(text_cstr(&h->compiler), o, a, info))
        error_set(e, ERROR_DEVICE, "%s is not a compiler that can be run", wanted_compiler(o));
    else if (!str_equal(info->id, id))
        error_set(e, ERROR_DEVICE, "no C device has the id '%s'; there is '%s'", id, info->id);
    else
        return h;
    c_close(h);
    return NULL;
}

// A shared object is for a processor, and the key of a result has the compiler that made it.
void *c_open_for(const struct device_info *target, const struct device_options *o, struct error *e)
{
    struct arena a;
    struct device_info own;
    struct c_host *h = alloc_zeroed(sizeof *h, e);
    if (!h)
        return NULL;
    arena_init(&a);
    h->options = o;
    bool ok = tool_find(wanted_compiler(o), &h->compiler) &&
              describe_host(text_cstr(&h->compiler), o, &a, &own);
    if (!ok)
        error_set(e, ERROR_DEVICE, "%s is not a compiler that can be run", wanted_compiler(o));
    else if (!str_equal(own.name, target->name))
        ok = error_set(e, ERROR_DEVICE, "its processor is %s, not %s", own.name, target->name);
    else if (!str_equal(own.driver, target->driver) || !str_equal(own.compiler, target->compiler))
        ok = error_set(e, ERROR_DEVICE, "its compiler is %s (%s), and there it is %s (%s)",
                       own.driver, own.compiler, target->driver, target->compiler);
    arena_release(&a);
    if (ok)
        return h;
    c_close(h);
    return NULL;
}

// The host's clock needs no trial.
bool c_start(void *own, struct device_info *info, struct error *e)
{
    (void)own, (void)info, (void)e;
    return true;
}

void c_close(void *own)
{
    struct c_host *h = own;
    if (!h)
        return;
    text_release(&h->compiler);
    free(h);
}

// ---- memory

bool c_memory_new(void *own, struct memory *m, enum access access, struct error *e)
{
    (void)own, (void)access;
    if (!mapping_new(&m->map, m->bytes, e))
        return false;
    m->host = true;
    m->view = m->map.data;
    return true;
}

void c_memory_free(void *own, struct memory *m)
{
    (void)own;
    mapping_free(&m->map);
    m->view = NULL;
}
