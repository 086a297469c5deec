"""A notebook as a script: its cells of code, one after the other."""

from __future__ import annotations

import ast
import json
import re
import sys
from typing import List

_MAGIC = re.compile(r"^\s*[%!]")


def read_notebook(path: str) -> str:
    """The text of a notebook's code. What is the shell's or IPython's own (! and %) is left out, and said; %%writefile writes its file.
    Raises ValueError for what is not a notebook."""
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise ValueError("it is not a notebook")
    parts = ["display = print"]
    for number, cell in enumerate(document["cells"], 1):
        if cell.get("cell_type") == "code":
            parts.append("\n".join(_of_cell("".join(cell.get("source", ())), f"{path}, cell {number}")))
    return "\n".join(parts) + "\n"


def _of_cell(text: str, where: str) -> List[str]:
    magic = re.match(r"\s*%%(\w+)[ \t]*([^\n]*)\n?", text)
    if magic and magic.group(1) == "writefile":
        mode = "a" if magic.group(2).startswith("-a ") else "w"
        name, body = magic.group(2).replace("-a ", "", 1).strip(), text[magic.end():]
        return [f"with open({name!r}, {mode!r}, encoding='utf-8') as _written:", f"    _written.write({body!r})"]
    if magic and magic.group(1) not in ("time", "timeit", "capture"):
        print(f"{where}: %%{magic.group(1)} is left out", file=sys.stderr)
        return []
    lines = (text[magic.end():] if magic else text).split("\n")
    while True:
        try:
            ast.parse("\n".join(lines))
            return lines
        except SyntaxError as e:  # a line that begins with % may also go on with a sum
            at = (e.lineno or 1) - 1
            if at >= len(lines) or not _MAGIC.match(lines[at]):
                return lines
            print(f"{where}: {lines[at].strip()} is left out", file=sys.stderr)
            lines[at] = re.sub(r"\S.*", "pass", lines[at])
