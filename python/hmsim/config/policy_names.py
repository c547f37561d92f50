# SPDX-License-Identifier: BSD-3-Clause
"""Policies by name where a bundle is expected: ``NAME``, or ``BUNDLE+NAME`` over that bundle.

``NAME`` alone is laid over `BASES`. A bundle of the same name goes first. Python packages offer
bundles as entry points of the group `GROUP`.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from hmsim import _core
from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.common.paths import shipped_file
from hmsim.config.policies import Bundle

PARAMETERS = {  # that name the policies of a kind; a drive of flash has its own
    "transaction_scheduler": ("controller.scheduler", "controller.nvdimm_scheduler"),
    "bus_arbiter": ("controller.arbiter",),
    "page_policy": ("controller.page_policy",),
    "victim_selector": ("nvdimm.ftl.victim", "storage.flash.ftl.victim"),
    "gc_scheduler": ("nvdimm.gc.scheduler", "storage.flash.gc.scheduler"),
    "buffer_manager": ("nvdimm.buffer.manager", "storage.flash.buffer.manager"),
    "buffer_replacement": ("nvdimm.buffer.replacement", "storage.flash.buffer.replacement"),
    "host_limiter": ("host.limiter",),
    "refresh_pacer": ("hbf.refresh",),
    "page_placement": ("nvdimm.ftl.placement", "storage.flash.ftl.placement"),
    "wear_leveler": ("nvdimm.ftl.wear", "storage.flash.ftl.wear"),
    "map_replacement": ("nvdimm.ftl.map_replacement", "storage.flash.ftl.map_replacement"),
}
BASES = {"bus_arbiter": "split"}  # an arbiter chooses between two queues
BASE = "unified_fr_fcfs"
GROUP = "hmsim.policies"


def packaged() -> dict[str, metadata.EntryPoint]:
    """Return the bundles of installed Python packages, which are not imported yet."""
    return _packaged(tuple(sys.path))


@lru_cache
def _packaged(_path: tuple[str, ...]) -> dict[str, metadata.EntryPoint]:
    found = metadata.entry_points()  # which reads a file of each installed package
    own = found.select(group=GROUP) if hasattr(found, "select") else found.get(GROUP, ())
    return {each.name: each for each in own}


def load(point: metadata.EntryPoint) -> Bundle:
    """Return the bundle of a package. Raises InputError: it cannot be imported, or is none."""
    try:
        found = point.load()
    except Exception as error:
        raise InputError(f"{point.value}: {type(error).__name__}: {error}") from error
    if not isinstance(found, Bundle):
        raise InputError(f"{point.value}: must be a hmsim.Bundle, got a {type(found).__name__}")
    return found


def known() -> list[str]:
    """Return the names of policies and of packages' bundles, which a bundle's may be near to."""
    return [*(piece["name"] for piece in _core.policies()), *packaged()]


def parse(text: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Return a policy's bundle, its name and the parameters that name it; None: it is a bundle.

    Raises InputError.
    """
    if Path(text).is_file() or shipped_file(text, "configs/policies"):
        return None
    base, plus, name = text.rpartition("+")
    kinds = {piece["name"]: piece["kind"] for piece in _core.policies()}
    if name in kinds:
        kind = kinds[name]
        for other in base.split("+"):
            if kinds.get(other) == kind and not shipped_file(other, "configs/policies"):
                raise InputError(f"{text}: {other} and {name} both set {PARAMETERS[kind][0]}")
        return base if plus else BASES.get(kind, BASE), name, PARAMETERS[kind]
    if plus:
        raise InputError(f"{text}: unknown policy '{name}'; {hint(name, kinds)}")
    return None
