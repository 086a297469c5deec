// Reads CSV field by field, without a line in memory: the names of the first line say which columns
// are parameters, which are hone's own, and which are further measurements. KTT's CSV begins with "Kernel name,Computation
// duration (us),Global size,Local size"; then come its parameters, its counters, and what its compiler said. Rows of failures, where KTT
// was told to print them, follow a second line of names, which has "Error message" in place of the duration.

#include "extras/formats/csv.h"

#include "base/array.h"
#include "recorded/reading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const csv_column_names[CSV_COLUMN_COUNT] = {CSV_COLUMNS(LIST_TEXT)};

#define FIELDS_MOST 8192
#define LINE_BYTES  ((size_t)16 << 20)

// ---- one record --------------------------------------------------------------------------------

// Fields one after the other in `text`, each terminated.
struct record {
    struct text text;
    size_t *starts;
    size_t count, room;
    uint64_t line;
    bool is_end; // there is no further record
};

static const char *field(const struct record *c, size_t i)
{
    return c->text.data + c->starts[i];
}

static bool refuse_line(struct reading *r, const struct record *c, const char *what)
{
    return error_set(r->e, ERROR_INPUT, "%s: line %llu: %s", r->bytes.path,
                     (unsigned long long)c->line, what);
}

static bool field_begin(struct reading *r, struct record *c)
{
    if (c->count == FIELDS_MOST)
        return refuse_line(r, c, "more than 8192 fields");
    if (!ARRAY_ROOM(c->starts, c->room, c->count + 1))
        return error_memory(r->e);
    c->starts[c->count++] = c->text.length;
    return true;
}

static bool check_csv_length(struct reading *r, const struct record *c)
{
    if (c->text.failed)
        return error_memory(r->e);
    return c->text.length < LINE_BYTES || refuse_line(r, c, "a line of more than 16 MiB");
}

// Behind the opening quote, up to behind the closing one.
static bool read_quoted(struct reading *r, struct record *c)
{
    struct bytes *b = &r->bytes;
    for (;;) {
        int byte = bytes_peek(b, r->e);
        if (byte == -2)
            return false;
        if (byte == -1)
            return refuse_line(r, c, "the file is cut off: a quoted field has no end");
        b->at++;
        b->line += byte == '\n';
        if (byte == '"') {
            if (bytes_peek(b, r->e) != '"')
                return r->e->code == ERROR_NONE;
            b->at++;
        }
        text_addc(&c->text, (char)(byte ? byte : '?'));
        if (!check_csv_length(r, c))
            return false;
    }
}

// One field with what ends it: false with an error; *more: another field follows.
static bool read_csv_field(struct reading *r, struct record *c, bool *more)
{
    struct bytes *b = &r->bytes;
    *more = false;
    if (!field_begin(r, c))
        return false;
    int byte = bytes_peek(b, r->e);
    if (byte == '"') {
        b->at++;
        if (!read_quoted(r, c))
            return false;
    }
    while ((byte = bytes_peek(b, r->e)) >= 0) {
        b->at++;
        if (byte == '\n' || byte == ',')
            break;
        if (byte != '\r')
            text_addc(&c->text, (char)(byte ? byte : '?'));
        if (!check_csv_length(r, c))
            return false;
    }
    b->line += byte == '\n';
    *more = byte == ',';
    text_addc(&c->text, 0);
    return byte != -2 && check_csv_length(r, c);
}

static bool read_record(struct reading *r, struct record *c)
{
    bool more = true;
    text_clear(&c->text);
    c->count = 0;
    c->line = r->bytes.line;
    int byte = bytes_peek(&r->bytes, r->e);
    c->is_end = byte == -1;
    if (byte < 0)
        return byte == -1;
    while (more) {
        if (!read_csv_field(r, c, &more))
            return false;
    }
    return true;
}

// ---- the names ---------------------------------------------------------------------------------

struct csv {
    struct record record;
    size_t columns;
    size_t first, parameters; // so many from the first on are parameters
    bool has_failed;          // the rows to come are KTT's failures
    uint32_t *parameter;      // of each of them
    enum csv_column *column;  // of the others; CSV_COLUMN_COUNT: a measurement
    const char **names;       // of measurements
};

static bool is_parameter(const struct csv *c, size_t column)
{
    return column >= c->first && column < c->first + c->parameters;
}

static enum csv_column column_of(const char *name)
{
    int i = 0;
    while (i < CSV_COLUMN_COUNT && !str_equal(name, csv_column_names[i]))
        i++;
    return (enum csv_column)i;
}

static size_t find_status(const struct record *c)
{
    size_t i = 0;
    while (i + 1 < c->count && !(str_equal(field(c, i), csv_column_names[CSV_STATUS]) &&
                                 str_equal(field(c, i + 1), csv_column_names[CSV_TIME])))
        i++;
    return i;
}

static bool is_of_ktt(const struct record *c)
{
    return c->count > 3 && str_equal(field(c, 0), "Kernel name");
}

