# SPDX-License-Identifier: BSD-3-Clause
"""Results as tidy tables, one row per run, and the metrics that papers compare."""

from __future__ import annotations

import io
import json
import math
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError
from hmsim.common.directories import open_regular, read_regular
from hmsim.common.intervals import mean_interval
from hmsim.common.json_schema import SCALAR, TEXT, ListOf, Record, TableOf
from hmsim.common.paths import require_folder
from hmsim.common.statistic_names import current, proposal, renamed, valid
from hmsim.config.node_reader import located
from hmsim.points.point import NAMES, Outcome, Scalar
from hmsim.points.run import as_table
from hmsim.points.store import Store
from hmsim.runs.directory import read_run

if TYPE_CHECKING:  # take a while to import
    import pandas as pd

PLAN = "plan.json"  # of a sweep
STATISTICS = "stats.json"  # of a run
COMPARISON = "comparison.csv"
LARGEST_JSON = 256 << 20  # bytes
ENTRY = Record(  # of a plan: a point
    {"labels": TableOf(SCALAR), "point": TEXT, "error": TEXT}, ("labels", "point", "error")
)
LONGEST_VALUE = 80  # characters of a parameter that becomes a column


def load_results(directory: str | os.PathLike[str]) -> pd.DataFrame:
    """Return the results in a directory that hmsim wrote: of a run, a comparison, a sweep, points.

    A directory of such directories gives all their rows. Columns: ``config``, ``policy``,
    ``workload``, ``seed``; the axes of a sweep, or the parameters in which runs differ; ``point``
    and ``error`` (empty without an error); every statistic under its path, or PATH.measured if an
    axis has that name, NaN where a run lacks it. ``attrs["units"]`` has units by column,
    ``attrs["axes"]`` the names of the columns that distinguish rows, ``attrs["missing"]`` the
    number of unfinished points of a sweep.

    Args:
        directory: or a Parquet file that a sweep wrote.

    Raises:
        InputError: the directory has no results of hmsim, or they are damaged.
    """
    path = Path(directory)
    if path.is_file():
        return read_table(path)
    require_folder(path)
    if (path / PLAN).is_file():
        return read_plan(path)
    store = Store(path)
    if store.folder.is_dir():
        return as_table(sorted(store.everything(), key=lambda row: row[1].key))
    runs = sorted(file.parent for file in path.rglob(STATISTICS))
    if not runs:
        raise InputError(f"{path}: contains no run, comparison or sweep of hmsim")
    table = as_table(list(read_runs(runs)))
    return _with_comparison(table, path / COMPARISON)


def read_plan(directory: Path) -> pd.DataFrame:
    """Return a sweep's finished points. Raises InputError if its directory is damaged."""
    store = Store(directory)
    rows: list[tuple[Mapping[str, Scalar], Outcome]] = []
    missing = 0
    for entry in _plan(directory / PLAN):
        error = entry["error"]
        outcome = Outcome("", error=error) if error else store.load(entry["point"])
        if outcome is not None:
            rows.append((entry["labels"], outcome))
        missing += outcome is None or not outcome.final
    table = as_table(rows)
    table.attrs["missing"] = missing
    return table


def read_runs(folders: Sequence[Path]) -> Iterator[tuple[Mapping[str, Scalar], Outcome]]:
    """Yield the rows of run directories, with the parameters in which they differ.

    Raises InputError: one is damaged.
    """
    runs = [read_run(folder) for folder in folders]
    settings = [run.config for run in runs]
    names = dict.fromkeys(name for own in settings for name in own)
    differing = [
        name
        for name in names
        if len({own.get(name) for own in settings}) > 1
        and all(len(own.get(name, "")) <= LONGEST_VALUE for own in settings)
    ]
    # If runs differ only from one policy bundle to another, the bundle's name distinguishes them.
    policies: dict[Any, set[tuple[str | None, ...]]] = {}
    for run in runs:
        texts = tuple(run.config.get(name) for name in differing)
        policies.setdefault(run.origin.get("policy"), set()).add(texts)
    axes = differing if any(len(texts) > 1 for texts in policies.values()) else []
    for run in runs:
        origin = run.origin
        labels: dict[str, Scalar] = {
            "config": origin.get("config"),
            "policy": origin.get("policy"),
            "workload": origin.get("workload", {}).get("name"),
            "seed": origin.get("seed"),
            **{name: number(run.config.get(name, "")) for name in axes},
        }
        yield labels, Outcome("", run.stats, renamed(origin.get("units", {})))


