// What --on says as command lines, and what is refused.
#include "../base/suite.h"
#include "extras/nodes/launchers.h"

#include "base/text.h"

#include <string.h>

static struct arena arena;
static struct launchers found;
static struct error why;

static bool read_with(const char *nodes, const char *allocation, const char *const *texts)
{
    struct launchers_given given = {.option = "--on",
                                    .texts = texts,
                                    .nodes = nodes,
                                    .worker = "/opt/hone's/hone-worker",
                                    .allocation = allocation};
    while (texts[given.text_count])
        given.text_count++;
    arena_release(&arena);
    arena_init(&arena);
    why = (struct error)ERROR_INIT;
    return launchers_read(&given, &arena, &found, &why);
}
#define read(...)              read_with(NULL, NULL, (const char *const[]){__VA_ARGS__, NULL})
#define read_nodes(nodes, ...) read_with(nodes, NULL, (const char *const[]){__VA_ARGS__, NULL})
#define read_slurm(allocation, ...)                                                                \
    read_with(NULL, allocation, (const char *const[]){__VA_ARGS__, NULL})

static void expect(uint32_t i, const char *name, const char *words)
{
    struct text line = TEXT_INIT;
    ck_assert_msg(why.code == ERROR_NONE, "%s", why.text);
    ck_assert_uint_lt(i, found.count);
    for (const char *const *w = found.list[i].argv; w && *w; w++)
        text_addf(&line, "%s%s", line.length ? "|" : "", *w);
    ck_assert_str_eq(found.list[i].name, name);
    ck_assert_str_eq(text_cstr(&line), words);
    text_release(&line);
}

static void refuse(bool is_read, const char *says)
{
    ck_assert_msg(!is_read, "not refused: %s", says);
    ck_assert_int_eq(why.code, ERROR_USAGE);
    ck_assert_msg(strstr(why.text, says) != NULL, "no '%s' in: %s", says, why.text);
}

#define WORKER "/opt/hone's/hone-worker|--node"

START_TEST(ssh_quotes_for_the_other_shell)
{
    ck_assert(read("ssh:a,u@b.example.org,[::1]"));
    ck_assert_uint_eq(found.count, 3);
    expect(0, "a", "ssh|-oBatchMode=yes|--|a|'/opt/hone'\\''s/hone-worker'|--node");
    expect(1, "u@b.example.org",
           "ssh|-oBatchMode=yes|--|u@b.example.org|'/opt/hone'\\''s/hone-worker'|--node");
    expect(2, "[::1]", "ssh|-oBatchMode=yes|--|[::1]|'/opt/hone'\\''s/hone-worker'|--node");
}
END_TEST

#define SRUN(node) "srun|--overlap|-u|--no-kill|-N1|-n1|-w|" node "|--mpi=none|" WORKER

START_TEST(slurm_is_a_step_a_node)
{
    ck_assert(read_slurm("n[1-2],gpu08", "slurm"));
    ck_assert_uint_eq(found.count, 3);
    expect(0, "n1", SRUN("n1"));
    expect(1, "n2", SRUN("n2"));
    expect(2, "gpu08", SRUN("gpu08"));
    refuse(read("slurm"), "run hone inside of sbatch or salloc");
    refuse(read_slurm("", "slurm"), "SLURM_JOB_NODELIST");
    refuse(read_slurm("n[1-65]", "slurm"), "more than 64 nodes");
    refuse(read_slurm("-x", "slurm"), "'-x' is not a name of a node");
}
END_TEST

START_TEST(commands_are_split_without_a_shell)
{
    ck_assert(
        read("exec:nice -n 1", "exec:/usr/bin/env  'A=b c' \"x\\\"y\" a\\ b ''", "exec:nice"));
    ck_assert_uint_eq(found.count, 3);
    expect(0, "nice", "nice|-n|1|" WORKER);
    expect(1, "env", "/usr/bin/env|A=b c|x\"y|a b||" WORKER);
    expect(2, "nice-2", "nice|" WORKER);
    ck_assert(read("exec:sh -c $HOME;`id`"));
    expect(0, "sh", "sh|-c|$HOME;`id`|" WORKER);
    refuse(read("exec:"), "exec: no command");
    refuse(read("exec:  "), "exec: no command");
    refuse(read("exec:a 'b"), "a quote is not closed");
    refuse(read("exec:a \\"), "a quote is not closed");
}
END_TEST

