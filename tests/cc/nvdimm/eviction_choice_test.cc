// SPDX-License-Identifier: BSD-3-Clause
// Which pages are written back next, early or because a write needs a frame, and which pages join
// them? Repeats the rules of evictor.h on a list of candidate pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/cc/nvdimm/shadow.h"

namespace hmsim {
namespace {

using Pages = std::vector<std::int64_t>;

constexpr Tick kLookup{52'000};
constexpr Tick kSecond{1'000'000'000'000};

struct Held {
  std::int64_t page;
  bool whole;            // all of its lines are in the buffer
  bool guarded = false;  // a queued command needs it
};

// Pages that were never in flash, so none is read before its program.
class Rules {
 public:
  explicit Rules(const Ftl& ftl, std::uint32_t channels)
      : ftl_(ftl), channels_(channels), most_(ftl.shape().batch()) {}

  std::vector<Held> held;  // in eviction order

  // Ends the first completed program, which frees its LUN. Returns false without one.
  bool end_program() {
    const auto over = std::find_if(under_way_.begin(), under_way_.end(), [this](std::int64_t page) {
      return ftl_.pages().place(LogicalPage(page)) != kNowhere;
    });
    const bool found = over != under_way_.end();
    if (found) {
      under_way_.erase(over);
    }
    return found;
  }

  // Takes the page whose frame a write needs, and the pages that join it. Returns their number.
  std::size_t on_demand() {
    const std::int64_t first = held.front().page;
    return take(0, [&] {
      constexpr std::size_t kWindow = 64;
      for (std::size_t i = 0; i < std::min(held.size(), kWindow); ++i) {
        if (ftl_.shape().dynamic || home(held[i].page) == home(first)) {
          return i;
        }
      }
      return held.size();
    });
  }

  // Takes the page that is best to evict early to an idle LUN, and the pages that join it. Returns
  // their number; 0 if no page qualifies.
  std::size_t early() {
    const std::size_t best = best_early([](std::int64_t) { return true; });
    if (best == held.size()) {
      return 0;
    }
    const std::uint32_t lun = home(held[best].page);
    turn_ = (channel(held[best].page) + 1) % channels_;
    return take(best, [&] {
      return best_early(
          [&](std::int64_t page) { return ftl_.shape().dynamic || home(page) == lun; });
    });
  }

  std::uint64_t shut_out() const { return shut_out_; }

 private:
  std::uint32_t home(std::int64_t page) const { return ftl_.shape().home(LogicalPage(page)); }
  std::uint32_t channel(std::int64_t page) const {
    return home(page) / (ftl_.shape().luns / channels_);
  }
  std::int64_t group(std::int64_t page) const { return page / ftl_.shape().parts(); }

  bool idle(std::int64_t page) const {
    if (ftl_.shape().dynamic) {
      return under_way_.size() < ftl_.shape().luns;
    }
    return std::none_of(under_way_.begin(), under_way_.end(),
                        [&](std::int64_t other) { return home(other) == home(page); });
  }

  // Returns the index of the best page. Complete pages are best, then those of the channel whose
  // turn it is, then those held longest.
  template <class Fits>
  std::size_t best_early(Fits fits) {
    constexpr std::size_t kWindow = 16;
    std::vector<std::vector<std::size_t>> ranks;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const Held& own = held[i];
      if (own.guarded || !idle(own.page) || !fits(own.page)) {
        continue;
      }
      if (i >= kWindow) {
        shut_out_ += ranks.empty() ? 1 : 0;
        break;
      }
      std::size_t distance = 0;
      while (!ftl_.shape().dynamic && (turn_ + distance) % channels_ != channel(own.page)) {
        ++distance;
      }
      ranks.push_back({own.whole ? 0u : 1u, distance, i});
    }
    return ranks.empty() ? held.size() : std::min_element(ranks.begin(), ranks.end())->back();
  }

  template <class More>
  std::size_t take(std::size_t position, More more) {
    const std::int64_t first = held[position].page;
    std::size_t count = 0;
    const auto remove = [&](std::size_t at) {
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
      ++count;
    };
    remove(position);
    if (ftl_.shape().merge) {
      for (std::size_t i = held.size(); i-- > 0;) {
        if (group(held[i].page) == group(first)) {
          remove(i);
        }
      }
    } else {
      for (std::size_t next = 0; count < most_ && (next = more()) < held.size();) {
        remove(next);
      }
    }
    under_way_.push_back(first);
    return count;
  }

  const Ftl& ftl_;
  const std::uint32_t channels_;
  const std::size_t most_;
  std::uint32_t turn_ = 0;
  Pages under_way_;             // first pages of programs in flight
  std::uint64_t shut_out_ = 0;  // how often only pages beyond the window would qualify
};

// Returns an NVDIMM of three channels with two LUNs each. `parts`: pages of 4 KiB in a flash page.
// `frames`: size of the write part.
NvdimmParameters of_six_luns(std::int64_t parts, PageAllocation allocation, PartialWrites partial,
                             std::int64_t frames) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.nand.channels = 3;
  parameters.nand.chips = 2;
  parameters.nand.page_size = parts * kPageBytes;
  parameters.nand.pages_per_block = 32 / parts;
  parameters.capacity = Bytes(12 << 20);
  parameters.ftl.over_provisioning = 120;
  parameters.ftl.allocation = allocation;
  parameters.ftl.partial_writes = partial;
  parameters.buffer.write_size = frames * kPageBytes;
  EXPECT_EQ(join_errors(parameters.check()), "");
  return parameters;
}

std::vector<NvdimmParameters> shapes(std::int64_t frames) {
  std::vector<NvdimmParameters> all;
  for (const PageAllocation allocation : {PageAllocation::dynamic, PageAllocation::fixed}) {
    all.push_back(of_six_luns(1, allocation, PartialWrites::combine, frames));
    for (const PartialWrites partial :
         {PartialWrites::combine, PartialWrites::pad, PartialWrites::merge}) {
      all.push_back(of_six_luns(4, allocation, partial, frames));
    }
  }
  return all;
}

// Returns distinct pages, most of them on two LUNs.
Pages some_pages(const Ftl& ftl, Random& random, std::size_t count) {
  Pages pages;
  while (pages.size() < count) {
    const auto page = static_cast<std::int64_t>(random.below(ftl.shape().logical_pages));
    const bool often = ftl.shape().home(LogicalPage(page)) % 5 == 0;
    if ((often || random.below(4) == 0) &&
        std::find(pages.begin(), pages.end(), page) == pages.end()) {
      pages.push_back(page);
    }
  }
  return pages;
}

Pages pages_of(const std::vector<Held>& held) {
  Pages pages;
  for (const Held& each : held) {
    pages.push_back(each.page);
  }
  return pages;
}

void send_write(Rig& rig, std::uint32_t tag, std::int64_t page) {
  rig.nvdimm().command(tag, line_address(page), true, rig.now());
}

TEST(EvictionChoice, OnDemandTheOldestPageIsEvictedWithPagesOfItsHome) {
  constexpr std::size_t kFrames = 150;
  constexpr std::uint32_t kWrites = 40;
  for (const NvdimmParameters& parameters : shapes(kFrames)) {
    Rig rig(parameters);
    Random random(5);
    Rules rules(rig.nvdimm().ftl(), 3);
    const Pages pages = some_pages(rig.nvdimm().ftl(), random, kFrames + kWrites);
    std::vector<LogicalPage> newest_first;
    for (std::size_t i = 0; i < kFrames; ++i) {
      rules.held.push_back({pages[i], true});
      newest_first.emplace(newest_first.begin(), pages[i]);
    }
    rig.nvdimm().hold_written(newest_first);
    ASSERT_EQ(NvdimmFaults::listed(rig.nvdimm(), true), pages_of(rules.held));
    Counter evicted = 0;
    for (std::uint32_t tag = 0; tag < kWrites; ++tag) {
      send_write(rig, tag, pages[kFrames + tag]);
      rig.kernel().run_until(rig.now() + kLookup);
      while (evicted < rig.statistics().buffer.evictions) {
        evicted += rules.on_demand();
      }
      ASSERT_EQ(NvdimmFaults::listed(rig.nvdimm(), true), pages_of(rules.held)) << tag;
      ASSERT_EQ(rig.statistics().buffer.evictions, evicted);
      ASSERT_GT(evicted, tag) << "each new page needs a frame";
    }
    EXPECT_EQ(rig.statistics().buffer.preevictions, 0u);
  }
}

// An eviction takes along a second page of the same home LUN if it is among the 64 pages after the
// oldest one. The 65th page is too far.
TEST(EvictionChoice, SearchesCompanionsAmong64Pages) {
  constexpr std::size_t kFrames = 100;
  for (const std::size_t place : {1, 63, 64, 65, 66}) {
    Rig rig(of_six_luns(4, PageAllocation::fixed, PartialWrites::combine, kFrames));
    const Ftl& ftl = rig.nvdimm().ftl();
    std::vector<LogicalPage> newest_first;
    for (std::int64_t page = 4; newest_first.size() < kFrames; ++page) {
      if (ftl.shape().home(LogicalPage(page)) != ftl.shape().home(LogicalPage(0))) {
        newest_first.emplace_back(page);
      }
    }
    newest_first[kFrames - 1] = LogicalPage(0);
    newest_first[kFrames - 1 - place] = LogicalPage(1);
    rig.nvdimm().hold_written(newest_first);
    send_write(rig, 0, 4 * kFrames);
    rig.kernel().run_until(rig.now() + kLookup);
    EXPECT_EQ(rig.statistics().buffer.evictions, place <= 64 ? 2u : 1u) << place;
  }
}

// The lookups of all writes last until the end, so the number of frames to free is the number of
// new queued pages.
class Early {
 public:
  Early(const NvdimmParameters& parameters, std::uint64_t seed)
      : rig_(parameters, 1, {{"policies.preevict.low_water", "0"}}),
        random_(seed),
        rules_(rig_.nvdimm().ftl(), 3),
        pages_(some_pages(rig_.nvdimm().ftl(), random_, kFrames + kWrites)) {
    std::vector<LogicalPage> whole;
    for (std::size_t i = 0; i < kFrames; ++i) {
      rules_.held.push_back({pages_[i], random_.below(3) != 0});
      if (rules_.held.back().whole) {
        whole.emplace_back(pages_[i]);
      }
    }
    rig_.nvdimm().hold_written(whole);
    for (std::size_t i = 0; i < kFrames; ++i) {
      rig_.write(pages_[i]);
    }
    EXPECT_EQ(rig_.statistics().buffer.evictions, 0u);
  }

