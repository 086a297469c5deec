"""browser.py HONE SCRATCH: report pages in a headless Chromium, as a person has them: opened from disk with nothing asked of
a network, filtered, brushed, sorted, used by keys alone, printed, narrow and wide, light and dark, with and without a script;
hostile texts do nothing. Skipped where no Chromium is installed. HONE_SCREENSHOTS=FOLDER keeps pictures to look at."""
import base64
import os
import re
import sys
import urllib.parse
import xml.dom.minidom

from devtools import Browser, check, find_browser
from fixtures import HOSTILE, Fixtures
from outline import compare

program = find_browser()
if not program:
    print("skipped: no Chromium is installed")
    sys.exit(77)
f = Fixtures(sys.argv[1], sys.argv[2])
SHOTS = os.environ.get("HONE_SCREENSHOTS")
VIEWS = "[...document.querySelectorAll('[data-view]')].map(v => v.dataset.view)"
COUNT = "document.querySelector('.count').textContent"


def opened(browser, name, **how):
    page = browser.open(**how)
    page.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    page.seconds = page.load(f.path(name))
    check([u for u in page.requests() if not u.startswith("file://")] == [], "requests: %s" % page.requests())
    check(len(page.requests()) == 1, "more than the file is asked for: %s" % page.requests())
    check(page.complaints() == [], "%s: %s" % (name, page.complaints()))
    return page


def filtered(page, text):
    page.value("(() => { const i = document.querySelector('.tools input'); i.value = %r; "
               "i.dispatchEvent(new Event('input')); })()" % text)
    return page.value("new Promise(r => setTimeout(() => r(%s), 400))" % COUNT)


def look(page, name):
    """No wider than its window, and every picture has a size."""
    wide = page.value("document.documentElement.scrollWidth - window.innerWidth")
    check(wide <= 0, "%s is %s pixels wider than its window" % (name, wide))
    empty = page.value("[...document.querySelectorAll('.plot')].filter(p => !p.closest('details:not([open])') && [...p.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width).length !== 1).length")
    check(empty == 0, "%s has %s places without one picture" % (name, empty))
    if SHOTS:
        page.screenshot(os.path.join(SHOTS, name + ".png"))


# Of a page laid out for paper: what only a screen can use, what is cut off, its colours, the tables that stand open.
PAPER = """(() => {
    dispatchEvent(new Event("beforeprint"));
    const seen = e => e.checkVisibility(), style = getComputedStyle(document.body);
    const out = {
        controls: [...document.querySelectorAll("button, summary, input, #told")].filter(seen).map(e => e.textContent || e.value),
        wide: [...document.querySelectorAll(".plot svg, table, pre, dd, h2")].filter(e => seen(e) && e.getBoundingClientRect().right > innerWidth + 1)
            .map(e => e.closest("section").className + ": " + e.tagName),
        scrolled: [...document.querySelectorAll(".scroll, pre")].filter(e => e.scrollHeight > e.clientHeight + 1).length,
        colours: [style.color, style.backgroundColor],
        tables: [...document.querySelectorAll("[data-view]")].filter(e => [...e.querySelectorAll("table")].some(seen)).map(e => e.dataset.view),
    };
    dispatchEvent(new Event("afterprint"));
    return out;
})()"""


def check_paper(page, name, most, controls=()):
    """On A4 and Letter all fits the width, and nothing is there that only a screen can use; the PDF has few pages."""
    for paper, width, height in (("A4", 8.27, 11.69), ("Letter", 8.5, 11)):
        page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        page.call("Emulation.setDeviceMetricsOverride", width=int((width - 0.8) * 96), height=900, deviceScaleFactor=1, mobile=False)
        seen = page.value(PAPER)
        page.call("Emulation.setEmulatedMedia", media="")
        what = "%s on %s: " % (name, paper)
        check(seen["controls"] == list(controls), what + "controls: %s" % seen["controls"])
        check(seen["wide"] == [] and seen["scrolled"] == 0, what + "cut off: %s, %d" % (seen["wide"], seen["scrolled"]))
        check(seen["colours"] == ["rgb(27, 27, 27)", "rgb(255, 255, 255)"], what + "colours: %s" % seen["colours"])
        data = base64.b64decode(page.call("Page.printToPDF", printBackground=True, paperWidth=width, paperHeight=height)["data"])
        pages = len(re.findall(rb"/Type\s*/Page\b", data))
        check(data.startswith(b"%PDF") and 2 <= pages <= most, what + "%d pages" % pages)
        if SHOTS:
            with open(os.path.join(SHOTS, "%s-%s.pdf" % (name, paper)), "wb") as out:
                out.write(data)
    check(page.value("document.querySelectorAll('.view details.rows[open]').length") == 0, "what was opened for paper stays open")
    return seen["tables"]


