// The stream of hone judge --serve: any bytes, as its standard input. Files are not touched: what is written is kept, and nothing else can
// be read. Beyond not crashing: each line is a candidate or a line that says what is wrong, both at most once; the spec of a
// candidate is the judge's but for the file of its kernel and values of parameters.
#include "extras/judge/judge_serve.h"
#include "fuzz.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPEC                                                                                       \
    "{\"ConfigurationSpace\":{\"TuningParameters\":[{\"Name\":\"B\",\"Values\":\"[1,2]\","         \
    "\"Default\":1},"                                                                              \
    "{\"Name\":\"T\",\"Values\":\"[1,2]\"}]},\"KernelSpecification\":{\"KernelFile\":\"own.cl\","  \
    "\"Arguments\":[{\"Name\":\"y\",\"Size\":\"N\"}]}}"

// ---- files, in place of those of the system ------------------------------------------------------

static char *written_path;
static struct text written;

bool __wrap_file_replace(const char *path, const struct text *content, struct error *e);
bool __wrap_file_read_text(const char *path, size_t limit, struct text *out, struct error *e);

bool __wrap_file_replace(const char *path, const struct text *content, struct error *e)
{
    free(written_path);
    written_path = strdup(path);
    text_clear(&written);
    text_addn(&written, text_cstr(content), content->length);
    return (written_path && !written.failed) || error_memory(e);
}

bool __wrap_file_read_text(const char *path, size_t limit, struct text *out, struct error *e)
{
    if (!written_path || !str_equal(path, written_path) || written.length > limit)
        return error_set(e, ERROR_IO, "'%s' is not there", path);
    text_clear(out);
    text_addn(out, text_cstr(&written), written.length);
    return str_has_no_nul(path, text_cstr(out), out->length, e);
}

// ---- what comes of the lines -------------------------------------------------------------------

static void check_spec(const struct candidate *c)
{
    struct text made = TEXT_INIT;
    struct error e = ERROR_INIT;
    if (candidate_spec(c, SPEC, strlen(SPEC), LANGUAGE_OPENCL, &made, &e)) {
        json_t *own = json_loads(SPEC, 0, NULL), *its = json_loads(text_cstr(&made), 0, NULL);
        json_t *kernel = json_object_get(its, "KernelSpecification");
        REQUIRE(own && its && json_object_size(its) == json_object_size(own));
        REQUIRE(str_equal(json_string_value(json_object_get(kernel, "KernelFile")), c->path));
        REQUIRE(
            json_equal(json_object_get(kernel, "Arguments"),
                       json_object_get(json_object_get(own, "KernelSpecification"), "Arguments")));
        json_decref(own);
        json_decref(its);
    } else {
        REQUIRE(e.code != ERROR_NONE);
    }
    text_release(&made);
}

// Each variant has values without lists.
static void check_variants(const struct candidate *c)
{
    struct arena a;
    arena_init(&a);
    const uint32_t count = candidate_variants(c, 8);
    REQUIRE(count >= 1 && count <= 8);
    for (uint32_t i = 0; i < count; i++) {
        const char *own = candidate_values(c, i, count, &a);
        REQUIRE(own && strlen(own) <= 2 * strlen(c->values));
        struct candidate one = *c;
        one.values = own;
        REQUIRE(candidate_variants(&one, 8) == 1);
        check_spec(&one);
    }
    arena_release(&a);
}

static size_t check_wrong(const struct text *wrong)
{
    const char *at = text_cstr(wrong), *end;
    size_t count = 0;
    for (; (end = strchr(at, '\n')); at = end + 1, count++) {
        json_t *line = json_loadb(at, (size_t)(end - at), 0, NULL);
        REQUIRE(json_string_value(json_object_get(line, "message")));
        json_decref(line);
    }
    REQUIRE(!*at);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct serving s = {.folder = "/dev/null/nowhere", .language = LANGUAGE_OPENCL};
    size_t lines = 1, found = 0;
    bool more = true;
    s.input = memfd_create("input", MFD_CLOEXEC);
    if (s.input < 0 || write(s.input, data, size) != (ssize_t)size || lseek(s.input, 0, SEEK_SET))
        return 0;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    while (more) {
        struct candidates all;
        struct text wrong = TEXT_INIT;
        struct error e = ERROR_INIT;
        candidates_init(&all);
        more = serving_batch(&s, &all, &wrong, &e);
        REQUIRE(more || all.count == 0 || e.code != ERROR_NONE || s.ended);
        found += all.count + check_wrong(&wrong);
        for (size_t i = 0; i < all.count; i++) {
            REQUIRE(all.list[i]->name && (all.list[i]->text || all.list[i]->why));
            if (all.list[i]->text)
                check_variants(all.list[i]);
        }
        candidates_release(&all);
        text_release(&wrong);
    }
    REQUIRE(found <= lines);
    serving_release(&s);
    close(s.input);
    text_release(&written);
    free(written_path);
    written_path = NULL;
    return 0;
}
