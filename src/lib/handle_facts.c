// The facts of a record for the public interface: the tables of its fields, and of its launches' and outputs', as flat lists.
#include "lib/handle.h"

#include "model/result_fields.h"
#include "workflows/record_fields.h"

#include <math.h>
#include <stdlib.h>

struct hone_facts {
    const struct fields *table;
    enum hone_facts_of of;
    struct arena arena;  // of the facts
    struct arena values; // of what was read last
    struct hone_fact *facts;
    struct hone_value *read;
    size_t count, room;
};

// Facts of a record that its JSON has not, or where another command prints it.
#define OWN(X)                                                                                     \
    X(U64, index, (v->index), "", "in the space of its tune")                                      \
    X(U64S, choice, (v->choice != NULL, (const void *)v->choice, 0), "uint32_t",                   \
      "the configuration as indices of values")                                                    \
    X(F64, time_ns, (v->timed ? v->stats.median : NAN), "ns", "median_ns, or that of a recording") \
    X(U64S, metric_values, (v->timed && v->metrics, (const void *)v->metrics, v->metric_count),    \
      "double", "the spec's, NaN where one has no value")                                          \
    X(BOOL, pareto, (v->pareto), "", "of several objectives: no other one is better in all")       \
    X(TEXT, log, (v->result->log), "", "of the build")                                             \
    X(TEXT, output, (v->result->output), "", "what the kernel and its worker printed, the tail")   \
    X(U64, launches, (v->result->resource_count), "", "whose resources are known")                 \
    X(U64, compared_outputs, (v->result->deviation_count), "", "")                                 \
    X(MEMBERS, record, (record_fields, v), "", "")
FIELDS(own_fields, struct tune_record, struct record_frame, OWN)

#define COMPARED(X)                                                                                \
    X(MEMBERS, deviation, (deviation_fields, v), "", "")                                           \
    X(PART, output, (output_fields, v), "", "")
FIELDS(compared_fields, struct deviation, void, COMPARED)

static const struct fields *const tables[] = {[HONE_OF_RECORD] = &own_fields,
                                              [HONE_OF_LAUNCH] = &result_resources_fields,
                                              [HONE_OF_OUTPUT] = &compared_fields};

// Which kind of value has the field; -1: it is no single value.
static int value_kind(enum field_kind kind)
{
    return kind == FIELD_TEXT || kind == FIELD_SOME || kind == FIELD_JSON ? HONE_TEXT
           : kind == FIELD_BOOL || kind == FIELD_MAYBE                    ? HONE_FLAG
           : kind == FIELD_U64 || kind == FIELD_KNOWN                     ? HONE_COUNT
           : kind == FIELD_F64                                            ? HONE_NUMBER
           : kind == FIELD_PAIR                                           ? HONE_PAIR
           : kind == FIELD_U64S                                           ? HONE_COUNTS
                                                                          : -1;
}

static bool has_fields(enum field_kind kind)
{
    return kind == FIELD_RECORD || kind == FIELD_WITHIN || kind == FIELD_PART ||
           kind == FIELD_MEMBERS;
}

// "times_ns.build"; fields among the record's own have no name before theirs. False without memory.
static bool describe(struct hone_facts *f, const struct fields *table, const char *before)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        int kind = value_kind(row->kind);
        const char *inner = row->kind == FIELD_MEMBERS
                                ? before
                                : arena_printf(&f->arena, "%s%s.", before, row->name);
        if (has_fields(row->kind) && (!inner || !describe(f, row->of, inner)))
            return false;
        if (kind < 0)
            continue;
        f->facts = arena_make_room(&f->arena, f->facts, &f->room, f->count + 1, sizeof *f->facts);
        const char *name = arena_printf(&f->arena, "%s%s", before, row->name);
        if (!f->facts || !name)
            return false;
        f->facts[f->count++] = (struct hone_fact){.size = sizeof *f->facts,
                                                  .name = name,
                                                  .kind = (enum hone_value_kind)kind,
                                                  .unit = row->unit,
                                                  .meaning = row->meaning};
    }
    return true;
}

struct hone_facts *hone_facts_new(enum hone_facts_of of)
{
    struct hone_facts *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->of = of;
    f->table = tables[of];
    if (describe(f, f->table, ""))
        f->read = arena_array(&f->arena, f->count, sizeof *f->read);
    if (f->read)
        return f;
    hone_facts_free(f);
    return NULL;
}

void hone_facts_free(struct hone_facts *f)
{
    if (!f)
        return;
    arena_release(&f->arena);
    arena_release(&f->values);
    free(f);
}

bool hone_facts_get(const struct hone_facts *f, size_t index, struct hone_fact *out)
{
    if (index < f->count)
        give_sized(&f->facts[index], sizeof f->facts[index], out);
    return index < f->count;
}

static struct hone_value value_of(const struct field *row, const struct field_value *v)
{
    struct hone_value value = {.is_known = !v->is_null};
    switch (value_kind(row->kind)) {
    case HONE_TEXT:
        value.is_known = value.is_known && v->text;
        value.text = v->text;
        break;
    case HONE_FLAG:
        value.count = v->flag;
        break;
    case HONE_COUNT:
        value.count = v->count;
        break;
    case HONE_NUMBER:
        value.is_known = isfinite(v->number);
        value.number = v->number;
        break;
    case HONE_PAIR:
        value.number = v->pair[0];
        value.high = v->pair[1];
        break;
    default:
        value.items = v->list.at;
        value.item_count = v->list.count;
    }
    return value;
}

// Fills in from `out` on; without a record nothing is known. Returns how many.
static size_t read_fields(struct hone_facts *f, const struct fields *table, const void *record,
                          const void *context, struct hone_value *out)
{
    static const struct hone_value unknown = {0};
    struct field_value values[FIELDS_MOST] = {{0}};
    size_t count = 0;
    if (record)
        table->values(record, context, &f->values, values);
    for (size_t i = 0; i < table->count; i++) {
        const struct field *row = &table->rows[i];
        if (has_fields(row->kind))
            count += read_fields(f, row->of, record ? values[i].list.at : NULL,
                                 values[i].list.context, out + count);
        else if (value_kind(row->kind) >= 0)
            out[count++] = record ? value_of(row, &values[i]) : unknown;
    }
    return count;
}

const struct hone_value *hone_facts_read(struct hone_facts *f, const struct hone_record *r,
                                         size_t index)
{
    static const struct record_frame frame = {0};
    const struct result *result = record_of(r)->result;
    const void *record = f->of == HONE_OF_RECORD ? (const void *)record_of(r) : NULL;
    if (f->of == HONE_OF_LAUNCH && index < result->resource_count)
        record = &result->resources[index];
    else if (f->of == HONE_OF_OUTPUT && index < result->deviation_count)
        record = &result->deviations[index];
    if (!record)
        return NULL;
    arena_release(&f->values);
    read_fields(f, f->table, record, &frame, f->read);
    return f->read;
}
