// SPDX-License-Identifier: BSD-3-Clause
//
// Random numbers for generated data, the same in every run, and the generators' common arguments.
#ifndef HMSIM_GUEST_RANDOM_H
#define HMSIM_GUEST_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Knuth's MMIX generator, upper bits.
static inline uint32_t next(uint32_t below) {
  static uint64_t state = 1;
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (uint32_t)((state >> 33) % below);
}

// Numbers from 0, number k with a frequency of 1/(k+1) relative to 0 (Zipf's law).
struct zipf {
  uint32_t count;
  uint32_t up_to[1 << 14];  // cumulative weights
};

static inline void zipf_prepare(struct zipf* zipf, uint32_t count) {
  zipf->count = count;
  for (uint32_t i = 0; i < count; i++)
    zipf->up_to[i] = (i ? zipf->up_to[i - 1] : 0) + 1000000 / (i + 1);
}

static inline uint32_t zipf_next(const struct zipf* zipf) {
  uint32_t ticket = next(zipf->up_to[zipf->count - 1]), low = 0, high = zipf->count - 1;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (zipf->up_to[middle] > ticket)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// Makes a word of 3 to 12 letters.
enum { LONGEST = 12 };
static inline void random_word(char word[LONGEST + 1]) {
  uint32_t length = 3 + next(LONGEST - 2);
  for (uint32_t k = 0; k < length; k++) word[k] = (char)('a' + next(26));
  word[length] = 0;
}

// Parses "PROGRAM FILE MIB": opens the file and returns the number of bytes to write, or ends the
// program.
static inline long generator_arguments(int argc, char** argv, FILE** file) {
  long bytes = argc == 3 ? atol(argv[2]) << 20 : 0;
  *file = bytes > 0 ? fopen(argv[1], "we") : NULL;
  if (*file) return bytes;
  fprintf(stderr, "usage: %s FILE MIB\n", argv[0]);
  exit(2);
}

#endif
