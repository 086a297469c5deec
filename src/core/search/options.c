// Options of a strategy, "name:key=value,...", held against the strategy's own table; an unknown
// key names the nearest.
#include "search/options.h"

#include <math.h>
#include <string.h>

static size_t strategy_option_count(const struct strategy_operations *ops)
{
    size_t count = 0;
    while (ops->options && ops->options[count].name)
        count++;
    return count;
}

static bool refuse_unknown_option(const struct strategy_operations *ops, const char *name,
                                  struct error *e)
{
    const char *names[STRATEGY_OPTIONS_MOST];
    struct text list = TEXT_INIT;
    size_t count = strategy_option_count(ops);
    for (size_t i = 0; i < count; i++) {
        names[i] = ops->options[i].name;
        text_addf(&list, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *near = str_nearest(name, names, count);
    if (near)
        error_set(e, ERROR_USAGE, "strategy '%s' has no option '%s'; did you mean '%s'?", ops->name,
                  name, near);
    else if (count > 0)
        error_set(e, ERROR_USAGE, "strategy '%s' has no option '%s'; it has: %s", ops->name, name,
                  text_cstr(&list));
    else
        error_set(e, ERROR_USAGE, "strategy '%s' has no options, so no '%s'", ops->name, name);
    text_release(&list);
    return false;
}

static void print_value(const struct strategy_option *o, double value, struct text *out)
{
    char digits[32];
    if (o->whole) {
        text_addf(out, "%.0f", value);
    } else {
        f64_to_str(value, digits);
        text_add(out, digits);
    }
}

// One "key=value", which it cuts in two.
static bool read_one_option(const struct strategy_operations *ops, char *part, double *values,
                            bool *given, struct error *e)
{
    char *value = strchr(part, '=');
    if (!value)
        return error_set(e, ERROR_USAGE, "strategy '%s': '%s' gives no value; write NAME=VALUE",
                         ops->name, part);
    *value++ = '\0';
    size_t count = strategy_option_count(ops), i = 0;
    while (i < count && !str_equal_nocase(ops->options[i].name, part))
        i++;
    if (i == count)
        return refuse_unknown_option(ops, part, e);
    const struct strategy_option *o = &ops->options[i];
    if (given[i])
        return error_set(e, ERROR_USAGE, "strategy '%s': %s is given twice", ops->name, o->name);
    double number;
    if (!str_to_f64(value, &number) || !(number >= o->least && number <= o->most) ||
        (o->whole && number != floor(number))) {
        struct text range = TEXT_INIT;
        print_value(o, o->least, &range);
        text_add(&range, " .. ");
        print_value(o, o->most, &range);
        error_set(e, ERROR_USAGE, "strategy '%s': %s=%s: give a %s in %s", ops->name, o->name,
                  value, o->whole ? "whole number" : "number", text_cstr(&range));
        text_release(&range);
        return false;
    }
    values[i] = number;
    given[i] = true;
    return true;
}

bool options_read(const struct strategy_operations *ops, const char *text, double *values,
                  struct error *e)
{
    bool given[STRATEGY_OPTIONS_MOST] = {false};
    for (size_t i = 0; i < strategy_option_count(ops); i++)
        values[i] = ops->options[i].fallback;
    while (text) {
        char part[128];
        size_t length = strcspn(text, ",");
        if (length >= sizeof part)
            return error_set(e, ERROR_USAGE, "strategy '%s': '%.40s...' is too long for an option",
                             ops->name, text);
        memcpy(part, text, length);
        part[length] = '\0';
        if (!read_one_option(ops, part, values, given, e))
            return false;
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return true;
}

void options_print(const struct strategy_operations *ops, const double *values, struct text *out)
{
    text_add(out, ops->name);
    for (size_t i = 0; i < strategy_option_count(ops); i++) {
        text_addf(out, "%c%s=", i == 0 ? ':' : ',', ops->options[i].name);
        print_value(&ops->options[i], values[i], out);
    }
}
