// Reads how a CUDA program launches a kernel. Nothing of the host's is compiled: the words between
// <<< and >>> are followed to the dim3, the variable or the #define that they name, a few steps deep, and what
// does not come out as a number is left alone.
#include "extras/init/host_launch.h"

#include "base/text.h"
#include "kernel_text/kernel_tokens.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 6
#define GROUP_MOST 1024
#define WORK_MOST  10000 // values read: names may be defined over and over

struct host {
    const struct token *tokens;
    size_t count;
    unsigned work;
};

static bool is_sign(const struct token *t, const char *sign)
{
    return t->kind == TOKEN_SIGN && strcmp(t->text, sign) == 0;
}

static bool is_name(const struct token *t, const char *name)
{
    return t->kind == TOKEN_NAME && strcmp(t->text, name) == 0;
}

// "<<<" and ">>>" are read as two signs.
static size_t skip_chevron(const struct token *t, const char *whole)
{
    if (is_sign(t, whole))
        return 1;
    const char two[] = {*whole, *whole, 0}, one[] = {*whole, 0};
    return is_sign(t, two) && t[1].is_glued && is_sign(t + 1, one) ? 2 : 0;
}

// The end of an expression that begins at `t`: a comma, a bracket, a semicolon, >>>, or its line's end.
static const struct token *find_end(const struct token *t)
{
    const char *directive = t->directive;
    const uint32_t line = t->line;
    for (int depth = 0; t->kind != TOKEN_END; t++) {
        if ((directive && t->line != line) || is_sign(t, ";") ||
            (depth == 0 &&
             (is_sign(t, ",") || is_sign(t, ")") || is_sign(t, "}") || skip_chevron(t, ">>>"))))
            break;
        depth += is_sign(t, "(") || is_sign(t, "{");
        depth -= is_sign(t, ")") || is_sign(t, "}");
    }
    return t;
}

static bool read_sum(struct host *h, const struct token **t, const struct token *end, int steps,
                     int64_t *out);

// #define NAME value, or NAME = value.
static bool read_named(struct host *h, const char *name, int steps, int64_t *out)
{
    for (size_t i = 0; steps > 0 && i + 2 < h->count; i++) {
        const struct token *t = &h->tokens[i];
        const bool is_define = t->starts_directive && t->directive &&
                               strcmp(t->directive, "define") == 0 && !is_sign(t + 1, "(");
        if (!is_name(t, name) || (!is_define && (t->directive || !is_sign(t + 1, "="))))
            continue;
        const struct token *from = t + (is_define ? 1 : 2), *end = find_end(from);
        if (from < end && read_sum(h, &from, end, steps - 1, out) && from == end)
            return true;
    }
    return false;
}

static bool read_value(struct host *h, const struct token **t, const struct token *end, int steps,
                       int64_t *out)
{
    const struct token *at = (*t)++;
    char *rest;
    if (at >= end || ++h->work > WORK_MOST)
        return false;
    if (at->kind == TOKEN_NAME)
        return read_named(h, at->text, steps, out);
    if (at->kind == TOKEN_NUMBER) {
        *out = strtoll(at->text, &rest, 0);
        return rest != at->text && strspn(rest, "uUlL") == strlen(rest);
    }
    if (!is_sign(at, "(") || steps == 0 || !read_sum(h, t, end, steps - 1, out) || *t >= end ||
        !is_sign(*t, ")"))
        return false;
    ++*t;
    return true;
}

static bool read_product(struct host *h, const struct token **t, const struct token *end, int steps,
                         int64_t *out)
{
    int64_t next;
    if (!read_value(h, t, end, steps, out))
        return false;
    while (*t < end && (is_sign(*t, "*") || is_sign(*t, "/"))) {
        const bool divides = is_sign((*t)++, "/");
        if (!read_value(h, t, end, steps, &next) || next <= 0 || *out < 0 || *out > 1 << 30 ||
            next > 1 << 30)
            return false;
        *out = divides ? *out / next : *out * next;
    }
    return true;
}

static bool read_sum(struct host *h, const struct token **t, const struct token *end, int steps,
                     int64_t *out)
{
    int64_t next;
    if (!read_product(h, t, end, steps, out))
        return false;
    while (*t < end && (is_sign(*t, "+") || is_sign(*t, "-"))) {
        const bool subtracts = is_sign((*t)++, "-");
        if (!read_product(h, t, end, steps, &next) || next > 1 << 30 || *out > 1 << 30)
            return false;
        *out += subtracts ? -next : next;
    }
    return true;
}

// "16, 16)": up to three numbers.
static bool read_axes(struct host *h, const struct token *t, int64_t block[3])
{
    block[0] = block[1] = block[2] = 1;
    for (int axis = 0; axis < 3; axis++) {
        const struct token *end = find_end(t);
        if (!read_sum(h, &t, end, STEPS_MOST, &block[axis]) || t != end || block[axis] < 1 ||
            block[axis] > GROUP_MOST)
            return false;
        if (!is_sign(t, ","))
            return is_sign(t, ")") || is_sign(t, "}");
        t++;
    }
    return false;
}

