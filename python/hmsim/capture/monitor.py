# SPDX-License-Identifier: BSD-3-Clause
"""QEMU's monitor, which saves and loads a machine's state."""

from __future__ import annotations

import json
import shlex
import socket
import time
from pathlib import Path
from typing import Any, Optional

PATIENCE = 30  # seconds for QEMU's first word
BANDWIDTH = 1 << 40  # bytes per second at which a state is saved: as fast as it goes


class MonitorError(Exception):
    """QEMU refused a command, or ended."""


class Monitor:
    """QEMU's machine protocol (QMP) over a socket to which QEMU connects."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._events: list[dict[str, Any]] = []

    @property
    def options(self) -> tuple[str, ...]:
        """QEMU's options; its pvpanic device, at port 0x505, pauses the machine."""
        return ("-qmp", f"unix:{self._path}", "-device", "pvpanic", "-action", "panic=pause")

    def close(self) -> None:
        self._listener.close()

    def connect(self) -> None:
        """Wait for QEMU. Raises MonitorError."""
        self._listener.settimeout(PATIENCE)
        try:
            connection, _ = self._listener.accept()
        except OSError as error:
            raise MonitorError("QEMU does not answer") from error
        self._stream = connection.makefile("rwb")
        connection.close()  # the stream keeps it
        self._read()  # the greeting
        self.execute("qmp_capabilities")
        self.execute(
            "migrate-set-capabilities", capabilities=[{"capability": "events", "state": True}]
        )

    def execute(self, command: str, **arguments: Any) -> Any:
        """Run a command and return its result. Raises MonitorError."""
        request = {"execute": command, "arguments": arguments}
        try:
            self._stream.write(json.dumps(request).encode() + b"\n")
            self._stream.flush()
        except OSError as error:
            raise MonitorError("QEMU closed the connection") from error
        while True:
            answer = self._read()
            if "return" in answer:
                return answer["return"]
            if "error" in answer:
                raise MonitorError(str(answer["error"].get("desc")))
            self._events.append(answer)

    def wait(self, event: str) -> dict[str, Any]:
        """Return the data of the next event of a name. Raises MonitorError."""
        while True:
            while self._events:
                seen = self._events.pop(0)
                if seen.get("event") == event:
                    return dict(seen.get("data", {}))
            self._events.append(self._read())

    def save(self, file: Path) -> None:
        """Save the state of the machine, which has paused itself, then let it continue."""
        self.wait("STOP")
        self.execute("migrate-set-parameters", **{"max-bandwidth": BANDWIDTH})
        self.execute("migrate", uri=f"exec:cat > {shlex.quote(str(file))}")
        self._migrated("saved")
        # No event reports the end of this state, which is short: poll it.
        while self.execute("query-status")["status"] == "finish-migrate":
            time.sleep(0.01)
        self.execute("cont")

    def resume(self) -> None:
        """Let the machine, which has paused itself, continue."""
        self.wait("STOP")
        self.execute("cont")

    def load(self, file: Path) -> None:
        """Give the machine, started with ``-incoming defer``, a saved state, and let it run."""
        self.execute("migrate-incoming", uri=f"exec:cat {shlex.quote(str(file))}")
        self._migrated("loaded")
        self.execute("cont")

    def _migrated(self, what: str) -> None:
        while True:
            status = self.wait("MIGRATION").get("status")
            if status == "completed":
                return
            if status == "failed":
                raise MonitorError(f"the machine's state cannot be {what}")

    def _read(self) -> dict[str, Any]:
        try:
            line: Optional[bytes] = self._stream.readline()
        except OSError:
            line = None
        if not line:
            raise MonitorError("QEMU closed the connection")
        answer = json.loads(line)
        return answer if isinstance(answer, dict) else {}
