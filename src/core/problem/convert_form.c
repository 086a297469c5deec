// A spec in the short form as T1: it is expanded with what the kernels' text says, and finished as the schema of T1 wants it.
#include "problem/complete.h"
#include "problem/expand.h"
#include "problem/relaxed_json.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 100 // of a line, if a value fits into one

struct conversion {
    const struct spec *s;
    const json_t *from;
    struct kernel_facts facts;
    struct arena arena;
    struct error *e;
};

bool spec_is_program(const struct spec *s)
{
    return !s->kernel->by_text && language_traits(s->kernel->language)->is_command;
}

bool spec_is_generated(const struct spec *s)
{
    bool is_any = false;
    for (unsigned l = 0; l < LANGUAGE_COUNT; l++) {
        for (uint32_t i = 0; i < s->kernel->languages[l].program_count; i++)
            is_any = is_any || s->kernel->languages[l].programs[i].is_generated;
    }
    return is_any;
}

// ---- expanding ---------------------------------------------------------------------------------

// NULL, with the reason, where it cannot be.
static json_t *expand_now(struct conversion *c)
{
    struct faults faults = {.spec = c->s};
    struct spec scratch = *c->s; // what a reader notes in it is of no use here
    struct origins *origins;
    json_t *out = NULL;
    const struct reader r = {.spec = &scratch,
                             .arena = &c->arena,
                             .error = c->e,
                             .faults = &faults,
                             .device = c->s->device};
    if (short_form_expand(&r, node_root(c->from), &c->facts, &origins, &out) &&
        faults_end(&faults, c->e))
        return out;
    json_decref(out);
    return NULL;
}

// The spec of a document in one of the forms; NULL if it is not valid.
static struct spec *parse_again(struct conversion *c, const json_t *json, struct error *e)
{
    char *text = json ? json_dumps(json, JSON_PRESERVE_ORDER) : NULL;
    const struct spec_options options = {.device = c->s->device};
    struct spec *read =
        text ? spec_parse(text, strlen(text), c->s->directory, c->s->path, &options, e) : NULL;
    if (!text)
        error_memory(e);
    free(text);
    return read;
}

// ---- to T1 -------------------------------------------------------------------------------------

static void add_python(struct text *out, const json_t *json)
{
    size_t index;
    json_t *item;
    struct value v = node_value((struct node){json, ""});
    if (!json_is_array(json)) {
        value_print(&v, out);
        return;
    }
    text_addc(out, '[');
    json_array_foreach(json, index, item)
    {
        text_add(out, index ? ", " : "");
        add_python(out, item);
    }
    text_addc(out, ']');
}

// The schema of T1 wants a type, and values as a text.
static bool complete_parameters(const struct spec *s, json_t *space)
{
    static const char *const types[] = {PARAMETER_TYPES(LIST_TEXT)};
    size_t index;
    json_t *item;
    bool ok = true;
    json_array_foreach(json_object_get(space, "TuningParameters"), index, item)
    {
        struct text text = TEXT_INIT;
        json_t *values = json_object_get(item, "Values");
        if (json_is_array(values)) {
            add_python(&text, values);
            ok = ok && !text.failed &&
                 json_object_set_new(item, "Values", json_string(text_cstr(&text))) == 0;
        }
        bool is_known = index < s->parameter_count && s->unbound == NULL;
        if (is_known && !json_object_get(item, "Type"))
            ok = ok && json_object_set_new(item, "Type",
                                           json_string(types[s->parameters[index].type])) == 0;
        text_release(&text);
    }
    return ok;
}

// The schema wants the parameters that each restriction reads.
static bool complete_conditions(const struct spec *s, json_t *space)
{
    size_t index;
    json_t *item;
    bool ok = true;
    json_array_foreach(json_object_get(space, "Conditions"), index, item)
    {
        json_t *names = json_array();
        const uint32_t *slots;
        size_t count =
            index < s->restriction_count ? expr_slots(s->restrictions[index].expr, &slots) : 0;
        for (size_t i = 0; i < count; i++) {
            if (slots[i] < s->parameter_count)
                ok = ok &&
                     json_array_append_new(names, json_string(s->parameters[slots[i]].name)) == 0;
        }
        ok = ok && json_object_set_new(item, "Parameters", names) == 0;
    }
    return ok;
}

