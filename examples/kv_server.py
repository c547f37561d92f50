# SPDX-License-Identifier: BSD-3-Clause
"""A toy server of a language model whose keys and values are in HBF and on a drive.

For each token, a user's step reads all blocks of its context and then writes a new one to HBF.
"""

from collections import Counter

import hmsim

USERS, TOKENS, BLOCKS, BLOCK = 8, 8, 4, 65536  # BLOCKS of each tier in the context of a user
TIERS = {"HBF": "nvdimm", "drive": "storage"}

DRIVE = {"kind": "flash", "capacity": "24GiB", "flash.to_host": "310ns", "flash.from_host": "310ns"}
overrides = {"hbf.ftl": "host"} | {f"storage.{key}": value for key, value in DRIVE.items()}
system = hmsim.System("hbm3_hbf", overrides)
parts = {tier: Counter() for tier in TIERS}  # picoseconds of the reads by cause
tokens = Counter()  # by user


def address(user, block):
    return (user * (BLOCKS + TOKENS) + block) * BLOCK


def begin_token(user):
    reads = []
    for tier, memory in TIERS.items():
        for block in range(BLOCKS):
            reads.append(system.submit(memory, address(user, block), BLOCK))
            reads[-1].add_done_callback(
                lambda done, tier=tier: parts[tier].update(done.receipt.parts)
            )
    new = address(user, BLOCKS + tokens[user])
    system.submit("nvdimm", new, BLOCK, "write", after=reads).add_done_callback(
        lambda done: end_token(user)
    )


def end_token(user):
    tokens[user] += 1
    if tokens[user] < TOKENS:
        begin_token(user)


places = [address(user, block) for user in range(USERS) for block in range(BLOCKS)]
filled = [system.submit(m, place, BLOCK, "write") for m in TIERS.values() for place in places]
begun = max(write.result().ended for write in filled)
for user in range(USERS):
    begin_token(user)
while system.futures():
    next(iter(system.futures().values())).result()
print(f"{tokens.total()} tokens in {(system.now - begun) / 1e9:.3f} ms")
for tier, causes in parts.items():
    mean = (
        f"{cause} {time / 1e6 / USERS / TOKENS / BLOCKS:.1f}"
        for cause, time in causes.items()
        if time
    )
    print(f"{tier}, us a read:", *mean)
