// Keeps the assembler's part of NVIDIA's build logs in a file named by the digest of the PTX, since a
// driver whose cache knows the program says nothing.
#include "device/backends/opencl/opencl_log.h"

#include "base/digest.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ASSEMBLER "ptxas info"

static void write_log(const char *path, const struct text *log)
{
    struct text temporary = TEXT_INIT;
    text_addf(&temporary, "%s.%ld", path, (long)getpid());
    FILE *f = fopen(text_cstr(&temporary), "wb");
    bool ok = f && fwrite(log->data, 1, log->length, f) == log->length;
    ok = f && fclose(f) == 0 && ok;
    if (!ok || rename(text_cstr(&temporary), path) != 0)
        unlink(text_cstr(&temporary));
    text_release(&temporary);
}

void opencl_log_complete(const char *folder, const void *ptx, size_t length, struct text *log)
{
    struct digest d;
    char hex[65];
    struct text path = TEXT_INIT, kept = TEXT_INIT;
    if (!folder || length == 0)
        return;
    digest_of(ptx, length, &d);
    digest_hex(&d, hex);
    text_addf(&path, "%s/assembler-%.32s.log", folder, hex);
    if (strstr(text_cstr(log), ASSEMBLER)) {
        if (access(text_cstr(&path), F_OK) != 0)
            write_log(text_cstr(&path), log);
    } else if (file_read(text_cstr(&path), 1 << 20, &kept, NULL)) {
        text_addn(log, kept.data, kept.length);
    }
    text_release(&kept);
    text_release(&path);
}
