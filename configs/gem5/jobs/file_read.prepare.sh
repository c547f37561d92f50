# SPDX-License-Identifier: BSD-3-Clause
fileio create /data/file 8 1048576
