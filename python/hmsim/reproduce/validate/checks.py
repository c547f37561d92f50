# SPDX-License-Identifier: BSD-3-Clause
"""Self-checks: closed forms and papers' claims against what the simulator does.

A check is a function that yields rows; `CHECKS` lists them by group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hmsim._core import InputError
from hmsim.common.hints import hint
from hmsim.reproduce.validate import (
    amplification,
    closed_forms,
    dram_comparison,
    replay,
    storage_applications,
    storage_claims,
    storage_device_claims,
    storage_nas,
    storage_paging,
)
from hmsim.reproduce.validate.row import Row


def _replay() -> Iterator[Row]:
    """Inferred replays of block traces, compared with the programs that were traced."""
    for name, got in replay.within_target():
        source = "docs/block-drivers.md: at most 10 %"
        yield Row("replay", name, 1, got, "", 0.1, source)


CHECKS: dict[str, tuple[Callable[[], Iterator[Row]], ...]] = {
    "dram": (
        closed_forms.dram_latency,
        closed_forms.dram_refresh,
        closed_forms.dram_energy,
        dram_comparison.models,
    ),
    "flash": (closed_forms.flash_reads, closed_forms.flash_programs),
    "ftl": (
        amplification.timed_runs,
        amplification.victims,
        amplification.placements,
        amplification.streams,
        amplification.levelling,
        amplification.map_entries,
        amplification.large_pages,
    ),
    "media": (closed_forms.media_latency, closed_forms.media_writes),
    "nvdimm": (closed_forms.nvdimm,),
    "policies": (closed_forms.policy_order, closed_forms.policy_slots, closed_forms.policy_table),
    "replay": (_replay,),
    "storage": (
        closed_forms.storage_latency,
        closed_forms.storage_power,
        *storage_claims.CLAIMS,
        *storage_device_claims.CLAIMS,
        *storage_applications.CLAIMS,
        *storage_paging.CLAIMS,
        *storage_nas.CLAIMS,
    ),
}


def validate(group: str, report: Callable[[str, float], None] | None = None) -> list[Row]:
    """Run the checks of a group, or of ``all``.

    Args:
        group: ``dram``, ``flash``, ``ftl``, ``media``, ``nvdimm``, ``policies``,
            ``replay``, ``storage`` or ``all``.
        report: called with the check that begins and the share that is done.

    Returns:
        The rows, in a fixed order.

    Raises:
        InputError: there is no such group.
    """
    known = [*CHECKS, "all"]
    if group not in known:
        raise InputError(f"validate: unknown group '{group}'; {hint(group, known)}")
    chosen = [check for name in CHECKS if group in (name, "all") for check in CHECKS[name]]
    rows: list[Row] = []
    for index, check in enumerate(chosen):
        if report:
            report(check.__name__.strip("_").replace("_", " "), index / len(chosen))
        rows += check()
    return rows
