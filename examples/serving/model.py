# SPDX-License-Identifier: BSD-3-Clause
"""Shapes of models: the bytes and operations of a layer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A transformer. Keys and values are of 2 bytes an element, weights of `weight_bytes`."""

    layers: int
    width: int
    query_width: int  #: elements of all query heads together
    kv_heads: int
    head_size: int
    feed_forward: int  #: hidden elements of the dense feed-forward network, or of an expert
    vocabulary: int
    experts: int = 0  #: of a layer; 0: dense
    experts_per_token: int = 1
    weight_bytes: int = 2

    @property
    def kv_bytes(self) -> int:
        """Bytes of the keys and values of a token in a layer."""
        return 2 * self.kv_heads * self.head_size * 2

    @property
    def attention_parameters(self) -> int:
        """Parameters of a layer's four attention matrices."""
        return 2 * self.width * (self.query_width + self.kv_heads * self.head_size)

    @property
    def expert_parameters(self) -> int:
        """Parameters of an expert, or of the dense feed-forward network."""
        return 3 * self.width * self.feed_forward

    @property
    def expert_bytes(self) -> int:
        """Bytes of an expert."""
        return self.expert_parameters * self.weight_bytes

    @property
    def head_parameters(self) -> int:
        """Parameters of the output head."""
        return self.vocabulary * self.width

    def layer_operations(self, tokens: int) -> int:
        """Return the operations of a layer: 2 for each parameter that a token uses."""
        used = self.attention_parameters + self.experts_per_token * self.expert_parameters
        return 2 * tokens * used


# Llama 3.1: arXiv 2407.21783, Table 3. Qwen3: THUDM/slime, scripts/models/qwen3-30B-A3B.sh.
MODELS = {
    "llama_3_1_8b": Model(32, 4096, 4096, 8, 128, 14336, 128256),
    "llama_3_1_70b": Model(80, 8192, 8192, 8, 128, 28672, 128256),
    "qwen3_30b_a3b": Model(48, 2048, 4096, 4, 128, 768, 151936, 128, 8),
}
