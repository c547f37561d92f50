// SPDX-License-Identifier: BSD-3-Clause
// Does a generated pattern have the requested characteristics, as the monitors measure them?
#include <gtest/gtest.h>

#include "agents/stream/agent_pattern.h"
#include "policies/monitors/performance_table.h"

namespace hmsim {
namespace {

constexpr std::int64_t kRequests = 1 << 15;

// The paper's DRAM: 8 banks of rows of 128 lines.
RequestView dram_view(const StreamRequest& request) {
  RequestView view{};
  view.source = request.context;
  view.line = static_cast<std::int64_t>(request.address / 64);
  view.bank = static_cast<int>(view.line / 128 % 8);
  view.row = view.line / 1024;
  return view;
}

TEST(DramWalk, LandsInEachCell) {
  const std::array<std::uint64_t, 4> strides{1, 8, 72, 2112};
  const std::array<double, 2> reuses{0.25, 0.75};
  for (std::size_t s = 0; s < strides.size(); ++s) {
    for (std::size_t r = 0; r < reuses.size(); ++r) {
      DramWalk walk(1 << 25, strides[s], reuses[r], Random(3));
      DramPattern pattern({kRequests, kNever});
      for (std::int64_t i = 0; i < 3 * kRequests; ++i) {
        pattern.add(dram_view(walk.next()), Tick(0));
      }
      EXPECT_EQ(PerformanceTable::cell(pattern), (s * 2 + r) * 6);
      const double reuse = static_cast<double>(pattern.reuse()) / static_cast<double>(kWhole);
      EXPECT_NEAR(reuse, reuses[r], 0.1) << strides[s];
      const double stride = static_cast<double>(pattern.stride()) / static_cast<double>(kWhole);
      EXPECT_NEAR(stride, static_cast<double>(strides[s]), 1) << reuses[r];
    }
  }
}

TEST(PageWalk, LandsInEachCell) {
  for (std::size_t w = 0; w < 6; ++w) {
    for (std::size_t a = 0; a < 4; ++a) {
      for (std::size_t b = 0; b < 4; ++b) {
        const auto centre = [](std::size_t bin, double bins) {
          return (static_cast<double>(bin) + 0.5) / bins;
        };
        PageWalk walk(1 << 23, centre(w, 6), centre(a, 4), centre(b, 4), Random(3));
        NvdimmPattern pattern({kRequests, kNever});
        for (std::int64_t i = 0; i < 2 * kRequests; ++i) {
          const StreamRequest request = walk.next();
          RequestView view{};
          view.row = static_cast<std::int64_t>(request.address / 4096);
          view.write = request.write;
          pattern.add(view, Tick(0));
        }
        EXPECT_EQ(PerformanceTable::cell(pattern), ((w * 4 + a) * 4 + b) * 6);
      }
    }
  }
}

}  // namespace
}  // namespace hmsim
