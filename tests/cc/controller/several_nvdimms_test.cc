// SPDX-License-Identifier: BSD-3-Clause
// Several NVDIMMs on a channel: the page mapping, gaps on the data bus, and flushes of all of them.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "controller/memory_system.h"
#include "nvdimm/nvdimm.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"
#include "tests/cc/names.h"

namespace hmsim::testing {
namespace {

constexpr auto kNvdimm = MemoryClass::nvdimm;
const Assignments kQuiet = with(kSmallNvdimm, {{"dram.refresh", "false"}});

TEST(SeveralNvdimms, EachPageIsInOneNvdimm) {
  for (const char* const count : {"2", "3", "4", "8"}) {
    for (const char* const interleave : {"page", "range", "device"}) {
      const SystemConfig config =
          make_config(with(kSmallNvdimm, {{"nvdimm.count", count},
                                          {"nvdimm.ftl.over_provisioning", "100"},
                                          {"nvdimm.capacity", "3MiB"},
                                          {"nvdimm.nand.chips", "1"},
                                          {"nvdimm.nand.channels", "1"},
                                          {"nvdimm.nand.pages_per_block", "16"},
                                          {"nvdimm.interleave", interleave},
                                          {"nvdimm.interleave_size", "12KiB"},
                                          {"controller.channels", "2"}}));
      const std::int64_t pages = logical_pages(config.nvdimm);
      const std::int64_t devices = config.population.count;
      const AddressMap map(config);
      std::set<std::pair<int, std::int64_t>> seen;
      for (std::int64_t page = 0; page < 2 * devices * pages; ++page) {
        const NvdimmPlace place = map.nvdimm(Address(page * kPageBytes.value() + 192));
        EXPECT_EQ(place.channel, page % 2);
        EXPECT_EQ(place.address, Address(place.page * kPageBytes.value() + 192));
        EXPECT_EQ(place.device, place.page / pages) << "device by device";
        const std::int64_t own = page / 2;
        const std::int64_t expected = interleave == std::string("page")    ? own % devices
                                      : interleave == std::string("range") ? own / 3 % devices
                                                                           : own / pages;
        EXPECT_EQ(place.device, expected);
        seen.emplace(place.channel, place.page);
      }
      EXPECT_EQ(seen.size(), static_cast<std::size_t>(2 * devices * pages));
      EXPECT_EQ(config.nvdimm_capacity(), 2 * devices * pages * kPageBytes);
    }
  }
}

// Lines that are ready together: bursts of one NVDIMM follow each other; bursts of two leave a gap.
TEST(SeveralNvdimms, TheBusRestsBetweenBurstsOfTwo) {
  for (const char* const ack : {"grant", "auto"}) {
    ChannelUnderTest channel(with(kQuiet, {{"nvdimm.count", "2"}, {"controller.ack", ack}}));
    for (const std::int64_t page : {0, 1, 2}) {  // pages 0 and 2 are on the first one
      channel.send(kNvdimm, Address(page * kPageBytes.value()));
    }
    channel.run_to(Cycle(200'000));
    const std::size_t before = channel.log_.size();
    for (const std::int64_t page : {0, 2, 1}) {
      channel.send(kNvdimm, Address(page * kPageBytes.value() + 64));
    }
    channel.run_to(Cycle(300'000));
    std::vector<Cycle> bursts;
    std::vector<int> ranks;
    for (std::size_t i = before; i < channel.log_.size(); ++i) {
      if (channel.log_[i].command == ChannelCommand::nvdimm_read) {
        bursts.push_back(channel.log_[i].cycle);
        ranks.push_back(channel.log_[i].rank);
      }
    }
    const DramTiming& timing = channel.config_.dram.timing;
    ASSERT_EQ(ranks, (std::vector<int>{1, 1, 2}));
    const Cycle other(timing.burst + timing.trtrs);
    EXPECT_EQ(bursts[1] - bursts[0], Cycle(timing.burst)) << ack;
    EXPECT_EQ(bursts[2] - bursts[1], other) << ack;
  }
}

TEST(SeveralNvdimms, AFlushIncludesAllAndEndsWithTheLast) {
  const Assignments write_back = with(kQuiet, {{"nvdimm.buffer.flush", "writeback"},
                                               {"nvdimm.interleave", "device"},
                                               {"nvdimm.unmapped_read", "zero"}});
  const auto flush_after = [&](const Assignments& more, std::vector<std::int64_t> pages) {
    ChannelUnderTest channel(with(write_back, more));
    const std::int64_t own = logical_pages(channel.config_.nvdimm);
    for (const std::int64_t page : pages) {
      channel.send(kNvdimm, Address(page * own * kPageBytes.value()), true);
    }
    channel.run_to(Cycle(1'000));
    const std::uint64_t flush = channel.flush();
    channel.run_to(Cycle(10'000'000));
    std::uint64_t written = 0;
    for (NvdimmModule* const module : channel.nvdimms()) {
      written += static_cast<Nvdimm*>(module)->statistics().buffer.flushed_pages;
    }
    EXPECT_EQ(written, pages.size());
    return channel.finished_.at(flush);
  };
  const Cycle one = flush_after({{"nvdimm.count", "1"}}, {0});
  const Assignments two{{"nvdimm.count", "2"}};
  const Assignments slow = with(two, {{"nvdimm.devices", "1: nand.program_time=2ms"}});
  EXPECT_EQ(flush_after(two, {0}), one);
  EXPECT_EQ(flush_after(two, {1}), one);
  EXPECT_EQ(flush_after(two, {0, 1}), one) << "both at once";
  EXPECT_GT(flush_after(slow, {0, 1}), one + Cycle(1'000'000));
  EXPECT_EQ(flush_after(slow, {0}), one);
}

TEST(SeveralNvdimms, ShareAtMost64PseudoBanks) {
  const SystemConfig config = make_config({{"nvdimm.count", "3"},
                                           {"nvdimm.nand.channels", "8"},
                                           {"nvdimm.nand.chips", "4"},
                                           {"nvdimm.devices", "2: nand.channels=2, nand.chips=2"}});
  const PseudoBanks banks(config.nvdimms());
  EXPECT_EQ(banks.count(), 21 + 21 + 4);
  const std::int64_t pages = logical_pages(config.nvdimm);
  EXPECT_EQ(banks.of(20), 20);
  EXPECT_EQ(banks.of(21), 0);
  EXPECT_EQ(banks.of(pages), 21);
  EXPECT_EQ(banks.of(2 * pages + 5), 42 + 1);
}

std::string error_of(const Assignments& assignments) {
  return error_from([&] { make_config(assignments); });
}

// The first one is checked like the others, alone or not.
TEST(SeveralNvdimms, EachIsChecked) {
  const std::string wrong = "nvdimm.ftl.order: ";
  for (const char* count : {"1", "2", "3"}) {
    EXPECT_EQ(error_of({{"nvdimm.count", count}}), "");
    EXPECT_NE(error_of({{"nvdimm.count", count}, {"nvdimm.ftl.order", "CC"}}).find(wrong),
              std::string::npos)
        << count;
    EXPECT_TRUE(names(error_of({{"nvdimm.count", count}, {"nvdimm.command_queue", "100"}}),
                      {"nvdimm.command_queue: ", "128"}))
        << count;
  }
  EXPECT_NE(error_of({{"nvdimm.count", "3"}, {"nvdimm.devices", "2: ftl.order=CC"}})
                .find("nvdimm.devices: device 2: " + wrong),
            std::string::npos);
}

TEST(SeveralNvdimms, KnowHowLongALineTakesOnTheDataBus) {
  for (const char* preset : {"ddr3_1600_4gb_x8", "ddr4_2400t_8gb_x8", "ddr4_3200aa_16gb_x16"}) {
    const SystemConfig config = make_config({{"dram.preset", preset}, {"nvdimm.count", "2"}});
    const Tick burst = config.dram.timing.burst * config.dram.clock_period();
    const std::vector<NvdimmParameters> modules = config.nvdimms();
    ASSERT_EQ(modules.size(), 2u);
    EXPECT_EQ(modules[0].line_burst, burst);
    EXPECT_EQ(modules[1].line_burst, burst);
  }
}

TEST(SeveralNvdimms, ContradictoryKeysAreReported) {
  const std::string unlike = "1: capacity=16GiB";
  EXPECT_TRUE(names(error_of({{"nvdimm.count", "2"}, {"nvdimm.devices", unlike}}),
                    {"nvdimm.interleave: ", "'device'"}));
  EXPECT_EQ(
      error_of(
          {{"nvdimm.count", "2"}, {"nvdimm.devices", unlike}, {"nvdimm.interleave", "device"}}),
      "");
  EXPECT_TRUE(names(error_of({{"nvdimm.devices", "1: kind=pcm"}}),
                    {"nvdimm.devices: ", "'1'", "nvdimm.count"}));
  EXPECT_TRUE(names(error_of({{"nvdimm.count", "2"}, {"nvdimm.devices", "0: kind=pcm"}}),
                    {"nvdimm.devices: ", "'0'"}));
  EXPECT_NE(error_of({{"nvdimm.count", "2"}, {"nvdimm.devices", "1: kinds=pcm"}})
                .find("nvdimm.devices: device 1: kinds: "),
            std::string::npos);
  EXPECT_NE(error_of({{"nvdimm.count", "2"}, {"nvdimm.devices", "1: kind=pmc"}}).find("'pcm'"),
            std::string::npos);
  for (const char* of_all : {"present=false", "precondition.load=state", "precondition.buffer=1"}) {
    const std::string key = std::string(of_all).substr(0, std::string(of_all).find('='));
    EXPECT_TRUE(
        names(error_of({{"nvdimm.count", "2"}, {"nvdimm.devices", std::string("1: ") + of_all}}),
              {"nvdimm.devices: device 1: " + key + ": ", "all"}));
  }
  EXPECT_NE(error_of({{"nvdimm.count", "2"}, {"nvdimm.devices", "1: nand.chips=2; 1: nand.dies=1"}})
                .find("twice"),
            std::string::npos);
  EXPECT_NE(error_of({{"nvdimm.count", "2"}, {"nvdimm.devices", "1: ftl.order=CC"}})
                .find("nvdimm.devices: device 1: nvdimm.ftl.order: "),
            std::string::npos);
  EXPECT_TRUE(names(error_of({{"nvdimm.count", "2"},
                              {"nvdimm.interleave", "range"},
                              {"nvdimm.interleave_size", "1000KiB"}}),
                    {"nvdimm.interleave_size: ", "568KiB"}));
}

}  // namespace
}  // namespace hmsim::testing
