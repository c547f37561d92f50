// SPDX-License-Identifier: BSD-3-Clause
// Work of the NVDIMM for queued commands before their lookup.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/nvdimm/rig.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kPageRead{70'780'000};
constexpr Tick kProgram{670'780'000};

// Serial lookups, so that the queue fills up.
NvdimmParameters managed(const char* manager, std::int64_t channels = 1, std::int64_t chips = 1) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.capacity = Bytes(channels * chips << 20);
  parameters.nand.channels = channels;
  parameters.nand.chips = chips;
  parameters.buffer.manager = manager;
  parameters.buffer.port = BufferPort::serial;
  return parameters;
}

void send(Rig& rig, std::uint32_t tag, std::int64_t page, std::int64_t line = 0,
          bool write = false) {
  rig.nvdimm().command(tag, line_address(page, line), write, rig.now());
}

Tick ack_of(const Rig& rig, std::uint32_t tag) {
  for (const Ack& ack : rig.acks) {
    if (ack.tag == tag) {
      return ack.time;
    }
  }
  return kNever;
}

TEST(Prefetch, AQueuedPageIsReadWhileItWaitsForItsLookup) {
  for (const bool prefetch : {false, true}) {
    Rig rig(managed(prefetch ? "prefetch" : "on_demand", 2));
    for (std::uint32_t line = 0; line < 40; ++line) {
      send(rig, line, 0, line);
    }
    send(rig, 40, 1);  // the other LUN
    rig.drain();
    EXPECT_EQ(ack_of(rig, 0), (prefetch ? Tick(0) : kLookup) + kPageRead);
    EXPECT_EQ(ack_of(rig, 40), (prefetch ? Tick(0) : 41 * kLookup) + kPageRead);
    EXPECT_EQ(rig.statistics().buffer.prefetches, prefetch ? 2u : 0u);
    EXPECT_EQ(rig.statistics().buffer.prefetch_late, prefetch ? 2u : 0u);
    EXPECT_EQ(rig.statistics().nand.page_reads, 2u) << "nothing is read twice";
  }
}

TEST(Prefetch, APageThatIsThereAtItsLookupIsUseful) {
  NvdimmParameters parameters = managed("prefetch");
  parameters.buffer.lookup = 100 * kMicrosecond;
  Rig rig(parameters);
  send(rig, 0, 3);
  rig.drain();
  EXPECT_EQ(ack_of(rig, 0), parameters.buffer.lookup) << "the read of 70.78 us is hidden";
  EXPECT_EQ(rig.statistics().buffer.prefetch_useful, 1u);
  EXPECT_EQ(rig.statistics().buffer.read_hits, 1u);
}

TEST(Prefetch, IdleLunsOnlyAndTheOldestFirst) {
  NvdimmParameters parameters = managed("prefetch");
  parameters.buffer.lookup = kMillisecond;
  Rig rig(parameters);
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    send(rig, tag, 5 - tag);
  }
  EXPECT_EQ(rig.statistics().buffer.prefetches, 1u) << "there is one LUN";
  rig.kernel().run_until(kPageRead);
  EXPECT_EQ(rig.statistics().buffer.prefetches, 2u);
  rig.kernel().run_until(2 * kPageRead);
  EXPECT_EQ(rig.statistics().buffer.prefetches, 3u);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.prefetch_useful, 3u);
}

// Two frames hold pages 0 and 1, and lookups are so slow that commands queue.
struct TwoFrames : Rig {
  TwoFrames() : Rig(parameters()) {
    read(0);
    read(1);
  }
  static NvdimmParameters parameters() {
    NvdimmParameters parameters = managed("prefetch", 4);
    parameters.buffer.read_size = 2 * kPageBytes;
    parameters.buffer.lookup = kMillisecond;
    return parameters;
  }
};

TEST(Prefetch, TakesNoFrameThatIsUsedOrAskedFor) {
  TwoFrames rig;
  const Counter before = rig.statistics().buffer.prefetches;
  send(rig, 1, 1);  // needs page 1
  send(rig, 2, 2);
  send(rig, 3, 3);
  rig.kernel().run_until(rig.now() + 500 * kMicrosecond);
  EXPECT_EQ(rig.statistics().buffer.prefetches, before + 1) << "page 0 gives way to 2; 1 stays";
  rig.kernel().run_until(rig.now() + 600 * kMicrosecond);
  EXPECT_EQ(rig.statistics().buffer.read_hits, 3u) << "pages 0 and 1 before, page 1 again";
}

