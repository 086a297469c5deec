#!/bin/sh
# completion.sh HONE TYPED SPEC SCRATCH bash|zsh|fish: types at the shell, with the tab key, and looks at the command
# line that comes of it. 77: the shell is not installed.
set -eu
hone=$1 typed=$2 spec=$3 scratch=$4 shell=$5
command -v "$shell" >/dev/null || {
    echo "skipped: $shell is not installed"
    exit 77
}
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/site"
cd "$scratch"
cp "$spec" vector.json
cp "$spec" vector.txt # no spec by its name
touch kernel.txt kernel.cu
# Says what it was called with; what the completion asks goes to hone.
cat >bin/hone <<END
#!/bin/sh
[ "\$1" != help ] || exec "$hone" "\$@"
printf 'ran:'
printf ' <%s>' "\$@"
echo .
END
chmod +x bin/hone
"$hone" help --print "$shell" >site/_hone
export PATH="$scratch/bin:$PATH" HOME="$scratch" XDG_DATA_HOME="$scratch" XDG_CONFIG_HOME="$scratch" TERM=xterm
unset HISTFILE INPUTRC || :
case $shell in
bash)
    set -- bash --norc --noprofile -i
    begin='source site/_hone; bind "set bell-style none"; PS1="read""y> "'
    ;;
zsh)
    set -- zsh -f -i
    begin='fpath=($PWD/site $fpath); autoload -U compinit; compinit -u -D; unsetopt beep; PS1="read""y> "'
    ;;
fish)
    set -- fish --no-config -i
    begin='source site/_hone; function fish_prompt; echo -n "read""y> "; end'
    ;;
esac
# What is typed, and the words that the command gets. A single candidate is written out at the first tab.
"$typed" "$@" >screen <<END || { cat screen; exit 1; }
type $begin\\n
expect ready>
type hone tun\\t vec\\t --budg\\t 60s\\n
expect ran: <tune> <vector.json> <--budget> <60s>.
expect ready>
type hone run vector.json --sho\\t pt\\t --config blo\\t64\\n
expect ran: <run> <vector.json> <--show> <ptx> <--config> <block=64>.
expect ready>
type hone tune vector.json --format=js\\t --strategy gene\\t -s N\\t512\\n
expect ran: <tune> <vector.json> <--format=json> <--strategy> <genetic> <-s> <N=512>.
expect ready>
type hone init ker\\t\\n
expect ran: <init> <kernel.cu>.
expect ready>
type hone help rank\\t\\n
expect How
END
echo "$shell: commands, options, values, files and names of the spec are completed"
