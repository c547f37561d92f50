# SPDX-License-Identifier: BSD-3-Clause
"""Bytes that the decoding of a language model needs of each memory (agents/llm/decode_layout.h)."""

from __future__ import annotations

from collections.abc import Mapping

from hmsim._core import Simulation, parse_integer

KIND = "llm_decode"
PAGE = 4096
SHAPE = ("layers", "width", "kv_heads", "head_size", "feed_forward", "vocabulary")
MODELS = {  # as in agents/llm/model_shape.cc
    "llama_3_1_8b": (32, 4096, 8, 128, 14336, 128256),
    "llama_3_1_70b": (80, 8192, 8, 128, 28672, 128256),
}


def need(keys: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return the bytes of all layers, by memory (``dram``, ``nvdimm``) and kind of data.

    The core has accepted the agent's keys.
    """
    texts = {each["name"]: each["default"] for each in Simulation.agent_parameters(KIND)}
    shape = MODELS[keys.get("model", texts["model"])]
    texts |= {**{name: str(value) for name, value in zip(SHAPE, shape)}, **keys}

    def of(name: str) -> int:
        return parse_integer(texts[name])

    layers, width, heads = of("layers"), of("width"), of("kv_heads") * of("head_size")
    layer = width * (2 * width + 2 * heads + 3 * of("feed_forward")) * of("weight_bytes")
    words = of("vocabulary") * width * of("weight_bytes")  # embedding and head
    tokens, unit = of("context") + (of("output") or of("steps")), of("page_tokens")
    slow = texts["kv"] != "dram"
    row = 2 * layers * of("batch") * unit * heads * of("kv_bytes")  # a page of each sequence
    found: dict[str, dict[str, int]] = {"dram": {}, "nvdimm": {}}
    found[texts["weights"]]["weights"] = PAGE * (layers * -(-layer // PAGE) + 2 * -(-words // PAGE))
    found[texts["kv"]]["keys and values"] = row * (tokens // unit if slow else -(-tokens // unit))
    if slow:
        found["dram"]["incomplete pages of keys and values"] = row
    return found
