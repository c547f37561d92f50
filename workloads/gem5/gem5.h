// SPDX-License-Identifier: BSD-3-Clause
//
// Interface of programs under gem5's system call emulation: signals to gem5, and the location of
// their NVDIMM (configs/gem5/se_mix.py).
#ifndef HMSIM_GEM5_H
#define HMSIM_GEM5_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Signals the start of the measured part: gem5's instruction 0F 04 with the number of
// m5_work_begin.
static inline void gem5_begin(void) {
  __asm__ volatile(".byte 0x0F, 0x04\n.short 0x5A" ::"D"(0L), "S"(0L) : "rax", "memory");
}

// Returns a number from the environment, which must be set.
static inline uint64_t gem5_number(const char* name) {
  const char* text = getenv(name);
  if (!text) {
    fprintf(stderr, "%s is not set: this program runs under configs/gem5/se_mix.py\n", name);
    exit(2);
  }
  return strtoull(text, NULL, 0);
}

static inline char* gem5_nvdimm(void) { return (char*)(uintptr_t)gem5_number("HMSIM_NVDIMM"); }
static inline uint64_t gem5_nvdimm_bytes(void) { return gem5_number("HMSIM_NVDIMM_BYTES"); }

#endif
