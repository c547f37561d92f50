// SPDX-License-Identifier: BSD-3-Clause
// Is a state taken that was saved while pages of several planes come in one by one?
#include "tests/cc/nvdimm/attempts.h"

namespace hmsim {
namespace {

// Frames are free with the data-in, so that it counts which pages are in.
TEST(PlanesSaved, EachStateIsTakenWhilePlanesFill) {
  NvdimmParameters parameters = of_four_luns(kPageBytes, 4);
  parameters.nand.multi_plane = true;
  parameters.buffer.write_size = 32 * kPageBytes;
  parameters.buffer.release = FrameRelease::datain;
  Busy busy(parameters);
  for (int i = 0; i < 3'000; ++i) {
    busy.step();
    if (i > 1'000) {
      ASSERT_EQ(told_of(parameters, busy.rig().saved()), "") << i;
    }
  }
  EXPECT_GT(busy.rig().statistics().page_programs, 100u);
}

}  // namespace
}  // namespace hmsim
