// SPDX-License-Identifier: BSD-3-Clause
//
// Leaving at windows of a job: whenever so many bytes went to or from the NVDIMM's block device
// since the region's begin. A process of its own looks every millisecond.
#ifndef HMSIM_WINDOWS_H
#define HMSIM_WINDOWS_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Bytes that a block device, such as /dev/pmem0, has read and written.
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

// `list`: bytes, ascending, separated by commas. Calls `leave` at each of them, in a process that
// ends behind the last; the caller goes on at once.
static void leave_at_windows(const char* device, const char* list, void (*leave)(void)) {
  if (fork()) return;
  const uint64_t before = bytes_moved(device);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const uint64_t wanted = before + strtoull(at, NULL, 10);
    const struct timespec pause = {0, 1000000};
    while (bytes_moved(device) < wanted) nanosleep(&pause, NULL);
    leave();
  }
  exit(0);
}

#endif
