// Sets of a page: room for them, and what is counted and ordered once all rows are there.
#include "extras/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void page_release(struct page *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->sets[i].has_answer)
            result_free(p->sets[i].answer.result);
    }
    arena_release(&p->arena);
    *p = (struct page){.count = 0};
}

struct page_set *page_new_set(struct page *p, struct error *e)
{
    if (!ARENA_ROOM(&p->arena, p->sets, p->room, p->count + 1)) {
        error_memory(e);
        return NULL;
    }
    p->sets[p->count] = (struct page_set){.page = p,
                                          .constants = "",
                                          .device = "",
                                          .platform = "",
                                          .driver = "",
                                          .language = "",
                                          .hone_version = "",
                                          .inputs = "",
                                          .text = "",
                                          .run = "",
                                          .file = "",
                                          .best = SIZE_MAX,
                                          .usual = SIZE_MAX,
                                          .statistic = "median"};
    return &p->sets[p->count++];
}

// ---- rows --------------------------------------------------------------------------------------

uint32_t *page_index_slot(const struct page_set *s, const struct page_index *x,
                          const uint32_t *choice)
{
    uint64_t at = UINT64_C(0x9e3779b97f4a7c15);
    size_t bytes = s->parameter_count * sizeof *choice;
    for (uint32_t i = 0; i < s->parameter_count; i++)
        at = (at ^ choice[i]) * UINT64_C(0xd6e8feb86659fd93), at ^= at >> 32;
    for (;; at++) {
        uint32_t *slot = &x->slots[at & (x->slot_count - 1)];
        if (*slot == 0 || memcmp(s->rows[*slot - 1].choice, choice, bytes) == 0)
            return slot;
    }
}

// Slots of which at most half are taken. True: they are new, and empty; or NULL: no memory.
static bool make_slots(struct page_index *x, size_t count)
{
    if (2 * (count + 1) <= x->slot_count)
        return false;
    free(x->slots);
    x->slot_count = x->slot_count ? x->slot_count : 256;
    while (x->slot_count < 2 * (count + 1))
        x->slot_count *= 4;
    x->slots = calloc(x->slot_count, sizeof *x->slots);
    return true;
}

bool page_index_rows(const struct page_set *s, struct page_index *x)
{
    bool is_new = make_slots(x, s->count);
    for (size_t i = 0; is_new && x->slots && i < s->count; i++)
        *page_index_slot(s, x, s->rows[i].choice) = (uint32_t)i + 1;
    return x->slots != NULL;
}

void page_index_release(struct page_index *x)
{
    free(x->slots);
    *x = (struct page_index){0};
}

size_t page_row_of(const struct page_set *s, const uint32_t *choice)
{
    for (size_t i = 0; choice && i < s->count; i++) {
        if (memcmp(s->rows[i].choice, choice, s->parameter_count * sizeof *choice) == 0)
            return i;
    }
    return SIZE_MAX;
}

// ---- messages ----------------------------------------------------------------------------------

