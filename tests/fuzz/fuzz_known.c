// Fuzzes libhone-known: a `.hone` file of anything, with a checksum that is right, is refused or answers every question
// without reading what is not its own and without an end.
#include "fuzz.h"

#include "known/known_program.h"

#include <hone_known.h>

#include <stdio.h>
#include <stdlib.h>

static void ask_configuration(const hone_known *k, const hone_known_device *d,
                              uint32_t configuration, const int64_t *shape)
{
    char text[64];
    const char *const *names;
    hone_known_launch launch;
    uint32_t launches = hone_known_launches(k, configuration),
             arguments = hone_known_arguments(k, &names);
    hone_known_options(k, d, configuration, shape, text, sizeof text);
    hone_known_value(k, configuration, "block", text, sizeof text);
    hone_known_target(k, d, configuration, shape);
    for (uint32_t i = 0; i <= launches && i < 20; i++)
        hone_known_geometry(k, d, configuration, i, shape, &launch);
    for (uint32_t i = 0; i <= arguments && i < 20; i++)
        hone_known_bytes(k, d, configuration, i, shape);
}

static void ask_table(const hone_known *k)
{
    static const hone_known_device devices[] = {{"Card A", "Vendor", "sm_90", 12},
                                                {"GPU-b", "", "", 0},
                                                {NULL, "Vendor", "", -5},
                                                {"x", "", "arch_1", 99}};
    static const int64_t sizes[] = {1, 64, 4096, INT64_MAX, 0, -7};
    char text[64];
    const char *const *names;
    uint32_t columns = hone_known_columns(k, &names), configurations = hone_known_configurations(k),
             best;
    for (size_t i = 0; i < 4 * 6; i++) {
        int64_t shape[16];
        for (size_t c = 0; c < 16; c++)
            shape[c] = sizes[(i + c * (i / 6)) % 6];
        if (hone_known_best(k, &devices[i % 4], shape, columns, &best) == 1 &&
            best >= configurations)
            abort();
        hone_known_why(k, &devices[i % 4], shape, columns, text, sizeof text);
        for (uint32_t c = 0; c <= configurations && c < 8; c++)
            ask_configuration(k, &devices[i % 4], c, shape);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[100];
    char *text = malloc(size + 64);
    if (!text)
        return 0;
    if (size)
        memcpy(text, data, size);
    int length = snprintf(text + size, 64, "checksum %016llx\n",
                          (unsigned long long)known_checksum(text, size));
    hone_known *k = hone_known_read(text, size + (size_t)length, error, sizeof error);
    free(text); // it was copied
    if (k)
        ask_table(k);
    hone_known_close(k);
    k = hone_known_read(data, size, error, sizeof error);
    if (k)
        ask_table(k);
    hone_known_close(k);
    return 0;
}
