// One program's options and source as one driver call takes them: what a driver's option string could
// tear goes in front of the source as a #define. And the digest of what decides the code: macros that
// nothing mentions do not count, unless names are put together with ##.
#include "device/build_text.h"

#include "base/digest.h"

#include <ctype.h>
#include <string.h>

// The identifier of "-DNAME...", or length 0 when the option defines no macro.
static size_t macro_name(const char *option, const char **name)
{
    if (!str_starts(option, "-D"))
        return 0;
    *name = option + 2;
    size_t n = 0;
    while (isalnum((unsigned char)(*name)[n]) || (*name)[n] == '_')
        n++;
    return n;
}

static bool needs_quoting(const char *option)
{
    return option[strcspn(option, " \t\"'\\`$#;&|<>*?()[]{}~")] != '\0';
}

// Compilers put headers of their own in front of the source, which an option reaches and a line
// behind them does not.
static bool is_defined_in_source(enum language l, const char *option)
{
    const char *name;
    size_t length = macro_name(option, &name);
    return length > 0 && (needs_quoting(option) || language_has_header_word(l, name, length));
}

bool build_check_option(const struct job_program *p, const char *option, struct error *e)
{
    if (!strpbrk(option, "\r\n"))
        return true;
    return error_set(e, ERROR_INPUT,
                     "%s: option '%s' holds a line break, which cannot be passed to a compiler",
                     p->name, option);
}

static void add_word(struct text *out, const char *word)
{
    if (out->length)
        text_addc(out, ' ');
    if (needs_quoting(word))
        text_addf(out, "\"%s\"", word);
    else
        text_add(out, word);
}

bool build_options(enum language l, const struct job_program *p, const char *folder,
                   const char *extra, struct text *out, struct error *e)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!build_check_option(p, p->options[i], e))
            return false;
        if (!is_defined_in_source(l, p->options[i]))
            add_word(out, p->options[i]);
    }
    if (p->run)
        text_addf(out, "%s-DHONE_RUN=0x%llx", out->length ? " " : "", (unsigned long long)p->run);
    if (folder) {
        for (uint32_t i = 0; i < p->folder_count; i++) {
            const char *inner = p->folders[i];
            struct text word = TEXT_INIT;
            text_addf(&word, "-I%s%s%s", folder, *inner ? "/" : "", inner);
            add_word(out, text_cstr(&word));
            text_release(&word);
        }
        if (p->folder_count == 0) {
            struct text word = TEXT_INIT;
            text_addf(&word, "-I%s", folder);
            add_word(out, text_cstr(&word));
            text_release(&word);
        }
    }
    if (extra)
        add_word(out, extra);
    return !out->failed || error_memory(e);
}

bool build_define(const char *option, struct text *out)
{
    const char *name;
    if (macro_name(option, &name) == 0)
        return false;
    const char *equals = strchr(name, '=');
    text_add(out, "#define ");
    if (equals) {
        text_addn(out, name, (size_t)(equals - name));
        text_addf(out, " %s\n", equals + 1);
    } else {
        text_addf(out, "%s 1\n", name);
    }
    return true;
}

bool build_source(enum language l, const struct job_program *p, struct text *out, struct error *e)
{
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (!build_check_option(p, p->options[i], e))
            return false;
        if (is_defined_in_source(l, p->options[i]))
            build_define(p->options[i], out);
    }
    if (out->length)
        text_add(out, "#line 1\n");
    text_addn(out, p->source, (size_t)p->length);
    return !out->failed || error_memory(e);
}

// ---- digest

static bool is_word_byte(unsigned char c)
{
    return isalnum(c) || c == '_';
}

static bool mentions(const char *text, size_t length, const char *name, size_t n)
{
    const char *at = text, *end = text + length;
    while ((size_t)(end - at) >= n && (at = memmem(at, (size_t)(end - at), name, n))) {
        bool starts = at == text || !is_word_byte((unsigned char)at[-1]);
        bool ends = at + n == end || !is_word_byte((unsigned char)at[n]);
        if (starts && ends)
            return true;
        at++;
    }
    return false;
}

// A name that ## puts together is mentioned nowhere.
static bool pastes(const struct job_program *p)
{
    if (p->outside) // or stands in a file that is not here
        return true;
    if (memmem(p->source, (size_t)p->length, "##", 2))
        return true;
    for (uint32_t i = 0; i < p->file_count; i++) {
        if (memmem(p->files[i].text, (size_t)p->files[i].length, "##", 2))
            return true;
    }
    return false;
}

static bool option_matters(const struct job_program *p, uint32_t option)
{
    const char *name;
    size_t n = macro_name(p->options[option], &name);
    if (n == 0 || mentions(p->source, (size_t)p->length, name, n))
        return true;
    for (uint32_t i = 0; i < p->file_count; i++) {
        if (mentions(p->files[i].text, (size_t)p->files[i].length, name, n))
            return true;
    }
    for (uint32_t i = 0; i < p->option_count; i++) {
        const char *value = strchr(p->options[i], '=');
        if (i != option && value && mentions(value, strlen(value), name, n))
            return true;
    }
    return false;
}

static void add_bytes(struct digest_state *s, const void *bytes, uint64_t length)
{
    digest_add(s, &length, sizeof length);
    digest_add(s, bytes, (size_t)length);
}

void build_digest(const struct job_program *p, struct digest_state *s)
{
    bool all = pastes(p);
    add_bytes(s, p->source, p->length);
    for (uint32_t i = 0; i < p->file_count; i++) {
        add_bytes(s, p->files[i].path, strlen(p->files[i].path));
        add_bytes(s, p->files[i].text, p->files[i].length);
    }
    for (uint32_t i = 0; i < p->folder_count; i++)
        add_bytes(s, p->folders[i], strlen(p->folders[i]));
    if (p->retarget)
        add_bytes(s, p->retarget, strlen(p->retarget));
    for (uint32_t i = 0; i < p->option_count; i++) {
        if (all || option_matters(p, i))
            add_bytes(s, p->options[i], strlen(p->options[i]));
    }
}
