# SPDX-License-Identifier: BSD-3-Clause
"""Does the example of a server move the bytes and take the time that forms and `llm_decode` say?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hmsim
import pytest
from serving.__main__ import main
from serving.conversation import Block, Conversation
from serving.experts import ExpertTiers, Routing, TraceRouting, ZipfRouting
from serving.load import Arrival, poisson
from serving.model import MODELS, Model
from serving.policy import POLICIES, TierPolicy
from serving.server import Limits, Server
from serving.slow_tier import SlowTier
from serving.step import Machine, Step
from serving.tier import KeyTiers

HBF = {"hbf.ftl": "host", "dram.refresh": "false"}
DENSE = Model(4, 256, 256, 8, 128, 512, 256)
SPARSE = Model(4, 256, 256, 8, 128, 512, 256, experts=8, experts_per_token=2)
BLOCK = 16
SLOW = Machine(0.05, 0.5)  # 50 GB/s, 500 GFLOP/s


class Bench:
    """A server whose parts a test can see."""

    def __init__(
        self,
        arrivals: list[Arrival],
        model: Model = DENSE,
        *,
        machine: Machine = SLOW,
        room: int = 0,
        batch: int = 8,
        chunk: int = 64,
        history: int = 0,
        ahead: int = 1,
        share: float = 1.0,
        routing: Routing | None = None,
        **slow: bool,
    ) -> None:
        self.system = hmsim.System("hbm3_hbf", HBF)
        size = self.block_bytes = BLOCK * model.kv_bytes * model.layers
        fixed = model.layers * model.experts * model.expert_bytes
        self.slow = SlowTier(self.system, fixed, size, **slow)
        tiers = KeyTiers(self.slow, TierPolicy(), room, size)
        self.experts = ExpertTiers(
            *(self.slow, TierPolicy(), model.layers, model.experts, model.expert_bytes, share)
        )
        experts = self.experts if model.experts else None
        step = Step(self.system, model, machine, tiers, ahead, BLOCK, experts, routing)
        limits = Limits(batch, chunk, 4096, history, BLOCK)
        self.server = Server(self.system, arrivals, tiers, step, limits)
        self.server.run()

    def blocks(self, operation: str) -> float:
        return self.slow.bytes[operation] / self.block_bytes


def decode(**keys: Any) -> dict[str, float]:
    names = ("layers", "width", "kv_heads", "head_size", "feed_forward", "vocabulary")
    shape = {name: getattr(DENSE, name) for name in names}
    wide = {"outstanding": 4096, "lines": 4096, "steps": 4, "weights": "dram"}
    agent = {"kind": "llm_decode", **shape, **wide, **keys}
    stats = hmsim.run(hmsim.load_config("hbm3_hbf", {"hbf.ftl": "host"}), {"agents": [agent]}).stats
    return {n.removeprefix("agent.0."): v for n, v in stats.items() if n.startswith("agent.0.")}


@pytest.mark.parametrize(
    ("flops", "batch", "context", "bound"),
    [(0, 8, 96, "nvdimm"), (100, 8, 32, "compute"), (0, 2, 32, "dram"), (2000, 2, 64, "dram")],
)
def test_a_fixed_batch_decodes_as_fast_as_the_workload(
    flops: int, batch: int, context: int, bound: str
) -> None:
    keys = {"batch": batch, "context": context, "flops": flops}
    theirs, fast = decode(kv="nvdimm", **keys), decode(kv="dram", **{**keys, "flops": 0})
    assert theirs[f"bound.{bound}"] > 0.5
    read = sum(value for name, value in fast.items() if name.startswith("read."))
    machine = Machine(read / (4 * fast["step_time_us.mean"] * 1e6), flops / 1e3)
    ours = Bench([Arrival(0, i, 1, 4) for i in range(batch)], machine=machine, history=context)
    ended = max(each.ended for each in ours.server.ended)
    assert batch * 4e12 / ended == pytest.approx(theirs["rate"], rel=0.02)
    assert ours.slow.bytes["read"] == theirs["read.nvdimm.kv"]


@pytest.mark.parametrize(("batch", "history", "output"), [(1, 0, 40), (3, 47, 20), (2, 16, 1)])
def test_bytes_without_a_fast_tier_match_the_closed_form(
    batch: int, history: int, output: int
) -> None:
    ours = Bench([Arrival(0, i, 1, output) for i in range(batch)], history=history)
    known = [history // BLOCK * BLOCK] + [history + 1 + i for i in range(output - 1)]
    assert ours.blocks("read") == batch * sum(tokens // BLOCK for tokens in known)
    written = (history + output) // BLOCK - history // BLOCK
    assert ours.blocks("write") == batch * written


def test_a_prefix_is_loaded_once_and_evicted_blocks_are_written_once() -> None:
    again = [Arrival(i * 10**11, 0, 5, 4) for i in range(3)]
    ours = Bench(again, room=10, history=100)
    assert (ours.blocks("read"), ours.blocks("write")) == (6, 0)
    # 6 blocks of each have a copy in the slow tier; the seventh is computed from 100 + 17 tokens.
    ours = Bench([Arrival(i * 10**11, i % 2, 17, 1) for i in range(4)], room=8, history=100)
    assert (ours.blocks("read"), ours.blocks("write")) == (6 * 2 + 6 + 7, 3)
    assert ours.server.prefix_resident == 1
    copied = Bench(again, room=10, history=100, copies=True)
    assert copied.system.stats["dram.writes"] == 6 * copied.block_bytes / 64


@pytest.mark.parametrize("room", [0, 20, 1000])
def test_times_are_the_sums_of_their_parts(room: int) -> None:
    load = list(poisson(3000, 12, 6, 40, 5, seed=1))
    ours = Bench(load, room=room, batch=4, history=64)
    assert len(ours.server.ended) == 12
    for each in ours.server.ended:
        first, rest = each.first, each.rest
        whole = first.queue + first.roofline + first.device
        assert each.first_token - each.arrival.time == whole and first.queue >= 0
        assert each.ended - each.first_token == rest.roofline + rest.device
    same = Bench(load, room=room, batch=4, history=64)
    assert [each.ended for each in same.server.ended] == [e.ended for e in ours.server.ended]


def test_a_step_in_the_fast_tier_takes_the_roofline_time() -> None:
    ours = Bench([Arrival(0, 0, 100, 2)], room=100, machine=Machine(0.05, 0))
    weights = DENSE.attention_parameters + DENSE.expert_parameters
    whole = 2 * (DENSE.layers * weights + DENSE.head_parameters)
    # Chunks of 64 and 36 tokens, then one: each reads the keys and values of those before it.
    read = [whole + tokens * DENSE.kv_bytes * DENSE.layers for tokens in (0, 64, 100)]
    (request,) = ours.server.ended
    assert request.first_token == pytest.approx(sum(read[:2]) / 0.05, abs=40)
    assert request.ended == pytest.approx(sum(read) / 0.05, abs=60)
    assert request.first.device == request.rest.device == 0


def test_reading_ahead_hides_the_device() -> None:
    machine = Machine(10, 0.25)
    late, soon = (
        Bench([Arrival(0, 0, 1, 5)], machine=machine, history=32, ahead=n) for n in (0, 8)
    )
    assert soon.server.ended[0].rest.device < 0.7 * late.server.ended[0].rest.device
    assert soon.server.ended[0].rest.roofline <= late.server.ended[0].rest.roofline


def test_policies_choose_their_victims() -> None:
    small, large = Conversation(0, 100), Conversation(1, 100)
    small.resident, large.resident, small.last_used, large.last_used = 1, 5, 10, 20
    chosen = {name: POLICIES[name]().victim([small, large], 40) for name in POLICIES}
    assert chosen == {"lru": small, "recency_and_size": large}
    assert TierPolicy().victim([], 40) is None
    large.blocks = [Block(True), Block(True), Block(False)]
    assert large.last_resident() is large.blocks[1]


def test_missing_experts_are_read_and_stay_while_there_is_room(tmp_path: Path) -> None:
    lines = tmp_path / "routing"
    lines.write_text("".join(f"{layer} 0 5\n{layer} 5 6\n" for layer in range(4)))
    for share, missed in ((0, 4 * 2 * 4), (0.25, 4 * (1 + 1 + 1 + 1)), (1, 0)):
        routing = TraceRouting(lines, 4, 8)
        ours = Bench([Arrival(0, 0, 1, 4)], SPARSE, share=share, routing=routing)
        assert (ours.experts.used, ours.experts.missed) == (4 * 2 * 4, missed)
        assert ours.slow.bytes["read"] == missed * SPARSE.expert_bytes
    lines.write_text("0 " + "1" * 5000)
    with pytest.raises(hmsim.InputError, match=r":1: expected numbers"):
        TraceRouting(lines, 4, 8)
    zipf = ZipfRouting(8, 2, 1.0, 1)
    drawn = [zipf.choose(0, 1) for _ in range(2000)]
    assert {len(each) for each in drawn} == {2}
    counts = [sum(i in each for each in drawn) for i in range(8)]
    assert counts == sorted(counts, reverse=True)


def test_shapes_match_the_models() -> None:
    for name, billions in (
        ("llama_3_1_8b", 8.03),
        ("llama_3_1_70b", 70.6),
        ("qwen3_30b_a3b", 30.5),
    ):
        model = MODELS[name]
        layer = model.attention_parameters + max(1, model.experts) * model.expert_parameters
        whole = model.layers * layer + 2 * model.head_parameters
        assert whole == pytest.approx(billions * 1e9, rel=0.01), name


SMALL = ["--layers", "2", "--requests", "4", "--rate", "100", "--output", "3", "--history", "64"]


def test_the_command_serves_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace, out = tmp_path / "trace.csv", tmp_path / "out.json"
    trace.write_text("arrival_s,conversation,prompt,output\n0,0,20,3\n0.001,1,20,1\n")
    drive = ["--config", "storage/mqsim_ssd", "--trace", str(trace), "--out", str(out)]
    assert main([*SMALL, *drive]) == 0
    assert capsys.readouterr().out.startswith("2 requests in 0.0")
    found = json.loads(out.read_text())
    assert found["slow_bytes"]["read"] == 2 * 4 * 2 * 65536
    first = found["first_token_ms"]
    assert first["p95"] == pytest.approx(
        sum(first[f"p95_{n}"] for n in ("queue", "roofline", "device"))
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--batch", "0"], ("--batch", "1 .. 4096", "'0'")),
        (["--batch", "64", "--chunk", "8"], ("--chunk", "at least --batch, 64")),
        (["--model", "gpt"], ("--model", "llama_3_1_8b")),
        (["--config", "hbm3e_hfb"], ("hbm3e_hfb", "hbm3e_hbf")),
        (["--set", "hbf.ftl"], ("--set", "KEY=VALUE")),
        (["--set", "hbf.ftl=hots"], ("hbf.ftl", "host")),
        (["--block", "3", "--model", "qwen3_30b_a3b"], ("--block", "multiple of 4096", "4")),
        (["--trace", "absent.csv"], ("absent.csv", "No such file")),
        (["--routing", "absent"], ("--routing", "no experts")),
        (["--config", "hbm3e"], ("slow tier has 0 bytes",)),
        (["--first-lines"], ("--first-lines", "HBF")),
        (["--out", "absent/out.json"], ("absent/out.json", "not a writable directory")),
        (["--config", "hbm3_hbf", "--history", "10000000"], ("slow tier cannot hold",)),
    ],
)
def test_wrong_input_is_one_line(
    arguments: list[str], words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main([*SMALL, *arguments])
    except SystemExit as left:
        status = int(str(left.code))
    printed = capsys.readouterr()
    assert (status, printed.out, printed.err.count("\n")) == (2, "", 1)
    for word in words:
        assert word in printed.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("time,prompt\n", (":1:", "arrival_s,conversation,prompt,output")),
        ("arrival_s,conversation,prompt,output\n", ("no requests",)),
        ("arrival_s,conversation,prompt,output\n1,0,5\n", (":2:", "four numbers")),
        ("arrival_s,conversation,prompt,output\n1,0,5,0\n", (":2:", "at least 1")),
        ("arrival_s,conversation,prompt,output\n1,0,5,1\n0,0,5,1\n", (":3:", "not decrease")),
        ("arrival_s,conversation,prompt,output\n1,0,99999999,1\n", (":2:", "10000000")),
        ("arrival_s,conversation,prompt,output\n1,0,5," + "1" * 200_000, ("no CSV file",)),
    ],
)
def test_a_wrong_trace_is_one_line(
    text: str, words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trace.csv").write_text(text)
    test_wrong_input_is_one_line(["--trace", str(tmp_path / "trace.csv")], words, capsys)
