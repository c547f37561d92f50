// SPDX-License-Identifier: BSD-3-Clause
//
// Stores to lines of the NVDIMM, each made durable, or not; then every line is read again.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile char* const nvdimm = (volatile char*)(1ULL << 40);

int main(int argc, char** argv) {
  const char* how = argv[1];
  const long lines = atol(argv[2]);
  (void)argc;
  for (long i = 0; i < lines; ++i) {
    volatile char* line = nvdimm + 64 * i;
    *line = (char)i;
    if (strcmp(how, "clwb") == 0) {
      __asm__ volatile("clwb %0" : "+m"(*line));
    } else if (strcmp(how, "clflushopt") == 0) {
      __asm__ volatile("clflushopt %0" : "+m"(*line));
    }
    __asm__ volatile("sfence" ::: "memory");
  }
  for (long i = 0; i < lines; ++i) {
    if (nvdimm[64 * i] != (char)i) {
      return 1;
    }
  }
  return 0;
}
