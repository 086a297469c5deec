// Turns --on into command lines: one a node, made without a shell. A name goes to srun and ssh as a
// word of its own and can neither be an option nor more than a name; ssh alone hands the agent's
// command to the other side's shell, for which it is quoted.
#include "extras/nodes/launchers.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MOST  255
#define WORDS_MOST 256

bool launcher_name_fits(const char *name, size_t length)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]@";
    return length > 0 && length <= NAME_MOST && name[0] != '-' && strspn(name, allowed) >= length;
}

// ---- words of a command ------------------------------------------------------------------------

// One word from `at` on; *next is behind it. False: a quote is not closed, or nothing follows a backslash.
static bool read_word(const char *at, struct text *out, const char **next)
{
    char quote = 0;
    for (; *at && (quote || !strchr(" \t\n", *at)); at++) {
        if (*at == '\\' && quote != '\'') {
            if (!*++at)
                return false;
            text_addc(out, *at);
        } else if (*at == quote) {
            quote = 0;
        } else if (!quote && (*at == '\'' || *at == '"')) {
            quote = *at;
        } else {
            text_addc(out, *at);
        }
    }
    *next = at;
    return !quote;
}

const char **launcher_words(const char *command, struct arena *a, struct error *e)
{
    const char **words = arena_array(a, WORDS_MOST + 1, sizeof *words);
    uint32_t count = 0;
    if (!words)
        return error_no_memory(e);
    for (const char *at = command + strspn(command, " \t\n"); *at; at += strspn(at, " \t\n")) {
        struct text word = TEXT_INIT;
        bool is_word = read_word(at, &word, &at);
        const char *kept = arena_strdup(a, text_cstr(&word));
        bool failed = word.failed || !kept;
        text_release(&word);
        if (failed)
            error_memory(e);
        else if (!is_word)
            error_set(e, ERROR_USAGE, "a quote is not closed, or nothing follows a \\, in: %s",
                      command);
        else if (count == WORDS_MOST)
            error_set(e, ERROR_USAGE, "more than %d words in: %.40s...", WORDS_MOST, command);
        if (failed || !is_word || count == WORDS_MOST)
            return NULL;
        words[count++] = kept;
    }
    words[count] = NULL;
    return words;
}

// ---- Slurm's lists of hosts --------------------------------------------------------------------

struct hosts {
    struct arena *arena;
    const char **names;
    uint32_t count, most;
    struct error *error;
};

static bool add_host(struct hosts *h, const char *name, size_t length)
{
    if (!launcher_name_fits(name, length) || memchr(name, '[', length) || memchr(name, ']', length))
        return error_set(h->error, ERROR_USAGE, "'%.*s' is not a name of a node", (int)length,
                         name);
    if (h->count == h->most)
        return error_set(h->error, ERROR_USAGE, "more than %lu nodes", (unsigned long)h->most);
    h->names[h->count] = arena_strndup(h->arena, name, length);
    return h->names[h->count++] || error_memory(h->error);
}

// A number as it is written: its digits count, since nodes are called n08.
static bool read_host_number(const char **at, unsigned long *value, int *digits)
{
    size_t length = strspn(*at, "0123456789");
    if (length == 0 || length > 9)
        return false;
    *value = strtoul(*at, NULL, 10);
    *digits = (int)length;
    *at += length;
    return true;
}

// The first bracket of one entry is written out, and what stands behind it with each number again.
static bool expand_host(struct hosts *h, const char *entry, unsigned depth)
{
    const char *open = strchr(entry, '['), *at = open;
    const char *close = open ? strchr(open, ']') : NULL;
    bool ok = true;
    if (!open && !strchr(entry, ']'))
        return add_host(h, entry, strlen(entry));
    while (ok && close && depth < 4 && at < close) {
        unsigned long first, last;
        int digits, ignored;
        at++;
        ok = read_host_number(&at, &first, &digits);
        last = first;
        if (ok && *at == '-') {
            at++;
            ok = read_host_number(&at, &last, &ignored);
        }
        ok = ok && last >= first && (at == close || *at == ',');
        for (unsigned long n = first; ok && n <= last; n++) {
            const char *one = arena_printf(h->arena, "%.*s%0*lu%s", (int)(open - entry), entry,
                                           digits, n, close + 1);
            if (one ? !expand_host(h, one, depth + 1) : !error_memory(h->error))
                return false;
        }
    }
    if (ok && close && depth < 4)
        return true;
    return error_set(h->error, ERROR_USAGE, "'%.80s' is not a list of nodes as Slurm writes it",
                     entry);
}

