# SPDX-License-Identifier: BSD-3-Clause
"""Does decoding of a language model move the bytes that its closed forms say, when they say it?

The oracle counts bytes from the model's shape alone. It shares no code with the generator.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import hmsim
import pytest
from hmsim import InputError

PAGE = 4096
PEAK = 12.8  # GB/s of the data bus of DDR3-1600
# A model of 0.2 MB a layer, whose keys of 16 tokens fill one flash page.
SHAPE = {
    "layers": 2,
    "width": 128,
    "kv_heads": 2,
    "head_size": 64,
    "feed_forward": 192,
    "vocabulary": 96,
}
SMALL = {
    "nvdimm.capacity": "64MiB",
    "nvdimm.ftl.over_provisioning": 60,
    "nvdimm.buffer.read_size": "1MiB",
    "nvdimm.buffer.write_size": "1MiB",
    "nvdimm.nand.read_time": "5us",
    "nvdimm.nand.program_time": "20us",
}


# One request after another, so that lines are sent in the order of requests.
IN_ORDER = {"outstanding": 1, "window": 64}


def decode(config: dict[str, Any] | None = None, seed: int = 1, **keys: Any) -> hmsim.Result:
    agent = {"kind": "llm_decode", **SHAPE, **keys}
    loaded = hmsim.load_config("mascots16", {**SMALL, **(config or {})})
    return hmsim.run(loaded, {"agents": [agent]}, seed=seed, request_log=True)


@dataclass
class Oracle:
    """Bytes of a run, from the forms of a transformer's shape."""

    batch: int
    context: int
    steps: int
    kv: str = "dram"
    output: int = 0
    prefill: bool = False
    page_tokens: int = 16
    layers: int = 2
    weights_bytes: int = 2
    kv_bytes: int = 2
    totals: dict[str, int] = field(default_factory=dict)

    def half(self) -> int:
        return SHAPE["kv_heads"] * SHAPE["head_size"] * self.kv_bytes

    def token(self) -> int:
        return 2 * self.layers * self.half()

    def layer(self) -> int:
        d, f = SHAPE["width"], SHAPE["feed_forward"]
        keys = SHAPE["kv_heads"] * SHAPE["head_size"]
        return (2 * d * d + 2 * d * keys + 3 * d * f) * self.weights_bytes

    def weights(self) -> int:
        head = SHAPE["vocabulary"] * SHAPE["width"] * self.weights_bytes
        return self.layers * self.layer() + head

    def add(self, name: str, amount: int) -> None:
        self.totals[name] = self.totals.get(name, 0) + amount

    def write(self, sequence_tokens: int, first: int) -> None:
        """Count the writes of tokens ``first`` to ``sequence_tokens`` of one sequence."""
        if self.kv == "dram":
            self.add("kv written", (sequence_tokens - first) * self.token())
            return
        pages = sequence_tokens // self.page_tokens - first // self.page_tokens
        self.add("kv written", pages * self.page_tokens * self.token())

    def run(self) -> dict[str, int]:
        shift = [self.output * i // self.batch for i in range(self.batch)]
        tokens = [self.context + each for each in shift]
        ends = [self.context + (self.output or self.steps)] * self.batch
        fresh = list(range(self.batch))
        row = SHAPE["width"] * self.weights_bytes
        for step in range(self.steps):
            if self.prefill and fresh:
                self.add("weights", self.weights())
                self.add("embedding", sum(tokens[i] for i in fresh) * row)
                for i in fresh:
                    self.write(tokens[i], 0)
                    if self.kv != "dram":
                        self.add("gathered", tokens[i] % self.page_tokens * self.token())
            fresh = []
            self.add("weights", self.weights())
            self.add("embedding", self.batch * row)
            for i in range(self.batch):
                rest = tokens[i] % self.page_tokens if self.kv != "dram" else 0
                self.add("kv", (tokens[i] - rest) * self.token())
                self.add("gather read", rest * self.token())
                self.add(f"sequence {i}", tokens[i] * self.token())
                self.write(tokens[i] + 1, tokens[i])
                self.add("gathered", self.token() if self.kv != "dram" else 0)
                tokens[i] += 1
                if tokens[i] == ends[i] and step + 1 < self.steps:
                    whole = tokens[i] - tokens[i] % self.page_tokens
                    self.add("trimmed", whole * self.token() if self.kv != "dram" else 0)
                    self.add("ended", 1)
                    tokens[i] = self.context
                    fresh.append(i)
        return self.totals


def measured(result: hmsim.Result, weights: str, kv: str) -> dict[str, int]:
    stats = result.stats
    names = {
        "weights": f"read.{weights}.weights",
        "embedding": f"read.{weights}.embedding",
        "kv": f"read.{kv}.kv",
        "kv written": f"written.{kv}.kv",
        "gather read": "read.dram.gather",
        "gathered": "written.dram.gather",
        "trimmed": "trimmed_bytes",
        "ended": "sequences_ended",
    }
    found = {name: int(stats.get(f"agent.0.{path}", 0)) for name, path in names.items()}
    sequences = itertools.takewhile(
        lambda i: f"agent.0.sequence.{i}.kv_read" in stats, itertools.count()
    )
    return found | {f"sequence {i}": int(stats[f"agent.0.sequence.{i}.kv_read"]) for i in sequences}


def lines(result: hmsim.Result) -> dict[tuple[str, bool], int]:
    """Return the bytes on the memory bus by class and direction, from the log of requests."""
    log = result.requests
    assert log is not None
    counts = log.groupby(["class", "write"]).size()
    return {(str(kind), bool(write)): 64 * int(count) for (kind, write), count in counts.items()}


def without_zeros(values: dict[str, int]) -> dict[str, int]:
    return {name: value for name, value in values.items() if value}


BATCHES = [(1, 1), (1, 16), (3, 33), (5, 47), (8, 100), (2, 255)]
PLACES = [*itertools.product(("dram", "nvdimm"), repeat=2)]


@pytest.mark.parametrize(("batch", "context"), BATCHES)
@pytest.mark.parametrize(("weights", "kv"), PLACES)
def test_bytes_are_those_of_the_closed_forms(
    batch: int, context: int, weights: str, kv: str
) -> None:
    result = decode(batch=batch, context=context, weights=weights, kv=kv, steps=3)
    oracle = Oracle(batch, context, 3, kv)
    assert without_zeros(measured(result, weights, kv)) == without_zeros(oracle.run())
    # The lines on the bus are the same bytes.
    stats, bus = result.stats, lines(result)
    for tier, write in itertools.product(("dram", "nvdimm"), (False, True)):
        word = "written" if write else "read"
        claimed = sum(
            int(value) for name, value in stats.items() if name.startswith(f"agent.0.{word}.{tier}")
        )
        assert bus.get((tier, write), 0) == claimed


@pytest.mark.parametrize("kv", ["dram", "nvdimm"])
@pytest.mark.parametrize("prefill", [False, True])
@pytest.mark.parametrize(("batch", "output"), [(1, 3), (4, 8), (3, 20), (2, 5)])
def test_sequences_end_trim_and_are_replaced(
    batch: int, output: int, prefill: bool, kv: str
) -> None:
    keys: dict[str, Any] = {"batch": batch, "context": 45, "output": output, "steps": 12}
    result = decode(**keys, prefill=prefill, kv=kv)
    oracle = Oracle(**keys, prefill=prefill, kv=kv)
    expected = oracle.run()
    assert expected["ended"] > 0
    assert without_zeros(measured(result, "nvdimm", kv)) == without_zeros(expected)
    trimmed = result.stats.get("nvdimm.ftl.trimmed_pages", None)
    if trimmed is not None and kv == "nvdimm":
        assert trimmed <= expected["trimmed"] // PAGE


@pytest.mark.parametrize("kv", ["dram", "nvdimm"])
def test_a_prefill_writes_the_prompt_once(kv: str) -> None:
    result = decode(batch=3, context=40, steps=1, prefill=True, kv=kv)
    found = measured(result, "nvdimm", kv)
    token = Oracle(3, 40, 1).token()
    written = found["kv written"] + found["gathered"]
    assert written == 3 * 40 * token + 3 * token  # the prompt and a token of the step
    assert result.stats["agent.0.prefill_time_us.max"] > 0


def test_a_longer_context_adds_a_token_of_each_sequence() -> None:
    reads = []
    for context in (63, 64, 65):
        found = measured(decode(batch=4, context=context, steps=1, kv="nvdimm"), "nvdimm", "nvdimm")
        reads.append(found["kv"] + found["gather read"])
    token = Oracle(4, 64, 1).token()
    assert reads[1] - reads[0] == 4 * token == reads[2] - reads[1]


def test_every_byte_of_the_weights_is_read_in_each_step() -> None:
    result = decode(batch=1, context=16, steps=2, weights="nvdimm", **IN_ORDER)
    log = result.requests
    assert log is not None
    oracle = Oracle(1, 16, 2)
    layer = (oracle.layer() + PAGE - 1) // PAGE * PAGE
    end = 2 * layer + SHAPE["vocabulary"] * SHAPE["width"] * 2
    own = log[(log["class"] == "nvdimm") & (log["address"] < end)]
    assert own["address"].nunique() * 64 == oracle.weights()
    assert (own.groupby("address").size() == 2).all()
    # In address order within a layer.
    sent = own.sort_values("id")["address"].tolist()
    assert sent == sorted(set(sent)) * 2


def kv_order(seed: int) -> list[int]:
    keys = {"batch": 2, "context": 160, "steps": 1, "weights": "dram", "kv": "nvdimm"}
    result = decode(seed=seed, **keys, **IN_ORDER)
    log = result.requests
    assert log is not None
    own = log[(log["class"] == "nvdimm") & ~log["write"]].sort_values("id")
    return [int(address) // PAGE for address in own["address"][::64]]


def test_the_seed_alone_decides_the_block_tables() -> None:
    first = kv_order(1)
    assert first == kv_order(1)
    assert first != kv_order(2)
    assert len({*first}) == len(first) == 2 * 10 * 2 * 2  # sequences, pages, layers, halves
    assert first != sorted(first)
    assert len({*first} ^ {*kv_order(2)}) < len(first)  # pages of the same memory


def cases() -> Iterator[dict[str, Any]]:
    for batch, flops in itertools.product((1, 6), (1, 10, 0)):
        yield {"batch": batch, "context": 200, "flops": flops, "weights": "dram", "kv": "dram"}


def bound_us(keys: dict[str, Any], reads_of_weights: int = 1, heads: int = 1) -> float:
    """Return the least time of a step: the largest of what memory and computation take."""
    oracle = Oracle(keys["batch"], keys["context"], 1)
    cached = keys["batch"] * keys["context"] * oracle.token() * heads
    moved = oracle.weights() * reads_of_weights + cached
    operations = oracle.weights() // 2 * 2 * keys["batch"]
    computed = operations / keys["flops"] / 1e3 if keys["flops"] else 0.0
    return max(moved / PEAK / 1e3, computed)


@pytest.mark.parametrize("prefetch", [0, 1])
def test_no_step_is_faster_than_its_largest_bound(prefetch: int) -> None:
    for keys in cases():
        step = decode(**keys, steps=1, prefetch=prefetch).stats["agent.0.step_time_us.mean"]
        assert step >= bound_us(keys), keys


def test_wrong_models_fail_the_bound() -> None:
    """Weights read for each sequence, or keys for each query head, would take longer."""
    keys = {"batch": 6, "context": 200, "flops": 0, "weights": "dram", "kv": "dram"}
    step = decode(**keys, steps=1).stats["agent.0.step_time_us.mean"]
    assert bound_us(keys) <= step < bound_us(keys, reads_of_weights=6)
    assert step < bound_us(keys, heads=4)


def test_without_prefetch_computation_and_reads_add_up() -> None:
    keys = {"batch": 4, "context": 64, "weights": "dram", "kv": "dram", "steps": 1}
    slow = decode(**keys, flops=1, prefetch=0).stats
    idle = decode(**keys, flops=0, prefetch=0).stats
    ahead = decode(**keys, flops=1, prefetch=1).stats
    oracle = Oracle(4, 64, 1)
    computed = oracle.weights() // 2 * 2 * 4 / 1e3  # 10^9 operations a second
    step = slow["agent.0.step_time_us.mean"]
    assert step == pytest.approx(idle["agent.0.step_time_us.mean"] + computed, rel=0.02)
    assert slow["agent.0.bound.compute"] * step == pytest.approx(computed, rel=1e-6)
    assert computed <= ahead["agent.0.step_time_us.mean"] < step
    for stats in (slow, idle, ahead):
        parts = [value for name, value in stats.items() if name.startswith("agent.0.bound.")]
        assert sum(parts) == pytest.approx(1, rel=1e-9)


def test_scaled_figures_are_those_of_the_whole_model() -> None:
    keys = {"batch": 2, "context": 64, "weights": "dram", "kv": "dram", "steps": 2, "layers": 6}
    whole = decode(**keys).stats
    part = decode(**keys, layers_simulated=3).stats
    assert "agent.0.scaled.step_time_us" not in whole
    for word in ("read", "written"):
        all_bytes = sum(v for n, v in whole.items() if n.startswith(f"agent.0.{word}."))
        assert part[f"agent.0.scaled.{word}"] == all_bytes
    assert part["agent.0.scaled.step_time_us"] == pytest.approx(
        whole["agent.0.step_time_us.mean"], rel=0.03
    )


@pytest.mark.parametrize("more", [{}, {"prefill": True, "output": 4}])
def test_the_scaled_rate_is_that_of_the_whole_model(more: dict[str, Any]) -> None:
    keys = {"batch": 4, "context": 64, "weights": "dram", "kv": "dram", "steps": 8, "layers": 12}
    whole = decode(**keys, **more).stats
    part = decode(**keys, **more, layers_simulated=2).stats
    assert "agent.0.scaled.rate" not in whole
    assert part["agent.0.scaled.rate"] == pytest.approx(whole["agent.0.rate"], rel=0.05)
    assert part["agent.0.rate"] > 3 * part["agent.0.scaled.rate"]
    if not more:
        seconds = part["agent.0.scaled.step_time_us"] / 1e6
        assert part["agent.0.scaled.rate"] == pytest.approx(4 / seconds, rel=1e-12)


@pytest.mark.parametrize(("weights", "kv"), [("dram", "nvdimm"), ("nvdimm", "nvdimm")])
def test_fastest_and_slowest_layers_enclose_the_time_of_the_whole_model(
    weights: str, kv: str
) -> None:
    keys = {"batch": 4, "context": 64, "weights": weights, "kv": kv, "outstanding": 8, "layers": 8}
    keys["window"] = 1
    whole = decode(**keys, steps=4).stats["agent.0.step_time_us.mean"]
    for count in (2, 4):
        stats = decode(**keys, steps=4, layers_simulated=count).stats
        least, found, most = (
            stats[f"agent.0.scaled.step_time{end}_us"] for end in ("_least", "", "_most")
        )
        assert least < found < most
        assert least < whole < most, (count, whole)
    one = decode(**keys, steps=4, layers_simulated=1)
    assert "agent.0.scaled.step_time_least_us" not in one.stats
    assert abs(one.stats["agent.0.scaled.step_time_us"] / whole - 1) > 0.05


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"batch": 0}, ("batch: '0'", "1 .. 4096")),
        ({"weights": "hbm"}, ("weights: 'hbm'", "dram", "nvdimm")),
        ({"kv": "nvdimms"}, ("kv: 'nvdimms'", "did you mean 'nvdimm'?")),
        ({"model": "llama_3_1_7b"}, ("model: 'llama_3_1_7b'", "llama_3_1_8b")),
        ({"kv": "nvdimm", "page_tokens": 20}, ("page_tokens:", "5120 bytes", "nearest: 16")),
        ({"request": "6KiB"}, ("request:", "nearest: 8KiB")),
        ({"width": 100}, ("width:", "nearest: 128")),
        ({"layers_simulated": 3}, ("layers_simulated:", "at most the model's layers, 2")),
        ({"context": 100_000, "kv": "nvdimm"}, ("context:", "nvdimm", "at most ")),
        ({"context": 16_000_000, "kv": "dram"}, ("context:", "dram", "at most ")),
    ],
)
def test_bad_keys_are_one_clear_message(keys: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as caught:
        decode(**keys)
    message = str(caught.value)
    assert message.count("\n") == 0
    for word in words:
        assert word in message, message


def test_the_longest_context_named_by_the_error_fits() -> None:
    with pytest.raises(InputError) as caught:
        decode(context=100_000, kv="nvdimm", steps=1)
    longest = int(str(caught.value).rsplit("at most ", 1)[1])
    result = decode(context=longest, kv="nvdimm", steps=1, batch=1, flops=0, layers_simulated=2)
    assert result.stats["agent.0.progress"] == 1
    with pytest.raises(InputError):
        decode(context=longest + 1, kv="nvdimm", steps=1)


def test_a_memory_that_is_absent_is_named() -> None:
    with pytest.raises(InputError, match=r"weights: .* must be 'dram'"):
        decode({"nvdimm.present": False}, weights="nvdimm")


@pytest.mark.parametrize("system", ["storage/nvme", "storage/moneta"])
def test_the_same_workload_runs_on_storage(system: str) -> None:
    agent = {"kind": "llm_decode", **SHAPE, "width": 256, "batch": 2, "context": 48, "kv": "nvdimm"}
    result = hmsim.run(system, {"agents": [{**agent, "steps": 2, "request": "8KiB"}]})
    stats = result.stats
    claimed = sum(v for n, v in stats.items() if n.startswith("agent.0.read.nvdimm"))
    assert stats["storage.read_bytes"] == claimed if "storage.read_bytes" in stats else claimed > 0
    assert stats["agent.0.bound.nvdimm"] > 0.5
