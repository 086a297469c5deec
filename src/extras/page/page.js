// Filtering and linked brushing. Each set of results has an island of JSON; pictures say in data-x and data-y of their
// frames where which value stands, so that what is selected is drawn over what the file has already. Nothing is fetched,
// and no text becomes markup: elements are made one by one, their texts set as texts. What is filtered, brushed and sorted
// stands behind a ~ in the fragment of the address: a page that is loaded again has it.
"use strict";
(() => {
    const SVG = "http://www.w3.org/2000/svg";
    const MOST = 5000; // points that are drawn over a picture
    const PAGE = 100; // rows of the table at once
    const told = document.getElementById("told");

    const make = (tag, attributes, ...children) => {
        const e = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes || {}))
            if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
            else if (value === true) e.setAttribute(name, "");
            else if (value !== false && value != null) e.setAttribute(name, value);
        e.append(...children);
        return e;
    };
    const draw = (tag, attributes, parent) => {
        const e = document.createElementNS(SVG, tag);
        for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
        if (parent) parent.append(e);
        return e;
    };
    const number = v => v === 0 ? "0" : Number(v.toPrecision(4)).toString();
    const time = ns => {
        if (Number.isNaN(ns)) return "";
        for (const [size, unit] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]])
            if (ns >= size || size === 1) return (ns / size).toPrecision(4) + " " + unit;
    };

    // ---- data ------------------------------------------------------------------------------------

    const column = (text, count, otherwise) => {
        const out = new Float64Array(count).fill(otherwise);
        if (text) text.split(",").forEach((v, i) => { out[i] = v === "" ? NaN : +v; });
        return out;
    };

    const read = article => {
        const d = JSON.parse(article.querySelector("script.data").textContent);
        const n = d.count;
        for (const name of ["status", "message", "ranked", "at"]) d[name] = column(d[name], n, 0);
        for (const name of ["time", "low", "high", "screened", "samples"]) d[name] = column(d[name], n, NaN);
        d.choice = d.choice.map(c => column(c, n, 0));
        d.metric = d.metric.map(c => column(c, n, NaN));
        d.alone = d.time.map((t, i) => Number.isNaN(d.screened[i]) ? t : d.screened[i]);
        d.varied = d.parameters.map((p, i) => i).filter(i => d.parameters[i].values.length > 1);
        d.rank = new Float64Array(n).fill(NaN);
        [...d.time.keys()].filter(i => d.time[i] > 0).sort((a, b) => d.time[a] - d.time[b] || a - b)
            .forEach((row, i) => { d.rank[row] = i + 1; });
        return d;
    };

    const configuration = (d, i) =>
        d.varied.map(p => d.parameters[p].name + "=" + d.parameters[p].values[d.choice[p][i]]).join(", ");

    const describe = (d, i) => {
        const status = d.statuses[d.status[i]], message = d.messages[d.message[i]];
        const what = d.time[i] > 0 ? time(d.time[i]) + ", " + status + (d.ranked[i] ? ", ranked" : "")
            : status + (message && message !== status ? ": " + message : "");
        return configuration(d, i) + " — " + what;
    };

    // A text beside the pointer.
    const tip = document.body.appendChild(make("div", { id: "tip", hidden: true, "aria-hidden": "true" }));
    const hint = (text, event) => {
        tip.hidden = !text;
        if (!text) return;
        tip.textContent = text;
        tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
        tip.style.top = (event.clientY + 18 + tip.offsetHeight > innerHeight ? event.clientY - 10 - tip.offsetHeight : event.clientY + 18) + "px";
    };

    // ---- the filter: "time < 2ms and block_size_x = 16" --------------------------------------------

    const UNITS = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 };

    const operand = (d, name) => {
        const p = d.parameters.findIndex(q => q.name === name);
        if (p >= 0) return i => d.parameters[p].values[d.choice[p][i]];
        const m = d.metrics.indexOf(name);
        if (m >= 0) return i => d.metric[m][i];
        const others = { time: i => d.time[i], status: i => d.statuses[d.status[i]], message: i => d.messages[d.message[i]],
                 samples: i => d.samples[i], rank: i => d.rank[i], evaluation: i => i + 1 };
        return Object.hasOwn(others, name) ? others[name] : null;
    };

    const compare = {
        "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b,
        "=": (a, b) => String(a) === String(b) || (a !== "" && b !== "" && +a === +b),
        "!=": (a, b) => !compare["="](a, b),
        "~": (a, b) => String(a).includes(b),
    };

    // The words that join comparisons: not within a text, where an odd number of quotation marks follows.
    const BETWEEN = /(?:\s+and\s+|&&|,)(?=(?:[^"]*"[^"]*")*[^"]*$)/;

    // A test of a row, or a text that says what is wrong.
    const parse = (d, text) => {
        const tests = [];
        for (const part of text.split(BETWEEN).map(s => s.trim()).filter(s => s)) {
            const m = /^(.+?)\s*(<=|>=|!=|==|=|<|>|~)\s*(.+)$/.exec(part);
            if (!m) return "“" + part + "”: write NAME < VALUE";
            const get = operand(d, m[1]);
            if (!get) return "“" + m[1] + "” is not a parameter, metric, time, status, message, samples, rank or evaluation";
            const unit = /^([0-9.eE+-]+)\s*(ns|us|µs|ms|s)$/.exec(m[3]);
            const value = unit ? +unit[1] * UNITS[unit[2]] : m[3].replace(/^(['"])(.*)\1$/, "$2");
            const op = compare[m[2] === "==" ? "=" : m[2]];
            const numeric = /[<>]/.test(m[2]);
            if (numeric && Number.isNaN(+value)) return "“" + m[3] + "” is not a number";
            tests.push(i => op(get(i), numeric ? +value : value));
        }
        return i => tests.every(t => t(i));
    };

    // ---- scales ----------------------------------------------------------------------------------

    const scale = text => {
        const [kind, low, high, from, to] = text.split(" ").map((v, i) => i ? +v : v);
        const f = kind === "log" ? v => Math.log(v) : v => v;
        const a = f(low), b = f(high);
        return {
            at: v => from + (f(v) - a) / (b - a) * (to - from),
            value: x => { const v = a + (x - from) / (to - from) * (b - a); return kind === "log" ? Math.exp(v) : v; },
            from, to,
        };
    };
    const frames = svg => [...svg.querySelectorAll("g.frame")].map(g => ({ x: scale(g.dataset.x), y: scale(g.dataset.y),
        of: g.dataset.of ? JSON.parse(g.dataset.of) : [] }));

    // ---- a set -----------------------------------------------------------------------------------

    const sets = []; // that are shown
    let across = []; // pictures of several of them

    // `kept`: what stood in the set of this key before the page was loaded.
    const start = (article, key, kept) => {
        const d = read(article);
        const brushes = new Map(); // view -> test of a row
        const views = [];
        let test = () => true, selected = null, chosen = d.count; // selected null: all

        const isIn = i => !selected || selected[i] === 1;
        const input = make("input", { id: "filter-" + article.id, type: "text", spellcheck: "false", autocomplete: "off",
            placeholder: d.varied.length ? d.parameters[d.varied[0]].name + " = " + d.parameters[d.varied[0]].values[0] + " and time < 1ms" : "time < 1ms" });
        const clear = make("button", { type: "button", disabled: true, onclick: () => { input.value = ""; test = () => true; brushes.clear(); [...views, ...across].forEach(v => v.clear && v.clear()); update(); } }, "Show all");
        const count = make("span", { role: "status", "aria-live": "polite", class: "count" });
        const tools = article.querySelector(".tools");
        const pinned = make("span", { role: "status", class: "pinned" }), unpin = make("button", { type: "button", hidden: true, onclick: () => set.pin(-1) }, "Unpin");
        tools.append(make("label", {}, "Filter", input), clear, count, pinned, unpin);
        tools.hidden = false;

        const update = () => {
            const active = brushes.size > 0 || input.value.trim() !== "";
            let n = d.count;
            selected = null;
            if (active) {
                selected = new Uint8Array(d.count);
                n = 0;
                const tests = [test, ...brushes.values()];
                for (let i = 0; i < d.count; i++) if (tests.every(t => t(i))) { selected[i] = 1; n++; }
            }
            chosen = n;
            count.classList.remove("wrong");
            count.textContent = n + " of " + d.count + " configurations";
            clear.disabled = !active;
            tools.classList.toggle("active", active);
            for (const v of [...views, ...across]) if (is_shown(v)) v.update();
        };
        let waiting = 0;
        const filter = () => {
            const t = parse(d, input.value), wrong = typeof t === "string";
            if (!wrong) test = t;
            update();
            if (wrong) { count.textContent = t; count.classList.add("wrong"); }
            input.setAttribute("aria-invalid", wrong);
        };
        input.addEventListener("input", () => {
            clearTimeout(waiting);
            waiting = setTimeout(filter, 150);
        });

        // `stride`: one in so many selected points is drawn, so that no more than `most` are, from all parts alike.
        const set = { d, isIn, key, active: () => selected !== null, stride: most => Math.max(1, Math.ceil(chosen / most)), update, brushes, views, pinned: -1 };
        // Marks one configuration in all views; the same again, or -1: none.
        set.pin = row => {
            set.pinned = row === set.pinned ? -1 : row;
            pinned.textContent = set.pinned < 0 ? "" : "Pinned: " + describe(d, set.pinned);
            unpin.hidden = set.pinned < 0;
            for (const v of [...views, ...across]) if (v.mark) v.mark();
            for (const e of article.querySelectorAll("[data-row]")) e.classList.toggle("pinned", +e.dataset.row === set.pinned);
            later();
        };
        for (const section of article.querySelectorAll("section.view[data-view]")) {
            const name = section.dataset.view, view = makers[name], svgs = [...section.querySelectorAll(".plot svg")];
            if (view) (whole.has(name) ? [null] : svgs).forEach((svg, i) => views.push({ svg, name: name + (i ? " narrow" : ""), ...view(set, section, svg, i === 0) }));
            for (const e of section.querySelectorAll(".plot [data-row]")) {
                e.addEventListener("pointermove", event => hint(describe(d, +e.dataset.row), event));
                e.addEventListener("pointerleave", () => hint(""));
                e.addEventListener("click", () => set.pin(+e.dataset.row));
            }
            if (svgs.length) section.querySelector(".plot").after(menu(set, section));
        }
        for (const pre of article.querySelectorAll("pre.copy")) copyable(pre);
        const open = [...article.querySelectorAll("details")];
        for (const v of views) v.usual = JSON.stringify(v.kept ? v.kept() : null);
        if (kept) {
            if (typeof kept.filter === "string") input.value = kept.filter;
            for (const v of views) if (v.put) put_back(v, kept.views);
            if (typeof kept.pin === "string") set.pin([...d.time.keys()].find(i => configuration(d, i) === kept.pin) ?? -1);
            if (kept.open) open.forEach((e, i) => { e.open = kept.open[i] === true; });
        }
        filter();
        sets.push({
            key, set, number: +article.id.replace("set-", ""),
            opened: () => open.map(e => e.open),
            // The state that differs from the initial one; null: none does.
            kept: () => {
                const changed = views.filter(v => v.kept && JSON.stringify(v.kept()) !== v.usual).map(v => [v.name, v.kept()]);
                return changed.length || input.value || set.pinned >= 0
                    ? { filter: input.value, views: Object.fromEntries(changed), pin: set.pinned < 0 ? undefined : configuration(d, set.pinned) } : null;
            },
        });
    };
    // Restores a view's state from the address, which may be handwritten: values that do not fit are ignored.
    const put_back = (view, states) => {
        const state = states && Object.hasOwn(states, view.name) ? states[view.name] : null;
        try {
            if (state) view.put(state);
        } catch {
            if (view.clear) view.clear();
        }
    };
    const numbers = (list, count) => {
        if (!Array.isArray(list) || list.length !== count || !list.every(Number.isFinite)) throw new TypeError();
        return list;
    };
    const rounded = v => +v.toPrecision(7);

    const copyable = pre => {
        if (!navigator.clipboard) return;
        pre.before(make("button", { type: "button", onclick: () => navigator.clipboard.writeText(pre.textContent)
            .then(() => { told.textContent = "Copied."; }, () => { told.textContent = "The browser does not let this page copy."; }) }, "Copy"));
    };

    // ---- pictures with points --------------------------------------------------------------------

    const local = (svg, event) => {
        const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
        return [p.x, p.y];
    };

    let drags = 0; // that go on

    // Dragging a rectangle; `done` gets its corners, or null where it was a click, and where.
    const dragging = (svg, done) => {
        let from = null, box = null;
        const clear = () => { if (box) box.remove(); box = null; };
        const show = ([x0, y0, x1, y1]) => {
            box = box || draw("rect", { class: "brush" }, svg);
            for (const [name, v] of [["x", Math.min(x0, x1)], ["y", Math.min(y0, y1)], ["width", Math.abs(x1 - x0)], ["height", Math.abs(y1 - y0)]])
                box.setAttribute(name, v);
        };
        const end = () => { if (from) drags--; from = null; };
        svg.parentNode.classList.add("drag");
        svg.addEventListener("pointerdown", e => { if (e.button === 0) { end(); drags++; from = local(svg, e); svg.setPointerCapture(e.pointerId); } });
        svg.addEventListener("pointermove", e => { if (from) show([...from, ...local(svg, e)]); });
        svg.addEventListener("pointercancel", () => { end(); clear(); done(null); });
        svg.addEventListener("pointerup", e => {
            if (!from) return;
            const to = local(svg, e), start = from;
            end();
            const is_click = Math.abs(to[0] - start[0]) < 4 && Math.abs(to[1] - start[1]) < 4;
            if (is_click) clear();
            done(is_click ? null : [Math.min(start[0], to[0]), Math.min(start[1], to[1]), Math.max(start[0], to[0]), Math.max(start[1], to[1])], to);
        });
        return { clear, show };
    };
    // A rectangle of a frame in values and back: what is brushed stays so when a picture is drawn anew.
    const values_of = ({ x, y }, b) => [x.value(b[0]), y.value(b[1]), x.value(b[2]), y.value(b[3])].map(rounded);
    const box_of = ({ x, y }, v) => [x.at(v[0]), y.at(v[1]), x.at(v[2]), y.at(v[3])].map((p, i) => p + (i < 2 ? -.01 : .01));

    // Stretched pictures are wider than their units: by how much.
    const stretch_of = svg => { const m = svg.getScreenCTM(); return m && m.d ? m.a / m.d : 1; };
    // The nearest of `count` points that `at(i)` places, if it is near.
    const nearest = (svg, [px, py], count, at) => {
        const wide = stretch_of(svg);
        let best = 144, found = -1;
        for (let i = 0; i < count; i++) {
            const [x, y] = at(i), far = ((x - px) * wide) ** 2 + (y - py) ** 2;
            if (far < best) { best = far; found = i; }
        }
        return found;
    };
    const hovering = (svg, row_at, d_of) => {
        svg.addEventListener("pointermove", e => {
            if (e.buttons) { hint(""); return; }
            const row = row_at(local(svg, e));
            hint(row < 0 ? "" : describe(d_of(), row), e);
        });
        svg.addEventListener("pointerleave", () => hint(""));
    };

    const scatter = (x_of, y_of) => (set, section, svg) => {
        const { d } = set, frame = frames(svg)[0], { x, y } = frame;
        const over = draw("path", { class: "points over" }, svg), ring = draw("path", { class: "points pinned" }, svg);
        const xs = new Float64Array(d.count), ys = new Float64Array(d.count);
        for (let i = 0; i < d.count; i++) {
            const v = y_of(d, i);
            xs[i] = x.at(x_of(d, i));
            ys[i] = v > 0 ? y.at(v) : NaN;
        }
        const key = {};
        let held = null; // what is brushed, in values
        const brush = (values, box) => {
            held = values;
            set.brushes.set(key, i => xs[i] >= box[0] && xs[i] <= box[2] && ys[i] >= box[1] && ys[i] <= box[3]);
        };
        const drop = () => { held = null; set.brushes.delete(key); };
        const row_at = point => nearest(svg, point, d.count, i => set.isIn(i) ? [xs[i], ys[i]] : [NaN, NaN]);
        const drag = dragging(svg, (box, point) => {
            const row = box || !point ? -1 : row_at(point);
            if (row >= 0) { set.pin(row); return; }
            if (box) brush(values_of(frame, box), box);
            else drop();
            set.update();
        });
        hovering(svg, row_at, () => d);
        return {
            clear: () => { drop(); drag.clear(); },
            kept: () => held,
            put: state => { const box = box_of(frame, numbers(state, 4)); brush(state, box); drag.show(box); },
            mark: () => { const i = set.pinned; ring.setAttribute("d", i >= 0 && !Number.isNaN(ys[i]) ? "M" + xs[i] + " " + ys[i] + "h0" : ""); },
            update: () => {
                let path = "", n = 0;
                svg.classList.toggle("dim", set.active());
                const stride = set.stride(MOST);
                for (let i = 0; set.active() && i < d.count; i++)
                    if (set.isIn(i) && !Number.isNaN(ys[i]) && n++ % stride === 0) path += "M" + xs[i].toFixed(1) + " " + ys[i].toFixed(1) + "h0";
                over.setAttribute("d", path);
            },
        };
    };

    const distribution = (set, section, svg) => {
        const { d } = set, { x, y } = frames(svg)[0], line = draw("path", { class: "line pinned" }, svg);
        const bars = [...svg.querySelectorAll("rect.bar")].map(b => ({ from: +b.getAttribute("x"), width: +b.getAttribute("width") }));
        const over = bars.map(b => draw("rect", { class: "bar second over", x: b.from, width: b.width, y: y.from, height: 0 }, svg));
        const at = d.alone.map(t => t > 0 ? x.at(t) : NaN);
        const key = {};
        let held = null;
        const brush = (values, box) => {
            held = values;
            set.brushes.set(key, i => at[i] >= box[0] && at[i] <= box[2]);
        };
        const drop = () => { held = null; set.brushes.delete(key); };
        const drag = dragging(svg, box => {
            if (box) brush([x.value(box[0]), x.value(box[2])].map(rounded), box);
            else drop();
            set.update();
        });
        return {
            clear: () => { drop(); drag.clear(); },
            kept: () => held,
            put: state => {
                const [a, b] = numbers(state, 2), box = [x.at(a) - .01, y.to, x.at(b) + .01, y.from];
                brush(state, box);
                drag.show(box);
            },
            mark: () => { const v = set.pinned < 0 ? NaN : at[set.pinned]; line.setAttribute("d", v > 0 ? "M" + v + " " + y.to + "V" + y.from : ""); },
            update: () => {
                svg.classList.toggle("dim", set.active());
                bars.forEach((b, k) => {
                    let n = 0;
                    if (set.active()) for (let i = 0; i < d.count; i++) if (set.isIn(i) && at[i] >= b.from - .01 && at[i] < b.from + b.width - .01) n++;
                    over[k].setAttribute("y", y.at(n));
                    over[k].setAttribute("height", Math.max(0, y.from - y.at(n)));
                });
            },
        };
    };

    // The best and the median of what is selected, over each value's box.
    const parameters = (set, section, svg) => {
        const { d } = set, all = frames(svg);
        const over = draw("path", { class: "line ranked over" }, svg), rings = draw("path", { class: "points pinned" }, svg);
        return {
            mark: () => {
                const i = set.pinned;
                rings.setAttribute("d", i < 0 || !(d.alone[i] > 0) ? "" : d.varied.slice(0, all.length)
                    .map((p, k) => "M" + all[k].x.at(d.choice[p][i] + .5) + " " + all[k].y.at(d.alone[i]) + "h0").join(""));
            },
            update: () => {
                let path = "";
                for (let k = 0; set.active() && k < all.length && k < d.varied.length; k++) {
                    const p = d.varied[k], { x, y } = all[k], times = d.parameters[p].values.map(() => []);
                    for (let i = 0; i < d.count; i++) if (set.isIn(i) && d.alone[i] > 0) times[d.choice[p][i]].push(d.alone[i]);
                    times.forEach((list, v) => {
                        if (!list.length) return;
                        list.sort((a, b) => a - b);
                        const a = x.at(v + .2).toFixed(1), b = x.at(v + .8).toFixed(1);
                        for (const t of [list[0], list[list.length >> 1]]) path += "M" + a + " " + y.at(t).toFixed(1) + "H" + b;
                    });
                }
                over.setAttribute("d", path);
            },
        };
    };

    const parallel = (set, section, svg, is_first) => {
        const { d } = set, { x, y } = frames(svg)[0], wire = draw("path", { class: "line pinned" }, svg);
        const bottom = y.from, top = y.to, over = draw("path", { class: "line wire over" }, svg);
        const axes = d.varied.slice(0, 24), spots = axes.map((p, k) => x.at(k + .5)), last = x.at(axes.length + .5);
        const timed = d.alone.filter(t => t > 0), least = Math.min(...chunks(timed, Math.min)), most = Math.max(...chunks(timed, Math.max));
        const span = Math.log(most / least);
        const along = part => bottom + part * (top - bottom);
        const height = (k, i) => k < axes.length ? along((d.choice[axes[k]][i] + .5) / d.parameters[axes[k]].values.length)
            : along(span > 0 ? .97 - .94 * Math.log(d.alone[i] / least) / span : .5);
        const boxes = new Map(), ranges = new Map(); // of an axis: its mark, and the parts of its length that are kept
        const drop = k => { ranges.delete(k); set.brushes.delete(boxes.get(k)); if (boxes.get(k)) boxes.get(k).remove(); boxes.delete(k); };
        const brush = (k, above, below) => {
            drop(k);
            const mark = draw("rect", { class: "brush", x: [...spots, last][k] - 6, y: above, width: 12, height: below - above }, svg);
            boxes.set(k, mark);
            ranges.set(k, [k, rounded((above - bottom) / (top - bottom)), rounded((below - bottom) / (top - bottom))]);
            set.brushes.set(mark, i => { const h = height(k, i); return h >= above && h <= below; });
        };
        const path_of = i => "M" + spots.map((s, k) => s.toFixed(1) + " " + height(k, i).toFixed(1)).concat(last.toFixed(1) + " " + height(axes.length, i).toFixed(1)).join("L");
        // The line that is nearest in height where the pointer is, between two axes.
        const row_at = ([px, py]) => {
            const all = [...spots, last];
            let k = 0, best = 8, found = -1;
            while (k < all.length - 2 && px > all[k + 1]) k++;
            const part = (px - all[k]) / (all[k + 1] - all[k]);
            for (let i = 0; i < d.count; i++) {
                if (!set.isIn(i) || !(d.alone[i] > 0)) continue;
                const far = Math.abs(height(k, i) + part * (height(k + 1, i) - height(k, i)) - py);
                if (far < best) { best = far; found = i; }
            }
            return part < 0 || part > 1 ? -1 : found;
        };
        hovering(svg, row_at, () => d);
        const drag = dragging(svg, (box, point) => {
            drag.clear();
            const row = box || !point ? -1 : row_at(point);
            if (row >= 0) { set.pin(row); return; }
            const middle = box ? (box[0] + box[2]) / 2 : NaN;
            const nearest = [...spots, last].map((s, k) => [Math.abs(s - middle), k]).sort((a, b) => a[0] - b[0])[0][1];
            if (!box) [...boxes.keys()].forEach(drop);
            else brush(nearest, box[1], box[3]);
            set.update();
        });
        const TENTHS = 10, tenth = i => time(least * Math.exp(span * (1 - i / TENTHS)));
        const labels = k => k < axes.length ? d.parameters[axes[k]].values
            : [...Array(TENTHS).keys()].map(i => tenth(i) + " to " + tenth(i + 1));
        if (is_first) section.querySelector(".plot").before(parallel_choice([...axes.map(p => d.parameters[p].name), "time"], labels, (k, from, to) => {
            const n = labels(k).length, of = k < axes.length ? v => v : v => n * (.03 + .94 * v / n);
            if (from < 0) drop(k);
            else brush(k, along(of(to + 1) / n), along(of(from) / n));
            set.update();
        }));
        return {
            clear: () => { [...boxes.keys()].forEach(drop); drag.clear(); },
            mark: () => wire.setAttribute("d", set.pinned >= 0 && d.alone[set.pinned] > 0 ? path_of(set.pinned) : ""),
            kept: () => ranges.size ? [...ranges.values()] : null,
            put: state => {
                for (const range of state) {
                    const [k, high, low] = numbers(range, 3);
                    if (Number.isInteger(k) && k >= 0 && k <= axes.length) brush(k, along(high) - .01, along(low) + .01);
                }
            },
            update: () => {
                let path = "", n = 0;
                svg.classList.toggle("dim", set.active());
                const stride = set.stride(800);
                for (let i = 0; set.active() && i < d.count; i++) {
                    if (!set.isIn(i) || !(d.alone[i] > 0) || n++ % stride !== 0) continue;
                    path += path_of(i);
                }
                over.setAttribute("d", path);
            },
        };
    };
    // The extremes of parts, as many numbers are no arguments.
    const chunks = (list, f) => {
        const out = [];
        for (let i = 0; i < list.length; i += 10000) out.push(f(...list.slice(i, i + 10000)));
        return out;
    };

    // Selects a range of an axis without a mouse: the values of a parameter, or tenths of the times.
    const parallel_choice = (names, labels, choose) => {
        const option = (text, i) => make("option", { value: i }, String(text));
        const axis = make("select", { onchange: () => fill() }, ...names.map(option));
        const from = make("select", { onchange: () => { if (+to.value < +from.value) to.value = from.value; put(); } });
        const to = make("select", { onchange: () => { if (+to.value < +from.value) from.value = to.value; put(); } });
        const put = () => choose(+axis.value, +from.value, +to.value);
        const fill = () => {
            const list = labels(+axis.value);
            from.replaceChildren(...list.map(option));
            to.replaceChildren(...list.map(option));
            to.value = list.length - 1;
        };
        fill();
        return make("div", { class: "choose" }, make("label", {}, "Axis ", axis), make("label", {}, "from ", from), make("label", {}, "to ", to),
            make("button", { type: "button", onclick: () => { fill(); choose(+axis.value, -1, -1); } }, "All of the axis"));
    };

    // ---- two parameters of one's choice ------------------------------------------------------------

    const pen = document.createElement("canvas").getContext("2d");
    const label_width = text => { pen.font = "12px system-ui, sans-serif"; return pen.measureText(text).width; };
    const STATISTICS = {
        "shortest time": { of: list => list[0], show: time, low: true },
        "median time": { of: list => list[list.length >> 1], show: time, low: true },
        "configurations": { of: (list, failed) => list.length + failed, show: String, low: false },
        "failed": { of: (list, failed) => failed, show: String, low: false },
    };

    const heatmap = (set, section) => {
        const { d } = set, plot = section.querySelector(".plot"), originals = [...plot.children], original = plot.querySelector("svg");
        const pick = (label, names, at) => {
            const select = make("select", { onchange: () => { chosen = true; update(); } }, ...names.map((n, i) => make("option", { value: i, selected: i === at }, n)));
            return [make("label", {}, label + " ", select), select];
        };
        let chosen = false;
        const names = d.varied.map(p => d.parameters[p].name);
        const titles = [...original.querySelectorAll("text.axis")].map(t => names.indexOf(t.textContent));
        const [lx, sx] = pick("Across", names, Math.max(titles[0], 0));
        const [ly, sy] = pick("Down", names, titles[1] >= 0 ? titles[1] : Math.min(1, names.length - 1));
        const [ls, ss] = pick("Shown", Object.keys(STATISTICS), 0);
        plot.before(make("div", { class: "choose" }, lx, ly, ls));

        const cells = (x, y) => {
            const columns = d.parameters[x].values.length, out = [];
            for (let i = 0; i < columns * d.parameters[y].values.length; i++) out.push({ times: [], failed: 0, message: 0 });
            for (let i = 0; i < d.count; i++) {
                if (!set.isIn(i)) continue;
                const c = out[d.choice[y][i] * columns + d.choice[x][i]];
                if (d.alone[i] > 0) c.times.push(d.alone[i]);
                else { c.failed++; c.message = d.message[i]; }
            }
            out.forEach(c => c.times.sort((a, b) => a - b));
            return out;
        };
        const update = () => {
            if (!chosen && !set.active()) { plot.replaceChildren(...originals); return; }
            const x = d.varied[sx.value], y = d.varied[sy.value], statistic = Object.values(STATISTICS)[ss.value];
            const a = d.parameters[x].values, b = d.parameters[y].values, all = cells(x, y);
            const shown = all.map(c => c.times.length || (c.failed && !statistic.low) ? statistic.of(c.times, c.failed) : NaN);
            const known = shown.filter(v => v > 0), least = Math.min(...chunks(known, Math.min)), most = Math.max(...chunks(known, Math.max));
            const all_width = Math.max(300, plot.clientWidth), h = Math.min(520, 110 + 34 * b.length);
            const left = Math.min(.4 * all_width, 40 + Math.max(...b.map(v => label_width(v)))), right = all_width - 16, top = 34, bottom = h - 46;
            const w = (right - left) / a.length, t = (bottom - top) / b.length;
            const svg = draw("svg", { viewBox: "0 0 " + all_width + " " + h, width: all_width, height: h, class: "own", role: "img", "aria-label": Object.keys(STATISTICS)[ss.value] + " by " + names[sx.value] + " and " + names[sy.value] });
            all.forEach((c, i) => {
                const px = left + w * (i % a.length), py = bottom - t * (Math.floor(i / a.length) + 1), v = shown[i];
                if (!c.times.length && !c.failed) return;
                const depth = most > least ? Math.log(v / least) / Math.log(most / least) : 1;
                const bare = statistic.low && !c.times.length;
                const heat = v > 0 ? Math.round(9 * (statistic.low ? 1 - depth : depth)) : 0;
                const rect = draw("rect", { class: bare ? "hatched" : "cell bar heat" + heat, x: px + 1, y: py + 1, width: Math.max(w - 2, 1), height: Math.max(t - 2, 1) }, svg);
                draw("title", {}, rect).textContent = (bare ? "" : statistic.show(v) + "; ") + c.times.length + " with a time, " + c.failed + " failed" + (c.failed ? ": " + d.messages[c.message] : "");
                if (!bare && label_width(statistic.show(v)) + 6 < w && t > 14) draw("text", { class: heat > 8 ? "note inverse" : heat > 6 ? "note over-half" : "note", x: px + w / 2, y: py + t / 2 + 4, "text-anchor": "middle" }, svg).textContent = statistic.show(v);
            });
            if (known.length) { // the colours, from the palest to the darkest
                const key = (at, text) => { draw("text", { class: "key", x: at, y: 18 }, svg).textContent = text; return at + label_width(text); };
                const ends = [least, most].map(statistic.show), from = key(left, ends[statistic.low ? 1 : 0]) + 8;
                for (let i = 0; i < 10; i++) draw("rect", { class: "cell bar heat" + i, x: from + 14 * i, y: 8, width: 14, height: 12 }, svg);
                key(from + 146, ends[statistic.low ? 0 : 1]);
            }
            const across_step = Math.ceil((Math.max(...a.map(label_width)) + 6) / w);
            a.forEach((v, i) => { if (i % across_step === 0) draw("text", { class: "tick", x: left + w * (i + .5), y: bottom + 16, "text-anchor": "middle" }, svg).textContent = v; });
            b.forEach((v, i) => { if (i % Math.ceil(14 / t) === 0) draw("text", { class: "tick", x: left - 6, y: bottom - t * (i + .5) + 4, "text-anchor": "end" }, svg).textContent = v; });
            draw("text", { class: "axis", x: (left + right) / 2, y: bottom + 36, "text-anchor": "middle" }, svg).textContent = names[sx.value];
            draw("text", { class: "axis", transform: "translate(14 " + (top + bottom) / 2 + ") rotate(-90)", "text-anchor": "middle" }, svg).textContent = names[sy.value];
            plot.replaceChildren(svg);
        };
        resized.push(() => { if (chosen || set.active()) update(); });
        const rings = chosen_pair => [...plot.querySelectorAll("svg")].forEach(svg => {
            svg.querySelectorAll(".ring.pinned").forEach(e => e.remove());
            const frame = frames(svg)[0], i = set.pinned;
            if (i < 0 || !frame || chosen_pair.some(p => p < 0)) return;
            const [px, py] = chosen_pair.map((p, k) => (k ? frame.y : frame.x).at(d.choice[d.varied[p]][i]));
            const [qx, qy] = chosen_pair.map((p, k) => (k ? frame.y : frame.x).at(d.choice[d.varied[p]][i] + 1));
            draw("rect", { class: "ring pinned", x: px + 1, y: qy + 1, width: qx - px - 2, height: py - qy - 2 }, svg);
        });
        return { update, mark: () => rings(titles), clear: () => { chosen = false; }, kept: () => [chosen, sx.value, sy.value, ss.value],
                 put: ([any, x, y, s]) => {
                     for (const [select, v] of [[sx, x], [sy, y], [ss, s]]) if (+v >= 0 && +v < select.options.length) select.value = v;
                     chosen = any === true;
                 } };
    };

    // ---- the room that there is ----------------------------------------------------------------------

    // A picture gets wider with its card; its texts, whose size the style sets right by --k, do not.
    const resized = [];
    // The style shows one of the two pictures of a view; the other one is drawn anew once it is shown.
    const is_shown = v => !v.svg || getComputedStyle(v.svg.parentNode).display !== "none";
    const stretch = plot => {
        for (const svg of plot.querySelectorAll("svg:not(.own)")) {
            const base = svg.viewBox.baseVal.width, width = Math.max(base, plot.clientWidth);
            if (!plot.clientWidth) continue;
            svg.setAttribute("preserveAspectRatio", "none");
            svg.style.width = width + "px";
            svg.style.setProperty("--k", base / width);
        }
    };
    const watch_room = () => {
        const wide = new Map(); // plot -> is its wide picture shown?
        const seen = new ResizeObserver(entries => {
            let is_other = false;
            for (const { target } of entries) {
                const now = getComputedStyle(target.firstElementChild).display !== "none";
                is_other ||= wide.has(target) && wide.get(target) !== now;
                wide.set(target, now);
                stretch(target);
            }
            for (const f of resized) f();
            if (is_other) for (const { set } of sets) set.update();
        });
        for (const plot of document.querySelectorAll(".plot")) { stretch(plot); seen.observe(plot); }
    };

    // ---- a picture's own menu ------------------------------------------------------------------------

    const shown_svg = section => [...section.querySelectorAll(".plot svg")].find(s => s.getBoundingClientRect().width) || section.querySelector(".plot svg");
    const svg_text = section => {
        const own = shown_svg(section).cloneNode(true), { width, height } = own.viewBox.baseVal;
        own.removeAttribute("style");
        own.setAttribute("xmlns", SVG);
        own.setAttribute("width", width);
        own.setAttribute("height", height);
        own.querySelectorAll(".hit").forEach(e => e.remove());
        const style = document.createElementNS(SVG, "style"), body = getComputedStyle(document.body);
        style.textContent = document.querySelector("style").textContent.split(":root{")[0] + "svg{background:" + body.backgroundColor + ";--ink:" + body.color + "}";
        own.prepend(style);
        return new XMLSerializer().serializeToString(own);
    };
    const png_of = async section => {
        const image = new Image(), { width, height } = shown_svg(section).viewBox.baseVal, canvas = make("canvas", { width: 2 * width, height: 2 * height });
        image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg_text(section));
        await image.decode();
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        return new Promise(done => canvas.toBlob(done, "image/png"));
    };
    const quoted = v => /[",\n]/.test(v) ? '"' + String(v).replace(/"/g, '""') + '"' : String(v);
    // The numbers that stand below the picture; of one without them, all configurations.
    const csv_of = (set, section) => {
        const rows = section.querySelector(".rows table");
        if (rows) return [...rows.rows].map(tr => [...tr.cells].map(c => quoted(c.dataset.v ?? c.textContent)).join(",")).join("\n") + "\n";
        const { d } = set, head = [...d.parameters.map(p => p.name), "status", "time", "screened", ...d.metrics];
        const value = v => Number.isNaN(v) ? "" : v;
        return [head.map(quoted).join(",")].concat([...d.time.keys()].map(i => [...d.parameters.map((p, k) => p.values[d.choice[k][i]]),
            d.statuses[d.status[i]], value(d.time[i]), value(d.alone[i]), ...d.metric.map(m => value(m[i]))].map(quoted).join(","))).join("\n") + "\n";
    };
    const save = (blob, name) => {
        const url = URL.createObjectURL(blob), link = make("a", { href: url, download: name });
        link.click();
        setTimeout(() => URL.revokeObjectURL(url), 10000);
        told.textContent = "Saved " + name + ".";
    };
    const menu = (set, section) => {
        const name = section.dataset.view, item = (text, make_blob) => make("button", { type: "button", onclick: async () => save(await make_blob(), name + "." + text.toLowerCase()) }, text);
        const items = [item("SVG", () => new Blob([svg_text(section)], { type: "image/svg+xml" })), item("PNG", () => png_of(section))];
        if (set || section.querySelector(".rows table")) items.push(item("CSV", () => new Blob([csv_of(set, section)], { type: "text/csv" })));
        return make("details", { class: "menu" }, make("summary", { "aria-label": "Save " + name }, "Save"), ...items);
    };

    // ---- the table -------------------------------------------------------------------------------

    const table = (set, section) => {
        const { d } = set, scroll = section.querySelector(".scroll");
        const alone = d.recorded ? d.statistic : "screened";
        const has = column => column.some(v => !Number.isNaN(v));
        const columns = [
            { name: "rank", value: i => d.rank[i], show: v => Number.isNaN(v) ? "" : String(v) },
            ...d.parameters.map((p, k) => ({ name: p.name, value: i => p.values[d.choice[k][i]], show: String, hidden: p.values.length < 2 })),
            { name: "status", value: i => d.statuses[d.status[i]], show: String },
            { name: "time", value: i => d.time[i], show: time },
            { name: "low", value: i => d.low[i], show: time, hidden: !has(d.low) },
            { name: "high", value: i => d.high[i], show: time, hidden: !has(d.high) },
            { name: "samples", value: i => d.samples[i], show: v => Number.isNaN(v) ? "" : String(v), hidden: true },
            { name: "basis", value: i => d.time[i] > 0 ? d.ranked[i] ? "ranked" : alone : "", show: String },
            ...d.metrics.map((name, k) => ({ name, value: i => d.metric[k][i], show: v => Number.isNaN(v) ? "" : number(v) })),
            { name: "message", value: i => d.messages[d.message[i]], show: String, hidden: true },
        ];
        let by = 0, down = false, page = 0;
        const pages = make("span", {}), back = make("button", { type: "button", onclick: () => { page--; update(); } }, "Back");
        const next = make("button", { type: "button", onclick: () => { page++; update(); } }, "Next");
        const boxes = make("div", { class: "choose" }, ...columns.map(c => make("label", {}, make("input", { type: "checkbox", checked: !c.hidden, onchange: e => { c.hidden = !e.target.checked; update(); } }), " " + c.name)));
        scroll.before(make("details", {}, make("summary", {}, "Columns"), boxes), make("div", { class: "choose" }, back, next, pages));
        const note = scroll.nextElementSibling;
        if (note && note.classList.contains("note")) note.remove();

        const order = () => {
            const rows = [], c = columns[by], missing = v => v === "" || (typeof v === "number" && Number.isNaN(v));
            for (let i = 0; i < d.count; i++) if (set.isIn(i)) rows.push(i);
            const keys = new Map(rows.map(i => [i, c.value(i)]));
            return rows.sort((a, b) => {
                const x = keys.get(a), y = keys.get(b);
                if (missing(x) || missing(y)) return missing(x) - missing(y) || a - b;
                return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1) || a - b;
            });
        };
        const update = () => {
            const rows = order(), last = Math.max(0, Math.ceil(rows.length / PAGE) - 1), shown = columns.filter(c => !c.hidden);
            page = Math.min(Math.max(page, 0), last);
            back.disabled = page === 0;
            next.disabled = page === last;
            pages.textContent = rows.length ? (page * PAGE + 1) + " to " + Math.min(rows.length, (page + 1) * PAGE) + " of " + rows.length : "no configuration is left";
            const head = make("tr", {}, ...shown.map(c => make("th", { scope: "col", "aria-sort": columns[by] === c ? down ? "descending" : "ascending" : null },
                make("button", { type: "button", onclick: () => { const k = columns.indexOf(c); down = by === k && !down; by = k; page = 0; update(); section.querySelectorAll("th button")[shown.indexOf(c)].focus(); } }, c.name + (columns[by] === c ? down ? " ▼" : " ▲" : "")))));
            const body = rows.slice(page * PAGE, (page + 1) * PAGE).map(i => make("tr", { "data-row": i, class: i === set.pinned ? "pinned" : null }, ...shown.map(c => {
                const v = c.value(i), numeric = typeof v === "number";
                return make("td", { class: numeric ? "n" : null, "data-v": numeric && !Number.isNaN(v) ? v : null }, c.show(v));
            }), make("td", {}, make("button", { type: "button", class: "pin", "aria-pressed": i === set.pinned ? "true" : "false", onclick: e => { set.pin(i); e.target.closest("td").querySelector("button").focus(); } }, "Pin"))));
            head.append(make("td", {}));
            scroll.replaceChildren(make("table", {}, make("thead", {}, head), make("tbody", {}, ...body)));
        };
        const mark = () => { for (const tr of scroll.querySelectorAll("tr[data-row]")) tr.querySelector(".pin").setAttribute("aria-pressed", String(+tr.dataset.row === set.pinned)); };
        return { update, mark, kept: () => ({ by: columns[by].name, down, page, hidden: columns.filter(c => c.hidden).map(c => c.name) }),
                 put: k => {
                     by = Math.max(0, columns.findIndex(c => c.name === k.by));
                     down = k.down === true;
                     page = Number.isInteger(k.page) ? k.page : 0;
                     columns.forEach((c, i) => { c.hidden = k.hidden.includes(c.name); boxes.querySelectorAll("input")[i].checked = !c.hidden; });
                 } };
    };

    // ---- pictures of several sets ------------------------------------------------------------------

    // Rows of a set by what all their parameters are.
    const signature = (d, i) => d.by_name.map(k => d.parameters[k].name + "=" + JSON.stringify(d.parameters[k].values[d.choice[k][i]])).join();
    const same_rows = (a, b) => {
        for (const d of [a, b]) {
            if (d.by_name) continue;
            d.by_name = d.parameters.map((p, k) => k).sort((x, y) => d.parameters[x].name < d.parameters[y].name ? -1 : 1);
            d.rows = new Map([...d.time.keys()].map(i => [signature(d, i), i]));
        }
        return a.time.length ? i => b.rows.get(signature(a, i)) : () => undefined;
    };
    const numbered = n => sets.find(s => s.number === n).set;
    const is_active = all => all.some(s => s.active());
    const best_of = set => {
        let best = -1;
        for (let i = 0; i < set.d.count; i++)
            if (set.d.alone[i] > 0 && set.isIn(i) && (best < 0 || set.d.alone[i] < set.d.alone[best])) best = i;
        return best;
    };

    // Draws the rows that are selected in both sets; brushing here selects in both.
    const beside = (section, svg) => {
        const over = draw("path", { class: "points over" }, svg), key = {};
        const panels = frames(svg).map(f => ({ ...f, a: numbered(f.of[0]), b: numbered(f.of[1]), all: null }));
        const all = new Set(panels.flatMap(p => [p.a, p.b]));
        const points = p => {
            if (p.all) return p.all;
            const there = same_rows(p.a.d, p.b.d);
            p.all = [];
            for (let i = 0; i < p.a.d.count; i++) {
                const j = p.a.d.alone[i] > 0 ? there(i) : undefined;
                if (j !== undefined && p.b.d.alone[j] > 0) p.all.push({ i, j, x: p.x.at(p.a.d.alone[i]), y: p.y.at(p.b.d.alone[j]) });
            }
            return p.all;
        };
        const rings = draw("path", { class: "points pinned" }, svg);
        hovering(svg, point => {
            hovered = null;
            for (const p of panels) {
                const all = points(p), n = nearest(svg, point, all.length, i => p.a.isIn(all[i].i) ? [all[i].x, all[i].y] : [NaN, NaN]);
                if (n >= 0) { hovered = { p, ...all[n] }; return all[n].i; }
            }
            return -1;
        }, () => hovered.p.a.d);
        let hovered = null;
        let held = null; // the keys of the two sets, and the rectangle
        const drop = () => { held = null; return [...all].filter(s => s.brushes.delete(key)); };
        const brush = (p, values, box) => {
            const inside = points(p).filter(q => q.x >= box[0] && q.x <= box[2] && q.y >= box[1] && q.y <= box[3]);
            const [a, b] = [new Set(inside.map(q => q.i)), new Set(inside.map(q => q.j))];
            held = [p.a.key, p.b.key, ...values];
            p.a.brushes.set(key, i => a.has(i));
            p.b.brushes.set(key, j => b.has(j));
        };
        const drag = dragging(svg, box => {
            if (!box && hovered) { hovered.p.a.pin(hovered.i); return; }
            const touched = new Set(drop());
            const p = box && panels.find(q => (box[0] + box[2]) / 2 >= q.x.from && (box[0] + box[2]) / 2 <= q.x.to &&
                                              (box[1] + box[3]) / 2 >= q.y.to && (box[1] + box[3]) / 2 <= q.y.from);
            if (p) {
                brush(p, values_of(p, box), box);
                touched.add(p.a).add(p.b);
            }
            for (const s of touched) s.update();
        });
        return {
            clear: () => { drag.clear(); for (const s of drop()) s.update(); },
            mark: () => rings.setAttribute("d", panels.flatMap(p => points(p).filter(q => q.i === p.a.pinned || q.j === p.b.pinned))
                .map(q => "M" + q.x + " " + q.y + "h0").join("")),
            kept: () => held,
            put: ([a, b, ...rest]) => {
                const p = panels.find(q => q.a.key === a && q.b.key === b), values = numbers(rest, 4);
                if (!p) return;
                brush(p, values, box_of(p, values));
                drag.show(box_of(p, values));
                for (const s of [p.a, p.b]) s.update();
            },
            update: () => {
                const active = is_active([...all]);
                let path = "";
                svg.classList.toggle("dim", active);
                for (const p of active ? panels : []) {
                    const shown = points(p).filter(q => p.a.isIn(q.i) && p.b.isIn(q.j)), stride = Math.max(1, Math.ceil(shown.length / MOST));
                    shown.forEach((q, n) => { if (n % stride === 0) path += "M" + q.x.toFixed(1) + " " + q.y.toFixed(1) + "h0"; });
                }
                over.setAttribute("d", path);
            },
        };
    };

    // The same of what is selected: the best of the row on the column.
    const matrix = (section, svg) => {
        const { x, y, of } = frames(svg)[0], over = draw("g", { class: "over" }, svg);
        const all = of.map(numbered), count = all.length;
        return { update: () => {
            over.replaceChildren();
            svg.classList.toggle("dim", is_active(all));
            svg.querySelectorAll("text.halo").forEach(t => { t.setAttribute("visibility", is_active(all) ? "hidden" : "visible"); });
            if (!is_active(all)) return;
            const best = all.map(best_of);
            all.forEach((own, r) => all.forEach((on, c) => {
                const j = best[r] >= 0 ? same_rows(own.d, on.d)(best[r]) : undefined;
                if (best[c] < 0 || j === undefined || !(on.d.alone[j] > 0)) return;
                const ratio = on.d.alone[j] / on.d.alone[best[c]], heat = Math.round(9 * Math.min(Math.max(Math.log(ratio) / Math.log(3), 0), 1));
                const left = x.at(c + .02), top = y.at(count - 1 - r + .98);
                draw("rect", { class: "cell ranked heat" + heat, x: left, y: top, width: x.at(c + .98) - left, height: y.at(count - 1 - r + .02) - top }, over);
                draw("text", { class: "note halo", x: x.at(c + .5), y: y.at(count - 1 - r + .5) + 4, "text-anchor": "middle" }, over).textContent = String(+ratio.toPrecision(3));
            }));
        } };
    };

    // The best of what is selected in each set.
    const sizes = (section, svg) => {
        const { x, y, of } = frames(svg)[0], over = draw("path", { class: "points large over" }, svg);
        const all = of.map(([n, at]) => ({ set: numbered(n), at })), title = [...svg.querySelectorAll("g.frame > text.axis")].pop().textContent;
        return { update: () => {
            let path = "";
            for (const { set, at } of all) {
                const i = set.active() ? best_of(set) : -1, metric = set.d.metrics.indexOf(title);
                const v = i < 0 ? NaN : metric >= 0 ? set.d.metric[metric][i] : set.d.alone[i];
                if (v > 0) path += "M" + x.at(at).toFixed(1) + " " + y.at(v).toFixed(1) + "h0";
            }
            over.setAttribute("d", path);
        } };
    };

    const makers = {
        evaluations: scatter((d, i) => i + 1, (d, i) => d.alone[i]),
        time: scatter((d, i) => d.at[i], (d, i) => d.alone[i]),
        distribution, parameters, parallel, heatmap, table,
    };
    const spanning = { beside, matrix, sizes }, whole = new Set(["heatmap", "table"]); // whole: of the section, not of each picture
    // Sets are known by their titles; of several with one title, the first, the second, ...
    const all = kept => {
        const counts = new Map();
        document.querySelectorAll("article.set").forEach(a => {
            const title = a.querySelector("h2").textContent, n = counts.get(title) || 0, key = n + " " + title;
            counts.set(title, n + 1);
            start(a, key, kept && kept.sets && Object.hasOwn(kept.sets, key) ? kept.sets[key] : null);
        });
        across = [...document.querySelectorAll("article.across section.view[data-view]")].filter(s => spanning[s.dataset.view])
            .flatMap(s => [...s.querySelectorAll(".plot svg")].map((svg, i) => ({
                svg, name: s.dataset.view + (i ? " narrow" : "") + " of " + s.closest("article").querySelector("h2").textContent, ...spanning[s.dataset.view](s, svg) })));
        for (const s of document.querySelectorAll("article.across section.view[data-view]")) if (s.querySelector(".plot svg")) s.querySelector(".plot").after(menu(null, s));
        for (const v of across) {
            if (is_shown(v)) v.update();
            if (v.put) put_back(v, kept && kept.across);
        }
    };

    // ---- what is kept in the address -------------------------------------------------------------

    const changed = () => {
        const own = sets.map(s => [s.key, s.kept()]).filter(([, k]) => k), spans = across.filter(v => v.kept && v.kept()).map(v => [v.name, v.kept()]);
        return own.length || spans.length ? { sets: Object.fromEntries(own), across: Object.fromEntries(spans) } : null;
    };
    const parts = () => { const [anchor, ...rest] = location.hash.slice(1).split("~"); return [anchor, rest.join("~")]; };
    let last = "", waits = 0;
    const keep = () => {
        const state = changed(), hash = "#" + parts()[0] + (state ? "~" + encodeURIComponent(JSON.stringify(state)) : "");
        last = hash;
        if (hash !== (location.hash || "#")) history.replaceState(null, "", hash);
    };
    const later = () => { clearTimeout(waits); waits = setTimeout(keep, 250); };
    for (const event of ["input", "change", "click", "pointerup", "keyup"]) document.addEventListener(event, later);
    // A link within the page takes the rest along; the address of somebody else's selection is shown anew.
    addEventListener("hashchange", () => { if (parts()[1] && location.hash !== last) location.reload(); else keep(); });
    const known = () => {
        try {
            return JSON.parse(decodeURIComponent(parts()[1])) || {};
        } catch {
            return {};
        }
    };
    // On paper nothing can be opened: the short tables that say more than their pictures stand open there.
    const telling = ["finalists", "failures", "importance", "sizes", "devices", "pareto", "deployed", "beginning", "convergence", "leaderboard"];
    let opened = [];
    addEventListener("beforeprint", () => {
        opened = [...document.querySelectorAll(".view details.rows:not([open])")].filter(e =>
            telling.includes(e.closest(".view").dataset.view) && e.querySelectorAll("tbody tr").length <= 40);
        for (const e of opened) e.open = true;
    });
    addEventListener("afterprint", () => { for (const e of opened) e.open = false; });
    // ---- a page whose file is written anew ---------------------------------------------------------

    // It loads itself anew, but not in the background or while somebody uses it. What the address does not hold (what is
    // open, the place, the cursor) stands in the state of the history meanwhile.
    const RELOAD = 1000 * (document.body.dataset.reload || 0);
    let used = 0;
    for (const event of ["input", "keydown", "pointerdown", "wheel"]) addEventListener(event, () => { used = performance.now(); }, { passive: true });
    const reload = () => {
        if (document.hidden || drags > 0 || performance.now() - used < 1000) {
            setTimeout(reload, 500);
            return;
        }
        keep();
        const kept = changed() || { sets: {}, across: {} }, { id, selectionStart, selectionEnd } = document.activeElement || {};
        for (const s of sets) kept.sets[s.key] = { ...kept.sets[s.key], open: s.opened() };
        history.replaceState({ kept, y: scrollY, id, selectionStart, selectionEnd }, "");
        location.reload();
    };
    if (RELOAD) setTimeout(reload, RELOAD);

    addEventListener("keydown", e => { if (e.key === "Escape") for (const { set } of sets) if (set.pinned >= 0) set.pin(-1); });
    const before = history.state;
    // Beside a lone picture there is room for what is folded.
    for (const views of !before && matchMedia("(min-width:100rem)").matches ? document.querySelectorAll(".views") : []) {
        const own = [...views.children].filter(e => getComputedStyle(e).columnSpan !== "all"), folds = own.filter(e => e.querySelector(":scope>.fold"));
        if (folds.length && own.length === folds.length + 1) folds[0].firstElementChild.open = true;
    }
    watch_room();
    all(before ? before.kept : known());
    if (before) {
        const focused = before.id && document.getElementById(before.id);
        if (focused) focused.focus({ preventScroll: true });
        if (focused && before.selectionStart != null) focused.setSelectionRange(before.selectionStart, before.selectionEnd);
        scrollTo(0, before.y);
    } else if (parts()[1] && document.getElementById(parts()[0])) {
        document.getElementById(parts()[0]).scrollIntoView();
    }
})();
