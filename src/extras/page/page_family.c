// Sets of one spec: which they are, what tells them apart, and which of their configurations are the same.
#include "extras/page/view.h"

bool page_set_is_found(const struct page_set *s)
{
    return s->score_count > 0 || s->deployed_count > 0 || s->is_beginning || s->verdict_count > 0;
}

// Recordings rarely say what they are of: their parameters do.
bool page_is_kin(const struct page_set *a, const struct page_set *b)
{
    if (a == b || page_set_is_found(a) || page_set_is_found(b))
        return a == b;
    if (str_equal(a->spec, b->spec))
        return true;
    bool is = a->is_recorded && b->is_recorded && a->parameter_count == b->parameter_count &&
              a->parameter_count > 0;
    for (uint32_t i = 0; is && i < a->parameter_count; i++)
        is = str_equal(a->parameters[i].name, b->parameters[i].name);
    return is;
}

bool page_is_first(const struct page_set *s)
{
    for (const struct page_set *other = s->page->sets; other < s; other++) {
        if (page_is_kin(other, s))
            return false;
    }
    return true;
}

// Sizes in their order ("K=256" before "K=1024"), else as they were given.
static int by_constants(const void *a, const void *b)
{
    const struct page_set *x = *(const struct page_set *const *)a,
                          *y = *(const struct page_set *const *)b;
    int order = strverscmp(x->constants, y->constants);
    return order ? order : (x > y) - (x < y);
}

const struct page_set **page_family(const struct page_set *s, size_t *count)
{
    const struct page *p = s->page;
    const struct page_set **out = calloc(p->count + 1, sizeof(struct page_set *));
    *count = 0;
    for (size_t i = 0; out && i < p->count; i++) {
        if (page_is_kin(&p->sets[i], s))
            out[(*count)++] = &p->sets[i];
    }
    if (out)
        qsort(out, *count, sizeof *out, by_constants);
    return out;
}

// The first set of the same spec.
static const struct page_set *first_kin(const struct page_set *s)
{
    const struct page_set *first = s->page->sets;
    while (!page_is_kin(first, s))
        first++;
    return first;
}

static int by_kin_and_constants(const void *a, const void *b)
{
    const struct page_set *x = *(const struct page_set *const *)a,
                          *y = *(const struct page_set *const *)b;
    const struct page_set *first = first_kin(x), *other = first_kin(y);
    return first != other ? (first > other) - (first < other) : by_constants(a, b);
}

void page_order(struct page *p)
{
    struct page_set *sets = arena_array(&p->arena, p->count + 1, sizeof *sets);
    const struct page_set **order = arena_array(&p->arena, p->count + 1, sizeof *order);
    for (size_t i = 0; order && i < p->count; i++)
        order[i] = &p->sets[i];
    if (!sets || !order)
        return; // they stay as they are
    qsort(order, p->count, sizeof *order, by_kin_and_constants);
    for (size_t i = 0; i < p->count; i++)
        sets[i] = *order[i];
    p->sets = sets;
    p->room = p->count;
}

// ---- names -------------------------------------------------------------------------------------

size_t page_constants(const char *text, struct page_constant *out)
{
    size_t count = 0;
    while (*text && count < PAGE_CONSTANTS_MOST) {
        const char *equals = strchr(text, '='), *end = strstr(text, ", ");
        end = end ? end : text + strlen(text);
        if (!equals || equals > end)
            break;
        out[count++] = (struct page_constant){text, equals + 1, (size_t)(equals - text),
                                              (size_t)(end - equals) - 1};
        text = *end ? end + 2 : end;
    }
    return count;
}

bool page_constant_of(const struct page_set *s, const struct page_constant *name,
                      struct page_constant *out)
{
    struct page_constant all[PAGE_CONSTANTS_MOST];
    size_t count = page_constants(s->constants, all);
    for (size_t i = 0; i < count; i++) {
        if (all[i].name_length != name->name_length ||
            strncmp(all[i].name, name->name, name->name_length) != 0)
            continue;
        *out = all[i];
        return true;
    }
    return false;
}

