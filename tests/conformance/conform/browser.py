"""A page in headless Chromium, driven by keys and asked by expressions, over the pipe of its developer tools."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowDown": 40, "ArrowRight": 39}
TYPED = {"Enter": "\r", " ": " "}


class Browser:
    """One page; `with` ends the program."""

    def __init__(self, profile: Path) -> None:
        assert CHROMIUM is not None
        there, self._out = os.pipe()
        self._in, back = os.pipe()
        # The program reads from descriptor 3 and writes to 4, which must not be written over by the other one's copy.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (there, back)]
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                   "--remote-debugging-pipe", "about:blank"]  # fmt: skip
        self._process = os.posix_spawn(
            CHROMIUM,
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, ends[0], 3),
                (os.POSIX_SPAWN_DUP2, ends[1], 4),
            ],
        )
        for end in (there, back, *ends):
            os.close(end)
        self._held = b""
        self._count = self._loads = 0
        self.errors: list[str] = []  # uncaught, in the page
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Runtime.enable")
        self.send("Page.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._out)
        os.close(self._in)
        os.kill(self._process, signal.SIGTERM)
        os.waitpid(self._process, 0)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to one command."""
        self._count += 1
        command = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._out, json.dumps(command).encode() + b"\0")
        while True:
            found = self._message()
            if found.get("id") == self._count:
                assert "error" not in found, found
                result: dict[str, Any] = found["result"]
                return result

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._held:
            more = os.read(self._in, 1 << 20)
            assert more, "the browser has ended"
            self._held += more
        text, self._held = self._held.split(b"\0", 1)
        found: dict[str, Any] = json.loads(text)
        if found.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(found["params"]["exceptionDetails"]))
        self._loads += found.get("method") == "Page.loadEventFired"
        return found

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page, as JSON has it."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def open(self, path: Path, width: int, height: int, dark: bool = False) -> None:
        """Shows a file at that size, and waits until its script has run."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=width < 600)  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        before = self._loads
        self.send("Page.navigate", url=path.as_uri())
        while self._loads == before:
            self._message()
        assert self.ask("document.documentElement.dataset.ready") == "yes", self.errors

    def press(self, key: str, shift: bool = False) -> None:
        """One key, down and up, as a keyboard sends it."""
        text = {"text": TYPED[key]} if key in TYPED else {}
        shared = {"key": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": 8 if shift else 0}
        shared["code"] = "Space" if key == " " else key
        self.send("Input.dispatchKeyEvent", type="keyDown", **shared, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", **shared)

    def picture(self) -> bytes:
        """A PNG of what is seen."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
