// Growing strings, whole files, UTF-8, conversions of numbers that do not depend on the locale, and
// distances between names for "did you mean". Adding to a text that failed does nothing, so that
// one check at the end is enough.
#include "base/text.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- the growable text

void text_release(struct text *t)
{
    free(t->data);
    *t = (struct text)TEXT_INIT;
}

void text_clear(struct text *t)
{
    t->length = 0;
    t->failed = false;
    if (t->data)
        t->data[0] = '\0';
}

// Room for `more` bytes and the terminator.
static bool text_reserve(struct text *t, size_t more)
{
    if (t->failed)
        return false;
    if (t->capacity > t->length && more < t->capacity - t->length)
        return true;
    if (more > SIZE_MAX / 2 - t->length - 1) {
        t->failed = true;
        return false;
    }
    size_t needed = t->length + more + 1;
    size_t capacity = t->capacity + t->capacity / 2;
    if (capacity < needed)
        capacity = needed < 32 ? 32 : needed;
    char *data = realloc(t->data, capacity);
    if (!data) {
        t->failed = true;
        return false;
    }
    t->data = data;
    t->capacity = capacity;
    return true;
}

void text_addn(struct text *t, const void *bytes, size_t length)
{
    if (!text_reserve(t, length))
        return;
    if (length)
        memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_addn(t, s, strlen(s));
}

void text_addc(struct text *t, char c)
{
    text_addn(t, &c, 1);
}

// Most of what is added fits; what does not is made again once there is room.
void text_vaddf(struct text *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t room = t->failed ? 0 : t->capacity - t->length;
    int length = vsnprintf(room ? t->data + t->length : NULL, room, format, args);
    if (room && (length < 0 || (size_t)length >= room))
        t->data[t->length] = '\0'; // as it was
    if (length < 0) {
        t->failed = true;
    } else if (room && (size_t)length < room) {
        t->length += (size_t)length;
    } else if (text_reserve(t, (size_t)length)) {
        vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
        t->length += (size_t)length;
    }
    va_end(again);
}

void text_addf(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_vaddf(t, format, args);
    va_end(args);
}

void text_add_shell(struct text *t, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
    if (word[0] && word[strspn(word, plain)] == '\0') {
        text_add(t, word);
        return;
    }
    text_addc(t, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_add(t, "'\\''");
        else
            text_addc(t, *word);
    }
    text_addc(t, '\'');
}

void text_add_csv(struct text *t, const char *field)
{
    bool quoted = strpbrk(field, ",\"\r\n") || field[0] == ' ';
    text_add(t, quoted ? "\"" : "");
    for (; *field; field++) {
        text_add(t, *field == '"' ? "\"" : "");
        text_addc(t, *field);
    }
    text_add(t, quoted ? "\"" : "");
}

const char *text_cstr(const struct text *t)
{
    return t->data ? t->data : "";
}

char *text_to_arena(struct text *t, struct arena *a)
{
    char *copy = t->failed ? NULL : arena_strndup(a, text_cstr(t), t->length);
    text_release(t);
    return copy;
}

char *text_steal(struct text *t)
{
    // An empty text still gives a string away: NULL means failure and nothing else.
    text_addn(t, NULL, 0);
    char *data = t->failed ? NULL : t->data;
    if (t->failed)
        free(t->data);
    *t = (struct text)TEXT_INIT;
    return data;
}

// ---- files and folders

#define FILE_LIMIT ((size_t)1 << 30)

static bool read_descriptor(int fd, const char *path, size_t limit, struct text *out,
                            struct error *e)
{
    char buffer[16384];
    for (;;) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n == 0)
            return true;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_set_driver(e, ERROR_IO, errno, "cannot read '%s': %s", path,
                                    strerror(errno));
        if ((size_t)n > limit - out->length)
            return error_set(e, ERROR_IO, "cannot read '%s': it is larger than %zu bytes", path,
                             limit);
        text_addn(out, buffer, (size_t)n);
        if (out->failed)
            return error_memory(e);
    }
}

// Why a file cannot be read as a whole; NULL where nothing speaks against it. A FIFO would be
// waited for, a device has no end.
static const char *unreadable_kind(const struct stat *info)
{
    if (S_ISREG(info->st_mode))
        return NULL;
    return S_ISDIR(info->st_mode)    ? "it is a folder, not a file"
           : S_ISFIFO(info->st_mode) ? "it is a pipe, not a file: write its text to a file first"
                                     : "it is a device or socket, not a file";
}

