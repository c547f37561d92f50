// SPDX-License-Identifier: BSD-3-Clause
// Do pools and lists of slots keep their contents in order, and load only states that they can have
// saved?
#include "core/pool.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/archive.h"
#include "core/errors.h"
#include "core/slot_list.h"

namespace hmsim {
namespace {

struct Record {
  std::int64_t value = 0;
  std::uint32_t next = kNoIndex;
  SlotLink link;

  void serialize(Archive& archive) { archive(value, next, link); }
};

template <class T>
std::string saved(T& value) {
  Archive archive;
  archive(value);
  return archive.bytes();
}

template <class T>
void load(T& value, const std::string& bytes) {
  Archive archive(bytes);
  archive(value);
}

TEST(Pool, TakesTheLastFreedRecordFirst) {
  Pool<Record> pool;
  EXPECT_EQ(pool.take(), 0u);
  EXPECT_EQ(pool.take(), 1u);
  EXPECT_EQ(pool.take(), 2u);
  pool.give_back(0);
  pool.give_back(2);
  EXPECT_EQ(pool.used(), 1u);
  EXPECT_EQ(pool.size(), 3u);
  EXPECT_EQ(pool.take(), 2u);
  EXPECT_EQ(pool.take(), 0u);
  EXPECT_EQ(pool.take(), 3u);
}

TEST(Pool, AReusedRecordIsAsNew) {
  Pool<Record> pool;
  pool[pool.take()].value = 7;
  pool.give_back(0);
  EXPECT_EQ(pool[pool.take()].value, 0);
}

TEST(Pool, ContinuesAfterLoading) {
  Pool<Record> pool;
  for (std::int64_t i = 0; i < 4; ++i) {
    pool[pool.take()].value = i;
  }
  pool.give_back(3);
  pool.give_back(1);
  Pool<Record> other;
  load(other, saved(pool));
  EXPECT_EQ(other.in_use(), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(other[2].value, 2);
  EXPECT_EQ(other.take(), 1u);
  EXPECT_EQ(other.take(), 3u);
  EXPECT_EQ(other.take(), 4u);
}

TEST(Pool, RejectsInvalidAndTwiceFreeRecords) {
  for (const std::uint32_t damage : {0u, 9u}) {
    std::vector<Record> records(2);
    std::vector<std::uint32_t> free{0, damage};
    Archive archive;
    archive(records, free);
    Pool<Record> pool;
    EXPECT_THROW(load(pool, archive.bytes()), InputError) << damage;
  }
}

TEST(Pool, ARecordHasOneOwnerAtMost) {
  Pool<Record> pool;
  pool.take();
  EXPECT_EQ(pool.held(0).value, 0);
  EXPECT_THROW(pool.held(1), Fault);
  pool.give_back(0);
  EXPECT_THROW(pool.held(0), Fault);
  EXPECT_THROW(pool.give_back(0), Fault);
}

std::vector<std::uint32_t> in_order(const SlotChain& chain, const std::vector<Record>& records) {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = chain.first; slot != kNoIndex; slot = records[slot].next) {
    slots.push_back(slot);
  }
  return slots;
}

TEST(SlotChain, FirstInFirstOut) {
  std::vector<Record> records(4);
  const auto links = links_of(records.data(), &Record::next);
  SlotChain chain;
  for (const std::uint32_t slot : {2u, 0u, 3u}) {
    chain.push_back(links, slot);
  }
  EXPECT_EQ(chain.pop_front(links), 2u);
  EXPECT_EQ(chain.pop_front(links), 0u);
  EXPECT_EQ(chain.pop_front(links), 3u);
  EXPECT_TRUE(chain.empty());
  chain.push_back(links, 1);
  EXPECT_EQ(in_order(chain, records), std::vector<std::uint32_t>{1});
}

TEST(SlotChain, GivesUpAnySlot) {
  for (std::size_t place = 0; place < 3; ++place) {
    std::vector<Record> records(4);
    const auto links = links_of(records.data(), &Record::next);
    SlotChain chain;
    std::vector<std::uint32_t> slots{2, 0, 3};
    for (const std::uint32_t slot : slots) {
      chain.push_back(links, slot);
    }
    EXPECT_EQ(chain.take_after(links, place == 0 ? kNoIndex : slots[place - 1]), slots[place]);
    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(place));
    chain.push_back(links, 1);
    slots.push_back(1);
    EXPECT_EQ(in_order(chain, records), slots);
  }
}

TEST(SlotChain, TakesNeitherCirclesNorAnotherEnd) {
  std::vector<Record> records(3);
  const auto links = links_of(records.data(), &Record::next);
  SlotChain chain;
  for (const std::uint32_t slot : {0u, 1u, 2u}) {
    chain.push_back(links, slot);
  }
  Archive loads{std::string()};
  const auto take = [&] {
    SlotClaims places(loads, records.size(), "a chain");
    chain.claim_all(links, places, [](std::uint32_t) {});
    EXPECT_TRUE(places.all());
  };
  take();
  chain.last = 1;
  EXPECT_THROW(take(), InputError);
  chain.last = 2;
  records[2].next = 0;
  EXPECT_THROW(take(), InputError);
}

// No order of slots forms a cycle, even if a slot occurs twice.
TEST(SlotChain, IsSavedInOrderAndLoadedWithoutCircles) {
  std::vector<Record> records(3);
  const auto links = links_of(records.data(), &Record::next);
  const auto load_slots = [&](std::vector<std::uint32_t> slots) {
    Archive state;
    state(slots);
    Archive archive(state.bytes());
    SlotChain chain;
    serialize_slots(archive, chain, links, records.size(), [](std::uint32_t) {});
    return chain;
  };
  SlotChain chain = load_slots({2, 0, 1});
  EXPECT_EQ(in_order(chain, records), (std::vector<std::uint32_t>{2, 0, 1}));
  Archive again;
  serialize_slots(again, chain, links, records.size(), [](std::uint32_t) {});
  std::vector<std::uint32_t> slots{2, 0, 1};
  Archive expected;
  expected(slots);
  EXPECT_EQ(again.bytes(), expected.bytes());
  EXPECT_EQ(in_order(load_slots({2, 0, 2}), records).size(), 1u);
  EXPECT_EQ(in_order(load_slots({1, 1, 1}), records).size(), 1u);
  EXPECT_THROW(load_slots({3}), InputError);
}

TEST(SlotList, LinksAreInVectorsOrInRecords) {
  std::vector<SlotLink> beside(3);
  std::vector<Record> records(3);
  const auto inside = links_of(records.data(), &Record::link);
  SlotList one;
  SlotList other;
  for (const std::uint32_t slot : {2u, 0u, 1u}) {
    one.push_back(beside, slot);
    other.push_back(inside, slot);
  }
  one.remove(beside, 0);
  other.remove(inside, 0);
  Archive loads{std::string()};
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
  SlotClaims places(loads, 3, "a list");
  SlotClaims again(loads, 3, "a list");
  one.claim_all(beside, places, [&](std::uint32_t slot) { first.push_back(slot); });
  other.claim_all(inside, again, [&](std::uint32_t slot) { second.push_back(slot); });
  EXPECT_EQ(first, (std::vector<std::uint32_t>{2, 1}));
  EXPECT_EQ(second, first);
}

TEST(SlotList, AnEmptyListHasNoLastSlot) {
  const std::vector<SlotLink> links(3);
  Archive loads{std::string()};
  SlotClaims places(loads, 3, "a list");
  SlotList list;
  list.claim_all(links, places);
  list.last = 2;
  EXPECT_THROW(list.claim_all(links, places), InputError);
}

}  // namespace
}  // namespace hmsim
