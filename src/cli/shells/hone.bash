# completion for hone in bash; made by `hone help --print bash`
_hone()
{
    local line=${COMP_LINE:0:COMP_POINT} at=${COMP_WORDS[COMP_CWORD]} word before candidate meaning ending
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:blank:]] ]] && words+=('')
    word=${words[${#words[@]}-1]}
    # Of a word with = or : readline replaces what stands behind the last of these.
    [[ $at == [=:] ]] && at=
    before=${word%"$at"}
    COMPREPLY=()
    while IFS=$'\t' read -r candidate meaning; do
        case $candidate in
        @files)
            compopt -o filenames 2>/dev/null
            while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$at") ;;
        @files*)
            compopt -o filenames 2>/dev/null
            while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(
                compgen -d -- "$at"
                for ending in ${candidate#@files}; do compgen -f -X "!*.$ending" -- "$at"; done) ;;
        *)
            [[ $candidate == *[=:] ]] && compopt -o nospace 2>/dev/null
            COMPREPLY+=("$(printf %q "${candidate#"$before"}")") ;;
        esac
    done < <("${words[0]/#\~/$HOME}" help --print words -- "${words[@]:1}" 2>/dev/null)
}
complete -F _hone hone
