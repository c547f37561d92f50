# SPDX-License-Identifier: BSD-3-Clause
"""Does tools/page_commands.py find what a page says wrongly?"""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import page_commands

PAGE = """`numbers.txt`:

```
one
two
```

```sh
CHOSEN=two
grep \\
    $CHOSEN numbers.txt
```

```text
two
```

```python
print("simulated in 3 s")
```

```text
simulated in 4 s
```
"""


@pytest.mark.parametrize(
    ("old", "new", "faults", "parts"),
    [
        ("three", "", 0, ["page.md:9: status 0", "page.md:10: status 0", "page.md:19: status 0"]),
        ("numbers.txt\n", "number.txt\n", 2, ["page.md:10: status 2", "No such", ":15: stale"]),
        ("```text\ntwo", "```text\ntow", 1, ["page.md:15: stale", "  - tow", "  + two"]),
        ("CHOSEN=two", "CHOSEN=$(gem5.opt)", 1, ["page.md:9: needs gem5", ":10: status 1"]),
    ],
    ids=["right", "failing", "stale", "exception"],
)
def test_a_fault_of_a_page_is_found(
    old: str, new: str, faults: int, parts: list[str], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    page = tmp_path / "page.md"
    page.write_text(PAGE.replace(old, new, 1), encoding="utf-8")
    assert page_commands.check(page, tmp_path) == faults
    printed = capsys.readouterr().out
    assert not [part for part in parts if part not in printed], printed
    assert page_commands.check(page, tmp_path, limit=0) == 0
    assert capsys.readouterr().out.count("too long") > 1
