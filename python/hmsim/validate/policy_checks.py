# SPDX-License-Identifier: BSD-3-Clause
"""Checks of schedulers against test vectors derived from the rules of their papers."""

from __future__ import annotations

from collections.abc import Iterator

from hmsim._core import ArbiterRehearsal, Rehearsal, gc_step
from hmsim.running.system import System

MICROSECOND = 1_000_000  # picoseconds
INTERVAL = 400_000  # of TCM's shuffle: 800 cycles of a CPU at 2 GHz
GROUP = 1 << 62  # FIRM's keys: in the group; above that bit: it is the request's turn

# A check: name, expected value, simulator's value, unit, tolerance, source.
Vector = tuple[str, float, float, str, float, str]


def vectors() -> Iterator[Vector]:
    """Yield the checks of all schedulers."""
    yield from _par_bs()
    yield from _tcm_clusters()
    yield from _tcm_shuffle()
    yield from _atlas()
    yield from _bliss()
    yield from _firm()
    yield from _nvm_duet()
    yield from _service_rates()
    yield from _page_order()
    yield from _collection()


def _par_bs() -> Iterator[Vector]:
    """Queue 6 requests of source A to a bank, 2 of B to each of 3 banks, 1 of C to each of 2."""
    queue = Rehearsal("par_bs", [], 1)
    first = queue.enqueue(3, 7, 0)
    owners = {first: "first"}
    for name, core, loads in (("A", 0, (6,)), ("B", 1, (2, 2, 2)), ("C", 2, (1, 1))):
        for bank, load in enumerate(loads):
            for row in range(load):
                owners[queue.enqueue(core, bank, row)] = name
    queue.issue(first, False)
    order = [owners[number] for number in queue.order()]
    for place, name in enumerate("CBA", 1):
        got = sorted(set(order), key=order.index).index(name) + 1
        yield f"PAR-BS, place of source {name}", place, got, "", 0, "Max-Total: maxima 5, 2, 1"
    marked = max(queue.key(number) for number in queue.order()) >> 33
    batch = sum(queue.key(n) >> 33 == marked for n, name in owners.items() if name == "A")
    yield "PAR-BS, requests of source A in the batch", 5, batch, "", 0, "Marking-Cap 5"


def _tcm_clusters() -> Iterator[Vector]:
    """Check TCM's clusters: 4 and 12 of 100 row misses fit under 4/24 of the service, 40 do not."""
    queue = Rehearsal("tcm", [("policies.tcm.sources", "core")], 1)
    sources = ((40, 1_025), (12, 1_300), (4, 2_000), (44, 1_900))  # misses, instructions
    for core, (misses, instructions) in enumerate(sources):
        for _ in range(misses):
            queue.issue(queue.enqueue(core, 0, 0), False)
        queue.retire(core, instructions)
    probes = [queue.enqueue(core, 0, 0) for core in range(len(sources))]
    queue.run_to(500 * MICROSECOND)
    always = set(probes)
    for step in range(24):
        queue.run_to(500 * MICROSECOND + step * INTERVAL)
        always &= set(queue.order()[:2])
    source = "ClusterThresh 4/24 of the service"
    yield "TCM, sources in the latency cluster", 2, len(always), "", 0, source


def _tcm_shuffle() -> Iterator[Vector]:
    """Shuffle four sources. The first is the least nice: least parallel, with most row hits."""
    queue = Rehearsal("tcm", [("policies.tcm.sources", "core")], 1)
    probes = []
    for core in range(4):
        for index in range(8):
            row = 0 if index < 8 - 2 * core else index
            queue.issue(queue.enqueue(core, 0, row), False)
        for bank in range(1, 2 * core + 2):
            queue.enqueue(core, bank, 0)
        probes.append(queue.enqueue(core, 1, 0))
    queue.run_to(500 * MICROSECOND)
    places = [0.0] * 4
    for step in range(8):
        queue.run_to(500 * MICROSECOND + step * INTERVAL)
        order = [number for number in reversed(queue.order()) if number in probes]
        for place, number in enumerate(order):
            places[probes.index(number)] += place / 8
    for core, expected in enumerate((0.75, 1.75, 2.00, 1.50)):
        name = f"TCM, mean rank of source {core} by niceness, insertion shuffle"
        yield name, expected, places[core], "", 0, "period of 8 steps"


