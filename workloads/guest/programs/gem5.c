// SPDX-License-Identifier: BSD-3-Clause
//
// gem5 WHAT: asks the simulator gem5 for something, by the instruction that it adds to x86: 0F 04
// and a number of 16 bits, arguments as for a system call (gem5, include/gem5/asm/generic/m5ops.h).
// WHAT: begin, end (a region of interest); checkpoint; read (the script of the host, to standard
// output); exit [STATUS] (of the simulation).
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GEM5_CALL(name, number)                                           \
  static uint64_t name(uint64_t first, uint64_t second, uint64_t third) { \
    uint64_t result = 0;                                                  \
    __asm__ volatile(".byte 0x0F, 0x04\n.short " #number                  \
                     : "+a"(result)                                       \
                     : "D"(first), "S"(second), "d"(third)                \
                     : "memory");                                         \
    return result;                                                        \
  }

GEM5_CALL(gem5_exit, 0x21)        // delay in ns
GEM5_CALL(gem5_fail, 0x22)        // delay in ns, status
GEM5_CALL(gem5_checkpoint, 0x43)  // delay, period
GEM5_CALL(gem5_read, 0x50)        // place, size, offset in the file; returns bytes
GEM5_CALL(gem5_begin, 0x5A)       // work, thread
GEM5_CALL(gem5_end, 0x5B)

static char buffer[4096];

static int copy_script(void) {
  memset(buffer, 1, sizeof buffer);  // gem5 does not bring pages in
  uint64_t at = 0, bytes = 0;
  while ((bytes = gem5_read((uintptr_t)buffer, sizeof buffer, at)) > 0) {
    if (fwrite(buffer, 1, bytes, stdout) != bytes) return 1;
    at += bytes;
  }
  return fflush(stdout) ? 1 : 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  unsigned long status = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  if (!strcmp(what, "begin")) {
    gem5_begin(0, 0, 0);
  } else if (!strcmp(what, "end")) {
    gem5_end(0, 0, 0);
  } else if (!strcmp(what, "checkpoint")) {
    gem5_checkpoint(0, 0, 0);
  } else if (!strcmp(what, "read")) {
    return copy_script();
  } else if (!strcmp(what, "exit")) {
    if (status)
      gem5_fail(0, status, 0);
    else
      gem5_exit(0, 0, 0);
  } else {
    fputs("usage: gem5 begin|end|checkpoint|read|exit [STATUS]\n", stderr);
    return 2;
  }
  return 0;
}
