// What --on, --nodes and Slurm's list say: the input is the text of --on, behind its first zero byte that of --nodes, and
// behind the next the list. Beyond not crashing: no word of a launcher that comes from a name can be an option, names differ,
// and every command line ends in the worker and --node.
#include "base/text.h"
#include "fuzz.h"
#include "extras/nodes/launchers.h"

#include <stdlib.h>
#include <string.h>

static void check_launcher(const struct launcher *l)
{
    uint32_t count = 0;
    if (!l->argv) {
        REQUIRE(l->name[0] == '\0');
        return;
    }
    while (l->argv[count])
        count++;
    REQUIRE(count >= 3 && str_equal(l->argv[count - 1], "--node") &&
            str_equal(l->argv[count - 2], "worker"));
    if (str_equal(l->argv[0], "ssh") && str_equal(l->argv[1], "-oBatchMode=yes") && count == 6)
        REQUIRE(str_equal(l->argv[2], "--") && launcher_name_fits(l->argv[3], strlen(l->argv[3])));
    if (str_equal(l->argv[0], "srun") && count == 11 && str_equal(l->argv[6], "-w"))
        REQUIRE(launcher_name_fits(l->argv[7], strlen(l->argv[7])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 3);
    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    memset(text + size, 0, 3);
    const char *nodes = text + strlen(text) + 1;
    nodes = nodes <= text + size ? nodes : text + size;
    const char *list = nodes + strlen(nodes) + 1;
    list = list <= text + size ? list : text + size;
    const char *const texts[] = {text};
    const struct launchers_given given = {.option = "--on",
                                          .texts = texts,
                                          .text_count = 1,
                                          .nodes = nodes[0] ? nodes : NULL,
                                          .worker = "worker",
                                          .allocation = list};
    struct launchers found;
    struct arena arena;
    struct error e = ERROR_INIT;
    arena_init(&arena);
    bool ok = launchers_read(&given, &arena, &found, &e);
    REQUIRE(ok ? e.code == ERROR_NONE && found.count > 0 : e.code != ERROR_NONE);
    for (uint32_t i = 0; ok && i < found.count; i++) {
        check_launcher(&found.list[i]);
        for (uint32_t k = 0; k < i; k++)
            REQUIRE(!str_equal(found.list[i].name, found.list[k].name));
    }
    arena_release(&arena);
    free(text);
    return 0;
}
