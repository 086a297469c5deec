#!/usr/bin/env python3
"""check_action.py SOURCE: the GitHub action and the workflows of the documents are what they must be. 77: no YAML reader."""
import pathlib
import re
import subprocess
import sys

try:
    import yaml
except ImportError:
    sys.exit(77)
root = pathlib.Path(sys.argv[1])


def check_script(place, text):
    text = re.sub(r"\$\{\{.*?\}\}", "x", text)
    ended = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True)
    if ended.returncode:
        sys.exit("%s: %s" % (place, ended.stderr))


folder = root / ".github/actions/setup-hone"
action = yaml.safe_load((folder / "action.yml").read_text())
for step in action["runs"]["steps"]:
    if ("run" in step) == ("uses" in step) or ("run" in step) != ("shell" in step):
        sys.exit("a step of action.yml either uses, or runs by a shell: %s" % step)
    check_script("action.yml", step.get("run", ""))
    for name in re.findall(r"\$GITHUB_ACTION_PATH/([^\"]+)", step.get("run", "")):
        if not (folder / name).stat().st_mode & 0o100:
            sys.exit("action.yml runs %s, which no one may execute" % name)
used = set(re.findall(r"inputs\.(\w+)", (folder / "action.yml").read_text()))
if used != set(action["inputs"]):
    sys.exit("inputs of action.yml: %s are used, %s are there" % (used, set(action["inputs"])))

for block in re.findall(r"```yaml\n(.*?)```", (root / "src/doc/ci.md").read_text(), re.S):
    for job in yaml.safe_load(block)["jobs"].values():
        for step in job["steps"]:
            check_script("ci.md", step.get("run", ""))
            if "setup-hone" in step.get("uses", "") and not set(step.get("with", {})) <= set(action["inputs"]):
                sys.exit("ci.md gives setup-hone what it does not take: %s" % step["with"])
