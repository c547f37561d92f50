# SPDX-License-Identifier: BSD-3-Clause
"""Machine and initial state of the buffer for each claim.

They were fixed before any run of the claim. Runs on other machines and states are labelled as
sensitivity.

**Machine**: `table3`, for every claim: a core copies with ten loads in flight. The paper's driver
"can translate I/O requests to load/store memory access instructions", and no sentence mentions an
engine. In the paper's plots of its queue (Fig. 7 and 8a), reads of the NVDIMM hold more than 104 of
128 entries, which three such cores cannot hold; a copy engine (`dma`) can, and is shown beside.

**State of the buffer**: it follows from the size of the paper's inputs relative to its buffer of
400 MB. The input of dfsioe is 25 GB, 64 times as large: reads miss (`none`), and writes find a
buffer full of earlier writes (`dirty`). The other six programs read inputs of 400 MB or less that
had just been written through the buffer: their reads hit (`resident`).
"""

from __future__ import annotations

MACHINE_KEY = "frontend.node.machine"
MACHINE = "table3"
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