bool page_same_constant(const struct page_constant *a, const struct page_constant *b)
{
    return a->value_length == b->value_length && strncmp(a->value, b->value, a->value_length) == 0;
}

// Has each set of the family for one constant what `s` has (of is NULL), or what it has for the other?
static bool is_equal_everywhere(const struct page_set *s, const struct page_constant *c,
                                const struct page_constant *of)
{
    for (size_t i = 0; i < s->page->count; i++) {
        const struct page_set *other = &s->page->sets[i];
        struct page_constant its, to = *c;
        if (!page_is_kin(other, s))
            continue;
        if (!page_constant_of(other, c, &its) || (of && !page_constant_of(other, of, &to)) ||
            !page_same_constant(&its, &to))
            return false;
    }
    return true;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// "runs/a.sqlite" of "/home/me/runs/a.sqlite".
static const char *with_folder(const char *path, const char *name)
{
    const char *at = name;
    if (at - path > 1)
        at--;
    while (at > path && at[-1] != '/')
        at--;
    return at;
}

// The file's name; with the folder that it is in where another file has it, too.
static const char *name_origin(const struct page_set *s)
{
    const char *name = file_name(s->origin);
    for (size_t i = 0; i < s->page->count; i++) {
        const char *other = s->page->sets[i].origin;
        if (page_is_kin(&s->page->sets[i], s) && !str_equal(other, s->origin) &&
            str_equal(file_name(other), name))
            return with_folder(s->origin, name);
    }
    return name;
}

void page_put_origin(const struct page_set *s, struct text *out)
{
    text_add(out, name_origin(s));
}

// Recordings without a name are called like their file.
static bool is_named_by_file(const struct page_set *s)
{
    return str_equal(file_name(s->origin), s->spec);
}

static void put_part(const char *before, const char *part, size_t start, struct text *out)
{
    text_addf(out, "%s%s%s", out->length > start ? ", " : "", before, part);
}

// The members in which sets with equal constants may differ.
struct set_member {
    size_t offset;
    const char *before; // of what would not say what it is
};
static const struct set_member place_members[] = {{offsetof(struct page_set, device), ""},
                                                  {offsetof(struct page_set, language), ""}},
                               other_members[] = {{offsetof(struct page_set, run), ""},
                                                  {offsetof(struct page_set, driver), "driver "},
                                                  {offsetof(struct page_set, inputs), "inputs "},
                                                  {offsetof(struct page_set, text), "kernel "}};

static const char *member_of(const struct page_set *s, const struct set_member *m)
{
    return *(const char *const *)((const char *)s + m->offset);
}

// Do others of its kin, with its device and language, differ in it?
static bool differs_in_place(const struct page_set *s, const struct set_member *m)
{
    bool differs = false;
    for (size_t i = 0; i < s->page->count && !differs; i++) {
        const struct page_set *other = &s->page->sets[i];
        differs = page_is_kin(other, s) && str_equal(other->device, s->device) &&
                  str_equal(other->language, s->language) &&
                  !str_equal(member_of(other, m), member_of(s, m));
    }
    return differs;
}

bool page_is_like(const struct page_set *a, const struct page_set *b)
{
    bool is = str_equal(a->device, b->device) && str_equal(a->language, b->language);
    for (size_t m = 0; m < sizeof other_members / sizeof *other_members && is; m++)
        is = str_equal(member_of(a, &other_members[m]), member_of(b, &other_members[m]));
    return is;
}

void page_put_state(const struct page_set *s, bool with_file, size_t start, struct text *out)
{
    static const struct set_member origin = {offsetof(struct page_set, origin), ""};
    for (size_t m = 0; m < sizeof other_members / sizeof *other_members; m++) {
        const char *own = member_of(s, &other_members[m]);
        if (own[0] && differs_in_place(s, &other_members[m]))
            put_part(other_members[m].before, own, start, out);
    }
    if (with_file && differs_in_place(s, &origin) && !is_named_by_file(s))
        put_part("", name_origin(s), start, out);
}

void page_put_place(const struct page_set *s, size_t start, struct text *out)
{
    for (size_t m = 0; m < sizeof place_members / sizeof *place_members; m++) {
        const char *own = member_of(s, &place_members[m]);
        bool is_common = true;
        for (size_t i = 0; i < s->page->count && is_common; i++)
            is_common = !page_is_kin(&s->page->sets[i], s) ||
                        str_equal(member_of(&s->page->sets[i], &place_members[m]), own);
        if (!is_common && own[0])
            put_part("", own, start, out);
    }
}

void page_set_name(const struct page_set *s, struct text *out)
{
    size_t start = out->length;
    // The constants that differ between sets; if M and N are equal everywhere, only the first.
    struct page_constant all[PAGE_CONSTANTS_MOST];
    size_t count = page_constants(s->constants, all);
    for (size_t i = 0; i < count; i++) {
        bool is_known = is_equal_everywhere(s, &all[i], NULL);
        for (size_t k = 0; k < i; k++)
            is_known = is_known || is_equal_everywhere(s, &all[i], &all[k]);
        if (!is_known)
            text_addf(out, "%s%.*s", out->length > start ? ", " : "",
                      (int)(all[i].name_length + 1 + all[i].value_length), all[i].name);
    }
    page_put_place(s, start, out);
    page_put_state(s, true, start, out);
    if (out->length == start)
        text_add(out, is_named_by_file(s) ? s->spec : s->device);
}

void page_command(const struct page_set *s, const char *name, const struct page_row *r,
                  struct text *out)
{
    struct text word = TEXT_INIT;
    struct page_constant all[PAGE_CONSTANTS_MOST];
    size_t count = page_constants(s->constants, all);
    text_addf(out, "hone %s ", name);
    text_add_shell(out, s->file);
    text_addf(out, " --language %s", s->language);
    for (size_t i = 0; i < count; i++) {
        text_clear(&word);
        text_addn(&word, all[i].name, all[i].name_length + 1 + all[i].value_length);
        text_add(out, " --set ");
        text_add_shell(out, text_cstr(&word));
    }
    text_clear(&word);
    if (r)
        page_configuration(s, r, &word);
    if (word.length > 0) {
        text_add(out, " --config ");
        text_add_shell(out, text_cstr(&word));
    }
    out->failed |= word.failed;
    text_release(&word);
}

// ---- the same configurations -------------------------------------------------------------------

// How the choices of one set read in the other: for each parameter its index there, for each of its values that value's
// index there, or UINT32_MAX.
struct reading {
    uint32_t *parameter;
    uint32_t **values;
};

static bool read_parameter(const struct parameter *from, const struct page_set *to, uint32_t *index,
                           uint32_t *values)
{
    uint32_t p = 0;
    while (p < to->parameter_count && !str_equal(to->parameters[p].name, from->name))
        p++;
    *index = p;
    for (uint32_t i = 0; p < to->parameter_count && i < from->count; i++) {
        uint32_t v = 0;
        while (v < to->parameters[p].count &&
               !value_equal(&from->values[i], &to->parameters[p].values[v]))
            v++;
        values[i] = v < to->parameters[p].count ? v : UINT32_MAX;
    }
    return p < to->parameter_count;
}

// False: the parameters are not the same; also without memory (out->failed).
static bool read_parameters(const struct page_set *from, const struct page_set *to,
                            struct reading *r, uint32_t **choice, struct arena *a, struct text *out)
{
    uint32_t count = from->parameter_count;
    r->parameter = arena_array(a, count + (size_t)1, sizeof *r->parameter);
    r->values = arena_array(a, count + (size_t)1, sizeof *r->values);
    *choice = arena_array(a, to->parameter_count + (size_t)1, sizeof **choice);
    bool ok = r->parameter && r->values && *choice, alike = count == to->parameter_count;
    for (uint32_t p = 0; ok && alike && p < count; p++) {
        r->values[p] = arena_array(a, from->parameters[p].count + (size_t)1, sizeof **r->values);
        ok = r->values[p] != NULL;
        alike = ok && read_parameter(&from->parameters[p], to, &r->parameter[p], r->values[p]);
    }
    out->failed |= !ok;
    return ok && alike;
}

size_t *page_same_rows(const struct page_set *from, const struct page_set *to, struct text *out)
{
    struct arena a = {0};
    struct reading r;
    struct page_index x = {0};
    uint32_t *choice;
    size_t *rows = NULL;
    if (read_parameters(from, to, &r, &choice, &a, out)) {
        rows = calloc(from->count + 1, sizeof *rows);
        bool ok = rows && page_index_rows(to, &x);
        out->failed |= !ok;
        if (ok) {
            for (size_t i = 0; i < from->count; i++) {
                bool is_there = true;
                for (uint32_t p = 0; p < from->parameter_count && is_there; p++) {
                    uint32_t v = r.values[p][from->rows[i].choice[p]];
                    choice[r.parameter[p]] = v;
                    is_there = v != UINT32_MAX;
                }
                uint32_t found = is_there ? *page_index_slot(to, &x, choice) : 0;
                rows[i] = found ? found - 1 : SIZE_MAX;
            }
            page_index_release(&x);
        } else {
            free(rows);
            rows = NULL;
        }
    }
    arena_release(&a);
    return rows;
}

const struct page_row *page_same_row(const struct page_set *from, const struct page_row *row,
                                     const struct page_set *to, struct text *out)
{
    struct arena a = {0};
    struct reading r;
    uint32_t *choice;
    bool is_there = read_parameters(from, to, &r, &choice, &a, out);
    for (uint32_t p = 0; is_there && p < from->parameter_count; p++) {
        uint32_t v = r.values[p][row->choice[p]];
        choice[r.parameter[p]] = v;
        is_there = v != UINT32_MAX;
    }
    size_t found = is_there ? page_row_of(to, choice) : SIZE_MAX;
    arena_release(&a);
    return found != SIZE_MAX ? &to->rows[found] : NULL;
}

// ---- one configuration for all of them -----------------------------------------------------------

void page_note_span(const struct page_set *s, double *least, double *most)
{
    for (size_t i = 0; i < s->timed; i++) {
        *least = fmin(*least, page_screened(&s->rows[s->fastest[i]]));
        *most = fmax(*most, page_screened(&s->rows[s->fastest[i]]));
    }
}

struct page_portable page_find_portable(const struct page_set *const *sets, size_t count,
                                        struct text *out)
{
    struct page_portable found = {SIZE_MAX, INFINITY};
    double *worst = calloc(sets[0]->count + 1, sizeof *worst);
    out->failed |= !worst;
    // Into `worst`, for each row of the first set: how far it is behind the best of this one, where that is more.
    for (size_t i = 0; worst && i < count; i++) {
        const struct page_set *s = sets[i];
        size_t *rows = page_same_rows(sets[0], s, out);
        double least = INFINITY, most = 0;
        page_note_span(s, &least, &most);
        for (size_t k = 0; k < sets[0]->count; k++) {
            const struct page_row *r = rows && rows[k] != SIZE_MAX ? &s->rows[rows[k]] : NULL;
            worst[k] = r && r->timed ? fmax(worst[k], page_screened(r) / least) : INFINITY;
        }
        free(rows);
    }
    for (size_t i = 0; worst && i < sets[0]->count; i++) {
        if (worst[i] < found.worst)
            found = (struct page_portable){i, worst[i]};
    }
    free(worst);
    return found;
}
