// Options: parsing, refusals, and that the tables are fit for help and man page.
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/tuning.h"

#include "../base/suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Parses for a command into zeroed settings; their lists are the caller's to release.
static bool parse(const struct command *command, const char *const *words, void *settings,
                  uint32_t *rest, struct error *e)
{
    bool help = false;
    const char *arguments[16];
    char *argv[16];
    int argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    return options_parse(command->groups, argc, argv, settings, &help, arguments, rest, e);
}

static void refuses(const char *command, const char *const *words, const char *expected)
{
    const struct command *c = command_find(command);
    void *s = calloc(1, c->settings_size);
    struct error e = ERROR_INIT;
    uint32_t rest;
    ck_assert(s && !parse(c, words, s, &rest, &e));
    ck_assert_int_eq(e.code, ERROR_USAGE);
    ck_assert_msg(strstr(e.text, expected) != NULL, "%s", e.text);
    options_release(c->groups, s);
    free(s);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

START_TEST(values)
{
    struct tune_settings s = {0};
    struct error e = ERROR_INIT;
    uint32_t rest;
    ck_assert(parse(&command_tune,
                    WORDS("--set", "A=1", "spec.json", "--set=B=2", "--iterations=9", "--seed", "0",
                          "--verbose", "--budget", "10%,60s", "--timeout", "build=2m,launch=500ms"),
                    &s, &rest, &e));
    ck_assert_uint_eq(rest, 1);
    ck_assert_uint_eq(s.given.set.count, 2);
    ck_assert_str_eq(s.given.set.items[0], "A=1");
    ck_assert_str_eq(s.given.set.items[1], "B=2");
    ck_assert_uint_eq(s.measure.terms.iterations, 9);
    ck_assert_uint_eq(s.measure.terms.seed, 0);
    ck_assert(s.verbose && s.given.output.format == REPORT_TEXT);
    struct budget budget;
    ck_assert(budget_parse(s.search.budget, &budget, &e));
    ck_assert_double_eq(budget.fraction, 0.1);
    ck_assert_uint_eq(budget.nanoseconds, 60000000000);
    ck_assert_uint_eq(s.measure.terms.build_limit_ns, 120000000000);
    ck_assert_uint_eq(s.measure.terms.launch_limit_ns, 500000000);
    options_release(command_tune.groups, &s);
    s = (struct tune_settings){0};
    ck_assert(
        parse(&command_tune, WORDS("--timeout", "1.5", "-v", "--", "--set", "-"), &s, &rest, &e));
    ck_assert_uint_eq(s.measure.terms.launch_limit_ns, 1500000000);
    ck_assert_uint_eq(s.measure.terms.build_limit_ns, 0);
    ck_assert_uint_eq(rest, 2);
    options_release(command_tune.groups, &s);
}
END_TEST

// Options of earlier versions are understood as what they became, or say what that is.
START_TEST(former_options)
{
    struct tune_settings s = {0};
    struct error e = ERROR_INIT;
    uint32_t rest;
    ck_assert(parse(&command_tune,
                    WORDS("--no-store", "--no-transfer", "--unranked", "--rule", "most=5"), &s,
                    &rest, &e));
    ck_assert(stores_nothing(&s.given) && s.measure.terms.no_transfer && !s.measure.terms.fresh);
    ck_assert_str_eq(s.measure.rules.items[0], "rounds=0");
    ck_assert_str_eq(s.measure.rules.items[1], "most=5");
    options_release(command_tune.groups, &s);
    s = (struct tune_settings){0};
    ck_assert(parse(&command_tune, WORDS("--reuse-unseen", "--also", "a.sqlite"), &s, &rest, &e));
    ck_assert(reuses_unseen(&s.given) && !stores_nothing(&s.given));
    options_release(command_tune.groups, &s);
    refuses("tune", WORDS("--no-store=1"), "--no-store takes no value");
    refuses("tune", WORDS("--outlier", "5%"), "it is --rule outlier=NUMBER now");
    refuses("compare", WORDS("--top", "5"), "it is --sample top=N now");
    refuses("devices", WORDS("--unranked"), "unknown option --unranked"); // it has no --rule either
}
END_TEST

START_TEST(shares)
{
    struct error e = ERROR_INIT;
    double share;
    ck_assert(share_read("3%", 10, &share, &e) && share == 0.03);
    ck_assert(share_read("0.1", 10, &share, &e) && share == 0.1);
    ck_assert(share_read("1000%", 10, &share, &e) && share == 10);
    ck_assert(!share_read("3", 10, &share, &e) && strstr(e.text, "'3' is not a share: 3% or 0.03"));
    ck_assert(!share_read("200%", 1, &share, NULL) && !share_read("%", 10, &share, NULL));
    ck_assert(!share_read("-1%", 10, &share, NULL) && !share_read("3%%", 10, &share, NULL));
}
END_TEST

START_TEST(refusals)
{
    refuses("tune", WORDS("--bugdet", "3"), "did you mean --budget?");
    refuses("tune", WORDS("--zzzzzzzz"), "unknown option --zzzzzzzz");
    refuses("tune", WORDS("-q"), "unknown option -q");
    refuses("tune", WORDS("--iterations"), "--iterations needs a value");
    refuses("tune", WORDS("--iterations", "0"), "'0' is not a whole number from 1");
    refuses("tune", WORDS("--iterations", "4294967296"), "not a whole number");
    refuses("tune", WORDS("--iterations", "-1"), "not a whole number");
    refuses("tune", WORDS("--jobs", "two"), "--jobs: 'two'");
    refuses("tune", WORDS("--seed", "1.5"), "--seed: '1.5'");
    refuses("tune", WORDS("--fresh=1"), "'1' is not a status of a failure");
    refuses("tune", WORDS("--timeout", "0s"), "not a time above 0");
    refuses("tune", WORDS("--timeout", "5 apples"), "write 30s, 1.5m or 500ms");
    refuses("tune", WORDS("--timeout", "bild=5s"), "build=60s,launch=30s");
    refuses("tune", WORDS("--budget", "200%"), "--budget");
    refuses("run", WORDS("--show", "assembly"),
            "is none of source, binary, ptx, sass and instructions");
    refuses("devices", WORDS("--set", "A=1"), "unknown option --set");
}
END_TEST

// ---- the tables --------------------------------------------------------------------------------

typedef void visit(const struct command *c, const struct option_group *g, const struct option *o);

static void each_option(visit *visit_option)
{
    for (const struct command *const *c = commands(); *c; c++) {
        for (const struct option_group *g = (*c)->groups; g->title; g++) {
            for (const struct option *o = g->options; o->name; o++)
                visit_option(*c, g, o);
        }
    }
}

static void is_sound(const struct command *c, const struct option_group *g, const struct option *o)
{
    ck_assert_msg(o->apply != NULL && (o == help_options || g->at + o->offset < c->settings_size),
                  "%s --%s", c->name, o->name);
    ck_assert_msg(o->help && o->help[strlen(o->help) - 1] == '.', "%s --%s: %s", c->name, o->name,
                  o->help);
    ck_assert_msg(option_find(c->groups, o->name) == o, "%s has --%s twice", c->name, o->name);
    for (const struct option_group *other = c->groups; other->title; other++) {
        for (const struct option *p = other->options; p->name; p++)
            ck_assert_msg(p == o || !o->letter || p->letter != o->letter,
                          "%s has -%c twice: --%s, --%s", c->name, o->letter, o->name, p->name);
    }
}

START_TEST(tables_are_sound)
{
    each_option(is_sound);
    for (const struct command *const *c = commands(); *c; c++) {
        ck_assert_ptr_eq(command_find((*c)->name), *c);
        ck_assert_msg(option_find((*c)->groups, "help") != NULL, "%s", (*c)->name);
        ck_assert_uint_le((*c)->least, (*c)->most);
        ck_assert(islower((unsigned char)(*c)->summary[0]));
    }
}
END_TEST

// Options of all commands, each name once.
static const char *names[200];
static size_t name_count;

static void count_name(const struct command *c, const struct option_group *g,
                       const struct option *o)
{
    (void)c;
    (void)g;
    for (size_t i = 0; i < name_count; i++) {
        if (str_equal(names[i], o->name))
            return;
    }
    ck_assert_uint_lt(name_count, sizeof names / sizeof *names);
    names[name_count++] = o->name;
}

// A new option says which one it replaces.
#define OPTIONS_MOST 100
#define OPTIONS_NOW  85
START_TEST(options_are_few)
{
    each_option(count_name);
    ck_assert_uint_le(name_count, OPTIONS_MOST);
    ck_assert_uint_le(name_count, OPTIONS_NOW); // raised by what adds one
}
END_TEST

// Each line of a rule has names of options, and a reason.
static void check_rule(const struct option *o, const char *rule)
{
    while (rule && *rule) {
        size_t all = strcspn(rule, ":"), end = strcspn(rule, "\n");
        ck_assert_msg(all + 2 < end && rule[all + 1] == ' ', "--%s: %s has no reason", o->name,
                      rule);
        for (const char *name = rule; name < rule + all;) {
            size_t length = strcspn(name, ",:=!"), known = 0;
            while (known < name_count &&
                   (strlen(names[known]) != length || strncmp(names[known], name, length) != 0))
                known++;
            ck_assert_msg(known < name_count, "--%s: no command has --%.*s", o->name, (int)length,
                          name);
            name += strcspn(name, ",:") + 2;
        }
        rule += end + (rule[end] == '\n');
    }
}

static void has_sound_rules(const struct command *c, const struct option_group *g,
                            const struct option *o)
{
    (void)c;
    (void)g;
    check_rule(o, o->excludes);
    check_rule(o, o->needs);
}

START_TEST(rules_name_options)
{
    static const char *const others[] = {"on", "build-on", "nodes"}; // which an extra has
    each_option(count_name);
    for (int i = 0; i < 3 EXTRA_NODES(-3); i++)
        names[name_count++] = others[i];
    each_option(has_sound_rules);
}
END_TEST

START_TEST(rules_refuse)
{
    refuses("check", WORDS("a.json", "--races", "--build-only"),
            "--races and --build-only exclude each other: races show only while the kernel runs; "
            "leave one of them out");
    refuses("check", WORDS("a.json", "--assume", "x=1"), "--assume needs --races or --arch: ");
    refuses("check", WORDS("--known", "-n", "3"), "--known and --sample exclude each other: ");
    refuses("tune", WORDS("--replay", "f", "--device", "all"),
            "--replay and --device all exclude each other: ");
    refuses("tune", WORDS("a.json", "--nodes", "n1"),
            0 EXTRA_NODES(+1) ? "--nodes needs --on or --build-on: " : "unknown option --nodes");
    refuses("compare", WORDS("a.json", "--also", "b.sqlite", "--no-store"),
            "--also and --store none exclude each other: it uses no store");
    refuses("run", WORDS("a.json", "--format=json", "--show=ptx"),
            "--show and --format json exclude each other: ");
}
END_TEST

// Options that no rule names go together, and --help is never refused.
START_TEST(rules_let_pass)
{
    struct tune_settings s = {0};
    struct error e = ERROR_INIT;
    uint32_t rest;
    ck_assert(parse(&command_tune, WORDS("--replay", "f", "--device", "allegro"), &s, &rest, &e));
    if (!(0 EXTRA_NODES(+1)))
        return;
    ck_assert(parse(&command_tune, WORDS("--nodes", "n1", "--help"), &s, &rest, &e));
    options_release(command_tune.groups, &s);
    s = (struct tune_settings){0};
    ck_assert(parse(&command_tune, WORDS("--nodes", "n1", "--on", "slurm"), &s, &rest, &e));
    options_release(command_tune.groups, &s);
}
END_TEST

START_TEST(help_shows_rules)
{
    struct text help = TEXT_INIT;
    help_command(&command_check, &help);
    ck_assert_ptr_nonnull(strstr(text_cstr(&help), "Not with --build-only"));
    ck_assert_ptr_nonnull(strstr(text_cstr(&help), "Needs --races"));
    text_release(&help);
}
END_TEST

// What takes a spec takes --device, --set, --store, --config, --where and --json alike.
START_TEST(specs_are_taken_alike)
{
    for (const struct command *const *c = commands(); *c; c++) {
        bool converts = strcmp((*c)->name, "convert") == 0; // it asks no device and no store
        if (converts || strcmp((*c)->arguments, "SPEC") != 0)
            continue;
        for (const struct option *o = spec_options; o->name; o++)
            ck_assert_msg(option_find((*c)->groups, o->name) == o, "%s --%s", (*c)->name, o->name);
    }
}
END_TEST

START_TEST(fresh_takes_all_or_some_statuses)
{
    static const struct {
        const char *word;
        uint32_t mask;
        const char *refusal; // part of it
    } rows[] = {
        {"--fresh=failures", UINT32_MAX, NULL},
        {"--fresh=compile", 1u << STATUS_COMPILE, NULL},
        {"--fresh=compile,timeout", 1u << STATUS_COMPILE | 1u << STATUS_TIMEOUT, NULL},
        {"--fresh=comple", 0, "did you mean 'compile'"},
        {"--fresh=correct", 0, "not a status of a failure"},
        {"--fresh=", 0, "there are compile, runtime, timeout, correctness, constraints"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error e = ERROR_INIT;
        struct tune_settings s = {0};
        bool help = false;
        char word[64];
        char *argv[] = {word, (char[]){"spec.json"}};
        const char *rest[2];
        uint32_t count;
        snprintf(word, sizeof word, "%s", rows[i].word);
        bool ok = options_parse(command_tune.groups, 2, argv, &s, &help, rest, &count, &e);
        ck_assert_msg(ok == !rows[i].refusal, "%s: %s", word, e.text);
        ck_assert(!ok || (s.measure.terms.retry == rows[i].mask && count == 1));
        ck_assert_msg(ok || strstr(e.text, rows[i].refusal), "%s: %s", word, e.text);
        options_release(command_tune.groups, &s);
    }
}
END_TEST

static void is_in_help(const struct command *c, const struct option_group *g,
                       const struct option *o)
{
    (void)g;
    struct text help = TEXT_INIT, word = TEXT_INIT;
    help_command(c, &help);
    const char *before = !o->argument ? "" : o->optional ? "[=" : " ";
    text_addf(&word, "--%s%s%s%s\n", o->name, before, o->argument ? o->argument : "",
              o->optional ? "]" : "");
    ck_assert_msg(strstr(text_cstr(&help), text_cstr(&word)) != NULL, "%s: %s", c->name,
                  text_cstr(&word));
    text_release(&help);
    text_release(&word);
}

static void is_in_page(const struct command *c, const struct option_group *g,
                       const struct option *o)
{
    (void)g;
    struct text page = TEXT_INIT;
    char word[64] = "\\-\\-";
    size_t at = strlen(word);
    for (const char *s = o->name; *s; s++) {
        if (*s == '-')
            word[at++] = '\\';
        word[at++] = *s;
    }
    word[at] = '\0';
    help_man_command(c, &page);
    ck_assert_msg(strstr(text_cstr(&page), word) != NULL, "%s --%s", c->name, o->name);
    text_release(&page);
}

START_TEST(help_names_every_option)
{
    each_option(is_in_help);
    each_option(is_in_page);
}
END_TEST

static size_t count_lines(const char *s)
{
    size_t lines = 0;
    for (; *s; s++)
        lines += *s == '\n';
    return lines;
}

// --help is a screen: usage, at most three examples, and those options that have a few words of their own.
START_TEST(help_is_a_screen)
{
    struct text help = TEXT_INIT;
    for (const struct command *const *c = commands(); *c; c++) {
        text_clear(&help);
        help_brief(*c, &help);
        size_t lines = count_lines(text_cstr(&help)), briefs = 0;
        ck_assert_msg(lines <= HELP_LINES, "%s --help has %zu lines", (*c)->name, lines);
        for (const struct option_group *g = (*c)->groups; g->title; g++) {
            for (const struct option *o = g->options; o->name; o++) {
                ck_assert_msg(!o->brief || strlen(o->brief) <= 50, "%s", o->brief);
                ck_assert_msg(!o->brief || strstr(text_cstr(&help), o->brief), "%s", o->brief);
                briefs += o->brief != NULL;
            }
        }
        ck_assert_uint_gt(briefs, 0);
    }
    text_clear(&help);
    help_overview(&help);
    ck_assert_uint_le(count_lines(text_cstr(&help)), HELP_LINES);
    text_release(&help);
}
END_TEST

// Every topic that a command names is there; every topic says something, and fits a terminal.
START_TEST(topics)
{
    static const char *const none[] = {NULL};
    for (const struct command *const *c = commands(); *c; c++) {
        for (const char *at = (*c)->topics; at && *at; at += strspn(at, ", ")) {
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
            ck_assert_msg(help_topic_find(name) != NULL, "%s: %s", (*c)->name, name);
            at += strlen(name);
        }
    }
    for (const struct help_topic *t = help_topics(); t->name; t++) {
        struct text body = TEXT_INIT, page = TEXT_INIT;
        ck_assert_msg(t->show(none, &body) && body.length > 100, "%s", t->name);
        ck_assert(help_man_topic(t, &page) && page.length > body.length);
        ck_assert(t->section == 5 || t->section == 7);
        text_release(&body);
        text_release(&page);
    }
}
END_TEST

START_TEST(short_options)
{
    static const struct {
        const char *words[4];
        const char *refusal; // (or NULL) part of it
    } rows[] = {
        {{"-b", "60s", "x"}, NULL},
        {{"-b60s", "x"}, NULL},
        {{"-b=60s", "x"}, NULL},
        {{"-vb60s", "x"}, NULL},
        {{"-budget", "60s", "x"}, "-budget has two dashes: --budget"},
        {{"-q", "x"}, "unknown option -q"},
        {{"x", "-b"}, "--budget needs a value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error e = ERROR_INIT;
        struct tune_settings s = {0};
        bool help = false;
        char *argv[4];
        const char *rest[4];
        int argc = 0;
        uint32_t count;
        for (; argc < 4 && rows[i].words[argc]; argc++)
            argv[argc] = (char *)(uintptr_t)rows[i].words[argc];
        bool ok = options_parse(command_tune.groups, argc, argv, &s, &help, rest, &count, &e);
        ck_assert_msg(ok == !rows[i].refusal, "row %zu: %s", i, e.text);
        ck_assert_msg(ok || strstr(e.text, rows[i].refusal), "row %zu: %s", i, e.text);
        ck_assert(!ok || (count == 1 && strcmp(s.search.budget, "60s") == 0));
        ck_assert(!ok || s.verbose == (i == 3));
        options_release(command_tune.groups, &s);
    }
}
END_TEST

#define SPEC HONE_SOURCE_DIR "/tests/cli/data/vector_add.json"

START_TEST(completion)
{
    static const struct {
        const char *words[6];
        const char *out; // its first line, up to a tab; "": nothing is offered
    } rows[] = {
        {{"tu"}, "tune"},
        {{"tnue", ""}, ""},
        {{"tune", ""}, "@files json"},
        EXTRA_INIT({{"init", ""}, "@files cl cu"}, )
            EXTRA_FORMATS({{"import", ""}, "@files"}, ){{"tune", "--budg"}, "--budget"},
        {{"tune", "--format="}, "--format=text"},
        {{"tune", "-f", "js"}, "json"},
        EXTRA_FORMATS({{"export", SPEC, "--format", "c"}, "cache"}, ){{"store", "ver"}, "verify"},
        {{"run", "--show", "p"}, "ptx"},
        {{"tune", "--strategy", "gen"}, "genetic"},
        {{"tune", "--rule", "roun"}, "rounds="},
        {{"check", "--allow", "compile,tim"}, "compile,timeout"},
        {{"tune", SPEC, "--set", ""}, "N="},
        {{"tune", SPEC, "-c", "bl"}, "block="},
        {{"tune", SPEC, "--config", "block=32,wo"}, "block=32,work="},
        {{"tune", SPEC, "--config=block=6"}, "--config=block=64"},
        {{"tune", SPEC, "--where", "flav"}, "flavor"},
        {{"tune", SPEC, "--objective", "ti"}, "time"},
        {{"tune", "--", "-"}, "@files json"},
        {{"tune", "--store", ""}, "@files"},
        {{"help", "rank"}, "ranking"},
        {{"help", "swe"}, "sweep"},
        {{"tune", "no.json", "--set", ""}, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text out = TEXT_INIT;
        uint32_t count = 0;
        while (count < 6 && rows[i].words[count])
            count++;
        completion_list(rows[i].words, count, &out);
        const char *got = text_cstr(&out);
        size_t length = strcspn(got, "\t\n");
        ck_assert_msg(length == strlen(rows[i].out) && strncmp(got, rows[i].out, length) == 0,
                      "row %zu: %s", i, got);
        text_release(&out);
    }
}
END_TEST

START_TEST(help_fits_a_terminal)
{
    for (const struct command *const *c = commands(); *c; c++) {
        struct text help = TEXT_INIT;
        help_command(*c, &help);
        for (const char *s = text_cstr(&help), *end; *s; s = end + 1) {
            end = strchr(s, '\n');
            ck_assert_ptr_nonnull(end);
            bool is_example = s[0] == ' ' && strncmp(s, "  hone ", 7) == 0;
            ck_assert_msg(is_example || end - s <= 100, "%.*s", (int)(end - s), s);
            ck_assert_msg(end == s || end[-1] != ' ', "blank at the end: %.*s", (int)(end - s), s);
        }
        text_release(&help);
    }
}
END_TEST

START_TEST(wrapping)
{
    struct text out = TEXT_INIT;
    const char words[] = "one two three  four five";
    help_wrap(words, strlen(words), 2, 2, 12, &out);
    ck_assert_str_eq(text_cstr(&out), "one two\n  three four\n  five\n");
    text_release(&out);
}
END_TEST

static void add(TCase *tests)
{
    tcase_add_test(tests, values);
    tcase_add_test(tests, former_options);
    tcase_add_test(tests, shares);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, tables_are_sound);
    tcase_add_test(tests, options_are_few);
    tcase_add_test(tests, rules_name_options);
    tcase_add_test(tests, rules_refuse);
    tcase_add_test(tests, rules_let_pass);
    tcase_add_test(tests, help_shows_rules);
    tcase_add_test(tests, specs_are_taken_alike);
    tcase_add_test(tests, fresh_takes_all_or_some_statuses);
    tcase_add_test(tests, help_names_every_option);
    tcase_add_test(tests, help_fits_a_terminal);
    tcase_add_test(tests, help_is_a_screen);
    tcase_add_test(tests, topics);
    tcase_add_test(tests, short_options);
    tcase_add_test(tests, completion);
    tcase_add_test(tests, wrapping);
}

int main(void)
{
    return suite_run("cli/option", add);
}
