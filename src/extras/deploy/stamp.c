// Writes and reads the line that says what a deployed file was made from, and compares it with what is there now.
#include "extras/deploy/stamp.h"

#include <stdlib.h>
#include <string.h>

#define STAMP "hone-deploy 1 "

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("./_+-", c));
}

void deploy_stamp_add(const struct deploy_table *t, struct text *out)
{
    text_addf(out, STAMP "version=%s language=%s source=%s spec-digest=%s spec=", t->hone_version,
              language_text(t->language), t->source_digest, t->spec_digest);
    for (const char *c = t->spec_path; *c; c++) {
        if (is_plain(*c))
            text_addc(out, *c);
        else
            text_addf(out, "%%%02X", (unsigned char)*c);
    }
}

// The word behind "NAME=", in the arena; NULL: it is not there.
static const char *stamp_word(const char *line, const char *name, struct arena *a)
{
    size_t length = strlen(name), end = strcspn(line, "\r\n");
    for (const char *at = line; (at = strstr(at, name)) && (size_t)(at - line) < end; at++) {
        if (at[-1] != ' ' || at[length] != '=')
            continue;
        const char *word = at + length + 1;
        size_t long_as = 0;
        while (is_plain(word[long_as]) || word[long_as] == '%')
            long_as++;
        return arena_strndup(a, word, long_as);
    }
    return NULL;
}

// Decodes in place; "%41" is 'A'. False if it is not such a text.
static bool decode_path(char *path)
{
    char *to = path;
    for (const char *from = path; *from; from++) {
        char digits[3] = {0};
        if (*from != '%') {
            *to++ = *from;
            continue;
        }
        if (strspn(from + 1, "0123456789ABCDEF") < 2)
            return false;
        memcpy(digits, from + 1, 2);
        char byte = (char)strtoul(digits, NULL, 16);
        if (!byte)
            return false;
        *to++ = byte;
        from += 2;
    }
    *to = '\0';
    return path[0];
}

static bool read_digest(const char *word, char out[65])
{
    struct digest d;
    if (!word || !digest_parse(word, &d))
        return false;
    digest_hex(&d, out);
    return true;
}

// The text in quotes at *at, which goes behind it; what stands in none is written "\\22". NULL: there is none.
static char *quoted_text(const char **at, struct arena *a)
{
    const char *from = strchr(*at, '"');
    size_t length = from ? strcspn(from + 1, "\"\n") : 0;
    if (!from || from[1 + length] != '"')
        return NULL;
    *at = from + length + 2;
    char *text = arena_strndup(a, from + 1, length), *to = text;
    for (const char *c = text; c && *c; c++) {
        char digits[3] = {0};
        if (*c == '\\' && strspn(c + 1, "0123456789abcdef") >= 2) {
            memcpy(digits, c + 1, 2);
            *to++ = (char)strtoul(digits, NULL, 16);
            c += 2;
        } else {
            *to++ = *c;
        }
    }
    if (to)
        *to = '\0';
    return text;
}

// The first line of a `.hone` file says the same in texts: name, language, version, spec, digests.
static bool read_known_head(const char *text, struct arena *a, struct deploy_stamp *out)
{
    const char *name = quoted_text(&text, a), *language = quoted_text(&text, a);
    out->version = quoted_text(&text, a);
    out->spec_path = quoted_text(&text, a);
    const char *source = quoted_text(&text, a), *spec = quoted_text(&text, a);
    bool is_language = false;
    for (unsigned l = 0; name && language && l < LANGUAGE_COUNT && !is_language; l++) {
        is_language = str_equal(language, language_title((enum language)l));
        out->language = (enum language)l;
    }
    return is_language && out->version && out->spec_path && out->spec_path[0] &&
           read_digest(source, out->source) && read_digest(spec, out->spec_digest);
}

static bool read_stamp_line(const char *line, struct arena *a, struct deploy_stamp *out)
{
    const char *language = stamp_word(line, "language", a);
    char *path = (char *)stamp_word(line, "spec", a);
    out->version = stamp_word(line, "version", a);
    out->spec_path = path;
    return language && language_parse(language, &out->language) && out->version && path &&
           decode_path(path) && read_digest(stamp_word(line, "source", a), out->source) &&
           read_digest(stamp_word(line, "spec-digest", a), out->spec_digest);
}

bool deploy_stamp_find(const char *text, const char *name, struct arena *a,
                       struct deploy_stamp *out, struct error *e)
{
    const char *line = strstr(text, STAMP);
    bool is_known = str_starts(text, "hone-known 2 ");
    if (!line && !is_known)
        return error_set(
            e, ERROR_INPUT,
            "%s: there is no line 'hone-deploy 1 ...' that says what it was made from: "
            "no file of `hone deploy`",
            name);
    // A blank stands before each word of the line.
    bool ok = is_known ? read_known_head(text, a, out)
                       : read_stamp_line(line + strlen("hone-deploy"), a, out);
    return ok || error_set(e, ERROR_INPUT,
                           "%s: the line that says what it was made from is damaged; deploy the "
                           "spec again",
                           name);
}

bool deploy_stamp_check(const struct deploy_stamp *stamp, const struct spec *now, const char **what,
                        struct error *e)
{
    struct digest digest;
    char source[65], spec[65];
    struct spec_sources *sources = spec_sources_read(now, stamp->language, NULL, NULL, e);
    if (!sources)
        return false;
    spec_sources_digest(sources, &digest);
    spec_sources_free(sources);
    digest_hex(&digest, source);
    digest_hex(&now->digest, spec);
    bool is_source = !str_equal(source, stamp->source),
         is_spec = !str_equal(spec, stamp->spec_digest);
    *what = is_source && is_spec ? "the spec and the kernel's source have changed"
            : is_source          ? "the kernel's source has changed"
            : is_spec            ? "the spec has changed"
                                 : "";
    return true;
}
