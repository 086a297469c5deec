// A spec's constants as JSON.
#include "report/values.h"

void emit_constants(const void *spec, const void *context, struct emit *j)
{
    const struct spec *s = spec;
    (void)context;
    emit_object(j);
    for (uint32_t i = 0; i < s->constant_count; i++) {
        emit_key(j, s->constants[i].name);
        value_emit(&s->constants[i].value, j);
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
