// SPDX-License-Identifier: BSD-3-Clause
// Does a channel of high bandwidth flash conserve requests, bytes, senses and bank time? Counts
// come from statistics and from the log of flash operations.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/cc/controller/hbf_rig.h"

namespace hmsim::testing {
namespace {

constexpr int kConfigurations = 500;
constexpr std::int64_t kRead = 4'000'000;
constexpr std::int64_t kProgram = 9'000'000;
constexpr std::int64_t kErase = 31'000'000;

class HbfTraffic {
 public:
  explicit HbfTraffic(std::uint64_t seed) : random_(seed), rig_(draw()) {}

  void traffic() {
    const auto banks = rig_.config.nvdimm.hbf.banks_of_channel();
    for (int i = 0; i < 250; ++i) {
      const std::int64_t bank = below(banks);
      const std::int64_t block = below(2);
      if (below(3) == 0) {
        write(bank, block, banks);
      } else {
        const std::int64_t first = below(64);
        const std::int64_t page = (block * pages_ + below(pages_)) * banks + bank;
        reads_.push_back(rig_.send(page * kPageBytes.value() + first * 64, false,
                                   static_cast<int>(1 + below(64 - first))));
      }
      if (below(3) == 0) {
        rig_.kernel.run_until(rig_.kernel.now() + Tick(below(8'000'000)));
      }
    }
    rig_.drain();
  }

