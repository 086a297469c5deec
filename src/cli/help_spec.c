// `hone help spec`: what a spec is, its keys, and one key alone, from the tables of keys.
#include "cli/console.h"
#include "cli/help.h"

#include "problem/spec.h"

#include <string.h>

#define WIDTH  77
#define INDENT 6

static const char about[] =
    "A spec is a JSON file that names a kernel, its parameters with their values and restrictions, "
    "its sizes and arguments, and how its results are verified. `hone init KERNEL.cl` writes one "
    "to begin with. In its short form:\n\n"
    "  {\n"
    "    \"kernel\": \"saxpy.cl\",                       // comments are fine\n"
    "    \"constants\": {\"n\": 1048576},\n"
    "    \"parameters\": {\"GROUP\": [32, 64, 128], \"PER_ITEM\": [1, 2, 4]},\n"
    "    \"restrictions\": [\"n % (GROUP * PER_ITEM) == 0\"],\n"
    "    \"global\": [\"n // PER_ITEM\"], \"local\": [\"GROUP\"],\n"
    "    \"arguments\": {\"y\": {\"size\": \"n\", \"expect\": \"a * x[i] + y[i]\"},\n"
    "                  \"x\": {\"size\": \"n\"}, \"a\": 2.0, \"n\": \"n\"},\n"
    "    \"metrics\": {\"GB/s\": \"12 * n / time_ns\"},\n"
    "  }\n\n"
    "What the kernel's source says need not be repeated: its name, the order and types of its "
    "arguments, which of them are only read or only written. Everything else that is left out has "
    "the default below. Sizes, values and restrictions are expressions, Python's, over constants, "
    "parameters, derived values and facts of the device.\n\n"
    "The long form is T1, the format of other tuners, with keys of hone's own; its keys may stand "
    "in the short form, too. `hone help --print schema` prints a JSON schema of both, by which "
    "editors complete keys and explain them: name its file in the spec, \"$schema\": "
    "\"hone.schema.json\".\n\n"
    "A spec and its kernel are code. Compiling and running them on a CPU device can do what you "
    "can: read and write your files, use the network, start programs; on a GPU a kernel can read "
    "what others left in its memory and hang the card. A spec names the files that are read and "
    "the compiler's options. hone keeps crashes and endless loops away from itself; it is not "
    "a sandbox. Read what you were given before you tune it, or run it as a user, or in a "
    "container, "
    "that may lose everything. Stores and recordings are only read: they run nothing.\n\n";

// "  arguments.*.size  expression", then what it means.
static void put_key(const struct spec_key *key, struct text *out)
{
    struct text words = TEXT_INIT;
    text_addf(out, "  %s  (%s", key->path, key->type);
    if (strcmp(key->fallback, "required") == 0)
        text_add(out, "; required");
    text_add(out, ")\n");
    text_add(&words, key->meaning);
    if (strcmp(key->fallback, "required") != 0 && strcmp(key->fallback, "-") != 0)
        text_addf(&words, " (default: %s)", key->fallback);
    text_addf(out, "%*s", INDENT, "");
    help_wrap(text_cstr(&words), words.length, INDENT, INDENT, WIDTH, out);
    out->failed |= words.failed;
    text_release(&words);
}

static void put_keys(const char *title, const struct spec_key *keys, size_t count, struct text *out)
{
    text_addf(out, "%s:\n\n", title);
    for (size_t i = 0; i < count; i++)
        put_key(&keys[i], out);
    text_add(out, "\n");
}

// The last part of a path, without what marks a list.
static bool is_called(const struct spec_key *key, const char *name)
{
    const char *dot = strrchr(key->path, '.');
    return str_equal_nocase(key->path, name) || str_equal_nocase(dot ? dot + 1 : key->path, name);
}

static uint32_t put_keys_named(const struct spec_key *keys, size_t count, const char *name,
                               struct text *out)
{
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_called(&keys[i], name))
            continue;
        put_key(&keys[i], out);
        if (keys[i].t1)
            text_addf(out, "%*sIn T1: %s\n", INDENT, "", keys[i].t1);
        if (keys[i].block)
            text_addf(out, "%*sAlso allowed in a launch, a language and a reference.\n", INDENT,
                      "");
        found++;
    }
    return found;
}

static bool refuse_key(const char *name)
{
    size_t count, more, used = 0;
    const struct spec_key *keys = spec_short_keys(&count), *t1 = spec_keys(&more);
    const char *names[512];
    for (size_t i = 0; i < count + more && used < 512; i++) {
        const char *path = i < count ? keys[i].path : t1[i - count].path;
        const char *dot = strrchr(path, '.');
        names[used++] = dot ? dot + 1 : path;
    }
    const char *near = str_nearest(name, names, used);
    complain("a spec has no key '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "; `hone help spec` lists them");
    return false;
}

bool help_spec(const char *const *words, struct text *out)
{
    size_t count, more;
    const struct spec_key *keys = spec_short_keys(&count), *t1 = spec_keys(&more);
    bool is_all = words[0] && strcmp(words[0], HELP_SPEC_ALL) == 0;
    if (words[0] && !is_all) {
        uint32_t found = put_keys_named(keys, count, words[0], out);
        found += put_keys_named(t1, more, words[0], out);
        return found > 0 || refuse_key(words[0]);
    }
    text_add(out, about);
    put_keys("The keys of the short form", keys, count, out);
    if (is_all)
        put_keys("The keys of T1 and hone's own", t1, more, out);
    else
        text_add(out, "`hone help spec KEY` explains one of them, or of the long form; `hone help "
                      "spec " HELP_SPEC_ALL "` lists all, as hone-spec(5) does.");
    return true;
}