def test_tuned(browser):
    f.tune()
    f.report("tuned.html", "scale.json", "--store", "tuned.sqlite")
    f.report("empty.html", "scale.json", "--store", "tuned.sqlite", "--set", "N=1", status=1)
    trees = []
    for width, dark in ((380, False), (400, True), (1280, False), (1280, True), (2400, False), (2500, True)):
        page = opened(browser, "tuned.html", width=width, dark=dark)
        look(page, "tuned-%d-%s" % (width, "dark" if dark else "light"))
        trees.append(page.value("[...document.body.querySelectorAll('*')].map(e => e.tagName).join(' ')"))
        if width != 2500:
            page.close()
    check(len(set(trees)) == 1, "the elements differ with the width")
    views = page.value(VIEWS)
    check(views[0] == "finalists" and {"finalists", "failures", "table"} <= set(views), "views: %s" % views)
    check(page.value("document.querySelectorAll('section.answer pre').length") == 2, "options and header")
    check(filtered(page, "status = compile") == "4 of 16 configurations", filtered(page, "status = compile"))
    check(page.value("document.querySelectorAll('.table tbody tr').length") == 4, "the table follows the filter")
    check("is not a parameter" in filtered(page, "nothing = 1"), "a wrong filter is said")
    check("is not a parameter" in filtered(page, "constructor = 1"), "what every object has is not a column")
    for text, count in (('message ~ "wrong, relative"', 4), ("status = correct and STEP = 2", 2), ("STEP=2,MODE=1", 1), ("STEP = 2 && MODE >= 2", 3),
                        ("time < 1s  and  rank <= 3", 3), ("STEP != 2", 12), ("", 16)):
        check(filtered(page, text) == "%d of 16 configurations" % count, "%s: %s" % (text, page.value(COUNT)))
    filtered(page, "")
    tables = check_paper(page, "tuned", 9)
    check({"finalists", "failures", "table"} <= set(tables) and "samples" not in tables, "tables on paper: %s" % tables)
    filtered(page, "status = correct")
    check_paper(page, "filtered", 9, ["status = correct"])
    page.close()
    empty = opened(browser, "empty.html")
    check("no results" in empty.value("document.body.textContent").lower(), "an empty page says so")
    empty.close()


def test_several(browser):
    """Two devices, two languages: a set each, filtered by itself."""
    f.variants()
    for name in ("devices", "languages"):
        f.report(name + ".html", "tuned.sqlite", name + ".sqlite")
        page = opened(browser, name + ".html")
        look(page, name)
        check(page.value("document.querySelectorAll('article.set').length") == 2, "%s: two sets" % name)
        check(page.value("document.querySelectorAll('nav > ul > li').length") == 2, "%s: links to both" % name)
        filtered(page, "status = compile")
        counts = page.value("[...document.querySelectorAll('.count')].map(c => c.textContent)")
        check(counts == ["4 of 16 configurations", "16 of 16 configurations"], counts)
        filtered(page, "")
        check_across(page, name)
        page.close()


def check_across(page, name):
    """What is brushed in the picture of two sets is selected in both; what is selected is drawn in it, and in the others."""
    counts = "[...document.querySelectorAll('.count')].map(c => parseInt(c.textContent))"
    drawn = "(document.querySelector('.beside .points.over').getAttribute('d').match(/h0/g) || []).length"
    rows = page.value("document.querySelector('.beside .points.over').getAttribute('d')")
    check(rows == "", "nothing is selected, and drawn: %s" % rows)
    box = page.value("(() => { document.querySelector('.beside .plot').scrollIntoView({block: 'center'}); const r = document.querySelector("
                     "'.beside svg').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")
    page.drag(box[0] + box[2] * 0.13, box[1] + box[3] * 0.10, box[0] + box[2] * 0.97, box[1] + box[3] * 0.85)
    both, points = page.value(counts), page.value(drawn)
    check(both[0] == both[1] == points and 0 < points < 16, "%s: %s are selected, %s drawn" % (name, both, points))
    check(page.value("document.querySelectorAll('.matrix g.over rect').length") >= 1, "the matrix of what is selected")
    page.value("document.querySelector('.tools button').click()")
    check(page.value(counts) == [16, 16], "Show all of one set ends what was brushed for both: %s" % page.value(counts))
    check(page.value("document.querySelectorAll('.matrix g.over rect').length") == 0, "the matrix of all is back")


