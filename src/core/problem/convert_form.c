// From one form of a spec to the other. To T1: the short form is expanded with what the kernels' text says. To the short
// form: everything is written out first; then each key is tried that the text may say, and left out if the expansion
// stays the same without it.
#include "problem/shorten.h"

#include "problem/complete.h"
#include "problem/relaxed_json.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH 100 // of a line, if a value fits into one

struct conversion {
    const struct spec *s;
    const json_t *from;
    struct kernel_facts facts;
    bool has_facts;
    struct arena arena;
    struct error *e;
};

// ---- expanding ---------------------------------------------------------------------------------

// NULL, with the reason, if it cannot be.
static json_t *expand_now(struct conversion *c, const json_t *shorter, struct error *e)
{
    struct faults faults = {.spec = c->s};
    struct spec scratch = *c->s; // what a reader notes in it is of no use here
    struct origins *origins;
    json_t *out = NULL;
    const struct reader r = {.spec = &scratch,
                             .arena = &c->arena,
                             .error = e,
                             .faults = &faults,
                             .device = c->s->device};
    if (short_form_expand(&r, node_root(shorter), c->has_facts ? &c->facts : NULL, &origins,
                          &out) &&
        faults_end(&faults, e))
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

// Writes out the defaults that may also be left out.
static void settle_fill(json_t *argument, size_t index)
{
    struct element el;
    const char *type = t1_text(argument, "Type"), *fill = t1_text(argument, "FillType");
    if (!fill || strcmp(fill, "Random") != 0)
        return;
    if (!json_object_get(argument, "RandomSeed"))
        json_object_set_new(argument, "RandomSeed", json_integer((json_int_t)index + 1));
    bool is_given = json_object_get(argument, "Range") || json_object_get(argument, "FillValue") ||
                    json_object_get(argument, "FillExpression") ||
                    json_object_get(argument, "Distribution") ||
                    json_object_get(argument, "TypeExpression");
    if (is_given || !type || !element_parse(type, &el) || el.scalar == SCALAR_CUSTOM)
        return;
    bool negative = scalar_is_float(el.scalar) || scalar_is_signed(el.scalar);
    json_object_set_new(argument, "Range", json_pack("[i, i]", negative ? -1 : 0, 1));
}

// The expansion, such that equal ones mean the same; NULL if there is none.
static json_t *meaning_of(struct conversion *c, const json_t *shorter)
{
    struct error ignored = ERROR_INIT;
    json_t *t1 = expand_now(c, shorter, &ignored), *argument;
    size_t index;
    json_t *list = json_object_get(json_object_get(t1, "KernelSpecification"), "Arguments");
    json_array_foreach(list, index, argument)
    {
        settle_fill(argument, index);
    }
    return t1;
}

// ---- leaving out -------------------------------------------------------------------------------

struct simplifier {
    struct conversion *c;
    json_t *out;     // in the short form
    json_t *meaning; // of it
};

static bool means_the_same(struct simplifier *s)
{
    json_t *now = meaning_of(s->c, s->out);
    bool same = now && json_equal(now, s->meaning);
    json_decref(now);
    return same;
}

// Puts a value where another one stands, unless that changes what the spec says. NULL leaves it out.
static bool try_value(struct simplifier *s, json_t *object, const char *key, json_t *value)
{
    json_t *before = json_incref(json_object_get(object, key));
    json_t *after = value ? value : json_null();
    bool ok = before && !json_is_null(before) && json_object_set(object, key, after) == 0 &&
              means_the_same(s);
    if (!ok && before)
        json_object_set(object, key, before);
    json_decref(before);
    json_decref(after);
    return ok;
}

static void try_fill(struct simplifier *s, json_t *argument)
{
    json_t *fill = json_object_get(argument, "fill");
    if (!fill || try_value(s, argument, "fill", NULL) || !json_is_object(fill))
        return;
    json_incref(fill);
    try_value(s, fill, "seed", NULL);
    if (json_object_size(fill) == 1 || json_is_null(json_object_get(fill, "seed"))) {
        json_t *only = json_object_iter_value(json_object_iter(fill));
        if (!json_is_array(only))
            try_value(s, argument, "fill", json_deep_copy(only));
    }
    json_decref(fill);
}

// {"value": V} -> V.
static void try_scalar(struct simplifier *s, json_t *arguments, const char *name)
{
    const char *key;
    json_t *argument = json_object_get(arguments, name), *value, *only = NULL;
    json_object_foreach(argument, key, value)
    {
        if (strcmp(key, "value") == 0)
            only = value;
        else if (!json_is_null(value))
            return;
    }
    if (only && try_value(s, arguments, name, json_deep_copy(only)) &&
        str_equal(json_string_value(json_object_get(arguments, name)), name))
        try_value(s, arguments, name, NULL); // what has its name
}

static void simplify_arguments(struct simplifier *s)
{
    static const char *const implied[] = {"memory", "type", "access", "output", "type_size"};
    const char *name;
    json_t *argument, *arguments = json_object_get(s->out, "arguments");
    json_t *copy = json_copy(arguments); // its names, while values are put in their place
    json_object_foreach(copy, name, argument)
    {
        for (size_t i = 0; i < sizeof implied / sizeof *implied; i++)
            try_value(s, argument, implied[i], NULL);
        try_fill(s, argument);
        json_t *verify = json_object_get(argument, "verify"),
               *method = json_object_get(verify, "method");
        if (method && json_object_size(verify) == 1)
            try_value(s, argument, "verify", json_deep_copy(method));
        try_scalar(s, arguments, name);
    }
    json_decref(copy);
}

// {"OpenCL": "a.cl", "CUDA": "a.cu"}, or the second one among the languages: a list says it if the endings do.
static void simplify_files(struct simplifier *s, enum language own)
{
    const char *name;
    enum language l;
    json_t *value, *kernel = json_object_get(s->out, "kernel");
    json_t *languages = json_object_get(s->out, "languages"), *list = json_array();
    json_t *all = json_is_object(kernel) ? json_copy(kernel)
                                         : json_pack("{s: O?}", language_title(own), kernel);
    json_object_foreach(languages, name, value)
    {
        if (json_is_string(json_object_get(value, "kernel")) && all)
            json_object_set(all, name, json_object_get(value, "kernel"));
    }
    bool told = json_object_size(all) > 1 || json_is_object(kernel);
    json_object_foreach(all, name, value)
    {
        const char *file = json_string_value(value);
        told = told && file && language_of_file(file, &l) && str_equal(language_title(l), name) &&
               json_array_append(list, value) == 0;
    }
    json_t *before = json_deep_copy(languages);
    json_object_foreach(languages, name, value)
    {
        if (told && json_is_string(json_object_get(value, "kernel")))
            json_object_set_new(value, "kernel", json_null());
    }
    json_t *shorter = json_array_size(list) == 1 ? json_array_get(list, 0) : list;
    if (!(told && try_value(s, s->out, "kernel", json_incref(shorter))) && before)
        json_object_set(s->out, "languages", before);
    json_decref(before);
    json_decref(all);
    json_decref(list);
}

// Does the text alone say it, too?
static bool is_language_in_text(struct conversion *c, const json_t *out, enum language own)
{
    json_t *silent = json_copy((json_t *)out);
    struct error ignored = ERROR_INIT;
    struct spec_languages languages = {.count = 0};
    json_object_del(silent, "language");
    struct spec *read = parse_again(c, silent, &ignored);
    bool ok = read && spec_languages(read, &languages, &ignored) && languages.list[0] == own;
    spec_free(read);
    json_decref(silent);
    return ok;
}

// The language is the first file's, if a name tells it, or else the text's.
static void simplify_language(struct simplifier *s, enum language own)
{
    enum language l = LANGUAGE_FIRST;
    json_t *kernel = json_object_get(s->out, "kernel");
    if (json_is_array(kernel))
        kernel = json_array_get(kernel, 0);
    const char *key = json_object_iter_key(json_object_iter(kernel));
    bool told = json_is_object(kernel) ? key && language_parse(key, &l)
                                       : language_of_file(json_string_value(kernel), &l);
    if (told ? l == own : is_language_in_text(s->c, s->out, own))
        try_value(s, s->out, "language", NULL);
}

static void simplify_launches(struct simplifier *s)
{
    size_t index;
    json_t *launch, *reference = json_object_get(s->out, "reference");
    json_array_foreach(json_object_get(s->out, "launches"), index, launch)
    {
        try_value(s, launch, "function", NULL);
        try_value(s, launch, "arguments", NULL);
    }
    try_value(s, s->out, "function", NULL);
    try_value(s, reference, "function", NULL);
    try_value(s, reference, "arguments", NULL);
    try_value(s, reference, "kind", NULL);
}

// Takes out what was left out, and objects that are empty then.
static void drop_nulls(json_t *json, bool is_top)
{
    const char *name;
    json_t *value;
    void *next;
    size_t index;
    json_array_foreach(json, index, value)
    {
        drop_nulls(value, false);
    }
    json_object_foreach_safe(json, next, name, value)
    {
        drop_nulls(value, false);
        bool is_empty = json_is_object(value) && json_object_size(value) == 0 && is_top &&
                        strcmp(name, "languages") == 0;
        if (json_is_null(value) || is_empty)
            json_object_del(json, name);
    }
}

static void simplify(struct conversion *c, json_t *out, enum language own)
{
    struct simplifier s = {.c = c, .out = out};
    s.meaning = c->has_facts ? meaning_of(c, out) : NULL;
    if (s.meaning) {
        simplify_launches(&s);
        simplify_arguments(&s);
        simplify_files(&s, own);
        simplify_language(&s, own);
    }
    json_decref(s.meaning);
    const char *name;
    json_t *value, *languages = json_object_get(out, "languages");
    void *next;
    drop_nulls(out, true);
    json_object_foreach_safe(languages, next, name, value)
    {
        if (json_object_size(value) == 0 && !json_object_get(out, "source"))
            json_object_del(languages, name);
    }
    drop_nulls(out, true);
}

// ---- parameters --------------------------------------------------------------------------------

static bool is_parameter_same(const struct parameter *a, const struct parameter *b)
{
    bool same = a->type == b->type && a->count == b->count && a->initial == b->initial &&
                a->has_default == b->has_default;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = a->values[i].kind == b->values[i].kind && value_equal(&a->values[i], &b->values[i]);
    return same;
}

// Types that the values have of themselves are left out, and the object with them.
static bool simplify_types(struct conversion *c, json_t *out)
{
    const char *name;
    json_t *value, *plain = json_deep_copy(out);
    json_object_foreach(json_object_get(plain, "parameters"), name, value)
    {
        json_object_del(value, "type");
    }
    struct error why = ERROR_INIT;
    struct spec *read = parse_again(c, plain, &why);
    json_decref(plain);
    if (why.code == ERROR_MEMORY)
        return error_memory(c->e);
    json_t *parameters = json_object_get(out, "parameters");
    for (uint32_t i = 0; i < c->s->parameter_count; i++) {
        json_t *object = json_object_get(parameters, c->s->parameters[i].name);
        bool same = read && i < read->parameter_count &&
                    is_parameter_same(&read->parameters[i], &c->s->parameters[i]);
        if (same)
            json_object_del(object, "type");
        if (json_object_size(object) == 1 && json_object_get(object, "values"))
            json_object_set(parameters, c->s->parameters[i].name,
                            json_object_get(object, "values"));
    }
    spec_free(read);
    return true;
}

// ---- to the short form -------------------------------------------------------------------------

// Are the arguments in the T1 form's order, all of them?
static bool has_same_arguments(const struct spec *s, const json_t *t1)
{
    const json_t *list = json_object_get(json_object_get(t1, "KernelSpecification"), "Arguments");
    bool same = json_array_size(list) == s->kernel->argument_count;
    for (uint32_t i = 0; same && i < s->kernel->argument_count; i++)
        same = str_equal(t1_text(json_array_get(list, i), "Name"), s->kernel->arguments[i].name);
    return same;
}

static json_t *to_short(struct conversion *c, enum language own)
{
    struct shortening x = {.s = c->s, .from = c->from, .own = own};
    struct error why = ERROR_INIT;
    json_t *t1 = NULL;
    // As the kernel names its arguments, else listed by a launch.
    for (int form = 0; form < 2 && !t1; form++) {
        json_decref(x.out);
        x = (struct shortening){.s = c->s, .from = c->from, .own = own, .one_launch = form == 1};
        error_clear(&why);
        if (!shorten(&x)) {
            json_decref(x.out);
            error_memory(c->e);
            return NULL;
        }
        t1 = expand_now(c, x.out, &why);
        if (t1 && !has_same_arguments(c->s, t1)) {
            json_decref(t1);
            t1 = NULL;
        }
    }
    if (t1) {
        json_decref(t1);
        simplify(c, x.out, own);
        if (simplify_types(c, x.out))
            return x.out;
    } else if (why.code == ERROR_MEMORY) {
        error_memory(c->e);
    } else {
        error_set(c->e, ERROR_INPUT, "has no short form: %s",
                  why.text[0] ? why.text : "its arguments cannot be told apart");
    }
    json_decref(x.out);
    return NULL;
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
        ok = !t1_get(c->from, head[i]) ||
             json_object_set_new(t1, head[i], json_deep_copy(t1_get(c->from, head[i]))) == 0;
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
    json_t *t1 = expand_now(c, c->from, c->e);
    if (!t1 || (say_partial(c, t1) && finish_t1(c, t1)))
        return t1;
    json_decref(t1);
    error_memory(c->e);
    return NULL;
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

static bool read_facts(struct conversion *c, bool is_needed, const struct log *log)
{
    struct error why = ERROR_INIT;
    struct spec_sources *texts = sources_read_texts(c->s, &why);
    c->has_facts = texts && kernel_facts_read(c->s, texts, &c->arena, &c->facts, &why);
    // A short form is complete with its text alone: all its mistakes are reported at once.
    struct spec *whole = c->has_facts && is_needed ? spec_complete(c->s, texts, log, &why) : NULL;
    c->has_facts = c->has_facts && (whole || !is_needed);
    spec_free(whole);
    spec_sources_free(texts);
    if (c->has_facts || (!is_needed && why.code != ERROR_MEMORY)) {
        if (!c->has_facts)
            spec_warn(c->s, log, LOG_WARNING, "%s: everything is written out", why.text);
        return true;
    }
    *c->e = why;
    return false;
}

static json_t *convert(struct conversion *c, enum spec_form to, const struct log *log)
{
    bool is_short = short_form_is(c->from);
    struct spec_languages languages;
    if (is_short == (to == SPEC_SHORT))
        return json_deep_copy(c->from);
    if (!read_facts(c, is_short, log))
        return NULL;
    if (is_short)
        return to_t1(c);
    struct error ignored = ERROR_INIT;
    bool known = c->has_facts || spec_languages(c->s, &languages, &ignored);
    return to_short(c, c->has_facts ? c->facts.language
                       : known      ? languages.list[0]
                                    : c->s->kernel->language);
}

bool spec_convert(const struct spec *s, enum spec_form to, const struct log *log, struct text *out,
                  struct error *e)
{
    struct error local = ERROR_INIT;
    struct conversion c = {.s = s, .e = e ? e : &local};
    arena_init(&c.arena);
    json_t *from = relaxed_json_parse(s->path, s->text, (size_t)s->text_length, false, c.e),
           *made = NULL;
    c.from = from;
    if (from && !(made = convert(&c, to, log)) && c.e->code == ERROR_NONE)
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
