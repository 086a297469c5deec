// libhone-known: reads a `.hone` file and answers from it. The file is a text of words and quoted texts; all of it is read
// and checked when it is opened, so that answering needs no test: numbers of programs, configurations and arguments are in
// range, programs end and never leave their stack. A file from a stranger can be wrong, but do no harm.
#include <hone_known.h>
#include "known/known_program.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    FILE_MOST = 1 << 28,
    NAMES_MOST = 16,
    ABOUT_COUNT = 6,
    STEPS_MOST = 1 << 24, // of all that an answer may run, so that it takes seconds at most
};

struct known_text_program {
    struct known_step *steps;
    uint32_t count;
};

// Everything that was allocated for a table, freed with it.
struct known_block {
    struct known_block *next;
    size_t unused; // keeps what follows aligned
};

struct hone_known {
    hone_core_table core;
    const char *about[ABOUT_COUNT];
    struct known_text_program *programs;
    uint32_t program_count;
    struct known_block *blocks;
};

// ---- words -------------------------------------------------------------------------------------

struct known_reader {
    hone_known *k;
    char *text, *at, *end;
    const char *wrong; // NULL: nothing yet
    uint64_t steps;    // of restrictions and macros
};

static bool reject(struct known_reader *r, const char *what)
{
    if (!r->wrong)
        r->wrong = what;
    return false;
}

static void *known_alloc(struct known_reader *r, size_t count, size_t size)
{
    // Every item of a list takes at least a character of the file.
    if (count > (size_t)(r->end - r->text) + 16 ||
        count >= (SIZE_MAX - sizeof(struct known_block)) / size || r->wrong) {
        reject(r, "a count is larger than the file");
        return NULL;
    }
    struct known_block *block = calloc(1, sizeof *block + (count + 1) * size);
    if (!block) {
        reject(r, "there is no memory");
        return NULL;
    }
    block->next = r->k->blocks;
    r->k->blocks = block;
    return block + 1;
}

// The next word, ended by a NUL; "" at the end, or behind a mistake.
static const char *take_word(struct known_reader *r)
{
    r->at += strspn(r->at, " \n"); // the text has a NUL behind its end
    const char *word = r->at;
    r->at += strcspn(r->at, " \n");
    *r->at = 0;
    r->at += r->at < r->end;
    return r->wrong ? "" : word;
}

