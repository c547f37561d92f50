// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions that do nothing to a program and something to the capture plug-in
// (workloads/capture/opcodes.h).
#ifndef HMSIM_REGION_H
#define HMSIM_REGION_H

// The region of interest begins, ends, begins ...
static inline void region_marker(void) { __asm__ volatile("xchg %%bx,%%bx" ::: "memory"); }

// The self-test begins, ends.
static inline void self_test_marker(void) { __asm__ volatile("xchg %%cx,%%cx" ::: "memory"); }

// Loads a byte, and shows the plug-in where it lies: mov (%rsi),%al with three idle prefixes.
static inline void probe(const volatile void* place) {
  __asm__ volatile(".byte 0x3E, 0x3E, 0x3E, 0x8A, 0x06" ::"S"(place) : "rax", "memory");
}

#endif
