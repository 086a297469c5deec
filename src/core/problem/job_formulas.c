// Evaluating the formulas of a job, with errors that name the configuration and the path in the
// spec.
#include "problem/job_formulas.h"

#include "base/text.h"

#include <math.h>
#include <stdarg.h>

#define MOST (UINT64_C(1) << 48)

#undef make_error // the analyser's
bool make_error(struct maker *m, const char *path, const char *format, ...)
{
    char message[1024];
    va_list args;
    va_start(args, format);
    str_vformat(message, sizeof message, format, args);
    va_end(args);
    return error_set(m->e, ERROR_INPUT, "%s: %s", path, message);
}

bool make_eval(struct maker *m, const struct formula *f, struct value *out)
{
    enum expr_fault fault = expr_eval(f->expr, m->slots, m->arena, out);
    if (fault == EXPR_FAULT_NONE)
        return true;
    return make_error(m, f->path, "'%s' has no value: %s", f->text, expr_fault_text(fault));
}

bool make_size(struct maker *m, const struct formula *f, uint64_t least, uint64_t fallback,
               uint64_t *out)
{
    struct value v;
    int64_t i;
    *out = fallback;
    if (!f->expr)
        return true;
    if (!make_eval(m, f, &v))
        return false;
    if (!value_to_i64(&v, &i) || i < (int64_t)least || (uint64_t)i > MOST) {
        struct text shown = TEXT_INIT;
        value_print(&v, &shown);
        if (v.kind == VALUE_FLOAT)
            make_error(m, f->path,
                       "'%s' is %s, but a whole number is needed: divide with //, or use ceil()",
                       f->text, text_cstr(&shown));
        else
            make_error(m, f->path, "'%s' is %s, but a whole number of at least %llu is needed",
                       f->text, text_cstr(&shown), (unsigned long long)least);
        text_release(&shown);
        return false;
    }
    *out = (uint64_t)i;
    return true;
}

bool make_f64(struct maker *m, const struct formula *f, double fallback, double *out)
{
    struct value v;
    *out = fallback;
    if (!f->expr)
        return true;
    if (!make_eval(m, f, &v))
        return false;
    return (value_to_f64(&v, out) && isfinite(*out)) ||
           make_error(m, f->path, "'%s' is not a number", f->text);
}

bool make_truth(struct maker *m, const struct formula *f, bool *out)
{
    struct value v;
    *out = true;
    if (!f->expr)
        return true;
    if (!make_eval(m, f, &v))
        return false;
    *out = value_truth(&v);
    return true;
}
