# SPDX-License-Identifier: BSD-3-Clause
"""Run by gem5: what was it built with?"""

import m5
import m5.objects
from machine import tell

tell(
    extension=hasattr(m5.objects, "HarmonicMemCtrl"),
    x86=bool(m5.defines.buildEnv.get("USE_X86_ISA")),
)
