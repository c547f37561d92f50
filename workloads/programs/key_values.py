# SPDX-License-Identifier: BSD-3-Clause
"""Transactions on a key-value store: SQLite's B-tree with its write-ahead log.

    python3 key_values.py fill STORE ROWS
    python3 key_values.py run STORE TRANSACTIONS

A value has 100 to 1,500 bytes. A transaction looks up a key, writes two values, one of which may be
new, and deletes a key. Its commit syncs the log (synchronous=FULL). The page cache has 2 MiB, and
the log is written back every 1,000 pages. Keys are random but the same in every run. ``run`` prints
the number of rows, and a sum over them.
"""

from __future__ import annotations

import random
import sqlite3
import sys

CACHE = 2048  # KiB
INSERT = "INSERT OR REPLACE INTO pairs VALUES (?, ?)"


def store(path: str) -> sqlite3.Connection:
    """Return a connection with explicit begin and commit."""
    connection = sqlite3.connect(path, isolation_level=None)
    settings = (
        "page_size = 4096",
        "locking_mode = EXCLUSIVE",  # so that the log's index is in memory, not a mapped file
        "journal_mode = WAL",
        "synchronous = FULL",
        f"cache_size = -{CACHE}",
    )
    for setting in settings:
        connection.execute(f"PRAGMA {setting}").fetchall()
    return connection


def value(numbers: random.Random) -> bytes:
    """Return arbitrary bytes."""
    return bytes([numbers.randrange(256)]) * numbers.randrange(100, 1501)


def fill(path: str, rows: int) -> None:
    """Make the store."""
    numbers = random.Random(1)
    connection = store(path)
    connection.execute("CREATE TABLE pairs (key INTEGER PRIMARY KEY, value BLOB)")
    connection.execute("BEGIN")
    connection.executemany(INSERT, ((2 * row, value(numbers)) for row in range(rows)))
    connection.execute("COMMIT")
    connection.close()


def run(path: str, transactions: int) -> None:
    """Run transactions on keys, half of which had a value when the store was made."""
    numbers = random.Random(2)
    connection = store(path)
    (last,) = connection.execute("SELECT max(key) FROM pairs").fetchone()
    for _ in range(transactions):
        connection.execute("BEGIN")
        keys = [numbers.randrange(last + 1) for _ in range(4)]
        connection.execute("SELECT value FROM pairs WHERE key = ?", keys[:1]).fetchall()
        connection.execute(INSERT, (keys[1], value(numbers)))
        connection.execute(INSERT, (keys[2] // 2 * 2, value(numbers)))
        connection.execute("DELETE FROM pairs WHERE key = ?", keys[3:])
        connection.execute("COMMIT")
    rows = connection.execute("SELECT count(*), sum(key) FROM pairs").fetchone()
    print("rows", rows[0], "sum", rows[1])
    connection.close()


if __name__ == "__main__":
    {"fill": fill, "run": run}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
