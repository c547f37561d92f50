# SPDX-License-Identifier: BSD-3-Clause
# 8 MiB from /dev/pmem0, past the page cache.
gem5 begin
fileio direct-read /data/file 8 1048576
gem5 end