// Early releases of KTT have "Kernel duration".
static bool is_ktt_duration(const char *name)
{
    return str_starts(name, "Computation duration (") || str_starts(name, "Kernel duration (");
}

// Kinds of the columns that KTT writes before its parameters; those of sizes say nothing new.
static bool ktt_column(const char *name, enum csv_column *out)
{
    *out = str_equal(name, "Kernel name")                                      ? CSV_NAME
           : is_ktt_duration(name)                                             ? CSV_TIME
           : str_starts(name, "Global size") || str_starts(name, "Local size") ? CSV_SAMPLES
                                                                               : CSV_COLUMN_COUNT;
    return *out != CSV_COLUMN_COUNT;
}

// A macro of a kernel: a counter has points in its name, and what the compiler says has blanks. The counters of old cards are like
// macros, too: which are parameters then is for the spec to say.
static bool is_ktt_parameter(const struct gather *g, const char *name)
{
    uint32_t index;
    return g->o->spec ? gather_find(g, name, &index) : !strpbrk(name, ". ");
}

// Where the parameters are, and the unit of the times; false if that is unknown.
static bool find_columns(struct reading *r, struct csv *c)
{
    enum csv_column known;
    char unit[16] = "";
    const struct record *head = &c->record;
    if (!is_of_ktt(head)) {
        c->parameters = find_status(head);
        return c->parameters + 1 < head->count;
    }
    r->gather.recorded->format = RECORDED_KTT;
    for (; c->first < head->count && ktt_column(field(head, c->first), &known); c->first++) {
        const char *text = strchr(field(head, c->first), '(');
        if (known == CSV_TIME)
            str_format(unit, sizeof unit, "%.*s", (int)strcspn(text + 1, ")"), text + 1);
    }
    while (c->first + c->parameters < head->count &&
           is_ktt_parameter(&r->gather, field(head, c->first + c->parameters)))
        c->parameters++;
    return time_unit_ns(unit, &r->gather.unit_ns);
}

static bool read_names(struct reading *r, struct csv *c)
{
    struct record *head = &c->record;
    if (!read_record(r, head))
        return false;
    c->columns = head->count;
    if (!find_columns(r, c))
        return error_set(
            r->e, ERROR_INPUT,
            "%s: no recorded results: it is not JSON, and as CSV its first line has no "
            "columns 'status' and 'time_ns' behind the parameters, nor KTT's 'Kernel "
            "name' and 'Computation duration (us)'",
            r->bytes.path);
    c->parameter = calloc(c->columns, sizeof *c->parameter);
    c->column = calloc(c->columns, sizeof *c->column);
    c->names = calloc(c->columns, sizeof *c->names);
    if (!c->parameter || !c->column || !c->names)
        return error_memory(r->e);
    snprintf(r->gather.place, sizeof r->gather.place, "line 1");
    for (size_t i = 0; i < c->columns; i++) {
        c->names[i] = arena_strdup(&r->gather.recorded->arena, field(head, i));
        if (i >= c->first || !ktt_column(field(head, i), &c->column[i]))
            c->column[i] = column_of(field(head, i));
        if (!c->names[i])
            return error_memory(r->e);
        if (is_parameter(c, i) && !gather_parameter(&r->gather, c->names[i], &c->parameter[i]))
            return false;
    }
    return gather_close(&r->gather);
}

// ---- a row -------------------------------------------------------------------------------------

static bool is_listed(const struct parameter *p, const struct value *v)
{
    bool found = false;
    for (uint32_t i = 0; i < p->count && !found; i++)
        found = value_equal(&p->values[i], v);
    return found;
}

// A text that looks like a number is one, unless the spec's values say otherwise.
static bool set_parameter(struct reading *r, uint32_t parameter, const char *text)
{
    struct value v;
    struct gather *g = &r->gather;
    const struct spec *s = g->o->spec;
    struct arena scratch = {NULL, 0};
    bool ok = value_parse_literal(text, &scratch, &v) || error_memory(r->e);
    if (ok && (v.kind == VALUE_NONE || v.kind == VALUE_LIST ||
               (s && s->parameters[parameter].type >= PARAMETER_STRING &&
                !is_listed(&s->parameters[parameter], &v))))
        v = value_string(text);
    ok = ok && gather_set_at(g, parameter, &v);
    arena_release(&scratch);
    return ok;
}

// Empty, "nan" and "inf" are missing values. A time that is "nan" or "inf" is distinguished from a
// missing one.
static bool read_number(struct reading *r, const char *name, const char *text, double *out)
{
    *out = NAN;
    if (!text[0])
        return true;
    if (!str_to_f64(text, out))
        return gather_refuse(&r->gather, "%s: '%.60s' is not a number", name, text);
    if (!isfinite(*out))
        *out = NAN;
    return true;
}

static bool read_csv_time(struct reading *r, const char *name, const char *text)
{
    double time;
    return read_number(r, name, text, &time) && (!text[0] || gather_time(&r->gather, time, text));
}

