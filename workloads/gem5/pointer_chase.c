// SPDX-License-Identifier: BSD-3-Clause
//
// pointer_chase MIB CHAINS STEPS: follows CHAINS chains of pointers through MIB of DRAM (a power of
// two), a line at a time, in an order that no prefetcher guesses; the lines of the first chain it
// writes, too. STEPS of 0: for ever. Of the class of 429.mcf, at any rate.
#include "gem5.h"

enum { LINE = 64, WORDS = LINE / 8, MOST_CHAINS = 16 };

int main(int argc, char** argv) {
  uint64_t bytes = argc == 4 ? strtoull(argv[1], NULL, 10) << 20 : 0;
  uint64_t chains = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
  if (bytes == 0 || (bytes & (bytes - 1)) || chains == 0 || chains > MOST_CHAINS) {
    fputs("usage: pointer_chase MIB CHAINS STEPS; MIB: a power of two, CHAINS: 1-16\n", stderr);
    return 2;
  }
  const uint64_t steps = strtoull(argv[3], NULL, 10);
  const uint64_t lines = bytes / LINE;
  uint64_t* memory = aligned_alloc(LINE, bytes);
  if (!memory) return 1;
  // A congruential generator of full period modulo a power of two: one cycle through all lines.
  for (uint64_t i = 0; i < lines; i++)
    memory[i * WORDS] = (i * 6364136223846793005U + 1442695040888963407U) & (lines - 1);
  uint64_t at[MOST_CHAINS];
  for (uint64_t c = 0; c < chains; c++) at[c] = c * (lines / chains);
  gem5_begin();
  for (uint64_t step = 0; steps == 0 || step < steps; step++) {
    for (uint64_t c = 0; c < chains; c++) {
      uint64_t* line = memory + at[c] * WORDS;
      at[c] = line[0];
      if (c == 0) line[1] = step;
    }
  }
  uint64_t sum = 0;
  for (uint64_t c = 0; c < chains; c++) sum += at[c];
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
