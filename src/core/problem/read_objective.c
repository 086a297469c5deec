// The default objectives of a tune (time, a metric in either direction, or several) and its
// strategy, as the spec gives them, in all dialects that name them. The command line overrides
// both.
#include "problem/read_spec.h"
#include "problem/spec_json.h"

#include "base/text.h"

#include <string.h>

#define TIME_NAME "time"

// ---- objectives --------------------------------------------------------------------------------

// A part of a text; not ended by a NUL.
struct part {
    const char *at;
    size_t length;
};

static struct part trimmed_objective(struct part p)
{
    while (p.length > 0 && *p.at == ' ')
        p.at++, p.length--;
    while (p.length > 0 && p.at[p.length - 1] == ' ')
        p.length--;
    return p;
}

static bool part_is(struct part p, const char *name, bool fold)
{
    char copy[128];
    if (strlen(name) != p.length || p.length >= sizeof copy)
        return false;
    memcpy(copy, p.at, p.length);
    copy[p.length] = '\0';
    return fold ? str_equal_nocase(copy, name) : str_equal(copy, name);
}

// "time" is the time even if a metric is called so. Letters' case counts if it tells two
// metrics apart.
static bool find_name(const struct spec *s, struct part name, struct objective *out)
{
    if (part_is(name, TIME_NAME, true)) {
        *out = (struct objective){.name = TIME_NAME, .metric = OBJECTIVE_TIME};
        return true;
    }
    for (int fold = 0; fold <= 1; fold++) {
        for (uint32_t i = 0; i < s->metric_count; i++) {
            if (!part_is(name, s->metrics[i].name, fold))
                continue;
            *out = (struct objective){.name = s->metrics[i].name, .metric = i};
            return true;
        }
    }
    return false;
}

static bool refuse_unknown_metric(const struct spec *s, struct part name, struct error *e)
{
    const char *names[1 + 64] = {TIME_NAME};
    size_t count = 1;
    char copy[128];
    struct text list = TEXT_INIT;
    for (uint32_t i = 0; i < s->metric_count && count < 65; i++)
        names[count++] = s->metrics[i].name;
    for (size_t i = 0; i < count; i++)
        text_addf(&list, "%s%s", i ? ", " : "", names[i]);
    str_format(copy, sizeof copy, "%.*s", (int)name.length, name.at);
    const char *near = str_nearest(copy, names, count);
    if (near)
        error_set(e, ERROR_USAGE, "no metric '%s'; did you mean '%s'?", copy, near);
    else
        error_set(e, ERROR_USAGE, "no metric '%s'; there %s: %s", copy, count == 1 ? "is" : "are",
                  text_cstr(&list));
    text_release(&list);
    return false;
}

// "max:GFLOP/s": whether there is a direction, which is taken off.
static bool take_direction(struct part *p, bool *maximise)
{
    struct part word = {p->at, 0};
    while (word.length < p->length && word.at[word.length] != ':')
        word.length++;
    struct part rest = {p->at + word.length + 1, p->length - word.length - 1};
    word = trimmed_objective(word);
    *maximise = part_is(word, "max", true);
    if (word.length >= p->length || (!*maximise && !part_is(word, "min", true)))
        return false;
    *p = trimmed_objective(rest);
    return true;
}

static bool add_objective(const struct spec *s, struct part p, struct objective *out,
                          uint32_t *count, struct error *e)
{
    struct objective o;
    bool maximise, directed = take_direction(&p, &maximise);
    if (p.length == 0)
        return error_set(e, ERROR_USAGE, "an objective is time, min:NAME or max:NAME of a metric");
    if (!find_name(s, p, &o))
        return refuse_unknown_metric(s, p, e);
    if (!directed && o.metric != OBJECTIVE_TIME)
        return error_set(e, ERROR_USAGE,
                         "'%s': is more of it better, or less? Give max:%s or min:%s", o.name,
                         o.name, o.name);
    o.maximise = directed && maximise;
    for (uint32_t i = 0; i < *count; i++) {
        if (out[i].metric == o.metric)
            return error_set(e, ERROR_USAGE, "'%s' is an objective twice", o.name);
    }
    if (*count == OBJECTIVES_MOST)
        return error_set(e, ERROR_USAGE, "more than %d objectives", OBJECTIVES_MOST);
    out[(*count)++] = o;
    return true;
}