// One file has one space: the first row says which.
static bool same_for_all(struct reading *r, const char *name, const char *text, const char **known)
{
    if (r->gather.count == 0) {
        *known = arena_strdup(&r->gather.recorded->arena, text);
        return *known || error_memory(r->e);
    }
    return str_equal(text, *known) ||
           gather_refuse(&r->gather,
                         "%s: '%.60s', and '%.60s' in the rows before: one file has the "
                         "results of one",
                         name, text, *known);
}

static bool read_csv_statistic(struct reading *r, const char *text)
{
    static const char *const known[] = {"median", "mean", "minimum"};
    const char **statistic = &r->gather.recorded->statistic;
    for (size_t i = 0; i < sizeof known / sizeof *known && text[0]; i++) {
        if (!str_equal(text, known[i]))
            continue;
        if (*statistic && !str_equal(*statistic, text))
            return gather_refuse(&r->gather, "a %s among times that are each a %s", text,
                                 *statistic);
        *statistic = known[i];
        return true;
    }
    return !text[0] ||
           gather_refuse(&r->gather, "statistic: '%.60s' is none of median, mean, minimum", text);
}

static bool read_status(struct reading *r, const char *text)
{
    return status_parse(text, &r->gather.row.row.status) ||
           gather_refuse(&r->gather,
                         "status: '%.60s' is none of correct, compile, runtime, timeout, "
                         "correctness, constraints",
                         text);
}

static bool read_column(struct reading *r, enum csv_column column, const char *name,
                        const char *text)
{
    double value;
    struct recorded *rec = r->gather.recorded;
    struct recorded_costs *costs = &r->gather.row.row.costs;
    switch (column) {
    case CSV_STATUS:
        return read_status(r, text);
    case CSV_TIME:
        return read_csv_time(r, name, text);
    case CSV_STATISTIC:
        return read_csv_statistic(r, text);
    case CSV_COMPILE:
        return read_number(r, name, text, &costs->compile_ns);
    case CSV_RUN:
        return read_number(r, name, text, &costs->run_ns);
    case CSV_VERIFY:
        return read_number(r, name, text, &costs->verify_ns);
    case CSV_FRAMEWORK:
        return read_number(r, name, text, &costs->framework_ns);
    case CSV_SEARCH:
        return read_number(r, name, text, &costs->search_ns);
    case CSV_MESSAGE:
        return !text[0] || gather_message(&r->gather, text);
    case CSV_NAME:
        return same_for_all(r, name, text, &rec->name);
    case CSV_CONSTANTS:
        return same_for_all(r, name, text, &rec->constants);
    case CSV_DEVICE:
        return same_for_all(r, name, text, &rec->device);
    case CSV_MEAN:
    case CSV_MINIMUM:
    case CSV_SAMPLES:
    case CSV_DATE:
        return true; // beside the time, for other readers
    case CSV_COLUMN_COUNT:
        break;
    }
    return read_number(r, name, text, &value) &&
           (isnan(value) || gather_measure(&r->gather, name, value));
}

// The second line of names of KTT's CSV.
static bool is_head_of_failures(const struct reading *r, const struct record *row)
{
    return r->gather.recorded->format == RECORDED_KTT && is_of_ktt(row) &&
           str_equal(field(row, 1), "Error message");
}

static bool read_ktt_error(struct reading *r, const char *message)
{
    r->gather.row.row.status = STATUS_RUNTIME;
    return !message[0] || gather_message(&r->gather, message);
}

static bool read_row(struct reading *r, struct csv *c)
{
    struct gather *g = &r->gather;
    const struct record *row = &c->record;
    if (is_head_of_failures(r, row)) {
        c->has_failed = true;
        return true;
    }
    snprintf(g->place, sizeof g->place, "line %llu", (unsigned long long)row->line);
    if (row->count != c->columns)
        return gather_refuse(g, "%zu fields; the first line names %zu", row->count, c->columns);
    gather_begin(g);
    for (size_t i = 0; i < c->columns; i++) {
        const char *text = field(row, i);
        bool is_error = c->has_failed && c->column[i] == CSV_TIME && !is_parameter(c, i);
        if (!(is_parameter(c, i) ? set_parameter(r, c->parameter[i], text)
              : is_error         ? read_ktt_error(r, text)
                                 : read_column(r, c->column[i], c->names[i], text)))
            return false;
    }
    return gather_end(g);
}

static bool read_csv(struct reading *r)
{
    struct csv c = {.record = {.text = TEXT_INIT}};
    r->gather.recorded->format = RECORDED_CSV;
    r->gather.unit_ns = 1;
    r->has_rows = true;
    bool ok = read_names(r, &c);
    while (ok && (ok = read_record(r, &c.record)) && !c.record.is_end) {
        bool is_blank = c.record.count == 1 && !field(&c.record, 0)[0];
        ok = is_blank || read_row(r, &c);
    }
    text_release(&c.record.text);
    free(c.record.starts);
    free(c.parameter);
    free(c.column);
    free(c.names);
    return ok;
}

static bool is_csv(int first_byte)
{
    return first_byte >= ' ';
}

const struct recorded_reader csv_reader = {is_csv, read_csv};
