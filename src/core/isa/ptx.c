// PTX text -> listing. A module is declarations; a kernel's body holds statements that end with a
// semicolon, labels, and blocks in braces, each with labels of its own.
#include "isa/listing.h"

#include "base/text.h"

#include <string.h>

struct reader {
    const char *at, *end; // of the text without comments
    size_t line;
    struct listing *listing;
    struct error *error;
};

// ---- characters --------------------------------------------------------------------------------

char *ptx_without_comments(struct arena *a, const char *text, size_t length)
{
    char *out = arena_alloc(a, length + 1);
    enum { CODE, LINE, BLOCK, STRING } state = CODE;
    for (size_t i = 0; out && i < length; i++) {
        char c = text[i], next = i + 1 < length ? text[i + 1] : '\0';
        bool blank = state != CODE;
        if (state == CODE && c == '/' && (next == '/' || next == '*')) {
            state = next == '/' ? LINE : BLOCK;
            blank = true;
        } else if (state == BLOCK && c == '*' && next == '/' && i + 1 < length) {
            state = CODE;
            out[i++] = ' ';
        } else if (state == CODE && c == '"') {
            state = STRING;
        } else if ((state == STRING && c == '"') || (state == LINE && c == '\n')) {
            state = CODE;
        }
        out[i] = c == '\n' || (!blank && c != '\0') ? c : ' ';
    }
    return out;
}

static void step_character(struct reader *r)
{
    r->line += *r->at == '\n';
    r->at++;
}

static bool is_ptx_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_ptx_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_$%.", c));
}

// Behind the brace that ends the block which starts here.
static void skip_block(struct reader *r)
{
    unsigned depth = 0;
    while (r->at < r->end) {
        char c = *r->at;
        step_character(r);
        depth += c == '{';
        if (c == '}' && --depth == 0)
            return;
    }
}

// ---- statements --------------------------------------------------------------------------------

// The names that a branch may go to: the last one, or all of a table.
static void add_targets(struct reader *r, const char *from, const char *to, bool all,
                        uint32_t scope)
{
    const char *last = NULL;
    size_t length = 0;
    for (const char *at = from; at < to;) {
        size_t n = 0;
        while (at + n < to && is_ptx_name(at[n]))
            n++;
        if (n > 0 && all)
            listing_target(r->listing, at, n, scope);
        if (n > 0) {
            last = at;
            length = n;
        }
        at += n ? n : 1;
    }
    if (last && !all)
        listing_target(r->listing, last, length, scope);
}

// One instruction, from..to without its semicolon.
static bool add_ptx_instruction(struct reader *r, const char *from, const char *to, size_t line,
                                uint32_t scope)
{
    char opcode[128], operands[256];
    bool guarded = *from == '@';
    while (guarded && from < to && !is_ptx_blank(*from))
        from++;
    while (from < to && is_ptx_blank(*from))
        from++;
    size_t n = 0;
    while (from + n < to && !is_ptx_blank(from[n]))
        n++;
    const char *rest = from + n;
    str_format(opcode, sizeof opcode, "%.*s", (int)(n < 128 ? n : 127), from);
    size_t left = (size_t)(to - rest);
    str_format(operands, sizeof operands, "%.*s", (int)(left < 256 ? left : 255), rest);
    bool is_table = strcmp(opcode, ".branchtargets") == 0;
    if (opcode[0] == '.' && !is_table)
        return true;
    struct instruction *i = listing_add(r->listing, line);
    if (!i)
        return error_memory(r->error);
    ptx_classify(opcode, operands, i);
    i->guarded = guarded;
    if (i->flow == FLOW_BRANCH)
        add_targets(r, rest, to, is_table, scope);
    return true;
}

// A label that ends here ("name:", but not "name::"): its length, else 0.
static size_t label_length(const struct reader *r)
{
    const char *at = r->at;
    while (at < r->end && is_ptx_name(*at))
        at++;
    size_t n = (size_t)(at - r->at);
    while (at < r->end && (*at == ' ' || *at == '\t'))
        at++;
    bool is_label = n > 0 && at < r->end && *at == ':' && (at + 1 == r->end || at[1] != ':');
    return is_label ? n : 0;
}

