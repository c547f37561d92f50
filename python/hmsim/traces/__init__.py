# SPDX-License-Identifier: BSD-3-Clause
"""Traces: what is read, written, converted and told of them."""
