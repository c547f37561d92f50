// SPDX-License-Identifier: BSD-3-Clause
// Does a device defined by its times take these times, serially and in parallel?
#include "storage/table_device.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/cc/statistic.h"
#include "tests/cc/storage/device_rig.h"

namespace hmsim {
namespace {

using Kind = IoRequest::Kind;

constexpr Bytes kCapacity{1 << 20};

TableParameters some_table() {
  TableParameters parameters;
  parameters.read = "512B=10us, 4KiB=17us, 64KiB=137us";
  parameters.write = "4KiB=50us";
  parameters.flush = 3 * kMicrosecond;
  return parameters;
}

TEST(TimeTable, IsTheLineThroughItsPoints) {
  const TimeTable table = TimeTable::parse("512B=10us, 4KiB=17us, 64KiB=137us").value.value();
  EXPECT_EQ(table(512), 10 * kMicrosecond);
  EXPECT_EQ(table(1), 10 * kMicrosecond) << "below the first point";
  EXPECT_EQ(table(1024), 11 * kMicrosecond) << "7 us for 3,584 B are 1 us for 512 B";
  EXPECT_EQ(table(4096), 17 * kMicrosecond);
  EXPECT_EQ(table(8192), 25 * kMicrosecond) << "120 us for 60 KiB are 2 us a KiB";
  EXPECT_EQ(table(65536), 137 * kMicrosecond);
  EXPECT_EQ(table(131072), 265 * kMicrosecond) << "beyond the last point";
  EXPECT_EQ(table(std::uint64_t{1} << 50), 3600 * kSecond) << "the longest";
  const TimeTable flat = TimeTable::parse("4KiB=50us").value.value();
  EXPECT_EQ(flat(1 << 20), 50 * kMicrosecond);
  const TimeTable steep = TimeTable::parse("1B=1ns, 2147483648B=3600s").value.value();
  EXPECT_EQ(steep(std::uint64_t{1} << 30).value() / kSecond.value(), 1799);
}

TEST(TimeTable, ReportsErrorsOfItsText) {
  const auto error = [](const char* text) { return TimeTable::parse(text).error; };
  EXPECT_NE(error("").find("'='"), std::string::npos);
  EXPECT_NE(error("512B=10us,").find("point 2"), std::string::npos);
  EXPECT_NE(error("512B:10us").find("512B=80us"), std::string::npos) << "how it should look";
  EXPECT_NE(error("512B=10 apples").find("point 1"), std::string::npos);
  EXPECT_NE(error("4KiB=10us, 512B=20us").find("larger size"), std::string::npos);
  EXPECT_NE(error("512B=10us, 4KiB=9us").find("shorter time"), std::string::npos);
  EXPECT_NE(error("0B=10us").find("size"), std::string::npos);
  EXPECT_NE(error("512B=0s").find("time"), std::string::npos) << "time would stand still";
  std::string many = "1B=1us";
  for (int i = 2; i < 100; ++i) {
    many += "," + std::to_string(i) + "B=1us";
  }
  EXPECT_NE(error(many.c_str()).find("at most 64"), std::string::npos);
}

TEST(TableDevice, TakesItsTimeForOneRequest) {
  TableDevice device(some_table(), kCapacity);
  DeviceRig rig(device);
  EXPECT_EQ(rig.read(0, 512), 10 * kMicrosecond);
  EXPECT_EQ(rig.read(8192, 8192), 25 * kMicrosecond);
  EXPECT_EQ(rig.write(0, 512), 50 * kMicrosecond);
  EXPECT_EQ(rig.alone(Kind::flush, 0, 0), 3 * kMicrosecond);
}

// The last of n operations on c channels ends after ceil(n / c) times.
TEST(TableDevice, ServesOneRequestOnEachChannel) {
  for (const std::int64_t channels : {1, 3, 8}) {
    TableParameters parameters = some_table();
    parameters.channels = channels;
    TableDevice device(parameters, kCapacity);
    DeviceRig rig(device);
    for (int i = 0; i < 10; ++i) {
      rig.send(Kind::write, 4096 * static_cast<std::uint64_t>(i), 4096);
    }
    rig.drain();
    EXPECT_EQ(rig.now(), (10 + channels - 1) / channels * 50 * kMicrosecond);
    EXPECT_EQ(device.io_queue().writes().requests, 10u);
    EXPECT_EQ(device.io_queue().writes().bytes, 40960u);
    EXPECT_EQ(device.io_queue().under_way(), 0);
  }
}

TEST(TableDevice, ABarrierWaitsForAllEarlierRequestsAndDelaysLaterOnes) {
  TableParameters parameters = some_table();
  parameters.channels = 16;
  TableDevice device(parameters, kCapacity);
  DeviceRig rig(device);
  rig.send(Kind::read, 0, 512);                                   // 0 .. 10
  rig.send(Kind::write, 0, 512);                                  // 0 .. 50
  const std::uint32_t wall = rig.send(Kind::read, 0, 512, true);  // 50 .. 60
  const std::uint32_t after = rig.send(Kind::read, 0, 512);       // 60 .. 70
  const std::uint32_t flush = rig.send(Kind::flush, 0, 0);        // 60 .. 63
  rig.drain();
  EXPECT_EQ(rig.ended.at(wall), 60 * kMicrosecond);
  EXPECT_EQ(rig.ended.at(after), 70 * kMicrosecond);
  EXPECT_EQ(rig.ended.at(flush), 63 * kMicrosecond);
}

// No barrier overlaps another request, judged by their times on the device's channels.
TEST(TableDevice, BarriersHoldInAnyMix) {
  TableParameters parameters = some_table();
  parameters.channels = 5;
  TableDevice device(parameters, kCapacity);
  DeviceRig rig(device);
  Random random(3);
  std::vector<IoRequest> sent;
  rig.run(2000, 12, [&](std::uint64_t) {
    sent.push_back(any_request(random, 1 << 20, 8192));
    return sent.back();
  });
  // Requests are sent in the order of their tags.
  Tick latest{0};
  Tick wall{0};
  int walls = 0;
  for (std::uint32_t tag = 0; tag < sent.size(); ++tag) {
    const Tick end = rig.ended.at(tag);
    const TimeTable table =
        TimeTable::parse(sent[tag].kind == Kind::write ? parameters.write : parameters.read)
            .value.value();
    const Tick time = sent[tag].kind == Kind::flush ? parameters.flush : table(sent[tag].bytes);
    ASSERT_GE(end - time, wall) << "starts before the last barrier has ended";
    if (sent[tag].barrier) {
      ASSERT_GE(end - time, latest) << "a barrier starts before all before it have ended";
      wall = end;
      ++walls;
    }
    latest = later(latest, end);
  }
  EXPECT_GT(walls, 100);
}

TEST(TableDevice, ContinuesFromACheckpoint) {
  TableParameters parameters = some_table();
  parameters.channels = 3;
  const auto make = [&] { return std::make_unique<TableDevice>(parameters, kCapacity); };
  expect_exact_resume(make, 60, 8192);
}

TEST(TableDevice, CountsItsRequests) {
  TableDevice device(some_table(), kCapacity);
  DeviceRig rig(device);
  StatisticRegistry registry;
  device.register_statistics(registry, "storage");
  rig.read(0, 512);
  rig.write(0, 512);
  registry.account(rig.now() + 60 * kMicrosecond);
  EXPECT_EQ(testing::statistic_of(registry, "storage.reads").count, 1u);
  EXPECT_EQ(testing::statistic_of(registry, "storage.write_bytes").count, 512u);
  EXPECT_DOUBLE_EQ(testing::statistic_of(registry, "storage.table.busy").value, 0.5);
  EXPECT_DOUBLE_EQ(testing::statistic_of(registry, "storage.outstanding").value, 0.5);
}

}  // namespace
}  // namespace hmsim