// The members in the order in which documents list them.
static bool order_members(json_t *object, const char *pattern)
{
    json_t *given = json_copy(object);
    const json_t *comment = json_object_get(given, "Comment");
    bool ok = given && json_object_clear(object) == 0 &&
              (!comment || json_object_set(object, "Comment", (json_t *)comment) == 0);
    for (size_t i = 0; ok && i < t1_keys.count; i++) {
        const char *name = key_name_in(&t1_keys, &t1_keys.keys[i], pattern);
        json_t *value = name ? json_object_get(given, name) : NULL;
        ok = !value || json_object_set(object, name, value) == 0;
    }
    ok = ok && json_object_update_missing(object, given) == 0;
    json_decref(given);
    return ok;
}

static bool order_items(json_t *list, const char *pattern)
{
    size_t index;
    json_t *item;
    bool ok = true;
    json_array_foreach(list, index, item)
    {
        ok = ok && order_members(item, pattern);
    }
    return ok;
}

static bool finish_t1(struct conversion *c, json_t *t1)
{
    static const char *const head[] = {"$schema", "Comment"};
    json_t *general = json_object_get(t1, "General");
    json_t *space = json_object_get(t1, "ConfigurationSpace");
    json_t *kernel = json_object_get(t1, "KernelSpecification");
    bool ok = json_object_get(general, "BenchmarkName") ||
              json_object_set_new(general, "BenchmarkName", json_string(c->s->name)) == 0;
    for (size_t i = 0; i < 2 && ok; i++)
        ok = !json_object_get(c->from, head[i]) ||
             json_object_set_new(t1, head[i], json_deep_copy(json_object_get(c->from, head[i]))) ==
                 0;
    return ok && complete_parameters(c->s, space) && complete_conditions(c->s, space) &&
           order_members(t1, "") && order_members(space, "ConfigurationSpace") &&
           order_members(kernel, "KernelSpecification") &&
           order_items(json_object_get(space, "TuningParameters"),
                       "ConfigurationSpace.TuningParameters[]") &&
           order_items(json_object_get(kernel, "Arguments"), "KernelSpecification.Arguments[]") &&
           order_items(json_object_get(kernel, "Launches"), "KernelSpecification.Launches[]");
}

// Writes out whether outputs may be left partly unwritten: the default depends on whether a file
// has keys of hone's own, which the conversion may have added.
static bool say_partial(struct conversion *c, json_t *t1)
{
    json_t *kernel = json_object_get(t1, "KernelSpecification");
    struct error why = ERROR_INIT;
    struct spec *read = json_object_get(kernel, "Partial") ? NULL : parse_again(c, t1, &why);
    bool ok = why.code != ERROR_MEMORY &&
              (!read || read->partial == c->s->partial ||
               json_object_set_new(kernel, "Partial", json_boolean(c->s->partial)) == 0);
    spec_free(read);
    return ok;
}

static json_t *to_t1(struct conversion *c)
{
    json_t *t1 = expand_now(c);
    if (!t1 || (say_partial(c, t1) && finish_t1(c, t1)))
        return t1;
    json_decref(t1);
    return error_no_memory(c->e);
}

// ---- printing ----------------------------------------------------------------------------------

