# SPDX-License-Identifier: BSD-3-Clause
"""Captures: of a program, or of a whole machine with its NVDIMM."""

from hmsim.capture.emulation import CaptureError
from hmsim.capture.program import CaptureSummary, capture
from hmsim.capture.settings import ProgramSettings, SystemSettings

__all__ = ["CaptureError", "CaptureSummary", "ProgramSettings", "SystemSettings", "capture"]
