# SPDX-License-Identifier: BSD-3-Clause
"""On which machine, and from which state of the buffer, each claim is decided.

Written down before any run of it; every other machine and state is sensitivity, labelled so.

**Machine**: `dma`, for every claim. The paper's plots of its queue (Fig. 7 and 8a) have more than
104 of 128 entries held by reads of the NVDIMM. Three cores that copy with ten loads in flight
(`table3`), or with sixteen, which is what a window of 128 leaves of 48 (`marss`), cannot hold so
many; a copy engine that asks for a transfer's lines at once can. That machine is the only one of
ours on which the claims could come out as they are stated.

**State of the buffer**, by what the paper's inputs are to its buffer of 400 MB. That of dfsioe is
25 GB, 64 times as large: what is read is not there (`none`), and writes meet a buffer full of what
was written before (`dirty`). The other six read inputs of 400 MB and less that had just been
written through it: what they read is there (`resident`).
"""

from __future__ import annotations

MACHINE_KEY = "frontend.node.machine"
MACHINE = "dma"
MACHINES = ("table3", "marss", "dma")
BUFFER = "nvdimm.precondition.buffer"
FILL = "nvdimm.precondition.fill"
FILLED = 0.05  # of a new NVDIMM of 32 GB, where its buffer is to be full: four times the buffer
FLASH, FULL, RESIDENT = "none", "dirty", "resident"
REGIMES = {
    "bayes": RESIDENT,
    "dfsioe_r": FLASH,
    "dfsioe_w": FULL,
    "kmeans": RESIDENT,
    "nutchindexing": RESIDENT,
    "pagerank": RESIDENT,
    "sort": RESIDENT,
    "wordcount": RESIDENT,
}
