// Headers of the host's C and C++ that NVRTC lacks. A file meant for nvcc includes them for its host code; what a kernel
// needs of them (printf, assert, mathematics) NVRTC knows by itself. They are empty here but for types. One is given only
// after NVRTC has asked for it in vain, so that a file of the user's or of the toolkit's always comes first.
#include "device/backends/cuda/cuda_host.h"

#include "model/languages.h"

#include <stdlib.h>
#include <string.h>

// model/texts/NAME.cu. Of <algorithm> what kernels call; the usual headers are those that the runtime's
// brings, which nvcc includes first.
extern const char cuda_sized_types[], cuda_short_names[], cuda_limits[], cuda_floats[],
    cuda_mathematics[], cuda_smallest_and_largest[], cuda_traits[], cuda_usual_headers[];

static const struct {
    const char *name, *text;
} headers[] = {{"stdint.h", cuda_sized_types},
               {"cstdint", cuda_sized_types},
               {"inttypes.h", cuda_sized_types},
               {"stdlib.h", cuda_short_names},
               {"cstdlib", cuda_short_names},
               {"sys/types.h", cuda_short_names},
               {"limits.h", cuda_limits},
               {"climits", cuda_limits},
               {"float.h", cuda_floats},
               {"cfloat", cuda_floats},
               {"algorithm", cuda_smallest_and_largest},
               {"type_traits", cuda_traits},
               {"cmath", cuda_mathematics},
               {"math.h", cuda_mathematics}};

// NULL: hone supplies no such header; those without a text above are empty.
const char *cuda_host_text(const char *name)
{
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (strcmp(headers[i].name, name) == 0)
            return headers[i].text;
    }
    return str_listed(language_traits(LANGUAGE_CUDA)->supplied_headers, name) ? "" : NULL;
}

static bool is_given(const struct cuda_host *h, const char *name)
{
    for (uint32_t i = 0; i < h->count; i++) {
        if (strcmp(h->names[i], name) == 0)
            return true;
    }
    return false;
}

// False: the name is given already (and still not found), or there is no room.
static bool give_header(struct cuda_host *h, const char *name, const char *text)
{
    char *own = is_given(h, name) || h->count == CUDA_HOST_MOST ? NULL : strdup(name);
    if (!own)
        return false;
    h->own[h->count] = own;
    h->names[h->count] = own;
    h->texts[h->count++] = text;
    return true;
}

bool cuda_host_add(struct cuda_host *h, const char *log)
{
    static const char asks[] = " open source file \""; // "cannot" or, without folders, "could not"
    const char *at = strstr(log, asks);
    if (!at)
        return false;
    at += strlen(asks);
    char *name = strndup(at, strcspn(at, "\""));
    const char *text = name ? cuda_host_text(name) : NULL;
    bool is_new = name && (text || h->takes_any) && give_header(h, name, text ? text : "");
    if (is_new && !text)
        text_addf(&h->not_found, "%s%s", h->not_found.length ? ", " : "", name);
    free(name);
    return is_new;
}

void cuda_host_add_usual(struct cuda_host *h)
{
    static const char *const names[] = {"cstdint", "cfloat",    "climits",
                                        "cmath",   "algorithm", "type_traits"};
    give_header(h, CUDA_HOST_USUAL, cuda_usual_headers);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        give_header(h, names[i], cuda_host_text(names[i]));
}

bool cuda_host_add_empty(struct cuda_host *h, const char *name)
{
    return give_header(h, name, "");
}

bool cuda_log_next_error(const char **log, char *file, size_t size, uint32_t *line)
{
    for (const char *at = *log; *at; at = *log) {
        const size_t length = strcspn(at, "\n");
        *log = at + length + (at[length] == '\n');
        const char *end = memmem(at, length, "): error", 8);
        end = end ? end : memmem(at, length, "): catastrophic error", 21);
        const char *open = end;
        while (open && open > at && *open != '(')
            open--;
        char *stop = NULL;
        open = *at == ' ' ? NULL : open; // a line of the source
        const unsigned long number = open && open > at ? strtoul(open + 1, &stop, 10) : 0;
        if (!number || stop != end || (size_t)(open - at) >= size)
            continue;
        str_format(file, size, "%.*s", (int)(open - at), at);
        *line = (uint32_t)number;
        return true;
    }
    return false;
}

void cuda_host_release(struct cuda_host *h)
{
    for (uint32_t i = 0; i < h->count; i++)
        free(h->own[i]);
    text_release(&h->not_found);
    *h = (struct cuda_host){.count = 0};
}
