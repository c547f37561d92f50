// SPDX-License-Identifier: BSD-3-Clause
//
// words FILE MIB: writes lines of ten random words, from 1000 different ones as in Hadoop's
// randomtextwriter, with the k-th most frequent 1/k as frequent as the first.
#include "random.h"

enum { WORDS = 1000, IN_A_LINE = 10 };

int main(int argc, char** argv) {
  FILE* file;
  long bytes = generator_arguments(argc, argv, &file);
  static char words[WORDS][LONGEST + 1];
  static struct zipf frequency;
  for (int i = 0; i < WORDS; i++) random_word(words[i]);
  zipf_prepare(&frequency, WORDS);
  for (long done = 0; done < bytes;)
    for (int k = 0; k < IN_A_LINE; k++)
      done += fprintf(file, "%s%c", words[zipf_next(&frequency)], k + 1 < IN_A_LINE ? ' ' : '\n');
  return fclose(file) ? 1 : 0;
}