def _atlas() -> Iterator[Vector]:
    """Serve 100 row hits of source 0 in the first quantum, and 60 of source 1 in each later one."""
    queue = Rehearsal("atlas", [("policies.atlas.sources", "core")], 1)
    probes = [queue.enqueue(core, 0, 0) for core in range(2)]
    for quantum in range(1, 10):
        for _ in range(100 if quantum == 1 else 60):
            queue.issue(queue.enqueue(0 if quantum == 1 else 1, 0, 0), True)
        queue.run_to(quantum * 5_000 * MICROSECOND)
        if quantum > 1 and queue.order()[0] == probes[0]:
            break
    # Service, with a = alpha: 100 a > 60 after two quanta, 100 a^2 < 60 (1 + a) after three.
    yield "ATLAS, quantum in which ranks change", 3, quantum, "", 0, "alpha 0.875"


def _bliss() -> Iterator[Vector]:
    queue = Rehearsal("bliss", [], 1)
    heavy, light = (queue.enqueue(core, 1, 0) for core in range(2))
    count = 0
    while queue.order() == [heavy, light]:
        queue.issue(queue.enqueue(0, 0, 0), True)
        count += 1
    yield "BLISS, requests in a row that blacklist", 4, count, "", 0, "threshold 4"
    time = 0
    while queue.order() == [light, heavy]:
        time += 1
        queue.run_to(time * MICROSECOND)
    yield "BLISS, time to the clearing", 5, time, "us", 0, "10,000 cycles at 2 GHz"


