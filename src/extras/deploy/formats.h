// The formats of a dispatch table: a row each, in a file of its name.
#pragma once

#include "base/text.h"
#include "extras/deploy/dispatch.h"

// Compiled programs that a format may embed.
struct deploy_image {
    const char *architecture; // "sm_90"
    uint32_t configuration;   // of the table
    const int64_t *shape; // (optional) that it was built for, where the constants are compiled in
    const void *bytes;
    uint64_t length;
    const char *kind; // "cubin", "ptx"
};

struct deploy_writing {
    const char *prefix; // of identifiers; NULL: the table's name
    bool with_source;   // embeds the kernel's source
    const struct deploy_image *images;
    uint32_t image_count;
    const char *command; // (optional) that wrote it, for a comment
};

struct deploy_format {
    const char *name;   // as --format takes it
    const char *ending; // of a file: ".json"
    const char *help;
    // False with the reason where the table cannot be written so. `out` failed: no memory.
    bool (*write)(const struct deploy_table *t, const struct deploy_writing *w, struct text *out,
                  struct error *e);
    bool is_binary_safe; // takes --with source and --with binaries
    bool is_of_one;      // has no lookup: one size of one device
};

// X(NAME): the file format_NAME.c has `const struct deploy_format deploy_format_NAME`.
// clang-format off
#define DEPLOY_FORMATS(X) \
    X(header)  \
    X(known)   \
    X(json)    \
    X(params)
// clang-format on

#define X(name) extern const struct deploy_format deploy_format_##name;
DEPLOY_FORMATS(X)
#undef X

// As --format offers them.
#define DEPLOY_FORMATS_ARGUMENT "header|known|json|params"

// NULL: there is none of that name.
const struct deploy_format *deploy_format_find(const char *name);
// By the end of a file's name, the longest that fits; NULL: none has such an ending.
const struct deploy_format *deploy_format_of_file(const char *path);
// Their names, for messages: "header, json".
void deploy_format_names(struct text *out);
