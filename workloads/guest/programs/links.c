// SPDX-License-Identifier: BSD-3-Clause
//
// links FILE MIB: writes links between pages, a line for each: "<from> <to>". A page has eight
// links on average; the k-th of eight parts of all targets is half as likely as the one before.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES_OF_A_LINK = 12, LINKS_OF_A_PAGE = 8 };

static uint64_t state = 1;

static uint64_t next(uint64_t below) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (state >> 33) % below;
}

int main(int argc, char** argv) {
  FILE* file = argc == 3 ? fopen(argv[1], "we") : NULL;
  long bytes = argc == 3 ? atol(argv[2]) << 20 : 0;
  if (!file || bytes <= 0) {
    fputs("usage: links FILE MIB\n", stderr);
    return 2;
  }
  uint64_t pages = (uint64_t)bytes / BYTES_OF_A_LINK / LINKS_OF_A_PAGE;
  for (long done = 0; done < bytes;) {
    uint64_t part = 0;
    while (part < 7 && next(2)) part++;
    uint64_t target = part * pages / 8 + next(pages / 8);
    done +=
        fprintf(file, "%llu %llu\n", (unsigned long long)next(pages), (unsigned long long)target);
  }
  return fclose(file) ? 1 : 0;
}
