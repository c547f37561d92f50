# SPDX-License-Identifier: BSD-3-Clause
"""Every test has a separate cache. `parser` reads YAML with each parser of PyYAML."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hmsim.config import composer, settings
from support import STREAM, own_cache, write  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "analysis"), str(ROOT)]  # the package pages, of tools/pages


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    """Return a workload of two short streams, one to each memory."""
    return write(tmp_path / "mix.yaml", STREAM)


@pytest.fixture(scope="module", params=["CSafeLoader", "SafeLoader"])
def parser(request: pytest.FixtureRequest) -> Iterator[str]:
    """Read YAML with libyaml's parser, then with PyYAML's own in Python."""
    if not hasattr(yaml, request.param):
        pytest.skip("PyYAML without libyaml")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(composer, "PARSER", getattr(yaml, request.param))
        settings.composed.cache_clear()
        yield request.param
