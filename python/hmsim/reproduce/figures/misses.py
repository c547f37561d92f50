# SPDX-License-Identifier: BSD-3-Clause
"""Why claims are missed, by claim. Written after the runs; numbers of single runs are of seed 1."""

from __future__ import annotations

IDLE = (
    "The weight acts only where data from the buffer keep the bus busy "
    "([Schedulers](schedulers.md#when-the-weight-matters))."
)
MISSES = {
    "R2a": "The gain is what mcf loses while the lines of another fill the queue, so it "
    "depends on how much of its time that is: 0.0 % on average without dfsioe_r and dfsioe_w, "
    "1,043 % beside dfsioe_r; there, with seed 1, 1,031 %, with an engine of 32 lines 398 %, on "
    "four channels 166 %, at a base CPI of 0.25 3,136 %. The paper's mean needs one program of "
    "eight that gains 740 %, or several that gain less, as when all eight read from flash.",
    "R3a": "As R2a: dfsioe_r gains 552 %, the six that read from the buffer 3.4 % on average.",
    "R3b": "As R2a: dfsioe_r gains 568 %. The six that read from the buffer gain 11 % on "
    "average, which is what FIRM costs DRAM (R3c).",
    "R3c": "FIRM-like groups writes for a persistent memory on the same banks; our DRAM has no "
    "persistent writes. Without an NVDIMM mcf has an IPC of 0.59 under FIRM and of 0.78 under "
    "FR-FCFS with drained writes. In gem5 FIRM costs programs 2 to 12 % "
    "([gem5](gem5.md#testdfsio-in-gem5)).",
    "R4": "Without a limit and at a base CPI of 0.25 it is 88.8 %: the difference is how long "
    "dfsioe_r computes between two reads, which four tasks on three cores cannot hide.",
    "R10": "HMS gains where one queue is full: dfsioe_r 10 to 11 %, dfsioe_w 16 to 97 % by "
    "seed, the other six -5.6 to 0.0 %. Two nearly empty queues leave no contest to decide. "
    "Oldest first within a class, as in the paper, costs six programs up to 11 % against PAR-BS "
    "and TCM.",
    "R12a": f"{IDLE} dfsioe_r computes 9 instructions for a byte, and its data come from flash.",
    "R12b": "As R12a: sort computes 409 instructions for a byte.",
    "R13a": "See R10.",
    "R13b": "See R10.",
    "R20a": "Over HMS alone, dfsioe_r gains 63 % by page-aware scheduling, and dfsioe_w 0.9 % "
    "(R20b). dfsioe_w writes into a buffer full of dirty pages, where a page is "
    "programmed when a line needs its frame. With 5 % of the write part kept free, pre-eviction "
    "programs pages on all chips at once, and dfsioe_w gains 114 % over HMS (the bundle `all`).",
    "R21": "See R20a.",
}
