# SPDX-License-Identifier: BSD-3-Clause
"""One HTML page about some runs, complete in itself."""

from hmsim.report.page import write_report

__all__ = ["write_report"]
