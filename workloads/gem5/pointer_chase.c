// SPDX-License-Identifier: BSD-3-Clause
//
// pointer_chase MIB CHAINS STEPS: follows CHAINS (1, 2, 4 or 8) chains of pointers through MIB of
// DRAM (a power of two), one line per step, in an order that no prefetcher predicts. It also writes
// the lines of the first chain. STEPS of 0: endless. Its access rate is in the class of 429.mcf.
#include "gem5.h"

enum { LINE = 64, WORDS = LINE / 8, MOST_CHAINS = 8 };

// With a constant number of chains, their positions stay in registers. In a table in memory, an
// out-of-order core would take the stores as dependences of the next chain.
static inline __attribute__((always_inline)) uint64_t chase(uint64_t* memory, uint64_t lines,
                                                            uint64_t steps, const int chains) {
  uint64_t at[MOST_CHAINS];
  for (int c = 0; c < chains; c++) at[c] = (uint64_t)c * (lines / (uint64_t)chains);
  for (uint64_t step = 0; steps == 0 || step < steps; step++) {
    uint64_t* first = memory + at[0] * WORDS;
#pragma GCC unroll 8
    for (int c = 0; c < chains; c++) at[c] = memory[at[c] * WORDS];
    first[1] = step;
  }
  uint64_t sum = 0;
  for (int c = 0; c < chains; c++) sum += at[c];
  return sum;
}

int main(int argc, char** argv) {
  uint64_t bytes = argc == 4 ? strtoull(argv[1], NULL, 10) << 20 : 0;
  int chains = argc == 4 ? atoi(argv[2]) : 0;
  if (bytes == 0 || (bytes & (bytes - 1)) || chains < 1 || chains > MOST_CHAINS ||
      (chains & (chains - 1))) {
    fputs("usage: pointer_chase MIB CHAINS STEPS; MIB, CHAINS: powers of two\n", stderr);
    return 2;
  }
  const uint64_t steps = strtoull(argv[3], NULL, 10);
  const uint64_t lines = bytes / LINE;
  uint64_t* memory = aligned_alloc(LINE, bytes);
  if (!memory) return 1;
  // A congruential generator of full period modulo a power of two: one cycle through all lines.
  for (uint64_t i = 0; i < lines; i++)
    memory[i * WORDS] = (i * 6364136223846793005U + 1442695040888963407U) & (lines - 1);
  gem5_begin();
  uint64_t sum = chains == 8   ? chase(memory, lines, steps, 8)
                 : chains == 4 ? chase(memory, lines, steps, 4)
                 : chains == 2 ? chase(memory, lines, steps, 2)
                               : chase(memory, lines, steps, 1);
  printf("%llu\n", (unsigned long long)sum);
  return 0;
}
