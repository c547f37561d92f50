# SPDX-License-Identifier: BSD-3-Clause
"""Sections of fio's job files, with the files that they include."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hmsim._core import InputError
from hmsim.config.node_reader import located
from hmsim.config.settings import Setting, read_text_file
from hmsim.fio.keys import ALIASES, problem
from hmsim.fio.values import Job

SUFFIX = ".fio"
GLOBAL = "global"
SECTION = re.compile(r"\[(.+)\]")
INCLUDE = re.compile(r"include[\s=]+(.+)")
VARIABLE = re.compile(r"\$\{([^}]*)\}")
COMMENT = re.compile(r"[;#].*", re.DOTALL)  # to the end of its line
PLACE = re.compile(r"(.*?):(\d+): ")
DEEPEST = 8  # levels of included files
MOST_INCLUDES = 64  # of a job file


def is_job_file(path: Path) -> bool:
    """Return whether a file is a fio job: by its name, or because it begins with a section."""
    if path.suffix == SUFFIX:
        return True
    lines = map(_bare, read_text_file(path).decode(errors="replace").splitlines())
    return bool(SECTION.fullmatch(next(filter(None, lines), "")))


def read_jobs(path: Path) -> tuple[list[Job], list[str]]:
    """Return all sections except [global], and an error for each key that is not supported.

    The keys of [global] are defaults for the sections after it.
    """
    reader = _Reader()
    jobs = reader.jobs(path)
    if not jobs and not reader.errors:
        raise InputError(f"{path}: contains no job: expected sections such as [job] after [global]")
    return jobs, reader.errors


def in_order(errors: Iterable[str]) -> list[str]:
    """Return errors that begin with ``file:line``, each once, in the order of the lines."""

    def place(error: str) -> tuple[str, int]:
        match = PLACE.match(error)
        return (match[1], int(match[2])) if match else ("", 0)

    return sorted(dict.fromkeys(errors), key=place)


def _bare(line: str) -> str:
    """Return a line without its comment and the space around it."""
    return COMMENT.sub("", line).strip()


def _substituted(where: str, line: str) -> str:
    """Return a line with the values of environment variables. Raises InputError."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise InputError(f"{where}: {match[0]}: this environment variable is not set")
        return os.environ[match[1]]

    return VARIABLE.sub(value, line)


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (``file:line``, text) of each line with more than a comment."""
    try:
        text = read_text_file(path).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is not text: {error.reason}") from error
    for number, line in enumerate(map(_bare, text.splitlines()), 1):
        if line:
            yield f"{path}:{number}", line


@dataclass
class _Reader:
    """Reader of one job file; collects the errors of its keys."""

    errors: list[str] = field(default_factory=list)
    includes: int = 0

    def jobs(self, path: Path) -> list[Job]:
        shared: dict[str, Setting] = {}
        keys: dict[str, Setting] | None = None
        jobs: list[Job] = []
        for where, line in _lines(path):
            if section := SECTION.fullmatch(line):
                keys = shared
                if section[1] != GLOBAL:
                    jobs.append(Job(section[1], where, dict(shared)))
                    keys = jobs[-1].keys
            elif keys is None:
                raise InputError(f"{where}: '{line[:40]}' is outside a section such as [job]")
            else:
                self._line(where, line, keys, [path])
        return jobs

    def _line(self, where: str, line: str, keys: dict[str, Setting], opened: list[Path]) -> None:
        if include := INCLUDE.fullmatch(line):
            self._include(where, include[1], keys, opened)
            return
        written, _, text = (part.strip() for part in _substituted(where, line).partition("="))
        key = ALIASES.get(written, written)
        if wrong := problem(written, key, text):
            self.errors.append(f"{where}: {written}: {wrong}")
        keys[key] = Setting(key, text, where)

    def _include(self, where: str, name: str, keys: dict[str, Setting], opened: list[Path]) -> None:
        """Add the keys of a file, whose name is relative to the including file."""
        path = opened[-1].parent / name
        self.includes += 1
        if any(path.resolve() == other.resolve() for other in opened):
            raise InputError(f"{where}: include: {name} includes itself")
        if len(opened) > DEEPEST or self.includes > MOST_INCLUDES:
            raise InputError(
                f"{where}: include: must be at most {MOST_INCLUDES} files, {DEEPEST} levels deep"
            )
        with located(f"{where}: include: "):
            lines = list(_lines(path))
        for inner, line in lines:
            if SECTION.fullmatch(line):
                raise InputError(f"{inner}: {line}: must not be a section, in an included file")
            self._line(inner, line, keys, [*opened, path])
