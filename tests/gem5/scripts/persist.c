// SPDX-License-Identifier: BSD-3-Clause
//
// Stores to lines of the NVDIMM that are in the cache, each made durable, or not; or whole lines by
// non-temporal stores, which are in no cache. Then every line is read again. Prints the cycles of
// the stores.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile char* const nvdimm = (volatile char*)(1ULL << 40);

static uint64_t now(void) {
  uint32_t low, high;
  __asm__ volatile("mfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
  return (uint64_t)high << 32 | low;
}

static void store_line_past_caches(volatile char* line, char value) {
  for (int i = 0; i < 64; i += 8) {
    const uint64_t word = 0x0101010101010101ULL * (unsigned char)value;
    __asm__ volatile("movnti %1, %0" : "=m"(*(volatile uint64_t*)(line + i)) : "r"(word));
  }
}

static void write_back(const char* how, volatile char* line) {
  if (strcmp(how, "clwb") == 0) {
    __asm__ volatile("clwb %0" : "+m"(*line));
  } else if (strcmp(how, "clflushopt") == 0) {
    __asm__ volatile("clflushopt %0" : "+m"(*line));
  } else if (strcmp(how, "clflush") == 0) {
    __asm__ volatile("clflush %0" : "+m"(*line));
  }
}

int main(int argc, char** argv) {
  const char* how = argv[1];
  const long lines = atol(argv[2]);
  const int past_caches = strcmp(how, "non-temporal") == 0;
  (void)argc;
  for (long i = 0; i < lines && !past_caches; ++i) {
    (void)nvdimm[64 * i];
  }
  const uint64_t start = now();
  for (long i = 0; i < lines; ++i) {
    if (past_caches) {
      store_line_past_caches(nvdimm + 64 * i, (char)i);
    } else {
      nvdimm[64 * i] = (char)i;
      write_back(how, nvdimm + 64 * i);
    }
    __asm__ volatile("sfence" ::: "memory");
  }
  const uint64_t end = now();
  for (long i = 0; i < lines; ++i) {
    if (nvdimm[64 * i] != (char)i) {
      return 1;
    }
  }
  printf("RESULT {\"cycles\": %lu}\n", (unsigned long)(end - start));
  return 0;
}
