# SPDX-License-Identifier: BSD-3-Clause
# 1 MiB from /dev/pmem0, past the page cache: 16,384 lines.
gem5 begin
fileio direct-read /data/file 1 65536
gem5 end
