#include "cli/race_json.h"

static void emit_place(struct emit *j, const struct race_place *p)
{
    emit_text_at(j, "file", *p->file ? p->file : NULL);
    emit_u64_at(j, "line", p->line);
    emit_u64_at(j, "column", p->column);
    emit_text_at(j, "text", *p->text ? p->text : NULL);
    emit_text_at(j, "item", *p->item ? p->item : NULL);
}

void race_emit(struct emit *j, const struct race *r)
{
    emit_object(j);
    emit_text_at(j, "kind", race_kind_name(r->kind));
    emit_text_at(j, "kernel", r->kernel);
    emit_place(j, &r->at);
    emit_text_at(j, "memory", *r->memory ? r->memory : NULL);
    emit_u64_at(j, "bytes", r->bytes);
    emit_key(j, "other");
    if (*r->other.item || r->other.line) {
        emit_object(j);
        emit_place(j, &r->other);
        emit_object_end(j);
    } else {
        emit_null(j);
    }
    emit_text_at(j, "detail", *r->detail ? r->detail : NULL);
    emit_u64_at(j, "count", r->count);
    emit_bool_at(j, "more", r->more);
    emit_object_end(j);
}
