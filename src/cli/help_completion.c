// The scripts that have a shell ask hone itself what may stand at the end of a line (completion.h): none of them has
// a list of its own.
#include "cli/help.h"

#include <string.h>

static const char bash[] =
    "# completion for hone in bash; made by `hone help --completion=bash`\n"
    "_hone()\n{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} at=${COMP_WORDS[COMP_CWORD]} word before candidate "
    "meaning ending\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:blank:]] ]] && words+=('')\n"
    "    word=${words[${#words[@]}-1]}\n"
    "    # Of a word with = or : readline replaces what stands behind the last of these.\n"
    "    [[ $at == [=:] ]] && at=\n"
    "    before=${word%\"$at\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r candidate meaning; do\n"
    "        case $candidate in\n"
    "        @files)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r candidate; do COMPREPLY+=(\"$candidate\"); done < <(compgen -f "
    "-- \"$at\") ;;\n"
    "        @files*)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while IFS= read -r candidate; do COMPREPLY+=(\"$candidate\"); done < <(\n"
    "                compgen -d -- \"$at\"\n"
    "                for ending in ${candidate#@files}; do compgen -f -X \"!*.$ending\" -- "
    "\"$at\"; done) ;;\n"
    "        *)\n"
    "            [[ $candidate == *[=:] ]] && compopt -o nospace 2>/dev/null\n"
    "            COMPREPLY+=(\"$(printf %q \"${candidate#\"$before\"}\")\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[0]/#\\~/$HOME}\" help --complete -- \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _hone hone\n";

static const char zsh[] =
    "#compdef hone\n"
    "# completion for hone in zsh; made by `hone help --completion=zsh`\n"
    "_hone() {\n"
    "    local line candidate meaning\n"
    "    local -a typed plain plain_meanings open open_meanings\n"
    "    typed=(\"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\")\n"
    "    for line in ${(f)\"$(${~words[1]} help --complete -- \"${typed[@]}\" 2>/dev/null)\"}; do\n"
    "        candidate=${line%%$'\\t'*} meaning=\n"
    "        [[ $line == *$'\\t'* ]] && meaning=\"$candidate  -- ${line#*$'\\t'}\" || "
    "meaning=$candidate\n"
    "        case $candidate in\n"
    "        @files)\n"
    "            [[ $PREFIX == --*=* ]] && compset -P '*='\n"
    "            _files ;;\n"
    "        @files*)\n"
    "            [[ $PREFIX == --*=* ]] && compset -P '*='\n"
    "            candidate=${candidate#@files }\n"
    "            # One word in parentheses would be a qualifier to zsh.\n"
    "            _files -g \"*.(${candidate// /|}|${candidate%% *})\" ;;\n"
    "        *[=:]) open+=(\"$candidate\") open_meanings+=(\"$meaning\") ;;\n"
    "        *) plain+=(\"$candidate\") plain_meanings+=(\"$meaning\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#open )) && compadd -S '' -l -d open_meanings -a open\n"
    "    (( $#plain )) && compadd -l -d plain_meanings -a plain\n"
    "    return 0\n"
    "}\n"
    "if [[ ${funcstack[1]} == _hone ]]; then _hone \"$@\"; else compdef _hone hone; fi\n";

static const char fish[] =
    "# completion for hone in fish; made by `hone help --completion=fish`\n"
    "function __hone_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l word (commandline -ct)\n"
    "    for line in ($words[1] help --complete -- $words[2..-1] $word 2>/dev/null)\n"
    "        if string match -q '@files*' -- $line\n"
    "            set -l before (string match -r -- '^--[^=]*=' $word)\n"
    "            set -l name (string replace -r -- '^--[^=]*=' '' $word)\n"
    "            set -l endings (string split -n ' ' -- (string replace -r -- '^@files' '' "
    "$line))\n"
    "            for file in $name*\n"
    "                set -l ending (string replace -r -- '.*\\.' '' $file)\n"
    "                if test -d $file\n"
    "                    echo \"$before$file/\"\n"
    "                else if test -z \"$endings\"; or contains -- $ending $endings\n"
    "                    echo \"$before$file\"\n"
    "                end\n"
    "            end\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c hone -f -a '(__hone_complete)'\n";

const char *help_completion(const char *shell)
{
    return str_equal(shell, "bash")   ? bash
           : str_equal(shell, "zsh")  ? zsh
           : str_equal(shell, "fish") ? fish
                                      : NULL;
}
