# SPDX-License-Identifier: BSD-3-Clause
# Core 0 reads a file from /dev/pmem0 again and again, as TestDFSIO does; core 1 is the partner of
# mix.prepare.sh. --duration ends it.
gem5 begin
while :; do
  taskset -c 0 fileio direct-read /data/file 16 65536
done