bool file_read(const char *path, size_t limit, struct text *out, struct error *e)
{
    bool ok = false;
    struct stat info;
    const char *why;
    text_clear(out);
    limit = limit ? limit : FILE_LIMIT;
    // O_NONBLOCK: opening a FIFO does not wait for its writer. It changes nothing for files.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &info) != 0) {
        error_set_driver(e, ERROR_IO, errno, "cannot read '%s': %s", path, strerror(errno));
        goto out;
    }
    why = unreadable_kind(&info);
    if (why) {
        error_set_driver(e, ERROR_IO, S_ISDIR(info.st_mode) ? EISDIR : EINVAL,
                         "cannot read '%s': %s", path, why);
        goto out;
    }
    if ((uint64_t)info.st_size > limit) {
        error_set(e, ERROR_IO, "cannot read '%s': it is larger than %zu bytes", path, limit);
        goto out;
    }
    text_addn(out, NULL, 0); // an empty file is an empty string, not NULL
    ok = read_descriptor(fd, path, limit, out, e);
out:
    if (!ok)
        text_release(out);
    if (fd >= 0)
        close(fd);
    return ok;
}

bool file_read_text(const char *path, size_t limit, struct text *out, struct error *e)
{
    if (!file_read(path, limit, out, e))
        return false;
    bool ok = str_has_no_nul(path, out->data, out->length, e);
    if (!ok)
        text_release(out);
    return ok;
}

static bool is_folder_path(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// One level. What counts is that a folder is there afterwards, whoever made it.
static bool make_level(const char *path, struct error *e)
{
    if (mkdir(path, 0777) == 0)
        return true;
    int reason = errno;
    if (is_folder_path(path))
        return true;
    if (reason == EEXIST)
        reason = ENOTDIR;
    return error_set_driver(e, ERROR_IO, reason, "cannot create folder '%s': %s", path,
                            strerror(reason));
}

bool folder_make(const char *path, struct error *e)
{
    char *part = strdup(path);
    if (!part)
        return error_memory(e);
    bool ok = true;
    for (char *slash = strchr(part + (*part == '/'), '/'); ok && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ok = make_level(part, e);
        *slash = '/';
    }
    ok = ok && make_level(part, e);
    free(part);
    return ok;
}

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info, (void)type, (void)place;
    (void)remove(path);
    return 0; // best effort: go on with the rest
}

void folder_remove(const char *path)
{
    // Contents before their folder, links themselves and not what they point to.
    (void)nftw(path, remove_entry, 32, FTW_DEPTH | FTW_PHYS);
}

// ---- UTF-8

size_t utf8_character(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    *code = s[0];
    if (length < 2 || s[0] > 0xf4)
        return s[0] > 0xf4 ? 0 : length;
    *code &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    bool wrong = *code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000);
    return wrong ? 0 : length;
}

