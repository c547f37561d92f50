// SPDX-License-Identifier: BSD-3-Clause
// Does a disk take the time of its seeks, rotations and transfers?
#include "storage/disk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "tests/cc/storage/device_rig.h"

namespace hmsim {
namespace {

using Kind = IoRequest::Kind;

constexpr Bytes kTerabyte{1'000'000'000'000};
constexpr double kMs = 1e9;  // picoseconds

DiskParameters plain_disk() {
  DiskParameters parameters;
  parameters.buffer = Bytes(0);
  parameters.elevator = false;
  return parameters;
}

// One request after another in floating point: the position of the arm, and the angle of the
// platters.
class Oracle {
 public:
  explicit Oracle(const DiskParameters& parameters)
      : p_(parameters),
        turn_(60e12 / static_cast<double>(p_.rpm)),
        change_(static_cast<double>(p_.track_seek.value())),
        bytes_(static_cast<double>(p_.track.value())),
        tracks_(std::ceil(static_cast<double>(kTerabyte.value()) / bytes_)) {}

  // Returns the time without the wait for the sector.
  double still(double offset, double size, bool write) {
    const double track = std::floor(offset / bytes_);
    double time = static_cast<double>(p_.overhead.value());
    if (track != arm_) {
      const double mean = static_cast<double>(p_.average_seek.value());
      time += change_ +
              (mean - change_) * 15 / 8 * std::sqrt((std::abs(track - arm_) - 1) / (tracks_ - 1));
      time +=
          write && std::abs(track - arm_) > 1 ? static_cast<double>(p_.write_settle.value()) : 0;
    }
    arm_ = std::floor((offset + size - 1) / bytes_);
    return time + size / bytes_ * turn_ + (arm_ - track) * change_;
  }
  double turn() const { return turn_; }

 private:
  const DiskParameters p_;
  const double turn_;
  const double change_;
  const double bytes_;
  const double tracks_;
  double arm_ = 0;
};

TEST(Disk, OneRequestTakesItsSeekTurnAndTransfer) {
  Disk disk(plain_disk(), kTerabyte, 1);
  DeviceRig rig(disk);
  Oracle oracle(plain_disk());
  Random random(1);
  const auto sectors = static_cast<std::uint64_t>(disk.capacity().value()) / 512;
  double waits = 0;
  constexpr int kCount = 2000;
  for (int i = 0; i < kCount; ++i) {
    const std::uint64_t bytes = 512 * (1 + random.below(4096));
    const std::uint64_t offset = 512 * random.below(sectors - bytes / 512);
    const bool write = random.below(2) == 0;
    const Tick took = write ? rig.write(offset, bytes) : rig.read(offset, bytes);
    const double wait =
        static_cast<double>(took.value()) -
        oracle.still(static_cast<double>(offset), static_cast<double>(bytes), write);
    ASSERT_GT(wait, -0.001 * kMs);
    ASSERT_LT(wait, oracle.turn() + 0.001 * kMs);
    waits += wait;
  }
  // Half a revolution, 4.17 ms, within four standard deviations of such a mean.
  EXPECT_NEAR(waits / kCount, oracle.turn() / 2, 4 * oracle.turn() / std::sqrt(12.0 * kCount));
}

// Waits until the sector returns: repeated reads are at one angle.
TEST(Disk, ASectorPassesOnceInATurn) {
  Disk disk(plain_disk(), kTerabyte, 1);
  DeviceRig rig(disk);
  rig.read(0, 512);
  const Tick first = rig.now();
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(rig.read(0, 512), disk.mechanics().revolution());
  }
  EXPECT_EQ(rig.now() - first, 5 * disk.mechanics().revolution());
  // The next sector has just passed when the overhead ends.
  const Tick sector = disk.mechanics().transfer(512, 1024);
  EXPECT_EQ(rig.read(512, 512), disk.mechanics().revolution() + sector);
}

TEST(Disk, TheMeanSeekOverTheWholeDiskMatchesTheDataSheet) {
  const DiskParameters parameters = plain_disk();
  const DiskMechanics mechanics(parameters, kTerabyte, 1);
  const std::int64_t tracks =
      mechanics.track_of(static_cast<std::uint64_t>(kTerabyte.value()) - 1) + 1;
  double sum = 0;
  constexpr int kSteps = 1000;
  for (int from = 0; from < kSteps; ++from) {
    for (int to = 0; to < kSteps; ++to) {
      sum +=
          static_cast<double>(mechanics.seek(tracks * from / kSteps, tracks * to / kSteps).value());
    }
  }
  const double mean = sum / kSteps / kSteps;
  EXPECT_NEAR(mean / static_cast<double>(parameters.average_seek.value()), 1, 0.002);
  EXPECT_EQ(mechanics.seek(7, 7), Tick(0));
  EXPECT_EQ(mechanics.seek(8, 7), parameters.track_seek);
}

// n tracks from the beginning of one take n revolutions and n - 1 track changes (exact).
TEST(Disk, WholeTracksAreReadWithoutLosingATurn) {
  const DiskParameters parameters = plain_disk();
  Disk disk(parameters, kTerabyte, 1);
  DeviceRig rig(disk);
  const auto track = static_cast<std::uint64_t>(parameters.track.value());
  const Tick turn = disk.mechanics().revolution();
  rig.read(0, 512);
  const Tick wait = disk.mechanics().rotation(0, rig.now() + parameters.overhead);
  EXPECT_EQ(rig.read(0, 50 * track),
            parameters.overhead + wait + 50 * turn + 49 * parameters.track_seek);
}

// Without read-ahead, the next sector has passed when the next request arrives.
TEST(Disk, AStreamLosesATurnForEachRequestUnlessItReadsAhead) {
  constexpr std::uint64_t kChunk = 64 << 10;
  const auto stream = [](const DiskParameters& parameters, std::uint64_t count, std::uint64_t depth,
                         Kind kind) {
    Disk disk(parameters, kTerabyte, 1);
    DeviceRig rig(disk);
    rig.read(0, kChunk);
    return rig.run(count, depth, [kind](std::uint64_t i) {
      IoRequest request;
      request.kind = kind;
      request.offset = i * kChunk;
      request.bytes = kChunk;
      return request;
    });
  };
  DiskParameters parameters = plain_disk();
  const DiskMechanics mechanics(parameters, kTerabyte, 1);
  EXPECT_EQ(stream(parameters, 10, 1, Kind::read),
            10 * mechanics.revolution() + mechanics.transfer(kChunk, 11 * kChunk));
  // Waiting requests find the head where the last one left it: 1,200 chunks are 100 tracks.
  const Tick whole = mechanics.transfer(kChunk, 1201 * kChunk);
  EXPECT_EQ(stream(parameters, 1200, 4, Kind::write), whole + mechanics.revolution());
  parameters.buffer = Bytes(2 << 20);
  EXPECT_EQ(stream(parameters, 1200, 1, Kind::read), whole) << "read ahead";
}

TEST(Disk, PrefetchedSectorsArriveAtTheInterfacesRate) {
  DiskParameters parameters;
  parameters.elevator = false;
  Disk disk(parameters, kTerabyte, 1);
  DeviceRig rig(disk);
  rig.read(1 << 20, 65536);
  rig.kernel().run_until(rig.now() + kSecond);  // by then half a buffer has been read
  const Tick hit = parameters.overhead + time_of(65536, parameters.interface);
  EXPECT_EQ(rig.read((1 << 20) + 65536, 65536), hit);
  EXPECT_EQ(rig.read(1 << 20, 65536), hit) << "still there";
  EXPECT_GT(rig.read(100 << 20, 65536), hit);
  EXPECT_GT(rig.read(1 << 20, 65536), hit) << "the arm has moved";
  rig.write(1 << 20, 65536);
  EXPECT_GT(rig.read((1 << 20) + 65536, 4096), hit) << "so it has for a write";
}

TEST(Disk, AnElevatorServesUpwardsAndThenFromTheLowest) {
  DiskParameters parameters = plain_disk();
  parameters.elevator = true;
  Disk disk(parameters, kTerabyte, 1);
  DeviceRig rig(disk);
  Random random(23);
  const std::uint64_t middle = std::uint64_t{500} << 30;
  rig.send(Kind::read, middle, 512);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> up;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> down;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t offset = 512 * random.below(std::uint64_t{900} << 21);
    const std::uint32_t tag = rig.send(Kind::read, offset, 512);
    (offset > middle ? up : down).emplace_back(offset, tag);
  }
  rig.drain();
  std::sort(up.begin(), up.end());
  std::sort(down.begin(), down.end());
  up.insert(up.end(), down.begin(), down.end());
  ASSERT_EQ(rig.order.size(), up.size() + 1);
  for (std::size_t i = 0; i < up.size(); ++i) {
    ASSERT_EQ(rig.order[i + 1], up[i].second);
  }
}