  void check() {
    std::int64_t returned = 0;
    std::int64_t sent = 0;
    std::int64_t programmed = 0;  // lines
    for (std::size_t tag = 0; tag < rig_.done.size(); ++tag) {
      ASSERT_NE(rig_.done[tag], kNever) << "request " << tag << " is not answered";
    }
    ASSERT_EQ(rig_.order.size(), rig_.sent.size());
    const std::int64_t granule = rig_.config.nvdimm.hbf.read_granularity.value();
    for (const Request& request : rig_.order) {
      const std::int64_t begin = request.address.value();
      const std::int64_t end = begin + request.size().value();
      if (request.write) {
        sent += request.size().value();
        programmed += rig_.status[request.tag] == HbfStatus::done ? request.lines : 0;
      } else {
        returned += (end + granule - 1) / granule * granule - begin / granule * granule;
      }
    }
    const std::int64_t header = rig_.config.nvdimm.hbf.header.value();
    EXPECT_EQ(rig_.value("hbf.to_host.bytes"), returned);
    EXPECT_EQ(rig_.value("hbf.header_bytes"),
              header * static_cast<std::int64_t>(rig_.order.size()));
    EXPECT_EQ(rig_.value("hbf.to_device.bytes"), sent + rig_.value("hbf.header_bytes"));
    EXPECT_EQ(rig_.value("hbf.pages") * 64, programmed);
    EXPECT_EQ(rig_.value("nvdimm.nand.programs"), rig_.value("hbf.pages"));
    EXPECT_EQ(rig_.senses(), rig_.value("hbf.misses"));
    EXPECT_EQ(rig_.value("hbf.hits") + rig_.value("hbf.merged") + rig_.value("hbf.misses") +
                  rig_.value("hbf.pending_reads"),
              static_cast<std::int64_t>(reads_.size()));
    if (rig_.config.nvdimm.hbf.cache_pages == 0) {
      EXPECT_EQ(rig_.value("hbf.hits") + rig_.value("hbf.merged"), 0);
    }
    check_banks();
    check_programs();
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  std::string pick(const std::vector<const char*>& from) {
    return from[random_.below(from.size())];
  }
  // One draw per statement, so that every compiler draws the same.
  Assignments draw() {
    Assignments drawn{{"nvdimm.nand.program_time", "9us"}, {"nvdimm.nand.erase_time", "31us"}};
    const auto add = [&](const char* name, const std::vector<const char*>& values) {
      const std::string value = pick(values);
      drawn.emplace_back(name, value);
      return value;
    };
    pages_ = std::stoll(add("nvdimm.nand.pages_per_block", {"4", "8"}));
    add("nvdimm.capacity", {"16MiB", "32MiB"});
    add("hbf.grade", {"1", "2", "3"});
    add("hbf.dies", {"1", "4"});
    add("hbf.banks", {"1", "4", "16"});
    add("hbf.cache_pages", {"0", "1", "2", "5"});
    add("hbf.merge", {"true", "false"});
    add("hbf.header", {"0B", "64B", "16B"});
    add("hbf.accumulate", {"1ps", "2us", "1ms"});
    add("hbf.pending_writes", {"1", "2", "64"});
    add("hbf.outstanding", {"1", "5", "256"});
    add("hbf.read_latency", {"0s", "13ns"});
    add("hbf.write_latency", {"0s", "7ns"});
    add("hbf.read_granularity", {"64B", "512B", "4KiB"});
    add("hbf.erased_at_start", {"true", "false"});
    add("controller.nvdimm_queue_depth", {"1", "7", "4096"});
    add("controller.nvdimm_scheduler", {"fcfs", "fr_fcfs", "fcfs_strict", "bliss", "par_bs"});
    return drawn;
  }

  // Writes the next page of the block, in parts at times; sometimes another page.
  void write(std::int64_t bank, std::int64_t block, std::int64_t banks) {
    std::int64_t& next = next_[{bank, block}];
    const std::int64_t number = below(8) == 0 ? below(pages_) : next % pages_;
    next = number + 1;
    const std::int64_t page = (block * pages_ + number) * banks + bank;
    const std::int64_t parts = below(2) == 0 ? 1 : 1 + below(6);
    const std::int64_t lines = (64 + parts - 1) / parts;
    for (std::int64_t first = 0; first < 64; first += lines) {
      rig_.send(page * kPageBytes.value() + first * 64, true,
                static_cast<int>(std::min(lines, 64 - first)));
    }
  }

  // The cells of a bank work on one operation at a time, and for the time of all operations.
  void check_banks() const {
    std::map<std::uint32_t, Tick> ends;
    std::int64_t busy = 0;
    for (const FlashRecord& record : rig_.log) {
      if (record.stage == FlashStage::cells) {
        EXPECT_GE(record.start, ends[record.lun]);
        ends[record.lun] = record.end;
        busy += (record.end - record.start).value();
      }
    }
    EXPECT_EQ(busy, rig_.senses() * kRead + rig_.value("nvdimm.nand.programs") * kProgram +
                        rig_.value("nvdimm.nand.erases") * kErase);
  }

  // A page is answered after its program. Each program of page 0 follows an erase, unless its
  // block is clean; pages of a block follow each other.
  void check_programs() const {
    std::map<std::uint64_t, std::int64_t> filled;  // by block; missing: clean, or old contents
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<Tick>> ends;
    std::int64_t erases = 0;
    const bool clean = rig_.config.nvdimm.hbf.erased_at_start;
    for (const FlashRecord& record : rig_.log) {
      if (record.stage != FlashStage::cells) {
        continue;
      }
      if (record.operation == FlashOperation::erase) {
        EXPECT_TRUE(!clean || filled.count(record.block) != 0) << "erase of a clean block";
        filled[record.block] = 0;
        ++erases;
      } else if (record.operation == FlashOperation::program) {
        if (filled.count(record.block) == 0) {
          EXPECT_TRUE(clean) << "program without an erase";
        }
        EXPECT_EQ(filled[record.block], record.page);
        ++filled[record.block];
        ends[{record.block, record.page}].push_back(record.end);
      }
    }
    EXPECT_EQ(erases, rig_.value("nvdimm.nand.erases"));
    const std::int64_t banks = rig_.config.nvdimm.hbf.banks_of_channel();
    const std::int64_t blocks = rig_.channel.device().pages() / banks / pages_;
    for (const Request& request : rig_.order) {
      if (!request.write || rig_.status[request.tag] != HbfStatus::done) {
        continue;
      }
      const std::int64_t page = request.address.value() / kPageBytes.value();
      const auto block = static_cast<std::uint64_t>(page % banks * blocks + page / banks / pages_);
      const auto number = static_cast<std::uint32_t>(page / banks % pages_);
      bool ended = false;
      for (const Tick end : ends[{block, number}]) {
        ended = ended || (end <= rig_.done[request.tag] && end > rig_.sent[request.tag]);
      }
      EXPECT_TRUE(ended) << "request " << request.tag << " was answered before its program";
    }
  }

  Random random_;
  std::int64_t pages_ = 0;
  mutable HbfRig rig_;
  std::vector<std::uint32_t> reads_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> next_;
};

TEST(HbfConservation, HoldsInRandomConfigurations) {
  for (std::uint64_t seed = 0; seed < kConfigurations; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    HbfTraffic run(seed);
    run.traffic();
    run.check();
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
}

}  // namespace
}  // namespace hmsim::testing
