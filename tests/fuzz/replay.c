// Runs a fuzz target over every file of the folders that are its arguments, so that seeds and found
// cases are tested by any compiler. A crash ends the program; what it was given is on stderr.
#include "base/text.h"
#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <time.h>

// Generous, since the machine may be busy: what is slow is meant to be found by the fuzzer.
#define LIMIT_S 60

// A heap block of the exact length, for a sanitizer to see the first byte read beyond it.
static void run(const struct text *input)
{
    uint8_t *exact = malloc(input->length ? input->length : 1);
    REQUIRE(exact);
    if (input->length)
        memcpy(exact, input->data, input->length);
    LLVMFuzzerTestOneInput(exact, input->length);
    free(exact);
}

static bool run_file(const char *path)
{
    struct text input = TEXT_INIT;
    struct error e = ERROR_INIT;
    fprintf(stderr, "%s\n", path);
    time_t start = time(NULL); // the targets may have a clock of their own
    bool ok = file_read(path, 0, &input, &e);
    if (ok)
        run(&input);
    else
        fprintf(stderr, "%s\n", e.text);
    text_release(&input);
    if (time(NULL) - start <= LIMIT_S)
        return ok;
    fprintf(stderr, "took longer than a minute\n");
    return false;
}

static int run_folder(const char *folder)
{
    struct dirent **names = NULL;
    int run_count = 0, count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        struct text path = TEXT_INIT;
        text_addf(&path, "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && run_count >= 0)
            run_count = run_file(text_cstr(&path)) ? run_count + 1 : -1;
        text_release(&path);
        free(names[i]);
    }
    free(names);
    return run_count;
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int count = run_folder(argv[i]);
        if (count < 0)
            return EXIT_FAILURE;
        total += count;
    }
    printf("%d inputs\n", total);
    return total > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
