# completion for hone in fish; made by `hone help --print fish`
function __hone_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    for line in ($words[1] help --print words -- $words[2..-1] $word 2>/dev/null)
        if string match -q '@files*' -- $line
            set -l before (string match -r -- '^--[^=]*=' $word)
            set -l name (string replace -r -- '^--[^=]*=' '' $word)
            set -l endings (string split -n ' ' -- (string replace -r -- '^@files' '' $line))
            for file in $name*
                set -l ending (string replace -r -- '.*\.' '' $file)
                if test -d $file
                    echo "$before$file/"
                else if test -z "$endings"; or contains -- $ending $endings
                    echo "$before$file"
                end
            end
        else
            echo $line
        end
    end
end
complete -c hone -f -a '(__hone_complete)'
