// Records by their tables: the values, as JSON.
#include "base/fields.h"

const char *field_some(const char *text)
{
    return text && *text ? text : NULL;
}

static void emit_list(struct emit *j, const struct field *f, const struct field_value *value)
{
    const char *at = value->list.at;
    emit_array(j);
    for (size_t i = 0; i < value->list.count; i++) {
        if (f->kind == FIELD_U64S)
            emit_u64(j, ((const uint64_t *)value->list.at)[i]);
        else if (f->kind == FIELD_TEXTS)
            emit_text(j, ((const char *const *)value->list.at)[i]);
        else
            emit_record(j, f->of, at + i * value->list.stride, value->list.context);
    }
    emit_array_end(j);
}

static void emit_object_of(struct emit *j, const struct field *f, const struct field_value *value)
{
    if (value->list.at)
        emit_record(j, f->of, value->list.at, value->list.context);
    else
        emit_null(j);
}

// A value that consists of others.
static void emit_parts(struct emit *j, const struct field *f, const struct field_value *value)
{
    if (f->kind == FIELD_PUT) {
        value->list.put(value->list.at, value->list.context, j);
    } else if (f->kind == FIELD_EACH) {
        emit_array(j);
        value->list.put(value->list.at, value->list.context, j);
        emit_array_end(j);
    } else if (f->kind == FIELD_PAIR) {
        emit_array(j);
        emit_f64(j, value->pair[0]);
        emit_f64(j, value->pair[1]);
        emit_array_end(j);
    } else if (f->kind == FIELD_U64S || f->kind == FIELD_TEXTS || f->kind == FIELD_RECORDS ||
               f->kind == FIELD_LIST) {
        emit_list(j, f, value);
    } else {
        emit_object_of(j, f, value);
    }
}

static void emit_field(struct emit *j, const struct field *f, const struct field_value *value)
{
    emit_key(j, f->name);
    if (value->is_null)
        emit_null(j);
    else if (f->kind == FIELD_TEXT || f->kind == FIELD_SOME)
        emit_text(j, value->text);
    else if (f->kind == FIELD_JSON)
        emit_raw(j, value->text);
    else if (f->kind == FIELD_BOOL || f->kind == FIELD_MAYBE)
        emit_bool(j, value->flag);
    else if (f->kind == FIELD_U64 || f->kind == FIELD_KNOWN)
        emit_u64(j, value->count);
    else if (f->kind == FIELD_F64)
        emit_f64(j, value->number);
    else
        emit_parts(j, f, value);
}

void emit_fields(struct emit *j, const struct fields *f, const void *record, const void *context)
{
    struct field_value values[FIELDS_MOST];
    struct arena a;
    arena_init(&a);
    f->values(record, context, &a, values);
    for (size_t i = 0; i < f->count; i++) {
        const struct field *row = &f->rows[i];
        bool is_there = row->kind != FIELD_PART && row->kind != FIELD_MEMBERS;
        if (row->kind == FIELD_MEMBERS && values[i].list.at)
            emit_fields(j, row->of, values[i].list.at, values[i].list.context);
        else if (is_there || (row->kind == FIELD_PART && values[i].list.at))
            emit_field(j, row, &values[i]);
    }
    arena_release(&a);
}

void emit_record(struct emit *j, const struct fields *f, const void *record, const void *context)
{
    emit_object(j);
    emit_fields(j, f, record, context);
    emit_object_end(j);
}

void fields_line(const struct fields *f, const void *record, const void *context, struct text *out)
{
    struct emit j;
    emit_start(&j, out);
    emit_record(&j, f, record, context);
    text_add(out, "\n");
}
