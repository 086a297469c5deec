#!/usr/bin/env python3
"""hone mcp before a client: each tool, and calls that a client should not make. Whatever comes, the next line is answered, nothing
outside of the root is read or written, and no process is left.

    calls.py HONE

Exit status 77: no device of PoCL's, or no Landlock.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time

KERNEL = "kernel void twice(global float *y, global const float *x)\n{\n    int i = get_global_id(0);\n    y[i] = %s;\n}\n"
SLOW = "for (volatile int k = 0; k < 100000000; k++)\n        ;\n    y[get_global_id(0)] = 2 * x[get_global_id(0)];"
SPEC = {
    "kernel": "twice.cl", "function": "twice", "constants": {"N": 4096}, "parameters": {"B": [32, 64]}, "global": ["N"], "local": ["B"],
    "arguments": {"y": {"access": "write", "size": "N", "type": "float", "expect": "2 * x[i]"},
                  "x": {"access": "read", "size": "N", "type": "float"}},
}
# Native code of a kernel on PoCL that opens a file by itself: what it gets stands in the result.
OPENS = """static long call(long n, long a, long b, long c)
{
    long r;
    __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
    return r;
}
constant char path[] = "%s";
kernel void twice(global float *y, global const float *x)
{
    y[get_global_id(0)] = 1000 + call(2, (long)path, 0, 0);
}
"""


class Client:
    def __init__(self, hone, folder, root):
        environment = dict(os.environ, HONE_LOCKS=folder, TMPDIR=os.path.join(folder, "scratch"))
        self.process = subprocess.Popen([hone, "mcp", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=environment)
        self.lines, self.others, self.last = queue.Queue(), {}, 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def send(self, text):
        self.process.stdin.write(text if isinstance(text, bytes) else text.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, number, limit=300):
        """The answer to this id; those to others are kept."""
        while number not in self.others:
            line = self.lines.get(timeout=limit)
            if line is None:
                raise RuntimeError("it ended: " + self.process.stderr.read().decode())
            self.others[line["id"]] = line
        return self.others.pop(number)

    def ask(self, method, params=None, **more):
        self.last += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params or {}, **more}))
        return self.last

    def request(self, method, params=None):
        return self.answer(self.ask(method, params))

    def call(self, tool, **arguments):
        return self.result(self.ask("tools/call", {"name": tool, "arguments": arguments}))

    def result(self, number):
        result = self.answer(number)["result"]
        texts = [part["text"] for part in result["content"]]
        return result["isError"], texts[0], json.loads(texts[-1]) if len(texts) > 1 else {}


def records(text, kind):
    return [r for r in map(json.loads, text.splitlines()) if r.get("type") == kind]


def write(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text if isinstance(text, str) else json.dumps(text))


def fill(root, outside):
    write(os.path.join(root, "twice.cl"), KERNEL % "2 * x[i]")
    write(os.path.join(root, "zeros.cl"), KERNEL % "0")
    write(os.path.join(root, "spec.json"), SPEC)
    write(os.path.join(outside, "secret.cl"), "#error THE SECRET\n" + KERNEL % "2 * x[i]")
    write(os.path.join(outside, "spec.json"), SPEC)
    write(os.path.join(root, "thief.json"), dict(SPEC, kernel=os.path.join(outside, "secret.cl")))
    write(os.path.join(root, "includes.cl"), '#include "%s/secret.cl"\n' % outside + KERNEL % "2 * x[i]")
    write(os.path.join(root, "includes.json"), dict(SPEC, kernel="includes.cl"))
    write(os.path.join(root, "opens.cl"), OPENS % os.path.join(outside, "secret.cl"))
    write(os.path.join(root, "opens.json"), dict(SPEC, kernel="opens.cl"))
    touch = ["touch", os.path.join(root, "ran")]
    write(os.path.join(root, "program.json"), {"kernel": {"run": touch}, "parameters": {"P": [1, 2]}})
    write(os.path.join(root, "generated.json"), dict(SPEC, kernel={"exec": touch}, language="OpenCL"))
    write(os.path.join(root, "slow.cl"), KERNEL.replace("y[i] = %s;", SLOW))
    write(os.path.join(root, "slow.json"), dict(SPEC, kernel="slow.cl", constants={"N": 1048576}))
    os.symlink(os.path.join(outside, "spec.json"), os.path.join(root, "link.json"))
    os.symlink(outside, os.path.join(root, "folder"))


def left_over(mark):
    for _ in range(100):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % pid, "rb") as f:
                    if mark.encode() in f.read() and int(pid) != os.getpid():
                        found.append(pid)
            except OSError:
                pass
        if not found:
            return []
        time.sleep(0.1)
    return found


class Checks:
    def __init__(self):
        self.count = self.failed = 0

    def __call__(self, name, fine, *shown):
        self.count += 1
        self.failed += not fine
        print("%-44s %s" % (name, "ok" if fine else "WRONG " + " ".join(map(str, shown))[:1500]), flush=True)


def hostile_lines(c, check):
    """What is not a message, before and after initialize."""
    check("ping before initialize", c.request("ping")["result"] == {})
    check("tools/list before initialize", c.request("tools/list")["error"]["code"] == -32600)
    hello = c.request("initialize", {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}})
    check("initialize", hello["result"]["protocolVersion"] == "2025-06-18" and "tools" in hello["result"]["capabilities"], hello)
    c.send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    for name, line, code in [
            ("malformed JSON", b'{"jsonrpc": "2.0", "id": 1, \n', -32700), ("no JSON", b"hello\n", -32700),
            ("invalid UTF-8", b'{"jsonrpc": "2.0", "method": "\xff\xfe", "id": 1}\n', -32700),
            ("a NUL", b'{"jsonrpc": "2.0", "method": "p\\u0000", "id": 1}\n', -32700),
            ("the same key twice", b'{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}\n', -32700),
            ("a huge line", b'{"jsonrpc": "2.0", "id": "' + b"x" * (3 << 20) + b'"}\n', -32700),
            ("a deep one", b"[" * 200000 + b"\n", -32700), ("an array of messages", b'[{"jsonrpc": "2.0"}]\n', -32600),
            ("another version", b'{"jsonrpc": "1.0", "method": "ping"}\n', -32600), ("id null", b'{"jsonrpc": "2.0", "id": null, "method": "ping"}\n', -32600),
            ("a method that is a number", b'{"jsonrpc": "2.0", "method": 5}\n', -32600)]:
        c.send(line)
        found = c.answer(None)
        check(name, found["error"]["code"] == code, found)
    c.send('{"jsonrpc": "2.0", "result": {}, "id": 99}\n\n{"jsonrpc": "2.0", "method": "notifications/unknown"}')
    check("answers and notifications of no use", c.request("ping")["result"] == {} and not c.others, c.others)
    check("unknown method", c.request("resources/list")["error"]["code"] == -32601)
    check("params that are an array", c.answer(c.ask("ping", params=[1]))["error"]["code"] == -32602)
    listed = c.request("tools/list")["result"]["tools"]
    check("tools/list", [t["name"] for t in listed] == ["devices", "init", "check", "tune", "judge", "best", "compare", "report"]
          and all(len(t["description"]) > 60 and t["inputSchema"]["type"] == "object" for t in listed), listed)


def wrong_arguments(c, check, outside):
    unknown = c.request("tools/call", {"name": "shell", "arguments": {}})
    check("unknown tool", unknown["error"]["code"] == -32602, unknown)
    made = os.path.join(outside, "made")
    for name, tool, arguments, words in [
            ("no spec", "tune", {}, "spec: it is needed"),
            ("a spec that is a number", "tune", {"spec": 5}, "spec: it has to be a text"),
            ("candidates that are not an array", "judge", {"spec": "spec.json", "candidates": "zeros.cl"}, "an array"),
            ("an unknown argument", "check", {"spec": "spec.json", "sampel": 2}, "did you mean 'sample'"),
            ("a number that is too large", "check", {"spec": "spec.json", "sample": 10**12}, "from 1 to 1000000"),
            ("arguments that are a list", "check", [1], "an object"),
            ("another language", "check", {"spec": "spec.json", "language": "sh"}, "the schema lists"),
            ("a path outside", "check", {"spec": os.path.join(outside, "spec.json")}, "leads out of the roots"),
            ("a path that goes up", "check", {"spec": "../outside/spec.json"}, "leads out of the roots"),
            ("a link that leads out", "check", {"spec": "link.json"}, "leads out of the roots"),
            ("a folder that leads out", "judge", {"spec": "spec.json", "candidates": ["folder/secret.cl"]}, "leads out of the roots"),
            ("a file that is not there", "check", {"spec": "nowhere.json"}, "is not there"),
            ("an output outside", "report", {"of": ["spec.json"], "output": made}, "leads out of the roots"),
            ("an output through a link", "report", {"of": ["spec.json"], "output": "folder/made"}, "leads out of the roots"),
            ("a program as strategy", "tune", {"spec": "spec.json", "strategy": "exec:touch " + made}, "programs are not run")]:
        result = c.answer(c.ask("tools/call", {"name": tool, "arguments": arguments}))["result"]
        check(name, result["isError"] and words in result["content"][0]["text"], result)
    found = c.call("check", spec="spec.json", device="--on=exec:touch " + made)
    check("a value like an option", found[2]["exit_status"] not in (0, 1) and not os.path.exists(made), found)
    found = c.call("check", spec="spec.json", where=["--store=" + made])
    check("another", found[2]["exit_status"] != 0 and not os.path.exists(made), found)


def every_tool(c, check, root, outside):
    found = c.call("devices")
    check("devices", not found[0] and json.loads(found[1])["devices"], found)
    found = c.call("init", kernel="twice.cl", output="made.json", no_check=True)
    check("init", not found[0] and os.path.exists(os.path.join(root, "made.json")), found)
    found = c.call("check", spec="spec.json")
    check("check", not found[0] and found[2]["exit_status"] == 0 and records(found[1], "summary"), found)
    found = c.call("best", spec="spec.json")
    check("best, before a tune", found[0] and "nothing is known" in found[2]["messages"] and found[2]["exit_status"] == 1, found)
    found = c.call("tune", spec="spec.json", budget="2", limit_s=300)
    check("tune", not found[0] and found[2]["exit_status"] == 0 and records(found[1], "summary"), found)
    found = c.call("best", spec="spec.json")
    check("best", found[2]["exit_status"] == 0, found)
    found = c.call("judge", spec="spec.json", candidates=["zeros.cl", "twice.cl"], hidden=0, rounds=4)
    verdicts = {os.path.basename(v["candidate"]): v["verdict"] for v in records(found[1], "verdict")}
    check("judge", verdicts["zeros.cl"] == "incorrect" and verdicts["twice.cl"] in ("same", "faster", "slower"), found)
    found = c.call("compare", specs=["spec.json"], left=["option=-cl-fast-relaxed-math"], sample=1, rounds=3)
    check("compare", not found[0] and json.loads(found[1])["compared"] == 1, found)
    found = c.call("report", of=["spec.json"], output="page.html")
    check("report", not found[0] and os.path.getsize(os.path.join(root, "page.html")) > 10000, found)
    check("results stay in the root", os.path.exists(os.path.join(root, ".hone", "hone", "results.sqlite")))
    for name, spec in [("a kernel file outside", "thief.json"), ("an include outside", "includes.json")]:
        found = c.call("check", spec=spec)
        check(name, found[2]["exit_status"] != 0 and "SECRET" not in json.dumps(found), found)
    for name, spec in [("a program", "program.json"), ("a generator", "generated.json")]:
        found = c.call("check", spec=spec)
        check(name, found[2]["exit_status"] == 2 and "HONE_COMMANDS=refuse" in json.dumps(found), found)
        found = c.call("compare", specs=[spec, "spec.json"])
        check(name + " beside another", found[2]["exit_status"] == 2, found)
    check("no command of a spec ran", not os.path.exists(os.path.join(root, "ran")))
    found = c.call("check", spec="opens.json", sample=1)
    check("a kernel that opens a file outside", found[2]["exit_status"] == 1 and "987" in found[1], found)


def ends(c, check):
    found = c.call("tune", spec="slow.json", limit_s=1, timeout="launch=60s")
    check("a call past its limit", found[0] and "limit of 1 s" in found[2]["ended"], found)
    number = c.ask("tools/call", {"name": "tune", "arguments": {"spec": "slow.json"}})
    twice = c.ask("ping")
    c.send(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}))
    check("an id that runs", c.answer(number)["error"]["code"] == -32600 and c.answer(twice)["result"] == {})
    c.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number, "reason": "why not"}}))
    c.send(json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [1]}}))
    both = [c.ask("tools/call", {"name": "devices", "arguments": {}}) for _ in range(2)]
    found = [c.result(n) for n in reversed(both)]
    check("a cancelled call, and two at once", number not in c.others and not any(f[0] for f in found), found)
    while c.call("devices")[0]:  # the cancelled one may take a while to end
        time.sleep(0.1)
    many = [c.ask("tools/call", {"name": "devices", "arguments": {}}) for _ in range(6)]
    found = [c.result(n) for n in many]
    check("six at once", any(f[0] and "4 calls run already" in f[1] for f in found) and not all(f[0] for f in found), found)


def last_things(hone, folder, root, check):
    """A client that ends its input in the middle of a line, that goes away, and that ends the server."""
    hello = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}})
    slow = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "tune", "arguments": {"spec": "slow.json"}}})
    c = Client(hone, folder, root)
    c.send(hello + '\n{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "devices"}}\n{"jsonrpc": "2.0", "id"')
    c.process.stdin.close()
    check("the end of the input in a line", not c.result(1)[0] and c.answer(None)["error"]["code"] == -32700 and c.process.wait(60) == 0)
    c = Client(hone, folder, root)
    c.send(hello + "\n" + slow)
    c.answer(0)
    c.process.send_signal(signal.SIGTERM)
    check("SIGTERM", c.process.wait(60) == 128 + signal.SIGTERM)
    quiet = subprocess.Popen([hone, "mcp", root], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, HONE_LOCKS=folder, TMPDIR=os.path.join(folder, "scratch")))
    quiet.stdin.write((hello + "\n" + slow + "\n").encode())
    quiet.stdin.flush()
    quiet.stdout.readline()
    quiet.stdout.close()
    check("a client that goes away", quiet.wait(60) == 0)
    for name, target in [(".hone", "gone"), (".hone/tmp", "made")]:
        linked = os.path.join(folder, "linked" + target)
        os.makedirs(os.path.dirname(os.path.join(linked, name)))
        os.mkdir(os.path.join(folder, "target-" + target))
        os.symlink(os.path.join(folder, "target-" + target), os.path.join(linked, name))
        refused = subprocess.run([hone, "mcp", linked], input="", capture_output=True, text=True, check=False)
        check("a link in place of " + name, refused.returncode in (1, 2) and not os.listdir(os.path.join(folder, "target-" + target)), refused)
    refused = subprocess.run([hone, "mcp", os.path.join(root, "spec.json")], capture_output=True, text=True, check=False)
    check("a root that is a file", refused.returncode == 2 and "is not a folder" in refused.stderr, refused.stderr)


def main():
    hone, check = sys.argv[1], Checks()
    listed = subprocess.run([hone, "devices", "--json"], capture_output=True, text=True, check=False)
    if "Portable Computing Language" not in listed.stdout:
        return 77
    with tempfile.TemporaryDirectory() as folder:
        root, outside = os.path.join(folder, "root"), os.path.join(folder, "outside")
        for path in (root, outside, os.path.join(folder, "scratch")):
            os.mkdir(path)
        fill(root, outside)
        before = sorted(os.listdir(outside))
        c = Client(hone, folder, root)
        try:
            c.answer(c.ask("ping"))
        except RuntimeError as e:
            print(e)
            return 77 if "Landlock" in str(e) else 1
        hostile_lines(c, check)
        wrong_arguments(c, check, outside)
        every_tool(c, check, root, outside)
        ends(c, check)
        c.process.stdin.close()
        check("the end of the input", c.process.wait(60) == 0)
        last_things(hone, folder, root, check)
        check("nothing is written outside", sorted(os.listdir(outside)) == before and not os.listdir(os.path.join(folder, "scratch")))
        left = left_over(folder)
        check("no process is left", not left, left)
    print("%d calls, %d went wrong" % (check.count, check.failed))
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
