# ThreadSanitizer for test.sh (sourced): does it work here, and what did it find? Programs of ours run in processes that
# tests and hone start, whose messages may be shown nowhere: so each report is a file, and any file is a failure.

# How programs are started: with an address space that is laid out as ThreadSanitizer expects it, where it is otherwise too
# random ("unexpected memory mapping").
tsan_runner=

# A program with a race is reported only where ThreadSanitizer works: seen in its exit status.
finds_a_race() { # program
    status=0
    TSAN_OPTIONS=exitcode=66 $tsan_runner "$1" >"$1.log" 2>&1 || status=$?
    [ $status = 66 ] && grep -q 'data race' "$1.log"
}

find_tsan() { # build folder
    mkdir -p "$1"
    racy=$1/racy
    "${CC:-cc}" -fsanitize=thread -o "$racy" "$root/tests/support/racy.c" -pthread >"$racy.log" 2>&1 &&
        finds_a_race "$racy" && return
    [ ! -x "$racy" ] || {
        tsan_runner="setarch $(uname -m) -R"
        finds_a_race "$racy" && return
    }
    say "skipped: ThreadSanitizer does not work here"
    tail -n 5 "$racy.log"
    return 1
}

run_under_tsan() { # command...
    tested=0 reports=$scratch/tsan
    mkdir "$reports"
    # A worker's death and end must look and take as they do without it.
    TSAN_OPTIONS="log_path=$reports/report handle_segv=0 handle_abort=0 handle_sigbus=0 atexit_sleep_ms=0" \
        $tsan_runner "$@" || tested=$?
    [ -n "$(ls "$reports")" ] || return "$tested"
    say "ThreadSanitizer reports"
    cat "$reports"/*
    return 1
}
