#include "make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct recorded *parse(const char *text, const struct recorded_options *o)
{
    struct error e = ERROR_INIT;
    struct recorded *r = recorded_parse("t.json", text, strlen(text), o, &e);
    ck_assert_msg(r != NULL, "%s", e.text);
    return r;
}

const char *refusal(const char *text, const struct recorded_options *o)
{
    static struct error e;
    memset(&e, 0, sizeof e);
    struct recorded *r = recorded_parse("t.json", text, strlen(text), o, &e);
    ck_assert_msg(r == NULL, "was read:\n%s", text);
    ck_assert_int_ne(e.code, ERROR_NONE);
    return e.text;
}

struct spec *spec_of(const char *text)
{
    char path[] = "/tmp/hone-exchange-XXXXXX";
    struct error e = ERROR_INIT;
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct spec *s = spec_load(path, NULL, &e);
    ck_assert_msg(s != NULL, "%s", e.text);
    unlink(path);
    return s;
}

const char *value_of(const struct recorded *r, uint64_t row, const char *parameter)
{
    static char shown[128];
    for (uint32_t i = 0; i < r->parameter_count; i++) {
        if (!str_equal(r->parameters[i].name, parameter))
            continue;
        struct text text = TEXT_INIT;
        value_print(&r->parameters[i].values[r->rows[row].choice[i]], &text);
        snprintf(shown, sizeof shown, "%s", text_cstr(&text));
        text_release(&text);
        return shown;
    }
    return "no such parameter";
}

static void note(void *context, enum log_level level, const char *message)
{
    struct notes *n = context;
    size_t length = strlen(n->text);
    (void)level;
    snprintf(n->text + length, sizeof n->text - length, "%s\n", message);
}

struct log notes_log(struct notes *n)
{
    n->text[0] = 0;
    return (struct log){note, n};
}
