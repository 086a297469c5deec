#!/usr/bin/env python3
"""run_action.py SOURCE SCRATCH HONE: runs the workflow that src/doc/ci.md shows as GitHub would, as far as one machine can: a small
runner with its expressions, its files for outputs and paths, the cache and upload actions as copies of folders, and a `gh`
that keeps what it is told. setup-hone builds hone. Three runs: the first finds nothing and builds; the second finds program
and store, builds nothing, and edits its comment; the third has a broken kernel, fails, and comments all the same. 77: no YAML reader."""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

try:
    import yaml
except ImportError:
    print("skipped: no YAML reader (Debian: python3-yaml)")
    sys.exit(77)
source, scratch, built = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
shutil.rmtree(scratch, ignore_errors=True)
home, work, kept = scratch / "home", scratch / "work", scratch / "kept"  # kept: what caches, artifacts and gh have
for folder in (home, kept, scratch / "bin"):
    folder.mkdir(parents=True)
action = yaml.safe_load((source / ".github/actions/setup-hone/action.yml").read_text())
block = next(b for b in re.findall(r"```yaml\n(.*?)```", (source / "src/doc/ci.md").read_text(), re.S) if "setup-hone" in b)
(job,) = yaml.safe_load(block)["jobs"].values()
(scratch / "bin/gh").write_text(f"""#!/bin/sh
[ "$1 $2 $3" = "pr comment 7" ] && [ "$GH_TOKEN" = secret ] || exit 2
case $* in
*--edit-last*) [ -e {kept}/comment ] || exit 1; echo edited >>{kept}/gh ;;
*) echo new >>{kept}/gh ;;
esac
for file; do :; done
cat "$file" >{kept}/comment
""")
(scratch / "bin/gh").chmod(0o755)
# What is built here runs a few commands: it is compiled in a third of the time.
(scratch / "quick").mkdir()
(scratch / "quick/gcc").write_text('#!/bin/sh\nexec cc "$@" -O0\n')
(scratch / "quick/gcc").chmod(0o755)


def check(is_so, what):
    if not is_so:
        sys.exit("failed: %s" % (what,))


class Run:
    """One run of the workflow. Contexts of expressions are dictionaries; a name that is not there is empty, as GitHub has it."""

    def __init__(self, number):
        self.number, self.failed, self.said, self.ran = number, False, "", []
        self.context = {"runner": {"os": "Linux", "arch": "X64"}, "steps": {}, "inputs": {},
                        "github": {"sha": "abc", "action_ref": "v0.2.0", "ref_name": "7/merge", "run_id": str(number), "token": "secret",
                                   "event": {"number": 7}}}
        self.path = "%s:%s" % (scratch / "bin", os.environ["PATH"])
        self.after = []  # what the cache action does when the job ends

    def value(self, expression):
        def name(match):
            word = match[0]
            if word[0] == "'" or word in ("and", "or", "not"):
                return word
            if word in ("always", "hashFiles"):
                return "functions[%r]" % word
            found = self.context
            for part in word.split("."):
                found = found.get(part, "") if isinstance(found, dict) else ""
            return repr(found)
        text = re.sub(r"!(?!=)", " not ", expression.replace("&&", " and ").replace("||", " or "))
        text = re.sub(r"'[^']*'|[A-Za-z_][\w.-]*", name, text)
        functions = {"always": lambda: True, "hashFiles": lambda p: "x" if glob.glob(str(work / p)) else ""}
        return eval(text, {"functions": functions})

    def filled(self, given):
        return re.sub(r"\$\{\{(.*?)\}\}", lambda m: str(self.value(m[1].strip())), str(given))

    def cache(self, step):
        given = {key: self.filled(v).replace("7/merge", "7_merge") for key, v in step["with"].items()}  # names of folders
        path = home / given["path"].removeprefix("~/")
        hit = kept / "caches" / given["key"]
        older = [c for prefix in given.get("restore-keys", "").split()
                 for c in sorted((kept / "caches").glob(prefix + "*"), key=os.path.getmtime, reverse=True)]
        found = hit if hit.exists() else older[0] if older else None
        if found:
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(found, path, symlinks=True)
        if not hit.exists():  # a key is never written twice
            self.after.append(lambda: path.exists() and shutil.copytree(path, hit, symlinks=True))
        return {"cache-hit": "true" if found == hit else ""}

    def shell(self, step, extra):
        files = {name: scratch / name for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("")
        environment = {"HOME": str(home), "PATH": self.path, "HONE_BUILD": str(scratch / "build"), "CI": "true",
                       "CC": str(scratch / "quick/gcc"), **extra,
                       **{key: self.filled(v) for key, v in step.get("env", {}).items()}, **{k: str(v) for k, v in files.items()}}
        for name in ("CCACHE_DIR", "CCACHE_BASEDIR", "CCACHE_NOHASHDIR", "CMAKE_C_COMPILER_LAUNCHER", "POCL_CACHE_DIR", "TMPDIR"):
            if name in os.environ:
                environment[name] = os.environ[name]
        script = self.filled(step["run"])
        started = time.monotonic()
        ended = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=work, env=environment,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print("run %d: %.0f s, status %d: %s" % (self.number, time.monotonic() - started, ended.returncode, script.splitlines()[0]), flush=True)
        self.ran.append(script)
        self.said += ended.stdout
        self.summary = files["GITHUB_STEP_SUMMARY"].read_text() or getattr(self, "summary", "")
        for line in files["GITHUB_PATH"].read_text().splitlines():
            self.path = "%s:%s" % (line, self.path)
        self.failed |= ended.returncode != 0
        return dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())

    def step(self, step, extra):
        said = str(step.get("if", ""))
        condition = said if "always()" in said else "(%s)" % said if said else "True"
        if not self.value(condition.replace("True", "'x'")) or (self.failed and "always()" not in said):
            return
        uses, outputs = step.get("uses", ""), {}
        if "setup-hone" in uses:
            outer, self.context["inputs"] = self.context["inputs"], {
                key: str(step.get("with", {}).get(key, i["default"])).lower() for key, i in action["inputs"].items()}
            for inner in action["runs"]["steps"]:
                self.step(inner, {"GITHUB_ACTION_PATH": str(source / ".github/actions/setup-hone")})
            self.version = self.filled(action["outputs"]["version"]["value"])
            self.context["inputs"] = outer
        elif uses.startswith("actions/cache@"):
            outputs = self.cache(step)
        elif uses.startswith("actions/upload-artifact@"):
            self.artifacts = sorted(p.name for p in work.glob(step["with"]["path"]))
        elif not uses.startswith("actions/checkout@"):
            check("run" in step, "an action without a stand-in: %s" % uses)
            outputs = self.shell(step, extra)
        if "id" in step:
            self.context["steps"][step["id"]] = {"outputs": outputs}