def _firm() -> Iterator[Vector]:
    """Queue acknowledged NVDIMM reads and writes to one pseudo-bank, a page for each pair."""
    for rank_switch, expected, tolerance in ((1, 130, 0), (2, 135, 12)):
        queue = Rehearsal("firm", [], rank_switch)
        first = queue.enqueue(0, 7, 0)
        for row in range(40):
            for write in (False, True):
                queue.ack(queue.enqueue(0, 0, row, nvdimm=True, write=write))
        queue.issue(first, False)
        group = sum(queue.key(number) > GROUP + GROUP // 2 * 3 for number in queue.order())
        got = 2 * group * (4 + rank_switch)
        name = f"FIRM, a read and a write group, tRTRS {rank_switch}"
        yield name, expected, got, "cycles", tolerance, "(t_RTW + t_WTR) / mu; whole requests"


def _nvm_duet() -> Iterator[Vector]:
    queue = Rehearsal("nvm_duet", [], 1)
    writes = [
        queue.enqueue(0, 0, 0, nvdimm=True, write=True, epoch=epoch) for epoch in (0, 0, 0, 1, 1, 2)
    ]
    for write in writes:
        free = sum(not queue.withholds(number) for number in writes[write:])
        expected = (3, 2, 1, 2, 1, 1)[write]
        name = f"NVM Duet, writes that may go after {write} of 3 + 2 + 1"
        yield name, expected, free, "", 0, "persist epochs in order"
        queue.issue(write, False)
        queue.complete(write)


def _service_rates() -> Iterator[Vector]:
    """Check equations 1 and 2 with equal service rates of both classes: utilisation decides."""
    table = "version 1 dram" + " 100" * 48 + " nvdimm" + " 100" * 576
    source = "the paper, equation 1"
    for impl, expected, why in (("exact", 71, source), ("table", 86, "stages end at 85")):
        settings = [("policies.harmonic.table", table), ("policies.harmonic.impl", impl)]
        arbiter = ArbiterRehearsal("harmonic", settings)
        enough = next(n for n in range(129) if arbiter.choose(n, 70, 2, 1) == "dram")
        yield f"harmonic, {impl}: DRAM entries that beat 70", expected, enough, "", 0, why
        counts = [(a, b) for a in range(0, 129, 8) for b in range(0, a, 8)]
        alike = sum(arbiter.choose(a, b, 2, 1) == arbiter.choose(b, a, 1, 2) for a, b in counts)
        name = f"harmonic, {impl}: contests that do not turn with their sides"
        yield name, 0, alike, "", 0, "equation 2: SR_n = -SR_d"


def _page_order() -> Iterator[Vector]:
    """Run the paper's figures 12 and 13 as micro-traces; closed forms of a read miss give times."""
    base = {
        "dram.refresh": False,
        "controller.queues": "split",
        "controller.arbiter": "oldest_first",
        "nvdimm.capacity": "1GiB",
        "nvdimm.buffer.read_size": "1MiB",
        "nvdimm.buffer.write_size": "1MiB",
    }

    def drive(overrides: dict[str, object], bursts: tuple[str, ...]) -> tuple[float, float]:
        """Return the flash reads, and the cycles that the last burst of requests takes."""
        system = System("mascots16", {**base, **overrides})
        lines: dict[str, int] = {}
        start = 0
        for burst in bursts:
            start = system.now
            for page in burst:
                lines[page] = lines.get(page, -1) + 1
                number = (ord(page) - ord("A")) * 64 + lines[page]
                system.enqueue(2 * 1024**3 + 64 * number)
            system.advance(system.now + 1000 * MICROSECOND)
        last = max(system.completions(), key=lambda done: done.id)
        return system.stats["nvdimm.nand.reads"], (last.finish - start) / 1250

    one_frame = {"controller.outstanding": 1, "nvdimm.buffer.read_size": "4KiB"}
    two = {"controller.outstanding": 2}
    literal = {"policies.pas.trigger": "any_miss"}
    miss = 56_667 + 1 + 11 + 4
    for scheduler, reads, sent in (("fcfs", 5, 92), ("pas", 4, 1)):
        chosen = {"controller.nvdimm_scheduler": scheduler, **literal}
        found, _ = drive({**chosen, **one_frame}, ("ABCDA",))
        yield f"{scheduler}, flash reads of A B C D A", reads, found, "", 0, "the paper, Fig. 12"
        chosen = {"controller.nvdimm_scheduler": scheduler}
        _, cycles = drive({**chosen, **two}, ("A", "AAAAB"))
        name = f"{scheduler}, end of the miss in A A A A B"
        yield name, sent + miss, cycles, "cycles", 0, "the paper, Fig. 13"


def _collection() -> Iterator[Vector]:
    """Check thresholds of equations 7 to 10: a page read takes 70.48 us, a page write 670.48 us."""
    idle = {"buffered": 0, "lun": (0, 0), "channel": (1, 0), "all": (1, 0)}
    serial: list[tuple[str, str]] = []
    parallel = [("policies.proactive.estimate", "parallel")]
    copies = (
        ("requests in the buffer", 8313, serial, lambda n: {**idle, "buffered": n}),
        ("reads of other channels, parallel", 2, parallel, lambda n: {**idle, "all": (1 + n, 0)}),
        ("writes to other channels", 1, serial, lambda n: {**idle, "all": (1, n)}),
    )
    for what, expected, settings, view in copies:
        enough = next(n for n in range(10_000) if gc_step("proactive", settings, view(n))[0])
        name = f"proactive, {what} that hide a copy"
        yield name, expected, enough, "", 0, "equation 7: more than 41.56 us"
    idle = {"buffered": 0, "lun": (3, 0), "channel": (3, 0), "all": (3, 0)}
    erases = (
        ("reads of other LUNs", 29, lambda n: {**idle, "all": (3 + n, 0)}),
        ("writes to other LUNs", 3, lambda n: {**idle, "all": (3, n)}),
    )
    for what, expected, view in erases:
        enough = next(n for n in range(100) if gc_step("proactive", [], view(n))[1] is None)
        name = f"proactive, {what} that hide an erase"
        yield name, expected, enough, "", 0, "equations 8, 9: 2 ms"
    for wanted, expected, why in ((3, 3, "all there are"), (300_000, 259_040, "1295.2 us / 5 ns")):
        own = (wanted, 0)
        pending = {"buffered": 0, "lun": own, "channel": own, "all": (wanted + 10, 0)}
        reads = gc_step("proactive", [], pending)[1]
        name = f"proactive, reads before an erase, of {wanted}"
        yield name, expected, reads or 0, "", 0, f"equation 10: {why}"
