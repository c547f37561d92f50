// SPDX-License-Identifier: BSD-3-Clause
//
// samples FILE MIB: writes samples, one line of 20 numbers each, around one of five centres, as
// HiBench does for k-means. Their offsets from the centre are sums of twelve uniform numbers.
#include "random.h"

enum { CENTRES = 5, DIMENSIONS = 20, SIDE = 1000000, SPREAD = 20000 };

int main(int argc, char** argv) {
  FILE* file;
  long bytes = generator_arguments(argc, argv, &file);
  int centres[CENTRES][DIMENSIONS];
  for (int i = 0; i < CENTRES; i++)
    for (int k = 0; k < DIMENSIONS; k++) centres[i][k] = (int)next(SIDE);
  for (long done = 0; done < bytes;) {
    const int* centre = centres[next(CENTRES)];
    for (int k = 0; k < DIMENSIONS; k++) {
      int away = -6 * SPREAD;
      for (int i = 0; i < 12; i++) away += (int)next(SPREAD);
      double value = (centre[k] + away) / 1000.0;
      done += fprintf(file, "%.3f%c", value, k + 1 < DIMENSIONS ? ' ' : '\n');
    }
  }
  return fclose(file) ? 1 : 0;
}
