// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions without effect on a program that signal the capture plug-in
// (workloads/capture/opcodes.h).
#ifndef HMSIM_REGION_H
#define HMSIM_REGION_H

#include <stdio.h>
#include <time.h>

static inline void region_marker(void) { __asm__ volatile("xchg %%bx,%%bx" ::: "memory"); }

// Reports the guest's time to the host.
static inline void region_say(const char* what) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("hmsim-guest: %s %lld\n", what, now.tv_sec * 1000000LL + now.tv_nsec / 1000);
  fflush(stdout);
}

// Begin and end of the first region of interest.
static inline void region_begin(void) {
  region_say("begin");
  region_marker();
}

static inline void region_end(void) {
  region_marker();
  region_say("end");
}

// Marks the start or the end of the self-test.
static inline void self_test_marker(void) { __asm__ volatile("xchg %%cx,%%cx" ::: "memory"); }

// Loads a byte and reveals its location to the plug-in: mov (%rsi),%al with three redundant
// prefixes.
static inline void probe(const volatile void* place) {
  __asm__ volatile(".byte 0x3E, 0x3E, 0x3E, 0x8A, 0x06" ::"S"(place) : "rax", "memory");
}

#endif
