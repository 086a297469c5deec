// The two sides of a comparison, as --left and --right define them.
#include "cli/comparing.h"
#include "cli/environment.h"

#include <string.h>

// ---- reading -----------------------------------------------------------------------------------

static bool read_device(struct comparing_side *s, const char *value, struct error *e)
{
    (void)e;
    s->given.device = value;
    s->is_given = true;
    return true;
}

static bool read_language(struct comparing_side *s, const char *value, struct error *e)
{
    struct given_language *language = &s->given.language;
    language->is_given = true;
    return language_parse(value, &language->language) ||
           error_set(e, ERROR_USAGE, "'%s' is not a language that hone runs: " LANGUAGES_TEXTS,
                     value);
}

// Words separated by blanks.
static bool read_options(struct comparing_side *s, const char *value, struct error *e)
{
    char *copy = arena_strdup(&s->work.arena, value), *word;
    if (!copy)
        return error_memory(e);
    while ((word = strsep(&copy, " "))) {
        if (*word && !option_list(&s->flags, word, e))
            return false;
    }
    return true;
}

static bool read_set(struct comparing_side *s, const char *value, struct error *e)
{
    return option_list(&s->given.set, value, e);
}

static bool read_run(struct comparing_side *s, const char *value, struct error *e)
{
    (void)e;
    s->run = value;
    return true;
}

static const struct {
    const char *what;
    bool (*read)(struct comparing_side *s, const char *value, struct error *e);
} readers[] = {{"device", read_device},
               {"language", read_language},
               {"option", read_options},
               {"set", read_set},
               {"run", read_run}};

static bool read_part(struct comparing_side *s, const char *part, struct error *e)
{
    const char *value = strchr(part, '=');
    for (size_t i = 0; value && i < sizeof readers / sizeof *readers; i++) {
        size_t length = strlen(readers[i].what);
        if ((size_t)(value - part) == length && strncmp(part, readers[i].what, length) == 0)
            return value[1] ? readers[i].read(s, value + 1, e)
                            : error_set(e, ERROR_USAGE, "%s needs a value", part);
    }
    return error_set(e, ERROR_USAGE,
                     "'%s': write device=NAME, language=opencl, option=-cl-mad-enable, "
                     "set=WIDTH=512 or run=last",
                     part);
}

// The settings of the whole comparison, then those of this side.
static bool read_side(const struct comparing *c, struct comparing_side *s, const struct list *parts,
                      const char *option, struct error *e)
{
    const struct list *set = &c->settings->given.set;
    bool ok = true;
    s->call = *c->call;
    s->given = c->settings->given;
    s->call.argument_count = 1;
    s->given.set = (struct list){NULL, 0};
    for (uint32_t i = 0; ok && i < set->count; i++)
        ok = option_list(&s->given.set, set->items[i], e);
    for (uint32_t i = 0; ok && i < parts->count; i++)
        ok = read_part(s, parts->items[i], e);
    return ok || error_context(e, "--%s", option);
}

// ---- the two languages -------------------------------------------------------------------------

static bool is_said(const struct compare_settings *s)
{
    return s->left.count + s->right.count > 0;
}

// With nothing said it is OpenCL against CUDA.
static int default_sides(struct comparing *c)
{
    struct error e = ERROR_INIT;
    struct spec_options options = {.set = c->settings->given.set.items,
                                   .set_count = c->settings->given.set.count,
                                   .refuses_commands = environment_refuses_commands()};
    struct spec_languages languages;
    c->read = spec_load(c->call->arguments[0], &options, &e);
    if (!c->read || !spec_languages(c->read, &languages, &e))
        return work_failed(&e);
    if (languages.count < 2) {
        complain("%s: there is only one language; --left and --right give the difference: device, "
                 "option, set or run",
                 c->call->arguments[0]);
        return EXIT_USAGE;
    }
    for (int i = 0; i < 2; i++)
        c->sides[i].given.language = (struct given_language){true, languages.list[i]};
    return EXIT_DONE;
}