def test_loaded_again(browser):
    """What is filtered, brushed (also across sets), sorted and chosen is there when the page is loaded again, and sent as a link;
    an address that somebody made up does nothing."""
    page = opened(browser, "devices.html")
    state = ("JSON.stringify([[...document.querySelectorAll('.count')].map(c => c.textContent), document.querySelectorAll('.brush').length,"
             "document.querySelector('.tools input').value, document.querySelector('.table th[aria-sort]').textContent,"
             "document.querySelector('.heatmap select').value, [...document.querySelectorAll('.over[d]')].map(p => p.getAttribute('d'))])")
    usual = page.value(state)
    filtered(page, "STEP >= 2")
    page.value("[...document.querySelectorAll('.table th button')].find(b => b.textContent.startsWith('time')).click()")
    page.value("(() => { const [s, t] = document.querySelectorAll('.heatmap select'); t.value = s.value; s.value = 1 - s.value;"
               "for (const e of [s, t]) e.dispatchEvent(new Event('change', {bubbles: true})); })()")
    for view, box in (("beside", (0.13, 0.10, 0.97, 0.70)), ("evaluations", (0.15, 0.1, 0.9, 0.95)), ("parallel", (0.10, 0.2, 0.16, 0.8))):
        at = page.value("(() => { document.querySelector('.%s .plot').scrollIntoView({block: 'center'}); const r = document.querySelector("
                        "'.%s svg').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()" % (view, view))
        page.drag(*(at[k % 2] + at[2 + k % 2] * box[k] for k in range(4)))
    check(page.value("document.querySelectorAll('.brush').length") == 3, "three are brushed")
    there = page.value("new Promise(r => setTimeout(() => r(%s), 600))" % state)
    address = page.value("location.href")
    check(there != usual and "~" in address, "nothing is selected, or the address does not say it: " + address)
    page.close()
    page = browser.open()
    page.load(address)
    check(page.value(state) == there, "loaded again it is %s, not %s" % (page.value(state), there))
    # A link within the page takes it along; Show all ends it.
    page.value("document.querySelector('nav a[href$=set-1]').click()")
    moved = page.value("new Promise(r => setTimeout(() => r(location.hash), 400))")
    check(moved.startswith("#set-1~"), moved)
    page.value("document.querySelectorAll('.tools button').forEach(b => b.click())")
    left = page.value("new Promise(r => setTimeout(() => r(location.hash), 600))")
    check("brush" not in left and "beside" not in left and "STEP" not in left, "the address keeps what is over: " + left)
    check(page.complaints() == [], page.complaints())
    page.close()
    key = page_key = "0 " + re.search("<h2>(scale [^<]*)</h2>", open(f.path("devices.html")).read())[1]
    check(page_key, "no title")
    for made_up in ("~", "~%", "~{", "~null", "~[]", "~5", '~{"sets":5,"across":[]}', '~{"sets":{"__proto__":{"filter":"x"}}}',
                    *('~{"sets":{"%s":%s}}' % (key, k) for k in (
                        "null", "7", '{"filter":{},"views":{"evaluations":["a",1,2,3],"distribution":[1],"parallel":[[99,0,1],5,[0,null,1]]}}',
                        '{"filter":"<img src=x onerror=alert(1)>","views":{"heatmap":[true,99,-1,"x"],"table":{"by":"nothing","page":1e9}}}',
                        '{"views":{"evaluations":[1e308,-1e308,1e999,0],"table":7,"parallel":{},"heatmap":null}}')),
                    '~{"across":{"beside of scale: all sets together":["a","b",1,2,3,4],"constructor":[1]}}'):
        page = browser.open()
        page.load("file://" + f.path("devices.html") + "#" + urllib.parse.quote(made_up, safe="~%"))
        check(page.complaints() == [], "%s: %s" % (made_up, page.complaints()))
        check(page.value("document.querySelectorAll('.count').length") == 2 and page.value("document.querySelectorAll('img').length") == 0, made_up)
        page.close()


