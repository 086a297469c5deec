// Breaking a tie: of those within the limit (practically as fast as the fastest, and no slower than
// the default) criteria decide one after the other, a criterion only where its amount is known of all
// that are left and differs; then the order of the space.
#include "workflows/tie_break.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

// In the order in which they decide.
static const struct {
    const char *name;
    size_t offset; // in struct resources
    bool group;    // not a resource: the work-group's size
} criteria[] = {
    {"the least spilled memory", offsetof(struct resources, spill_bytes), false},
    {"the fewest registers", offsetof(struct resources, registers), false},
    {"the least local memory", offsetof(struct resources, local_bytes), false},
    {"the least private memory", offsetof(struct resources, private_bytes), false},
    {"the smallest work-group", 0, true},
};

static int64_t resource_amount(const struct tie_candidate *c, size_t criterion)
{
    if (criteria[criterion].group)
        return c->group_size ? (int64_t)c->group_size : -1;
    return result_largest_resource(c->result, criteria[criterion].offset);
}

static bool is_before(const struct tie_candidate *a, const struct tie_candidate *b, uint32_t n)
{
    for (uint32_t i = 0; a->choice && b->choice && i < n; i++) {
        if (a->choice[i] != b->choice[i])
            return a->choice[i] < b->choice[i];
    }
    return false;
}

// Has `a` more than `b` of something that decides before or at `criterion`?
static bool is_beaten(const struct tie_candidate *a, const struct tie_candidate *b,
                      const bool *decides, size_t criterion)
{
    for (size_t k = 0; k <= criterion; k++) {
        int64_t x = decides[k] ? resource_amount(a, k) : 0,
                y = decides[k] ? resource_amount(b, k) : 0;
        if (x != y)
            return x > y;
    }
    return false;
}

// Among the candidates that no earlier criterion has beaten: do they differ in this, and is it
// known for all?
static bool is_decisive(const struct tie_candidate *c, size_t count, const bool *decides,
                        size_t best, size_t criterion)
{
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        if (criterion > 0 && is_beaten(&c[i], &c[best], decides, criterion - 1))
            continue;
        if (resource_amount(&c[i], criterion) < 0)
            return false;
        differs =
            differs || resource_amount(&c[i], criterion) != resource_amount(&c[best], criterion);
    }
    return differs;
}

// As tie_break(), of candidates that are all near enough; adds to `words`.
static size_t break_tie(const struct tie_candidate *c, size_t count, uint32_t parameters,
                        struct text *words)
{
    enum { CRITERIA = sizeof criteria / sizeof *criteria };
    bool decides[CRITERIA] = {false};
    size_t best = 0, left = 0;
    const char *before = "";
    for (size_t k = 0; k < CRITERIA; k++) {
        decides[k] = is_decisive(c, count, decides, best, k);
        if (!decides[k])
            continue;
        text_addf(words, "%s%s", before, criteria[k].name);
        before = ", then ";
        for (size_t i = 0; i < count; i++)
            best = is_beaten(&c[best], &c[i], decides, k) ? i : best;
    }
    for (size_t i = 0; i < count; i++) {
        if (is_beaten(&c[i], &c[best], decides, CRITERIA - 1))
            continue;
        left++;
        best = is_before(&c[i], &c[best], parameters) ? i : best;
    }
    if (left > 1)
        text_addf(words, "%sthe first in the space", before);
    return best;
}

size_t tie_break(const struct tie_candidate *c, size_t count, double alike, uint32_t parameters,
                 char *why)
{
    size_t fastest = 0, left = 0, chosen = 0;
    bool by_default = false; // the default sets the limit
    double limit = alike;    // the ratio up to which one may be chosen
    for (size_t i = 0; i < count; i++) {
        if (!c[i].is_default || c[i].ratio >= limit)
            continue;
        limit = c[i].ratio;
        by_default = true;
    }
    struct tie_candidate *near = calloc(count + 1, sizeof *near);
    size_t *at = calloc(count + 1, sizeof *at);
    struct text words = TEXT_INIT;
    for (size_t i = 0; i < count; i++) {
        fastest = c[i].ratio < c[fastest].ratio ? i : fastest;
        if (!near || !at || c[i].ratio > limit)
            continue;
        near[left] = c[i];
        at[left++] = i;
    }
    if (left < count && left > 1 && by_default)
        text_addf(&words, "of %zu that are not slower than the default ", left);
    else if (left < count && left > 1)
        text_addf(&words, "of %zu within %g %% of the fastest ", left, 100 * (alike - 1));
    if (left > 1)
        chosen = at[break_tie(near, left, parameters, &words)];
    else if (count > 1)
        text_add(&words, c[fastest].is_default ? "the default, and none is faster" : "the fastest");
    str_format(why, TIE_BREAK_WHY, "%s", count > 1 ? text_cstr(&words) : "");
    text_release(&words);
    free(near);
    free(at);
    return left > 1 ? chosen : fastest;
}
