// The symbol table of the spec's expressions (parameters, constants, derived parameters, facts, and
// `time`), and the expressions outside KernelSpecification: derived parameters, restrictions,
// metrics, budgets.
#include "problem/facts.h"
#include "problem/read_spec.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

// ---- symbols -----------------------------------------------------------------------------------

// A parameter, constant or derived parameter of the spec hides a fact of the same name.
static bool is_hidden(const struct expr_symbol *items, uint32_t own, const char *name)
{
    for (uint32_t i = 0; i < own; i++) {
        if (strcmp(items[i].name, name) == 0)
            return true;
    }
    return false;
}

static void add_builtin(struct expr_symbol *items, uint32_t own, uint32_t slot, const char *name)
{
    items[slot].name = is_hidden(items, own, name) ? "" : name;
    items[slot].is_builtin = true;
}

bool make_symbols(struct reader *r)
{
    struct spec *s = r->spec;
    struct spec_slots *slots = &s->slots;
    slots->parameters = 0;
    slots->constants = s->parameter_count;
    slots->derived = slots->constants + s->constant_count;
    slots->facts = slots->derived + s->derived_count;
    slots->special = slots->facts + fact_count();
    slots->count = slots->special + SPECIAL_COUNT;
    struct expr_symbol *items = arena_array(r->arena, s->slots.count, sizeof *items);
    struct value *domains = arena_array(r->arena, s->parameter_count + 1, sizeof *domains);
    if (!items || !domains)
        return error_memory(r->error);

    for (uint32_t i = 0; i < s->parameter_count; i++) {
        domains[i] = value_list(s->parameters[i].values, s->parameters[i].count);
        items[i] = (struct expr_symbol){.name = s->parameters[i].name, .domain = &domains[i]};
    }
    for (uint32_t i = 0; i < s->constant_count; i++)
        items[s->slots.constants + i].name = s->constants[i].name;
    for (uint32_t i = 0; i < s->derived_count; i++)
        items[s->slots.derived + i].name = s->derived[i].name;
    for (uint32_t i = 0; i < fact_count(); i++)
        add_builtin(items, s->slots.facts, s->slots.facts + i, fact_name(i));
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        add_builtin(items, s->slots.facts, s->slots.special + i, special_name((enum special)i));
    s->symbols = (struct expr_symbols){items, s->slots.count};
    return true;
}

// ---- checks on what an expression reads --------------------------------------------------------

static void note_device_facts(struct spec *s, const struct expr *x)
{
    for (uint32_t i = s->slots.facts; i < s->slots.special; i++)
        s->uses_device = s->uses_device || expr_uses(x, i);
}

static bool refuse_time(const struct reader *r, const struct formula *f)
{
    for (uint32_t i = SPECIAL_PASS; i <= SPECIAL_STEP; i++) {
        if (expr_uses(f->expr, r->spec->slots.special + i))
            return error_set(r->error, ERROR_INPUT,
                             "%s: '%s' is known in launches that repeat only", f->path,
                             special_name((enum special)i));
    }
    for (uint32_t i = SPECIAL_TIME_NS; i < SPECIAL_COUNT; i++) {
        if (expr_uses(f->expr, r->spec->slots.special + i))
            return error_set(r->error, ERROR_INPUT, "%s: '%s' is known in metrics only", f->path,
                             special_name((enum special)i));
    }
    return true;
}

static bool read_needed(const struct reader *r, struct node n, struct formula *f)
{
    if (!node_present(n))
        return node_error(r, n, "is missing: an expression is needed");
    return read_formula(r, n, &r->spec->symbols, f);
}

// ---- derived parameters ------------------------------------------------------------------------

// Their paths are those of their objects for now. One without a usable name is left out.
static bool read_derived_names(struct reader *r, struct node list)
{
    struct formula *derived = arena_array(r->arena, node_count(list) + 1, sizeof *derived);
    if (!derived)
        return error_memory(r->error);
    r->spec->derived = derived;
    for (size_t i = 0; i < node_count(list); i++) {
        struct node item = node_item(r, list, i), name = node_get(r, item, "Name");
        struct formula *f = &derived[r->spec->derived_count];
        bool ok = read_text(r, name, &f->name) && check_name(r, name, f->name);
        f->path = item.path;
        r->spec->derived_count += ok;
        if (!read_on(r, ok))
            return false;
    }
    return true;
}

static bool read_one_derived(const struct reader *r, struct node item, uint32_t index,
                             struct formula *f)
{
    const struct spec *s = r->spec;
    if (!read_needed(r, node_get(r, item, "Expression"), f) || !refuse_time(r, f))
        return false;
    for (uint32_t later = index; later < s->derived_count; later++) {
        if (expr_uses(f->expr, s->slots.derived + later))
            return error_set(r->error, ERROR_INPUT,
                             "%s: '%s' is not known yet; a derived parameter may use those that "
                             "stand before it",
                             f->path, s->derived[later].name);
    }
    return true;
}

static bool read_derived(struct reader *r, struct node list)
{
    struct spec *s = r->spec;
    struct formula *derived = (struct formula *)s->derived;
    uint32_t d = 0;
    for (size_t i = 0; i < node_count(list) && d < s->derived_count; i++) {
        struct node item = node_item(r, list, i);
        struct formula f = {.expr = NULL};
        if (strcmp(item.path, derived[d].path) != 0)
            continue; // it has no usable name
        bool ok = read_one_derived(r, item, d, &f);
        if (!read_on(r, ok))
            return false;
        f.name = derived[d].name;
        if (ok)
            note_device_facts(s, f.expr);
        derived[d++] = f;
    }
    return true;
}

