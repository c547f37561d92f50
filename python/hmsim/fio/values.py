# SPDX-License-Identifier: BSD-3-Clause
"""A job of a fio file, and the values of its keys: sizes, times and counts as fio writes them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.config.settings import Setting

LARGEST_SIZE = 1 << 46  # bytes
LONGEST_TIME = 10**15  # picoseconds
LONGEST_RUN = 86_400 * 10**12
POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
SIZE = re.compile(r"(0x[0-9a-f]{1,16}|\d{1,18})(?:([kmgtp])(i?))?b?", re.IGNORECASE)
COUNT = re.compile(r"\d{1,12}")
TIME = re.compile(r"(\d{1,18})([a-z]*)", re.IGNORECASE)
TIME_UNITS = {
    **{"us": 10**6, "usec": 10**6, "ms": 10**9, "msec": 10**9, "s": 10**12, "sec": 10**12},
    **{"m": 60 * 10**12, "h": 3_600 * 10**12, "d": 86_400 * 10**12},
}  # picoseconds
YES = ("", "1", "true")  # a key without a value is set
NO = ("0", "false")
VALID = {"size": "1g"}  # of keys without a default


class WrongValue(InputError):
    """Error of one key of a job.

    Attributes:
        key: name of the key, even if the job does not set it.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


@dataclass(frozen=True)
class Job:
    """A section of a job file; its own keys override the global ones."""

    name: str
    where: str
    keys: dict[str, Setting]

    def text(self, key: str, default: str = "") -> str:
        return self.keys[key].text if key in self.keys else default

    def corrected(self, key: str) -> Job:
        """Return the job with a valid value of a key: its default, or `VALID` if it has none."""
        keys = {name: value for name, value in self.keys.items() if name != key}
        if key in VALID:
            keys[key] = Setting(key, VALID[key], self.where)
        return replace(self, keys=keys)

    def fail(self, key: str, message: str) -> WrongValue:
        where = self.keys[key].where if key in self.keys else self.where
        return WrongValue(key, f"{where}: {key}: {message}")

    def flag(self, key: str) -> bool:
        text = self.text(key, "0")
        if text not in (*YES, *NO):
            raise self.fail(key, f"must be 0 or 1, got '{text}'")
        return text in YES

    def choice(self, key: str, default: str, known: list[str]) -> str:
        text = self.text(key, default)
        if text not in known:
            raise self.fail(key, f"'{text}' is not supported; {hint(text, known, 'supported')}")
        return text

    def count(self, key: str, default: int, least: int = 1, most: int = 10**12) -> int:
        text = self.text(key, str(default))
        if not COUNT.fullmatch(text) or not least <= int(text) <= most:
            raise self.fail(key, f"must be a number from {least} to {most}, got '{text}'")
        return int(text)

    def bytes(self, key: str, default: int = 0) -> int:
        return self.to_bytes(key, self.text(key, str(default)))

    def to_bytes(self, key: str, text: str) -> int:
        """Return a size: of k and ki, kb_base makes one 1000 bytes and the other 1024."""
        found = SIZE.fullmatch(text)
        size = LARGEST_SIZE + 1
        if found:
            swapped = self.choice("kb_base", "1024", ["1000", "1024"]) == "1024"
            binary = bool(found[3]) != swapped
            size = int(found[1], 0) * (1024 if binary else 1000) ** POWERS[(found[2] or "").lower()]
        if size > LARGEST_SIZE:
            hint = "; percentages are not supported" if text.endswith("%") else ""
            raise self.fail(
                key, f"must be a size up to 64t, for example 4k, 1m or 512, got '{text}'{hint}"
            )
        return size

    def time(self, key: str, unit: str, longest: int = LONGEST_TIME) -> int:
        """Return a time in picoseconds, 0 if not set; ``unit`` of a number without one."""
        text = self.text(key, "0")
        found = TIME.fullmatch(text)
        scale = TIME_UNITS.get(found[2].lower() or unit) if found else None
        if not found or not scale or int(found[1]) * scale > longest:
            most = f"{longest // 10**12}s"
            raise self.fail(
                key, f"must be a time up to {most}, for example 50us, 2ms or 3s, got '{text}'"
            )
        return int(found[1]) * scale

    @property
    def runtime(self) -> int:
        """The time after which a clone ends, in picoseconds; 0: none."""
        return self.time("runtime", "s", LONGEST_RUN)

    @property
    def repeats(self) -> bool:
        """True if only ``runtime`` ends the job; without it, fio ignores ``time_based``."""
        return self.flag("time_based") and self.runtime > 0

    @property
    def has_size(self) -> bool:
        """False if the job takes the whole device: it has no size, or 100 %."""
        return self.text("size", "100%") != "100%" or "filesize" in self.keys