TEST(Prefetch, AReleasedFrameBelongsToALookupThatWaits) {
  NvdimmParameters parameters = managed("prefetch", 4);
  parameters.buffer.read_size = kPageBytes;
  Rig rig(parameters);
  send(rig, 0, 0);
  rig.drain();
  send(rig, 1, 1);
  rig.drain();  // looked up; command 0 still uses the only frame
  rig.nvdimm().finish(0, rig.now());
  const Tick freed = rig.now();
  send(rig, 2, 2);
  rig.drain();
  EXPECT_EQ(ack_of(rig, 1), freed + kPageRead);
}

// Twelve older reads keep the page's LUN busy. Meanwhile its frame, which holds another line, is
// written back to the other LUN.
TEST(Prefetch, APageThatMovesIsFetchedFromItsNewPlace) {
  struct Reads final : FlashObserver {
    void on_flash(const FlashRecord& record) override {
      if (record.operation == FlashOperation::read && record.stage == FlashStage::command) {
        luns.push_back(record.lun);
      }
    }
    void on_programmed(std::uint64_t, std::uint32_t) override {}
    void on_bad(std::uint64_t) override {}
    std::vector<std::uint32_t> luns;
  };
  NvdimmParameters parameters = managed("prefetch", 2);
  parameters.buffer.port = BufferPort::pipelined;
  parameters.buffer.read_size = 16 * kPageBytes;
  parameters.buffer.write_size = kPageBytes;
  parameters.buffer.lookup = 2 * kMillisecond;
  Rig rig(parameters);
  Reads reads;
  rig.write(0, 5);
  send(rig, 20, 1, 0, true);  // needs the only frame
  rig.kernel().run_until(rig.now() + parameters.buffer.lookup - 100 * kMicrosecond);
  rig.nvdimm().add_flash_observer(reads);
  for (std::uint32_t tag = 0; tag < 12; ++tag) {
    send(rig, tag, 2 * (tag + 1));
  }
  send(rig, 12, 0);
  rig.kernel().run_until(rig.now() + parameters.buffer.lookup - kMicrosecond);
  const Ftl& ftl = rig.nvdimm().ftl();
  ASSERT_EQ(ftl.shape().lun_of(ftl.pages().place(LogicalPage(0))), 1u);
  EXPECT_EQ(rig.statistics().buffer.prefetches, 13u);
  std::vector<std::uint32_t> expected(12, 0);
  expected.push_back(1);
  EXPECT_EQ(reads.luns, expected);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.prefetch_useful, 13u);
  EXPECT_EQ(rig.statistics().nand.page_reads, 13u) << "nothing is read twice";
}

TEST(Prefetch, PagesInTheWritePartAreNotFetched) {
  NvdimmParameters parameters = managed("prefetch");
  Rig rig(parameters);
  rig.write(0, 3);
  send(rig, 1, 0, 3);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.prefetches, 0u);
  rig.nvdimm().finish(1, rig.now());
  send(rig, 2, 0, 4);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.prefetches, 1u) << "another line of it is";
}

TEST(Prefetch, ItemsAreFetchedOneByOne) {
  NvdimmParameters parameters = managed("prefetch");
  parameters.buffer.granularity = BufferGranularity::item;
  parameters.buffer.lookup = kMillisecond;
  Rig rig(parameters);
  send(rig, 0, 0, 0);
  send(rig, 1, 0, 1);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.prefetches, 2u);
  EXPECT_EQ(rig.statistics().buffer.prefetch_useful, 2u);
}

// LUN 0 programs while page 1 is fetched into the only frame; the older command needs the frame
// first.
TEST(Prefetch, UnusedPrefetchesAreCounted) {
  NvdimmParameters parameters = managed("prefetch", 2);
  parameters.buffer.lookup = kMillisecond;
  parameters.buffer.read_size = kPageBytes;
  parameters.buffer.write_size = kPageBytes;
  Rig rig(parameters);
  rig.write_page(0);
  send(rig, 20, 4, 0, true);  // needs the frame of page 0
  rig.kernel().run_until(rig.now() + parameters.buffer.lookup + kMicrosecond);
  send(rig, 0, 2);
  send(rig, 1, 1);
  rig.kernel().run_until(rig.now() + 100 * kMicrosecond);
  EXPECT_EQ(rig.statistics().buffer.prefetches, 1u);
  rig.kernel().run_until(rig.now() + parameters.buffer.lookup);
  EXPECT_EQ(rig.statistics().buffer.prefetch_unused, 1u);
}

