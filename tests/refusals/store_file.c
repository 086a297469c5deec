// store_file KIND FILE: makes a file that hone must not take for a store of its own, or not write.
#include "base/error.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static bool execute(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    bool ok = sqlite3_open(path, &db) == SQLITE_OK &&
              sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    if (!ok)
        fprintf(stderr, "%s: %s\n", path, sqlite3_errmsg(db));
    sqlite3_close(db);
    return ok;
}

// A store without results, in one file.
static bool make_good(const char *path)
{
    struct error e = ERROR_INIT;
    struct store *store = store_open(path, STORE_WRITE, &e);
    if (!store)
        fprintf(stderr, "%s\n", e.text);
    store_close(store);
    return store && execute(path, "PRAGMA journal_mode = DELETE");
}

static bool make_foreign(const char *path)
{
    return execute(path, "CREATE TABLE photo (title TEXT); INSERT INTO photo VALUES ('sea')");
}

static bool make_newer(const char *path)
{
    return make_good(path) && execute(path, "PRAGMA user_version = 999");
}

// Its tables' pages hold something else; the first one is whole.
static bool make_damaged(const char *path)
{
    char noise[8192];
    if (!make_good(path))
        return false;
    FILE *file = fopen(path, "r+b");
    if (!file)
        return false;
    memset(noise, 0xa5, sizeof noise);
    bool ok = fseek(file, 4096, SEEK_SET) == 0 && fwrite(noise, sizeof noise, 1, file) == 1;
    return fclose(file) == 0 && ok;
}

static const struct {
    const char *name;
    bool (*make)(const char *path);
} kinds[] = {
    {"good", make_good},
    {"foreign", make_foreign},
    {"newer", make_newer},
    {"damaged", make_damaged},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, argv[1]) == 0)
            return !kinds[i].make(argv[2]);
    }
    fprintf(stderr, "usage: store_file good|foreign|newer|damaged FILE\n");
    return 2;
}
