// ustar: a block of 512 bytes in front of each file, which is filled up to such blocks; two blocks of zeros at the end.
#include "extras/formats/ustar.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 512
#define FILES "ustar\00000" // magic and version, 8 bytes

// Numbers are octal digits, with a NUL or a blank behind them.
struct header {
    char name[100], mode[8], uid[8], gid[8], size[12], time[12], checksum[8], type, link[100],
        magic[8], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

// The sum of all bytes, the checksum's own counted as blanks.
static uint32_t sum_header(const struct header *h)
{
    const unsigned char *bytes = (const unsigned char *)h;
    uint32_t sum = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        const bool is_own = i >= offsetof(struct header, checksum) &&
                            i < offsetof(struct header, checksum) + sizeof h->checksum;
        sum += is_own ? ' ' : bytes[i];
    }
    return sum;
}

static size_t padding_of(uint64_t length)
{
    return (size_t)((BLOCK - length % BLOCK) % BLOCK);
}

// ---- names -------------------------------------------------------------------------------------

// Why a name is none of a file below the folder that is unpacked into; NULL: it is one.
static const char *name_fault(const char *name)
{
    if (!*name)
        return "has no name";
    if (*name == '/')
        return "is absolute";
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 127 || *c == '\\')
            return "has a control character or a backslash in its name";
    }
    for (const char *part = name;; part++) {
        const size_t length = strcspn(part, "/");
        if (length == 0)
            return "has an empty part in its name";
        if (part[0] == '.' && (length == 1 || (length == 2 && part[1] == '.')))
            return "leads out of its folder";
        part += length;
        if (!*part)
            return NULL;
    }
}

// ---- writing -----------------------------------------------------------------------------------

static void put_octal(char *field, size_t size, uint64_t value)
{
    field[size - 1] = '\0';
    for (size_t i = size - 1; i-- > 0; value >>= 3)
        field[i] = (char)('0' + (value & 7));
}

// A long name goes into two fields, cut at a '/'.
static bool put_name(struct header *h, const char *name)
{
    const size_t length = strlen(name);
    if (length <= sizeof h->name) {
        memcpy(h->name, name, length);
        return true;
    }
    for (const char *cut = strchr(name, '/'); cut; cut = strchr(cut + 1, '/')) {
        const size_t front = (size_t)(cut - name), back = length - front - 1;
        if (front > sizeof h->prefix || back > sizeof h->name)
            continue;
        memcpy(h->prefix, name, front);
        memcpy(h->name, cut + 1, back);
        return true;
    }
    return false;
}

static void add_zeros(size_t count, struct text *out)
{
    static const char zeros[BLOCK];
    for (; count > 0; count -= count < BLOCK ? count : BLOCK)
        text_addn(out, zeros, count < BLOCK ? count : BLOCK);
}

bool ustar_add(const char *name, const void *bytes, size_t length, int64_t time, struct text *out,
               struct error *e)
{
    struct header h = {.type = '0', .magic = FILES};
    const char *fault = name_fault(name);
    if (fault)
        return error_set(e, ERROR_INPUT, "'%s' %s: no archive holds it", name, fault);
    if (!put_name(&h, name))
        return error_set(e, ERROR_INPUT, "'%s': the name is too long for an archive", name);
    if (length >> 33)
        return error_set(e, ERROR_INPUT, "'%s' is too large for an archive: 8 GiB", name);
    put_octal(h.mode, sizeof h.mode, 0644);
    put_octal(h.uid, sizeof h.uid, 0);
    put_octal(h.gid, sizeof h.gid, 0);
    put_octal(h.size, sizeof h.size, length);
    put_octal(h.time, sizeof h.time, time > 0 ? (uint64_t)time : 0);
    put_octal(h.major, sizeof h.major, 0);
    put_octal(h.minor, sizeof h.minor, 0);
    put_octal(h.checksum, sizeof h.checksum - 1, sum_header(&h));
    h.checksum[sizeof h.checksum - 1] = ' ';
    text_addn(out, &h, sizeof h);
    text_addn(out, bytes, length);
    add_zeros(padding_of(length), out);
    return !out->failed || error_memory(e);
}

void ustar_end(struct text *out)
{
    add_zeros(2 * (size_t)BLOCK, out);
}

