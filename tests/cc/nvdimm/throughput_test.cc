// SPDX-License-Identifier: BSD-3-Clause
// Which rate does a saturated flash array deliver?
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

double megabytes_per_second(std::int64_t pages, Tick time) {
  return static_cast<double>(pages * kPageBytes.value()) / static_cast<double>(time.value()) * 1e6;
}

// Accesses one random line per page, `depth` at once. Returns the MB/s of complete flash pages
// while all LUNs have work.
double saturated_rate(NvdimmParameters parameters, bool is_write, std::uint32_t depth = 1024) {
  parameters.buffer.read_size = 2048 * kPageBytes;
  parameters.buffer.write_size = 1024 * kPageBytes;
  Rig rig(parameters);
  Random random(3);
  const auto pages = static_cast<std::uint64_t>(Nvdimm::logical_capacity(parameters) / kPageBytes);
  constexpr std::int64_t kCommands = 40000;
  constexpr std::int64_t kFilled = 4000;
  Tick start{0};
  Tick end{0};
  Counter done = 0;
  rig.run(kCommands, depth, [&](std::int64_t i, Address& address, bool& write) {
    address = line_address(static_cast<std::int64_t>(random.below(pages)));
    write = is_write;
    if (i == kFilled || i == kCommands - 1) {
      const NvdimmStatistics s = rig.statistics();
      start = end;
      end = rig.now();
      done = s.nand.page_reads + s.nand.page_programs - (i == kFilled ? 0 : done);
    }
  });
  return megabytes_per_second(static_cast<std::int64_t>(done), end - start);
}

TEST(Throughput, EightLunsReadAPageEachInTheTimeOfOne) {
  NvdimmParameters parameters = plain_nvdimm();
  const double limit = 8 * 4096 / 70.78;  // 463 MB/s
  EXPECT_NEAR(saturated_rate(parameters, false), limit, 0.01 * limit);
}

TEST(Throughput, ASlowBusIsTheLimit) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.nand.bus_rate = 50'000'000;
  const double limit = 4 * 4096 / (81.92 + 0.3);  // 199 MB/s
  EXPECT_NEAR(saturated_rate(parameters, false), limit, 0.01 * limit);
}

TEST(Throughput, DiesOfAChipReadInParallel) {
  NvdimmParameters parameters = plain_nvdimm();
  parameters.nand.channels = 1;
  parameters.nand.chips = 1;
  parameters.nand.dies = 2;
  const double limit = 2 * 4096 / 70.78;
  EXPECT_NEAR(saturated_rate(parameters, false), limit, 0.01 * limit);
}

TEST(Throughput, EightLunsProgramAPageEachInTheTimeOfOne) {
  const double limit = 8 * 4096 / 670.78;  // 48.85 MB/s
  for (const PageAllocation allocation : {PageAllocation::dynamic, PageAllocation::fixed}) {
    for (const char* const manager : {"on_demand", "watermark"}) {
      NvdimmParameters parameters = plain_nvdimm();
      parameters.ftl.allocation = allocation;
      parameters.buffer.manager = manager;
      EXPECT_NEAR(saturated_rate(parameters, true), limit, 0.01 * limit) << manager;
    }
  }
}

TEST(Throughput, ADieProgramsAllOfItsPlanesInTheTimeOfOne) {
  for (const std::int64_t planes : {2, 4}) {
    for (const auto& [manager, depth] : {std::pair("on_demand", 1024u), {"watermark", 8u}}) {
      NvdimmParameters parameters = plain_nvdimm();
      parameters.buffer.manager = manager;
      parameters.nand.chips = 1;  // no LUN waits for another one's bus
      parameters.nand.planes = planes;
      parameters.nand.multi_plane = true;
      const auto n = static_cast<double>(planes);
      const double limit = 4 * n * 4096 / (n * 20.78 + (n - 1) * 0.5 + 650);
      EXPECT_NEAR(saturated_rate(parameters, true, depth), limit, 0.01 * limit) << manager;
    }
  }
}

// Marks of 50 and 45 per cent of 100 frames.
TEST(Throughput, RoomInManyLunsStartsNoMoreEarlyEvictions) {
  for (const bool together : {false, true}) {
    NvdimmParameters parameters = plain_nvdimm();
    parameters.buffer.manager = "watermark";
    parameters.buffer.write_size = 100 * kPageBytes;
    parameters.nand.planes = 2;
    parameters.nand.multi_plane = together;
    Rig rig(parameters);
    for (std::int64_t page = 0; page <= 50; ++page) {
      rig.write_page(page);
    }
    rig.drain();
    EXPECT_EQ(rig.statistics().buffer.preevictions, 6u) << together;
  }
}

// Returns the rate of a die whose 16 reads wait for random planes: each turn senses one of every
// plane that has some. Reads of all planes take tR together, then a transfer each.
double rate_of_planes(std::int64_t planes) {
  Random random(1);
  std::vector<int> waiting(static_cast<std::size_t>(planes));
  const auto add = [&] { ++waiting[random.below(waiting.size())]; };
  for (int read = 0; read < 16; ++read) {
    add();
  }
  double pages = 0;
  double time = 0;
  for (int turn = 0; turn < 100'000; ++turn) {
    std::int64_t sensed = 0;
    for (int& plane : waiting) {
      sensed += plane > 0 ? 1 : 0;
      plane -= plane > 0 ? 1 : 0;
    }
    const auto n = static_cast<double>(sensed);
    pages += n;
    time += n * (0.3 + 20.48) + (n - 1) * 0.5 + 50;
    for (; sensed > 0; --sensed) {
      add();
    }
  }
  return pages * 4096 / time;
}

TEST(Throughput, IndependentPlanesOfADieReadAtOnce) {
  for (const std::int64_t planes : {2, 4}) {
    NvdimmParameters parameters = plain_nvdimm();
    parameters.nand.channels = 1;
    parameters.nand.chips = 1;
    parameters.nand.planes = planes;
    parameters.nand.multi_plane = true;
    const double alone = 4096 / 70.78;  // some reads meet at one of 128 pages
    EXPECT_NEAR(saturated_rate(parameters, false), alone, 0.15 * alone) << planes;
    parameters.nand.independent_reads = true;
    const double together = rate_of_planes(planes);
    EXPECT_NEAR(saturated_rate(parameters, false), together, 0.005 * together) << planes;
  }
}

}  // namespace
}  // namespace hmsim
