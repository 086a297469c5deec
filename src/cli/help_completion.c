// Completion for bash, from the same tables as the help.
#include "cli/help.h"

#include "search/search.h"

void help_completion(struct text *out)
{
    text_add(out, "# bash completion for hone; made by `hone help --completion`\n"
                  "_hone()\n{\n"
                  "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
                  "    case ${COMP_CWORD}/${COMP_WORDS[1]} in\n"
                  "    1/*) options='");
    for (const struct command *const *c = commands(); *c; c++)
        text_addf(out, "%s%s", c == commands() ? "" : " ", (*c)->name);
    text_add(out, "' ;;\n");
    for (const struct command *const *c = commands(); *c; c++) {
        text_addf(out, "    */%s) options='", (*c)->name);
        const char *separator = "";
        for (const struct option_group *g = (*c)->groups; g->title; g++) {
            for (const struct option *o = g->options; o->name; o++) {
                text_addf(out, "%s--%s", separator, o->name);
                separator = " ";
            }
        }
        text_add(out, "' ;;\n");
    }
    text_add(out, "    esac\n"
                  "    if [[ ${COMP_WORDS[COMP_CWORD-1]} == --strategy ]]; then\n"
                  "        COMPREPLY=($(compgen -W '");
    for (const struct strategy_operations *const *s = strategies(); *s; s++)
        text_addf(out, "%s%s", s == strategies() ? "" : " ", (*s)->name);
    text_add(out, "' -- \"$word\"))\n"
                  "    elif [[ $COMP_CWORD == 1 || $word == -* ]]; then\n"
                  "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
                  "    fi\n"
                  "}\n"
                  "complete -o default -F _hone hone\n");
}
