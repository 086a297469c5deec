"""A small client of a page that is served while it changes: requests as they are written, events as they come."""
import re
import socket
import subprocess
import threading
import time


def has_library():
    import ctypes
    try:
        ctypes.CDLL("libmicrohttpd.so.12")
    except OSError:
        return False
    return True


class Served:
    """hone as it serves: `arguments` after the program's name; its address is the first that it prints."""

    def __init__(self, fixtures, *arguments, stdin=subprocess.DEVNULL):
        self.process = subprocess.Popen([fixtures.hone, *arguments], cwd=fixtures.scratch, env=fixtures.environment, stdin=stdin,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said, self.printed = [], []
        self.found = threading.Event()
        self.threads = [threading.Thread(target=self.follow, args=a, daemon=True)
                        for a in ((self.process.stdout, self.printed), (self.process.stderr, self.said))]
        for thread in self.threads:
            thread.start()
        if not self.found.wait(120):
            self.process.kill()
            raise AssertionError("no address: %s" % "".join(self.said))

    def follow(self, stream, lines):
        for line in stream:
            lines.append(line)
            found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", line)
            if found:
                self.port, self.token = int(found[1]), found[2]
                self.found.set()
        self.found.set()

    def end(self, signal=None, timeout=120):
        if signal:
            self.process.send_signal(signal)
        status = self.process.wait(timeout)
        for thread in self.threads:
            thread.join(10)
        return status

    def connect(self, timeout=240):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def lines(self, method="GET", path=None, host=None, headers=()):
        path = "/%s/" % self.token if path is None else path
        host = "127.0.0.1:%d" % self.port if host is None else host
        return "\r\n".join(["%s %s HTTP/1.1" % (method, path)] + (["Host: " + host] if host else []) +
                           ["%s: %s" % h for h in headers] + ["Connection: close", "", ""]).encode()

    def answer(self, data):
        """What comes back to these bytes; status 0: nothing."""
        with self.connect() as s:
            got = b""
            try:
                s.sendall(data)
                while True:
                    more = s.recv(65536)
                    if not more:
                        break
                    got += more
            except (ConnectionResetError, BrokenPipeError):
                pass
        head, _, body = got.partition(b"\r\n\r\n")
        words = head.split(b" ", 2)
        status = int(words[1]) if len(words) > 1 and words[0].startswith(b"HTTP/1.") else 0
        return status, head.decode("latin-1"), body

    def get(self, **how):
        return self.answer(self.lines(**how))

    def page(self):
        status, _, body = self.get()
        if status != 200:
            raise AssertionError("the page: %d" % status)
        return body.decode()

    def events(self):
        """(name, data, moment) of each, until the connection ends."""
        with self.connect(120) as s:
            s.sendall(self.lines(path="/%s/events" % self.token))
            rest, name = b"", None
            head = True
            while True:
                more = s.recv(65536)
                if not more:
                    return
                rest += more
                if head:
                    if b"\r\n\r\n" not in rest:
                        continue
                    start, rest = rest.split(b"\r\n\r\n", 1)
                    if b"200" not in start.split(b"\r\n")[0] or b"text/event-stream" not in start:
                        raise AssertionError(start)
                    head = False
                while b"\n" in rest:
                    line, rest = rest.split(b"\n", 1)
                    line = line.strip().decode("utf-8", "replace")
                    if line.startswith("event: "):
                        name = line[7:]
                    elif line.startswith("data: "):
                        yield name, line[6:], time.monotonic()
                    elif line == ":":
                        yield "beat", "0", time.monotonic()


def processor_seconds(pid):
    """Of a process, so far."""
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    import os
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
        return [int(p) for p in f.read().split()]


def command_of(pid):
    try:
        with open("/proc/%d/cmdline" % pid) as f:
            return f.read().split("\0")
    except OSError:
        return []
