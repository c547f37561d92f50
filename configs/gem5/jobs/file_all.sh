# SPDX-License-Identifier: BSD-3-Clause
# The file of file_read.prepare.sh in four ways, 8 MiB each.
gem5 begin
for way in direct-write direct-read mmap-read mmap-write; do
  fileio $way /data/file 8 4096
done
gem5 end
