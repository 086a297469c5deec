// Compiled programs as bytes: a magic number, the digest of what follows, then code, names and log. As
// files of a cache they are written under another name and renamed, so that none is seen half.
#include "device/backends/cuda/cuda_code.h"

#include "base/wire.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAGIC     "hone cubin 1\n"
#define FILE_MOST (256u << 20)

void cuda_code_release(struct cuda_code *c)
{
    text_release(&c->code);
    text_release(&c->names);
    text_release(&c->log);
}

void cuda_code_add_name(struct cuda_code *c, const char *asked, const char *lowered)
{
    text_addn(&c->names, asked, strlen(asked) + 1);
    text_addn(&c->names, lowered, strlen(lowered) + 1);
}

const char *cuda_code_name(const struct cuda_code *c, const char *asked)
{
    const char *at = text_cstr(&c->names), *end = at + c->names.length;
    while (at < end) {
        const char *lowered = at + strlen(at) + 1;
        if (lowered >= end)
            break;
        if (strcmp(at, asked) == 0)
            return lowered;
        at = lowered + strlen(lowered) + 1;
    }
    return asked;
}

// ---- bytes: magic, digest of what follows, the three runs

static void run_codec(struct wire *w, struct text *t)
{
    const void *bytes = t->data;
    uint64_t length = t->length;
    wire_bytes(w, &bytes, &length);
    if (w->mode == WIRE_READ && !w->failed)
        text_addn(t, bytes, (size_t)length);
}

static void code_codec(struct wire *w, struct cuda_code *c)
{
    run_codec(w, &c->code);
    run_codec(w, &c->names);
    run_codec(w, &c->log);
}

bool cuda_code_write(const struct cuda_code *c, struct text *out, struct error *e)
{
    struct wire w;
    struct digest digest;
    struct text body = TEXT_INIT;
    struct cuda_code copy = *c; // a codec reads and writes
    wire_writer(&w, &body);
    code_codec(&w, &copy);
    digest_of(text_cstr(&body), body.length, &digest);
    text_add(out, MAGIC);
    text_addn(out, &digest, sizeof digest);
    text_addn(out, text_cstr(&body), body.length);
    bool ok = !body.failed && !out->failed;
    text_release(&body);
    return ok || error_memory(e);
}

static bool is_whole(const char *bytes, size_t length, size_t head)
{
    struct digest said, found;
    if (length < head || memcmp(bytes, MAGIC, strlen(MAGIC)) != 0)
        return false;
    memcpy(&said, bytes + strlen(MAGIC), sizeof said);
    digest_of(bytes + head, length - head, &found);
    return digest_equal(&said, &found);
}

bool cuda_code_read(const void *bytes, size_t length, struct cuda_code *out)
{
    const size_t head = strlen(MAGIC) + sizeof(struct digest);
    struct arena arena;
    struct wire w;
    *out = (struct cuda_code)CUDA_CODE_INIT;
    if (!bytes || !is_whole(bytes, length, head))
        return false;
    arena_init(&arena);
    wire_reader(&w, (const char *)bytes + head, length - head, &arena);
    code_codec(&w, out);
    bool ok = wire_done(&w) && !out->code.failed && !out->names.failed && !out->log.failed &&
              out->code.length > 0;
    // Names are read as terminated strings.
    ok = ok && (out->names.length == 0 || out->names.data[out->names.length - 1] == '\0');
    arena_release(&arena);
    if (!ok) {
        cuda_code_release(out);
        *out = (struct cuda_code)CUDA_CODE_INIT;
    }
    return ok;
}

// ---- files

static void cached_code_name(const char *folder, const struct digest *key, struct text *out)
{
    char hex[65];
    digest_hex(key, hex);
    text_addf(out, "%s/cubin-%.32s", folder, hex);
}

bool cuda_cache_find(const char *folder, const struct digest *key, struct cuda_code *out)
{
    struct text name = TEXT_INIT, bytes = TEXT_INIT;
    *out = (struct cuda_code)CUDA_CODE_INIT;
    if (!folder)
        return false;
    cached_code_name(folder, key, &name);
    bool ok = !name.failed && access(name.data, R_OK) == 0 &&
              file_read(name.data, FILE_MOST, &bytes, NULL) &&
              cuda_code_read(bytes.data, bytes.length, out);
    text_release(&bytes);
    text_release(&name);
    return ok;
}

static bool write_all(const char *path, const struct text *bytes)
{
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool ok = fwrite(bytes->data, 1, bytes->length, f) == bytes->length;
    return fclose(f) == 0 && ok;
}

// Writes under another name and renames, so that readers see the whole file or none.
void cuda_cache_keep(const char *folder, const struct digest *key, const struct cuda_code *c)
{
    struct text name = TEXT_INIT, temporary = TEXT_INIT, bytes = TEXT_INIT;
    if (!folder)
        return;
    cached_code_name(folder, key, &name);
    text_addf(&temporary, "%s.%ld", text_cstr(&name), (long)getpid());
    if (!name.failed && !temporary.failed && cuda_code_write(c, &bytes, NULL) &&
        (!write_all(temporary.data, &bytes) || rename(temporary.data, name.data) != 0))
        unlink(temporary.data);
    text_release(&bytes);
    text_release(&temporary);
    text_release(&name);
}
