# SPDX-License-Identifier: BSD-3-Clause
# A core reads the file of each NVDIMM, past the page cache.
gem5 begin
taskset -c 0 fileio direct-read /data/file 1 65536 &
taskset -c 1 fileio direct-read /data1/file 1 65536 &
wait
gem5 end
