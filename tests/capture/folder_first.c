// Linked into a program that has the layer in it: makes the folder of a capture before the layer looks for it, as `hone capture` does.
#include "extras/capture/capture_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((constructor(101))) static void make_folder(void)
{
    static const uint64_t magic = CAPTURE_MAGIC;
    const char *folder = getenv("HONE_CAPTURE_FOLDER");
    char path[4096];
    if (!folder || mkdir(folder, 0700) != 0)
        return;
    snprintf(path, sizeof path, "%s/data", folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/counts", folder);
    FILE *f = fopen(path, "wb");
    if (!f)
        return;
    if (fwrite(&magic, sizeof magic, 1, f) != 1 || fflush(f) != 0 ||
        ftruncate(fileno(f), sizeof(struct capture_counts)) != 0)
        fprintf(stderr, "%s cannot be written\n", path);
    fclose(f);
}
