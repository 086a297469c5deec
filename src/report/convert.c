// CSV and JUnit of any command, made from what it writes as JSON: its records are the rows. A line
// of JSON with a type is a record, but for the first and the last ("run", "summary"); "ranked" takes
// the place of the "result" of its configuration. Of a single object the rows are its list of that
// name, else its first list of objects, else the object itself.
#include "report/convert.h"

#include "report/junit.h"

#include <jansson.h>
#include <string.h>

// ---- rows --------------------------------------------------------------------------------------

static void add_ranked(json_t *rows, json_t *ranked)
{
    json_t *row;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        if (json_equal(json_object_get(row, "configuration"),
                       json_object_get(ranked, "configuration"))) {
            json_array_set(rows, i, ranked);
            return;
        }
    }
    json_array_append(rows, ranked);
}

static bool is_list_of_objects(const json_t *v)
{
    return json_is_array(v) && json_is_object(json_array_get(v, 0));
}

static void add_object(json_t *rows, json_t *object)
{
    const char *type = json_string_value(json_object_get(object, "type")), *key;
    json_t *list = json_object_get(object, "rows"), *member;
    if (type && str_equal(type, "ranked")) {
        add_ranked(rows, object);
    } else if (type || json_object_get(object, "strategy")) {
        if (!type || (!str_equal(type, "run") && !str_equal(type, "summary")))
            json_array_append(rows, object);
    } else {
        json_object_foreach(object, key, member) list =
            !list && is_list_of_objects(member) ? member : list;
        if (list)
            json_array_extend(rows, list);
        else
            json_array_append(rows, object);
    }
}

// NULL: no memory. *why: (or NULL) why the command did not come to its end.
static json_t *read_rows(const char *lines, struct text *why)
{
    json_t *rows = json_array();
    while (rows && *lines) {
        size_t length = strcspn(lines, "\n");
        json_t *object = json_loadb(lines, length, 0, NULL);
        const char *error = json_string_value(json_object_get(object, "error"));
        if (object)
            add_object(rows, object);
        if (error)
            text_add(why, error);
        else if (json_is_true(json_object_get(object, "cancelled")))
            text_add(why, "ended by a signal");
        json_decref(object);
        lines += length + (lines[length] == '\n');
    }
    return rows;
}

static void put_scalar(const json_t *v, struct text *out)
{
    if (json_is_string(v)) {
        text_add(out, json_string_value(v));
    } else if (v && !json_is_null(v)) {
        char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
        text_add(out, text ? text : "");
        out->failed |= !text;
        free(text);
    }
}

// ---- CSV ---------------------------------------------------------------------------------------

// {"configuration.block": "16", "median_ns": "1234", ...} of a value; lists of plain values are one
// cell.
static void flatten(json_t *cells, const char *name, json_t *v)
{
    struct text inner = TEXT_INIT;
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(v)) {
        json_object_foreach(v, key, member)
        {
            text_clear(&inner);
            text_addf(&inner, "%s%s%s", name, *name ? "." : "", key);
            flatten(cells, text_cstr(&inner), member);
        }
    } else if (is_list_of_objects(v)) {
        json_array_foreach(v, i, member)
        {
            text_clear(&inner);
            text_addf(&inner, "%s.%zu", name, i);
            flatten(cells, text_cstr(&inner), member);
        }
    } else if (!json_is_array(v) || json_array_size(v) > 0) {
        if (!json_is_array(v))
            put_scalar(v, &inner);
        json_array_foreach(v, i, member)
        {
            text_add(&inner, i ? " " : "");
            put_scalar(member, &inner);
        }
        json_object_set_new(cells, name, json_string(text_cstr(&inner)));
    }
    text_release(&inner);
}

// Quoted where it must be (RFC 4180). A row is one line also for readers that know no line ends
// within fields.
void report_csv_field(const char *s, const char *separator, struct text *out)
{
    bool quoted = strpbrk(s, ",\"\r\n") != NULL;
    text_add(out, separator);
    text_add(out, quoted ? "\"" : "");
    for (; *s; s++) {
        text_add(out, *s == '"' ? "\"" : "");
        text_addc(out, *s == '\n' || *s == '\r' ? ' ' : *s);
    }
    text_add(out, quoted ? "\"" : "");
}

