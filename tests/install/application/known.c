/* known FILE DEVICE SIZE...: what a table of `hone deploy --format known` says for a device and a shape. */
#include <hone_known.h>

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char text[1000];
    int64_t shape[16] = {0};
    uint32_t best, columns;
    hone_known *table = argc > 3 ? hone_known_open(argv[1], text, sizeof text) : NULL;
    if (!table) {
        fprintf(stderr, "%s\n", argc > 3 ? text : "known FILE DEVICE SIZE...");
        return EXIT_FAILURE;
    }
    const hone_known_device device = {argv[2], NULL, NULL, 0};
    for (columns = 0; columns < 16 && (int)columns + 3 < argc; columns++)
        shape[columns] = strtoll(argv[3 + columns], NULL, 10);
    int found = hone_known_best(table, &device, shape, columns, &best);
    if (found == 1) {
        hone_known_options(table, &device, best, shape, text, sizeof text);
        printf("%s: %s\n", hone_known_text(table, best), text);
    }
    hone_known_why(table, &device, shape, columns, text, sizeof text);
    printf("%s\n", text);
    hone_known_close(table);
    return found == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
