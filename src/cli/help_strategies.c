// The strategies and their options, from the table of strategies.
#include "cli/help.h"

#include "report/units.h"
#include "search/search.h"

#define WIDTH  77
#define INDENT 6 // of an option

static size_t widest_name(void)
{
    size_t widest = 0;
    for (const struct strategy_operations *const *s = strategies(); *s; s++)
        widest = columns((*s)->name) > widest ? columns((*s)->name) : widest;
    return widest;
}

static void put_option_value(const struct strategy_option *o, double value, struct text *out)
{
    text_addf(out, o->whole ? "%.0f" : "%g", value);
}

// "      population=20  individuals of a generation (2 .. 1000)"
static void put_option(const struct strategy_option *o, struct text *out)
{
    struct text words = TEXT_INIT;
    size_t from = out->length;
    text_addf(out, "%*s%s=", INDENT, "", o->name);
    put_option_value(o, o->fallback, out);
    text_add(out, "  ");
    text_addf(&words, "%s (", o->summary);
    put_option_value(o, o->least, &words);
    text_add(&words, " .. ");
    put_option_value(o, o->most, &words);
    text_add(&words, ")");
    help_wrap(text_cstr(&words), words.length, out->length - from, INDENT + 4, WIDTH, out);
    text_release(&words);
}

bool help_strategies(const char *const *names, struct text *out)
{
    (void)names;
    size_t widest = widest_name();
    text_add(out, "The strategies, with their options and default values "
                  "(--strategy NAME:KEY=VALUE,KEY=VALUE):\n\n");
    for (const struct strategy_operations *const *s = strategies(); *s; s++) {
        text_addf(out, "  %-*s  ", (int)widest, (*s)->name);
        struct text words = TEXT_INIT;
        bool is_default = str_equal((*s)->name, strategy_default());
        text_addf(&words, "%s%s", (*s)->summary, is_default ? " (the default)" : "");
        help_wrap(text_cstr(&words), words.length, widest + 4, widest + 4, WIDTH, out);
        text_release(&words);
        for (const struct strategy_option *o = (*s)->options; o && o->name; o++)
            put_option(o, out);
    }
    return true;
}
