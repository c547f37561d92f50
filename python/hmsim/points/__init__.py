# SPDX-License-Identifier: BSD-3-Clause
"""Points: single runs, stored once, on processes or clusters."""
