// SPDX-License-Identifier: BSD-3-Clause
// Does the collector follow the schedulers' decisions?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/nvdimm/continuation.h"
#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

constexpr Tick kPageRead{70'780'000};
constexpr Tick kPageProgram{670'780'000};
constexpr Tick kLookup{52'000};

// 2 channels of 2 LUNs, each with 48 blocks of 8 pages; collection is due below 8 free blocks.
NvdimmParameters aged_nvdimm(const std::string& scheduler) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.capacity = Bytes(6 << 20);
  parameters.command_queue = 32;
  parameters.nand.channels = 2;
  parameters.nand.chips = 2;
  parameters.nand.pages_per_block = 8;
  parameters.ftl.over_provisioning = 50;
  parameters.ftl.reserve_blocks = 8;
  parameters.gc.scheduler = scheduler;
  parameters.precondition.fill = 1;
  parameters.precondition.overwrite = 2;
  EXPECT_TRUE(parameters.check().empty());
  return parameters;
}

NvdimmParameters fixed_nvdimm(const std::string& scheduler) {
  NvdimmParameters parameters = aged_nvdimm(scheduler);
  parameters.ftl.allocation = PageAllocation::fixed;
  return parameters;
}

std::vector<std::string> schedulers() { return policy_names(PolicyKind::gc_scheduler); }

// Sends random commands to all pages; `write_eighths` eighths of them write.
template <class AfterStep>
void run_random(Rig& rig, std::int64_t count, std::uint64_t write_eighths, AfterStep after_step) {
  Random random(5);
  const std::uint64_t pages = rig.nvdimm().ftl().shape().logical_pages;
  rig.run(
      count, 32,
      [&](std::int64_t, Address& address, bool& write) {
        address = line_address(static_cast<std::int64_t>(random.below(pages)),
                               static_cast<std::int64_t>(random.below(64)));
        write = random.below(8) < write_eighths;
      },
      after_step);
  rig.drain();
}

