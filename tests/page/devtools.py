"""As much of the DevTools protocol as a test needs: one headless Chromium, pages opened in it, expressions evaluated,
requests and errors noted. The WebSocket is RFC 6455's, text frames alone."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request


def find_browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


def check(condition, what):
    if not condition:
        raise AssertionError(what)


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="hone-browser-")
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--remote-debugging-port=0", "--user-data-dir=" + self.folder, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        where = os.path.join(self.folder, "DevToolsActivePort")
        for _ in range(600):
            if os.path.exists(where) and os.path.getsize(where) > 0:
                break
            if self.process.poll() is not None:
                raise RuntimeError("the browser ended at once")
            time.sleep(0.1)
        with open(where) as f:
            self.port = int(f.readline())

    def open(self, width=1280, height=900, dark=False):
        request = urllib.request.Request("http://127.0.0.1:%d/json/new?about:blank" % self.port, method="PUT")
        target = json.load(urllib.request.urlopen(request, timeout=60))
        page = Page(self.port, target["webSocketDebuggerUrl"], target["id"])
        page.call("Page.enable")
        page.call("Runtime.enable")
        page.call("Network.enable")
        page.call("Log.enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        return page

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    def __init__(self, port, url, target):
        self.target = target
        self.number, self.events, self.rest = 0, [], b""
        self.socket = socket.create_connection(("127.0.0.1", port), 600)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n"
                             % (url.split(str(port), 1)[1], port, key)).encode())
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(65536)
        self.rest = self.rest.split(b"\r\n\r\n", 1)[1]

    def take(self, count):
        while len(self.rest) < count:
            more = self.socket.recv(1 << 20)
            if not more:
                raise RuntimeError("the browser closed the connection")
            self.rest += more
        out, self.rest = self.rest[:count], self.rest[count:]
        return out

    def receive(self):
        message = b""
        while True:
            first, second = self.take(2)
            length = second & 127
            if length == 126:
                length = struct.unpack(">H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack(">Q", self.take(8))[0]
            message += self.take(length)
            if first & 0x80:
                return json.loads(message)

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        head = bytes([0x81])
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        elif len(data) < 65536:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", len(data))
        repeated = (mask * (len(data) // 4 + 1))[:len(data)]
        masked = (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(data), "big")
        self.socket.sendall(head + mask + masked)

    def call(self, method, **parameters):
        self.number += 1
        self.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]))
                return message["result"]
            self.events.append(message)

    def close(self):
        """Ends the page: a test has many, and each keeps what it shows in memory."""
        self.call("Target.closeTarget", targetId=self.target)
        self.socket.close()

    def load(self, path):
        """Opens a file, or an address, and waits until it is read; seconds that this took."""
        began = time.monotonic()
        self.events = []
        self.call("Page.navigate", url=path if "://" in path else "file://" + path)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())
        return time.monotonic() - began

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError("%s: %s" % (expression[:200], result["exceptionDetails"]))
        return result["result"].get("value")

    def drag(self, x0, y0, x1, y1):
        for kind, x, y in (("mousePressed", x0, y0), ("mouseMoved", (x0 + x1) / 2, (y0 + y1) / 2),
                           ("mouseMoved", x1, y1), ("mouseReleased", x1, y1)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=0 if kind == "mouseReleased" else 1,
                      clickCount=1)

    def key(self, key, code=None, text=None):
        """A key that is pressed and let go."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      **({"text": text} if text and kind == "keyDown" else {}),
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "ArrowRight": 39, "ArrowDown": 40}.get(key, 0))

    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        out = [e["params"]["entry"]["text"] for e in self.events if e.get("method") == "Log.entryAdded"]
        out += [str(e["params"]["exceptionDetails"]) for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        return out

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
