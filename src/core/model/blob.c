// Contents by their digest, in memory or in a file.
#include "model/blob.h"

#include <stdlib.h>
#include <string.h>

struct job_blob blob_of(const void *data, uint64_t length)
{
    struct job_blob b = {.data = data, .length = length};
    if (length > 0)
        digest_of(data, (size_t)length, &b.digest);
    return b;
}

bool blob_read(const struct job_blob *b, uint64_t from, void *out, size_t length, struct error *e)
{
    if (from > b->length || length > b->length - from)
        return error_set(e, ERROR_INTERNAL, "contents are read beyond their end");
    if (length == 0)
        return true;
    if (b->data)
        memcpy(out, (const uint8_t *)b->data + from, length);
    else if (!b->file)
        return error_set(e, ERROR_INTERNAL, "contents are read where they are not");
    return b->data || blob_file_read(b->file, b->file->offset + from, out, length, e);
}

// ---- digests -----------------------------------------------------------------------------------

bool blob_digest_contents(const struct job_blob *b, struct digest_state *s, struct error *e)
{
    if (b->data) {
        digest_add(s, b->data, (size_t)b->length);
        return true;
    }
    uint8_t *part = b->length ? malloc(BLOB_PART) : NULL;
    bool ok = part || !b->length || error_memory(e);
    for (uint64_t at = 0; ok && at < b->length; at += BLOB_PART) {
        size_t n = b->length - at < BLOB_PART ? (size_t)(b->length - at) : BLOB_PART;
        ok = blob_read(b, at, part, n, e);
        if (ok)
            digest_add(s, part, n);
    }
    free(part);
    return ok;
}

bool blob_of_file(const struct blob_file *file, struct job_blob *out, struct error *e)
{
    struct digest_state s;
    *out = (struct job_blob){.file = file, .length = file->size - file->offset};
    digest_start(&s);
    if (!blob_digest_contents(out, &s, e))
        return false;
    if (out->length > 0)
        digest_finish(&s, &out->digest);
    return true;
}
