// SPDX-License-Identifier: BSD-3-Clause
// Does a host that erases blocks while banks are idle spare users' writes the time of erases?
#include <vector>

#include "tests/cc/controller/hbf_system.h"

namespace hmsim::testing {
namespace {

// 4 banks. A burst fills 12 of a block's 16 pages in each; pages are overwritten in order, so that
// collections copy nothing.
struct Bursts {
  Tick longest{0};
  std::int64_t slow = 0;  // writes that took as long as an erase
  double erases = 0;
  double padding = 0;
};

Bursts bursts(const char* early, Tick gap) {
  HbfSystem system(with(
      kHbf, with(kHostFtl, {{"hbf.early_erase", early}, {"nvdimm.ftl.over_provisioning", "100"}})));
  constexpr std::int64_t kErase = 2'000'000'000;
  Bursts result;
  std::int64_t next = 0;
  std::vector<Tick> sent;
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 48; ++i) {
      sent.push_back(system.kernel.now());
      system.write_page(next++ % 480);
    }
    system.kernel.run_until(system.kernel.now() + gap);
  }
  system.drain();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const Tick time = system.done[i] - sent[i];
    result.longest = later(result.longest, time);
    result.slow += time.value() >= kErase ? 1 : 0;
  }
  EXPECT_EQ(system.value("nvdimm.ftl.gc_pages"), 0);
  result.erases = system.value("nvdimm.nand.erases");
  result.padding = system.value("nvdimm.ftl.padded_pages");
  return result;
}

// An idle gap holds the erase and the program of the padding: 12 programs are then the longest
// wait. Without it, each erase delays a user's write.
TEST(HbfEarlyErase, SparesWritesAllErasesIfGapsAreLong) {
  const Tick gap(3'500'000'000);
  const Bursts late = bursts("false", gap);
  EXPECT_GE(late.slow, late.erases);
  EXPECT_GT(late.erases, 100);
  EXPECT_EQ(late.padding, 0);
  const Bursts early = bursts("true", gap);
  EXPECT_EQ(early.slow, 0);
  EXPECT_GT(early.erases, 100);
  EXPECT_GE(early.padding, early.erases);
  // 12 programs, after the link, the coding and the bus of the first page.
  EXPECT_LE(early.longest, Tick(12 * 75'000'000 + 1'000'000));
}

// Gaps shorter than an erase: some writes wait for the rest of it.
TEST(HbfEarlyErase, NeedsGapsOfAnErase) { EXPECT_GT(bursts("true", Tick(1'200'000'000)).slow, 0); }

}  // namespace
}  // namespace hmsim::testing
