# SPDX-License-Identifier: BSD-3-Clause
"""Reader of run directories. Their content is not trusted: all of it is checked."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.common.directories import open_regular, read_regular
from hmsim.common.json_schema import FLAG, NUMBER, TEXT, WHOLE, ListOf, Maybe, Record, TableOf
from hmsim.common.paths import require_folder
from hmsim.common.progress import warn
from hmsim.common.statistic_names import current, renamed
from hmsim.config import settings
from hmsim.config.configuration import dram_peak
from hmsim.config.node_reader import located

if TYPE_CHECKING:  # takes a while to import: only for tables
    import pandas as pd

FILES = ("config.yaml", "stats.json", "run.json")
LARGEST_JSON = 32 << 20  # bytes
DEEPEST_NESTING = 32
BATCH = 1 << 16  # rows
MOST_ROWS = 10_000  # of a comparison
ORIGIN = Record(  # of run.json, as `Result.origin` gives it; other simulators may leave keys out
    {
        "versions": TableOf(TEXT),
        "config": TEXT,
        "policy": Maybe(TEXT),
        "python_policies": TableOf(TEXT),
        "workload": Record({"name": TEXT, "agents": ListOf(TableOf(TEXT))}),
        "seed": WHOLE,
        "warmup_ps": WHOLE,
        "warmup_instructions": WHOLE,
        "capacity_bytes": TableOf(WHOLE),
        "dram_peak_gb_per_s": Maybe(NUMBER),
        "host": TableOf(NUMBER),
        "units": TableOf(TEXT),
        "command_log": Record(
            {
                "rows": WHOLE,
                "limit": WHOLE,
                "full": FLAG,
                "thread_rows": WHOLE,
                "threads_full": FLAG,
            }
        ),
        "command": Maybe(ListOf(TEXT)),
        "partial": TEXT,
    }
)


@dataclass(frozen=True)
class RunDirectory:
    """Content of a run's directory.

    Attributes:
        path: path of the directory.
        config: resolved value of every parameter, as text, by dotted name.
        stats: statistics by dotted path.
        origin: content of ``run.json``, valid under `ORIGIN`.
    """

    path: Path
    config: Mapping[str, str]
    stats: Mapping[str, float]
    origin: Mapping[str, Any]

    @property
    def workload(self) -> str:
        """The name of the workload."""
        return str(self.origin.get("workload", {}).get("name", "?"))

    @property
    def policy(self) -> str:
        """The name of the policy bundle, or of the configuration if there is no bundle."""
        return str(self.origin.get("policy") or self.origin.get("config") or "?")

    @property
    def agents(self) -> list[Mapping[str, str]]:
        """The agents' keys."""
        return list(self.origin.get("workload", {}).get("agents", []))

    @property
    def peak_gb_per_s(self) -> float | None:
        """Peak bandwidth of all channels together, or None if the configuration lacks it."""
        return dram_peak(self.config)

    def number(self, name: str) -> int:
        """Return the whole number of parameter ``name``.

        Raises InputError if the parameter is missing or is not a whole number.
        """
        text = self.config.get(name)
        try:
            return int(str(text))
        except ValueError as error:
            raise InputError(
                f"{self.path / 'config.yaml'}: {name}: "
                + (f"must be a whole number, got '{text}'" if text is not None else "is missing")
            ) from error

    def has(self, file: str) -> bool:
        """Return whether the directory contains a file of this name."""
        return (self.path / file).is_file()

    def batches(
        self, file: str, columns: Sequence[str], later: Sequence[str] = ()
    ) -> Iterator[pd.DataFrame]:
        """Yield some rows at a time of a Parquet file. Raises InputError.

        The columns ``later`` are 0 in files of earlier versions, which lack them.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self.path / file
        try:
            with open_regular(path) as content, pq.ParquetFile(content) as table:
                missing = [name for name in columns if name not in table.schema_arrow.names]
                if missing:
                    raise InputError(f"{path}: the column '{missing[0]}' is missing")
                found = [name for name in later if name in table.schema_arrow.names]
                for batch in table.iter_batches(BATCH, columns=[*columns, *found]):
                    yield batch.to_pandas().assign(**{n: 0 for n in set(later) - set(found)})
        except (OSError, pa.ArrowException) as error:
            raise InputError(f"{path}: cannot be read: {_first_line(error)}") from error

    def table(self, file: str, columns: Sequence[str]) -> pd.DataFrame:
        """Return the columns of a Parquet file. Raises InputError."""
        import pandas as pd

        parts = list(self.batches(file, columns))
        if not parts:
            return pd.DataFrame({name: [] for name in columns})
        return pd.concat(parts, ignore_index=True)

    def series(self) -> pd.DataFrame | None:
        """Return ``series.parquet`` as `Result.series` describes it, or None. Raises InputError."""
        import pandas as pd
        import pyarrow as pa

        path = self.path / "series.parquet"
        if not path.is_file():
            return None
        try:
            with open_regular(path) as file:
                table = pd.read_parquet(file)
            table = table.set_axis(table.index.astype("int64")).astype("float64")
            return table.rename(columns=current)
        except (OSError, ValueError, TypeError, pa.ArrowException) as error:
            raise InputError(f"{path}: cannot be read: {_first_line(error)}") from error


def read_run(directory: str | os.PathLike[str]) -> RunDirectory:
    """Return the content of a run directory, and warn of a partial result.

    Raises InputError that names a faulty file.
    """
    path = Path(directory)
    require_folder(path)
    for name in FILES:
        if not (path / name).is_file():
            raise InputError(f"{path}: is not a run directory: {name} is missing")
    file = path / "config.yaml"
    config = settings.flatten(file, settings.read_mapping(file))
    file = path / "run.json"
    origin = read_json(file)
    with located(f"{file}: "):
        ORIGIN.check(origin, "")
    if "partial" in origin:
        warn(f"{path}: is a partial result: the run ended by an error: {origin['partial']}")
    return RunDirectory(
        path,
        {setting.name: setting.text for setting in config},
        renamed(dict(_flat(path / "stats.json", read_json(path / "stats.json")))),
        origin,
    )


def find_runs(directories: Sequence[str | os.PathLike[str]]) -> list[RunDirectory]:
    """Return the runs in these directories: each is one, or holds some, as `hmsim compare` leaves.

    Raises InputError when one of them neither is a run nor holds any.
    """
    found: dict[Path, RunDirectory] = {}
    for directory in directories:
        path = Path(directory)
        require_folder(path)
        inside = sorted(file.parent for file in path.glob("*/*/stats.json"))
        if (path / "stats.json").exists() or not inside:
            inside = [path]
        order = _asked(path)
        runs = [read_run(run) for run in inside]
        for run in sorted(runs, key=lambda run: order.get((run.workload, run.policy), len(order))):
            found.setdefault(run.path.resolve(), run)
    return list(found.values())


def _asked(path: Path) -> dict[tuple[str, str], int]:
    """Return the place of each workload and policy in the table that `hmsim compare` wrote."""
    try:
        text = read_regular(path / "comparison.csv", LARGEST_JSON).decode()
        rows = itertools.islice(csv.DictReader(io.StringIO(text, newline="")), MOST_ROWS)
        return {(row["workload"], row["policy"]): place for place, row in enumerate(rows)}
    except (InputError, ValueError, KeyError, csv.Error):
        return {}  # not a folder of `hmsim compare`: they are ordered by name


def read_json(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds. Raises InputError."""
    try:
        value = json.loads(read_regular(path, LARGEST_JSON))
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not JSON: {_first_line(error)}") from error
    if not isinstance(value, dict):
        raise InputError(f"{path}: must be an object in braces")
    return value


def _flat(
    path: Path, level: Mapping[str, Any], prefix: str = "", depth: int = 0
) -> Iterator[tuple[str, float]]:
    if depth > DEEPEST_NESTING:
        raise InputError(f"{path}: nested too deeply")
    for key, value in level.items():
        with located(f"{path}: "):
            TEXT.check(key, "a name")
        name = prefix + key
        if isinstance(value, dict):
            yield from _flat(path, value, name + ".", depth + 1)
        elif isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InputError(f"{path}: {name}: must be a number")
        elif isinstance(value, int) and abs(value) >= 1 << 64:
            raise InputError(f"{path}: {name}: too large")
        elif math.isfinite(value):
            yield name, value


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
