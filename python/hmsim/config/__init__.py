# SPDX-License-Identifier: BSD-3-Clause
"""Configurations: YAML with places, bundles of policies, policies in Python, tables of hms."""