static void put_csv(json_t *rows, struct text *out)
{
    json_t *columns = json_object(), *row, *cells;
    const char *key, *separator = "";
    size_t i;
    json_array_foreach(rows, i, row)
    {
        cells = json_object();
        flatten(cells, "", row);
        json_array_set_new(rows, i, cells);
        json_object_update_missing(columns, cells);
    }
    json_object_foreach(columns, key, cells)
    {
        report_csv_field(key, separator, out);
        separator = ",";
    }
    json_array_foreach(rows, i, row)
    {
        separator = "\n";
        json_object_foreach(columns, key, cells)
        {
            const char *cell = json_string_value(json_object_get(row, key));
            report_csv_field(cell ? cell : "", separator, out);
            separator = ",";
        }
    }
    text_add(out, "\n");
    json_decref(columns);
}

// ---- JUnit -------------------------------------------------------------------------------------

// "block=16, work=2", else what else names a row.
static void put_name(json_t *row, size_t index, struct text *out)
{
    static const char *const names[] = {"strategy", "spec", "name", "label", "file", "device"};
    json_t *values = json_object_get(row, "configuration"), *value;
    const char *key;
    values = values ? values : json_object_get(row, "constants");
    json_object_foreach(values, key, value)
    {
        text_addf(out, "%s%s=", out->length ? ", " : "", key);
        put_scalar(value, out);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && out->length == 0; i++)
        put_scalar(json_object_get(row, names[i]), out);
    if (out->length == 0)
        text_addf(out, "%zu", index + 1);
}

static bool is_status(const json_t *row, const char *status)
{
    const char *own = json_string_value(json_object_get(row, "status"));
    return own && str_equal(own, status);
}

// The part of a row that has no correct result: itself, or one of its sides or lines; NULL: none.
static json_t *find_failure(json_t *row)
{
    const char *key;
    json_t *member, *inner;
    size_t i;
    if (json_object_get(row, "status"))
        return is_status(row, "correct") || json_is_null(json_object_get(row, "status")) ? NULL
                                                                                         : row;
    json_object_foreach(row, key, member)
    {
        json_array_foreach(member, i, inner)
        {
            json_t *failure = json_is_object(inner) ? find_failure(inner) : NULL;
            if (failure)
                return failure;
        }
    }
    return NULL;
}

static void put_junit(json_t *rows, const char *suite, const char *why, struct text *out)
{
    struct text cases = TEXT_INIT;
    json_t *row;
    size_t i, failures = 0, skips = 0;
    json_array_foreach(rows, i, row)
    {
        struct text name = TEXT_INIT;
        json_t *failure = find_failure(row);
        put_name(row, i, &name);
        junit_case(suite, text_cstr(&name), &cases);
        const char *message = json_string_value(json_object_get(failure, "message"));
        bool is_skipped = failure && is_status(failure, "constraints"); // no fault of the kernel
        if (is_skipped)
            junit_skipped(message, &cases);
        else if (failure)
            junit_failure(json_string_value(json_object_get(failure, "status")), message,
                          json_string_value(json_object_get(failure, "log")), &cases);
        text_add(&cases, "  </testcase>\n");
        skips += is_skipped;
        failures += failure && !is_skipped;
        cases.failed |= name.failed;
        text_release(&name);
    }
    if (why[0])
        junit_incomplete(suite, why, &cases);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite");
    junit_attribute("name", suite, out);
    text_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\">\n",
              json_array_size(rows) + (why[0] != '\0'), failures, why[0] != '\0', skips);
    text_add(out, text_cstr(&cases));
    text_add(out, "</testsuite>\n</testsuites>\n");
    out->failed |= cases.failed;
    text_release(&cases);
}

void report_convert(const char *lines, enum report_format to, const char *suite, struct text *out)
{
    struct text why = TEXT_INIT;
    json_t *rows = read_rows(lines, &why);
    out->failed |= !rows;
    if (rows && to == REPORT_CSV)
        put_csv(rows, out);
    else if (rows && to == REPORT_JUNIT)
        put_junit(rows, suite, text_cstr(&why), out);
    json_decref(rows);
    text_release(&why);
}
