"""A page in headless Chromium, asked over its DevTools protocol: at any width, light or dark, with
everything it writes to the console and every request it makes.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

SECONDS = 60  # that an answer may take
OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]


def browser() -> str:
    """Return the path of Chromium; where there is none, skip the test."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("Chromium is not installed; apt-get install chromium.")
    return found


class Page:
    """A page that is open: ``messages`` are those of its console, ``requests`` the addresses that
    it asked for.
    """

    def __init__(self, reader, writer):
        self._reader, self._writer, self._number = reader, writer, 0
        self._session, self._unread = None, b""
        self.messages, self.requests, self._events = [], [], []

    def call(self, method, **parameters):
        """Call a method of the protocol and return its result."""
        self._number += 1
        request = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        sent = json.dumps(request).encode() + b"\0"
        while sent:
            sent = sent[os.write(self._writer, sent) :]
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, path, *, width, dark=False):
        """Load a file and wait until it is shown."""
        if self._session is None:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=scheme)
        self.messages.clear()
        self.requests.clear()
        self._events.clear()
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        while "Page.loadEventFired" not in self._events:
            self._next()

    def evaluate(self, expression):
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key):
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            code = {"Tab": 9, "Escape": 27}.get(key, 0)
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def hover(self, x, y):
        """Move the pointer."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path):
        """Save a picture of the whole page."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def _next(self):
        """Read one message; remember it if it is an event."""
        parts = [self._unread]
        while b"\0" not in parts[-1]:
            if not select.select([self._reader], [], [], SECONDS)[0]:
                raise TimeoutError(f"Chromium did not answer for {SECONDS} s.")
            parts.append(os.read(self._reader, 1 << 16))
            if not parts[-1]:
                raise RuntimeError("Chromium ended.")
        text, _, self._unread = b"".join(parts).partition(b"\0")
        answer = json.loads(text)
        method, told = answer.get("method", ""), answer.get("params", {})
        self._events.append(method)
        if method == "Runtime.consoleAPICalled":
            self.messages.append(str([value.get("value") for value in told["args"]]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(str(told["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.messages.append(told["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        return answer


@contextmanager
def opened():
    """A browser with one page, closed in the end; skips the test where there is no Chromium."""
    chromium = browser()
    there, writer = os.pipe()
    reader, back = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        line = ["bash", "-c", f'exec "$0" "$@" 3<&{there} 4>&{back}', chromium, *OPTIONS, f"--user-data-dir={profile}"]
        with subprocess.Popen(line, pass_fds=(there, back), stderr=subprocess.DEVNULL) as process:
            os.close(there)
            os.close(back)
            try:
                yield Page(reader, writer)
            finally:
                os.close(writer)
                os.close(reader)
                process.terminate()
                try:
                    process.wait(SECONDS)
                except subprocess.TimeoutExpired:
                    process.kill()
