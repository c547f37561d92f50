# SPDX-License-Identifier: BSD-3-Clause
"""Do the caches of the capture plug-in behave like an independent model?"""

from __future__ import annotations

import shutil
import subprocess
from collections import OrderedDict
from pathlib import Path

import pytest
from captured import FILL, WRITE_BACK

SOURCES = Path(__file__).resolve().parents[2] / "workloads" / "capture"


class Levels:
    """The cache hierarchy once more, by ordered dictionaries (oldest line first)."""

    def __init__(self, sizes: list[int], ways: list[int]) -> None:
        self.sets = [size // 64 // way for size, way in zip(sizes, ways)]
        self.ways = ways
        self.levels: list[dict[int, OrderedDict[int, bool]]] = [{}, {}, {}]
        self.log: list[tuple[int, int]] = []

    def set_of(self, level: int, line: int) -> OrderedDict[int, bool]:
        return self.levels[level].setdefault(line % self.sets[level], OrderedDict())

    def put(self, level: int, line: int, dirty: bool) -> None:
        """Make the line the newest of its set; a dirty victim goes down one level."""
        lines = self.set_of(level, line)
        dirty |= lines.pop(line, False)
        victim = None
        if len(lines) == self.ways[level]:
            victim = lines.popitem(last=False)
        lines[line] = dirty
        if victim and victim[1]:
            if level == 2:
                self.log.append((WRITE_BACK, victim[0]))
            else:
                self.put(level + 1, victim[0], True)

    def access(self, line: int, store: bool) -> None:
        hit = next((k for k in range(3) if line in self.set_of(k, line)), 3)
        if hit == 3:
            self.log.append((FILL, line))
        for level in reversed(range(min(hit, 2) + 1)):
            self.put(level, line, store and level == 0)

    def evict(self, line: int) -> None:
        """A non-temporal store comes."""
        dirty = [self.set_of(k, line).pop(line, False) for k in range(3)]
        if any(dirty):
            self.log.append((WRITE_BACK, line))


DRIVER = r"""
#include <stdio.h>
#include "cache.h"
static void shared_lock(void) {}
static void shared_unlock(void) {}
static void emit(unsigned vcpu, enum record_kind kind, uint64_t line) {
    (void)vcpu;
    printf("%d %lu\n", kind, (unsigned long)line);
}
int main(void) {
    struct cache l3;
    struct hierarchy caches = {.l3 = &l3};
    if (!cache_make(&caches.l1, 2048, 4) || !cache_make(&caches.l2, 8192, 8)) return 1;
    if (!cache_make(&l3, 32768, 16)) return 1;
    unsigned long line;
    int kind;
    while (scanf("%lu %d", &line, &kind) == 2)
        if (kind == 2) hierarchy_evict(&caches, line);
        else hierarchy_access(&caches, line, kind);
    return 0;
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_caches_equal_an_independent_model(tmp_path: Path) -> None:
    (tmp_path / "driver.c").write_text(DRIVER)
    binary = tmp_path / "driver"
    subprocess.run(["gcc", "-O1", f"-I{SOURCES}", "-o", binary, tmp_path / "driver.c"], check=True)
    state, stream = 12345, []
    for _ in range(200_000):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        span = (64, 400, 1500)[(state >> 33) % 3]
        what = state >> 40 & 15
        stream.append(((state >> 45) % span, 2 if what == 15 else int(what > 9)))
    model = Levels([2048, 8192, 32768], [4, 8, 16])
    for line, kind in stream:
        model.evict(line) if kind == 2 else model.access(line, kind == 1)
    text = "".join(f"{line} {kind}\n" for line, kind in stream)
    done = subprocess.run([binary], input=text, capture_output=True, text=True, check=True)
    found = [tuple(map(int, row.split())) for row in done.stdout.splitlines()]
    assert found == model.log
    assert len(found) > 50_000
