// The numbers of a set as JSON in an element that no browser runs, for the page's script: names once, and a column of numbers
// for each member of a row.
#include "extras/page/page_html.h"

#include "base/fields.h"
#include "report/values.h"

#include <math.h>
#include <string.h>

static void put_data_number(double v, struct text *out)
{
    char number[40];
    if (isnan(v) || isinf(v)) {
        return; // between two commas: an empty place, see page.js
    }
    if (v == floor(v) && fabs(v) < 1e15) {
        char digits[24];
        size_t n = 0;
        uint64_t whole = (uint64_t)fabs(v);
        text_add(out, v < 0 ? "-" : "");
        do
            digits[n++] = (char)('0' + whole % 10);
        while (whole /= 10);
        while (n)
            text_addc(out, digits[--n]);
        return;
    }
    f64_to_str(v, number);
    text_add(out, number);
}

// The columns of the data: numbers of each row.
#define ROW(X)                                                                                     \
    X(F64, status, (v->status), "", "index of statuses")                                           \
    X(F64, message, (v->message), "", "index of messages")                                         \
    X(F64, time, (v->timed ? v->median : NAN), "ns", "")                                           \
    X(F64, low, (v->interval ? v->low : NAN), "ns", "")                                            \
    X(F64, high, (v->interval ? v->high : NAN), "ns", "")                                          \
    X(F64, screened, (v->screened), "ns", "before it was ranked")                                  \
    X(F64, ranked, (v->ranked), "", "0 or 1")                                                      \
    X(F64, samples, (v->timed ? v->samples : NAN), "", "")                                         \
    X(F64, at, (v->at), "s", "since the first of the set")
FIELDS(row_fields, struct page_row, void, ROW)

static double field_number(const struct page_row *r, size_t field)
{
    struct field_value values[FIELDS_MOST];
    row_fields.values(r, NULL, NULL, values);
    return values[field].number;
}

static double choice_number(const struct page_row *r, size_t parameter)
{
    return r->choice[parameter];
}

static double metric_number(const struct page_row *r, size_t metric)
{
    return r->metrics ? r->metrics[metric] : NAN;
}

// A column as one text, numbers between commas: far shorter than arrays with null, and read faster.
static void emit_column(struct emit *j, const struct page_set *s, size_t column,
                        double (*number)(const struct page_row *r, size_t column))
{
    emit_text(j, "");
    j->out->length--; // the closing quotation mark
    for (size_t i = 0; i < s->count; i++) {
        text_add(j->out, i > 0 ? "," : "");
        put_data_number(number(&s->rows[i], column), j->out);
    }
    text_addc(j->out, '"');
}

static void emit_choices(const void *record, const void *context, struct emit *j)
{
    const struct page_set *s = record;
    (void)context;
    emit_array(j);
    for (uint32_t i = 0; i < s->parameter_count; i++)
        emit_column(j, s, i, choice_number);
    emit_array_end(j);
}

static void emit_metrics(const void *record, const void *context, struct emit *j)
{
    const struct page_set *s = record;
    (void)context;
    emit_array(j);
    for (uint32_t i = 0; i < s->metric_count; i++)
        emit_column(j, s, i, metric_number);
    emit_array_end(j);
}

static const char *visible(const char *s, struct arena *a)
{
    struct text words = TEXT_INIT;
    text_add_visible(&words, s, strlen(s), true);
    return text_to_arena(&words, a);
}

static const char *const *visible_list(const char *const *list, size_t count, struct arena *a)
{
    const char **shown = arena_array(a, count, sizeof *shown);
    for (size_t i = 0; shown && i < count; i++)
        shown[i] = visible(list[i], a);
    return shown;
}

static void emit_parameter_values(const void *record, const void *context, struct emit *j)
{
    const struct parameter *p = record;
    (void)context;
    emit_array(j);
    for (uint32_t i = 0; i < p->count; i++) {
        struct text text = TEXT_INIT, shown = TEXT_INIT;
        if (p->values[i].kind == VALUE_INT || p->values[i].kind == VALUE_FLOAT) {
            value_emit(&p->values[i], j);
            continue;
        }
        value_print(&p->values[i], &text);
        text_add_visible(&shown, text_cstr(&text), text.length, true);
        emit_text(j, text_cstr(&shown));
        j->out->failed |= text.failed || shown.failed;
        text_release(&text);
        text_release(&shown);
    }
    emit_array_end(j);
}

#define PARAMETER(X)                                                                               \
    X(TEXT, name, (visible(v->name, a)), "", "")                                                   \
    X(PUT, values, (emit_parameter_values, v), "[]", "")
FIELDS(parameter_fields, struct parameter, void, PARAMETER)

static const char *const statuses[] = {
#define X(name, text, meaning) text,
    STATUSES(X)
#undef X
};

#define INDEX(row) ((row) == SIZE_MAX ? NAN : (double)(row))
#define NAMES(X)                                                                                   \
    X(U64, count, (v->count), "", "rows")                                                          \
    X(TEXT, statistic, (v->statistic), "", "")                                                     \
    X(BOOL, recorded, (v->is_recorded), "", "")                                                    \
    X(F64, best, (INDEX(v->best)), "", "row")                                                      \
    X(F64, usual, (INDEX(v->usual)), "", "row of the default")                                     \
    X(RECORDS, parameters, (parameter_fields, v->parameters, v->parameter_count), "", "")          \
    X(TEXTS, statuses, (statuses, STATUS_COUNT), "", "")                                           \
    X(TEXTS, messages, (visible_list(v->messages, v->message_count, a), v->message_count), "", "") \
    X(TEXTS, metrics, (visible_list(v->metrics, v->metric_count, a), v->metric_count), "", "")
FIELDS(names_fields, struct page_set, void, NAMES)

#define COLUMNS(X)                                                                                 \
    X(PUT, choice, (emit_choices, v), "[]", "of each parameter, as indices of values")             \
    X(PUT, metric, (emit_metrics, v), "[]", "")
FIELDS(columns_fields, struct page_set, void, COLUMNS)

// JSON in which no `<` stands, so that nothing in it ends the element.
void page_put_island(const struct page_set *s, struct text *out)
{
    struct text json = TEXT_INIT;
    struct emit j;
    emit_start(&j, &json);
    emit_object(&j);
    emit_fields(&j, &names_fields, s, NULL);
    for (size_t c = 0; c < row_fields.count; c++) {
        bool any = false;
        for (size_t i = 0; i < s->count && !any; i++)
            any = !isnan(field_number(&s->rows[i], c)) && field_number(&s->rows[i], c) != 0;
        emit_key(&j, row_fields.rows[c].name);
        if (any)
            emit_column(&j, s, c, field_number);
        else
            emit_text(&j, "");
    }
    emit_fields(&j, &columns_fields, s, NULL);
    emit_object_end(&j);
    text_add(out, "<script type=\"application/json\" class=\"data\">");
    const char *at = text_cstr(&json), *end = at + json.length;
    while (at < end) {
        const char *next = memchr(at, '<', (size_t)(end - at));
        next = next ? next : end;
        text_addn(out, at, (size_t)(next - at));
        if (next < end)
            text_add(out, "\\u003c");
        at = next + 1;
    }
    text_add(out, "</script>\n");
    out->failed |= json.failed;
    text_release(&json);
}
