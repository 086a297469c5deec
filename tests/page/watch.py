"""watch.py HONE SCRATCH: a page whose file is written anew while results come: whole at every moment, equal to what `hone best`
says in the end, cheap, and final once the tune has ended, however it ended."""
import json
import os
import signal
import subprocess
import sys
import time

from fixtures import SPEC, Fixtures

f = Fixtures(sys.argv[1], sys.argv[2])
SANITIZED = "HONE_SANITIZED" in os.environ
for left in os.listdir(f.scratch):
    if ".sqlite" in left or left.endswith(".html"):
        os.remove(f.path(left))


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def wait_for(condition, what, seconds=60):
    """As long as on an idle machine, times check's factor for its limits."""
    until = time.monotonic() + seconds * int(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))
    while not condition():
        check(time.monotonic() < until, what)
        time.sleep(0.05)


def start(*arguments, **how):
    return subprocess.Popen([f.hone, *arguments], cwd=f.scratch, env=f.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, **{"stdin": subprocess.DEVNULL, **how})


def page_of(name):
    try:
        with open(f.path(name), encoding="utf-8") as page:
            text = page.read()
    except FileNotFoundError:
        return ""
    check(text.endswith("</html>\n"), "half a page: %d bytes" % len(text))
    return text


def is_live(page):
    return 'data-reload="' in page


def count(page):
    text = page.split('<script type="application/json" class="data">', 1)
    return json.loads(text[1].split("</script>", 1)[0])["count"] if len(text) > 1 else 0


def fact(page, name):
    return float(page.split('data-name="%s" data-v="' % name, 1)[1].split('"', 1)[0])


def processor_seconds(pid):
    with open("/proc/%d/stat" % pid) as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_final(name):
    page = page_of(name)
    return page != "" and not is_live(page)


def test_tune():
    """The page is there from the start, follows, and in the end is that of all that was found."""
    f.tune()
    with open(f.path("slow.json"), "w") as out:
        json.dump(dict(SPEC, Constants={"N": 5000000}), out)
    tune = start("tune", "slow.json", "--store", "live.sqlite", "--report", "tune.html", "--rule", "rounds=25", "--json")
    pages = []
    while tune.poll() is None:
        page = page_of("tune.html")
        if page and (not pages or page != pages[-1]):
            pages.append(page)
        time.sleep(0.02)
    out, err = tune.communicate()
    check(tune.returncode == 0, err)
    check("Report: tune.html" in err and "tune.html" not in out.replace("--report tune.html", ""), err)
    check(len(pages) >= 3 and is_live(pages[0]) and is_live(pages[1]), "%d pages" % len(pages))
    check('<noscript><meta http-equiv="refresh" content="2"></noscript>' in pages[0], "without its script it stays")
    last = page_of("tune.html")
    check(not is_live(last) and 'http-equiv="refresh"' not in last and 'class="live"' not in last, "the last page is not final")
    best = json.loads(f.run("best", "slow.json", "--store", "live.sqlite", "--json"))
    check(fact(last, "median_ns") == best["median_ns"], "the last page has %s, not %s" % (fact(last, "median_ns"), best["median_ns"]))
    check(count(last) == 16, "%d configurations" % count(last))
    check([n for n in os.listdir(f.scratch) if n.startswith("tune.html")] == ["tune.html"], "it leaves files: %s" % os.listdir(f.scratch))


def test_ended():
    """Ctrl-C, and a tune that is killed: the page is final, and its process gone."""
    for how in (signal.SIGINT, signal.SIGKILL):
        name = "ended-%d" % how
        tune = start("tune", "slow.json", "--store", name + ".sqlite", "--report", name + ".html", "--rule", "rounds=10000")
        wait_for(lambda: "of 16 configurations" in page_of(name + ".html").split("<main>")[0], "no page", 120)
        with open("/proc/%d/task/%d/children" % (tune.pid, tune.pid)) as children:
            own = [int(p) for p in children.read().split()]
        own = [p for p in own if b"--watch=stdin" in open("/proc/%d/cmdline" % p, "rb").read()]
        check(len(own) == 1, own)
        tune.send_signal(how)
        tune.communicate()
        wait_for(lambda: is_final(name + ".html"), "the page goes on", 60)
        wait_for(lambda: not os.path.exists("/proc/%d/cmdline" % own[0]) or open("/proc/%d/cmdline" % own[0], "rb").read() == b"",
                 "its process outlives the tune", 30)


