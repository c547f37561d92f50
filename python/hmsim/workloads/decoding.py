# SPDX-License-Identifier: BSD-3-Clause
"""Bytes that the decoding of a language model needs of each memory (agents/llm/decode_layout.h)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hmsim._core import Simulation, parse_integer

KIND = "llm_decode"
PAGE = 4096
SHAPE = ("layers", "width", "kv_heads", "head_size", "feed_forward", "vocabulary")
MODELS = {  # as in agents/llm/model_shape.cc
    "llama_3_1_8b": (32, 4096, 8, 128, 14336, 128256),
    "llama_3_1_70b": (80, 8192, 8, 128, 28672, 128256),
}


class Need(NamedTuple):
    """What the data of all layers take.

    Attributes:
        layers: of the model.
        simulated: layers that the run simulates.
        bytes: by memory (``dram`` or ``nvdimm``) and kind of data.
    """

    layers: int
    simulated: int
    bytes: dict[str, dict[str, int]]


def need(keys: Mapping[str, str]) -> Need:
    """Return the need of an agent with these keys, which the core has accepted."""
    texts = {each["name"]: each["default"] for each in Simulation.agent_parameters(KIND)}
    texts |= {"model": keys.get("model", texts["model"])}
    texts |= {name: str(value) for name, value in zip(SHAPE, MODELS[texts["model"]])} | dict(keys)

    def of(name: str) -> int:
        return parse_integer(texts[name])

    layers, width, heads = of("layers"), of("width"), of("kv_heads") * of("head_size")
    some = layers if texts["layers_simulated"] == "all" else of("layers_simulated")
    layer = width * (2 * width + 2 * heads + 3 * of("feed_forward")) * of("weight_bytes")
    words = of("vocabulary") * width * of("weight_bytes")
    tokens = of("context") + (of("output") or of("steps"))
    slow, unit = texts["kv"] != "dram", of("page_tokens")
    row = 2 * layers * of("batch") * unit * heads * of("kv_bytes")  # a page of each sequence
    kv = row * ((tokens if slow else tokens + unit - 1) // unit)
    found: dict[str, dict[str, int]] = {"dram": {}, "nvdimm": {}}
    found[texts["weights"]]["weights"] = layers * _pages(layer) + 2 * _pages(words)
    found[texts["kv"]]["keys and values"] = kv
    if slow:
        found["dram"]["incomplete pages of keys and values"] = row
    return Need(layers, some, found)


def _pages(size: int) -> int:
    return -(-size // PAGE) * PAGE