// ---- restrictions ------------------------------------------------------------------------------

// The same restriction, true in every other language. The text as written was parsed before, so
// that columns in errors are its own.
static bool limit_to_language(const struct reader *r, struct formula *f, const char *language)
{
    f->text = arena_printf(r->arena, "language != \"%s\" or (%s)", language, f->text);
    f->expr = f->text ? expr_parse(r->arena, f->text, &r->spec->symbols, r->error) : NULL;
    return f->expr || error_memory(r->error);
}

// `A * B <= 4,` is a tuple, which is always true.
static bool refuse_list(const struct reader *r, const struct formula *f)
{
    return !expr_is_list(f->expr) ||
           error_set(r->error, ERROR_INPUT,
                     "%s: '%s' is a list or tuple, which is not a condition%s", f->path, f->text,
                     f->text[strlen(f->text) - 1] == ',' ? ": remove the comma at its end" : "");
}

bool read_conditions(struct reader *r, struct node list, const char *language)
{
    struct spec *s = r->spec;
    size_t more = node_count(list), before = s->restriction_count;
    if (more == 0)
        return true;
    struct formula *all = arena_array(r->arena, before + more, sizeof *all);
    if (!all)
        return error_memory(r->error);
    if (before > 0)
        memcpy(all, s->restrictions, before * sizeof *all);
    s->restrictions = all;
    for (size_t i = 0; i < more; i++) {
        struct node item = node_item(r, list, i);
        struct formula *f = &all[s->restriction_count];
        struct node n = json_is_object(item.json) ? node_get(r, item, "Expression") : item;
        bool ok = read_needed(r, n, f) && refuse_time(r, f) && refuse_list(r, f) &&
                  (!language || limit_to_language(r, f, language));
        if (!read_on(r, ok))
            return false;
        if (ok)
            note_device_facts(s, f->expr);
        s->restriction_count += ok;
    }
    return true;
}

bool read_formulas(struct reader *r, struct node root)
{
    struct node space = node_get(r, root, "ConfigurationSpace");
    struct node derived = node_get(r, space, "Derived");
    return read_derived_names(r, derived) && make_symbols(r) && read_derived(r, derived) &&
           read_conditions(r, node_get_either(r, space, "Conditions", "Constraints"), NULL);
}

// ---- settings ----------------------------------------------------------------------------------

static bool read_metric_formulas(struct reader *r, struct node list)
{
    size_t count = node_count(list);
    struct formula *metrics = arena_array(r->arena, count + 1, sizeof *metrics);
    if (!metrics)
        return error_memory(r->error);
    r->spec->metrics = metrics;
    for (size_t i = 0; i < count; i++) {
        const char *name = NULL;
        struct node item = node_item(r, list, i);
        struct formula *f = &metrics[r->spec->metric_count];
        bool named = read_text(r, node_get(r, item, "Name"), &name);
        if (!read_on(r, named) || !read_on(r, read_needed(r, node_get(r, item, "Expression"), f)))
            return false;
        f->name = name;
        r->spec->metric_count += named; // an Objective may name it, whatever its expression is
    }
    for (uint32_t i = 0; i < r->spec->metric_count; i++)
        r->spec->uses_energy = r->spec->uses_energy || spec_metric_uses_energy(r->spec, i);
    return true;
}

static bool read_budget_limit(struct reader *r, struct node item)
{
    static const char *const types[] = {"TuningDuration", "ConfigurationCount",
                                        "ConfigurationFraction"};
    double *const targets[] = {&r->spec->budget_seconds, &r->spec->budget_count,
                               &r->spec->budget_fraction};
    size_t type;
    struct node name = node_get(r, item, "Type"), n = node_get(r, item, "BudgetValue");
    if (!node_present(name) || !node_present(n))
        return node_error(r, node_present(name) ? n : name,
                          "is missing: a budget needs a Type and a BudgetValue");
    if (!read_choice(r, name, types, 3, 0, &type))
        return false;
    double value = json_number_value(n.json);
    if (!(value > 0) || !isfinite(value) || (type == 2 && value > 1))
        return node_error(r, n, "must be above 0%s", type == 2 ? ", and at most 1" : "");
    if (*targets[type] == 0 || value < *targets[type]) // whichever ends first
        *targets[type] = value;
    return true;
}

static bool read_iterations(struct reader *r, struct node n)
{
    if (!node_present(n))
        return true;
    json_int_t count = json_integer_value(n.json);
    if (count < 1 || count > 1000000)
        return node_error(r, n, "must be between 1 and 1000000");
    r->spec->iterations = (uint32_t)count;
    return true;
}

bool read_settings(struct reader *r, struct node root)
{
    struct node budget = node_get(r, root, "Budget");
    for (size_t i = 0; i < node_count(budget); i++) {
        if (!read_on(r, read_budget_limit(r, node_item(r, budget, i))))
            return false;
    }
    return read_metric_formulas(r, node_get(r, root, "Metrics")) &&
           read_on(r, read_iterations(r, node_get(r, root, "Iterations"))) &&
           read_on(r, read_search(r, root)) &&
           read_texts(r, node_get(r, root, "StartWith"), &r->spec->start_with,
                      &r->spec->start_count) &&
           read_on(r, read_objective(r, root));
}
