// Archives of `hone store import`. Beyond not crashing: what is handed out lies within the bytes and leads nowhere else, and
// is written and read back as the same; what is refused says in which file.
#include "base/arena.h"
#include "extras/formats/ustar.h"
#include "fuzz.h"

#include <string.h>

#define NAME "bundle.tar"

static void check_entry(const struct ustar_entry *f, const char *bytes, size_t size)
{
    const char *name = f->name;
    REQUIRE(*name && *name != '/' && !strstr(name, "//"));
    REQUIRE(strcmp(name, "..") != 0 && strncmp(name, "../", 3) != 0 && !strstr(name, "/../"));
    REQUIRE(f->bytes >= bytes && f->bytes <= bytes + size);
    REQUIRE(f->length <= (size_t)(bytes + size - f->bytes));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error e = ERROR_INIT;
    struct arena a;
    struct text again = TEXT_INIT;
    struct ustar_entry *list, *other;
    size_t count, other_count;
    const char *bytes = size ? (const char *)data : "";
    arena_init(&a);
    bool ok = ustar_read(NAME, bytes, size, &a, &list, &count, &e);
    REQUIRE(ok == (e.code == ERROR_NONE));
    REQUIRE(ok || e.code == ERROR_MEMORY || str_starts(e.text, NAME ": "));
    for (size_t i = 0; ok && i < count; i++) {
        check_entry(&list[i], bytes, size);
        REQUIRE(ustar_add(list[i].name, list[i].bytes, (size_t)list[i].length, 0, &again, &e));
    }
    ustar_end(&again);
    if (ok) {
        REQUIRE(ustar_read(NAME, again.data, again.length, &a, &other, &other_count, &e));
        REQUIRE(other_count == count);
        for (size_t i = 0; i < count; i++) {
            REQUIRE(strcmp(list[i].name, other[i].name) == 0 && list[i].length == other[i].length);
            REQUIRE(memcmp(list[i].bytes, other[i].bytes, (size_t)list[i].length) == 0);
        }
    }
    text_release(&again);
    arena_release(&a);
    return 0;
}