// ---- reading -----------------------------------------------------------------------------------

// False if the field is not octal digits that end in it.
static bool read_octal(const char *field, size_t size, uint64_t *out)
{
    size_t i = 0;
    *out = 0;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
        *out = *out << 3 | (uint64_t)(field[i] - '0');
    return i > 0 && i < size && (field[i] == '\0' || field[i] == ' ');
}

static bool is_zero(const char *block)
{
    for (size_t i = 0; i < BLOCK; i++) {
        if (block[i])
            return false;
    }
    return true;
}

bool ustar_is(const char *bytes, size_t length)
{
    return length >= BLOCK && memcmp(bytes + offsetof(struct header, magic), "ustar", 5) == 0;
}

static const char *read_name(const struct header *h, struct arena *a)
{
    const size_t front = strnlen(h->prefix, sizeof h->prefix),
                 back = strnlen(h->name, sizeof h->name);
    return arena_printf(a, "%.*s%s%.*s", (int)front, h->prefix, front ? "/" : "", (int)back,
                        h->name);
}

// The fault of a header, apart from its name; NULL: there is none.
static const char *header_fault(const struct header *h, uint64_t left, uint64_t *size)
{
    uint64_t sum;
    if (memcmp(h->magic, FILES, sizeof h->magic) != 0)
        return "is not written as POSIX's ustar";
    if (!read_octal(h->checksum, sizeof h->checksum, &sum) || sum != sum_header(h))
        return "has a header whose checksum is wrong";
    if (h->type != '0' && h->type != '\0')
        return "is no regular file (links, folders and extensions are refused)";
    if (!read_octal(h->size, sizeof h->size, size))
        return "has no size";
    return *size > left || padding_of(*size) > left - *size ? "is cut off" : NULL;
}

static int by_entry_name(const void *a, const void *b)
{
    return strcmp((*(const struct ustar_entry *const *)a)->name,
                  (*(const struct ustar_entry *const *)b)->name);
}

static bool refuse_doubles(const char *path, const struct ustar_entry *list, size_t count,
                           struct arena *a, struct error *e)
{
    const struct ustar_entry **sorted = arena_array(a, count + 1, sizeof(struct ustar_entry *));
    if (!sorted)
        return error_memory(e);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &list[i];
    qsort(sorted, count, sizeof(struct ustar_entry *), by_entry_name);
    for (size_t i = 0; i + 1 < count; i++) {
        if (str_equal(sorted[i]->name, sorted[i + 1]->name))
            return error_set(e, ERROR_INPUT, "%s: '%s' is there twice", path, sorted[i]->name);
    }
    return true;
}

bool ustar_read(const char *path, const char *bytes, size_t length, struct arena *a,
                struct ustar_entry **out, size_t *count, struct error *e)
{
    size_t at = 0, room = 0;
    *count = 0;
    *out = NULL;
    for (;; (*count)++) {
        struct header h;
        if (length - at < BLOCK)
            return error_set(e, ERROR_INPUT, "%s: the archive is cut off after %zu files", path,
                             *count);
        if (is_zero(bytes + at))
            break;
        if (*count == USTAR_ENTRIES_MOST)
            return error_set(e, ERROR_INPUT, "%s: more than %d files", path, USTAR_ENTRIES_MOST);
        if (*count == room) {
            struct ustar_entry *more = arena_array(a, room = 2 * room + 16, sizeof *more);
            if (!more)
                return error_memory(e);
            if (*count > 0)
                memcpy(more, *out, *count * sizeof *more);
            *out = more;
        }
        memcpy(&h, bytes + at, sizeof h);
        at += BLOCK;
        struct ustar_entry *entry = &(*out)[*count];
        *entry = (struct ustar_entry){.name = read_name(&h, a), .bytes = bytes + at};
        if (!entry->name)
            return error_memory(e);
        const char *fault = header_fault(&h, length - at, &entry->length);
        fault = fault ? fault : name_fault(entry->name);
        if (fault)
            return error_set(e, ERROR_INPUT, "%s: file %zu, '%s', %s", path, *count + 1,
                             entry->name, fault);
        at += (size_t)entry->length + padding_of(entry->length);
    }
    return refuse_doubles(path, *out, *count, a, e);
}