static void print_flat(const json_t *json, struct text *out)
{
    const char *name;
    json_t *value;
    size_t index;
    bool first = true;
    char number[32];
    if (json_is_object(json)) {
        text_addc(out, '{');
        json_object_foreach((json_t *)json, name, value)
        {
            json_t *key = json_string(name);
            text_add(out, first ? "" : ", ");
            print_flat(key, out);
            text_add(out, ": ");
            print_flat(value, out);
            json_decref(key);
            first = false;
        }
        text_addc(out, '}');
    } else if (json_is_array(json)) {
        text_addc(out, '[');
        json_array_foreach(json, index, value)
        {
            text_add(out, index ? ", " : "");
            print_flat(value, out);
        }
        text_addc(out, ']');
    } else if (json_is_real(json)) {
        f64_to_str(json_real_value(json), number);
        text_add(out, number);
    } else {
        char *text = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
        text_add(out, text ? text : "null");
        out->failed |= !text;
        free(text);
    }
}

static void new_line(struct text *out, size_t indent)
{
    text_addf(out, "\n%*s", (int)indent, "");
}

// A value that fits stands in one line; else each member and item begins its own. `column`: what stands before it.
static void print_value(const json_t *json, size_t indent, size_t column, struct text *out)
{
    struct text flat = TEXT_INIT;
    const char *name;
    json_t *value;
    size_t index, count = 0;
    bool is_top = indent == 0 && json_is_object(json);
    print_flat(json, &flat);
    out->failed |= flat.failed;
    bool fits = column + flat.length + 1 <= WIDTH;
    if (!is_top && (fits || !(json_is_object(json) || json_is_array(json)))) {
        text_addn(out, text_cstr(&flat), flat.length);
        text_release(&flat);
        return;
    }
    text_release(&flat);
    text_addc(out, json_is_object(json) ? '{' : '[');
    json_object_foreach((json_t *)json, name, value)
    {
        json_t *key = json_string(name);
        size_t from;
        text_add(out, count++ ? "," : "");
        new_line(out, indent + 2);
        from = out->length;
        print_flat(key, out);
        text_add(out, ": ");
        print_value(value, indent + 2, indent + 2 + out->length - from, out);
        json_decref(key);
    }
    json_array_foreach(json, index, value)
    {
        text_add(out, index ? "," : "");
        new_line(out, indent + 2);
        print_value(value, indent + 2, indent + 2, out);
    }
    new_line(out, indent);
    text_addc(out, json_is_object(json) ? '}' : ']');
}

// ---- the whole ---------------------------------------------------------------------------------

// A short form is whole with its kernel's source alone: all that is wrong in it is said at once.
static bool read_facts(struct conversion *c, const struct log *log)
{
    struct spec_sources *texts = sources_read_texts(c->s, c->e);
    bool ok = texts && kernel_facts_read(c->s, texts, &c->arena, &c->facts, c->e);
    struct spec *whole = ok ? spec_complete(c->s, texts, log, c->e) : NULL;
    ok = whole != NULL;
    spec_free(whole);
    spec_sources_free(texts);
    return ok;
}

bool spec_to_t1(const struct spec *s, const struct log *log, struct text *out, struct error *e)
{
    struct error local = ERROR_INIT;
    struct conversion c = {.s = s, .e = e ? e : &local};
    arena_init(&c.arena);
    json_t *from = relaxed_json_parse(s->path, s->text, (size_t)s->text_length, false, c.e),
           *made = NULL;
    c.from = from;
    if (spec_is_program(s))
        error_set(c.e, ERROR_USAGE, "a program has no T1 form: other tuners run no commands");
    else if (spec_is_generated(s))
        error_set(c.e, ERROR_USAGE,
                  "a generated kernel has no T1 form: other tuners run no commands");
    else if (from && !short_form_is(from))
        made = json_incref(from);
    else if (from && read_facts(&c, log))
        made = to_t1(&c);
    if (from && !made && c.e->code == ERROR_NONE)
        error_memory(c.e);
    if (made) {
        spec_warn_of_sizes(s, log);
        print_value(made, 0, 0, out);
        text_addc(out, '\n');
    }
    bool ok = made && (!out->failed || error_memory(c.e));
    if (!ok && c.e->code != ERROR_MEMORY)
        spec_error(s, c.e);
    json_decref(made);
    json_decref(from);
    arena_release(&c.arena);
    return ok;
}