// dim3 block(16, 16); dim3 grid(..), block(..); dim3 block = dim3(16, 16).
static bool read_dim3(struct host *h, const char *name, int64_t block[3])
{
    bool is_dim3 = false;
    for (size_t i = 0; i + 3 < h->count; i++) {
        const struct token *t = &h->tokens[i];
        is_dim3 = (is_dim3 || is_name(t, "dim3")) && !is_sign(t, ";");
        if (!is_dim3 || !is_name(t, name))
            continue;
        const struct token *open = t + 1 + (is_sign(t + 1, "=") ? 1 : 0);
        open += is_name(open, "dim3") ? 1 : 0;
        if ((is_sign(open, "(") || is_sign(open, "{")) && read_axes(h, open + 1, block))
            return true;
    }
    return false;
}

static bool read_block(struct host *h, const struct token *t, int64_t block[3])
{
    const struct token *end = find_end(t);
    if (is_name(t, "dim3") && is_sign(t + 1, "("))
        return read_axes(h, t + 2, block);
    if (end == t + 1 && t->kind == TOKEN_NAME && read_dim3(h, t->text, block))
        return true;
    block[1] = block[2] = 1;
    return read_sum(h, &t, end, STEPS_MOST, &block[0]) && t == end && block[0] >= 1 &&
           block[0] <= GROUP_MOST;
}

// Behind the kernel's name, and what may stand between < and > of a template.
static const struct token *find_chevron(const struct token *t)
{
    for (int k = 0; k < 24 && t->kind != TOKEN_END && !is_sign(t, ";") && !is_sign(t, "{"); k++) {
        const size_t length = skip_chevron(t, "<<<");
        if (length)
            return t + length;
        if (k == 0 && !is_sign(t, "<"))
            return NULL;
        t++;
    }
    return NULL;
}

bool host_launch_find(const char *text, size_t length, const char *kernel, struct arena *a,
                      int64_t block[3])
{
    const char *colon = strrchr(kernel, ':');
    struct host h = {0};
    h.tokens = tokens_read(text, length, a, &h.count);
    for (size_t i = 0; h.tokens && i + 4 < h.count; i++) {
        const struct token *t = is_name(&h.tokens[i], colon ? colon + 1 : kernel)
                                    ? find_chevron(&h.tokens[i + 1])
                                    : NULL;
        const struct token *end = t ? find_end(t) : NULL;
        if (end && is_sign(end, ",") && read_block(&h, end + 1, block))
            return true;
    }
    return false;
}

// ---- the spec ----------------------------------------------------------------------------------

static const char *add_value(const char *values, int64_t value, struct arena *a)
{
    struct text t = TEXT_INIT;
    bool is_there = false;
    text_add(&t, "[");
    for (const char *at = values + 1; *at && *at != ']';) {
        char *end;
        const int64_t now = strtoll(at, &end, 10);
        if (end == at)
            break;
        if (!is_there && now > value)
            text_addf(&t, "%s%lld", t.length > 1 ? ", " : "", (long long)value);
        is_there |= now >= value;
        text_addf(&t, "%s%lld", t.length > 1 ? ", " : "", (long long)now);
        at = end + strspn(end, ", ");
    }
    if (!is_there)
        text_addf(&t, "%s%lld", t.length > 1 ? ", " : "", (long long)value);
    text_add(&t, "]");
    const char *copy = t.failed ? NULL : arena_strdup(a, text_cstr(&t));
    text_release(&t);
    return copy;
}

static bool is_restricted(const struct inferred *f, const char *name)
{
    for (uint32_t i = 0; i < f->restriction_count; i++) {
        if (strstr(f->restrictions[i], name))
            return true;
    }
    return false;
}

// "LocalSize: ...", which the host's code answers. Is it there?
static bool drop_question(struct inferred *f)
{
    for (uint32_t i = 0; i < f->open_count; i++) {
        if (!str_starts(f->open[i], "LocalSize:"))
            continue;
        for (uint32_t k = i; k + 1 < f->open_count; k++)
            f->open[k] = f->open[k + 1];
        f->open_count--;
        return true;
    }
    return false;
}

bool host_launch_apply(struct inferred *f, const int64_t block[3], struct arena *a)
{
    const bool is_answer = drop_question(f);
    for (uint32_t axis = 0; axis < f->axes; axis++) {
        for (uint32_t i = 0; i < f->name_count; i++) {
            struct inferred_name *n = &f->names[i];
            if (n->role != NAME_PARAMETER || !n->is_own || strcmp(f->local[axis], n->name) != 0 ||
                (!is_answer && block[axis] != n->value && is_restricted(f, n->name)))
                continue;
            n->value = block[axis];
            n->values = is_answer ? arena_printf(a, "[%lld]", (long long)block[axis])
                                  : add_value(n->values, block[axis], a);
            if (!n->values)
                return false;
        }
    }
    return true;
}