// One device, or two views of one card.
static bool is_same_card(const struct device_info *a, const struct device_info *b)
{
    return place_same_card(&(struct place){.device = a}, &(struct place){.device = b});
}

// Is there a card that both can use?
static bool share_card(const struct work *a, const struct work *b)
{
    if (a->places.count == 0 || b->places.count == 0)
        return is_same_card(a->device, b->device);
    for (uint32_t i = 0; i < a->places.count; i++) {
        for (uint32_t k = 0; k < b->places.count; k++) {
            if (place_same_card(&a->places.list[i], &b->places.list[k]))
                return true;
        }
    }
    return false;
}

int comparing_on_one_card(const struct work *first, const struct work *w)
{
    if (share_card(w, first))
        return EXIT_DONE;
    complain("%s and %s would run on different devices, %s and %s; name one with --device",
             first->call->arguments[0], w->call->arguments[0], first->device->name,
             w->device->name);
    return EXIT_USAGE;
}

// Two views of one card are compared, not two cards, unless a side names its own.
static int put_on_one_card(struct comparing *c)
{
    struct work *left = &c->sides[0].work, *right = &c->sides[1].work;
    bool is_free = !c->sides[0].is_given && !c->sides[1].is_given;
    if (!left->device || !right->device || !is_free || share_card(left, right))
        return EXIT_DONE;
    for (uint32_t i = 0; i < right->devices.device_count; i++) {
        const struct device_info *d = &right->devices.devices[i];
        if (d->language != right->device->language)
            continue;
        const struct device_info *chosen = right->device;
        right->device = d;
        int status = work_places(right);
        if (status != EXIT_DONE || share_card(left, right))
            return status;
        right->device = chosen;
    }
    complain("%s has no %s view here; name both with --left device=NAME and --right device=NAME",
             left->device->name, language_title(right->device->language));
    return EXIT_NOTHING;
}

// Two cards of one kind that are named are compared with each other, not each on both.
static void keep_to_named(struct comparing *c)
{
    struct work *left = &c->sides[0].work, *right = &c->sides[1].work;
    bool is_named = c->sides[0].is_given || c->sides[1].is_given;
    if (!is_named || left->places.count == 0 || right->places.count == 0 ||
        left->device->language != right->device->language ||
        place_same_card(&left->places.list[0], &right->places.list[0]))
        return;
    left->places.count = right->places.count = 1;
}

// ---- opening -----------------------------------------------------------------------------------

static int open_run(struct comparing_side *s)
{
    struct error e = ERROR_INIT;
    struct work *w = &s->work;
    int status = work_spec(w);
    if (status == EXIT_DONE)
        status = work_store(w, HONE_STORE_READ);
    if (status != EXIT_DONE)
        return status;
    return stored_run(w->store, s->run, w->spec, &w->arena, &s->stored, &e) ? EXIT_DONE
                                                                            : work_failed(&e);
}

static int open_side(struct comparing_side *s)
{
    if (s->run)
        return open_run(s);
    int status = tuning_open(&s->work);
    work_drop_workers(&s->work);
    return status == EXIT_DONE ? open_kept(&s->work) : status;
}

int comparing_sides(struct comparing *c)
{
    struct error e = ERROR_INIT;
    const struct compare_settings *s = c->settings;
    c->count = 2;
    for (uint32_t i = 0; i < 2; i++)
        work_init(&c->sides[i].work, &c->sides[i].call, &c->sides[i].given, &s->measure);
    if (!read_side(c, &c->sides[0], &s->left, "left", &e) ||
        !read_side(c, &c->sides[1], &s->right, "right", &e))
        return work_failed(&e);
    int status = is_said(s) ? EXIT_DONE : default_sides(c);
    for (uint32_t i = 0; i < 2 && status == EXIT_DONE; i++) {
        c->sides[i].work.nodes_of = &c->sides[0].work;
        c->sides[i].work.read = i ? c->sides[0].work.spec : c->read;
        status = open_side(&c->sides[i]);
    }
    keep_to_named(c);
    return status == EXIT_DONE ? put_on_one_card(c) : status;
}

