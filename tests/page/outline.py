"""The elements of a page as indented text, to compare with a kept reference: tags, classes, roles and what labels them, without
texts; neighbours that are alike stand there once, and of a picture the kinds of elements in it. HONE_REWRITE=1 writes references."""
import html.parser
import os

VOID = {"meta", "br", "hr", "input", "link", "img", "wbr"}
SHOWN = ("role", "data-view", "tabindex", "scope", "type", "hidden")


class Node:
    def __init__(self, tag, attributes):
        self.name = tag + "".join("." + c for c in (attributes.get("class") or "").split())
        self.name += "".join(" %s=%s" % (a, attributes[a]) for a in SHOWN if a in attributes)
        self.name += "".join(" " + a for a in ("aria-label", "aria-labelledby", "aria-live", "aria-sort", "aria-invalid") if a in attributes)
        self.tag, self.children = tag, []

    def lines(self, depth=0):
        if self.tag == "svg":
            kinds = sorted({n.name for c in self.children for n in c.all()})
            return ["  " * depth + self.name + " [" + ", ".join(kinds) + "]"]
        out = ["  " * depth + self.name]
        for child in self.children:
            own = child.lines(depth + 1)
            if out[-len(own):] != own:
                out += own
        return out

    def all(self):
        yield self
        for child in self.children:
            yield from child.all()


class Parser(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.root = Node("page", {})
        self.stack = [self.root]
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        node = Node(tag, dict(attributes))
        self.stack[-1].children.append(node)
        if tag not in VOID:
            self.stack.append(node)

    def handle_startendtag(self, tag, attributes):
        self.stack[-1].children.append(Node(tag, dict(attributes)))

    def handle_endtag(self, tag):
        while len(self.stack) > 1:
            if self.stack.pop().tag == tag:
                break


def outline(text):
    return "\n".join(Parser(text).root.lines()[1:]) + "\n"


def compare(text, name):
    """With the reference of this name."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "trees", name + ".txt")
    found = outline(text)
    if "HONE_REWRITE" in os.environ:
        with open(path, "w", encoding="utf-8") as f:
            f.write(found)
    with open(path, encoding="utf-8") as f:
        expected = f.read()
    if found == expected:
        return
    import difflib
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), "kept", "found", lineterm="")
    raise AssertionError("the elements of %s are others (HONE_REWRITE=1 writes them anew):\n%s" % (name, "\n".join(lines)))
