# SPDX-License-Identifier: BSD-3-Clause
"""A simulator of a language model's server whose keys, values and experts are on a slow tier.

Weights and resident keys are time: bytes over a declared bandwidth, operations over a declared
rate. Blocks and experts that move to or from the slow tier are requests to an `hmsim.System`.
"""
