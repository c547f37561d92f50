// SPDX-License-Identifier: BSD-3-Clause
//
// Requests from a program in the guest to the simulator gem5. A load from address 0xFFFF0000 + 256
// x function is a request, with arguments in registers as for a system call; the loaded value is
// the answer (gem5, include/gem5/asm/generic/m5ops.h and src/arch/x86/pseudo_inst_abi.hh). gem5's
// special instruction, 0F 04, is invalid on a processor under KVM; the load also works there.
#ifndef HMSIM_GEM5_H
#define HMSIM_GEM5_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum gem5_function {
  GEM5_EXIT = 0x21,        // delay in ns
  GEM5_FAIL = 0x22,        // delay in ns, status
  GEM5_CHECKPOINT = 0x43,  // delay, period
  GEM5_READ = 0x50,        // place, size, offset in the file; returns bytes
  GEM5_BEGIN = 0x5A,       // work, thread
  GEM5_END = 0x5B,
};

static inline uint64_t gem5_call(enum gem5_function what, uint64_t first, uint64_t second,
                                 uint64_t third) {
  static const char* calls;
  if (!calls) {
    int memory = open("/dev/mem", O_RDWR | O_SYNC | O_CLOEXEC);
    void* found = mmap(NULL, 1 << 16, PROT_READ, MAP_SHARED, memory, 0xFFFF0000);
    if (memory < 0 || found == MAP_FAILED) {
      perror("/dev/mem");
      exit(1);
    }
    close(memory);
    calls = found;
  }
  uint64_t result = 0;
  __asm__ volatile("movq (%1), %%rax"
                   : "=&a"(result)
                   : "r"(calls + ((unsigned)what << 8)), "D"(first), "S"(second), "d"(third)
                   : "memory");
  return result;
}

#endif