// ---- labels ------------------------------------------------------------------------------------

static void add(struct comparing_side *s, const char *word)
{
    text_addf(&s->label, "%s%s", s->label.length ? ", " : "", word);
}

static void label_devices(struct comparing_side *sides)
{
    const struct device_info *a = sides[0].work.device, *b = sides[1].work.device;
    if (!a || !b)
        return;
    if (a->language != b->language) {
        add(&sides[0], language_title(a->language));
        add(&sides[1], language_title(b->language));
    }
    if (is_same_card(a, b) && (a->language != b->language || str_equal(a->id, b->id)))
        return;
    bool by_name = !str_equal(a->name, b->name);
    add(&sides[0], by_name ? a->name : a->id);
    add(&sides[1], by_name ? b->name : b->id);
}

static void join(const struct list *flags, struct text *out)
{
    for (uint32_t i = 0; i < flags->count; i++)
        text_addf(out, "%s%s", i ? " " : "", flags->items[i]);
}

static void label_runs(struct comparing_side *sides)
{
    if (!sides[0].run && !sides[1].run)
        return;
    if (sides[0].run && sides[1].run && str_equal(sides[0].stored.session, sides[1].stored.session))
        return;
    for (int i = 0; i < 2; i++) {
        struct text word = TEXT_INIT;
        if (sides[i].run)
            text_addf(&word, "run %.8s", sides[i].stored.session);
        else
            text_add(&word, "now");
        add(&sides[i], text_cstr(&word));
        text_release(&word);
    }
}

// The store has another name for a spec that is built with further options.
static void name_spec(struct comparing_side *s)
{
    const char *spec = s->work.spec->name;
    struct text flags = TEXT_INIT;
    join(&s->flags, &flags);
    if (s->flags.count > 0)
        compare_name(spec, text_cstr(&flags), &s->name);
    else
        text_add(&s->name, spec);
    s->name.failed |= flags.failed;
    text_release(&flags);
}

bool comparing_labels(struct comparing *c)
{
    label_runs(c->sides);
    label_devices(c->sides);
    struct text texts[2] = {TEXT_INIT, TEXT_INIT};
    for (int i = 0; i < 2; i++)
        join(&c->sides[i].flags, &texts[i]);
    bool differ = !str_equal(text_cstr(&texts[0]), text_cstr(&texts[1]));
    for (int i = 0; i < 2; i++) {
        if (differ && !c->sides[i].run)
            add(&c->sides[i], texts[i].length ? text_cstr(&texts[i]) : "default");
        c->sides[i].label.failed |= texts[i].failed;
        text_release(&texts[i]);
    }
    const struct spec *a = c->sides[0].work.spec, *b = c->sides[1].work.spec;
    for (uint32_t i = 0; i < a->constant_count; i++) {
        struct text x = TEXT_INIT, y = TEXT_INIT;
        value_print(&a->constants[i].value, &x);
        value_print(&b->constants[i].value, &y);
        if (!str_equal(text_cstr(&x), text_cstr(&y))) {
            struct text word = TEXT_INIT;
            text_addf(&word, "%s=%s", a->constants[i].name, text_cstr(&x));
            add(&c->sides[0], text_cstr(&word));
            text_clear(&word);
            text_addf(&word, "%s=%s", b->constants[i].name, text_cstr(&y));
            add(&c->sides[1], text_cstr(&word));
            text_release(&word);
        }
        text_release(&x);
        text_release(&y);
    }
    for (int i = 0; i < 2; i++)
        name_spec(&c->sides[i]);
    return !c->sides[0].label.failed && !c->sides[1].label.failed && !c->sides[0].name.failed &&
           !c->sides[1].name.failed;
}
