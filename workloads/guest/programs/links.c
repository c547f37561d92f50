// SPDX-License-Identifier: BSD-3-Clause
//
// links FILE MIB: writes links between pages, one line each: "<from> <to>". A page has eight links
// on average. The targets are divided into eight parts, each half as likely as the one before.
#include "random.h"

enum { BYTES_OF_A_LINK = 12, LINKS_OF_A_PAGE = 8 };

int main(int argc, char** argv) {
  FILE* file;
  long bytes = generator_arguments(argc, argv, &file);
  uint32_t pages = (uint32_t)(bytes / BYTES_OF_A_LINK / LINKS_OF_A_PAGE);
  for (long done = 0; done < bytes;) {
    uint32_t part = 0;
    while (part < 7 && next(2)) part++;
    uint32_t target = part * (pages / 8) + next(pages / 8);
    done += fprintf(file, "%u %u\n", next(pages), target);
  }
  return fclose(file) ? 1 : 0;
}