static bool expect_word(struct known_reader *r, const char *word)
{
    return strcmp(take_word(r), word) == 0 ||
           reject(r, "a word is not what stands there in such files");
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Sixteen hexadecimal digits.
static bool read_bits(const char *s, uint64_t *out)
{
    *out = 0;
    for (int i = 0; i < 16; i++) {
        if (hex_digit(s[i]) < 0)
            return false;
        *out = *out << 4 | (uint64_t)hex_digit(s[i]);
    }
    return true;
}

// A quoted text, which is unquoted where it stands.
static const char *take_text(struct known_reader *r)
{
    r->at += strspn(r->at, " \n");
    if (r->wrong || r->at == r->end || *r->at++ != '"') {
        reject(r, "a text has no quotes");
        return "";
    }
    char *to = r->at, *text = r->at;
    for (; r->at < r->end && *r->at != '"'; r->at++) {
        char c = *r->at;
        if (c == '\\') {
            int high = r->end - r->at > 2 ? hex_digit(r->at[1]) : -1;
            int low = high >= 0 ? hex_digit(r->at[2]) : -1;
            if (low < 0 || high + low == 0) {
                reject(r, "a text has a backslash without a character's two digits");
                return "";
            }
            c = (char)(high * 16 + low);
            r->at += 2;
        }
        if (c == 0) {
            reject(r, "a text holds a zero byte");
            return "";
        }
        *to++ = c;
    }
    if (r->at == r->end) {
        reject(r, "a text has no end");
        return "";
    }
    r->at++;
    *to = 0;
    return text;
}

static bool read_int(const char *s, int64_t *out)
{
    bool is_negative = *s == '-';
    uint64_t value = 0, most = (uint64_t)INT64_MAX + is_negative;
    s += is_negative;
    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        uint64_t digit = (uint64_t)(*s - '0');
        if (value > (most - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = is_negative ? (int64_t)(0 - value) : (int64_t)value;
    return *s == 0;
}

static int64_t take_int(struct known_reader *r, int64_t least, int64_t most)
{
    int64_t value = 0;
    const char *word = take_word(r);
    if (!read_int(word, &value) || value < least || value > most) {
        reject(r, "a number is none, or out of range");
        return 0;
    }
    return value;
}

static uint32_t take_count(struct known_reader *r)
{
    return (uint32_t)take_int(r, 0, FILE_MOST);
}

// A number below `limit`, or with `may_be_none` '-'.
static uint32_t take_index(struct known_reader *r, uint32_t limit, bool may_be_none)
{
    const char *word = take_word(r);
    int64_t value = 0;
    if (may_be_none && strcmp(word, "-") == 0)
        return HONE_CORE_NONE;
    if (!read_int(word, &value) || value < 0 || value >= (int64_t)limit) {
        reject(r, "a number refers to what there is not");
        return 0;
    }
    return (uint32_t)value;
}

static const char *const *take_texts(struct known_reader *r, const char *key, uint32_t most,
                                     uint32_t *count)
{
    expect_word(r, key);
    *count = (uint32_t)take_int(r, 0, most);
    const char **list = known_alloc(r, *count, sizeof *list);
    for (uint32_t i = 0; list && i < *count && !r->wrong; i++)
        list[i] = take_text(r);
    return list;
}

// ---- programs ----------------------------------------------------------------------------------

static bool read_step(const char *word, struct known_step *out)
{
    static const char *const words[] = {
#define HONE_CORE_ENTRY(name, word, operands) word,
        HONE_CORE_OPERATORS(HONE_CORE_ENTRY)
#undef HONE_CORE_ENTRY
#define X(name, word) word,
            KNOWN_STEPS(X)
#undef X
    };
    memset(out, 0, sizeof *out);
    for (int code = 0; code < KNOWN_STEP_COUNT; code++) {
        size_t length = strlen(words[code]);
        bool is_prefix = code >= HONE_CORE_OPERATOR_COUNT;
        if (strncmp(word, words[code], length) != 0 || (!is_prefix && word[length]))
            continue;
        out->code = code;
        if (!is_prefix)
            return true;
        if (code != KNOWN_STEP_REAL)
            return read_int(word + length, &out->i);
        uint64_t bits;
        bool ok = strlen(word + length) == 16 && read_bits(word + length, &bits);
        if (ok)
            memcpy(&out->f, &bits, sizeof bits);
        return ok;
    }
    return false;
}

static void take_programs(struct known_reader *r)
{
    hone_known *k = r->k;
    expect_word(r, "programs");
    k->program_count = take_count(r);
    k->programs = known_alloc(r, k->program_count, sizeof *k->programs);
    for (uint32_t i = 0; i < k->program_count && !r->wrong; i++) {
        struct known_text_program *p = &k->programs[i];
        expect_word(r, "program");
        p->count = (uint32_t)take_int(r, 1, KNOWN_STEPS_MOST);
        p->steps = known_alloc(r, p->count, sizeof *p->steps);
        for (uint32_t s = 0; s < p->count && !r->wrong; s++) {
            if (!read_step(take_word(r), &p->steps[s]))
                reject(r, "a step of a program is none");
        }
        if (!r->wrong &&
            !known_program_check(p->steps, p->count, k->core.column_count + k->core.fact_count))
            reject(r, "a program does not fit together");
    }
}

static hone_core_value evaluate_known(const void *context, uint32_t expression,
                                      const hone_core_value *slots)
{
    const hone_known *k = context;
    return known_program_run(k->programs[expression].steps, k->programs[expression].count, slots);
}

// ---- configurations ----------------------------------------------------------------------------

static const hone_core_named *take_named(struct known_reader *r, const char *key, uint32_t *count)
{
    expect_word(r, key);
    *count = take_count(r);
    hone_core_named *list = known_alloc(r, *count, sizeof *list);
    for (uint32_t i = 0; i < *count && !r->wrong; i++) {
        list[i].expression = take_index(r, r->k->program_count, false);
        list[i].text = take_text(r);
        r->steps += r->wrong ? 0 : r->k->programs[list[i].expression].count;
        if (r->steps > STEPS_MOST)
            reject(r, "its restrictions take too long to be looked up");
    }
    return list;
}

static void take_launch(struct known_reader *r, hone_core_launch *l)
{
    uint32_t programs = r->k->program_count;
    expect_word(r, "launch");
    l->kernel = take_text(r);
    l->when = take_index(r, programs, true);
    for (int i = 0; i < 3; i++)
        l->global[i] = take_index(r, programs, true);
    for (int i = 0; i < 3; i++)
        l->local[i] = take_index(r, programs, true);
    l->local_memory = take_index(r, programs, true);
    l->dimensions = (uint32_t)take_int(r, 1, 3);
    l->argument_count = take_count(r);
    uint32_t *arguments = known_alloc(r, l->argument_count, sizeof *arguments);
    for (uint32_t i = 0; i < l->argument_count && !r->wrong; i++)
        arguments[i] = take_index(r, r->k->core.argument_count, false);
    l->arguments = arguments;
}

static void take_configuration(struct known_reader *r, hone_core_configuration *c)
{
    expect_word(r, "configuration");
    c->text = take_text(r);
    c->options = take_text(r);
    const char *target = take_text(r);
    c->target = *target ? target : NULL;
    c->retarget = take_index(r, r->k->program_count, true);
    c->restrictions = take_named(r, "restrictions", &c->restriction_count);
    c->defines = take_named(r, "defines", &c->define_count);
    expect_word(r, "launches");
    c->launch_count = take_count(r);
    hone_core_launch *launches = known_alloc(r, c->launch_count, sizeof *launches);
    for (uint32_t i = 0; i < c->launch_count && !r->wrong; i++)
        take_launch(r, &launches[i]);
    c->launches = launches;
    expect_word(r, "bytes");
    uint32_t *bytes = known_alloc(r, r->k->core.argument_count, sizeof *bytes);
    for (uint32_t i = 0; i < r->k->core.argument_count && !r->wrong; i++)
        bytes[i] = take_index(r, r->k->program_count, true);
    c->bytes = bytes;
}

static void take_configurations(struct known_reader *r)
{
    hone_core_table *t = &r->k->core;
    expect_word(r, "configurations");
    t->configuration_count = (uint32_t)take_int(r, 1, HONE_CORE_CONFIGURATIONS);
    t->fallback = take_index(r, t->configuration_count, false);
    hone_core_configuration *list = known_alloc(r, t->configuration_count, sizeof *list);
    for (uint32_t i = 0; i < t->configuration_count && !r->wrong; i++)
        take_configuration(r, &list[i]);
    t->configurations = list;
}

// ---- devices -----------------------------------------------------------------------------------

struct known_points {
    int64_t *shapes;
    int32_t *logarithms;
    uint32_t *configurations, *tree, *places, room;
};

static void take_device(struct known_reader *r, hone_core_device *d, const struct known_points *to,
                        uint32_t *points)
{
    const hone_core_table *t = &r->k->core;
    expect_word(r, "device");
    d->name = take_text(r);
    d->identity = take_text(r);
    d->vendor = take_text(r);
    d->architecture = take_text(r);
    d->compute_units = take_int(r, 0, UINT32_MAX);
    d->fallback = take_index(r, t->configuration_count, false);
    d->first = *points;
    d->count = (uint32_t)take_int(r, 0, HONE_CORE_POINTS);
    if (d->count > to->room - *points)
        reject(r, "a device has more points than the table");
    int64_t *facts = known_alloc(r, t->fact_count, sizeof *facts);
    for (uint32_t i = 0; i < t->fact_count && !r->wrong; i++)
        facts[i] = take_int(r, -1, INT64_MAX);
    d->facts = facts;
    for (uint32_t i = 0; i < d->count && !r->wrong; i++, ++*points) {
        size_t point = d->first + (to->tree[*points] = take_index(r, d->count, false));
        int64_t *shape = &to->shapes[point * t->column_count];
        to->places[point] = i;
        to->configurations[point] = take_index(r, t->configuration_count, false);
        for (size_t c = 0, k = (size_t)*points * t->column_count; c < t->column_count; c++, k++) {
            shape[c] = take_int(r, 1, INT64_MAX);
            to->logarithms[k] = (int32_t)hone_core_log2(shape[c]);
        }
    }
}

// Reads the models, at most one per device, until "", the end of the file. Their numbers are
// limited so that a prediction fits in 64 bits.
static void take_models(struct known_reader *r, hone_core_device *devices)
{
    const hone_core_table *t = &r->k->core;
    for (const char *word; *(word = take_word(r));) {
        uint32_t at = strcmp(word, "model") == 0 ? take_index(r, t->device_count, false) : 0;
        if (strcmp(word, "model") != 0 || t->device_count == 0 || devices[at].model)
            reject(r, "something stands behind its end");
        uint32_t launch = take_count(r);
        size_t cells = r->wrong ? 0 : (size_t)devices[at].count * t->configuration_count;
        hone_core_model *model = known_alloc(r, 1, sizeof *model);
        uint32_t *groups = known_alloc(r, t->configuration_count, sizeof *groups);
        int64_t *slopes = known_alloc(r, t->column_count, sizeof *slopes);
        uint32_t *resident = known_alloc(r, t->configuration_count, sizeof *resident);
        int32_t *costs = known_alloc(r, cells, sizeof *costs);
        for (uint32_t i = 0; i < t->configuration_count && !r->wrong; i++)
            groups[i] = take_index(r, r->k->program_count, true);
        for (uint32_t i = 0; i < t->column_count && !r->wrong; i++)
            slopes[i] = take_int(r, -(1 << 24), 1 << 24);
        for (uint32_t i = 0; i < t->configuration_count && !r->wrong; i++)
            resident[i] = (uint32_t)take_int(r, 0, 1 << 20);
        for (size_t i = 0; i < cells && !r->wrong; i++)
            costs[i] = (int32_t)take_int(r, INT32_MIN, INT32_MAX);
        if (r->wrong)
            return;
        *model = (hone_core_model){launch, groups, slopes, resident, costs};
        devices[at].model = model;
    }
}

static void take_devices(struct known_reader *r)
{
    hone_core_table *t = &r->k->core;
    struct known_points to;
    uint32_t points = 0;
    expect_word(r, "devices");
    t->device_count = take_count(r);
    to.room = take_count(r);
    size_t numbers = (size_t)to.room * t->column_count;
    hone_core_device *devices = known_alloc(r, t->device_count, sizeof *devices);
    t->shapes = to.shapes = known_alloc(r, numbers, sizeof *to.shapes);
    t->logarithms = to.logarithms = known_alloc(r, numbers, sizeof *to.logarithms);
    t->point_configurations = to.configurations = known_alloc(r, to.room, sizeof(uint32_t));
    t->tree = to.tree = known_alloc(r, to.room, sizeof *to.tree);
    t->places = to.places = known_alloc(r, to.room, sizeof *to.places);
    for (uint32_t i = 0; i < t->device_count && !r->wrong; i++)
        take_device(r, &devices[i], &to, &points);
    if (points != to.room)
        reject(r, "the table has more points than its devices");
    t->devices = devices;
    take_models(r, devices);
}

// ---- opening -----------------------------------------------------------------------------------

// The line `checksum SIXTEEN DIGITS` at the end, of everything in front of it; the text then ends there.
static bool check_sum(struct known_reader *r)
{
    static const char key[] = "checksum ";
    enum { LINE = sizeof key - 1 + 16 + 1 };
    uint64_t told = 0;
    if (r->end - r->text < LINE || memcmp(r->end - LINE, key, sizeof key - 1) != 0 ||
        r->end[-1] != '\n')
        return reject(r, "it has no checksum at its end: it is cut off, or no file of hone deploy");
    if (!read_bits(r->end - 17, &told))
        return reject(r, "its checksum is none");
    r->end -= LINE;
    *r->end = 0;
    return known_checksum(r->text, (size_t)(r->end - r->text)) == told ||
           reject(r, "it is damaged: its checksum is that of another content");
}

static void read_table(struct known_reader *r)
{
    hone_core_table *t = &r->k->core;
    expect_word(r, "hone-known");
    if (!r->wrong && take_int(r, 0, INT32_MAX) != 2)
        reject(r, "it is of another version of hone; write it again with this one");
    for (int i = 0; i < ABOUT_COUNT; i++)
        r->k->about[i] = take_text(r);
    t->columns = take_texts(r, "columns", NAMES_MOST, &t->column_count);
    t->facts = take_texts(r, "facts", NAMES_MOST, &t->fact_count);
    t->arguments = take_texts(r, "arguments", FILE_MOST, &t->argument_count);
    if (!r->wrong && t->column_count == 0)
        reject(r, "its shapes have no columns");
    take_programs(r);
    take_configurations(r);
    take_devices(r);
    t->evaluate = evaluate_known;
    t->context = r->k;
}

hone_known *hone_known_read(const void *text, size_t length, char *error, size_t size)
{
    struct known_reader r = {.k = calloc(1, sizeof(hone_known))};
    const bool fits = length <= FILE_MOST;
    struct known_block *block = r.k && fits ? calloc(1, sizeof *block + length + 1) : NULL;
    const char *wrong = fits ? "there is no memory" : "it is larger than 256 MiB";
    if (block) {
        r.k->blocks = block;
        r.text = r.at = (char *)(block + 1);
        r.end = r.text + length;
        if (length > 0)
            memcpy(r.text, text, length);
        if (check_sum(&r))
            read_table(&r);
        wrong = r.wrong;
    }
    if (!wrong)
        return r.k;
    if (error && size)
        snprintf(error, size, "%s", wrong);
    hone_known_close(r.k);
    return NULL;
}

hone_known *hone_known_open(const char *path, char *error, size_t size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0, room = 0;
    const char *wrong = file ? NULL : "cannot be opened";
    while (!wrong && !feof(file)) {
        room = room ? 2 * room : 1 << 16;
        char *more = room <= (size_t)2 * FILE_MOST ? realloc(text, room) : NULL;
        text = more ? more : text;
        length += more ? fread(text + length, 1, room - length, file) : 0;
        wrong = !more          ? "is larger than 256 MiB, or there is no memory"
                : ferror(file) ? "cannot be read"
                               : NULL;
    }
    if (file)
        fclose(file);
    hone_known *k = wrong ? NULL : hone_known_read(text, length, error, size);
    if (wrong && error && size)
        snprintf(error, size, "it %s", wrong);
    free(text);
    return k;
}

void hone_known_close(hone_known *k)
{
    for (struct known_block *block = k ? k->blocks : NULL; block;) {
        struct known_block *next = block->next;
        free(block);
        block = next;
    }
    free(k);
}

// ---- asking ------------------------------------------------------------------------------------

static hone_core_handle resolve_known(const hone_known *k, const hone_known_device *d)
{
    static const hone_known_device unknown;
    d = d ? d : &unknown;
    return hone_core_device_of(&k->core, d->name, d->vendor, d->architecture, d->compute_units);
}

const char *hone_known_about(const hone_known *k, hone_known_fact what)
{
    return (unsigned)what < ABOUT_COUNT ? k->about[what] : NULL;
}

uint32_t hone_known_columns(const hone_known *k, const char *const **names)
{
    if (names)
        *names = k->core.columns;
    return k->core.column_count;
}

uint32_t hone_known_arguments(const hone_known *k, const char *const **names)
{
    if (names)
        *names = k->core.arguments;
    return k->core.argument_count;
}

uint32_t hone_known_configurations(const hone_known *k)
{
    return k->core.configuration_count;
}

uint32_t hone_known_default(const hone_known *k)
{
    return k->core.fallback;
}

int hone_known_best(const hone_known *k, const hone_known_device *device, const int64_t *shape,
                    uint32_t count, uint32_t *configuration)
{
    if (count != k->core.column_count)
        return -1;
    hone_core_handle h = resolve_known(k, device);
    *configuration = hone_core_find(&h, shape).configuration;
    return *configuration != HONE_CORE_NONE;
}

size_t hone_known_why(const hone_known *k, const hone_known_device *device, const int64_t *shape,
                      uint32_t count, char *out, size_t size)
{
    hone_core_handle h = resolve_known(k, device);
    if (count == k->core.column_count)
        return hone_core_why(&h, shape, out, size);
    hone_core_text text = {.out = out, .size = size};
    hone_core_put(&text, "a shape of this table has ");
    hone_core_put_int(&text, k->core.column_count);
    hone_core_put(&text, " columns");
    return text.length;
}

const char *hone_known_text(const hone_known *k, uint32_t configuration)
{
    return configuration < k->core.configuration_count ? k->core.configurations[configuration].text
                                                       : NULL;
}

// The text is "NAME=VALUE, NAME=VALUE"; a quoted value may hold a comma.
size_t hone_known_value(const hone_known *k, uint32_t configuration, const char *parameter,
                        char *out, size_t size)
{
    const char *at = hone_known_text(k, configuration);
    size_t length = strlen(parameter);
    while (at && *at) {
        bool is_it = strncmp(at, parameter, length) == 0 && at[length] == '=';
        const char *from = strchr(at, '='), *end = from ? from + 1 : at + strlen(at);
        for (char quote = 0; *end && (quote || *end != ','); end++)
            quote = quote ? (*end == quote ? 0 : quote) : *end == '\'' || *end == '"' ? *end : 0;
        if (is_it && from) {
            size_t fits = (size_t)(end - from - 1);
            if (size)
                snprintf(out, size, "%.*s", (int)fits, from + 1);
            return fits;
        }
        at = *end ? end + 1 + (end[1] == ' ') : NULL;
    }
    return 0;
}

size_t hone_known_options(const hone_known *k, const hone_known_device *device,
                          uint32_t configuration, const int64_t *shape, char *out, size_t size)
{
    hone_core_handle h = resolve_known(k, device);
    return configuration < k->core.configuration_count
               ? hone_core_options(&h, configuration, shape, out, size)
               : 0;
}

uint32_t hone_known_launches(const hone_known *k, uint32_t configuration)
{
    return configuration < k->core.configuration_count
               ? k->core.configurations[configuration].launch_count
               : 0;
}

int hone_known_geometry(const hone_known *k, const hone_known_device *device,
                        uint32_t configuration, uint32_t index, const int64_t *shape,
                        hone_known_launch *out)
{
    hone_core_handle h = resolve_known(k, device);
    hone_deployed_launch made;
    if (configuration >= k->core.configuration_count)
        return -1;
    int status = hone_core_launch_at(&h, configuration, index, shape, &made);
    memset(out, 0, sizeof *out);
    out->kernel = made.kernel, out->dimensions = made.dimensions, out->has_local = made.has_local;
    memcpy(out->global, made.global, sizeof out->global);
    memcpy(out->local, made.local, sizeof out->local);
    memcpy(out->grid, made.grid, sizeof out->grid);
    out->local_memory = made.local_memory;
    out->argument_count = made.argument_count, out->arguments = made.arguments;
    return status;
}

int64_t hone_known_bytes(const hone_known *k, const hone_known_device *device,
                         uint32_t configuration, uint32_t argument, const int64_t *shape)
{
    hone_core_handle h = resolve_known(k, device);
    return configuration < k->core.configuration_count
               ? hone_core_bytes(&h, configuration, argument, shape)
               : -1;
}

const char *hone_known_target(const hone_known *k, const hone_known_device *device,
                              uint32_t configuration, const int64_t *shape)
{
    hone_core_handle h = resolve_known(k, device);
    return configuration < k->core.configuration_count ? hone_core_target(&h, configuration, shape)
                                                       : NULL;
}
