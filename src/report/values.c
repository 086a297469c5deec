// Values of the expression language, and a spec's constants, as JSON.
#include "report/values.h"

static void emit_list(struct emit *j, const struct value *v)
{
    emit_array(j);
    for (uint32_t i = 0; i < v->count; i++)
        emit_value(j, &v->items[i]);
    emit_array_end(j);
}

void emit_value(struct emit *j, const struct value *v)
{
    if (v->kind == VALUE_BOOL)
        emit_bool(j, v->i != 0);
    else if (v->kind == VALUE_INT)
        emit_i64(j, v->i);
    else if (v->kind == VALUE_UINT)
        emit_u64(j, v->u);
    else if (v->kind == VALUE_FLOAT)
        emit_f64(j, v->f);
    else if (v->kind == VALUE_STRING)
        emit_text(j, v->s);
    else if (v->kind == VALUE_LIST)
        emit_list(j, v);
    else
        emit_null(j);
}

void emit_constants(const void *spec, const void *context, struct emit *j)
{
    const struct spec *s = spec;
    (void)context;
    emit_object(j);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        emit_key(j, s->constants[i].name);
        emit_value(j, &s->constants[i].value);
    }
    emit_object_end(j);
}

char *constants_to_json(const struct spec *s)
{
    struct text out = TEXT_INIT;
    struct emit j;
    emit_start(&j, &out);
    emit_constants(s, NULL, &j);
    return text_steal(&out);
}

const char *parameter_type_text(enum parameter_type t)
{
    static const char *const texts[] = {PARAMETER_TYPES(LIST_TEXT)};
    return texts[t];
}
