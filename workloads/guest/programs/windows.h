// SPDX-License-Identifier: BSD-3-Clause
//
// Leaves the simulator at windows of a job: each time a given number of bytes has moved to or from
// the NVDIMM's block device since the region began. A separate process checks every millisecond,
// and once more after the job has ended. The guest waits for that process before it powers off. The
// file WATCHED exists while the process does; the file ENDED signals that the job has ended. The
// process ends if the machine continues outside QEMU, because no simulator there would handle a
// further departure.
#ifndef HMSIM_WINDOWS_H
#define HMSIM_WINDOWS_H

#include <cpuid.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WATCHED "/tmp/windows"  // ../init has the same names
#define ENDED "/tmp/ended"

// Returns the bytes that a block device, such as /dev/pmem0, has read and written.
static uint64_t bytes_moved(const char* device) {
  char name[64];
  uint64_t read = 0, written = 0;
  snprintf(name, sizeof name, "/sys/class/block/%s/stat", device + strlen("/dev/"));
  FILE* counts = fopen(name, "re");
  if (!counts || fscanf(counts, "%*u %*u %" SCNu64 " %*u %*u %*u %" SCNu64, &read, &written) != 2) {
    perror(name);
    exit(1);
  }
  fclose(counts);
  return (read + written) * 512;
}

// Returns whether this is QEMU, whose emulated processors, qemu64 among them, are named after it.
static int in_qemu(void) {
  unsigned int name[12 + 1] = {0};
  for (unsigned int part = 0; part < 3; part++) {
    unsigned int* at = name + 4 * part;
    if (!__get_cpuid(0x80000002 + part, at, at + 1, at + 2, at + 3)) return 0;
  }
  return strstr((const char*)name, "QEMU") != NULL;
}

static void end_watch(void) { unlink(WATCHED); }

// Returns when the device has moved `wanted` bytes. Ends the process if the job ended before that.
static void await_bytes(const char* device, uint64_t wanted) {
  const struct timespec pause = {0, 1000000};
  for (;;) {
    const int ended = !access(ENDED, F_OK);  // read first: nothing is moved afterwards
    if (bytes_moved(device) >= wanted) return;
    if (ended) exit(0);
    nanosleep(&pause, NULL);
  }
}

// Calls `leave` at each number of bytes in `list` (ascending, separated by commas), in a separate
// process. It ends after the last one, with the job, or outside QEMU. The caller
// continues at once.
static void leave_at_windows(const char* device, const char* list, void (*leave)(void)) {
  const uint64_t before = bytes_moved(device);
  FILE* watched = fopen(WATCHED, "we");
  if (!watched) {
    perror(WATCHED);
    exit(1);
  }
  fclose(watched);
  if (fork()) return;
  atexit(end_watch);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    await_bytes(device, before + strtoull(at, NULL, 10));
    leave();
    if (!in_qemu()) break;
  }
  exit(0);
}

#endif
