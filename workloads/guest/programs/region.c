// SPDX-License-Identifier: BSD-3-Clause
//
// Marks a job's region of interest from inside the guest. "region ready" runs just before the
// region. It writes everything back and drops all cached pages, inodes and names. If
// $hmsim_snapshot is set, it pauses the machine so that its state can be saved. It shows the
// capture plug-in the places of DRAM and the NVDIMM, and reads 32 MiB of the NVDIMM ($hmsim_device)
// directly, so that the plug-in can test its counts. If $hmsim_causes is set, it has the guest
// driver report all threads to the plug-in. "region begin" does the same and then begins the
// region. "region end" writes everything back and ends the region.
#define _GNU_SOURCE
#include "region.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include "gem5.h"
#include "leave.h"
#include "windows.h"

enum { PANIC_PORT = 0x505, PANICKED = 1 };  // of QEMU's pvpanic device, which pauses the machine
enum { PAGE = 4096, BLOCK = 1 << 20, BLOCKS = 32, DRAM_PROBE = 1 << 20 };

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static void forget_files(void) {
  sync();
  int control = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
  if (control < 0 || write(control, "3", 1) != 1) fail("drop_caches");
  close(control);
}

static void pause_machine(void) {
  int ports = open("/dev/port", O_WRONLY | O_CLOEXEC);
  const char word = PANICKED;
  puts("hmsim-guest: snapshot");
  fflush(stdout);
  tcdrain(STDOUT_FILENO);  // a paused machine transmits nothing
  if (ports < 0 || pwrite(ports, &word, 1, PANIC_PORT) != 1) fail("/dev/port");
  close(ports);
}

// Finds the physical addresses of the NVDIMM's first and last byte.
static void find_nvdimm(uint64_t* first, uint64_t* last) {
  FILE* map = fopen("/proc/iomem", "re");
  if (!map) fail("/proc/iomem");
  char line[256];
  while (fgets(line, sizeof line, map)) {
    unsigned long long from, to;
    if (strstr(line, "Persistent Memory") && sscanf(line, " %llx-%llx", &from, &to) == 2) {
      *first = from;
      *last = to;
      fclose(map);
      return;
    }
  }
  fputs("/proc/iomem: no persistent memory\n", stderr);
  exit(1);
}

static void probe_physical(int memory, uint64_t address) {
  uint64_t inside = address % PAGE;
  const char* page = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, memory, (off_t)(address - inside));
  if (page == MAP_FAILED) fail("/dev/mem");
  probe(page + inside);
  munmap((void*)page, PAGE);
}

static void calibrate(void) {
  uint64_t first = 0, last = 0;
  find_nvdimm(&first, &last);
  int memory = open("/dev/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0) fail("/dev/mem");
  probe_physical(memory, DRAM_PROBE);
  probe_physical(memory, first);
  probe_physical(memory, last);
  close(memory);

  const char* name = getenv("hmsim_device");
  int device = name ? open(name, O_RDONLY | O_DIRECT | O_CLOEXEC) : -1;
  void* buffer = NULL;
  if (device < 0 || posix_memalign(&buffer, PAGE, BLOCK)) fail("$hmsim_device");
  memset(buffer, 1, BLOCK);
  self_test_marker();
  for (int i = 0; i < BLOCKS; i++)
    if (pread(device, buffer, BLOCK, (off_t)i * BLOCK) != BLOCK) fail(name);
  self_test_marker();
  close(device);
}

// Needed if the plug-in started from a saved state and knows no thread yet.
static void announce_threads(void) {
  const char* name = "/sys/module/hmsim_causes/parameters/announce";
  int control = open(name, O_WRONLY | O_CLOEXEC);
  if (control < 0 || write(control, "1", 1) != 1) fail(name);
  close(control);
}

static int in_gem5(void) { return getenv("hmsim_gem5") || getenv("hmsim_leave"); }

static void let_partners_go_on(void) {
  FILE* partners = fopen("/tmp/partners", "re");
  int process;
  while (partners && fscanf(partners, "%d", &process) == 1) kill(process, SIGCONT);
  if (partners) fclose(partners);
}

// Reports the order in which pages of the NVDIMM were last written, for the host to keep.
static void tell_written(void) {
  FILE* runs = fopen("/proc/hmsim_written", "re");
  unsigned int first, count;
  if (!runs) fail("/proc/hmsim_written");
  while (fscanf(runs, "%u %u", &first, &count) == 2)
    printf("hmsim-guest: written %u %u\n", first, count);
  fclose(runs);
}

static void go_on_in_gem5(void) {
  const char* places = getenv("hmsim_leave");
  if (places) {
    tell_written();
    leave_machine(places);
  }
  gem5_call(GEM5_CHECKPOINT, 0, 0, 0);
  gem5_call(GEM5_BEGIN, 0, 0, 0);
}

static void begin_in_gem5(void) {
  const char* windows = getenv("hmsim_windows");
  let_partners_go_on();
  if (windows)
    leave_at_windows(getenv("hmsim_device"), windows, go_on_in_gem5);
  else
    go_on_in_gem5();
}

static void make_ready(void) {
  forget_files();
  if (in_gem5()) {
    begin_in_gem5();
    return;
  }
  if (getenv("hmsim_snapshot")) pause_machine();
  calibrate();
  if (getenv("hmsim_causes")) announce_threads();
}

int main(int argc, char** argv) {
  const char* what = argc == 2 ? argv[1] : "";
  if (!strcmp(what, "ready")) {
    make_ready();
  } else if (!strcmp(what, "begin")) {
    make_ready();
    if (!in_gem5()) region_begin();
  } else if (!strcmp(what, "end")) {
    sync();
    if (in_gem5())
      gem5_call(GEM5_END, 0, 0, 0);
    else
      region_end();
  } else {
    fputs("usage: region ready|begin|end\n", stderr);
    return 2;
  }
  return 0;
}