// .loc and .file end with their line.
static bool skip_line_directive(struct reader *r)
{
    size_t left = (size_t)(r->end - r->at);
    bool is_one = (left > 5 && memcmp(r->at, ".loc", 4) == 0 && is_ptx_blank(r->at[4])) ||
                  (left > 6 && memcmp(r->at, ".file", 5) == 0 && is_ptx_blank(r->at[5]));
    while (is_one && r->at < r->end && *r->at != '\n')
        step_character(r);
    return is_one;
}

static bool read_statement(struct reader *r, uint32_t scope)
{
    const char *from = r->at;
    size_t line = r->line;
    while (r->at < r->end && *r->at != ';')
        step_character(r);
    if (r->at == r->end)
        return error_set(r->error, ERROR_INPUT, "line %zu: a statement without a semicolon", line);
    if (!add_ptx_instruction(r, from, r->at, line, scope))
        return false;
    step_character(r);
    return true;
}

// Reads the body of a kernel, up to its closing brace; the reader stands behind the opening one.
static bool read_ptx_body(struct reader *r)
{
    size_t start = r->line;
    uint32_t scope = 0, depth = 1;
    while (depth > 0 && !r->listing->failed) {
        size_t n;
        while (r->at < r->end && is_ptx_blank(*r->at))
            step_character(r);
        if (r->at == r->end)
            return error_set(r->error, ERROR_INPUT, "the block of line %zu does not end", start);
        if (*r->at == '{') {
            scope = listing_scope(r->listing, scope);
            depth++;
            step_character(r);
        } else if (*r->at == '}') {
            scope = r->listing->scopes[scope];
            depth--;
            step_character(r);
        } else if ((n = label_length(r)) > 0) {
            listing_label(r->listing, r->at, n, scope);
            while (*r->at != ':')
                step_character(r);
            step_character(r);
        } else if (*r->at == ';') {
            step_character(r);
        } else if (!skip_line_directive(r) && !read_statement(r, scope)) {
            return false;
        }
    }
    return !r->listing->failed || error_memory(r->error);
}

// ---- the module --------------------------------------------------------------------------------

#define KERNELS_MOST 1024

struct kernels {
    struct kernel_name names[KERNELS_MOST];
    struct reader bodies[KERNELS_MOST]; // behind the brace
    size_t count;
};

static const char *find_entry(const char *from, const char *to)
{
    static const char word[] = ".entry";
    const char *at = memmem(from, (size_t)(to - from), word, sizeof word - 1);
    return at && at + sizeof word - 1 < to && is_ptx_blank(at[sizeof word - 1])
               ? at + sizeof word - 1
               : NULL;
}

// Declarations end with a semicolon or a block; kernels are those with ".entry".
static void find_ptx_kernels(struct reader r, struct kernels *k)
{
    const char *from = r.at;
    while (r.at < r.end) {
        if (*r.at == '{') {
            const char *name = find_entry(from, r.at);
            struct reader body = r;
            step_character(&body);
            if (name) {
                const char *at = name;
                size_t n = 0;
                while (is_ptx_blank(*at))
                    at++;
                while (at + n < body.at && is_ptx_name(at[n]))
                    n++;
                if (k->count != KERNELS_MOST) {
                    k->names[k->count] = (struct kernel_name){at, n};
                    k->bodies[k->count++] = body;
                }
            }
            skip_block(&r);
            from = r.at;
            continue;
        }
        if (*r.at == ';')
            from = r.at + 1;
        step_character(&r);
    }
}

bool ptx_list(const char *text, size_t length, const char *kernel, struct listing *l,
              struct code_profile *p, struct error *e)
{
    char *clean = ptx_without_comments(&l->arena, text, length);
    struct kernels *k = arena_alloc(&l->arena, sizeof *k);
    size_t chosen = 0;
    if (!clean || !k)
        return error_memory(e);
    if (!code_is_ptx(text, length))
        return error_set(e, ERROR_INPUT, "not PTX: it does not start with .version");
    code_ptx_target(text, length, p->target);
    struct reader r = {clean, clean + length, 1, l, e};
    find_ptx_kernels(r, k);
    if (!kernel_choose(k->names, k->count, kernel, &chosen, e))
        return error_context(e, "PTX");
    str_format(p->kernel, sizeof p->kernel, "%.*s", (int)(k->names[chosen].length & 0xffff),
               k->names[chosen].text);
    return read_ptx_body(&k->bodies[chosen]) || error_context(e, "PTX");
}
