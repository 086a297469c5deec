#!/bin/sh
# Do rankings repeat? Counts, on this machine, what hone promises of them:
#
#   tests/bench/ranking.sh ties   [BUILD] [TUNES]   ten names of one kernel: how often a ten-fold tie
#   tests/bench/ranking.sh faster [BUILD] [TUNES]   one of ten truly 5 % faster: how often it is named
#   tests/bench/ranking.sh pairs  [BUILD] [PAIRS]   winners of two fresh tunes of matmul_tiled, launched
#                                                   in turn: how often they are not told apart
#   tests/bench/ranking.sh space  [BUILD] [TUNES]   launches per configuration in a space of 200
#   tests/bench/ranking.sh all    [BUILD]
#
# 100 tunes, 20 pairs and 3 tunes of the space by default. HONE_DEVICE names the device (default: a
# CPU by PoCL), ROUNDS the length of the kernel (default 1000, a few milliseconds on a CPU), WIDTH
# the size of the matrices (default 128). Each tune starts without any stored result; compiled
# kernels are kept from one to the next. Let nothing else run meanwhile. Needs sh, sed, awk only.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
what=${1:-all}
build=${2:-$root/build}
count=${3:-}
hone=$build/hone
spin=$root/tests/bench/spin.json
space=$root/tests/bench/spin_space.json
matmul=$root/kernels_cl/matmul_tiled.json
HONE_DEVICE=${HONE_DEVICE:-pthread}
export HONE_DEVICE
rounds=${ROUNDS:-1000}
width=${WIDTH:-128}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
XDG_CACHE_HOME=$work
export XDG_CACHE_HOME

# One tune, as JSON lines in $work/out; without the lines of single results with "quiet".
tune() {
    "$hone" tune "$@" --no-store --json >"$work/out" 2>"$work/err" || {
        cat "$work/err" >&2
        exit 1
    }
}

# The first number of that name in the summary.
summary() {
    sed -n '/"type": *"summary"/p' "$work/out" | tr ',{' '\n\n' | sed -n 's/^"'"$1"'": *\([0-9.]*\).*/\1/p' | sed -n 1p
}

# Of the ranking, which stands as an object in the summary.
ranking() {
    sed -n '/"type": *"summary"/{
        s/.*"ranking": *{\(.*\)/\1/
        s/.*"'"$1"'": *\({[^}]*}\|"[^"]*"\|[^,}]*\).*/\1/p
    }' "$work/out"
}

machine() {
    "$hone" devices | sed -n "1p; /$HONE_DEVICE/p" | cut -c 1-100
    uname -srm
    echo "$(nproc) cores, load $(cut -d ' ' -f 1-3 /proc/loadavg), $(date -u +%Y-%m-%dT%H:%MZ)"
}

ties() {
    tunes=${count:-100}
    all=0
    : >"$work/list"
    for i in $(seq "$tunes"); do
        tune "$spin" --set ROUNDS="$rounds" --seed "$i"
        tied=$(ranking tied)
        echo "$tied $(ranking rounds) $(ranking repeated) $(ranking marked)" >>"$work/list"
        [ "$tied" = 10 ] && all=$((all + 1))
    done
    echo "ties: one kernel under ten names, ROUNDS=$rounds: ten-fold tie in $all of $tunes tunes"
    awk '{ n[$1]++; rounds += $2; repeated += $3; marked += $4 }
         END { for (t in n) printf "  %d tied: %d tunes\n", t, n[t]
               printf "  %.1f rounds a tune; %d run again, %d counted though disturbed\n",
                      rounds / NR, repeated, marked }' "$work/list"
}

# Named: the winner, told apart from all others. Tied: among those that share the first place.
faster() {
    tunes=${count:-100}
    named=0
    tied=0
    for i in $(seq "$tunes"); do
        which=$((i % 10))
        tune "$spin" --set ROUNDS="$rounds" --set FASTER="$which" --seed "$i"
        line=$(sed -n '/"type": *"ranked"/p' "$work/out" |
            sed -n '/"configuration": *{"VARIANT": *'"$which"'}/p')
        case $line in
        *'"tied":true'*) [ "$(ranking tied)" = 1 ] && named=$((named + 1)) || tied=$((tied + 1)) ;;
        esac
    done
    echo "faster: one of ten 5 % faster, ROUNDS=$rounds: named in $named of $tunes tunes, tied with others in $tied"
}

# "a=1,b=2" of the best of a tune.
best() {
    sed -n '/"type": *"summary"/{
        s/.*"best": *{"configuration": *{\([^}]*\)}.*/\1/
        s/"//g
        s/: */=/g
        s/, */,/g
        p
    }' "$work/out"
}

pairs() {
    pairs=${count:-20}
    same=0
    equal=0
    for i in $(seq "$pairs"); do
        tune "$matmul" --set WIDTH="$width" --seed "$i"
        first=$(best)
        tune "$matmul" --set WIDTH="$width" --seed "$((i + 1000))"
        second=$(best)
        if [ "$first" = "$second" ]; then
            equal=$((equal + 1))
            same=$((same + 1))
            continue
        fi
        tune "$matmul" --set WIDTH="$width" --config "$first" --config "$second" --rule near=1000
        if [ "$(ranking tied)" = 2 ]; then
            same=$((same + 1))
        else
            echo "  pair $i: told apart: $first and $second"
        fi
    done
    echo "pairs: winners of two tunes of matmul_tiled, WIDTH=$width: not told apart in $same of $pairs pairs ($equal times the same configuration)"
}

launches() {
    tunes=${count:-3}
    : >"$work/list"
    for i in $(seq "$tunes"); do
        tune "$space" --set ROUNDS="$rounds" --seed "$i" --strategy random
        echo "$(summary launches) $(summary done) $(ranking launches) $(ranking contenders)" >>"$work/list"
    done
    echo "space: 200 configurations, ROUNDS=$rounds, all launches counted (verified, untimed, timed):"
    awk '{ printf "  %.2f a configuration (%.2f of them ranking %d contenders)\n", $1 / $2, $3 / $2, $4
           sum += $1 / $2 }
         END { printf "  %.2f on average over %d tunes\n", sum / NR, NR }' "$work/list"
}

machine
case $what in
ties) ties ;;
faster) faster ;;
pairs) pairs ;;
space) launches ;;
all)
    ties
    faster
    pairs
    launches
    ;;
*)
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
