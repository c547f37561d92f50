# SPDX-License-Identifier: BSD-3-Clause
"""What all packages share: places, files that appear whole, progress, tables."""