// The end of the entry at `at`: a comma outside of brackets, or the end.
static const char *entry_end(const char *at)
{
    bool inside = false;
    for (; *at && (inside || *at != ','); at++)
        inside = *at == '[' || (inside && *at != ']');
    return at;
}

bool launcher_hosts(const char *list, struct arena *a, const char **names, uint32_t most,
                    uint32_t *count, struct error *e)
{
    struct hosts h = {.arena = a, .names = names, .most = most, .error = e};
    bool ok = true;
    for (const char *at = list; ok; at++) {
        const char *end = entry_end(at);
        const char *entry = arena_strndup(a, at, (size_t)(end - at));
        ok = entry ? expand_host(&h, entry, 0) : error_memory(e);
        at = end;
        if (!*at)
            break;
    }
    *count = h.count;
    return ok;
}

// ---- launchers ---------------------------------------------------------------------------------

struct reading {
    const struct launchers_given *given;
    struct arena *arena;
    struct launchers *out;
    struct error *error;
};

static const struct launcher *launcher_named(const struct launchers *l, const char *name)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (str_equal(l->list[i].name, name))
            return &l->list[i];
    }
    return NULL;
}

static bool add_launcher(struct reading *r, const char *name, const char *const *argv)
{
    struct launchers *out = r->out;
    if (!name)
        return error_memory(r->error);
    if (launcher_named(out, name) && !argv)
        return error_set(r->error, ERROR_USAGE, "local is named twice");
    if (launcher_named(out, name))
        return error_set(r->error, ERROR_USAGE, "node %s is named twice", name);
    if (out->count == LAUNCHERS_MOST)
        return error_set(r->error, ERROR_USAGE, "more than %d nodes", LAUNCHERS_MOST);
    out->list[out->count++] = (struct launcher){name, argv};
    return true;
}

// The words before, the worker, --node. NULL without memory.
static const char *const *join_argv(const struct reading *r, const char *const *before,
                                    const char *worker)
{
    uint32_t count = 0;
    while (before[count])
        count++;
    const char **argv = arena_array(r->arena, count + 3, sizeof *argv);
    if (!argv || !worker)
        return NULL;
    memcpy(argv, before, count * sizeof *argv);
    argv[count] = worker;
    argv[count + 1] = "--node";
    argv[count + 2] = NULL;
    return argv;
}

// -u: frames are bytes and no lines. --no-kill and --overlap: a node that dies takes no other along, and the step shares
// what the job has.
static bool add_slurm(struct reading *r)
{
    const char *names[LAUNCHERS_MOST];
    uint32_t count;
    if (!r->given->allocation || !r->given->allocation[0])
        return error_set(r->error, ERROR_USAGE,
                         "slurm: this is not a job of Slurm (SLURM_JOB_NODELIST is not set); run "
                         "hone inside of sbatch or salloc");
    if (!launcher_hosts(r->given->allocation, r->arena, names, LAUNCHERS_MOST, &count, r->error))
        return error_context(r->error, "slurm: SLURM_JOB_NODELIST");
    for (uint32_t i = 0; i < count; i++) {
        const char *const before[] = {"srun", "--overlap", "-u",     "--no-kill",  "-N1",
                                      "-n1",  "-w",        names[i], "--mpi=none", NULL};
        const char *const *argv = join_argv(r, before, r->given->worker);
        if (!argv || !add_launcher(r, names[i], argv))
            return argv ? false : error_memory(r->error);
    }
    return true;
}

static bool add_ssh(struct reading *r, const char *host)
{
    struct text quoted = TEXT_INIT;
    if (!launcher_name_fits(host, strlen(host)))
        return error_set(r->error, ERROR_USAGE,
                         "ssh: '%s' is not a name of a host: letters, digits and .-_:[]@, not "
                         "beginning with '-'",
                         host);
    text_add_shell(&quoted, r->given->worker);
    const char *const before[] = {"ssh", "-oBatchMode=yes", "--", host, NULL};
    const char *const *argv = join_argv(r, before, text_to_arena(&quoted, r->arena));
    return argv ? add_launcher(r, host, argv) : error_memory(r->error);
}

