// Texts of the user's: a program that nvcc compiled has its kernels as machine code alone. Its own files have the kernels by the same
// names, and become texts of the capture; the replays tell whether they compute what the program computed.
#include "extras/capture/capture.h"

#include "base/digest.h"
#include "device/backends/cuda/cuda_host.h"
#include "extras/init/includes.h"
#include "extras/init/infer.h"
#include "os/file_replace.h"

#include <string.h>

static bool has_ending(const char *path, enum language l)
{
    const char *dot = strrchr(path, '.');
    for (const char *const *e = language_traits(l)->endings; dot && *e; e++) {
        if (str_equal(dot, *e))
            return true;
    }
    return false;
}

static bool has_kernel(const struct inferred_kernels *list, const char *function)
{
    size_t length;
    const char *name = capture_last_name(function, &length);
    for (uint32_t i = 0; i < list->count; i++) {
        if (strlen(list->names[i]) == length && memcmp(list->names[i], name, length) == 0)
            return true;
    }
    return false;
}

enum { HEADERS_MOST = 64 };

// The name in "#include <name>", or NULL.
static const char *included(struct arena *a, const char *line)
{
    const char *at = line + strspn(line, " \t");
    if (*at != '#')
        return NULL;
    at += 1 + strspn(at + 1, " \t");
    if (!str_starts(at, "include"))
        return NULL;
    at += 7 + strspn(at + 7, " \t");
    const size_t length = *at == '<' ? strcspn(at + 1, ">\n") : 0;
    return length && at[1 + length] == '>' ? arena_strndup(a, at + 1, length) : NULL;
}

// Headers of the host, which NVRTC lacks, become what kernels need of them, each once.
static void fill_in_headers(struct arena *a, const struct text *from, struct text *out)
{
    const char *given[HEADERS_MOST];
    uint32_t count = 0;
    for (const char *line = text_cstr(from); *line;) {
        const char *end = line + strcspn(line, "\n"), *name = included(a, line);
        const char *header = name ? cuda_host_text(name) : NULL;
        bool is_given = false;
        for (uint32_t i = 0; i < count; i++)
            is_given = is_given || given[i] == header;
        if (!header)
            text_addn(out, line, (size_t)(end - line));
        else if (!is_given && count < HEADERS_MOST)
            text_add(out, given[count++] = header);
        text_add(out, *end ? "\n" : "");
        line = end + (*end == '\n');
    }
}

// Puts the text among the contents.
static bool keep_text(const struct capture *c, const struct text *t, struct arena *a,
                      const char **digest, struct error *e)
{
    struct digest d;
    char hex[65];
    digest_of(t->data, t->length, &d);
    digest_hex(&d, hex);
    *digest = arena_strdup(a, hex);
    const char *path = arena_printf(a, "%s/data/%s.bin", c->folder, hex);
    return (*digest && path) ? file_replace(path, t, e) : error_memory(e);
}

static bool give_text(struct capture_kernel *k, const char *digest, struct arena *a,
                      struct error *e)
{
    struct capture_part *part = arena_array(a, 1, sizeof *part);
    if (!part)
        return error_memory(e);
    *part = (struct capture_part){.source = digest, .options = ""};
    k->given = digest;
    k->without = NULL;
    k->parts = part;
    k->part_count = 1;
    return true;
}

static bool take_source(struct capture *c, const char *path, struct arena *a, struct error *e)
{
    struct text read = TEXT_INIT, t = TEXT_INIT;
    struct inferred_kernels list;
    const char *digest = NULL;
    uint32_t taken = 0;
    bool ok = infer_read(path, NULL, &read, NULL, e);
    if (ok)
        fill_in_headers(a, &read, &t);
    ok = ok && (!t.failed || error_memory(e)) && keep_text(c, &t, a, &digest, e);
    for (size_t i = 0; ok && i < c->kernel_count; i++) {
        struct capture_kernel *k = &c->kernels[i];
        if (!k->without || !has_ending(path, k->language))
            continue;
        ok = infer_kernels(text_cstr(&t), t.length, k->language, a, &list, e);
        if (!ok || !has_kernel(&list, k->function))
            continue;
        ok = give_text(k, digest, a, e);
        taken++;
    }
    text_release(&read);
    text_release(&t);
    return ok && (taken > 0 || error_set(e, ERROR_USAGE,
                                         "--source %s has no kernel that the program loaded "
                                         "compiled",
                                         path));
}

bool capture_take_sources(struct capture *c, const char *const *files, uint32_t count,
                          struct arena *a, struct error *e)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = take_source(c, files[i], a, e);
    return ok;
}
