"""The notebooks as they are kept, and what runs them where there is no Jupyter. cmake/test.sh --examples runs them."""

import json
import re
import subprocess
import sys

import pytest

from conftest import ROOT

FOLDER = ROOT / "src" / "doc" / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_kept_outputs_are_whole_and_of_no_machine(path):
    cells = json.loads(path.read_text())["cells"]
    outputs = [out for cell in cells for out in cell.get("outputs", ())]
    counts = [cell["execution_count"] for cell in cells if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))  # all of one run
    assert sum("image/svg+xml" in out.get("data", {}) for out in outputs) >= 2
    assert all(out["output_type"] in ("stream", "execute_result") for out in outputs)
    assert not re.search(r"/(home|tmp|root|usr|work|Users)/", json.dumps(outputs))
    for link in re.findall(r"\]\(([^)#]+)", "".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")):
        assert (FOLDER / link).exists(), link


def run(*arguments):
    return subprocess.run([sys.executable, FOLDER / "run.py", *arguments], capture_output=True, text=True)


def notebook(*cells):
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        {"cell_type": "code", "id": str(i), "metadata": {}, "outputs": [], "execution_count": None, "source": one.splitlines(keepends=True)}
        for i, one in enumerate(cells)]})


def test_a_notebook_without_jupyter(tmp_path):
    (tmp_path / "small.ipynb").write_text(notebook("import hone\nx = 3\nprint(x)", "hone._program.Picture('<svg/>')", "x;\nx = 4"))
    done = run("--plain", "--into", tmp_path / "kept", tmp_path / "small.ipynb")
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "kept" / "small.ipynb").read_text())["cells"]
    assert cells[0]["outputs"] == [{"output_type": "stream", "name": "stdout", "text": ["3\n"]}]
    assert cells[1]["outputs"][0]["data"]["image/svg+xml"] == ["<svg/>"] and cells[2]["outputs"] == []
    (tmp_path / "small.ipynb").write_text(notebook("import os\nprint(os.getcwd() + '/x')"))
    done = run("--plain", "--into", tmp_path / "more", tmp_path / "small.ipynb")
    assert done.returncode == 1 and "a folder of this machine" in done.stderr and not (tmp_path / "more").exists()
    (tmp_path / "small.ipynb").write_text(notebook("1 / 0"))
    done = run("--plain", tmp_path / "small.ipynb")
    assert done.returncode == 1 and "ZeroDivisionError" in done.stderr
