# SPDX-License-Identifier: BSD-3-Clause
# A file to read, and on core 1 a partner that is just about to solve: two cores.
fileio create /data/file 16 1048576
taskset -c 1 network_simplex 60000 360000 1 2>/tmp/solving >/dev/null &
until [ -s /tmp/solving ]; do sleep 0.01; done