bool utf8_is_control(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                         {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
                                         {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    }
    return false;
}

// ---- what others wrote

// The bytes of the character at `s`, made visible where it is one to be obeyed, or none.
static size_t add_visible_character(const char *s, size_t left, bool lines, struct text *out)
{
    uint32_t code;
    char bytes[5] = "";
    memcpy(bytes, s, left < 4 ? left : 4);
    size_t length = utf8_character(bytes, &code);
    bool layout = lines && (*s == '\n' || *s == '\t');
    if (length == 0 || length > left)
        text_addf(out, "\\x%02x", (unsigned)(unsigned char)*s);
    else if (layout || !utf8_is_control(code))
        text_addn(out, s, length);
    else if (lines && *s == '\r' && left > 1 && s[1] == '\n') // of a line end on other systems
        return 1;
    else
        text_addf(out, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    return length ? length : 1;
}

void text_add_visible(struct text *t, const char *s, size_t length, bool lines)
{
    while (length > 0) {
        // How many bytes from `s` on a terminal only shows.
        size_t n = 0;
        while (n < length && (unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x7f)
            n++;
        text_addn(t, s, n);
        if (n == 0)
            n = add_visible_character(s, length, lines, t);
        s += n;
        length -= n;
    }
}

void text_add_name(struct text *t, const char *before, const char *name, const char *after)
{
    text_add(t, before);
    text_add_visible(t, name, strlen(name), false);
    text_add(t, after);
}

// ---- formatting into an array

void str_vformat(char *out, size_t size, const char *format, va_list args)
{
    static const char mark[] = "...";
    int length = vsnprintf(out, size, format, args);
    if (length < 0)
        out[0] = '\0';
    if (length < 0 || (size_t)length < size)
        return;
    char *cut = out + size - sizeof mark;
    // Never in the middle of a UTF-8 character: back over its continuation bytes.
    while (cut > out && ((unsigned char)*cut & 0xc0) == 0x80)
        cut--;
    memcpy(cut, mark, sizeof mark);
}

void str_format(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_vformat(out, size, format, args);
    va_end(args);
}

// ---- comparing

static char fold_character(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool str_equal_nocase(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    while (*a && fold_character(*a) == fold_character(*b))
        a++, b++;
    return fold_character(*a) == fold_character(*b);
}

bool str_listed(const char *const *list, const char *word)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list != NULL;
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool starts_nocase(const char *s, const char *prefix)
{
    while (*prefix && fold_character(*s) == fold_character(*prefix))
        s++, prefix++;
    return *prefix == '\0';
}

bool str_contains_nocase(const char *s, const char *part)
{
    do {
        if (starts_nocase(s, part))
            return true;
    } while (*s++);
    return false;
}

static size_t least_of_three(size_t a, size_t b)
{
    return a < b ? a : b;
}

// One row of the table of distances between prefixes. rows[0] is the one to fill (prefixes of a
// that end at a[i]), rows[1] and rows[2] the two before it.
static void distance_row(size_t *const rows[3], const char *a, size_t i, const char *b,
                         size_t columns)
{
    size_t *row = rows[0];
    row[0] = i + 1;
    for (size_t j = 0; j < columns; j++) {
        bool same = fold_character(a[i]) == fold_character(b[j]);
        size_t edit = least_of_three(rows[1][j + 1], row[j]) + 1;
        row[j + 1] = least_of_three(edit, rows[1][j] + !same);
        if (i && j && fold_character(a[i]) == fold_character(b[j - 1]) &&
            fold_character(a[i - 1]) == fold_character(b[j]))
            row[j + 1] = least_of_three(row[j + 1], rows[2][j - 1] + 1);
    }
}

size_t str_distance(const char *a, const char *b)
{
    size_t lines = strlen(a), columns = strlen(b);
    size_t *table = calloc(columns + 1, 3 * sizeof *table);
    if (!table) // nothing in common, as far as we can tell
        return lines > columns ? lines : columns;
    size_t *rows[3] = {table, table + columns + 1, table + 2 * (columns + 1)};
    for (size_t j = 0; j <= columns; j++)
        rows[0][j] = j;
    for (size_t i = 0; i < lines; i++) {
        size_t *oldest = rows[2];
        rows[2] = rows[1];
        rows[1] = rows[0];
        rows[0] = oldest;
        distance_row(rows, a, i, b, columns);
    }
    size_t distance = rows[0][columns];
    free(table);
    return distance;
}

size_t str_mark_length(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

bool str_has_no_nul(const char *name, const char *text, size_t length, struct error *e)
{
    const char *nul = length > 0 ? memchr(text, '\0', length) : NULL;
    const char *start = text; // of its line
    size_t line = 1;
    if (!nul)
        return true;
    for (const char *at = text; at < nul; at++) {
        line += *at == '\n';
        start = *at == '\n' ? at + 1 : start;
    }
    return error_set(e, ERROR_INPUT, "%s:%zu:%zu: a NUL byte (byte %zu of %zu); a text has none",
                     name, line, (size_t)(nul - start) + 1, (size_t)(nul - text) + 1, length);
}

static bool near_enough(size_t distance, size_t longer)
{
    size_t allowed = longer / 3 ? longer / 3 : 1;
    return distance <= allowed && distance < longer;
}

const char *str_nearest(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t least = SIZE_MAX, length = strlen(name);
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(names[i]);
        size_t distance = str_distance(name, names[i]);
        if (distance < least && near_enough(distance, length > other ? length : other)) {
            nearest = names[i];
            least = distance;
        }
    }
    return nearest;
}

// ---- numbers

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool str_to_u64(const char *s, uint64_t *out)
{
    uint64_t value = 0;
    if (!s || !*s)
        return false;
    for (; *s; s++) {
        unsigned digit = (unsigned)(*s - '0');
        if (!is_digit(*s) || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

bool str_to_i64(const char *s, int64_t *out)
{
    if (!s)
        return false;
    bool negative = *s == '-';
    uint64_t magnitude;
    if (!str_to_u64(s + (negative || *s == '+'), &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    // -1 - (m - 1) reaches INT64_MIN without overflow.
    *out = negative && magnitude ? -1 - (int64_t)(magnitude - 1) : (int64_t)magnitude;
    return true;
}

// strtod() with a decimal point whatever the locale. glibc's and musl's "C" locale is static:
// making and freeing it costs nothing.
static double c_strtod(const char *s, char **end)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = c ? strtod_l(s, end, c) : strtod(s, end);
    if (c)
        freelocale(c);
    return value;
}

// strtod() would also take blanks, hexadecimal numbers, and NaNs with a payload; this does not.
static bool looks_like_f64(const char *s)
{
    const char *digits = s + (*s == '-' || *s == '+');
    if (str_equal_nocase(digits, "inf") || str_equal_nocase(digits, "nan"))
        return true;
    return (is_digit(*digits) || *digits == '.') && s[strspn(s, "0123456789.eE+-")] == '\0';
}

bool str_to_f64(const char *s, double *out)
{
    if (!s || !looks_like_f64(s))
        return false;
    char *end;
    double value = c_strtod(s, &end);
    if (end == s || *end)
        return false;
    if (isinf(value) && !strpbrk(s, "iI")) // too large; what is too small becomes 0 or subnormal
        return false;
    *out = value;
    return true;
}

void str_dot_decimal(char *s)
{
    size_t before = strspn(s, "+-0123456789");
    size_t point = strcspn(s + before, "0123456789e");
    if (point == 0)
        return;
    s[before] = '.';
    memmove(s + before + 1, s + before + point, strlen(s + before + point) + 1);
}

// Up to this decimal exponent a number is written out ("100.0", not "1e+02").
#define FIXED_EXPONENT 16

void f64_to_str(double value, char *out)
{
    const size_t size = 32;
    if (!isfinite(value)) {
        snprintf(out, size, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    int precision = 0;
    do {
        precision++;
        snprintf(out, size, "%.*e", precision - 1, value);
        str_dot_decimal(out);
    } while (precision < 17 && c_strtod(out, NULL) != value);

    // The shortest digits are known; below 10^16 the zeros that %g then adds are exact.
    int exponent = atoi(strchr(out, 'e') + 1);
    if (exponent >= precision && exponent < FIXED_EXPONENT)
        precision = exponent + 1;
    snprintf(out, size, "%.*g", precision, value);
    str_dot_decimal(out);
    if (!strpbrk(out, ".e"))
        strcat(out, ".0");
}

// ---- durations

struct unit {
    const char *name;
    double ns;
};

// "1.5h", or "30" in seconds; *end: behind it.
static bool read_span(const char *s, const char **end, double *ns)
{
    static const struct unit units[] = {{"s", 1e9},  {"ms", 1e6},   {"us", 1e3},   {"ns", 1},
                                        {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"", 1e9}};
    char digits[64];
    size_t length = strspn(s, "0123456789.");
    double value;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, s, length);
    digits[length] = '\0';
    s += length;
    size_t letters = strcspn(s, "0123456789.");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) != letters || strncmp(s, units[i].name, letters) != 0)
            continue;
        *end = s + letters;
        *ns = 0;
        return str_to_f64(digits, &value) && (*ns = round(value * units[i].ns), true);
    }
    return false;
}

bool str_to_duration_ns(const char *s, uint64_t *out)
{
    double all = 0, last = INFINITY, one;
    if (!s || !*s)
        return false;
    while (*s) { // "1h30m": each part is smaller than what stands before it
        if (!read_span(s, &s, &one) || one >= last)
            return false;
        all += one;
        last = one;
    }
    if (!(all < 0x1p64))
        return false;
    *out = (uint64_t)all;
    return true;
}

// Decimals that leave four significant digits of a value below 1000.
static int four_digits(double value)
{
    return value < 9.9995 ? 3 : value < 99.995 ? 2 : 1;
}

void duration_to_str(double ns, char *out)
{
    static const struct unit units[] = {{"ns", 1},  {"us", 1e3},   {"ms", 1e6},
                                        {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
    // The first value that is shown in the next unit; rounding never shows "1000 us".
    static const double limits[] = {999.95, 999.95, 999.95, 119.995, 119.995};
    const size_t size = 32, largest = sizeof limits / sizeof *limits;
    if (!isfinite(ns) || ns == 0) {
        snprintf(out, size, "%s", ns == 0 ? "0 ns" : isnan(ns) ? "nan" : ns < 0 ? "-inf" : "inf");
        return;
    }
    size_t unit = 0;
    while (unit < largest && fabs(ns) / units[unit].ns >= limits[unit])
        unit++;
    double value = ns / units[unit].ns;
    if (fabs(value) < 9999.5)
        snprintf(out, size, "%.*f", fabs(value) < 999.95 ? four_digits(fabs(value)) : 0, value);
    else
        snprintf(out, size, "%.4g", value);
    str_dot_decimal(out);
    size_t length = strlen(out);
    snprintf(out + length, size - length, " %s", units[unit].name);
}
