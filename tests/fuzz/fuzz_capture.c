// Fuzzes what a stranger may hand on: the log of a capture, a program's table as the layer reads it, and a kernel's text with its
// definitions made defaults. The first two are read whole or in part or not at all; what was read is looked at to its last byte.
#include "fuzz.h"

#include "extras/capture/capture.h"
#include "extras/capture/capture_guard.h"
#include "extras/capture/capture_words.h"
#include "extras/capture/layer/replace_table.h"
#include "known/known_program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void write_input(const char *name, const void *data, size_t size, bool has_sum)
{
    char path[128];
    str_format(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "we");
    REQUIRE(f);
    if (size)
        fwrite(data, 1, size, f);
    if (has_sum)
        fprintf(f, "checksum %016llx\n", (unsigned long long)known_checksum(data, size));
    fclose(f);
}

static void prepare_folder(void)
{
    static struct capture_counts counts = {.magic = CAPTURE_MAGIC};
    if (*folder)
        return;
    strcpy(folder, "/tmp/fuzz-capture-XXXXXX");
    REQUIRE(mkdtemp(folder));
    for (int i = 0; i < 16; i++) {
        counts.shapes[i].key = (uint64_t)i + 1;
        counts.shapes[i].kernel = (uint64_t)i % 3 + 1;
        counts.shapes[i].launches = (uint64_t)i;
    }
    write_input("counts", &counts, sizeof counts, false);
}

static uint64_t look_at_launch(const struct capture_kernel *k, const struct capture_launch *l)
{
    uint64_t sum = strlen(l->key) + strlen(l->device) + capture_changes(l, k->argument_count);
    for (uint32_t i = 0; i < k->argument_count; i++) {
        const struct capture_value *v = &l->values[i];
        for (uint64_t b = 0; v->kind == CAPTURED_VALUE && b < v->bytes; b++)
            sum += v->value[b];
        sum += v->kind == CAPTURED_BUFFER ? strlen(v->before) + strlen(v->after) : 0;
        REQUIRE(v->same < (int64_t)i);
        REQUIRE(v->same < 0 ||
                (v->kind == CAPTURED_BUFFER && l->values[v->same].kind == CAPTURED_BUFFER));
    }
    for (uint32_t i = 0; i < l->symbol_count; i++)
        REQUIRE(*l->symbols[i].name && l->values[l->symbols[i].value].kind == CAPTURED_BUFFER);
    return sum;
}

static void read_capture_log(const uint8_t *data, size_t size)
{
    static struct capture_counts counts;
    struct arena a;
    struct error e = ERROR_INIT;
    struct capture c;
    uint64_t sum = 0;
    write_input("log", data, size, false);
    arena_init(&a);
    if (capture_read(folder, &a, &counts, &c, &e)) {
        for (size_t i = 0; i < c.kernel_count; i++) {
            for (size_t l = 0; l < c.kernels[i].launch_count; l++)
                sum += look_at_launch(&c.kernels[i], &c.kernels[i].launches[l]);
            sum += strlen(c.kernels[i].title);
            REQUIRE(!strchr(c.kernels[i].title, '/'));
        }
    }
    REQUIRE(sum != UINT64_MAX);
    arena_release(&a);
}

// What stands in a text as a variable, and a symbol's own name, lies in it.
static void look_for_variables(const char *text)
{
    size_t length, found = 0;
    const char *end = text + strlen(text), *name = capture_symbol_name(text, &length);
    REQUIRE(name >= text && name + length <= end);
    for (struct capture_variables v = {.at = text}; capture_next_variable(&v); found++)
        REQUIRE(v.length > 0 && v.name + v.length <= v.at && v.at <= end && found < strlen(text));
}

static void guard_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    REQUIRE(text);
    memcpy(text, data, size);
    text[size] = 0;
    char *guarded = capture_guard_text(text), *again = capture_guard_text(guarded);
    look_for_variables(text);
    REQUIRE(strlen(guarded) >= strlen(text) && strcmp(again, guarded) == 0);
    free(again);
    free(guarded);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char first[] = "hone-program";
    char path[128];
    prepare_folder();
    if (size > 0 && (*data == '#' || *data == '\n' || *data == ' ')) {
        guard_text(data, size);
        return 0;
    }
    if (size < sizeof first || memcmp(data, first, sizeof first - 1) != 0) {
        read_capture_log(data, size);
        return 0;
    }
    write_input("table", data, size, true);
    str_format(path, sizeof path, "%s/table\n", folder);
    layer_replace_open(path);
    return 0;
}
