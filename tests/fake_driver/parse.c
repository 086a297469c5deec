// Kernels, taken out of their text by their first line.
#include "kernel.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void copy_word(char *out, const char *from, size_t length)
{
    snprintf(out, NAME_MOST, "%.*s", (int)length, from);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Images and the objects by which CUDA's kernels see them are as memory.
static bool is_image(const char *words)
{
    return strstr(words, "image2d_t") || strstr(words, "cudaTextureObject_t") ||
           strstr(words, "cudaSurfaceObject_t");
}

// "__global const float *restrict a": space and constness by the words, the name last.
static void parse_parameter(const char *text, size_t length, struct parameter *out)
{
    char words[256];
    size_t end, start;
    snprintf(words, sizeof words, "%.*s", (int)length, text);
    bool pointer = strchr(words, '*') != NULL || is_image(words);
    out->space = strstr(words, "local") ? SPACE_LOCAL : pointer ? SPACE_GLOBAL : SPACE_PRIVATE;
    out->constant = strstr(words, "const") != NULL;
    for (end = strlen(words); end > 0 && !is_word(words[end - 1]);)
        end--;
    for (start = end; start > 0 && is_word(words[start - 1]);)
        start--;
    copy_word(out->name, words + start, end - start);
    static const char *const qualifiers[] = {"read_only ", "write_only ", "__read_only ",
                                             "__write_only "};
    const char *type = words + strspn(words, " \n\t");
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
        if (strncmp(type, qualifiers[i], strlen(qualifiers[i])) == 0)
            type += strlen(qualifiers[i]);
    }
    if (strncmp(type, "const ", 6) == 0)
        type += 6;
    copy_word(out->type, type, strcspn(type, " "));
}

static void parse_parameters(const char *at, struct declaration *out)
{
    const char *close = at + strcspn(at, ")");
    while (at < close && out->count < ARGUMENTS_MOST) {
        size_t length = strcspn(at, ",)");
        parse_parameter(at, length, &out->parameters[out->count++]);
        at += length + 1;
    }
}

bool fake_parse_kernel(const char *source, const char *name, struct declaration *out)
{
    char head[NAME_MOST + 16];
    snprintf(head, sizeof head, "void %s(", name);
    const char *at = strstr(source, head);
    if (!at)
        return false;
    *out = (struct declaration){.count = 0};
    copy_word(out->name, name, strlen(name));
    parse_parameters(at + strlen(head), out);
    const char *marker = strstr(at, "fake:"), *next = strstr(at + 1, "void ");
    if (!marker || (next && marker > next))
        return true;
    size_t length = 0;
    while (is_word(marker[5 + length]))
        length++;
    copy_word(out->operation, marker + 5, length);
    return true;
}
