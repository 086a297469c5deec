// Updates a page that is served while it changes; runs after page.js. At a server-sent event it requests the page again and
// replaces the old results by the new ones. The selection stays, and nothing changes during a drag.
(() => {
    const note = document.createElement("p");
    const state = document.createElement("span"), said = document.createElement("span");
    note.className = "live";
    state.setAttribute("role", "status");
    said.className = "note";
    note.append(state, " ", said);
    document.querySelector("header").append(note);

    let wanted = 0, fetched = Number(document.body.dataset.live), loading = false, ended = false;
    const tell = text => { if (state.textContent !== text) state.textContent = text; };
    const usual = () => tell(ended ? "Ended: this page stays as it is." : "Live");

    const put = text => {
        const next = new DOMParser().parseFromString(text, "text/html");
        const kept = hone.kept(), y = window.scrollY;
        const { id, selectionStart, selectionEnd } = document.activeElement || {};
        hone.stop();
        document.title = next.title;
        for (const part of ["main", "nav", "h1", "header p.note"]) {
            const old = document.querySelector(part), own = next.querySelector(part);
            if (old && own) old.replaceWith(document.adoptNode(own));
            else if (own) document.querySelector("header").append(document.adoptNode(own));
        }
        document.body.dataset.live = next.body.dataset.live;
        hone.start(kept);
        const focused = id && document.getElementById(id);
        if (focused) focused.focus({ preventScroll: true });
        if (focused && selectionStart != null) focused.setSelectionRange(selectionStart, selectionEnd);
        window.scrollTo(0, y);
    };

    let waiting = null; // what was fetched
    const show = () => {
        if (waiting === null) return;
        if (hone.isDragging()) {
            setTimeout(show, 200);
            return;
        }
        const text = waiting;
        waiting = null;
        put(text);
    };
    const load = async () => {
        if (loading || wanted <= fetched) return;
        loading = true;
        try {
            const of = wanted, answer = await fetch(location.pathname, { cache: "no-store" });
            if (answer.ok) {
                waiting = await answer.text();
                fetched = of;
                show();
            }
        } catch {
            // the next event, or a connection that comes back, asks again
        }
        loading = false;
        if (wanted > fetched && !ended) setTimeout(load, 1000);
    };

    const events = new EventSource("events");
    events.addEventListener("open", usual);
    events.addEventListener("error", () => { if (!ended) tell("The connection is lost; what was known stays here."); });
    events.addEventListener("page", e => { wanted = Number(e.data); load(); });
    events.addEventListener("said", e => { said.textContent = e.data; });
    events.addEventListener("end", () => { ended = true; events.close(); usual(); load(); });
})();