TEST(Preevict, FramesAreFreeBeforeWritesNeedThem) {
  for (const bool early : {false, true}) {
    NvdimmParameters parameters = managed(early ? "preevict" : "on_demand");
    parameters.buffer.port = BufferPort::pipelined;
    parameters.buffer.write_size = 20 * kPageBytes;  // 5 percent: one frame
    Rig rig(parameters);
    rig.write_pages(0, 20);
    rig.drain();
    EXPECT_EQ(rig.statistics().buffer.preevictions, early ? 1u : 0u);
    EXPECT_EQ(rig.write(30), early ? kLookup : kLookup + kProgram);
  }
}

TEST(Preevict, AsManyFramesAsQueuedWritesNeed) {
  NvdimmParameters parameters = managed("preevict", 4);
  parameters.buffer.lookup = kMillisecond;
  Rig rig(parameters, 1, {{"policies.preevict.low_water", "0"}});
  rig.write_pages(0, 4);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.preevictions, 0u);
  for (std::uint32_t tag = 1; tag <= 3; ++tag) {
    send(rig, tag, 10 + tag, 0, true);
    send(rig, tag + 3, 10 + tag, 1, true);
  }
  send(rig, 7, 3, 0, true);  // has a frame
  EXPECT_EQ(rig.statistics().buffer.preevictions, 3u) << "one frame for each new page";
  const Tick sent = rig.now();
  rig.drain();
  EXPECT_EQ(ack_of(rig, 1), sent + kMillisecond);
  EXPECT_EQ(rig.statistics().buffer.evictions, 3u);
}

// One of four frames must be free for the next page, whichever pages wait for other frames.
TEST(Preevict, PagesThatWaitDoNotStopIt) {
  NvdimmParameters parameters = managed("preevict", 4);
  parameters.buffer.write_size = 4 * kPageBytes;
  parameters.buffer.lookup = kLookup;
  Rig rig(parameters, 1, {{"policies.preevict.low_water", "25"}});
  rig.write_pages(0, 4);
  EXPECT_EQ(rig.statistics().buffer.preevictions, 1u);
  const Tick sent = rig.now();
  send(rig, 1, 10, 0, true);
  rig.kernel().run_until(sent + kMicrosecond);
  send(rig, 2, 11, 0, true);
  rig.kernel().run_until(sent + 2 * kMicrosecond);
  EXPECT_EQ(ack_of(rig, 1), kNever) << "no frame is free yet";
  EXPECT_EQ(rig.statistics().buffer.preevictions, 3u);
  EXPECT_EQ(rig.statistics().buffer.evictions, 3u);
  rig.drain();
  EXPECT_LT(ack_of(rig, 2), sent + 3 * kMicrosecond + kProgram) << "written back side by side";
}

TEST(Preevict, CompletePagesAreWrittenBackFirst) {
  NvdimmParameters parameters = managed("preevict");
  parameters.buffer.write_size = 4 * kPageBytes;
  Rig rig(parameters, 1, {{"policies.preevict.low_water", "25"}});
  rig.write(0);  // the oldest, and incomplete
  rig.write_page(1);
  rig.write_page(2);
  rig.write_page(3);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.preevictions, 1u);
  EXPECT_EQ(rig.write(0, 1), kLookup) << "page 0 is still there";
  EXPECT_EQ(rig.statistics().buffer.write_hits + rig.statistics().buffer.write_merged, 3u * 63 + 1);
}

TEST(Preevict, IdleLunsOnly) {
  NvdimmParameters parameters = managed("preevict", 2);
  parameters.ftl.allocation = PageAllocation::fixed;
  parameters.ftl.over_provisioning = 80;
  parameters.buffer.write_size = 8 * kPageBytes;
  Rig rig(parameters, 1, {{"policies.preevict.low_water", "50"}});
  for (const std::int64_t page : {0, 2, 4, 6, 8}) {  // all on LUN 0
    rig.write_page(page);
  }
  EXPECT_EQ(rig.statistics().buffer.preevictions, 1u);
  rig.write_page(1);
  EXPECT_EQ(rig.statistics().buffer.preevictions, 1u)
      << "all that time queued commands ask for page 1";
  rig.kernel().run_until(rig.now() + kMicrosecond);
  EXPECT_EQ(rig.statistics().buffer.preevictions, 2u) << "LUN 1, though its page is the newest";
}