START_TEST(a_hole_is_a_name)
{
    ck_assert(read_nodes("box1,box2", "exec:docker exec -i {} env N={}/{}"));
    ck_assert_uint_eq(found.count, 2);
    expect(0, "box1", "docker|exec|-i|box1|env|N=box1/box1|" WORKER);
    expect(1, "box2", "docker|exec|-i|box2|env|N=box2/box2|" WORKER);
    refuse(read("exec:ssh {}"), "name them with --nodes");
    refuse(read_nodes("a,b", "exec:env"), "write {} where the name belongs");
    refuse(read_nodes("a,b", "ssh:c"), "which is not given");
    refuse(read_nodes("a,,b", "exec:ssh {}"), "--nodes: '' is not a name");
    refuse(read_nodes("a,-oProxyCommand=x", "exec:ssh {}"), "'-oProxyCommand=x' is not a name");
    refuse(read_nodes("a,a", "exec:ssh {}"), "node a is named twice");
}
END_TEST

START_TEST(engines_are_mixed)
{
    ck_assert(read_slurm("n1", "local,ssh:a,b,slurm", "exec:env A=1,2"));
    ck_assert_uint_eq(found.count, 5);
    expect(0, "", "");
    ck_assert_ptr_null(found.list[0].argv);
    expect(3, "n1", SRUN("n1"));
    expect(4, "env", "env|A=1,2|" WORKER);
    ck_assert(read("ssh:a,ssh:b"));
    ck_assert_uint_eq(found.count, 2);
    refuse(read("local", "local"), "local is named twice");
    refuse(read("ssh:a,a"), "node a is named twice");
    refuse(read("pbs"), "--on: 'pbs' is none of local, slurm");
    refuse(read("a,b"), "'a' is none of");
    refuse(read(""), "'' is none of");
    refuse(read("local,"), "'' is none of");
}
END_TEST

START_TEST(names_are_no_options)
{
    static const char *const wrong[] = {"ssh:-oProxyCommand=x",
                                        "ssh:",
                                        "ssh:a b",
                                        "ssh:a;b",
                                        "ssh:a$b",
                                        "ssh:a'b",
                                        "ssh:a/b",
                                        "ssh:a\nb",
                                        "ssh:a=b",
                                        "ssh:\xc3\xa9",
                                        "ssh:a,",
                                        "ssh:a,-b"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse(read(wrong[i]), "is not a name of a host");
    char longest[256 + 5] = "ssh:";
    memset(longest + 4, 'a', 255);
    ck_assert(read(longest));
    longest[4 + 255] = 'a';
    refuse(read(longest), "is not a name of a host");
}
END_TEST

// As scontrol show hostnames writes them.
START_TEST(lists_of_hosts)
{
    static const struct {
        const char *list, *names;
    } lists[] = {{"a", "a"},
                 {"a,b", "a b"},
                 {"n[1-3]", "n1 n2 n3"},
                 {"n[08-10,3]", "n08 n09 n10 n3"},
                 {"r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"},
                 {"a[1]-x,b", "a1-x b"},
                 {"n[099-101]", "n099 n100 n101"}};
    static const char *const wrong[] = {"",
                                        ",",
                                        "a,",
                                        "n[",
                                        "n]",
                                        "n[]",
                                        "n[1",
                                        "n[3-1]",
                                        "n[1-]",
                                        "n[-1]",
                                        "n[1,]",
                                        "n[a]",
                                        "n[[1]]",
                                        "n[1]]",
                                        "n[1-1000000000000]",
                                        "n[1-2-3]",
                                        "-n[1]",
                                        "a b",
                                        "n[1][1][1][1][1]",
                                        "n[1-100]"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *names[LAUNCHERS_MOST];
        uint32_t count;
        struct text all = TEXT_INIT;
        struct error e = ERROR_INIT;
        ck_assert_msg(launcher_hosts(lists[i].list, &arena, names, LAUNCHERS_MOST, &count, &e),
                      "%s", e.text);
        for (uint32_t k = 0; k < count; k++)
            text_addf(&all, "%s%s", k ? " " : "", names[k]);
        ck_assert_str_eq(text_cstr(&all), lists[i].names);
        text_release(&all);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *names[LAUNCHERS_MOST];
        uint32_t count;
        struct error e = ERROR_INIT;
        ck_assert_msg(!launcher_hosts(wrong[i], &arena, names, LAUNCHERS_MOST, &count, &e), "%s",
                      wrong[i]);
    }
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, ssh_quotes_for_the_other_shell);
    tcase_add_test(tests, slurm_is_a_step_a_node);
    tcase_add_test(tests, commands_are_split_without_a_shell);
    tcase_add_test(tests, a_hole_is_a_name);
    tcase_add_test(tests, engines_are_mixed);
    tcase_add_test(tests, names_are_no_options);
    tcase_add_test(tests, lists_of_hosts);
}

int main(void)
{
    arena_init(&arena);
    int status = suite_run("nodes_launchers", add);
    arena_release(&arena);
    return status;
}