TEST(GcSteering, WearsAsMuchAsReactive) {
  double erases = 0;
  double amplification = 0;
  for (const char* name : {"reactive", "reactive_copyback", "preemptive", "proactive"}) {
    Rig rig(aged_nvdimm(name));
    run_random(rig, 16'000, 6, [] {});
    const NvdimmStatistics s = rig.statistics();
    const double waf = static_cast<double>(s.ftl.host_pages + s.ftl.gc_pages) /
                       static_cast<double>(s.ftl.host_pages);
    if (erases == 0) {
      erases = static_cast<double>(s.nand.block_erases);
      amplification = waf;
    }
    EXPECT_NEAR(static_cast<double>(s.nand.block_erases), erases, 0.02 * erases) << name;
    EXPECT_NEAR(waf, amplification, 0.02 * amplification) << name;
    EXPECT_GT(s.ftl.gc_count, 500u) << name;
  }
}

// Below the limit at most two blocks are taken: the one that a host page opens and the one that a
// copy opens.
TEST(GcSteering, FreeBlocksNeverRunOut) {
  for (const std::string& name : schedulers()) {
    NvdimmParameters parameters = aged_nvdimm(name);
    parameters.gc.urgent_limit = 0.1;  // 5 of 48 blocks
    Rig rig(parameters);
    const Ftl& ftl = rig.nvdimm().ftl();
    ASSERT_EQ(ftl.shape().urgent_limit, 5u);
    std::uint32_t fewest = ftl.shape().blocks;
    run_random(rig, 3000, 7, [&] {
      for (std::uint32_t lun = 0; lun < ftl.shape().luns; ++lun) {
        fewest = std::min(fewest, ftl.blocks(lun).free());
      }
      const FtlCensus census = rig.census();
      ASSERT_EQ(census.free + census.valid + census.invalid + census.in_flight, 1536u);
    });
    EXPECT_GE(fewest, 3u) << name;
    EXPECT_EQ(rig.acks.size(), 3000u) << name;
    EXPECT_TRUE(rig.nvdimm().idle()) << name;
  }
}

TEST(GcSteering, NoCollectionIsForgotten) {
  for (const std::string& name : schedulers()) {
    for (const std::string& manager : policy_names(PolicyKind::buffer_manager)) {
      for (NvdimmParameters parameters : {fixed_nvdimm(name), aged_nvdimm(name)}) {
        parameters.buffer.manager = manager;
        parameters.buffer.read_size = 16 * kPageBytes;
        Rig rig(parameters);
        run_random(rig, 1500, 4, [] {});
        EXPECT_GT(rig.statistics().ftl.gc_count, 20u) << name << " " << manager;
        EXPECT_EQ(rig.nvdimm().collections_begun(), rig.nvdimm().collections_ended())
            << name << " " << manager;
      }
    }
  }
}

// A few commands at a time, to pages that leave their LUN while others read them there. A
// collection that waited for such a read continues when the read moves to another channel.
TEST(GcSteering, NoCollectionIsForgottenWhereAReadGoesToAnotherLun) {
  for (const std::string& name : schedulers()) {
    NvdimmParameters parameters = aged_nvdimm(name);
    parameters.nand.channels = 4;
    parameters.nand.chips = 1;
    parameters.buffer.write_size = 8 * kPageBytes;
    Rig rig(parameters);
    Random random(8);
    const auto next = [&random](std::int64_t, Address& address, bool& write) {
      address = line_address(static_cast<std::int64_t>(random.below(20)),
                             static_cast<std::int64_t>(random.below(64)));
      write = random.below(2) == 0;
    };
    for (int burst = 0; burst < 100; ++burst) {
      rig.run(24, 12, next);
      rig.drain();
      ASSERT_EQ(rig.nvdimm().collections_begun(), rig.nvdimm().collections_ended())
          << name << " " << burst;
    }
  }
}

TEST(GcSteering, PendingWorkIsCountedExactly) {
  for (const std::string& name : schedulers()) {
    for (const auto& [granularity, reads] : {std::pair(BufferGranularity::page, ItemReads::own),
                                             {BufferGranularity::item, ItemReads::own},
                                             {BufferGranularity::item, ItemReads::shared}}) {
      NvdimmParameters parameters = aged_nvdimm(name);
      parameters.buffer.granularity = granularity;
      parameters.buffer.item_reads = reads;
      Rig rig(parameters);
      Nvdimm& nvdimm = rig.nvdimm();
      run_random(rig, 2000, 3, [&] {
        PendingFlash sum;
        for (std::uint32_t lun = 0; lun < nvdimm.ftl().shape().luns; ++lun) {
          const PendingFlash counted = NvdimmFaults::reads_owed(nvdimm, lun);
          const PendingFlash& running = nvdimm.pending().lun(lun);
          ASSERT_GE(running.read_pages, counted.read_pages);  // plus reads for write-backs
          ASSERT_EQ(running.fetchable, counted.fetchable);
          sum += running;
        }
        ASSERT_EQ(sum.read_pages, nvdimm.pending().all().read_pages);
        ASSERT_LE(sum.writes, nvdimm.pending().all().writes);
      });
      EXPECT_TRUE(nvdimm.pending().all().none());
      EXPECT_EQ(nvdimm.pending().buffered(), 0u);
      EXPECT_EQ(rig.statistics().buffer.read_joined > 0, reads == ItemReads::shared);
    }
  }
}

// Writes one line of each of many pages until LUN 0 collects.
void write_until_collection(Rig& rig) {
  Random random(9);
  while (rig.statistics().ftl.gc_valid_pages.count() == 0) {
    rig.write(static_cast<std::int64_t>(4 * random.below(200)));  // static stripe: LUN 0
  }
}

TEST(GcSteering, PreemptiveServesAReadAfterOneCopy) {
  Rig rig(fixed_nvdimm("preemptive"));
  write_until_collection(rig);
  const Tick latency = rig.read(4 * 250);
  EXPECT_GT(latency, kPageRead);
  EXPECT_LE(latency, kLookup + kPageRead + kPageProgram + kPageRead + kPageRead + kPageProgram);
  EXPECT_EQ(rig.statistics().ftl.gc_count, 0u) << "its collection goes on";
  rig.drain();
  EXPECT_GT(rig.statistics().ftl.gc_count, 0u);
  EXPECT_GT(rig.statistics().ftl.gc_deferred, 0u);

  Rig other(fixed_nvdimm("reactive"));
  write_until_collection(other);
  EXPECT_GT(other.read(4 * 250), Tick(2'000'000'000));
  EXPECT_EQ(other.statistics().ftl.gc_deferred, 0u);
}

// Reads on the other channel, 30 x 70.78 us, hide three copies.
TEST(GcSteering, ProactiveSharesItsLunOnRequest) {
  for (const bool shared : {false, true}) {
    Rig rig(fixed_nvdimm("proactive"), 1, {{"policies.proactive.lun", shared ? "shared" : "held"}});
    write_until_collection(rig);
    rig.acks.clear();
    const Tick start = rig.now();
    for (std::uint32_t tag = 0; tag < 31; ++tag) {
      rig.nvdimm().command(tag, line_address(tag == 0 ? 4 * 250 : 4 * tag + 1), false, start);
    }
    std::size_t ended = 0;
    while (rig.acks.empty() || rig.acks.back().tag != 0) {
      ASSERT_TRUE(rig.kernel().step(kNever));
      for (; ended < rig.acks.size(); ++ended) {
        rig.nvdimm().finish(rig.acks[ended].tag, rig.now());
      }
    }
    const Tick copy = kPageRead + kPageProgram;
    EXPECT_EQ(rig.now() - start < 2 * copy, shared);
    EXPECT_EQ(rig.now() - start > 3 * copy, !shared);
  }
}

TEST(GcSteering, BackgroundCollectsWhileIdle) {
  Rig rig(aged_nvdimm("background"));  // soft threshold: 1.25 x 8 blocks
  rig.write(1);
  rig.drain();
  for (std::int64_t page = 0; page < 40; ++page) {
    rig.write_page(3 * page);
    rig.drain();
  }
  EXPECT_GT(rig.statistics().ftl.gc_early, 0u);
  for (std::uint32_t lun = 0; lun < 4; ++lun) {
    EXPECT_GE(rig.nvdimm().ftl().blocks(lun).free(), 10u);
  }
}

// Reads of pages that are being collected are answered by the copy.
TEST(GcSteering, ProactiveCachesAndFetchesRequestedPages) {
  for (const char* stages : {"1", "2", "both"}) {
    Rig rig(fixed_nvdimm("proactive"), 1, {{"policies.proactive.stages", stages}});
    run_random(rig, 8000, 4, [] {});
    const NvdimmStatistics s = rig.statistics();
    EXPECT_EQ(s.ftl.gc_cached > 0, std::string(stages) != "2");
    EXPECT_EQ(s.ftl.gc_prefetches > 0, std::string(stages) != "1");
    EXPECT_GT(s.ftl.gc_overlapped_ack.count(), 0u);
  }
}

TEST(GcSteering, CheckpointsContinueBitForBit) {
  for (const std::string& name : schedulers()) {
    SCOPED_TRACE(name);
    expect_exact_continuation(fixed_nvdimm(name), {3, 25, 32, 900, Tick(8'000'000'000)});
  }
}

}  // namespace
}  // namespace hmsim
