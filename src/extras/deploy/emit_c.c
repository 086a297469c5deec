// C text of compiled expressions: a postfix program written out as assignments, a variable for each place of its stack.
// Which variable a step works on is known here, because a checked program meets every step with one depth.
#include "extras/deploy/emit_c.h"

#include <string.h>

void emit_c_bytes(const char *bytes, size_t length, struct text *out)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '\n')
            text_add(out, "\\n");
        else if (c == '"' || c == '\\' || c == '?') // "??" begins a trigraph
            text_addf(out, "\\%c", c);
        else if (c < 32 || c > 126)
            text_addf(out, "\\%03o", c);
        else
            text_addc(out, (char)c);
    }
}

void emit_c_string(const char *s, struct text *out)
{
    if (!s) {
        text_add(out, "NULL");
        return;
    }
    text_addc(out, '"');
    emit_c_bytes(s, strlen(s), out);
    text_addc(out, '"');
}

void emit_c_int(int64_t i, struct text *out)
{
    if (i == INT64_MIN)
        text_add(out, "INT64_MIN");
    else
        text_addf(out, "INT64_C(%lld)", (long long)i);
}

void emit_c_comment(const char *s, struct text *out)
{
    for (; *s; s++) {
        text_addc(out, (unsigned char)*s < 32 ? ' ' : *s);
        if ((*s == '*' && s[1] == '/') || (*s == '/' && s[1] == '*') || (*s == '?' && s[1] == '?'))
            text_addc(out, ' ');
    }
}

void emit_c_name(const char *name, struct text *out)
{
    static const char *const words[] = {
        "alignas",  "alignof",   "and",       "asm",       "auto",     "bitand",   "bitor",
        "bool",     "break",     "case",      "catch",     "char",     "class",    "compl",
        "const",    "constexpr", "continue",  "decltype",  "default",  "delete",   "do",
        "double",   "else",      "enum",      "explicit",  "export",   "extern",   "false",
        "float",    "for",       "friend",    "goto",      "if",       "inline",   "int",
        "long",     "mutable",   "namespace", "new",       "noexcept", "not",      "nullptr",
        "operator", "or",        "private",   "protected", "public",   "register", "restrict",
        "return",   "short",     "signed",    "sizeof",    "static",   "struct",   "switch",
        "template", "this",      "throw",     "true",      "try",      "typedef",  "typeid",
        "typename", "union",     "unsigned",  "using",     "virtual",  "void",     "volatile",
        "while",    "xor",       NULL};
    text_add(out, name);
    if (str_listed(words, name))
        text_addc(out, '_');
}

// ---- programs ----------------------------------------------------------------------------------

static const char *operator_constant(int code)
{
    static const char *const names[] = {
#define X(name, word, operands) "HONE_CORE_" #name,
        HONE_CORE_OPERATORS(X)
#undef X
    };
    return names[code];
}

static void emit_step(const struct known_step *s, int top, struct text *out)
{
    char number[32];
    if (s->code < HONE_CORE_OPERATOR_COUNT && known_step_operands(s->code) == 2) {
        text_addf(out, "    a%d = hone_core_binary(%s, a%d, a%d);\n", top - 1,
                  operator_constant(s->code), top - 1, top);
    } else if (s->code < HONE_CORE_OPERATOR_COUNT) {
        text_addf(out, "    a%d = hone_core_unary(%s, a%d);\n", top, operator_constant(s->code),
                  top);
    } else if (s->code == KNOWN_STEP_PUSH) {
        text_addf(out, "    a%d = hone_core_int(", top + 1);
        emit_c_int(s->i, out);
        text_add(out, ");\n");
    } else if (s->code == KNOWN_STEP_REAL) {
        f64_to_str(s->f, number);
        text_addf(out, "    a%d = hone_core_float(%s);\n", top + 1, number);
    } else if (s->code == KNOWN_STEP_SLOT) {
        text_addf(out, "    a%d = x[%lld];\n", top + 1, (long long)s->i);
    } else if (s->code == KNOWN_STEP_JUMP) {
        text_addf(out, "    goto l%lld;\n", (long long)s->i);
    } else {
        text_addf(out, "    if (a%d.kind == HONE_CORE_FAULT)\n        return a%d;\n", top, top);
        text_addf(out, "    if (%shone_core_truth(a%d))\n        goto l%lld;\n",
                  s->code == KNOWN_STEP_OR ? "" : "!", top, (long long)s->i);
    }
}

static bool is_target(const struct deploy_program *p, uint32_t at)
{
    for (uint32_t i = 0; i < at && i < p->count; i++) {
        if (p->steps[i].code > KNOWN_STEP_SLOT && p->steps[i].i == (int64_t)at)
            return true;
    }
    return false;
}

// The depth behind the step, where the next one follows it; `met` gets that of its target.
static int follow_step(const struct known_step *s, int depth, int *met)
{
    if (s->code < HONE_CORE_OPERATOR_COUNT)
        return depth - known_step_operands(s->code) + 1;
    if (s->code <= KNOWN_STEP_SLOT)
        return depth + 1;
    met[s->i] = s->code == KNOWN_STEP_UNLESS ? depth - 1 : depth;
    return s->code == KNOWN_STEP_JUMP ? -1 : depth - 1;
}

void emit_c_program(const struct deploy_program *p, const char *prefix, uint32_t number,
                    struct text *out)
{
    int met[KNOWN_STEPS_MOST + 1], depth = 0;
    text_add(out, "/* ");
    emit_c_comment(p->text, out);
    text_addf(out, " */\nstatic inline hone_core_value %s_x%u(const hone_core_value *x)\n{\n",
              prefix, (unsigned)number);
    text_add(out, "    hone_core_value a1");
    for (uint32_t i = 2; i <= p->depth; i++)
        text_addf(out, ", a%u", (unsigned)i);
    text_add(out, ";\n    (void)x;\n");
    for (uint32_t i = 0; i < p->count; i++) {
        if (is_target(p, i)) {
            text_addf(out, "l%u:\n", (unsigned)i);
            depth = depth < 0 ? met[i] : depth;
        }
        emit_step(&p->steps[i], depth, out);
        depth = follow_step(&p->steps[i], depth, met);
    }
    if (is_target(p, p->count))
        text_addf(out, "l%u:\n", (unsigned)p->count);
    text_add(out, "    return a1;\n}\n\n");
}
