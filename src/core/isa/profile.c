// From a text to a profile: list the instructions, resolve the labels, find loops and count.
#include "isa/listing.h"

#include "base/text.h"

#include <string.h>

bool code_profile(const char *text, size_t length, enum code_kind kind, const char *kernel,
                  struct code_profile *out, struct error *e)
{
    struct listing l;
    *out = (struct code_profile){.kind = kind};
    listing_init(&l);
    bool ok = kind == CODE_PTX ? ptx_list(text, length, kernel, &l, out, e)
                               : sass_list(text, length, kernel, &l, out, e);
    if (ok) {
        listing_resolve(&l);
        ok = (!l.failed && loops_count(&l, out)) || error_memory(e);
    }
    listing_release(&l);
    return ok;
}

bool code_is_ptx(const void *bytes, size_t length)
{
    const char *text = bytes, *end = text + length;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        size_t n = (size_t)((line_end ? line_end : end) - text);
        while (n > 0 && (*text == ' ' || *text == '\t' || *text == '\r')) {
            text++;
            n--;
        }
        if (n >= 9 && memcmp(text, ".version", 8) == 0)
            return true;
        if (n > 0 && (n < 2 || memcmp(text, "//", 2) != 0))
            return false;
        text = line_end ? line_end + 1 : end;
    }
    return false;
}

bool code_is_cubin(const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    // e_machine 190, EM_CUDA, of a 64-bit little-endian file
    return length >= 64 && memcmp(b, "\177ELF", 4) == 0 && b[18] == 190 && b[19] == 0;
}

bool code_ptx_target(const char *text, size_t length, char *out)
{
    const char *end = text + length;
    for (const char *line = text; line && line < end;) {
        const char *at = line;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (end - at > 8 && memcmp(at, ".target", 7) == 0 && (at[7] == ' ' || at[7] == '\t')) {
            size_t n = 0;
            for (at += 8; at < end && (*at == ' ' || *at == '\t');)
                at++;
            while (at + n < end && n < 31 && !strchr(" \t\r\n,", at[n]))
                n++;
            memcpy(out, at, n);
            out[n] = '\0';
            return n > 0;
        }
        line = memchr(line, '\n', (size_t)(end - line));
        line = line ? line + 1 : NULL;
    }
    return false;
}

static const struct {
    const char *key, *one, *several;
} classes[CODE_CLASS_COUNT] = {
#define X(name, key, one, several) [CODE_##name] = {key, one, several},
    CODE_CLASSES(X)
#undef X
};

const char *code_class_key(enum code_class c)
{
    return classes[c].key;
}

const char *code_class_text(enum code_class c, uint32_t count)
{
    return count == 1 ? classes[c].one : classes[c].several;
}
