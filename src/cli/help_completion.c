// The scripts that have a shell ask hone itself what may stand at the end of a line (completion.h): none of them has
// a list of its own.
#include "cli/help.h"

extern const char completion_bash[], completion_zsh[], completion_fish[]; // shells/hone.bash, ...

const char *help_completion(const char *shell)
{
    return str_equal(shell, "bash")   ? completion_bash
           : str_equal(shell, "zsh")  ? completion_zsh
           : str_equal(shell, "fish") ? completion_fish
                                      : NULL;
}
