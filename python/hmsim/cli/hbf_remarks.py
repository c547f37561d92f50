# SPDX-License-Identifier: BSD-3-Clause
"""Remarks on writes that HBF did not program, and on reads of erased pages."""

from collections.abc import Iterator

from hmsim.common.tables import number
from hmsim.runs.result import Result

# Why HBF refuses a write, or ends it without its data in flash: names below hbf.status.
UNWRITTEN = ("overlap", "late", "out_of_order", "program_failed")


def hbf_remarks(result: Result, where: str) -> Iterator[str]:
    """Yield lines on a run with HBF; ``where``: text that names the run among several."""
    stats = result.stats
    of_host = "hbf.replay.writes" in stats
    if of_host:
        repeated = stats["hbf.replay.writes"] + stats["hbf.replay.copies"]
        failed = stats["hbf.status.program_failed"]
        if repeated or failed:
            yield (
                f"HBF: {number(failed)} programs failed{where}; the host's FTL repeated "
                f"{number(repeated)} writes (hbf.replay.*), and no data are lost"
            )
    else:
        lost = {name: stats.get(f"hbf.status.{name}", 0) for name in UNWRITTEN}
        if any(lost.values()):
            counts = ", ".join(f"{name} {number(count)}" for name, count in lost.items() if count)
            total = number(sum(lost.values()))
            yield (
                f"HBF did not program {total} writes{where}: {counts}; rates and latencies "
                "include them (docs/hbf.md)"
            )
    if erased := stats.get("hbf.status.erased_page"):
        yield (
            f"HBF: {number(erased)} reads of erased pages{where}, timed like other reads"
            f"{_advice(result, of_host)}"
        )


def _advice(result: Result, of_host: bool) -> str:
    """Return how a run begins with programmed pages, unless it does."""
    parameters = result.config.resolved()
    if of_host:
        if float(parameters["nvdimm.precondition.fill"]) > 0:
            return ""
        return "; nvdimm.precondition.fill writes pages before the run"
    if parameters["hbf.erased_at_start"] == "false":
        return ""
    return "; hbf.erased_at_start: false begins with programmed pages"
