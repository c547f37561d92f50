# SPDX-License-Identifier: BSD-3-Clause
"""Job files of fio: the keys, and the requests that they describe."""
