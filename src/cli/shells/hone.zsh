#compdef hone
# completion for hone in zsh; made by `hone help --print zsh`
_hone() {
    local line candidate meaning
    local -a typed plain plain_meanings open open_meanings
    typed=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
    for line in ${(f)"$(${~words[1]} help --print words -- "${typed[@]}" 2>/dev/null)"}; do
        candidate=${line%%$'\t'*} meaning=
        [[ $line == *$'\t'* ]] && meaning="$candidate  -- ${line#*$'\t'}" || meaning=$candidate
        case $candidate in
        @files)
            [[ $PREFIX == --*=* ]] && compset -P '*='
            _files ;;
        @files*)
            [[ $PREFIX == --*=* ]] && compset -P '*='
            candidate=${candidate#@files }
            # One word in parentheses would be a qualifier to zsh.
            _files -g "*.(${candidate// /|}|${candidate%% *})" ;;
        *[=:]) open+=("$candidate") open_meanings+=("$meaning") ;;
        *) plain+=("$candidate") plain_meanings+=("$meaning") ;;
        esac
    done
    (( $#open )) && compadd -S '' -l -d open_meanings -a open
    (( $#plain )) && compadd -l -d plain_meanings -a plain
    return 0
}
if [[ ${funcstack[1]} == _hone ]]; then _hone "$@"; else compdef _hone hone; fi
