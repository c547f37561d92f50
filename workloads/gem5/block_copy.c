// SPDX-License-Identifier: BSD-3-Clause
//
// block_copy read|write|mixed MIB BLOCKS [FIRST]: copies BLOCKS 4 KiB blocks between DRAM and MIB
// of the NVDIMM that start after FIRST MiB. The order is sequential and repeats, or (mixed) random,
// with every other block a write. BLOCKS of 0: endless.
#include <emmintrin.h>
#include <string.h>

#include "gem5.h"

enum { BLOCK = 4096, BUFFERS = 256 };

static char dram[BUFFERS][BLOCK] __attribute__((aligned(BLOCK)));

// Copies by plain loads and stores. A string instruction, which memcpy would choose, keeps few
// misses outstanding.
static void copy(char* to, const char* from) {
  for (int i = 0; i < BLOCK / (int)sizeof(__m128i); i++)
    _mm_store_si128((__m128i*)to + i, _mm_load_si128((const __m128i*)from + i));
}

int main(int argc, char** argv) {
  const int known = argc == 4 || argc == 5;
  const uint64_t bytes = known ? strtoull(argv[2], NULL, 10) << 20 : 0;
  const uint64_t first = argc == 5 ? strtoull(argv[4], NULL, 10) << 20 : 0;
  if (bytes == 0 || first + bytes > gem5_nvdimm_bytes()) {
    fputs("usage: block_copy read|write|mixed MIB BLOCKS [FIRST]; both at most the NVDIMM's MiB\n",
          stderr);
    return 2;
  }
  const int mixed = !strcmp(argv[1], "mixed");
  const int write = !strcmp(argv[1], "write");
  const uint64_t blocks = bytes / BLOCK;
  const uint64_t count = strtoull(argv[3], NULL, 10);
  char* nvdimm = gem5_nvdimm() + first;
  memset(dram, 1, sizeof dram);
  gem5_begin();
  uint64_t random = 1;
  for (uint64_t i = 0; count == 0 || i < count; i++) {
    random = random * 6364136223846793005U + 1442695040888963407U;
    char* block = nvdimm + (mixed ? (random >> 33) % blocks : i % blocks) * BLOCK;
    if (write || (mixed && i % 2))
      copy(block, dram[i % BUFFERS]);
    else
      copy(dram[i % BUFFERS], block);
  }
  return 0;
}
