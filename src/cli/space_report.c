// What `hone space` says of a space.
#include "cli/space_report.h"

#include "cli/values.h"
#include "report/table.h"

#define SHOWN_VALUES 24

// ---- text --------------------------------------------------------------------------------------

static void put_values(const struct parameter *p, struct text *out)
{
    for (uint32_t i = 0; i < p->count && i < SHOWN_VALUES; i++) {
        text_add(out, i ? " " : "");
        value_print(&p->values[i], out);
    }
    if (p->count > SHOWN_VALUES)
        text_addf(out, " ... (%u values)", p->count);
}

static void put_parameters(const struct spec *s, struct text *out)
{
    static const struct table_column columns_of[] = {{"parameter", ALIGN_LEFT},
                                                     {"type", ALIGN_LEFT},
                                                     {"default", ALIGN_RIGHT},
                                                     {"values", ALIGN_LEFT}};
    struct table table;
    struct text cell = TEXT_INIT;
    table_init(&table, columns_of, sizeof columns_of / sizeof *columns_of);
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        table_row(&table);
        table_cell(&table, 0, "%s", p->name);
        table_cell(&table, 1, "%s", parameter_type_text(p->type));
        text_clear(&cell);
        value_print(&p->values[p->initial], &cell);
        table_cell(&table, 2, "%s", p->has_default ? text_cstr(&cell) : "-");
        text_clear(&cell);
        put_values(p, &cell);
        table_cell(&table, 3, "%s", text_cstr(&cell));
    }
    table_print(&table, "  ", out);
    table_release(&table);
    text_release(&cell);
}

static void put_restrictions(const struct space *sp, struct text *out)
{
    static const struct table_column columns_of[] = {
        {"restriction", ALIGN_LEFT}, {"excludes alone", ALIGN_RIGHT}, {"no value", ALIGN_RIGHT}};
    const struct space_restriction_stats *stats;
    size_t count = space_restrictions(sp, &stats);
    struct table table;
    table_init(&table, columns_of, sizeof columns_of / sizeof *columns_of);
    for (size_t i = 0; i < count; i++) {
        table_row(&table);
        table_cell(&table, 0, "%s", stats[i].restriction->text);
        if (stats[i].alone != UINT64_MAX)
            table_cell(&table, 1, "%llu", (unsigned long long)stats[i].alone);
        if (stats[i].faults > 0)
            table_cell(&table, 2, "%llu", (unsigned long long)stats[i].faults);
    }
    table_print(&table, "  ", out);
    table_release(&table);
}

void space_text(const struct space *sp, struct text *out)
{
    const struct spec *s = space_spec(sp);
    struct text constants = TEXT_INIT, why = TEXT_INIT;
    spec_constants_text(s, &constants);
    text_addf(out, "%s: %llu of %s configuration%s %s valid\n", s->name,
              (unsigned long long)space_count(sp), space_cartesian_text(sp),
              str_equal(space_cartesian_text(sp), "1") ? "" : "s",
              space_count(sp) == 1 ? "is" : "are");
    if (constants.length > 0)
        text_addf(out, "constants: %s\n", text_cstr(&constants));
    put_parameters(s, out);
    put_restrictions(sp, out);
    space_explain_empty(sp, &why);
    if (why.length > 0)
        text_addf(out, "none is valid: %s\n", text_cstr(&why));
    text_release(&constants);
    text_release(&why);
}

// ---- JSON --------------------------------------------------------------------------------------

static void emit_parameters(struct emit *j, const struct spec *s)
{
    emit_key(j, "parameters");
    emit_array(j);
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        emit_object(j);
        emit_text_at(j, "name", p->name);
        emit_text_at(j, "type", parameter_type_text(p->type));
        emit_key(j, "values");
        emit_array(j);
        for (uint32_t k = 0; k < p->count; k++)
            emit_value(j, &p->values[k]);
        emit_array_end(j);
        emit_key(j, "default");
        if (p->has_default)
            emit_value(j, &p->values[p->initial]);
        else
            emit_null(j);
        emit_object_end(j);
    }
    emit_array_end(j);
}

static void emit_restrictions(struct emit *j, const struct space *sp)
{
    const struct space_restriction_stats *stats;
    size_t count = space_restrictions(sp, &stats);
    emit_key(j, "restrictions");
    emit_array(j);
    for (size_t i = 0; i < count; i++) {
        emit_object(j);
        emit_text_at(j, "expression", stats[i].restriction->text);
        emit_text_at(j, "path", stats[i].restriction->path);
        emit_key(j, "excludes_alone");
        if (stats[i].alone != UINT64_MAX)
            emit_u64(j, stats[i].alone);
        else
            emit_null(j);
        emit_u64_at(j, "faults", stats[i].faults);
        emit_object_end(j);
    }
    emit_array_end(j);
}

static void emit_configuration(struct emit *j, const struct space *sp, uint64_t index,
                               uint32_t *choice)
{
    struct text json = TEXT_INIT;
    space_get(sp, index, choice);
    spec_configuration_json(space_spec(sp), choice, &json);
    emit_raw(j, text_cstr(&json));
    j->out->failed |= json.failed;
    text_release(&json);
}

static void emit_default(struct emit *j, const struct space *sp, uint32_t *choice)
{
    uint64_t index;
    emit_key(j, "default");
    if (space_default(sp, &index))
        emit_configuration(j, sp, index, choice);
    else
        emit_null(j);
}

void space_json(const struct space *sp, bool list, uint32_t *choice, struct emit *j)
{
    const struct spec *s = space_spec(sp);
    emit_object(j);
    emit_text_at(j, "spec", s->path);
    emit_text_at(j, "name", s->name);
    emit_raw_at(j, "cartesian", space_cartesian_text(sp));
    emit_u64_at(j, "valid", space_count(sp));
    emit_key(j, "constants");
    emit_constants(j, s);
    emit_parameters(j, s);
    emit_restrictions(j, sp);
    emit_u64_at(j, "faults", space_faults(sp));
    emit_default(j, sp, choice);
    if (list) {
        emit_key(j, "configurations");
        emit_array(j);
        for (uint64_t i = 0; i < space_count(sp); i++)
            emit_configuration(j, sp, i, choice);
        emit_array_end(j);
    }
    emit_object_end(j);
}

static void emit_text_or_null(struct emit *j, const char *key, const char *text)
{
    emit_key(j, key);
    if (text)
        emit_text(j, text);
    else
        emit_null(j);
}

void space_why_json(const struct space *sp, const uint32_t *choice,
                    const struct space_reason *reason, struct emit *j)
{
    const struct formula *f = reason->restriction;
    struct text configuration = TEXT_INIT, message = TEXT_INIT;
    spec_configuration_json(space_spec(sp), choice, &configuration);
    if (f)
        space_reason_text(sp, choice, reason, &message);
    emit_object(j);
    emit_raw_at(j, "configuration", text_cstr(&configuration));
    emit_bool_at(j, "valid", !f);
    emit_text_or_null(j, "restriction", f ? f->text : NULL);
    emit_text_or_null(j, "path", f ? f->path : NULL);
    emit_text_or_null(j, "message", f ? text_cstr(&message) : NULL);
    emit_object_end(j);
    j->out->failed |= configuration.failed || message.failed;
    text_release(&configuration);
    text_release(&message);
}
