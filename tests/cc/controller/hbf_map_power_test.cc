// SPDX-License-Identifier: BSD-3-Clause
// What survives a power failure of high bandwidth flash whose pages the host maps? The pages that
// were programmed, and not the map.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/host_ftl/hbf_ftl.h"
#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_rig.h"

namespace hmsim::testing {
namespace {

constexpr int kParts = 10;
constexpr int kFailures = 200;  // in each part
constexpr std::int64_t kBanks = 4;
constexpr std::int64_t kPages = 8;  // of a block

// An HBF channel with its FTL. HBM lines are answered before the next event.
class MappedRig final : public Requester,
                        public SourceProgress,
                        public FlashObserver,
                        private HostPath {
 public:
  // Keeps stamps of every `every`th line of a page.
  MappedRig(const Assignments& more, std::int64_t every)
      : step(every),
        config(make_config(with(kHbf, more)).channel_configs().back()),
        channel(new HbfChannel(config, 0, 5)),
        ftl(config, 0, std::unique_ptr<HbfChannel>(channel), *this, 5) {
    ftl.attach(kernel, requesters_, *this);
    ftl.add_requesters(requesters_);
    ftl.register_statistics(registry_, {&ftl});
    channel->device().flash().add_observer(*this);
  }

  // Writes a page, or a part of it that begins at a line of the channel.
  void write(std::int64_t page) { write(page * 64, 64); }
  void write(std::int64_t line, int lines) {
    Request request;
    request.memory = MemoryClass::nvdimm;
    request.address = Address(line * 64);
    request.write = true;
    request.lines = static_cast<std::uint8_t>(lines);
    request.tag = writes++;
    for (int i = 0; i < lines; ++i) {
      if ((line + i) % 64 % step == 0) {
        latest[line + i] = request.tag;
      }
    }
    ftl.send(request, kernel.now());
  }
  void run_until(Tick end) {
    for (bool runs = true; runs;) {
      runs = kernel.step(end);
      while (!lines_.empty()) {
        const std::vector<Request> now = std::move(lines_);
        lines_.clear();
        for (const Request& line : now) {
          requesters_[line.agent]->on_complete(line, kernel.now());
        }
        runs = true;
      }
    }
    kernel.run_until(end);
  }

  std::size_t count(const char* path) {
    return static_cast<std::size_t>(number_of(statistic_of(registry_, path)));
  }

  void on_complete(const Request& request, Tick /*now*/) override { done.insert(request.tag); }
  LineData write_data(const Request& request) const override {
    LineData data;
    for (std::size_t i = 0; i < 64; ++i) {
      data.bytes[i] = static_cast<std::uint8_t>((request.tag + 1) >> (8 * (i % 4)));
    }
    return data;
  }
  void on_flash(const FlashRecord& record) override { log.push_back(record); }
  void on_programmed(std::uint64_t /*block*/, std::uint32_t /*pages*/) override {}
  void on_bad(std::uint64_t /*block*/) override {}
  std::int64_t instructions(std::uint16_t /*source*/) const override { return 0; }

  const std::int64_t step;
  const SystemConfig config;
  Kernel kernel;
  HbfChannel* const channel;  // of the FTL
  HbfFtl ftl;
  std::vector<FlashRecord> log;
  using Stamps = std::array<std::uint32_t, 64>;      // of the lines of a page
  std::uint32_t writes = 0;                          // sent
  std::map<std::int64_t, std::uint32_t> latest;      // logical line -> its latest write
  std::set<std::uint32_t> done;                      // writes that were answered
  std::map<std::int64_t, std::vector<Stamps>> sent;  // page of flash -> written pages, in order

 private:
  void forward(Request request, Tick now) override { originate(request, now); }
  void originate(Request& request, Tick now) override {
    request.id = next_id_++;
    request.arrival = now;
    if (request.memory == MemoryClass::dram) {
      lines_.push_back(request);
      return;
    }
    if (request.write) {
      Stamps stamps{};
      Request line = request;
      for (std::int64_t i = 0; i < 64; i += step, line.address += Address(64 * step)) {
        stamps[static_cast<std::size_t>(i)] =
            stamp(requesters_[request.agent]->write_data(line).bytes);
      }
      sent[request.address.value() / 4096].push_back(stamps);
    }
    ftl.send(request, now);
  }

 public:
  static std::uint32_t stamp(const LineBytes& line) {
    return line[0] | std::uint32_t{line[1]} << 8 | std::uint32_t{line[2]} << 16;
  }

 private:
  std::vector<Requester*> requesters_{this};
  std::vector<Request> lines_;
  StatisticRegistry registry_;
  std::uint64_t next_id_ = 0;
};

Assignments drawn(Random& random) {
  return drawn_from(
      random,
      keys_from(
          "system.store_data=true hbf.ftl=host hbf.dies=4 hbf.banks=1 nvdimm.capacity=1536KiB "
          "nvdimm.ftl.over_provisioning=150 nvdimm.nand.pages_per_block=8 "
          "nvdimm.nand.program_time=9us "
          "nvdimm.nand.erase_time=31us"),
      {{"hbf.pending_writes", {"1", "8", "64"}},
       {"hbf.copies", {"1", "4"}},
       {"hbf.map_in", {"none", "hbm"}}});
}

// Returns the stamps that pages of flash hold by the log of operations: of a page at the end of its
// program, unless its block's erase has begun.
std::map<std::int64_t, MappedRig::Stamps> survivors(const MappedRig& rig) {
  std::map<std::int64_t, MappedRig::Stamps> alive;
  std::map<std::int64_t, std::size_t> programs;
  const std::int64_t blocks = rig.config.nvdimm.capacity.value() / 4096 / kPages / kBanks;
  for (const FlashRecord& record : rig.log) {
    const auto block = static_cast<std::int64_t>(record.block);
    const std::int64_t first = block % blocks * kPages * kBanks + block / blocks;
    const std::int64_t page = first + record.page * kBanks;
    if (record.operation == FlashOperation::erase && record.stage == FlashStage::cells) {
      for (std::int64_t i = 0; i < kPages; ++i) {
        alive.erase(first + i * kBanks);
      }
    } else if (record.operation == FlashOperation::program && record.stage == FlashStage::done) {
      alive[page] = rig.sent.at(page)[programs[page]++];
    }
  }
  return alive;
}

// Fails the power. Expects that flash holds the pages that were programmed by the log and no other
// bytes, that the latest answered write of each line is among them, and that the map is lost.
void fail_power(MappedRig& rig) {
  for (const auto& [line, write] : rig.latest) {
    ASSERT_EQ(MappedRig::stamp(rig.ftl.peek(Address(line * 64))), write + 1) << "line " << line;
  }
  rig.ftl.power_fail({rig.kernel.now(), kNever, std::nullopt}, 0);
  const std::map<std::int64_t, MappedRig::Stamps> alive = survivors(rig);
  std::set<std::pair<std::int64_t, std::uint32_t>> stamps;  // by line of the page
  for (std::int64_t page = 0; page < rig.config.nvdimm.capacity.value() / 4096; ++page) {
    const auto found = alive.find(page);
    for (std::int64_t line = 0; line < 64; line += rig.step) {
      const Address at(page * 4096 + line * 64);
      const std::uint32_t stamp = MappedRig::stamp(rig.channel->peek(at));
      ASSERT_EQ(stamp, found == alive.end() ? 0 : found->second[static_cast<std::size_t>(line)])
          << "page " << page << " of flash";
      stamps.insert({line, stamp});
    }
  }
  for (const auto& [line, write] : rig.latest) {
    ASSERT_EQ(rig.ftl.peek(Address(line * 64)), LineBytes{}) << "line " << line;
    if (rig.done.count(write) != 0) {
      ASSERT_EQ(stamps.count({line % 64, write + 1}), 1U) << "an answered write is nowhere";
    }
  }
}

class HbfMapPowerOfPages : public ::testing::TestWithParam<int> {};

TEST_P(HbfMapPowerOfPages, ProgrammedPagesSurviveAndTheMapDoesNot) {
  Random random(static_cast<std::uint64_t>(33 + GetParam()));
  int pending = 0;
  std::size_t copied = 0;
  for (int round = 0; round < kFailures; ++round) {
    SCOPED_TRACE("failure " + std::to_string(round));
    MappedRig rig(drawn(random), 63);
    const auto logical = rig.ftl.ftl().shape().logical_pages;
    const auto writes = static_cast<int>(random.below(500));
    for (int i = 0; i < writes; ++i) {
      rig.write(static_cast<std::int64_t>(random.below(logical)));
      rig.run_until(rig.kernel.now() + Tick(static_cast<std::int64_t>(random.below(5'000'000))));
    }
    pending += rig.done.size() < rig.writes ? 1 : 0;
    copied += rig.count("hbf.gc.flash_writes");
    fail_power(rig);
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(pending, kFailures / 4);
  EXPECT_GT(copied, 3U * kFailures);
}

INSTANTIATE_TEST_SUITE_P(Part, HbfMapPowerOfPages, ::testing::Range(0, kParts));

// Parts that gather in the host are lost, and none of them was answered.
TEST(HbfMapPower, GatheredPartsAreLost) {
  Random random(50);
  int lost = 0;
  std::size_t written = 0;
  for (int round = 0; round < kFailures; ++round) {
    SCOPED_TRACE("failure " + std::to_string(round));
    Assignments config = drawn(random);
    config.emplace_back("hbf.accumulate", random.below(2) == 0 ? "30us" : "1ms");
    MappedRig rig(config, 1);
    const std::uint64_t lines = 64 * std::uint64_t{rig.ftl.ftl().shape().logical_pages};
    const auto writes = static_cast<int>(random.below(300));
    std::uint64_t walk = 0;
    for (int i = 0; i < writes; ++i) {
      const std::uint64_t what = random.below(8);
      if (what == 0) {
        rig.write(static_cast<std::int64_t>(random.below(lines / 64)));
      } else if (what < 4) {
        rig.write(static_cast<std::int64_t>(random.below(lines)), 1);
      } else {
        rig.write(static_cast<std::int64_t>(walk), 16);
        walk = (walk + 16) % lines;
      }
      rig.run_until(rig.kernel.now() + Tick(static_cast<std::int64_t>(random.below(5'000'000))));
    }
    const std::size_t answered = rig.count("hbf.parts.written");
    const std::size_t gathered = rig.count("hbf.parts.writes") - answered;
    lost += gathered > 0 ? 1 : 0;
    written += answered;
    EXPECT_LE(rig.done.size(), rig.writes - gathered);
    fail_power(rig);
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(lost, kFailures / 2);
  EXPECT_GT(written, 20U * kFailures);
}

}  // namespace
}  // namespace hmsim::testing