// The slot of a message, or the free one where it belongs.
static uint32_t *message_slot(const struct page_set *s, const struct page_index *x,
                              const char *message)
{
    uint64_t at = UINT64_C(0xcbf29ce484222325);
    for (const char *c = message; *c; c++)
        at = (at ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    for (at ^= at >> 32;; at++) {
        uint32_t *slot = &x->slots[at & (x->slot_count - 1)];
        if (*slot == 0 || str_equal(s->messages[*slot - 1], message))
            return slot;
    }
}

bool page_note_message(struct page *p, struct page_set *s, struct page_messages *m,
                       const char *message, uint32_t *index, bool *is_new)
{
    *index = 0;
    *is_new = false;
    message = strchr(message, '/') ? page_without_folders(message, &p->arena) : message;
    const bool is_made = make_slots(&m->index, s->message_count);
    for (uint32_t i = 0; is_made && m->index.slots && i < s->message_count; i++)
        *message_slot(s, &m->index, s->messages[i]) = i + 1;
    if (!message || !m->index.slots)
        return false;
    uint32_t *slot = message_slot(s, &m->index, message);
    *is_new = *slot == 0;
    if (*is_new) {
        const char *own = arena_strdup(&p->arena, message);
        if (!own || !ARENA_ROOM(&p->arena, s->messages, m->room, s->message_count + (size_t)1))
            return false;
        s->messages[s->message_count++] = own;
        *slot = s->message_count;
    }
    *index = *slot - 1;
    return true;
}

// ---- sets --------------------------------------------------------------------------------------

bool page_chosen_space(const struct spec *spec, const struct page_choice *choice,
                       struct space **out, struct error *e)
{
    *out = NULL;
    if (!choice || choice->where_count == 0)
        return true;
    const struct space_options o = {.where = choice->where, .where_count = choice->where_count};
    *out = space_new(spec, &o, e);
    return *out != NULL;
}

bool page_best_stats(const struct page_set *s, struct stats_summary *out)
{
    if (s->has_answer) {
        *out = s->answer.stats;
        return true;
    }
    if (s->best == SIZE_MAX)
        return false;
    const struct page_row *r = &s->rows[s->best];
    *out = (struct stats_summary){
        .median = r->median, .low = r->low, .high = r->high, .interval = r->interval};
    return true;
}

void page_configuration(const struct page_set *s, const struct page_row *r, struct text *out)
{
    bool any = false;
    for (uint32_t i = 0; i < s->parameter_count; i++) {
        const struct parameter *p = &s->parameters[i];
        if (p->count < 2)
            continue;
        text_addf(out, "%s%s=", any ? ", " : "", p->name);
        value_print(&p->values[r->choice[i]], out);
        any = true;
    }
}

struct timed_row {
    double median;
    size_t row;
};

static int by_time(const void *a, const void *b)
{
    const struct timed_row *x = a, *y = b;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static bool order_rows(struct page *p, struct page_set *s)
{
    struct timed_row *list = calloc(s->count + 1, sizeof *list);
    s->fastest = arena_array(&p->arena, s->count + 1, sizeof *s->fastest);
    if (!list || !s->fastest) {
        free(list);
        return false;
    }
    for (size_t i = 0; i < s->count; i++) {
        s->by_status[s->rows[i].status]++;
        if (s->rows[i].timed)
            list[s->timed++] = (struct timed_row){s->rows[i].median, i};
    }
    qsort(list, s->timed, sizeof *list, by_time);
    for (size_t i = 0; i < s->timed; i++)
        s->fastest[i] = list[i].row;
    free(list);
    return true;
}

// Each parameter's share of the variance of the logarithm of the time.
static bool find_importance(struct page *p, struct page_set *s)
{
    struct arena a = {0};
    const uint32_t **choices = arena_array(&a, s->timed + 1, sizeof(uint32_t *));
    double *values = arena_array(&a, s->timed + 1, sizeof *values);
    uint32_t *sizes = arena_array(&a, s->parameter_count + (size_t)1, sizeof *sizes);
    bool ok = choices && values && sizes;
    for (size_t i = 0; ok && i < s->timed; i++) {
        // in the order of measuring: the forest looks at the first rows that it has not seen
        choices[i] = s->rows[s->fastest[i]].choice;
        values[i] = log(fmax(s->rows[s->fastest[i]].median, 0.5));
    }
    for (uint32_t i = 0; ok && i < s->parameter_count; i++)
        sizes[i] = s->parameters[i].count;
    ok = ok && importance_find(
                   &(struct importance_data){choices, values, s->timed, sizes, s->parameter_count},
                   1, &p->arena, &s->importance);
    arena_release(&a);
    return ok;
}

bool page_finish_set(struct page *p, struct page_set *s, struct error *e)
{
    if (!order_rows(p, s) || !find_importance(p, s))
        return error_memory(e);
    if (s->best == SIZE_MAX && !s->has_answer && s->timed > 0)
        s->best = s->fastest[0];
    return true;
}
