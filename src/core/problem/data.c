// Reads data files without loading them whole: the header of an .npy file is read for type and
// shape, the contents are digested in parts, and sent to a worker in parts again.
#include "problem/data.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC        "\x93NUMPY"
#define MAGIC_LENGTH ((size_t)6)
#define HEADER_MOST  (1u << 20)
#define THREADS_MOST 8          // that hash
#define THREAD_WORTH (1u << 20) // bytes of a file

static bool no_npy(const struct data_file *d, const char *why, struct error *e)
{
    return error_set(e, ERROR_INPUT, "%s: is no .npy file hone reads: %s", d->path, why);
}

// The text behind 'key': in the header's dictionary, blanks skipped; NULL when there is none.
static const char *header_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at, ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

// '<f4': little-endian (or without an order), a kind, its bytes.
static bool read_npy_type(struct data_file *d, const char *header, struct error *e)
{
    const char *at = header_value(header, "'descr'");
    if (!at || at[0] != '\'' || !strchr("<|=", at[1]) || at[1] == '\0')
        return no_npy(d, "its elements must be little-endian numbers", e);
    size_t length = strcspn(at + 2, "'");
    if (length < 2 || length >= sizeof d->type)
        return no_npy(d, "its element type is unknown", e);
    memcpy(d->type, at + 2, length);
    d->type[length] = '\0';
    return true;
}

// MAGIC, version, header length (2 bytes in version 1, else 4), header, elements. `bytes` is how
// the file begins.
static bool read_npy(struct data_file *d, const unsigned char *bytes, size_t length,
                     struct arena *a, struct error *e)
{
    size_t wide = length > MAGIC_LENGTH && bytes[MAGIC_LENGTH] > 1 ? 4 : 2;
    size_t start = MAGIC_LENGTH + 2 + wide, size = 0;
    if (length < start || memcmp(bytes, MAGIC, MAGIC_LENGTH) != 0)
        return no_npy(d, "it does not begin like one", e);
    for (size_t i = 0; i < wide; i++)
        size |= (size_t)bytes[MAGIC_LENGTH + 2 + i] << (8 * i);
    if (size > d->file.size - start)
        return no_npy(d, "it ends inside its header", e);
    if (size > length - start)
        return no_npy(d, "its header is longer than any that NumPy writes", e);
    const unsigned char *nul = size > 0 ? memchr(bytes + start, '\0', size) : NULL;
    if (nul)
        return error_set(e, ERROR_INPUT, "%s: byte %zu: a NUL byte in the header of an .npy file",
                         d->path, (size_t)(nul - bytes) + 1);
    const char *header = arena_strndup(a, (const char *)bytes + start, size);
    if (!header)
        return error_memory(e);
    d->npy = true;
    d->file.offset = start + size;
    // The product of the shape: (256, 256).
    if (!read_npy_type(d, header, e))
        return false;
    const char *at = header_value(header, "'shape'");
    const char *order = header_value(header, "'fortran_order'");
    if (!at || *at != '(' || !order)
        return no_npy(d, "its header is incomplete", e);
    if (strncmp(order, "False", 5) != 0)
        return no_npy(d, "it is stored by columns; save it with order='C'", e);
    bool is_first = true;
    d->components = d->rows = 1;
    for (at++; *at && *at != ')';) {
        char *end;
        unsigned long long axis = strtoull(at, &end, 10);
        if (end == at || __builtin_mul_overflow(d->components, axis, &d->components))
            return no_npy(d, "its shape makes no sense", e);
        d->rows = is_first ? axis : d->rows;
        is_first = false;
        at = end + strspn(end, ", ");
    }
    return true;
}

// How the file begins, at most HEADER_MOST bytes.
static bool read_npy_header(struct data_file *d, struct arena *a, struct error *e)
{
    size_t length = d->file.size < HEADER_MOST ? (size_t)d->file.size : HEADER_MOST;
    unsigned char *bytes = malloc(length + 1);
    bool ok = bytes || error_memory(e);
    ok = ok && blob_file_read(&d->file, 0, bytes, length, e) && read_npy(d, bytes, length, a, e);
    free(bytes);
    return ok;
}

// Few elements are held in memory.
static bool keep_small(struct data_file *d, struct arena *a, struct error *e)
{
    if (d->blob.length > BLOB_SMALL)
        return true;
    void *bytes = arena_alloc(a, (size_t)d->blob.length + 1);
    if (!bytes)
        return error_memory(e);
    if (!blob_read(&d->blob, 0, bytes, (size_t)d->blob.length, e))
        return false;
    d->blob.data = bytes;
    d->blob.file = NULL;
    // The digest is that of the bytes held, whatever became of the file meanwhile.
    digest_of(bytes, (size_t)d->blob.length, &d->blob.digest);
    return true;
}

struct spec_digest {
    struct blob_file file;
    struct digest digest; // of the contents from the file's offset on
    struct spec_digest *next;
};

void spec_digests_release(struct spec_digests *d)
{
    arena_release(&d->arena);
    d->first = NULL;
}

