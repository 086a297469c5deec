"""following.py HONE SCRATCH: a page whose file is written anew, in a headless Chromium: it loads itself anew, keeps what is filtered,
sorted, opened and brushed, and stays once it is final. Skipped where Chromium is not installed."""
import json
import os
import signal
import subprocess
import sys
import time

from devtools import Browser, check, find_browser
from fixtures import Fixtures

program = find_browser()
if not program:
    print("skipped: Chromium is not installed")
    sys.exit(77)
f = Fixtures(sys.argv[1], sys.argv[2])
COUNT = "document.querySelector('.count').textContent"


def value_of(page, expression):
    """None while the page is being loaded."""
    try:
        return page.value(expression)
    except RuntimeError:
        return None


def start(*arguments):
    return subprocess.Popen([f.hone, *arguments], cwd=f.scratch, env=f.environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL)


def wait_for(page, expression, what, seconds=120):
    """As long as on an idle machine, where a page loads itself anew once a minute at least, times check's factor for its limits.
    A page that loads itself anew may do so again between two questions: what holds of it is waited for, never asked once."""
    until = time.monotonic() + seconds * int(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))
    while not value_of(page, expression):
        check(time.monotonic() < until, "%s: %s" % (what, value_of(page, "document.body ? document.body.textContent.slice(0, 300) : ''")))
        time.sleep(0.2)


IN_USE = ("document.querySelector('.count') && (dispatchEvent(new Event('wheel')), "
          "window.user ??= setInterval(() => dispatchEvent(new Event('wheel')), 200))")


def in_use(page):
    """A page that is being used does not load itself anew: what is asked next is asked of one and the same page. One that was about
    to do so when it was touched is touched again."""
    while True:
        wait_for(page, IN_USE, "the page is gone")
        time.sleep(1)
        if value_of(page, "window.user"):
            return


def left_alone(page):
    page.value("(clearInterval(window.user), window.user = undefined)")


def follow_store(browser):
    f.tune()
    path = f.path("followed.sqlite")
    if os.path.exists(path):
        os.remove(path)
    f.run("tune", "scale.json", "--store", path, "--where", "MODE == 1", "--unranked")
    name = f.path("followed.html")
    if os.path.exists(name):
        os.remove(name)
    watch = start("report", path, "--watch", "-o", name)
    while not os.path.exists(name):
        check(watch.poll() is None, "it ended")
        time.sleep(0.1)
    page = browser.open()
    page.load(name)
    wait_for(page, "document.querySelector('.live').textContent.startsWith('Live')", "the page does not say that it is live")
    in_use(page)
    check(page.value(COUNT) == "4 of 4 configurations", page.value(COUNT))
    page.value("(() => { const i = document.querySelector('.tools input'); i.value = 'STEP >= 4'; i.dispatchEvent(new Event('input')); })()")
    page.value("[...document.querySelectorAll('.table th button')].find(b => b.textContent.startsWith('time')).click()")
    page.value("document.querySelector('.table details').open = true")
    page.value("(() => { const i = document.querySelector('.tools input'); i.focus(); i.setSelectionRange(2, 5); })()")
    written = page.value("document.querySelector('header p.note').textContent")
    left_alone(page)
    f.run("tune", "scale.json", "--store", path, "--where", "MODE <= 2", "--unranked")
    wait_for(page, COUNT + " === '4 of 8 configurations'", "the page does not follow, or loses its filter")
    in_use(page)
    for expression, what in (
            ("document.querySelector('.tools input').value === 'STEP >= 4'", "the filter is gone"),
            ("document.querySelector('.table th[aria-sort]').textContent.startsWith('time')", "the order is another"),
            ("document.querySelector('.table details').open", "what was open is closed"),
            ("(i => i === document.querySelector('.tools input') && i.selectionStart === 2 && i.selectionEnd === 5)(document.activeElement)",
             "who typed into the filter cannot go on"),
            ("document.querySelectorAll('header p.note').length === 1", "the header has several dates"),
            ("document.querySelector('header p.note').textContent !== %s" % json.dumps(written), "the date stays that of the first page")):
        wait_for(page, expression, what, 20)
    # What is brushed stays so: by what it is, not by where it stood.
    page.value("(() => { const i = document.querySelector('.tools input'); i.value = ''; i.dispatchEvent(new Event('input')); })()")
    box = page.value("(() => { document.querySelector('.distribution .plot').scrollIntoView({block: 'center'}); const r = document.querySelector("
                     "'.distribution svg').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")
    page.drag(box[0] + box[2] * 0.5, box[1] + box[3] * 0.1, box[0] + box[2] * 0.99, box[1] + box[3] * 0.9)
    check(page.value("document.querySelectorAll('.brush').length") == 1, "nothing is selected")
    selected = "[...document.querySelectorAll('.table tbody tr')].map(r => r.textContent)"
    before = page.value(selected)
    check(0 < len(before) < 8, "brushed: %s" % before)
    left_alone(page)
    f.run("tune", "scale.json", "--store", path, "--unranked")
    wait_for(page, COUNT + ".endsWith('of 16 configurations')", "the page does not follow while something is selected")
    in_use(page)
    wait_for(page, "document.querySelectorAll('.brush').length === 1", "the brush is gone", 20)
    # Ranks change with what is new: configurations and times are the same.
    rest = "[...document.querySelectorAll('.table tbody tr')].map(r => [...r.cells].slice(1).map(c => c.textContent).join())"
    after = page.value(rest)
    address_now = page.value("location.href")
    check("~" in address_now, "the address does not say what is selected: %s" % address_now)
    page.load(address_now + "x")  # another address, so that the page is loaded anew
    page.load(address_now)
    wait_for(page, COUNT + ".endsWith('of 16 configurations')", "the page is not there again")
    in_use(page)
    check(after, "nothing is selected")
    wait_for(page, "JSON.stringify(%s) === %s" % (rest, json.dumps(json.dumps(after, separators=(",", ":"), ensure_ascii=False))),
             "what is selected is lost when the page is loaded again")
    page.value("document.querySelector('.tools button').click()")
    check(page.value(COUNT) == "16 of 16 configurations", "Show all: " + page.value(COUNT))
    foreign = [u for u in page.requests() if not u.startswith("file://" + name)]
    check(foreign == [], "requests: %s" % foreign)
    check(page.complaints() == [], page.complaints())
    left_alone(page)
    watch.send_signal(signal.SIGINT)
    check(watch.wait(60) == 0, "Ctrl-C")
    stays(page)


def follow_tune(browser):
    path, name = f.path("tune.sqlite"), f.path("tune.html")
    for left in (path, name):
        if os.path.exists(left):
            os.remove(left)
    tune = start("tune", "scale.json", "--store", path, "--report", name, "--rule", "rounds=400")
    while not os.path.exists(name):
        check(tune.poll() is None, "it ended")
        time.sleep(0.1)
    page = browser.open()
    page.load(name)
    check(tune.wait(900) == 0, "the tune")
    stays(page)
    check(page.value("document.querySelector('.finalists') !== null"), "the ranking is not there")


def stays(page):
    """The final page comes by itself, and is not loaded again."""
    wait_for(page, "document.querySelector('.count') && !document.querySelector('.live')", "the final page does not come")
    check(page.value(COUNT) == "16 of 16 configurations", page.value(COUNT))
    page.value("document.title = 'marked'")
    time.sleep(5)
    check(page.value("document.title") == "marked", "the final page is loaded again")


browser = Browser(program)
try:
    for test in (follow_store, follow_tune):
        test(browser)
        print(test.__name__ + ": all is well", flush=True)
finally:
    browser.close()
