# SPDX-License-Identifier: BSD-3-Clause
"""Machine and initial state of the buffer for each claim.

They were fixed before any run of the claim. Runs on other machines and states are labelled as
sensitivity.

**Machine**: `dma`, for every claim. In the paper's plots of its queue (Fig. 7 and 8a), reads of the
NVDIMM hold more than 104 of 128 entries. Three cores that copy with ten loads in flight (`table3`),
or with sixteen, the part of 48 that a window of 128 allows (`marss`), cannot hold that many. A copy
engine that requests a transfer's lines at once can. It is our only machine on which the claims
could hold as stated.

**State of the buffer**: it follows from the size of the paper's inputs relative to its buffer of
400 MB. The input of dfsioe is 25 GB, 64 times as large: reads miss (`none`), and writes find a
buffer full of earlier writes (`dirty`). The other six programs read inputs of 400 MB or less that
had just been written through the buffer: their reads hit (`resident`).
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