  void run() {
    check();
    for (std::uint32_t tag = 0; tag < kWrites; ++tag) {
      if (random_.below(4) == 0 && !rules_.held.empty()) {
        guard(random_.below(std::min<std::size_t>(rules_.held.size(), 16)), tag);
      } else {
        ++queued_;
        send_write(rig_, tag, pages_[kFrames + tag]);
      }
      check();
      step_until(rig_.now() + Tick(static_cast<std::int64_t>(1 + random_.below(100'000'000))));
    }
    step_until(rig_.now() + kSecond / 2);
    EXPECT_GT(leaving_, queued_ / 2);
    EXPECT_EQ(rig_.statistics().buffer.preevictions, leaving_);
  }
  std::uint64_t shut_out() const { return rules_.shut_out(); }

 private:
  static constexpr std::size_t kFrames = 48;
  static constexpr std::uint32_t kWrites = 36;

  // Queues a write to a held page: the page stays until all others have gone.
  void guard(std::size_t which, std::uint32_t tag) {
    Held held = rules_.held[which];
    send_write(rig_, tag, held.page);
    if (!held.guarded) {
      held.guarded = true;
      rules_.held.erase(rules_.held.begin() + static_cast<std::ptrdiff_t>(which));
      rules_.held.push_back(held);
    }
  }
  void step_until(Tick end) {
    while (rig_.kernel().step(end)) {
      check();
    }
    rig_.kernel().run_until(end);
  }
  void check() {
    do {
      for (std::size_t more = 1; more > 0 && leaving_ < queued_;) {
        more = rules_.early();
        leaving_ += more;
      }
    } while (rules_.end_program());
    ASSERT_EQ(NvdimmFaults::listed(rig_.nvdimm(), true), pages_of(rules_.held));
  }

