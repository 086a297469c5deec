// Reference files: header, table and data are checked against each other and against the file's length
// before anything is read from them; writing goes to another name first.
#include "device/reference_file.h"

#include "base/text.h"
#include "device/checksum.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC     "hone-ref"
#define ALIGNMENT 64

struct header {
    char magic[8];
    uint64_t version; // of this layout
    struct digest recipe;
    uint64_t length;   // of everything
    uint64_t checksum; // of everything, with this field 0
    uint64_t count;    // entries of the table that follows
};

#define VERSION 3

static uint64_t aligned(uint64_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint8_t *reference_layout(const struct digest *recipe, struct piece *pieces, uint32_t count,
                          uint64_t *length)
{
    struct header h = {.version = VERSION, .recipe = *recipe, .count = count};
    uint64_t end = aligned(sizeof h + count * sizeof *pieces);
    for (uint32_t i = 0; i < count; i++) {
        pieces[i].offset = end;
        end += aligned(pieces[i].length);
    }
    uint8_t *blob = aligned_alloc(ALIGNMENT, (size_t)end);
    if (!blob)
        return NULL;
    memset(blob, 0, (size_t)end);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.length = *length = end;
    memcpy(blob, &h, sizeof h);
    memcpy(blob + sizeof h, pieces, count * sizeof *pieces);
    return blob;
}

void reference_seal(uint8_t *blob, uint64_t length)
{
    struct header *h = (struct header *)(void *)blob;
    h->checksum = 0;
    h->checksum = checksum_of(blob, length);
}

static bool pieces_fit(const struct piece *p, uint64_t count, uint64_t length)
{
    for (uint64_t i = 0; i < count; i++) {
        if (p[i].offset > length || p[i].length > length - p[i].offset || p[i].offset % ALIGNMENT)
            return false;
    }
    return true;
}

static bool is_whole(const uint8_t *blob, uint64_t length)
{
    struct header h;
    uint64_t sum = checksum_of(blob, length), zero = 0;
    // Replaces the checksum field's own part in the sum by that of a 0.
    uint64_t place = offsetof(struct header, checksum) / 8;
    memcpy(&h, blob, sizeof h);
    sum -= checksum_word(&h.checksum, 8, place);
    sum += checksum_word(&zero, 8, place);
    return sum == h.checksum;
}

const struct piece *reference_table(const uint8_t *blob, uint64_t length,
                                    const struct digest *recipe, uint32_t count)
{
    const struct header *h = (const struct header *)(const void *)blob;
    if (length < sizeof *h || memcmp(h->magic, MAGIC, sizeof h->magic) != 0 ||
        h->version != VERSION)
        return NULL;
    if (h->length != length || h->count != count || !digest_equal(&h->recipe, recipe))
        return NULL;
    if (length < sizeof *h + count * sizeof(struct piece) || !is_whole(blob, length))
        return NULL;
    const struct piece *table = (const struct piece *)(const void *)(blob + sizeof *h);
    return pieces_fit(table, count, length) ? table : NULL;
}

static void reference_file_name(const char *folder, const struct digest *recipe, struct text *out)
{
    char hex[65];
    digest_hex(recipe, hex);
    text_addf(out, "%s/reference-%.32s", folder, hex);
}

static uint8_t *read_all(FILE *f, uint64_t *length)
{
    struct stat s;
    if (fstat(fileno(f), &s) != 0 || !S_ISREG(s.st_mode) || s.st_size <= 0)
        return NULL;
    *length = (uint64_t)s.st_size;
    uint8_t *blob = aligned_alloc(ALIGNMENT, (size_t)aligned(*length));
    if (blob && fread(blob, 1, (size_t)*length, f) != *length) {
        free(blob);
        blob = NULL;
    }
    return blob;
}

uint8_t *reference_read(const char *folder, const struct digest *recipe, uint64_t *length)
{
    struct text name = TEXT_INIT;
    reference_file_name(folder, recipe, &name);
    FILE *f = fopen(text_cstr(&name), "rb");
    uint8_t *blob = f ? read_all(f, length) : NULL;
    if (f)
        fclose(f);
    text_release(&name);
    return blob;
}

static bool write_all(const char *path, const uint8_t *blob, uint64_t length)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(blob, 1, (size_t)length, f) == length;
    return (fclose(f) == 0) && ok;
}

bool reference_write(const char *folder, const struct digest *recipe, const uint8_t *blob,
                     uint64_t length, struct error *e)
{
    struct text name = TEXT_INIT, temporary = TEXT_INIT;
    bool ok = folder_make(folder, e);
    reference_file_name(folder, recipe, &name);
    text_addf(&temporary, "%s.%ld", text_cstr(&name), (long)getpid());
    ok = ok &&
         (write_all(text_cstr(&temporary), blob, length) ||
          error_set_driver(e, ERROR_IO, errno, "%s: %s", text_cstr(&temporary), strerror(errno)));
    ok = ok && (rename(text_cstr(&temporary), text_cstr(&name)) == 0 ||
                error_set_driver(e, ERROR_IO, errno, "%s: %s", text_cstr(&name), strerror(errno)));
    if (!ok)
        unlink(text_cstr(&temporary));
    text_release(&name);
    text_release(&temporary);
    return ok;
}