def run(number, break_it=None):
    """A runner is a fresh machine: what it has comes from its caches."""
    for folder in (home, work, scratch / "build"):
        shutil.rmtree(folder, ignore_errors=True)
    home.mkdir()
    shutil.copytree(kept / "checkout", work)
    if break_it:
        break_it()
    r = Run(number)
    for step in job["steps"]:
        r.step(step, {})
    for save in r.after:
        save()
    return r


# The repository that is checked: the page's transpose, and a matrix product with its baseline, made an hour ago.
kernels = kept / "checkout/kernels"
shutil.copytree(source / "tests/check/data", kernels)
for name in ("matmul_tiled.cl", "matmul_tiled.json"):
    shutil.copy(source / "kernels_cl" / name, kernels)
text = (kernels / "matmul_tiled.json").read_text()
(kernels / "matmul.json").write_text(re.sub(r'"WIDTH": *\d+', '"WIDTH": 64', text, count=1))
(kernels / "matmul_tiled.json").unlink()
environment = dict(os.environ, XDG_DATA_HOME=str(scratch / "earlier"))
for words in (["tune", "--budget", "4s"], ["bench", "--repeats", "4", "--rounds", "2", "--output", "kernels/matmul.base.json"]):
    made = subprocess.run([built, words[0], "kernels/matmul.json", *words[1:]], cwd=kernels.parent, env=environment, capture_output=True, text=True)
    check(made.returncode == 0, made.stderr + made.stdout)

first = run(1)
check(not first.failed, first.said)
check((scratch / "build").exists() and re.match(r"(hone )?\d+\.\d+", first.version), "built, version '%s'" % getattr(first, "version", ""))
check((kept / "gh").read_text() == "new\n" and "matmul" in first.summary and first.summary == (kept / "comment").read_text(), "a comment: " + first.said)
check(first.artifacts == ["check.xml", "races.xml"], first.artifacts)
second = run(2)
check(not second.failed, second.said)
check(not (scratch / "build").exists(), "the program was built again")
check((kept / "gh").read_text() == "new\nedited\n", "the comment is edited")
check("known from the store" in second.said, "what was checked is checked again: " + second.said)
check(len(list((kept / "caches").glob("hone-program-*"))) == 1 and len(list((kept / "caches").glob("hone-store-*"))) == 2, "the caches")


def lose_the_barrier():
    text = (work / "kernels/transpose.cl").read_text()
    check("barrier(" in text, "the kernel has a barrier")
    (work / "kernels/transpose.cl").write_text(re.sub(r"barrier\([^;]*\);", "", text))


third = run(3, lose_the_barrier)
check(third.failed and "check.xml" in third.artifacts, "a kernel without its barrier passed: " + third.said)
print("passed: three runs of the workflow")