def _with_comparison(table: pd.DataFrame, file: Path) -> pd.DataFrame:
    """Add the columns of a comparison that its runs alone do not have: speedups, slowdowns."""
    import pandas as pd

    if not file.is_file():
        return table
    try:
        texts = dict.fromkeys(("workload", "config", "policy"), object)
        compared = pd.read_csv(io.BytesIO(read_regular(file, LARGEST_JSON)), dtype=texts)
        own = [name for name in compared.columns if name not in table.columns]
        keys = [name for name in NAMES if name in compared.columns]
        joined = compared[[*keys, *own]].merge(table, on=keys, how="right")
        order = pd.MultiIndex.from_frame(compared[keys]).get_indexer(joined[keys])
    except (ValueError, KeyError) as error:
        raise InputError(f"{file}: is damaged: {error}") from error
    joined = joined.iloc[order.argsort(kind="stable")]
    joined = joined.reset_index(drop=True)[[*table.columns, *own]]
    joined.attrs.update(table.attrs)
    return joined


def _plan(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a plan, which fit `ENTRY`. Raises InputError."""
    try:
        content: list[dict[str, Any]] = json.loads(read_regular(path, LARGEST_JSON))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    with located(f"{path}: "):
        ListOf(ENTRY).check(content, "point")
    return content


def number(text: str) -> Scalar:
    """Return the number that a text holds, or the text if it holds none."""
    for kind in (int, float):
        try:
            return kind(text) if len(text) <= 20 else text
        except ValueError:
            continue
    return text


def write_table(table: pd.DataFrame, path: Path) -> None:
    """Write a table of results as Parquet, units in the metadata of columns."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    units = table.attrs["units"]
    columns, fields = [], []
    bare = pd.DataFrame(table)  # without attrs, of which pandas makes a deep copy for each column
    for name in bare.columns:
        values = [None if value != value else value for value in bare[name].tolist()]
        if len({type(value) for value in values if value is not None} - {int, float}) > 0:
            values = [None if value is None else str(value) for value in values]
        column = pa.array(values, pa.string() if all(v is None for v in values) else None)
        metadata = {"unit": units[name]} if name in units else None
        columns.append(column)
        fields.append(pa.field(name, column.type, metadata=metadata))
    schema = pa.schema(fields, metadata={"axes": json.dumps(table.attrs["axes"])})
    pq.write_table(pa.table(columns, schema=schema), path)


def read_table(path: Path) -> pd.DataFrame:
    """Return the table in a file of `write_table`. Raises InputError."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from hmsim.common.statistic_table import StatisticTable

    try:
        with open_regular(path) as file:
            found = pq.read_table(file)
        axes = json.loads((found.schema.metadata or {})[b"axes"])
    except (OSError, pa.ArrowException, KeyError, ValueError) as error:
        raise InputError(f"{path}: is not a table of hmsim: {error}") from error
    table = StatisticTable(found.to_pandas().rename(columns=current))
    table.attrs["axes"] = axes
    table.attrs["units"] = {
        current(field.name): field.metadata[b"unit"].decode()
        for field in found.schema
        if field.metadata and b"unit" in field.metadata
    }
    return table


def require_table(table: object, function: str) -> None:
    """Raise InputError if an argument of a function is not a table of results."""
    import pandas as pd

    if not isinstance(table, pd.DataFrame):
        raise InputError(
            f"{function}: table: expected a DataFrame of load_results, compare, run_sweep or "
            f"run_points, got {type(table).__name__}"
        )


def summary(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the mean of columns over repeated seeds, with 95 % confidence intervals.

    One row per combination of the other axes, in the order of their first rows. Columns: the axes
    but ``seed``; ``runs``, those without an error; and per column C ``C``, ``C.low``, ``C.high``
    (Student's t; NaN for one run).

    Args:
        table: of `compare`, `run_points`, `run_sweep`, `load_results` or this function.
        columns: names of columns with numbers.

    Raises:
        InputError: the table lacks a column.
    """
    from hmsim.common.statistic_table import StatisticTable

    require_table(table, "summary")
    if "axes" not in table.attrs:
        raise InputError("summary: the table has no attrs['axes']; load_results returns one with")
    columns = [valid(name) for name in ([columns] if isinstance(columns, str) else columns)]
    for name in columns:
        if name not in table.columns:
            near = proposal(name, [str(each) for each in table.columns])
            raise InputError(f"summary: {name}: not a column of the table{near}")
    axes = [name for name in table.attrs["axes"] if name != "seed"]
    rows = []
    for labels, group in table.groupby(axes, sort=False, dropna=False):
        sound = group[group["error"] == ""] if "error" in group.columns else group
        row: dict[str, Any] = {**dict(zip(axes, labels)), "runs": len(sound)}
        for name in columns:
            values = [float(value) for value in sound[name] if value == value]
            row[name], row[f"{name}.low"], row[f"{name}.high"] = mean_interval(values)
        rows.append(row)
    result = StatisticTable(rows)
    result.attrs["axes"] = axes
    result.attrs["units"] = {name: table.attrs["units"].get(name, "") for name in columns}
    return result


def speedup(rate: float, base: float) -> float:
    """Return a rate of progress over that of the baseline."""
    return rate / base


def weighted_speedup(together: Sequence[float], alone: Sequence[float]) -> float:
    """Return the sum over agents of their rate together over their rate alone."""
    return math.fsum(shared / solo for shared, solo in _pairs(together, alone))


def harmonic_speedup(together: Sequence[float], alone: Sequence[float]) -> float:
    """Return the harmonic mean of the agents' rates together over their rates alone."""
    slowdowns = [solo / shared for shared, solo in _pairs(together, alone)]
    return len(slowdowns) / math.fsum(slowdowns)


def maximum_slowdown(together: Sequence[float], alone: Sequence[float]) -> float:
    """Return the largest, over agents, of the rate alone over the rate together."""
    return max(solo / shared for shared, solo in _pairs(together, alone))


def _pairs(together: Sequence[float], alone: Sequence[float]) -> list[tuple[float, float]]:
    pairs = list(zip(together, alone))
    if not pairs or len(together) != len(alone):
        raise ValueError("needs the rates together and alone of each agent")
    return pairs


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean. Raises ValueError without numbers, or if one is not positive."""
    numbers = list(values)
    if not numbers or min(numbers) <= 0:
        raise ValueError("the geometric mean needs positive numbers")
    return math.exp(math.fsum(map(math.log, numbers)) / len(numbers))


def bootstrap_interval(
    values: Sequence[float],
    statistic: Callable[[Sequence[float]], float] = geometric_mean,
    *,
    level: float = 0.95,
    resamples: int = 10_000,
    seed: int = 1,
) -> tuple[float, float]:
    """Return the percentile bootstrap interval of a statistic of values.

    The same seed gives the same interval, on every machine.

    Args:
        values: independent samples, at least one.
        statistic: function of a list of numbers.
        level: the share of resampled statistics within the interval, 0 .. 1.

    Raises:
        ValueError: no values, or a level outside 0 .. 1.
    """
    numbers = list(values)
    if not numbers or not 0 < level < 1:
        raise ValueError("needs values, and a level between 0 and 1")
    source = random.Random(seed)
    count = len(numbers)
    found = sorted(
        statistic([numbers[int(source.random() * count)] for _ in range(count)])
        for _ in range(resamples)
    )
    tail = int(resamples * (1 - level) / 2)
    return found[tail], found[resamples - 1 - tail]
