# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, controlled over a pipe (the Chrome DevTools Protocol)."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
COMPLAINTS = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
CODES = {"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowRight": 39}
TEXTS = {"Enter": "\r"}


class Page:
    """A page in a window of 1200 x 900; ``complaints`` are its errors and console messages."""

    def __init__(self, url: str, profile: Path) -> None:
        assert BROWSER is not None
        self._events: list[dict[str, Any]] = []
        self._count = 0
        to_it, self._out = os.pipe()
        self._in, from_it = os.pipe()
        options = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe")
        command = [BROWSER, *options, f"--user-data-dir={profile}", "about:blank"]
        line = f"exec {shlex.join(command)} 3<&{to_it} 4>&{from_it}"  # it reads 3 and writes 4
        self._process = subprocess.Popen(
            ["bash", "-c", line], pass_fds=(to_it, from_it), stderr=subprocess.DEVNULL
        )
        os.close(to_it)
        os.close(from_it)
        self._answers = os.fdopen(self._in, "rb")
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        reported = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = reported["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(1200, 900)
        self.call("Page.setLifecycleEventsEnabled", enabled=True)
        loader = self.call("Page.navigate", url=url)["loaderId"]
        while not self._loaded(loader):
            self._events.append(self._next())

    def __enter__(self) -> Page:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        self._answers.close()

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command and return its result."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return dict(answer["result"])
            self._events.append(answer)

    @property
    def complaints(self) -> list[dict[str, Any]]:
        return [event["params"] for event in self._events if event["method"] in COMPLAINTS]

    def _loaded(self, loader: str) -> bool:
        return any(
            event["method"] == "Page.lifecycleEvent"
            and (event["params"]["loaderId"], event["params"]["name"]) == (loader, "load")
            for event in self._events
        )

    def _next(self) -> dict[str, Any]:
        text = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser went away"
            text += byte
        return dict(json.loads(text))

    def js(self, expression: str) -> Any:
        """Return the value of an expression, or of the promise that it is."""
        reported = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in reported, reported["exceptionDetails"]
        return reported["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            what = {"key": key, "windowsVirtualKeyCode": CODES.get(key, ord(key[0].upper()))}
            text = TEXTS.get(key, key if len(key) == 1 else "")
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **what)
            self.call("Input.dispatchKeyEvent", type="keyUp", **what)

    def resize(self, width: int, height: int) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
