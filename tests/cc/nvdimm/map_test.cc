// SPDX-License-Identifier: BSD-3-Clause
// Does a map in flash add the right time to accesses, and no time if the map cache holds it all?
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "nvdimm/flash_shape.h"
#include "nvdimm/precondition.h"
#include "tests/cc/nvdimm/rig.h"
#include "tests/cc/states.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

constexpr Tick kLookup{52'000};
constexpr Tick kPageRead{300'000 + 50'000'000 + 20'480'000};

LogicalPage page_number(std::uint64_t page) { return LogicalPage(static_cast<std::int64_t>(page)); }

// A reference model of the cache with lists and sets.
class Model {
 public:
  Model(std::string policy, std::size_t entries, std::uint64_t pages, std::uint64_t per_page)
      : policy_(std::move(policy)), entries_(entries), pages_of_map_(pages), per_page_(per_page) {}

  bool look_up(std::uint64_t page) {
    const auto found = std::find(order_.begin(), order_.end(), page);
    if (found == order_.end()) {
      return false;
    }
    order_.splice(order_.end(), order_, found);
    use_page(page);
    return true;
  }
  void load(std::uint64_t page) {
    if (!holds(page)) {
      enter(page);
    }
  }
  void load_read(std::uint64_t page, std::uint64_t ahead) {
    const std::uint64_t first = page / per_page_ * per_page_;
    const bool whole = policy_ == "lru_pages";
    for (std::uint64_t next = first; next < std::min(first + per_page_, pages_of_map_); ++next) {
      const bool near = policy_ == "two_level_map" && next >= page && next <= page + ahead;
      if (whole || near) {
        load(next);
      }
    }
    load(page);
  }
  void changed(std::uint64_t page) {
    if (!look_up(page)) {
      enter(page);
    }
    dirty.insert(page);
  }
  bool holds(std::uint64_t page) const {
    return std::find(order_.begin(), order_.end(), page) != order_.end();
  }
  void written(std::uint64_t number) {
    for (auto page = dirty.begin(); page != dirty.end();) {
      page = *page / per_page_ == number ? dirty.erase(page) : std::next(page);
    }
  }

  std::set<std::uint64_t> dirty;
  std::list<std::uint64_t> to_write;

 private:
  void enter(std::uint64_t page) {
    if (order_.size() == entries_) {
      const std::uint64_t leaves = victim();
      order_.remove(leaves);
      if (dirty.count(leaves) != 0) {
        const std::uint64_t number = leaves / per_page_;
        if (std::find(to_write.begin(), to_write.end(), number) == to_write.end()) {
          to_write.push_back(number);
        }
        written(number);
      }
    }
    order_.push_back(page);
    use_page(page);
  }
  void use_page(std::uint64_t page) {
    pages_.remove(page / per_page_);
    pages_.push_back(page / per_page_);
  }
  std::uint64_t victim() const {
    if (policy_ == "lru_entries") {
      return order_.front();
    }
    for (const std::uint64_t number : pages_) {
      std::vector<std::uint64_t> held;
      std::copy_if(order_.begin(), order_.end(), std::back_inserter(held),
                   [&](std::uint64_t page) { return page / per_page_ == number; });
      const auto clean = std::find_if(held.begin(), held.end(), [this](std::uint64_t page) {
        return policy_ == "two_level_map" && dirty.count(page) == 0;
      });
      if (!held.empty()) {
        return clean == held.end() ? held.front() : *clean;
      }
    }
    return 0;
  }

  std::string policy_;
  std::size_t entries_;
  std::uint64_t pages_of_map_;
  std::uint64_t per_page_;
  std::list<std::uint64_t> order_;  // least recently used first
  std::list<std::uint64_t> pages_;  // translation pages
};

std::unique_ptr<MapReplacement> map_policy(const std::string& name, int ahead) {
  return create_policy<MapReplacement>(PolicyKind::map_replacement, name,
                                       {{"policies.two_level_map.ahead", std::to_string(ahead)}});
}

// The cache is saved and loaded into another one now and then.
void compare_with_model(const std::string& policy, std::uint32_t entries) {
  constexpr std::uint64_t kPages = 60;  // the last translation page has four entries
  constexpr std::uint64_t kPerPage = 8;
  constexpr int kAhead = 3;
  const auto make = [&] {
    return std::make_unique<MapCache>(MapShape{entries, kPages, kPerPage},
                                      map_policy(policy, kAhead));
  };
  auto cache = make();
  Model model(policy, entries, kPages, kPerPage);
  Random random(entries);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t page = random.below(kPages);
    if (i % 1'000 == 999) {
      const std::string state = testing::state_of(*cache);
      cache = make();
      ASSERT_TRUE(testing::takes_all_of(state, *cache));
    }
    switch (random.below(5)) {
      case 4:
        cache->load_read(page_number(page));
        model.load_read(page, kAhead);
        break;
      case 0:
        ASSERT_EQ(cache->look_up(page_number(page)), model.look_up(page));
        break;
      case 1:
        cache->load(page_number(page));
        model.load(page);
        break;
      case 2:
        cache->changed(page_number(page));
        model.changed(page);
        break;
      default:
        ASSERT_EQ(cache->wants_write(), !model.to_write.empty());
        if (cache->wants_write()) {
          ASSERT_EQ(cache->next_write(), model.to_write.front());
          cache->written(static_cast<std::uint32_t>(model.to_write.front()));
          model.written(model.to_write.front());
          model.to_write.pop_front();
        }
        break;
    }
    ASSERT_EQ(cache->dirty_entries(), model.dirty.size());
    for (std::uint64_t held = 0; held < kPages; ++held) {
      ASSERT_EQ(cache->holds(page_number(held)), model.holds(held));
    }
  }
  EXPECT_GT(cache->counts().dirty_evictions, 400u);
}

TEST(MapCache, MatchesAModelWithLists) {
  for (const char* policy : {"lru_entries", "lru_pages", "two_level_map"}) {
    for (const std::uint32_t entries : {1u, 2u, 7u, 30u}) {
      SCOPED_TRACE(policy + std::to_string(entries));
      compare_with_model(policy, entries);
    }
  }
}

// As after a damaged checkpoint.
TEST(MapCache, APolicyThatListsOtherSlotsIsAFault) {
  const auto policy = map_policy("lru_pages", 0);
  policy->connect({2, 8, 8});
  EXPECT_THROW(policy->victim(), Fault);
  EXPECT_THROW(policy->left(0), Fault);
  policy->entered(0, 1);
  EXPECT_THROW(policy->entered(0, 2), Fault);
}

// Returns whether a cache loads its state with every word equal to `page` replaced by `other`. A
// translation page has 1,000 entries.
bool takes_instead(MapCache& cache, std::uint64_t page, std::uint64_t other) {
  std::string state = testing::state_of(cache);
  int found = 0;
  for (const std::size_t at : testing::words_of(state)) {
    if (testing::word_at(state, at) == page) {
      state = testing::with_word(state, at, other);
      ++found;
    }
  }
  EXPECT_EQ(found, 1);
  MapCache loaded({8, 10'000, 1'000});
  return testing::takes_all_of(state, loaded) && loaded.holds(page_number(other));
}

TEST(MapCache, ASavedEntryOfAnUnknownPageIsRejected) {
  MapCache cache({8, 10'000, 1'000});
  cache.load(page_number(2'345));
  EXPECT_TRUE(takes_instead(cache, 2'345, 0));
  EXPECT_TRUE(takes_instead(cache, 2'345, 9'999));
  EXPECT_FALSE(takes_instead(cache, 2'345, 10'000));
  EXPECT_FALSE(takes_instead(cache, 2'345, ~std::uint64_t{0}));
}

// 256 pages, 142 of them logical, in 9 translation pages of 16 entries.
NvdimmParameters with_map(std::int64_t entries) {
  NvdimmParameters parameters = small_nvdimm();
  parameters.ftl.over_provisioning = 80;
  parameters.ftl.map = MapPlace::cached;
  parameters.ftl.map_entry = Bytes(256);
  parameters.ftl.map_cache = entries * kCachedEntryBytes;
  parameters.precondition.fill = 1;
  return parameters;
}

TEST(CachedMap, AMissReadsATranslationPageFirst) {
  Rig rig(with_map(64));  // the last 64 pages are cached
  EXPECT_EQ(rig.read(130), kLookup + kPageRead);
  EXPECT_EQ(rig.read(3), kLookup + 2 * kPageRead);
  EXPECT_EQ(rig.read(4), kLookup + 2 * kPageRead) << "single entries are cached";
  rig.read(70);
  rig.read(60);
  rig.read(50);  // page 3 has left the read part, but not the map cache
  rig.read(30);
  EXPECT_EQ(rig.read(3), kLookup + kPageRead);
}

TEST(CachedMap, OneReadServesAllMissesOfAPage) {
  Rig rig(with_map(64));
  for (std::uint32_t tag = 0; tag < 3; ++tag) {
    rig.nvdimm().command(tag, line_address(tag), false, Tick(0));
  }
  rig.drain();
  EXPECT_EQ(rig.nvdimm().ftl().map()->counts().misses, 3u);
  EXPECT_EQ(rig.nvdimm().ftl().map()->counts().reads, 1u);
  EXPECT_EQ(rig.statistics().nand.page_reads, 4u);
}

TEST(CachedMap, AChangedEntryThatLeavesIsWrittenWithItsPage) {
  NvdimmParameters parameters = with_map(64);
  parameters.precondition.fill = 0;
  Rig rig(parameters);
  for (std::int64_t page = 0; page < 16; ++page) {  // of one translation page, not in flash yet
    rig.write_page(page);
  }
  rig.drain();
  const Counter before = rig.statistics().nand.page_programs;
  EXPECT_EQ(rig.statistics().ftl.map_pages, 0u);
  rig.write_pages(16, 142);
  rig.drain();
  EXPECT_EQ(rig.nvdimm().ftl().map()->counts().reads, 0u)
      << "nothing of the map was in flash when asked";
  EXPECT_EQ(rig.statistics().ftl.map_pages, 5u)
      << "entries of 138 pages but for the last 64, together";
  EXPECT_EQ(rig.statistics().nand.page_programs - before, 126u + 5u);
  const Ftl& ftl = rig.nvdimm().ftl();
  EXPECT_NE(ftl.pages().place(ftl.shape().map_page(0)), kNowhere);
  EXPECT_EQ(ftl.pages().place(ftl.shape().map_page(8)), kNowhere);
  EXPECT_EQ(rig.census().valid, 138u + 5u);
}

// When the map first requests one of its pages, and when a host page has arrived.
struct FlashLog final : FlashObserver {
  void on_flash(const FlashRecord& record) override {
    if (record.stage != FlashStage::command) {
      return;
    }
    if (record.priority == FlashPriority::map) {
      asked = earlier(asked, record.start);
    } else if (record.operation == FlashOperation::program) {
      arrived = record.end;
    }
  }
  void on_programmed(std::uint64_t /*block*/, std::uint32_t /*pages*/) override {}
  void on_bad(std::uint64_t /*block*/) override {}

  Tick asked = kNever;
  Tick arrived{0};
};

// While a page is on its way to flash, entries of trimmed pages displace its entry. When that entry
// returns, changed, the first of the others leaves, and its translation page is completed.
TEST(CachedMap, AnEntryThatLeavesWithADataInIsWrittenWhileTheCellsWork) {
  constexpr std::int64_t kEntries = 40;
  NvdimmParameters parameters = with_map(kEntries);
  parameters.nand.channels = 4;
  parameters.capacity = parameters.nand.channels * parameters.capacity;
  parameters.ftl.over_provisioning = 300;  // so that few entries suffice
  parameters.buffer.release = FrameRelease::datain;
  ASSERT_TRUE(parameters.check().empty());
  Rig rig(parameters);
  for (std::int64_t page = 100; page < 100 + kEntries; ++page) {
    rig.read(page);  // so that no entry is dirty
  }
  for (std::int64_t page = 200; page < 204; ++page) {  // one per frame
    rig.write_page(page);
  }
  rig.drain();
  FlashLog log;
  rig.nvdimm().add_flash_observer(log);
  rig.nvdimm().command(1, line_address(204), true, rig.now());
  while (log.arrived == Tick(0)) {
    ASSERT_TRUE(rig.kernel().step(kNever));
  }
  ASSERT_GT(log.arrived, rig.now());
  log.asked = kNever;
  rig.nvdimm().trim(Address(0), kEntries * kPageBytes, rig.now());
  rig.drain();
  rig.nvdimm().finish(1, rig.now());
  EXPECT_EQ(log.asked, log.arrived);
}

// With several LUNs the last write may be a map page or a host page.
TEST(CachedMap, AFlushWaitsForTheMapsWritesTooAndEnds) {
  for (const std::int64_t luns : {1, 2}) {
    NvdimmParameters parameters = with_map(luns * 40);
    parameters.capacity = luns * parameters.capacity;
    parameters.nand.channels = luns;
    parameters.buffer.flush = BufferFlush::writeback;
    Rig rig(parameters);
    Random random(9);
    for (int round = 0; round < 50; ++round) {
      for (int page = 0; page < 4; ++page) {
        rig.write_page(static_cast<std::int64_t>(random.below(142)));
      }
      const std::size_t seen = rig.acks.size();
      rig.nvdimm().flush(0, rig.now());
      rig.drain();
      ASSERT_EQ(rig.acks.size(), seen + 1);
      rig.nvdimm().finish(0, rig.now());
    }
    EXPECT_GT(rig.statistics().ftl.map_pages, 0u);
  }
}

TEST(CachedMap, AFullyCachedMapChangesNothing) {
  for (const bool writes : {false, true}) {
    std::vector<std::vector<Ack>> acks;
    for (const bool cached : {false, true}) {
      NvdimmParameters parameters = with_map(142);
      parameters.precondition.overwrite = 2;
      parameters.ftl.map = cached ? MapPlace::cached : MapPlace::full;
      Rig rig(parameters);
      Random random(7);
      rig.run(3000, 16, [&](std::int64_t, Address& address, bool& write) {
        address = line_address(static_cast<std::int64_t>(random.below(142)), 3);
        write = writes && random.below(2) == 0;
      });
      rig.drain();
      EXPECT_EQ(rig.statistics().ftl.map_pages, 0u);
      EXPECT_EQ(cached ? rig.nvdimm().ftl().map()->counts().misses : 0, 0u);
      acks.push_back(rig.acks);
    }
    EXPECT_EQ(acks[0], acks[1]);
  }
}

TEST(CachedMap, UniformReadsHitAsOftenAsEntriesAreCached) {
  Rig rig(with_map(40));
  Random random(3);
  rig.run(20'000, 1, [&](std::int64_t, Address& address, bool& write) {
    address = line_address(static_cast<std::int64_t>(random.below(142)));
    write = false;
  });
  MapCounts& counts = rig.nvdimm().ftl().map()->counts();
  const double lookups = static_cast<double>(counts.hits + counts.misses);
  // A page in the read part is not looked up: 36 of 138 others are cached.
  EXPECT_NEAR(static_cast<double>(counts.hits) / lookups, 36.0 / 138, 0.01);
}

TEST(CachedMap, TranslationPagesCountAsAmplification) {
  FtlShape shape = ftl_shape(with_map(40));
  Ftl ftl(shape);
  UntimedWork work;
  Random random(5);
  std::uint64_t erased = 0;
  for (int i = 0; i < 20'000; ++i) {
    write_untimed(ftl, page_number(random.below(142)), work);
  }
  for (std::uint32_t block = 0; block < shape.blocks; ++block) {
    erased += ftl.blocks(0)[block].erases;
  }
  EXPECT_EQ(work.host_pages, 20'000u);
  EXPECT_GT(work.map_pages, 1'000u);
  EXPECT_EQ(work.collected_blocks + work.levelled_blocks, erased);
  const FtlCensus census = count_pages(ftl, 0);
  EXPECT_EQ(census.valid, 142u + 9u);
  // Each programmed page was erased again or is still present.
  EXPECT_EQ(work.host_pages + work.gc_pages + work.map_pages,
            erased * shape.pages + census.valid + census.invalid);
}

TEST(CachedMap, ACacheThatCannotKeepUpIsRejected) {
  NvdimmParameters parameters = with_map(40);
  EXPECT_TRUE(parameters.check().empty());
  parameters.ftl.map_cache = Bytes(64);
  ASSERT_EQ(parameters.check().size(), 1u);
  EXPECT_EQ(parameters.check()[0].name, "nvdimm.ftl.map_cache");
}

}  // namespace
}  // namespace hmsim
