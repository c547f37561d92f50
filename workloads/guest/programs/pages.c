// SPDX-License-Identifier: BSD-3-Clause
//
// pages FILE MIB: writes pages, one line each: "<class> <number> <200 words>", as HiBench does for
// Bayes and Nutch. There are 100 classes and 8000 words. Every fourth word of a page is one of the
// 80 that its class prefers. The others are from all words, with the k-th most frequent 1/k as
// frequent as the first.
#include "random.h"

enum { WORDS = 8000, PAGES_CLASSES = 100, OF_A_CLASS = WORDS / PAGES_CLASSES, IN_A_PAGE = 200 };

int main(int argc, char** argv) {
  FILE* file;
  long bytes = generator_arguments(argc, argv, &file);
  static char words[WORDS][LONGEST + 1];
  static struct zipf of_all, of_class;
  for (int i = 0; i < WORDS; i++) random_word(words[i]);
  zipf_prepare(&of_all, WORDS);
  zipf_prepare(&of_class, OF_A_CLASS);
  long done = 0;
  for (uint32_t page = 0; done < bytes; page++) {
    uint32_t class = next(PAGES_CLASSES);
    done += fprintf(file, "%u %u", class, page);
    for (int k = 0; k < IN_A_PAGE; k++) {
      uint32_t word = k % 4 ? zipf_next(&of_all) : class * OF_A_CLASS + zipf_next(&of_class);
      done += fprintf(file, " %s", words[word]);
    }
    done += fprintf(file, "\n");
  }
  return fclose(file) ? 1 : 0;
}
