// Lays out a program's included files in a folder named by the digest of its files. A path that would
// leave the folder is refused, for the job came over a channel.
#include "device/include_tree.h"

#include "base/digest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The job came over a channel: a path that leaves the tree is refused here too.
static bool stays_inside(const char *path)
{
    if (*path == '/' || *path == '\0')
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (str_starts(part, "..") && (part[2] == '/' || part[2] == '\0'))
            return false;
    }
    return true;
}

static bool write_file(const char *path, const void *text, uint64_t length, struct error *e)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(text, 1, (size_t)length, f) == length;
    ok = (!f || fclose(f) == 0) && ok;
    return ok || error_set_driver(e, ERROR_IO, errno, "%s: %s", path, strerror(errno));
}

static bool lay_out_file(const char *root, const struct job_file *f, struct error *e)
{
    struct text path = TEXT_INIT;
    if (!stays_inside(f->path))
        return error_set(e, ERROR_INPUT, "included file '%s' lies outside its tree", f->path);
    text_addf(&path, "%s/%s", root, f->path);
    char *slash = path.failed ? NULL : strrchr(path.data, '/');
    bool ok = slash || error_memory(e);
    if (ok) {
        *slash = '\0';
        ok = folder_make(path.data, e);
        *slash = '/';
    }
    ok = ok && write_file(path.data, f->text, f->length, e);
    text_release(&path);
    return ok;
}

bool include_tree(const struct job_program *p, const char *scratch, struct text *out,
                  struct error *e)
{
    struct digest digest;
    char hex[65];
    if (p->file_count == 0 && p->folder_count == 0)
        return true;
    struct digest_state s;
    digest_start(&s);
    for (uint32_t i = 0; i < p->file_count; i++) {
        uint64_t lengths[2] = {strlen(p->files[i].path), p->files[i].length};
        digest_add(&s, lengths, sizeof lengths);
        digest_add(&s, p->files[i].path, (size_t)lengths[0]);
        digest_add(&s, p->files[i].text, (size_t)lengths[1]);
    }
    digest_finish(&s, &digest);
    digest_hex(&digest, hex);
    text_addf(out, "%s/%.32s", scratch, hex);
    if (out->failed)
        return error_memory(e);
    // Files of one digest never differ, and overwriting them with themselves is cheap.
    bool ok = folder_make(out->data, e);
    for (uint32_t i = 0; ok && i < p->file_count; i++)
        ok = lay_out_file(out->data, &p->files[i], e);
    for (uint32_t i = 0; ok && i < p->folder_count; i++) {
        struct text folder = TEXT_INIT;
        text_addf(&folder, "%s/%s", out->data, p->folders[i]);
        ok = (!*p->folders[i] || stays_inside(p->folders[i])) && folder_make(text_cstr(&folder), e);
        text_release(&folder);
    }
    if (!ok)
        return error_context(e, "files included by %s", p->name);
    return true;
}
