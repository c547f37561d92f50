# SPDX-License-Identifier: BSD-3-Clause
"""Logs of one run's memory requests and block requests."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmsim._core import InputError, Simulation
from hmsim.common.os_errors import reason

if TYPE_CHECKING:  # takes a while to import: only for logs
    import pandas as pd

CLASSES = ("dram", "nvdimm")  # by number
IO_KINDS = ("read", "write", "flush", "trim")  # likewise
FLAGS = ("write", "row_hit")
NARROW = (  # columns of 32 bits
    *("channel", "source", "device", "rank", "bank", "unit", "page"),
    *("agent", "thread", "task", "core"),
)
ROWS = 1 << 15  # of a row group, at least, but for the last


class RowLog:
    """Rows, written block by block to a Parquet file without a name.

    The file disappears when the process ends, for any reason, unless `save` gives it a name.
    """

    def __init__(
        self,
        name: str,
        words: Mapping[str, Sequence[str]],
        directory: str | os.PathLike[str] | None = None,
    ) -> None:
        """Begin a log on the file system of a directory, by default that for temporary files.

        Args:
            name: of the log, in errors.
            words: by column of texts, the texts by the numbers that the core uses.
            directory: on the file system.

        Raises InputError when the file cannot be written, as `write` and `save` do.
        """
        import tempfile  # most runs keep no log

        self.name, self.words = name, words
        self._place = directory or tempfile.gettempdir()
        with self._refusals():
            self._file = tempfile.TemporaryFile(dir=directory)  # noqa: SIM115 (lives as long as self)
        self._writer: Any = None

    def write(self, columns: Mapping[str, Any]) -> None:
        """Append rows, as the core gives them by column."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table({name: self._column(name, values) for name, values in columns.items()})
        with self._refusals():
            if self._writer is None:
                self._writer = pq.ParquetWriter(self._file, table.schema, compression="zstd")
            self._writer.write_table(table)

    def close(self) -> None:
        """Complete the file: no more rows come."""
        if self._writer is not None:
            with self._refusals():
                self._writer.close()
            self._writer = None

    def table(self) -> pd.DataFrame:
        """Return all rows of a closed log."""
        import pyarrow.parquet as pq

        from hmsim.common.statistic_table import StatisticTable

        self._file.seek(0)
        return StatisticTable(pq.read_table(self._file).to_pandas())

    def save(self, path: Path) -> None:
        """Copy a closed log to a file."""
        self._file.seek(0)
        with path.open("wb") as target:
            shutil.copyfileobj(self._file, target, 1 << 20)

    def _column(self, name: str, values: Any) -> Any:
        """Return an Arrow array of the type that the column has in the file."""
        import pyarrow as pa

        if name in self.words:
            numbers = values.astype("int32" if name == "name" else "int8")
            return pa.DictionaryArray.from_arrays(numbers, pa.array(self.words[name], pa.string()))
        if name in FLAGS:
            return pa.array(values != 0)
        return pa.array(values.astype("int32") if name in NARROW else values)

    @contextlib.contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(
                f"{self.name} in {os.fspath(self._place)}: cannot be written: {reason(error)}"
            ) from error


class RequestLog(RowLog):
    """Log of requests with their times, as `Result.requests` describes it.

    Attributes:
        io: the block requests of the same run, as `Result.io_requests` describes them.
    """

    def __init__(self, directory: str | os.PathLike[str] | None = None) -> None:
        """Begin the logs, as `RowLog` does. Raises InputError."""
        super().__init__("request log", {"class": CLASSES}, directory)
        self.io = RowLog("log of block requests", {"kind": IO_KINDS}, directory)

    def collect(self, simulation: Simulation, last: bool = False) -> None:
        """Append the requests done since the last call, if they fill a row group.

        ``last``: append all, and complete the files.
        """
        if last or simulation.logged_requests >= ROWS:
            self.write(simulation.take_requests())
        if last or simulation.logged_io >= ROWS:
            self.io.write(simulation.take_io())
        if last:
            self.close()
            self.io.close()
