// SPDX-License-Identifier: BSD-3-Clause
//
// Writes pages 0 to 199 of the NVDIMM, and then page 3 again.
static volatile char* const nvdimm = (volatile char*)(1ULL << 40);

int main(void) {
  for (long page = 0; page < 200; ++page) {
    nvdimm[4096 * page] = 1;
    nvdimm[4096 * page + 64] = 2;
  }
  nvdimm[4096 * 3] = 3;
  return 0;
}
