// A page is mailed: it names files, and not the folders of the machine that wrote it.
#include "extras/page/page.h"

#include <string.h>

static bool is_of_path(char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
           (c != '\0' && strchr("._-+~@%", c)) || (c & 0x80) != 0;
}

// The length of "/home/me/kernel.cl" at its beginning, and in *name where its last part begins; 0: no absolute path of at least
// two parts begins here.
static size_t path_length(const char *at, size_t *name)
{
    size_t length = 0, parts = 0;
    while (at[length] == '/' && is_of_path(at[length + 1])) {
        *name = ++length;
        parts++;
        while (is_of_path(at[length]))
            length++;
    }
    return parts > 1 ? length : 0;
}

const char *page_without_folders(const char *text, struct arena *a)
{
    struct text out = TEXT_INIT;
    for (const char *at = text; *at;) {
        size_t name = 0, length = at == text || (!is_of_path(at[-1]) && at[-1] != '/')
                                      ? path_length(at, &name)
                                      : 0;
        if (length) {
            text_addn(&out, at + name, length - name);
            at += length;
        } else {
            text_addc(&out, *at++);
        }
    }
    return out.length ? text_to_arena(&out, a) : arena_strdup(a, "");
}

// The first word of the command that ends so, as in "hone tune 'my spec.json'"; NULL: none does.
static const char *spec_word(const char *command, struct arena *a)
{
    static const char ending[] = ".json";
    const char *end = strstr(command, ending), *begin = end;
    if (!end)
        return NULL;
    end += strlen(ending);
    while (begin > command && !strchr(" '\"/=", begin[-1]))
        begin--;
    return arena_strndup(a, begin, (size_t)(end - begin));
}

bool page_find_file(struct page *p, struct page_set *s)
{
    s->file = s->command ? spec_word(s->command, &p->arena) : NULL;
    if (!s->file)
        s->file = arena_printf(&p->arena, "%s.json", s->spec);
    return s->file != NULL;
}
