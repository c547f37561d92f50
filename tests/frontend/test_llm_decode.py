# SPDX-License-Identifier: BSD-3-Clause
"""Does decoding of a language model move the bytes that its closed forms say, when they say it?

tests/cc/agents/llm_walk_test.cc has single steps, computed by hand.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import hmsim
import pytest
from hmsim import InputError

PAGE = 4096
# A model of 0.2 MB a layer, whose keys of 16 tokens fill one flash page.
SHAPE = {
    "layers": 2,
    "width": 128,
    "kv_heads": 2,
    "head_size": 64,
    "feed_forward": 192,
    "vocabulary": 96,
}
# Bytes of a row, of keys and values of a token, of all weights.
ROW, TOKEN, WEIGHTS = 256, 2 * 2 * 2 * 64 * 2, 2 * 2 * 128 * (4 * 128 + 3 * 192) + 96 * 256
SMALL = {
    "nvdimm.capacity": "64MiB",
    "nvdimm.ftl.over_provisioning": 60,
    "nvdimm.buffer.read_size": "1MiB",
    "nvdimm.buffer.write_size": "1MiB",
    "nvdimm.nand.read_time": "5us",
    "nvdimm.nand.program_time": "20us",
}


def decode(config: dict[str, Any] | None = None, **keys: Any) -> hmsim.Result:
    agent = {"kind": "llm_decode", **SHAPE, **keys}
    loaded = hmsim.load_config("mascots16", {**SMALL, **(config or {})})
    return hmsim.run(loaded, {"agents": [agent]}, request_log=True)


def closed_forms(run: dict[str, Any]) -> Counter[str]:
    """Return statistics of a run from the shape of its model alone."""
    weights, kv, context, output = (run[key] for key in ("weights", "kv", "context", "output"))
    page = 16 if kv == "nvdimm" else 1  # tokens that are written together
    found: Counter[str] = Counter()

    def write(first: int, end: int) -> None:
        found[f"written.{kv}.kv"] += (end // page - first // page) * page * TOKEN
        gathered = 0 if page == 1 else end % page if first == 0 else 1
        found["written.dram.gather"] += gathered * TOKEN

    tokens = [context + output * i // run["batch"] for i in range(run["batch"])]
    fresh = [run["prefill"]] * run["batch"]
    for step in range(1, run["steps"] + 1):
        found[f"read.{weights}.weights"] += WEIGHTS * (2 if any(fresh) else 1)
        for i, cached in enumerate(tokens):
            if fresh[i]:
                write(0, cached)
            found[f"read.{weights}.embedding"] += (1 + cached * fresh[i]) * ROW
            found[f"read.{kv}.kv"] += cached // page * page * TOKEN
            found["read.dram.gather"] += cached % page * TOKEN
            found[f"sequence.{i}.kv_read"] += cached * TOKEN
            write(cached, cached + 1)
            ends = cached + 1 == context + output and step < run["steps"]
            fresh[i] = ends and run["prefill"]
            tokens[i] = context if ends else cached + 1
            if ends:
                found["trimmed_bytes"] += 0 if page == 1 else (cached + 1) // page * page * TOKEN
                found["sequences_ended"] += 1
    return +found


def measured(result: hmsim.Result) -> dict[str, int]:
    """Return the same statistics of a result, without zeros."""
    parts = ("read.", "written.", "sequence", "trimmed")
    names = {name: name.removeprefix("agent.0.") for name in result.stats}
    found = {short: result.stats[name] for name, short in names.items() if short.startswith(parts)}
    return {name: int(value) for name, value in found.items() if value}


def runs() -> Iterator[dict[str, Any]]:
    places = itertools.product(("dram", "nvdimm"), repeat=2)
    batches = ((1, 1), (1, 16), (3, 33), (5, 47), (8, 100), (2, 255))
    for (weights, kv), (batch, context) in itertools.product(places, batches):
        run = {"weights": weights, "kv": kv, "batch": batch, "context": context}
        yield {**run, "steps": 3, "output": 0, "prefill": False}
    ends = ((1, 3), (4, 8), (3, 20), (2, 5))
    for kv, prefill, (batch, output) in itertools.product(("dram", "nvdimm"), (False, True), ends):
        run = {"weights": "nvdimm", "kv": kv, "batch": batch, "context": 45}
        yield {**run, "steps": 12, "output": output, "prefill": prefill}


@pytest.mark.parametrize("run", [*runs()])
def test_bytes_match_the_closed_forms(run: dict[str, Any]) -> None:
    result = decode(**run)
    assert measured(result) == closed_forms(run)
    bus: Counter[tuple[str, bool]] = Counter()
    for name, value in measured(result).items():
        if name.startswith(("read.", "written.")):
            bus[name.split(".")[1], name.startswith("written.")] += value
    log = result.requests
    assert log is not None and dict(64 * log.groupby(["class", "write"]).size()) == bus
    if run["kv"] == "nvdimm":
        trimmed = closed_forms(run)["trimmed_bytes"] // PAGE
        assert result.stats.get("nvdimm.ftl.trimmed_pages", 0) <= trimmed


@pytest.mark.parametrize("more", [{}, {"prefill": True, "output": 4}])
def test_scaled_figures_are_those_of_the_whole_model(more: dict[str, Any]) -> None:
    keys = {"batch": 4, "context": 64, "weights": "dram", "kv": "dram", "steps": 8, "layers": 12}
    whole = decode(**keys, **more).stats
    part = decode(**keys, **more, layers_simulated=2).stats
    assert "agent.0.scaled.rate" not in whole
    for word in ("read", "written"):
        all_bytes = sum(v for n, v in whole.items() if n.startswith(f"agent.0.{word}."))
        assert part[f"agent.0.scaled.{word}"] == all_bytes
    step = whole["agent.0.step_time_us.mean"]
    assert part["agent.0.scaled.step_time_us"] == pytest.approx(step, rel=0.03)
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
def test_invalid_keys_give_one_message(keys: dict[str, Any], words: tuple[str, ...]) -> None:
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


@pytest.mark.parametrize(
    ("system", "workload", "peak"),
    [
        # Five channels in turn, the slowest behind x8: 4 slots of data in 5, of 64 bytes in 68.
        ("ddr5_8ch_cxl_4x", "decode_70b", 5 * 32 * 64 / 68 * 4 / 5),
        ("hbm3e", "decode_70b", 32 * 8 * 9.2),
        ("hbm3e_hbf", "decode_70b_hbf", 16 * 64 * 4.096 / 4),  # banks x page / tR
    ],
)
def test_shares_of_70b_decode_at_the_rate_of_their_bandwidth(
    system: str, workload: str, peak: float
) -> None:
    (agent,) = hmsim.load_workload(f"llm/{workload}").agents
    keys = {**dict(agent.flat()), "batch": 1, "context": 15, "vocabulary": 1024}
    if system != "hbm3e_hbf":
        keys |= {"width": 2048, "feed_forward": 7168}
    width, forward = int(keys.get("width", 8192)), int(keys.get("feed_forward", 28672))
    # The share's ten layers and head, in FP8. Keys and values are under 0.1 %.
    step = 10 * width * (2 * width + 2 * 1024 + 3 * forward) + 1024 * width
    rate = hmsim.run(system, {"agents": [keys]}).stats["agent.0.scaled.rate"]
    assert 0.93 < rate * step / (peak * 1e9) < 1


@pytest.mark.parametrize(
    ("address_map", "least", "most"),
    [("mop4clxor", 0.7, 1), ("row|bank|column|rank|group|channel", 0, 0.5)],
)
def test_pages_of_a_batch_need_a_map_that_keeps_them_in_rows(
    address_map: str, least: float, most: float
) -> None:
    """A comparison of memories with `hbm3e` must not begin with a starved HBM."""
    (agent,) = hmsim.load_workload("llm/decode_70b").agents
    keys = {**dict(agent.flat()), "context": 1023, "vocabulary": 1024, "layers_simulated": 1}
    keys |= {"width": 512, "feed_forward": 512}
    config = hmsim.load_config("hbm3e", {"controller.address_map": address_map})
    reached = hmsim.run(config, {"agents": [keys]}).stats["dram.bandwidth_gb_per_s"]
    assert least < reached / (32 * 8 * 9.2) < most
