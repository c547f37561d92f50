// SPDX-License-Identifier: BSD-3-Clause
//
// words FILE MIB: writes lines of ten random words, of 1000 different ones as Hadoop's
// randomtextwriter, the k-th most frequent 1/k as frequent as the first.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1000, IN_A_LINE = 10, LETTERS = 26, LONGEST = 12 };

static uint64_t state = 1;

static uint32_t next(uint32_t below) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (uint32_t)((state >> 33) % below);
}

int main(int argc, char** argv) {
  FILE* file = argc == 3 ? fopen(argv[1], "we") : NULL;
  long bytes = argc == 3 ? atol(argv[2]) << 20 : 0;
  if (!file || bytes <= 0) {
    fputs("usage: words FILE MIB\n", stderr);
    return 2;
  }
  static char words[WORDS][LONGEST + 1];
  static uint32_t up_to[WORDS];  // cumulated weights
  for (int i = 0; i < WORDS; i++) {
    int length = 3 + (int)next(LONGEST - 2);
    for (int k = 0; k < length; k++) words[i][k] = (char)('a' + next(LETTERS));
    up_to[i] = (i ? up_to[i - 1] : 0) + 1000000 / (uint32_t)(i + 1);
  }
  for (long done = 0; done < bytes;) {
    for (int k = 0; k < IN_A_LINE; k++) {
      uint32_t ticket = next(up_to[WORDS - 1]);
      int low = 0, high = WORDS - 1;
      while (low < high) {
        int middle = (low + high) / 2;
        if (up_to[middle] > ticket)
          high = middle;
        else
          low = middle + 1;
      }
      done += fprintf(file, "%s%c", words[low], k + 1 < IN_A_LINE ? ' ' : '\n');
    }
  }
  return fclose(file) ? 1 : 0;
}