def test_keys(browser):
    """All that is for the mouse works by keys alone; of brushing that of an axis, and the filter's line."""
    page = opened(browser, "recorded.html")
    page.value("document.querySelector('.tools input').focus()")
    for character in "parameter_0 = 3":
        page.key(character, text=character)
    check(page.value("new Promise(r => setTimeout(() => r(%s), 500))" % COUNT).startswith("125 of 1000"), page.value(COUNT))
    page.key("Tab")
    check(page.value("document.activeElement.textContent") == "Show all", "Tab comes to Show all")
    page.key("Enter", text="\r")
    check(page.value(COUNT).startswith("1000 of 1000"), page.value(COUNT))
    seen = set()
    page.value("document.activeElement.blur()")
    for _ in range(80):
        page.key("Tab")
        what = page.value("(() => { const e = document.activeElement, s = e.closest('[data-view]'); return (s ? s.dataset.view : '') + ' ' + e.tagName; })()")
        seen.add(what)
    check({"evaluations DIV", "heatmap SELECT", "table BUTTON", "table SUMMARY", "table DIV"} <= seen, "Tab comes to %s" % sorted(seen))
    ring = page.value("(() => { const e = document.querySelector('.table th button'); e.focus({focusVisible: true}); return getComputedStyle(e).outlineStyle; })()")
    check(ring == "solid", "what has the focus is not seen: %s" % ring)
    sort = "document.querySelector('.table th[aria-sort]').getAttribute('aria-sort') + document.activeElement.textContent"
    page.key("Enter", text="\r")
    first = page.value(sort)
    page.key("Enter", text="\r")
    check({first[:3], page.value(sort)[:3]} == {"asc", "des"}, "Enter does not sort: %s, %s" % (first, page.value(sort)))
    check(page.value("document.activeElement.closest('th') !== null"), "sorting loses the focus")
    # A range of an axis: the third and fourth of the ten values of the second one; then of the times.
    page.value("document.querySelector('.parallel select').focus()")
    page.key("ArrowDown")
    for step in ("Tab", "ArrowDown", "ArrowDown", "Tab", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp", "ArrowUp"):
        page.key(step)
    check(page.value(COUNT).startswith("208 of 1000"), "two of ten values: " + page.value(COUNT))
    page.key("Tab")
    page.key("Enter", text="\r")
    check(page.value(COUNT).startswith("1000 of 1000"), "all of the axis: " + page.value(COUNT))
    page.value("(() => { const [axis, from, to] = document.querySelectorAll('.parallel select'); axis.value = axis.options.length - 1;"
               "axis.dispatchEvent(new Event('change')); from.value = 9; from.dispatchEvent(new Event('change')); })()")
    fast = int(page.value(COUNT).split()[0])
    check(0 < fast < 500, "%d are in the fastest tenth" % fast)
    page.value("document.querySelector('.tools button').click()")
    page.close()


def test_recorded(browser):
    name = f.recorded("recorded.json", 1000)
    f.report("recorded.html", name)
    page = opened(browser, "recorded.html")
    look(page, "recorded")
    check(filtered(page, "parameter_0 = 3 and parameter_2 >= 4").split()[0] == "60",
          filtered(page, "parameter_0 = 3 and parameter_2 >= 4"))
    # What is drawn over the pictures is what the filter leaves.
    drawn = page.value("(document.querySelector('.evaluations .points.over').getAttribute('d').match(/h0/g) || []).length")
    check(40 <= drawn <= 60, "%s points drawn over" % drawn)
    check(filtered(page, "").startswith("1000 of 1000"), "all again")
    compare(page.value("document.documentElement.outerHTML"), "recorded-script")
    # Brushing the left half of the search.
    box = page.value("(() => { document.querySelector('.evaluations .plot').scrollIntoView({block: 'center'}); const r = document.querySelector("
                     "'.evaluations svg').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")
    page.drag(box[0] + box[2] * 0.1, box[1] + box[3] * 0.05, box[0] + box[2] * 0.5, box[1] + box[3] * 0.95)
    brushed = int(page.value(COUNT).split()[0])
    check(200 < brushed < 700, "%d are in the brush" % brushed)
    check(page.value("document.querySelectorAll('.brush').length") == 1, "the brush is drawn")
    page.value("document.querySelector('.tools button').click()")
    check(page.value(COUNT).startswith("1000 of 1000"), "Show all: " + page.value(COUNT))
    # A range of an axis.
    box = page.value("(() => { document.querySelector('.parallel .plot').scrollIntoView({block: 'center'}); const r = document.querySelector("
                     "'.parallel svg').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()")
    page.drag(box[0] + box[2] * 0.10, box[1] + box[3] * 0.45, box[0] + box[2] * 0.12, box[1] + box[3] * 0.85)
    ranged = int(page.value(COUNT).split()[0])
    check(0 < ranged < 1000, "%d are in the range" % ranged)
    page.value("document.querySelector('.tools button').click()")
    # Sorting, by the time downwards.
    times = "[...document.querySelectorAll('.table tbody tr')].map(r => +[...r.cells].find(c => / (ns|us|ms|s)$/.test(c.textContent)).dataset.v)"
    up = page.value(times)
    check(up == sorted(up) and len(up) == 100, "the fastest first")
    for _ in range(2):
        page.value("[...document.querySelectorAll('.table th button')].find(b => b.textContent.startsWith('time')).click()")
    down = page.value(times)
    check(down == sorted(down, reverse=True) and down[0] > up[-1], "the slowest first")
    check_paper(page, "recorded", 8)
    # Another pair of parameters.
    page.value("(() => { const s = document.querySelectorAll('.heatmap select'); s[2].value = 2; s[2].dispatchEvent(new Event('change')); })()")
    check(page.value("document.querySelectorAll('.heatmap rect.cell').length") > 4, "the map is drawn again")


def test_room(browser):
    """Text has one size at every width, and no label is cut; from 1,280 pixels on the sections are listed beside the text, from 1,600
    on views stand in two columns; on a telephone the names of rows stand above them."""
    heights = set()
    for width in (400, 800, 1280, 1600, 2400):
        for name in ("tuned", "devices", "recorded") if width in (400, 1600) else ("tuned",):
            page = opened(browser, name + ".html", width=width)
            beside = page.value("[...document.querySelectorAll('.view>.fold[open]')].map(d => d.parentNode.dataset.view)")
            if name == "tuned": # a picture alone in its row has a folded one opened beside it
                check(beside == (["rounds", "time"] if width >= 1600 else []), "opened at %d pixels: %s" % (width, beside))
            page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
            page.value("new Promise(r => setTimeout(r, 300))")
            look(page, "%s-%d" % (name, width))
            seen = page.value("[...document.querySelectorAll('.plot svg text.tick')].map(t => t.getBoundingClientRect().height).filter(h => h)")
            heights |= {round(h) for h in seen}
            cut = page.value("[...document.querySelectorAll('.plot svg')].filter(s => s.checkVisibility()).flatMap(s => { const b = s.getBoundingClientRect();"
                             "return [...s.querySelectorAll('text')].filter(t => { const r = t.getBoundingClientRect(); return r.width && "
                             "(r.left < b.left - 1 || r.right > b.right + 1 || r.top < b.top - 1 || r.bottom > b.bottom + 1); }).map(t => t.textContent); })")
            check(cut == [], "cut at %d pixels: %s" % (width, cut))
            wide = page.value("[...document.querySelectorAll('.wide svg')].some(s => s.getBoundingClientRect().width)")
            check(wide == (width > 600), "the wide picture at %d pixels: %s" % (width, wide))
            beside = page.value("document.querySelector('nav').checkVisibility() && document.querySelector('nav').getBoundingClientRect().right <= "
                                "document.querySelector('main').getBoundingClientRect().left + 1")
            check(beside == (width >= 1280), "the list at %d pixels: %s" % (width, beside))
            columns = page.value("new Set([...document.querySelectorAll('#part-space-0 .view')].map(v => v.getBoundingClientRect().left)).size")
            check(columns == (2 if width >= 1600 else 1), "%s columns at %d pixels" % (columns, width))
            page.close()
    check(len(heights) == 1, "text of several sizes: %s" % heights)


def test_pin(browser):
    """A point that the pointer is on tells its configuration, time and status; a click pins it in all views."""
    page = opened(browser, "tuned.html")
    at = page.value("(() => { const s = document.querySelector('.evaluations .wide svg'); s.scrollIntoView({block: 'center'}); const m = s.getScreenCTM(),"
                    "f = document.querySelector('.evaluations .wide .points.correct').getAttribute('d').match(/M([0-9.]+) ([0-9.]+)/);"
                    "const p = new DOMPoint(+f[1], +f[2]).matrixTransform(m); return [p.x, p.y]; })()")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
    told = page.value("document.getElementById('tip').textContent")
    check(re.search(r"STEP=\d, MODE=\d — [0-9.]+ [num]?s, correct", told), "the pointer is told: " + told)
    page.drag(at[0], at[1], at[0], at[1])
    marks = page.value("[document.querySelectorAll('tr.pinned').length, document.querySelectorAll('.heatmap .ring.pinned').length > 0,"
                       "document.querySelector('.parallel .line.pinned').getAttribute('d') !== '', document.querySelector('.evaluations .points.pinned').getAttribute('d') !== '',"
                       "document.querySelector('.pinned[role]').textContent]")
    check(marks[:4] == [1, True, True, True] and told in marks[4], "pinned: %s, not %s" % (marks, told))
    address = page.value("new Promise(r => setTimeout(() => r(location.href), 400))")
    page.key("Escape")
    check(page.value("document.querySelectorAll('tr.pinned').length") == 0, "Escape unpins")
    page.value("document.querySelector('.finalists [data-row]').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    check(page.value("document.querySelectorAll('.finalists .hit.pinned').length") == 2, "a finalist is not pinned")
    page.value("document.querySelector('button.pin[aria-pressed=true]').click()")
    check(page.value("document.querySelectorAll('.pinned:is(tr, .hit)').length") == 0, "the button of a row unpins it")
    page.close()
    page = browser.open()
    page.load(address)
    check(page.value("document.querySelector('.pinned[role]').textContent") == marks[4], "the address does not have what is pinned")
    page.close()


def test_menu(browser):
    """Each picture can be kept as SVG, PNG and CSV, from the mailed file alone."""
    page = opened(browser, "tuned.html")
    page.value("(() => { window.kept = []; const make = URL.createObjectURL; URL.createObjectURL = b => { kept.push(b); return make.call(URL, b); }; })()")
    for view in ("finalists", "evaluations", "heatmap"):
        page.value("kept.length = 0; document.querySelectorAll('.%s .menu button').forEach(b => b.click())" % view)
        texts = page.value("new Promise(r => setTimeout(r, 1500)).then(() => Promise.all(kept.map(async b => [b.type, b.type === 'image/png'"
                           "? [...new Uint8Array(await b.arrayBuffer()).slice(1, 4)].map(c => String.fromCharCode(c)).join('') : await b.text()])))")
        by_type = dict(texts)
        check(by_type.get("image/png") == "PNG", "%s: %s" % (view, list(by_type)))
        xml.dom.minidom.parseString(by_type["image/svg+xml"])
        check("<style" in by_type["image/svg+xml"] and "<text" in by_type["image/svg+xml"], "the SVG of " + view)
        check(by_type["text/csv"].count("\n") >= 3 and "," in by_type["text/csv"], "the CSV of " + view)
    check(page.complaints() == [], page.complaints())
    page.close()


def test_hostile(browser):
    f.report("hostile.html", f.recorded("hostile.json", 200, HOSTILE, HOSTILE))
    page = opened(browser, "hostile.html")
    look(page, "hostile")
    filtered(page, "status = compile")
    check(page.value("document.title") != "ran", "a text of others ran")
    check(page.value("document.querySelectorAll('img, iframe').length") == 0, "a text became an element")


def test_without_script(browser):
    page = browser.open()
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    page.load(f.path("recorded.html"))
    check(page.value("document.querySelectorAll('.plot svg path').length") > 50, "pictures without a script")
    check(page.value("document.querySelectorAll('.table tbody tr').length") == 100, "the 100 best without a script")
    check(page.value("document.querySelector('.tools').hidden"), "tools that do nothing are shown")
    if SHOTS:
        page.screenshot(os.path.join(SHOTS, "without-script.png"))


def test_many(browser):
    f.report("many.html", f.recorded("many.json", 100000))
    page = opened(browser, "many.html")
    print("100,000 results are there after %.1f s" % page.seconds)
    check(page.seconds < 60, "100,000 results take %.1f s to open" % page.seconds)
    check(filtered(page, "parameter_0 = 3").endswith("of 100000 configurations"), page.value(COUNT))
    look(page, "many")


if SHOTS:
    os.makedirs(SHOTS, exist_ok=True)
browser = Browser(program)
try:
    for test in (test_tuned, test_several, test_loaded_again, test_recorded, test_keys, test_room, test_pin, test_menu, test_hostile, test_without_script, test_many):
        test(browser)
        print(test.__name__ + ": all is well", flush=True)
finally:
    browser.close()
