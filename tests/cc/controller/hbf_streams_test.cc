// SPDX-License-Identifier: BSD-3-Clause
// Does placement by stream spare collections their copies? Sequences write pages, end and discard
// all of them, as the keys and values of a language model do. One writes half as often as the
// others, and ten times as long.
#include <vector>

#include "core/random.h"
#include "tests/cc/controller/hbf_system.h"

namespace hmsim::testing {
namespace {

constexpr int kSequences = 4;
constexpr int kSteps = 3000;

struct Written {
  double amplification = 0;
  double collections = 0;
  double erases = 0;
};

// `wrong`: all pages have the same stream.
Written run(const char* streams, bool wrong, std::uint64_t seed) {
  HbfSystem system(with(kHbf, with(kHostFtl, {{"nvdimm.ftl.over_provisioning", "110"},
                                              {"hbf.pending_writes", "8"},
                                              {"nvdimm.nand.program_time", "20us"},
                                              {"nvdimm.nand.erase_time", "200us"},
                                              {"hbf.streams", streams}})));
  Random random(seed);
  std::vector<std::int64_t> free;
  for (std::int64_t page = 0; page < 480; ++page) {
    free.push_back(page);
  }
  struct Sequence {
    std::vector<std::int64_t> pages;
    std::size_t length = 0;
  };
  std::vector<Sequence> sequences(kSequences);
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t place = step % 2 == 0 ? 0 : 1; place < kSequences; ++place) {
      Sequence& own = sequences[place];
      if (own.pages.size() == own.length) {
        for (const std::int64_t page : own.pages) {
          system.memory.trim(Address(page * 4096), Bytes(4096), system.kernel.now());
          free.push_back(page);
        }
        own.pages.clear();
        own.length = place == 0 ? 250 + random.below(50) : 20 + random.below(30);
      }
      std::swap(free[random.below(free.size())], free.back());
      own.pages.push_back(free.back());
      free.pop_back();
      Request request;
      request.memory = MemoryClass::nvdimm;
      request.address = Address(own.pages.back() * 4096);
      request.write = true;
      request.lines = 64;
      request.stream = static_cast<std::uint16_t>(wrong ? 1 : place + 1);
      system.send(request);
    }
    system.drain();
  }
  const double host = system.value("nvdimm.ftl.host_pages");
  EXPECT_EQ(host, kSequences * kSteps - kSteps / 2);
  return {(host + system.value("nvdimm.ftl.gc_pages")) / host, system.value("nvdimm.gc.count"),
          system.value("nvdimm.nand.erases")};
}

TEST(HbfStreams, ASequenceInItsOwnBlocksIsCollectedWithoutCopies) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const Written apart = run("4", false, seed);
    EXPECT_EQ(apart.amplification, 1);
    EXPECT_GT(apart.collections, 500);
    EXPECT_GT(apart.erases, 500);
    const Written mixed = run("1", false, seed);
    EXPECT_GT(mixed.amplification, 1.05);
    // The streams separate the sequences, not their number.
    EXPECT_GT(run("4", true, seed).amplification, 1.05);
  }
}

}  // namespace
}  // namespace hmsim::testing