def test_store():
    """What another process writes is on the page a moment later; Ctrl-C ends it."""
    f.run("tune", "scale.json", "--store", "watched.sqlite", "--where", "MODE == 1", "--unranked")
    watch = start("report", "watched.sqlite", "--watch", "-o", "watched.html")
    wait_for(lambda: is_live(page_of("watched.html")), "no page")
    check(count(page_of("watched.html")) == 4, "%d configurations" % count(page_of("watched.html")))
    f.run("tune", "scale.json", "--store", "watched.sqlite", "--unranked")
    wait_for(lambda: count(page_of("watched.html")) == 16, "what another process wrote does not arrive")
    spec = dict(SPEC, General={"BenchmarkName": "more"}, Constants={"N": 30000})
    with open(f.path("more.json"), "w") as out:
        json.dump(spec, out)
    f.run("tune", "more.json", "--store", "watched.sqlite", "--unranked")
    wait_for(lambda: ">more" in page_of("watched.html"), "another spec does not arrive")
    watch.send_signal(signal.SIGINT)
    _, err = watch.communicate()
    check(watch.returncode == 0 and "until Ctrl-C" in err, err)
    check(is_final("watched.html"), "the last page is not final")


def test_cost():
    """A hundredth of a core, on a store that changes all the time."""
    f.run("tune", "scale.json", "--store", "cost.sqlite", "--unranked")
    name = f.recorded("cost.json", 20000)
    watch = start("report", "cost.sqlite", name, "--watch", "-o", "cost.html")
    wait_for(lambda: is_live(page_of("cost.html")), "no page")
    page = page_of("cost.html")
    began, spent = time.monotonic(), processor_seconds(watch.pid)
    while time.monotonic() - began < 8:
        os.utime(f.path("cost.sqlite"))
        time.sleep(0.05)
    elapsed = time.monotonic() - began
    spent = processor_seconds(watch.pid) - spent
    one = 1.5 if SANITIZED else 0.6  # a page that is being made
    print("%.2f s of processor time in %.1f s" % (spent, elapsed))
    check(spent < elapsed / 100 + one, "%.2f s of processor time in %.1f s" % (spent, elapsed))
    seconds = int(page.split('data-reload="')[1].split('"')[0])
    check(2 <= seconds <= 60, "it loads itself anew every %d s" % seconds)
    watch.send_signal(signal.SIGTERM)
    check(watch.wait(120) == 0 and is_final("cost.html"), "SIGTERM")


def test_input():
    """--watch=stdin: the last line of standard input is shown, and its end is the end."""
    watch = start("report", "tuned.sqlite", "--watch=stdin", "-o", "input.html", stdin=subprocess.PIPE)
    head = lambda: page_of("input.html").split("<main>")[0]
    for line, shown in (("first", "first"), ("<script>alert(1)</script>\u202e", "&lt;script&gt;alert"), ("x" * 5000 + "\nlast", ">last<")):
        watch.stdin.write(line + "\n")
        watch.stdin.flush()
        wait_for(lambda: shown in head(), "%r does not arrive" % line)
        check("\u202e" not in head(), "control characters are passed on")
    watch.stdin.close()
    check(watch.wait(120) == 0 and is_final("input.html"), "the end of standard input")


def test_wrong_use():
    def refused(words, *arguments, status=2):
        done = subprocess.run([f.hone, *arguments], cwd=f.scratch, env=f.environment, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120)
        check(done.returncode == status and words in done.stderr, "%s: %d, %s" % (arguments, done.returncode, done.stderr))

    refused("rewrites a whole page", "report", "tuned.sqlite", "--watch", "-o", "x.svg", "--format", "svg", "--views", "evaluations")
    refused("--watch needs --output", "report", "tuned.sqlite", "--watch")
    refused("--watch=stdin", "report", "tuned.sqlite", "--until-eof")
    refused("exclude each other", "tune", "scale.json", "--report", "x.html", "--no-store")
    refused("exclude each other", "tune", "scale.json", "--report", "x.html", "--build-only")
    # What cannot be read or written at all ends it as it does without.
    refused("cannot", "report", "nowhere.json", "--watch", "-o", "x.html")
    refused("nowhere/x.html", "tune", "scale.json", "--store", "x.sqlite", "--report", "nowhere/x.html", status=1)
    # No page is written over what it is made from.
    for name in ("scale.json", "tuned.sqlite"):
        refused("name another one", "tune", "scale.json", "--store", "tuned.sqlite", "--report", name)
        refused("name another one", "report", "scale.json", "--store", "tuned.sqlite", "-o", name)
    check(not os.path.exists(f.path("x.html")), "a page of what was refused")


for test in (test_tune, test_ended, test_wrong_use, test_store, test_input, test_cost):
    test()
    print(test.__name__ + ": all is well", flush=True)
print("watch: all is well")
