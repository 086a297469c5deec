#include "search/search.h"

#include "base/text.h"
#include "search/table.h"

static const struct strategy_operations *const table[] = {
    &strategy_exhaustive,
    &strategy_random,
    NULL,
};

const struct strategy_operations *const *strategies(void)
{
    return table;
}

// Unknown: says which there are and which was probably meant.
static bool refuse(const char *name, struct error *e)
{
    const char *names[sizeof table / sizeof *table];
    struct text list = TEXT_INIT;
    size_t count = 0;
    for (; table[count]; count++) {
        names[count] = table[count]->name;
        text_addf(&list, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    const char *near = str_nearest(name, names, count);
    if (near)
        error_set(e, ERROR_USAGE, "unknown strategy '%s'; did you mean '%s'?", name, near);
    else
        error_set(e, ERROR_USAGE, "unknown strategy '%s'; there are: %s", name, text_cstr(&list));
    text_release(&list);
    return false;
}

static const struct strategy_operations *choose(const char *name, const struct space *sp,
                                                uint64_t budget, struct error *e)
{
    if (!name)
        return budget == 0 || budget >= space_count(sp) ? &strategy_exhaustive : &strategy_random;
    for (size_t i = 0; table[i]; i++) {
        if (str_equal_nocase(table[i]->name, name))
            return table[i];
    }
    refuse(name, e);
    return NULL;
}

struct strategy *strategy_new(const char *name, const struct space *sp, uint64_t budget,
                              uint64_t seed, struct error *e)
{
    const struct strategy_operations *ops = choose(name, sp, budget, e);
    struct strategy *s = ops ? ops->create(sp, seed, e) : NULL;
    if (s)
        s->ops = ops;
    return s;
}

size_t strategy_ask(struct strategy *s, uint64_t *out, size_t capacity)
{
    return s->ops->ask(s, out, capacity);
}

void strategy_tell(struct strategy *s, uint64_t index, enum status status, double value)
{
    if (s->ops->tell)
        s->ops->tell(s, index, status, value);
}

void strategy_free(struct strategy *s)
{
    if (s)
        s->ops->destroy(s);
}

const char *strategy_name(const struct strategy *s)
{
    return s->ops->name;
}
