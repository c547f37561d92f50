// SPDX-License-Identifier: BSD-3-Clause
// Does the controller's time for a page read delay reads, and limit their rate by its lanes?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/random.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kPageRead{50'000'000 + 300'000 + 20'480'000};  // tR, command, 4 KiB at 200 MB/s

NvdimmParameters with_firmware(Tick time, Tick occupied, std::int64_t lanes) {
  NvdimmParameters parameters = plain_nvdimm();  // 8 LUNs read 113,027 pages a second
  parameters.nand.firmware = {time, occupied, lanes};
  parameters.buffer.read_size = 2048 * kPageBytes;
  return parameters;
}

TEST(Firmware, AnIdleReadTakesTheFlashAndTheFirmware) {
  for (const Tick occupied : {Tick(0), 5 * kMicrosecond, 80 * kMicrosecond}) {
    Rig rig(with_firmware(80 * kMicrosecond, occupied, 1));
    EXPECT_EQ(rig.read(3), kLookup + kPageRead + 80 * kMicrosecond);
    EXPECT_EQ(rig.read(3, 1), kLookup) << "a hit reads no flash";
    EXPECT_EQ(rig.read(4), kLookup + kPageRead + 80 * kMicrosecond);
    const Tick written = rig.write(5);
    EXPECT_EQ(written, kLookup) << "writes go to the buffer";
  }
}

// Two reads that end together on the flash: the second waits for the first's lane.
TEST(Firmware, ReadsTakeLanesInOrder) {
  for (const std::int64_t lanes : {1, 2}) {
    Rig rig(with_firmware(80 * kMicrosecond, 30 * kMicrosecond, lanes));
    rig.run(2, 2, [](std::int64_t i, Address& address, bool& write) {
      address = line_address(i);  // on two flash channels
      write = false;
    });
    ASSERT_EQ(rig.acks.size(), 2U);
    const Tick first = kLookup + kPageRead + 80 * kMicrosecond;
    EXPECT_EQ(rig.acks[0].time, first);
    EXPECT_EQ(rig.acks[1].time, lanes == 1 ? first + 30 * kMicrosecond : first);
  }
}

struct Load {
  double reads_per_second;
  double latency_seconds;  // mean
};

// Reads random pages, `outstanding` at a time. Leaves out the first reads and the last ones.
Load load_of(const NvdimmParameters& parameters, std::size_t outstanding) {
  constexpr std::size_t kReads = 20'000;
  constexpr std::size_t kFirst = 4'000;
  Rig rig(parameters);
  Random random(3);
  const auto pages = static_cast<std::uint64_t>(Nvdimm::logical_capacity(parameters) / kPageBytes);
  std::vector<Tick> sent;
  rig.run(kReads, static_cast<std::int64_t>(outstanding),
          [&](std::int64_t, Address& address, bool& write) {
            address = line_address(static_cast<std::int64_t>(random.below(pages)));
            write = false;
            sent.push_back(rig.now());
          });
  // The read that the i-th ack ends is followed by read i + outstanding, under the same tag.
  std::vector<Tick> since(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(outstanding));
  const std::size_t end = kReads - outstanding;
  Tick waited{0};
  for (std::size_t i = 0; i < end; ++i) {
    const Ack& ack = rig.acks[i];
    waited += i < kFirst ? Tick(0) : ack.time - since[ack.tag];
    since[ack.tag] = sent[i + outstanding];
  }
  const auto count = static_cast<double>(end - kFirst);
  const double second = static_cast<double>(kSecond.value());
  const Tick taken = rig.acks[end - 1].time - rig.acks[kFirst - 1].time;
  return {count / static_cast<double>(taken.value()) * second,
          static_cast<double>(waited.value()) / count / second};
}

TEST(Firmware, SaturatedLanesLimitTheRate) {
  constexpr double kFlash = 8e6 / 70.78;  // reads a second of 8 LUNs
  for (const Tick time : {20 * kMicrosecond, 100 * kMicrosecond}) {
    for (const std::int64_t lanes : {1, 2, 4}) {
      constexpr std::size_t kOutstanding = 512;
      const Load load = load_of(with_firmware(time, 20 * kMicrosecond, lanes), kOutstanding);
      const double expected = std::min(kFlash, static_cast<double>(lanes) / 20e-6);
      EXPECT_NEAR(load.reads_per_second, expected, 0.01 * expected) << lanes;
      const double little = kOutstanding / expected;
      EXPECT_NEAR(load.latency_seconds, little, 0.01 * little) << lanes;
    }
  }
}

TEST(Firmware, AFixedTimeAloneLimitsNothing) {
  const Load load = load_of(with_firmware(80 * kMicrosecond, Tick(0), 1), 512);
  EXPECT_NEAR(load.reads_per_second, 8e6 / 70.78, 0.01 * 8e6 / 70.78);
}

}  // namespace
}  // namespace hmsim
