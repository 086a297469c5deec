// PTX rewritten for another target, line by line: the .target line is replaced, markers that inline
// assembly left as comments become instructions or directives of their kernel, with their operands put
// into the places. Braces and .entry lines say which kernel a marker stands in.
#include "device/retarget.h"

#include <string.h>

struct line {
    const char *at, *end; // without the line break
    size_t number;
};

struct splicing {
    struct text *out;
    struct error *error;
    const char *target;
    unsigned targets;   // .target lines so far
    struct line marker; // the last splice marker
    bool open;          // it does not end an instruction
    unsigned depth;     // of braces
    bool is_entry;      // the last head of a function was a kernel's
    size_t head, body;  // of the function that we are in: offsets in `out` of its head, its brace
};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

static const char *without_blanks_behind(const char *at, const char *end)
{
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    return end;
}

static bool starts(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

static bool refuse_line(const struct splicing *s, const struct line *l, const char *why)
{
    const char *at = skip_blanks(l->at, l->end);
    size_t n = (size_t)(without_blanks_behind(at, l->end) - at);
    return error_set(s->error, ERROR_INPUT, "line %zu of its PTX: %s: %.*s%s", l->number, why,
                     (int)(n < 200 ? n : 200), at, n < 200 ? "" : "...");
}

// ---- the target --------------------------------------------------------------------------------

// Where the target's name starts in ".target sm_90, debug"; NULL for other lines.
static const char *target_name(const struct line *l)
{
    static const char word[] = ".target";
    const char *at = skip_blanks(l->at, l->end);
    if (!starts(at, l->end, word))
        return NULL;
    const char *name = skip_blanks(at + sizeof word - 1, l->end);
    return name > at + sizeof word - 1 ? name : NULL;
}

// ---- markers -----------------------------------------------------------------------------------

// "%0" to "%99" of inline assembly: a compiler that puts operands in leaves none.
static bool has_placeholder(const char *at, const char *end)
{
    for (; at + 1 < end; at++) {
        if (*at == '%' && at[1] >= '0' && at[1] <= '9')
            return true;
    }
    return false;
}

// Braces outside comments, and where functions begin.
static void follow_braces(struct splicing *s, const char *at, const char *end)
{
    const char *comment = memmem(at, (size_t)(end - at), "//", 2);
    size_t offset = s->out->length - (size_t)(end - at);
    end = comment ? comment : end;
    bool entry = memmem(at, (size_t)(end - at), ".entry", 6) != NULL;
    if (s->depth == 0 && (entry || memmem(at, (size_t)(end - at), ".func", 5))) {
        s->is_entry = entry;
        s->head = offset;
    }
    for (const char *c = at; c < end; c++) {
        if (*c == '{' && s->depth++ == 0)
            s->body = offset + (size_t)(c - at);
        else if (*c == '}' && s->depth > 0 && --s->depth == 0)
            s->is_entry = false;
    }
}

static void put_code(struct splicing *s, const char *at, const char *end)
{
    text_addn(s->out, at, (size_t)(end - at));
    if (!s->out->failed)
        follow_braces(s, at, end);
}

// Reads a marker's instruction or directive, from `at` behind its name, without blanks around.
static bool read_marker(const struct splicing *s, const struct line *l, const char *at,
                        struct line *out)
{
    const char *end = without_blanks_behind(at, l->end);
    if (at == end || *at != ':')
        return refuse_line(s, l,
                           "a marker is written '// " RETARGET_SPLICE
                           ": INSTRUCTION;' or '// " RETARGET_ENTRY ": DIRECTIVE'");
    *out = (struct line){skip_blanks(at + 1, end), end, l->number};
    if (out->at == end)
        return refuse_line(s, l, "a marker without an instruction");
    return !has_placeholder(out->at, end) ||
           refuse_line(s, l, "the compiler has put no operand in; does the asm statement list it?");
}

static bool put_entry(struct splicing *s, const struct line *l, const char *at)
{
    struct line directive;
    if (!read_marker(s, l, at, &directive))
        return false;
    if (*directive.at != '.')
        return refuse_line(s, l,
                           "a directive of a kernel starts with a point, such as .maxnreg 64");
    if (s->depth == 0 || !s->is_entry)
        return refuse_line(s, l, "the marker stands in no kernel");
    size_t n = (size_t)(directive.end - directive.at);
    if (s->out->failed || memmem(s->out->data + s->head, s->body - s->head, directive.at, n))
        return true; // there already
    text_addn(s->out, directive.at, n);
    text_addc(s->out, '\n');
    if (s->out->failed)
        return true;
    char *body = s->out->data + s->body;
    memmove(body + n + 1, body, s->out->length - n - 1 - s->body);
    memcpy(body, directive.at, n);
    body[n] = '\n';
    s->body += n + 1;
    return true;
}

static bool put_line(struct splicing *s, const struct line *l)
{
    const char *at = skip_blanks(l->at, l->end), *name = target_name(l);
    bool is_comment = starts(at, l->end, "//");
    if (is_comment)
        at = skip_blanks(at + 2, l->end);
    if (is_comment && starts(at, l->end, RETARGET_SPLICE)) {
        struct line code;
        if (!read_marker(s, l, (at + strlen(RETARGET_SPLICE)), &code))
            return false;
        text_addc(s->out, '\t');
        put_code(s, code.at, code.end);
        s->marker = *l;
        s->open = code.end[-1] != ';' && code.end[-1] != '}';
        return true;
    }
    if (s->open)
        return refuse_line(s, &s->marker, "the spliced instruction does not end with ';'");
    if (is_comment && starts(at, l->end, RETARGET_ENTRY))
        return put_entry(s, l, at + strlen(RETARGET_ENTRY));
    if (!is_comment && !starts(at, l->end, ".file") &&
        (memmem(at, (size_t)(l->end - at), RETARGET_SPLICE, strlen(RETARGET_SPLICE)) ||
         memmem(at, (size_t)(l->end - at), RETARGET_ENTRY, strlen(RETARGET_ENTRY))))
        return refuse_line(s, l, "a marker must be a line of its own, behind '//'");
    if (name) {
        const char *end = name;
        while (end < l->end && *end != ',' && *end != ' ' && *end != '\t' && *end != '\r')
            end++;
        if (!starts(name, l->end, "sm_"))
            return refuse_line(s, l, "the target is not first in its line");
        text_addn(s->out, l->at, (size_t)(name - l->at));
        text_add(s->out, s->target);
        text_addn(s->out, end, (size_t)(l->end - end));
        s->targets++;
        return true;
    }
    put_code(s, l->at, l->end);
    return true;
}

bool ptx_retarget(const char *ptx, size_t length, const char *target, struct text *out,
                  struct error *e)
{
    struct splicing s = {.out = out, .error = e, .target = target};
    size_t ended = 0; // NVIDIA's driver counts null bytes behind the text
    while (length > ended && ptx[length - ended - 1] == '\0')
        ended++;
    length -= ended;
    const char *end = ptx + length;
    if (length == 0 || memchr(ptx, '\0', length))
        return error_set(e, ERROR_INPUT, "the driver's binary is not PTX text");
    struct line line = {ptx, ptx, 0};
    while (line.at < end) {
        const char *stop = memchr(line.at, '\n', (size_t)(end - line.at));
        line.end = stop ? stop : end;
        line.number++;
        if (!put_line(&s, &line))
            return false;
        if (stop)
            text_addc(out, '\n');
        line.at = stop ? stop + 1 : end;
    }
    if (s.open)
        return refuse_line(&s, &s.marker, "the spliced instruction does not end with ';'");
    if (s.targets == 0)
        return error_set(e, ERROR_INPUT, "the driver's binary is not PTX text: it has no .target");
    for (; ended > 0; ended--)
        text_addn(out, "", 1);
    return !out->failed || error_memory(e);
}
