// SPDX-License-Identifier: BSD-3-Clause
// Pages that a host wrote before time passed: their order, their text, and their effect on flash
// and buffer.
#include "embed/written_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/random.h"
#include "embed/memory_gate.h"
#include "tests/cc/names.h"
#include "tests/cc/statistic.h"

namespace hmsim {

namespace {

using Pages = std::vector<std::int64_t>;
constexpr std::int64_t kPage = 4096;

TEST(WrittenPages, AreInTheOrderOfTheirLastWrites) {
  WrittenPages written;
  std::list<std::int64_t> expected;  // reference result
  Random random(3);
  for (int write = 0; write < 10'000; ++write) {
    const auto page = static_cast<std::int64_t>(random.below(300));
    written.note(page);
    expected.remove(page);
    expected.push_back(page);
  }
  EXPECT_EQ(written.oldest_first(), Pages(expected.begin(), expected.end()));
  EXPECT_EQ(written_pages(written.text(), 300), written.oldest_first());
}

TEST(WrittenPages, ATextHasARunInALine) {
  WrittenPages written;
  for (const std::int64_t page : {7, 8, 9, 9, 3, 4, 1, 8}) {
    written.note(page);
  }
  EXPECT_EQ(written.text(), "7 1\n9 1\n3 2\n1 1\n8 1\n");
  EXPECT_EQ(WrittenPages().text(), "");
  EXPECT_EQ(written_pages("", 10), Pages());
}

std::string refusal(const std::string& text, std::int64_t end) {
  return testing::error_from([&] { written_pages(text, end); });
}

TEST(WrittenPages, ADamagedTextNamesItsLine) {
  EXPECT_TRUE(testing::names(refusal("0 4\n3 2\n", 5), {"line 2: ", "pages", "5"}));
  for (const char* line :
       {"x 1", "1", "1 0", "-1 1", "1 2 3", "9 2", "10 1", "1 99999999999999999999", "0x1 1", ""}) {
    EXPECT_TRUE(testing::names(refusal("0 1\n" + std::string(line) + "\n", 10),
                               {"line 2: ", "'FIRST COUNT'", "10"}))
        << line;
  }
  EXPECT_NE(refusal("0 9000000000000000000\n", 10), "none");
}

// Gate with a host that never waits for room or for a request's end.
struct Quiet final : GateHost {
  explicit Quiet(const std::string& buffer) : gate(*this, parameters(buffer), 7, true) {}
  static Assignments parameters(const std::string& buffer) {
    return {{"nvdimm.capacity", "256MiB"},         {"nvdimm.ftl.over_provisioning", "28"},
            {"nvdimm.buffer.read_size", "256KiB"}, {"nvdimm.buffer.write_size", "256KiB"},
            {"nvdimm.precondition.fill", "0"},     {"nvdimm.unmapped_read", "zero"},
            {"nvdimm.precondition.buffer", buffer}};
  }
  void on_done(std::uint64_t /*id*/) override {}
  void on_room(MemoryClass /*port*/) override {}

  // Reads a line of a page. Returns the number of flash pages read for it.
  double flash_reads(std::int64_t page) {
    const double before = statistic("nvdimm.nand.reads");
    GatePacket packet;
    packet.memory = MemoryClass::nvdimm;
    packet.address = Address(page * kPage);
    EXPECT_TRUE(gate.offer(packet, now));
    while (!gate.idle()) {
      now = gate.next_event();
      gate.advance(now);
    }
    return statistic("nvdimm.nand.reads") - before;
  }
  double statistic(const std::string& path) {
    return static_cast<double>(testing::statistic_of(gate.statistics(now), path).count);
  }

  MemoryGate gate;
  Tick now{0};
};

TEST(WrittenPages, AreOnFlashWhenTimeBegins) {
  Quiet host("none");
  host.gate.write_before({5, 6, 5});
  host.gate.resume(host.now);
  EXPECT_EQ(host.flash_reads(5), 1);
  EXPECT_EQ(host.flash_reads(6), 1);
  EXPECT_EQ(host.flash_reads(7), 0) << "was never written";
  EXPECT_THROW(host.gate.write_before({1}), Fault) << "time has passed";
}

TEST(WrittenPages, TheNewestAreInTheWriteBuffer) {
  Quiet host("captured");
  Pages all;
  for (std::int64_t page = 0; page < 200; ++page) {  // the buffer has 64
    all.push_back(page);
  }
  std::reverse(all.begin(), all.end());
  host.gate.write_before(all);
  host.gate.resume(host.now);
  EXPECT_EQ(host.flash_reads(0), 0);
  EXPECT_EQ(host.flash_reads(20), 0);
  EXPECT_EQ(host.flash_reads(150), 1);
}

TEST(WrittenPages, ABufferOfThemNeedsAtLeastOnePage) {
  Quiet host("captured");
  EXPECT_THROW(host.gate.write_before({}), InputError);
}

}  // namespace

}  // namespace hmsim