// Up to the next comma, unless a metric's name goes on beyond it.
static size_t part_length(const struct spec *s, const char *text)
{
    size_t least = strcspn(text, ",");
    for (size_t length = strlen(text); length > least; length--) {
        struct part p = {text, length};
        struct objective o;
        bool maximise;
        if (text[length] != '\0' && text[length] != ',')
            continue;
        take_direction(&p, &maximise);
        if (find_name(s, trimmed_objective(p), &o))
            return length;
    }
    return least;
}

bool spec_objectives(const struct spec *s, const char *text, struct objective *out, uint32_t *count,
                     struct error *e)
{
    for (;;) {
        size_t length = part_length(s, text);
        if (!add_objective(s, trimmed_objective((struct part){text, length}), out, count, e))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

// ---- the spec's own ----------------------------------------------------------------------------

// Another tuner's: "GFLOPs" may be nothing that this spec has an expression for.
static void read_general(struct reader *r, struct node root, struct objective *out, uint32_t *count)
{
    struct node general = node_get(r, root, "General");
    struct node name = node_get(r, general, "Objective");
    struct objective o;
    const char *text = node_text(name);
    if (!text || !text[0])
        return;
    if (!find_name(r->spec, (struct part){text, strlen(text)}, &o)) {
        node_warn(r, name, "'%s' is not a metric of this spec: ignored", text);
        return;
    }
    o.maximise = !node_flag(node_get(r, general, "Minimize"), true);
    out[(*count)++] = o;
}

bool read_objective(struct reader *r, struct node root)
{
    struct objective list[OBJECTIVES_MOST];
    uint32_t count = 0;
    struct node own = node_get(r, root, "Objective");
    for (size_t i = 0; i < node_count(own); i++) {
        struct error why = ERROR_INIT;
        struct node n = node_item(r, own, i);
        const char *text = node_text(n);
        if (!spec_objectives(r->spec, text ? text : "", list, &count, &why) &&
            !read_on(r, node_error(r, n, "%s", why.text)))
            return false;
    }
    if (!node_present(own))
        read_general(r, root, list, &count);
    if (count == 0)
        return true;
    r->spec->objectives = arena_copy(r->arena, list, count * sizeof *list);
    r->spec->objective_count = count;
    return r->spec->objectives || error_memory(r->error);
}

// ---- the strategy ------------------------------------------------------------------------------

// "population=20"; NULL for one that has no name or value of its own, as other tuners' may.
static bool read_attribute(struct reader *r, struct node item, const char **out)
{
    struct text text = TEXT_INIT;
    struct node name = node_get(r, item, "Name"), n = node_get(r, item, "Value");
    *out = NULL;
    if (!node_text(name) || json_is_object(n.json) || json_is_array(n.json) || !node_present(n))
        return true;
    struct value value = node_value(n);
    text_addf(&text, "%s=", node_text(name));
    if (value.kind == VALUE_STRING)
        text_add(&text, value.s);
    else
        value_print(&value, &text);
    *out = text_to_arena(&text, r->arena);
    return *out || error_memory(r->error);
}

bool read_search(struct reader *r, struct node root)
{
    struct node search = node_get_either(r, root, "Search", "SearchSettings");
    struct node strategy = node_get(r, search, "Name");
    struct node attributes = node_get(r, search, "Attributes");
    size_t count = json_is_array(attributes.json) ? node_count(attributes) : 0;
    const char **texts = arena_array(r->arena, count + 1, sizeof(*texts));
    uint32_t used = 0;
    if (!texts)
        return error_memory(r->error);
    if (node_text(strategy) && !read_text(r, strategy, &r->spec->strategy))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!read_attribute(r, node_item(r, attributes, i), &texts[used]))
            return false;
        used += texts[used] != NULL;
    }
    r->spec->strategy_attributes = texts;
    r->spec->strategy_attribute_count = used;
    return true;
}
