// SPDX-License-Identifier: BSD-3-Clause
// Does exactly what was programmed survive a power failure of high bandwidth flash?
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/hbf_rig.h"
#include "tests/cc/words.h"

namespace hmsim::testing {
namespace {

constexpr int kFailures = 2000;
constexpr std::int64_t kBanks = 4;
constexpr std::int64_t kPages = 8;  // of a block

Assignments drawn(Random& random) {
  return drawn_from(
      random,
      keys_from(
          "system.store_data=true hbf.dies=4 hbf.banks=1 nvdimm.capacity=1MiB "
          "nvdimm.nand.pages_per_block=8 nvdimm.nand.program_time=9us nvdimm.nand.erase_time=31us "
          "controller.nvdimm_queue_depth=128"),
      {{"hbf.pending_writes", {"1", "8", "64"}},
       {"hbf.erased_at_start", {"true", "false"}},
       {"hbf.read_latency", {"0s", "200ns"}}});
}

// Writes blocks in order, again and again. Returns the number of each write by page.
std::map<std::int64_t, std::vector<std::uint32_t>> write_blocks(HbfRig& rig, Random& random) {
  std::map<std::int64_t, std::vector<std::uint32_t>> writes;
  std::map<std::int64_t, std::int64_t> next;  // by bank
  rig.read(0);                                // request 0 would write zeros
  const auto count = static_cast<int>(random.below(100));
  for (int i = 0; i < count; ++i) {
    const auto bank = static_cast<std::int64_t>(random.below(kBanks));
    const std::int64_t page = (next[bank]++ % (2 * kPages)) * kBanks + bank;
    writes[page].push_back(rig.write(page));
    rig.kernel.run_until(rig.kernel.now() +
                         Tick(static_cast<std::int64_t>(random.below(9'000'000))));
  }
  rig.kernel.run_until(rig.kernel.now() +
                       Tick(static_cast<std::int64_t>(random.below(40'000'000))));
  return writes;
}

struct Survivors {
  std::map<std::int64_t, std::uint32_t> pages;  // page -> write
  std::map<std::int64_t, int> under_way;        // programs, by first page of a block
};

// Returns what survives by the log of operations: a page at the end of its program, unless its
// block's erase has begun.
Survivors survivors(const HbfRig& rig,
                    const std::map<std::int64_t, std::vector<std::uint32_t>>& writes) {
  Survivors alive;
  std::map<std::int64_t, std::size_t> programs;
  const std::int64_t blocks = rig.config.nvdimm.capacity.value() / 4096 / kPages / kBanks;
  for (const FlashRecord& record : rig.log) {
    const auto block = static_cast<std::int64_t>(record.block);
    const std::int64_t first = block % blocks * kPages * kBanks + block / blocks;
    const std::int64_t page = first + record.page * kBanks;
    if (record.operation == FlashOperation::erase && record.stage == FlashStage::cells) {
      for (std::int64_t i = 0; i < kPages; ++i) {
        alive.pages.erase(first + i * kBanks);
      }
    } else if (record.operation == FlashOperation::program) {
      if (record.stage == FlashStage::command) {
        ++alive.under_way[first];
      } else if (record.stage == FlashStage::done) {
        --alive.under_way[first];
        alive.pages[page] = writes.at(page)[programs[page]++];
      }
    }
  }
  return alive;
}

void expect_contents(const HbfChannel& channel, const Survivors& alive) {
  for (std::int64_t page = 0; page < 2 * kPages * kBanks; ++page) {
    const auto found = alive.pages.find(page);
    for (const std::int64_t line : {0, 63}) {
      EXPECT_EQ(word_at(channel.peek(Address(page * 4096 + line * 64)), 0),
                found == alive.pages.end() ? 0 : found->second)
          << "page " << page;
    }
  }
}

TEST(HbfPower, ExactlyTheProgrammedPagesSurvive) {
  Random random(21);
  int pending = 0;
  int torn = 0;
  for (int round = 0; round < kFailures; ++round) {
    SCOPED_TRACE("failure " + std::to_string(round));
    const Assignments config = drawn(random);
    HbfRig rig(config);
    const auto writes = write_blocks(rig, random);
    pending += std::count(rig.done.begin(), rig.done.end(), kNever) > 0 ? 1 : 0;
    const Survivors alive = survivors(rig, writes);
    rig.channel.power_fail({rig.kernel.now(), kNever, std::nullopt}, 0);
    expect_contents(rig.channel, alive);
    HbfRig after(config);
    after.channel.restore(rig.channel, Tick(0), kNever);
    expect_contents(after.channel, alive);
    // A block goes on behind its pages, unless a program was interrupted.
    for (std::int64_t bank = 0; bank < kBanks; ++bank) {
      std::int64_t next = 0;
      while (next < kPages && alive.pages.count(next * kBanks + bank) != 0) {
        ++next;
      }
      const bool interrupted = alive.under_way.count(bank) != 0 && alive.under_way.at(bank) > 0;
      torn += interrupted ? 1 : 0;
      if (next > 0 && next < kPages) {
        const std::uint32_t write = after.write(next * kBanks + bank);
        after.drain();
        EXPECT_EQ(after.status[write], interrupted ? HbfStatus::out_of_order : HbfStatus::done);
      }
      const std::uint32_t again = after.write(bank);
      after.drain();
      EXPECT_EQ(after.status[again], HbfStatus::done);
    }
    if (::testing::Test::HasFailure()) {
      return;
    }
  }
  EXPECT_GT(pending, kFailures / 4) << "writes under way";
  EXPECT_GT(torn, kFailures / 10) << "interrupted programs";
}

// Reads return the bytes of the latest write before them, from the write buffer, the cache and
// flash.
class Reader final : public Requester {
 public:
  explicit Reader(HbfRig& rig) : rig_(rig) {}
  void on_complete(const Request& request, Tick now) override { rig_.on_complete(request, now); }
  void on_read_data(const Request& request, const LineBytes& bytes) override {
    ++lines;
    EXPECT_EQ(word_at(bytes, 0), expected[request.tag]) << "request " << request.tag;
  }
  std::map<std::uint32_t, std::uint64_t> expected;
  int lines = 0;

 private:
  HbfRig& rig_;
};

TEST(HbfPower, ReadsReturnTheLatestWrite) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    HbfRig rig(drawn(random));
    Reader reader(rig);
    rig.answer_to(reader);
    rig.read(0);
    std::map<std::int64_t, std::uint32_t> latest;
    std::map<std::int64_t, std::int64_t> next;
    int lines = 64;
    for (int i = 0; i < 200; ++i) {
      const auto bank = static_cast<std::int64_t>(random.below(kBanks));
      if (random.below(2) == 0) {
        const std::int64_t number = next[bank]++ % (2 * kPages);
        if (number % kPages == 0) {  // its block is erased
          for (std::int64_t k = 0; k < kPages; ++k) {
            latest.erase((number + k) * kBanks + bank);
          }
        }
        latest[number * kBanks + bank] = rig.write(number * kBanks + bank);
      } else if (!latest.empty()) {
        auto page = latest.begin();
        std::advance(page, static_cast<std::int64_t>(random.below(latest.size())));
        const int size = 1 + static_cast<int>(random.below(64));
        reader.expected[rig.read(page->first, size)] = page->second;
        lines += size;
        if (random.below(2) == 0) {
          rig.drain();
        }
      }
    }
    rig.drain();
    EXPECT_EQ(reader.lines, lines);
  }
}

}  // namespace
}  // namespace hmsim::testing
