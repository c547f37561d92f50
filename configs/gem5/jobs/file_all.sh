# SPDX-License-Identifier: BSD-3-Clause
# The file of file_read.prepare.sh in four ways, 1 MiB each.
gem5 begin
for way in direct-write direct-read mmap-read mmap-write; do
  fileio $way /data/file 1 4096
done
gem5 end