  Rig rig_;
  Random random_;
  Rules rules_;
  Pages pages_;
  std::size_t queued_ = 0;   // new pages
  std::size_t leaving_ = 0;  // frames being written back, or already written
};

TEST(EvictionChoice, EarlyEvictionPrefersAWholePageOfTheNextChannel) {
  std::uint64_t shut_out = 0;
  for (NvdimmParameters parameters : shapes(48)) {
    parameters.buffer.manager = "preevict";
    parameters.buffer.lookup = kSecond;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", parts " +
                   std::to_string(parameters.nand.page_size / kPageBytes));
      Early early(parameters, seed);
      early.run();
      shut_out += early.shut_out();
    }
  }
  EXPECT_GT(shut_out, 20u) << "the window is seldom too small";
}

// With merging, pages next to one being written back must also wait.
TEST(EvictionChoice, PagesNextToOneUnderWriteBackWait) {
  Rig rig(of_six_luns(4, PageAllocation::dynamic, PartialWrites::merge, 3));
  Nvdimm& nvdimm = rig.nvdimm();
  nvdimm.hold_written({LogicalPage(4), LogicalPage(3), LogicalPage(0)});
  send_write(rig, 0, 3);
  send_write(rig, 1, 40);
  rig.kernel().run_until(rig.now() + kLookup);
  EXPECT_EQ(rig.statistics().buffer.evictions, 1u) << "page 0, without 3, which is used";
  nvdimm.finish(0, rig.now());
  send_write(rig, 2, 41);
  rig.kernel().run_until(rig.now() + kLookup);
  EXPECT_EQ(rig.statistics().buffer.evictions, 2u);
  EXPECT_EQ(NvdimmFaults::listed(nvdimm, true), Pages{3}) << "page 4 is none beside page 0";
  send_write(rig, 3, 42);
  rig.kernel().run_until(rig.now() + kLookup);
  EXPECT_EQ(rig.statistics().buffer.evictions, 2u) << "page 3 waits for page 0";
  rig.drain();
  for (const std::int64_t page : {0, 4}) {
    EXPECT_NE(nvdimm.ftl().pages().place(LogicalPage(page)), kNowhere);
  }
  EXPECT_EQ(rig.statistics().buffer.evictions, 3u);
}

}  // namespace
}  // namespace hmsim
