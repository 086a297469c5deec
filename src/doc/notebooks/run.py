"""Runs the notebooks of this folder, each from its first cell to its last, and fails with the cell that fails.

    run.py [--plain] [--into FOLDER] [NOTEBOOK...]

--into: keeps them with what they put out, in FOLDER: this one, once they were run on a device that is worth showing. --plain: in
this Python, without Jupyter (no magics, no display()); otherwise by nbclient, and 77 is the status where that is missing. What
drivers and hone warn of is not kept, and an output that names a folder of this machine is an error.

hone is found as the module finds it: PYTHONPATH, HONE_LIBRARY and HONE_PROGRAM in hone's own tree. Results go to the user's store,
or that of XDG_DATA_HOME.
"""

import argparse
import ast
import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 1800  # of one cell


def run_by_nbclient(notebook):
    import nbclient
    import nbformat
    nb = nbformat.from_dict(notebook)
    nbclient.NotebookClient(nb, timeout=TIMEOUT_S, kernel_name="python3", record_timing=False,
                            resources={"metadata": {"path": str(HERE)}}).execute()
    return nb


def run_plain(notebook):
    """Each cell as Jupyter would: what it prints, and what its last expression is."""
    names = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        tree = ast.parse(cell["source"])
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, f"cell {count}", "exec"), names)
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names) if last else None
        cell["execution_count"], cell["outputs"] = count, []
        if printed.getvalue():
            cell["outputs"].append({"output_type": "stream", "name": "stdout", "text": printed.getvalue()})
        if value is not None:
            data = {"text/plain": repr(value)}
            for kind, method in (("image/svg+xml", "_repr_svg_"), ("text/html", "_repr_html_")):
                shown = getattr(value, method, lambda: None)()
                if shown is not None:
                    data[kind] = shown
            cell["outputs"].append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": data})
    return notebook


def read(path):
    """With each text in one piece; files have lists of lines."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
        cell["metadata"].pop("execution", None)
    return notebook


def write(path, notebook):
    for cell in notebook["cells"]:
        cell["source"] = cell["source"].splitlines(keepends=True)
        for out in cell.get("outputs", ()):
            for texts, key in [(out, "text")] + [(out.get("data", {}), kind) for kind in out.get("data", {})]:
                if isinstance(texts.get(key), str):
                    texts[key] = texts[key].splitlines(keepends=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def strip(notebook):
    """Leaves nothing that is of this run or this machine alone."""
    folders = {str(HERE.parents[2]), os.getcwd(), tempfile.gettempdir(), os.path.expanduser("~")} - {"/"}
    notebook["metadata"]["language_info"] = {"name": "python"}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        cell["outputs"] = [out for out in cell["outputs"] if out.get("name") != "stderr"]
        said = json.dumps(cell["outputs"])
        named = [folder for folder in folders if folder + "/" in said]
        if named:
            sys.exit(f"an output names {named[0]}, a folder of this machine:\n{cell['source']}")
    return notebook


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--into", type=pathlib.Path)
    parser.add_argument("notebooks", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    if not given.plain:
        try:
            import ipykernel  # noqa: F401
            import nbclient  # noqa: F401
        except ImportError as e:
            print(f"skipped: {e} (Debian: python3-nbclient, python3-ipykernel; or --plain)")
            return 77
    paths = [path.resolve() for path in given.notebooks or sorted(HERE.glob("*.ipynb"))]
    into = given.into.resolve() if given.into else None
    os.chdir(HERE)
    for path in paths:
        started = time.monotonic()
        notebook = strip((run_plain if given.plain else run_by_nbclient)(read(path)))
        print(f"{path.name}: {time.monotonic() - started:.0f} s", flush=True)
        if into:
            into.mkdir(parents=True, exist_ok=True)
            write(into / path.name, notebook)
    return 0


if __name__ == "__main__":
    sys.exit(main())
