"""following.py HONE SCRATCH: a page that is served while it changes, in a headless Chromium: it follows, keeps what is filtered and
sorted, waits while something is selected, asks nobody but its own server, and stays when that ends. Skipped where Chromium or
libmicrohttpd is not installed."""
import os
import signal
import sys
import time

from client import Served, has_library
from devtools import Browser, check, find_browser
from fixtures import Fixtures

program = find_browser()
if not program or not has_library():
    print("skipped: %s is not installed" % ("libmicrohttpd" if program else "Chromium"))
    sys.exit(77)
f = Fixtures(sys.argv[1], sys.argv[2])
COUNT = "document.querySelector('.count').textContent"


def wait_for(page, expression, what, seconds=60):
    until = time.monotonic() + seconds
    while not page.value(expression):
        check(time.monotonic() < until, "%s: %s" % (what, page.value("document.querySelector('header').textContent + ' ' + document.querySelector('main').textContent.slice(0, 300)")))
        time.sleep(0.2)


def follow_store(browser):
    f.tune()
    path = f.path("followed.sqlite")
    if os.path.exists(path):
        os.remove(path)
    f.run("tune", "scale.json", "--store", path, "--where", "MODE == 1", "--unranked")
    served = Served(f, "report", path, "--live")
    address = "http://127.0.0.1:%d/%s/" % (served.port, served.token)
    page = browser.open()
    page.load(address)
    wait_for(page, "document.querySelector('.live').textContent.startsWith('Live')", "the page does not say that it is live")
    check(page.value(COUNT) == "4 of 4 configurations", page.value(COUNT))
    page.value("(() => { const i = document.querySelector('.tools input'); i.value = 'STEP >= 4'; i.dispatchEvent(new Event('input')); })()")
    page.value("[...document.querySelectorAll('.table th button')].find(b => b.textContent.startsWith('time')).click()")
    page.value("document.querySelector('.table details').open = true")
    page.value("(() => { const i = document.querySelector('.tools input'); i.focus(); i.setSelectionRange(2, 5); })()")
    written = page.value("document.querySelector('header p.note').textContent")
    f.run("tune", "scale.json", "--store", path, "--where", "MODE <= 2", "--unranked")
    wait_for(page, COUNT + " === '4 of 8 configurations'", "the page does not follow, or loses its filter")
    check(page.value("document.querySelector('.tools input').value") == "STEP >= 4", "the filter is gone")
    check(page.value("document.querySelector('.table th[aria-sort]').textContent").startswith("time"), "the order is another")
    check(page.value("document.querySelector('.table details').open"), "what was open is closed")
    check(page.value("(i => [i === document.querySelector('.tools input'), i.selectionStart, i.selectionEnd])(document.activeElement)") == [True, 2, 5],
          "who typed into the filter cannot go on")
    check(page.value("document.querySelectorAll('header p.note').length") == 1, "the header has several dates")
    check(page.value("document.querySelector('header p.note').textContent") != written, "the date stays that of the first page")
    # What is brushed stays so: by what it is, not by where it stood.
    page.value("(() => { const i = document.querySelector('.tools input'); i.value = ''; i.dispatchEvent(new Event('input')); })()")
    box = page.value("(() => { document.querySelector('.distribution .plot').scrollIntoView({block: 'center'}); const r = document.querySelector("
                     "'.distribution svg').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")
    page.drag(box[0] + box[2] * 0.5, box[1] + box[3] * 0.1, box[0] + box[2] * 0.99, box[1] + box[3] * 0.9)
    check(page.value("document.querySelectorAll('.brush').length") == 1, "nothing is selected")
    selected = "[...document.querySelectorAll('.table tbody tr')].map(r => r.textContent)"
    before = page.value(selected)
    check(0 < len(before) < 8, "brushed: %s" % before)
    f.run("tune", "scale.json", "--store", path, "--unranked")
    wait_for(page, COUNT + ".endsWith('of 16 configurations')", "the page does not follow while something is selected")
    check(page.value("document.querySelectorAll('.brush').length") == 1, "the brush is gone")
    # Ranks change with what is new: configurations and times are the same.
    rest = "[...document.querySelectorAll('.table tbody tr')].map(r => [...r.cells].slice(1).map(c => c.textContent).join())"
    after = page.value(rest)
    address_now = page.value("location.href")
    check("~" in address_now, "the address does not say what is selected: %s" % address_now)
    page.load(address_now + "x")  # another address, so that the page is loaded anew
    page.load(address_now)
    wait_for(page, COUNT + ".endsWith('of 16 configurations')", "the page is not there again")
    check(page.value(rest) == after and after, "loaded again %s is selected, not %s" % (page.value(rest), after))
    page.value("document.querySelector('.tools button').click()")
    check(page.value(COUNT) == "16 of 16 configurations", "Show all: " + page.value(COUNT))
    foreign = [u for u in page.requests() if not u.startswith(address) and u != address_now + "x"]
    check(foreign in ([], ["http://127.0.0.1:%d/favicon.ico" % served.port]), "requests: %s" % foreign)
    check([c for c in page.complaints() if "favicon" not in c and "403" not in c] == [], page.complaints())
    served.end(signal.SIGINT)
    wait_for(page, "document.querySelector('.live').textContent.startsWith('Ended')", "the page does not say that it ended")
    check(page.value(COUNT) == "16 of 16 configurations", "the page does not stay")


def follow_tune(browser):
    path = f.path("tune.sqlite")
    if os.path.exists(path):
        os.remove(path)
    served = Served(f, "tune", "scale.json", "--store", path, "--live", "--rule", "rounds=60")
    page = browser.open()
    page.load("http://127.0.0.1:%d/%s/" % (served.port, served.token))
    check(served.end() == 0, "".join(served.said))
    wait_for(page, "document.querySelector('.live').textContent.startsWith('Ended')", "the page does not say that the tune ended")
    check(page.value("document.querySelector('.finalists') !== null"), "the ranking is not there")
    check(page.value(COUNT) == "16 of 16 configurations", page.value(COUNT))


browser = Browser(program)
try:
    for test in (follow_store, follow_tune):
        test(browser)
        print(test.__name__ + ": all is well", flush=True)
finally:
    browser.close()
