# SPDX-License-Identifier: BSD-3-Clause
"""Does a power failure spare what the queue has accepted, where that counts as safe?"""

from __future__ import annotations

import pytest
from hmsim import System
from shadow import LINE, PAGE, SMALL
from test_data import KINDS


@pytest.mark.parametrize("kind", ["full", "cached", "pcm"])
@pytest.mark.parametrize("persistence", ["controller", "module"])
def test_a_power_failure_spares_the_queue_where_it_counts_as_safe(
    persistence: str, kind: str
) -> None:
    keys = {**SMALL, "nvdimm.ftl.over_provisioning": 110, **KINDS[kind]}
    system = System("mascots16", {**keys, "frontend.node.persistence": persistence})
    right: dict[int, bytes] = {}
    for number in range(120):  # far more pages than the four frames, some of them twice
        address = 2 * 1024**3 + number % 90 * PAGE + number % 7 * LINE
        data = bytes([number + 1] * (LINE if number % 3 else 5))
        system.enqueue(address, size=len(data), write=True, data=data)
        right[address] = data + right.get(address, bytes(LINE))[len(data) :]
    system.advance("3ns")  # two cycles: the queue has accepted them, and none is done
    assert system.completions() == []
    for save_for, recover_for in [("900us", "2ms"), ("3ms", "1ms"), (None, None)]:
        system.power_fail(save_for)
        over = system.power_on(recover_for)
        for address, line in right.items():
            assert system.peek(address) == (line if persistence == "controller" else bytes(LINE))
    assert over
    assert system.stats["nvdimm.power.spared_lines"] == (120 if persistence == "controller" else 0)