static struct spec_digest *find_digest(struct spec_digests *known, const struct blob_file *f)
{
    struct spec_digest *n = known ? known->first : NULL;
    while (n && (n->file.device != f->device || n->file.inode != f->inode ||
                 n->file.size != f->size || n->file.offset != f->offset ||
                 n->file.modified_s != f->modified_s || n->file.modified_ns != f->modified_ns))
        n = n->next;
    return n;
}

// Without memory the file is hashed again the next time.
static void note_digest(struct spec_digests *known, const struct data_file *d)
{
    struct spec_digest *n = known ? arena_alloc(&known->arena, sizeof *n) : NULL;
    if (!n)
        return;
    *n = (struct spec_digest){d->file, d->blob.digest, known->first};
    known->first = n;
}

bool data_look(const char *path, struct arena *a, struct data_file *out, struct error *e)
{
    size_t length = strlen(path);
    bool npy = length > 4 && strcmp(path + length - 4, ".npy") == 0;
    *out = (struct data_file){.path = arena_strdup(a, path)};
    if (!out->path)
        return error_memory(e);
    return blob_file_look(out->path, &out->file, e) && (!npy || read_npy_header(out, a, e));
}

// ---- several, beside each other ------------------------------------------------------------------

// State that the threads share: each takes the next reading that has no digest.
struct hashing {
    struct data_reading *list;
    const bool *wanted;
    size_t count;
    atomic_size_t next;
};

static void *hash_files(void *context)
{
    struct hashing *h = context;
    for (size_t i; (i = atomic_fetch_add(&h->next, 1)) < h->count;) {
        struct data_reading *r = &h->list[i];
        if (h->wanted[i])
            r->ok = blob_of_file(&r->file->file, &r->file->blob, &r->e);
    }
    return NULL;
}

// This thread takes part, so that all is read if no other can be started.
static void hash_beside(struct hashing *h, size_t large)
{
    pthread_t threads[THREADS_MOST - 1];
    size_t started = 0;
    while (started + 1 < large && started < THREADS_MOST - 1 &&
           pthread_create(&threads[started], NULL, hash_files, h) == 0)
        started++;
    hash_files(h);
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

void data_read_all(struct data_reading *list, size_t count, struct arena *a,
                   struct spec_digests *known)
{
    bool *wanted = calloc(count + 1, sizeof *wanted);
    size_t large = 0;
    for (size_t i = 0; i < count; i++) {
        struct data_file *d = list[i].file;
        const struct spec_digest *same = find_digest(known, &d->file);
        list[i].e = (struct error)ERROR_INIT;
        list[i].ok = wanted || error_memory(&list[i].e);
        if (same)
            d->blob = (struct job_blob){
                .file = &d->file, .length = d->file.size - d->file.offset, .digest = same->digest};
        else if (wanted)
            wanted[i] = true;
        large += !same && d->file.size > THREAD_WORTH;
    }
    struct hashing h = {.list = list, .wanted = wanted, .count = wanted ? count : 0};
    hash_beside(&h, large);
    for (size_t i = 0; i < count; i++) {
        if (list[i].ok && wanted && wanted[i])
            note_digest(known, list[i].file);
        list[i].ok = list[i].ok && keep_small(list[i].file, a, &list[i].e);
    }
    free(wanted);
}

static char npy_kind(enum scalar s)
{
    if (s == SCALAR_BOOL)
        return 'b';
    if (s == SCALAR_BFLOAT16 || s == SCALAR_E4M3) // NumPy has no names for them
        return 'V';
    return scalar_is_float(s) ? 'f' : scalar_is_signed(s) ? 'i' : 'u';
}

bool data_element(const struct data_file *d, struct element *out)
{
    for (unsigned s = 0; s < SCALAR_CUSTOM; s++) {
        char type[8];
        *out = (struct element){.scalar = (enum scalar)s, .width = 1};
        snprintf(type, sizeof type, "%c%u", npy_kind(out->scalar),
                 (unsigned)scalar_bytes(out->scalar));
        if (d->npy && strcmp(type, d->type) == 0)
            return true;
    }
    return false;
}

bool data_fits(const struct data_file *d, const struct element *el, uint64_t count, struct error *e)
{
    uint64_t bytes = count * element_bytes(el);
    char name[24], type[8];
    element_name(el, name);
    snprintf(type, sizeof type, "%c%u", npy_kind(el->scalar), (unsigned)scalar_bytes(el->scalar));
    if (d->npy && el->scalar != SCALAR_CUSTOM && strcmp(type, d->type) != 0)
        return error_set(e, ERROR_INPUT, "%s: holds elements of type %s, but %s is %s", d->path,
                         d->type, name, type);
    if (d->npy && el->scalar != SCALAR_CUSTOM &&
        (d->components > d->blob.length ||
         d->components * scalar_bytes(el->scalar) != d->blob.length))
        return error_set(e, ERROR_INPUT,
                         "%s: its header says %llu elements of %u bytes, but %llu bytes follow",
                         d->path, (unsigned long long)d->components,
                         (unsigned)scalar_bytes(el->scalar), (unsigned long long)d->blob.length);
    if (d->blob.length == bytes)
        return true;
    return error_set(e, ERROR_INPUT, "%s: holds %llu bytes, but %llu elements of type %s take %llu",
                     d->path, (unsigned long long)d->blob.length, (unsigned long long)count, name,
                     (unsigned long long)bytes);
}