// The high mark of 20 frames is 10, the low one 9.
TEST(Watermark, PagesAreWrittenBackFromTheHighMarkToTheLowOne) {
  NvdimmParameters parameters = managed("watermark");
  parameters.buffer.write_size = 20 * kPageBytes;
  Rig rig(parameters);
  rig.write_pages(0, 10);
  rig.drain();
  EXPECT_EQ(rig.statistics().buffer.preevictions, 0u);
  for (std::int64_t page = 10; page < 15; ++page) {
    rig.write_page(page);
    rig.drain();
    EXPECT_EQ(rig.statistics().buffer.preevictions, static_cast<Counter>(page / 2 * 2 - 8))
        << "two, then none";
  }
  EXPECT_EQ(rig.write(0), kLookup) << "a frame is free";
}

// A full write part of 64 frames, and time for the LUN: 29 frames stay dirty. A burst of 35 writes
// to other pages waits only for its lookups; on demand, each write waits for a program.
TEST(Watermark, ABurstAfterIdleTimeFindsFreeFrames) {
  for (const bool early : {false, true}) {
    NvdimmParameters parameters = managed(early ? "watermark" : "on_demand");
    parameters.buffer.write_size = 64 * kPageBytes;
    parameters.precondition.fill = 0.5;
    parameters.precondition.pattern = PreconditionPattern::sequential;
    parameters.precondition.buffer = PreconditionBuffer::dirty;
    Rig rig(parameters);
    rig.drain();
    EXPECT_EQ(rig.statistics().buffer.preevictions, early ? 35u : 0u);
    for (std::int64_t page = 64; page < 99; ++page) {
      EXPECT_EQ(rig.write(page), early ? kLookup : kLookup + kProgram);
    }
  }
}

// 90 % of the writes go to 32 hot pages, which fit below the low mark of 116 frames. One write
// each 100 us keeps the LUNs mostly idle.
TEST(Watermark, HotPagesAreProgrammedAsRarelyAsOnDemand) {
  const auto programmed = [](const char* manager) {
    NvdimmParameters parameters = plain_nvdimm();
    parameters.capacity = Bytes(512 << 20);
    parameters.buffer.write_size = 256 * kPageBytes;
    parameters.buffer.manager = manager;
    Rig rig(parameters);
    Random random(5);
    Counter before = 0;
    for (int i = 0; i < 220'000; ++i) {
      before = i == 20'000 ? rig.statistics().ftl.host_pages : before;
      const bool hot = random.below(10) != 0;
      rig.write(static_cast<std::int64_t>(hot ? random.below(32) : 32 + random.below(90'000)));
      rig.kernel().run_until(rig.now() + 100 * kMicrosecond);
    }
    return static_cast<double>(rig.statistics().ftl.host_pages - before);
  };
  const double on_demand = programmed("on_demand");
  EXPECT_NEAR(on_demand, 20'000, 400) << "one for each write to a cold page";
  EXPECT_NEAR(programmed("watermark"), on_demand, 0.01 * on_demand);
}

TEST(Lookahead, ManagersChangeNothingThatIsRead) {
  for (const std::string& manager : policy_names(PolicyKind::buffer_manager)) {
    for (const BufferGranularity granularity : {BufferGranularity::page, BufferGranularity::item}) {
      NvdimmParameters parameters = managed(manager.c_str(), 2, 2);
      parameters.buffer.granularity = granularity;
      parameters.buffer.read_size = 2 * kPageBytes;
      parameters.buffer.write_size = 2 * kPageBytes;
      parameters.nand.pages_per_block = 8;
      Rig rig(parameters);
      Random random(7);
      rig.run(10'000, 32, [&random](std::int64_t, Address& address, bool& write) {
        address = line_address(static_cast<std::int64_t>(random.below(20)),
                               static_cast<std::int64_t>(random.below(64)));
        write = random.below(2) == 0;
      });
      EXPECT_EQ(rig.acks.size(), 10'000u);
      rig.drain();
      EXPECT_TRUE(rig.nvdimm().idle());
      const NvdimmStatistics s = rig.statistics();
      EXPECT_LE(s.buffer.prefetch_useful + s.buffer.prefetch_late + s.buffer.prefetch_unused,
                s.buffer.prefetches);
      EXPECT_EQ(s.buffer.prefetches > 100, manager.find("prefetch") != std::string::npos);
    }
  }
}

}  // namespace
}  // namespace hmsim
