// SPDX-License-Identifier: BSD-3-Clause
// What survives a power failure of high bandwidth flash whose pages the host maps? The pages that
// were programmed, and not the map.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/hbf/hbf_ftl.h"
#include "core/random.h"
#include "tests/cc/controller/hbf_rig.h"

namespace hmsim::testing {
namespace {

constexpr int kFailures = 2000;
constexpr std::int64_t kBanks = 4;
constexpr std::int64_t kPages = 8;  // of a block

// An HBF channel with its FTL. HBM lines are answered before the next event.
class MappedRig final : public Requester,
                        public SourceProgress,
                        public FlashObserver,
                        private HostPath {
 public:
  explicit MappedRig(const Assignments& more)
      : config(make_config(with(kHbf, more)).channel_configs().back()),
        channel(config, 0, 5),
        ftl(config, 0, *this, 5) {
    requesters_ = {this, &ftl, &ftl.copier(), &ftl.gatherer()};
    channel.attach(kernel, requesters_, *this);
    ftl.attach(kernel, channel.device());
    ftl.set_requesters(requesters_, 1);
    channel.device().flash().add_observer(*this);
  }

  void write(std::int64_t page) {
    Request request;
    request.memory = MemoryClass::nvdimm;
    request.address = Address(page * 4096);
    request.write = true;
    request.lines = 64;
    request.tag = static_cast<std::uint32_t>(page_of.size());
    page_of.push_back(page);
    latest[page] = request.tag;
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

  const SystemConfig config;
  Kernel kernel;
  HbfChannel channel;
  HbfFtl ftl;
  std::vector<FlashRecord> log;
  std::vector<std::int64_t> page_of;                        // logical page, by write
  std::map<std::int64_t, std::uint32_t> latest;             // logical page -> its latest write
  std::set<std::uint32_t> done;                             // writes that were answered
  std::map<std::int64_t, std::vector<std::uint32_t>> sent;  // page of flash -> stamps, in order

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
      sent[request.address.value() / 4096].push_back(
          stamp(requesters_[request.agent]->write_data(request).bytes));
    }
    channel.send(request, now);
  }

 public:
  static std::uint32_t stamp(const LineBytes& line) {
    return line[0] | std::uint32_t{line[1]} << 8 | std::uint32_t{line[2]} << 16;
  }

 private:
  std::vector<Requester*> requesters_;
  std::vector<Request> lines_;
  std::uint64_t next_id_ = 0;
};

Assignments drawn(Random& random) {
  const auto pick = [&](const std::vector<const char*>& from) {
    return std::string(from[random.below(from.size())]);
  };
  Assignments all{{"system.store_data", "true"},
                  {"hbf.ftl", "host"},
                  {"hbf.dies", "4"},
                  {"hbf.banks", "1"},
                  {"nvdimm.capacity", "1536KiB"},
                  {"nvdimm.ftl.over_provisioning", "150"},
                  {"nvdimm.nand.pages_per_block", "8"},
                  {"nvdimm.nand.program_time", "9us"},
                  {"nvdimm.nand.erase_time", "31us"}};
  const std::string pending = pick({"1", "8", "64"});
  const std::string copies = pick({"1", "4"});
  const std::string map = pick({"none", "hbm"});
  all.emplace_back("hbf.pending_writes", pending);
  all.emplace_back("hbf.copies", copies);
  all.emplace_back("hbf.map_in", map);
  return all;
}

// Returns the stamps that pages of flash hold by the log of operations: of a page at the end of its
// program, unless its block's erase has begun.
std::map<std::int64_t, std::uint32_t> survivors(const MappedRig& rig) {
  std::map<std::int64_t, std::uint32_t> alive;
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

TEST(HbfMapPower, ProgrammedPagesSurviveAndTheMapDoesNot) {
  Random random(33);
  int pending = 0;
  std::size_t copied = 0;
  for (int round = 0; round < kFailures; ++round) {
    SCOPED_TRACE("failure " + std::to_string(round));
    MappedRig rig(drawn(random));
    const auto logical = rig.ftl.ftl().shape().logical_pages;
    const auto writes = static_cast<int>(random.below(500));
    for (int i = 0; i < writes; ++i) {
      rig.write(static_cast<std::int64_t>(random.below(logical)));
      rig.run_until(rig.kernel.now() + Tick(static_cast<std::int64_t>(random.below(5'000'000))));
    }
    for (const auto& [page, write] : rig.latest) {
      EXPECT_EQ(MappedRig::stamp(rig.ftl.peek(Address(page * 4096))), write + 1);
    }
    pending += rig.done.size() < rig.page_of.size() ? 1 : 0;
    copied += rig.ftl.copier().counts().flash_writes;
    rig.ftl.lose_power();
    rig.channel.lose_power(rig.kernel.now());
    const std::map<std::int64_t, std::uint32_t> alive = survivors(rig);
    std::set<std::uint32_t> stamps;
    for (std::int64_t page = 0; page < rig.config.nvdimm.capacity.value() / 4096; ++page) {
      const auto found = alive.find(page);
      const std::uint32_t stamp = MappedRig::stamp(rig.channel.peek_flash(Address(page * 4096)));
      EXPECT_EQ(stamp, found == alive.end() ? 0 : found->second) << "page " << page << " of flash";
      stamps.insert(stamp);
    }
    for (const auto& [page, write] : rig.latest) {
      EXPECT_EQ(rig.ftl.peek(Address(page * 4096)), LineBytes{}) << "page " << page;
      if (rig.done.count(write) != 0) {
        EXPECT_EQ(stamps.count(write + 1), 1U) << "an answered write is nowhere";
      }
    }
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(pending, kFailures / 4);
  EXPECT_GT(copied, 3U * kFailures);
}

}  // namespace
}  // namespace hmsim::testing
