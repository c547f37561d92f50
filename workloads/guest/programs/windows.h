// SPDX-License-Identifier: BSD-3-Clause
//
// Leaving at windows of a job: whenever so many bytes went to or from the NVDIMM's block device
// since the region's begin. A process of its own looks every millisecond, and once more when the
// job has ended: the guest, which powers off then, waits for it. While that process is there, so is
// the file WATCHED; the file ENDED tells it that the job has ended. It ends where the machine goes
// on elsewhere than in QEMU: nobody there would take it up again.
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

#define WATCHED "/tmp/windows"  // ../init knows them, too
#define ENDED "/tmp/ended"

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

// Its emulated processors, qemu64 among them, are named after it.
static int in_qemu(void) {
  unsigned int name[12 + 1] = {0};
  for (unsigned int part = 0; part < 3; part++) {
    unsigned int* at = name + 4 * part;
    if (!__get_cpuid(0x80000002 + part, at, at + 1, at + 2, at + 3)) return 0;
  }
  return strstr((const char*)name, "QEMU") != NULL;
}

static void end_watch(void) { unlink(WATCHED); }

// Returns when the device has moved so many bytes; ends the process where the job ended before.
static void await_bytes(const char* device, uint64_t wanted) {
  const struct timespec pause = {0, 1000000};
  for (;;) {
    const int ended = !access(ENDED, F_OK);  // looked at first: nothing is moved behind it
    if (bytes_moved(device) >= wanted) return;
    if (ended) exit(0);
    nanosleep(&pause, NULL);
  }
}

// `list`: bytes, ascending, separated by commas. Calls `leave` at each of them, in a process that
// ends behind the last, with the job, or outside QEMU; the caller goes on at once.
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