// Each {} of the words as the name; NULL without memory.
static const char **fill_in(const struct reading *r, const char *const *words, const char *name)
{
    uint32_t count = 0;
    while (words[count])
        count++;
    const char **filled = arena_array(r->arena, count + 1, sizeof *filled);
    for (uint32_t i = 0; filled && i < count; i++) {
        struct text one = TEXT_INIT;
        const char *at = words[i];
        for (const char *hole; (hole = strstr(at, "{}")); at = hole + 2) {
            text_addn(&one, at, (size_t)(hole - at));
            text_add(&one, name);
        }
        text_add(&one, at);
        filled[i] = text_to_arena(&one, r->arena);
        if (!filled[i])
            return NULL;
    }
    if (filled)
        filled[count] = NULL;
    return filled;
}

// The program's name; of several alike the second is "env-2".
static const char *name_of_command(const struct reading *r, const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash && slash[1] ? slash + 1 : program, *unique = name;
    for (unsigned i = 2; unique && (launcher_named(r->out, unique) || !unique[0]); i++)
        unique = arena_printf(r->arena, "%s-%u", name, i);
    return unique;
}

static bool add_prefixed(struct reading *r, const char *const *words, const char *name)
{
    const char *const *before = name ? fill_in(r, words, name) : words;
    const char *const *argv = before ? join_argv(r, before, r->given->worker) : NULL;
    return argv ? add_launcher(r, name ? name : name_of_command(r, words[0]), argv)
                : error_memory(r->error);
}

// For each name of --nodes, what it is made of.
static bool add_each_node(struct reading *r, const char *const *words)
{
    for (const char *at = r->given->nodes;; at++) {
        size_t length = strcspn(at, ",");
        const char *name = arena_strndup(r->arena, at, length);
        if (!name)
            return error_memory(r->error);
        if (!launcher_name_fits(name, length))
            return error_set(
                r->error, ERROR_USAGE,
                "--nodes: '%s' is not a name of a node: letters, digits and .-_:[]@, not "
                "beginning with '-'",
                name);
        if (!add_prefixed(r, words, name))
            return false;
        at += length;
        if (!*at)
            return true;
    }
}

static bool add_exec(struct reading *r, const char *prefix)
{
    const char **words = launcher_words(prefix, r->arena, r->error);
    bool has_hole = false;
    for (uint32_t i = 0; words && words[i]; i++)
        has_hole = has_hole || strstr(words[i], "{}");
    if (!words)
        return error_context(r->error, "exec");
    if (!words[0])
        return error_set(
            r->error, ERROR_USAGE,
            "exec: no command; write what to put before, as in 'exec:docker exec -i box'");
    if (has_hole && !r->given->nodes)
        return error_set(r->error, ERROR_USAGE,
                         "exec: {} stands for a node's name; name them with --nodes a,b,c");
    if (!has_hole && r->given->nodes)
        return error_set(r->error, ERROR_USAGE,
                         "exec: all of --nodes would be the same; write {} where the name belongs, "
                         "as in 'exec:ssh {}'");
    return has_hole ? add_each_node(r, words) : add_prefixed(r, words, NULL);
}

// One text: engines separated by commas, and behind ssh: its hosts, up to the next engine.
static bool read_text(struct reading *r, const char *text)
{
    bool is_ssh = false;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        const char *word = arena_strndup(r->arena, at, length);
        bool ok;
        if (!word)
            return error_memory(r->error);
        if (str_starts(at, "exec:"))
            return add_exec(r, at + strlen("exec:"));
        bool begins_ssh = str_starts(word, "ssh:");
        if (begins_ssh || (is_ssh && !str_equal(word, "local") && !str_equal(word, "slurm"))) {
            ok = add_ssh(r, begins_ssh ? word + strlen("ssh:") : word);
            is_ssh = true;
        } else if (str_equal(word, "local")) {
            ok = add_launcher(r, "", NULL);
        } else if (str_equal(word, "slurm")) {
            ok = add_slurm(r);
        } else {
            ok = error_set(r->error, ERROR_USAGE,
                           "'%s' is none of local, slurm, ssh:HOST,... and exec:COMMAND", word);
        }
        at += length;
        if (!ok || !*at)
            return ok;
    }
}

bool launchers_read(const struct launchers_given *given, struct arena *a, struct launchers *out,
                    struct error *e)
{
    struct reading r = {.given = given, .arena = a, .out = out, .error = e};
    bool has_exec = false;
    out->count = 0;
    for (uint32_t i = 0; i < given->text_count; i++) {
        has_exec = has_exec || strstr(given->texts[i], "exec:");
        if (!read_text(&r, given->texts[i]))
            return error_context(e, "%s", given->option);
    }
    if (given->nodes && !has_exec)
        return error_set(
            e, ERROR_USAGE,
            "--nodes names what {} stands for in %s 'exec:...{}...', which is not given",
            given->option);
    return true;
}
