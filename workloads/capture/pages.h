// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers 4 KB pages by first appearance, so that line numbers fit 40 bits and traces are
// repeatable.
#ifndef HMSIM_PAGES_H
#define HMSIM_PAGES_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#include "recorder.h"

enum { PAGE_SHIFT = 12, PAGE_LINE_SHIFT = PAGE_SHIFT - LINE_SHIFT };

// Returns a page's number in order of first appearance. The table has two levels over the 35 bits
// of a page number. An entry is the new number + 1 and is read without a lock.
static uint64_t page_index(uint64_t page) {
  enum { LOW_BITS = 18, HIGH_BITS = 17 };
  static _Atomic(uint32_t)* _Atomic tables[1 << HIGH_BITS];
  _Atomic(_Atomic(uint32_t)*)* table = &tables[page >> LOW_BITS & ((1 << HIGH_BITS) - 1)];
  if (!*table) {
    shared_lock();
    if (!*table) {
      void* fresh = mmap(NULL, sizeof(uint32_t) << LOW_BITS, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (fresh == MAP_FAILED) fail("out of memory");
      *table = fresh;
    }
    shared_unlock();
  }
  _Atomic(uint32_t)* entry = &(*table)[page & ((1 << LOW_BITS) - 1)];
  uint32_t index = atomic_load_explicit(entry, memory_order_relaxed);
  if (!index) {
    shared_lock();
    index = *entry;
    if (!index) *entry = index = (uint32_t)++pages;
    shared_unlock();
  }
  return index - 1;
}

static uint64_t renumber(uint64_t address) {
  return page_index(address >> PAGE_SHIFT) << PAGE_LINE_SHIFT |
         (address >> LINE_SHIFT & ((1 << PAGE_LINE_SHIFT) - 1));
}

#endif
