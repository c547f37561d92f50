# SPDX-License-Identifier: BSD-3-Clause
# A file on each of two NVDIMMs (--controllers 4 --nvdimms 2).
fileio create /data/file 8 1048576
fileio create /data1/file 8 1048576