// Random reads, n at once. In order of arrival, a read takes the mean seek. With an elevator, the
// places ahead of the head were served longest ago, so waiting requests are twice as dense there as
// on average. The next one is D / 2n away on average, and the mean square root of such a distance
// is sqrt(pi / 8 n). The density falls along the way; ignoring this costs 5 %.
TEST(Disk, AnElevatorShortensSeeksInProportionToTheDensityOfRequests) {
  constexpr std::uint64_t kDepth = 32;
  constexpr std::uint64_t kCount = 4000;
  for (const bool elevator : {false, true}) {
    DiskParameters parameters = plain_disk();
    parameters.elevator = elevator;
    Disk disk(parameters, kTerabyte, 1);
    DeviceRig rig(disk);
    Random random(29);
    const Tick took = rig.run(kCount, kDepth, [&](std::uint64_t) {
      IoRequest request;
      request.offset = 4096 * random.below(static_cast<std::uint64_t>(1e12 / 4096));
      request.bytes = 4096;
      return request;
    });
    const double change = static_cast<double>(parameters.track_seek.value());
    const double span = (static_cast<double>(parameters.average_seek.value()) - change) * 15 / 8;
    const double root = elevator ? std::sqrt(3.14159265 / 8 / (kDepth - 1)) : 8.0 / 15;
    const double turn = static_cast<double>(disk.mechanics().revolution().value());
    const double expected = change + span * root + turn / 2 + turn * 4096 / 786432;
    EXPECT_NEAR(static_cast<double>(took.value()) / kCount / expected, 1, elevator ? 0.05 : 0.02);
  }
}

TEST(Disk, ContinuesFromACheckpoint) {
  for (const bool elevator : {false, true}) {
    DiskParameters parameters;
    parameters.elevator = elevator;
    const auto make = [&] { return std::make_unique<Disk>(parameters, Bytes(64 << 20), 1); };
    expect_exact_resume(make, 80, 65536);
  }
}

}  // namespace
}  // namespace hmsim
