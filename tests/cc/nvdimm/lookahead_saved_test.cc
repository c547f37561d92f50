// SPDX-License-Identifier: BSD-3-Clause
// Is a saved state refused in which what queued commands ask for contradicts itself?
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/cc/nvdimm/shadow.h"
#include "tests/cc/words.h"

namespace hmsim {
namespace {

// Two LUNs and one frame to read into, which the prefetch of page 0 has. Pages 2 and 4 wait for
// LUN 0, which is busy; pages 1 and 3 wait for a frame, while LUN 1 is idle. Page 4 is asked for by
// two reads and to be written, as page 6 is; page 8 by a read and a write. One of the records is
// free, as commands before were looked up.
class SavedLookahead : public ::testing::Test {
 protected:
  enum Field : std::size_t { key, reads, writes, lun, previous, next, new_page, words };

  static constexpr std::size_t kRecords = 8;
  static constexpr std::size_t kFree = 1 + kRecords * words;  // how many, and the one
  static constexpr std::size_t kLists = kFree + 2;            // how many; first and last of each
  static constexpr std::size_t kHungry = kLists + 5;          // places, the first of them, how many
  static constexpr std::size_t kPlaces = 8;
  static constexpr std::size_t kIsHungry = kHungry + 1 + kPlaces + 2;  // how many, and their bits
  static constexpr std::size_t kPrefetching = kIsHungry + 2;
  static constexpr std::size_t kNewPages = kPrefetching + 1;
  static constexpr std::uint32_t kTagOfPage2 = 12;
  static constexpr std::uint32_t kTagOfPage4 = 13;

  SavedLookahead() : rig_(parameters()) {
    for (std::uint32_t tag = 0; tag < kRecords; ++tag) {
      send(tag, 20 + tag, true);
    }
    rig_.kernel().run_until(rig_.now() + kMicrosecond);
    send(11, 0, false);
    send(kTagOfPage2, 2, false);
    send(10, 4, false);
    send(18, 8, true);
    send(19, 8, false);
    send(14, 1, false);
    send(15, 3, false);
    send(16, 4, true);
    send(17, 6, true);
    send(kTagOfPage4, 4, false);
    save();
  }
  static NvdimmParameters parameters() {
    NvdimmParameters parameters = small_nvdimm();
    parameters.capacity = Bytes(2 << 20);
    parameters.nand.channels = 2;
    parameters.buffer.manager = "prefetch";
    parameters.buffer.lookup = kMicrosecond;
    parameters.buffer.read_size = kPageBytes;
    parameters.buffer.write_size = 16 * kPageBytes;
    parameters.ftl.over_provisioning = 80;
    return parameters;
  }
  void send(std::uint32_t tag, std::int64_t page, bool write) {
    rig_.nvdimm().command(tag, line_address(page), write, rig_.now());
  }
  static std::string name() { return std::string("\11\0\0\0\0\0\0\0lookahead", 17); }
  void save() {
    state_ = rig_.saved();
    begin_ = state_.find(name()) + name().size();
  }
  std::uint64_t word(std::size_t number) const {
    return testing::word_at(state_, begin_ + number * testing::kWordBytes);
  }
  void set(std::size_t number, std::uint64_t other) {
    state_ = testing::with_word(state_, begin_ + number * testing::kWordBytes, other);
  }
  static std::size_t of_record(std::size_t record, Field field) {
    return 1 + record * words + field;
  }
  std::size_t record_of(std::uint64_t page) const {
    std::size_t record = 0;
    while (word(of_record(record, key)) != page) {
      ++record;
    }
    return record;
  }
  bool taken() const {
    Rig other(parameters());
    return testing::takes_all_of(state_, other);
  }
  // Whatever else the word is.
  void expect_refused(std::size_t number) {
    const std::uint64_t own = word(number);
    for (const std::uint64_t other :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4},
          std::uint64_t{5}, std::uint64_t{6}, std::uint64_t{7}, std::uint64_t{8}, own + 1, own - 1,
          std::uint64_t{kNoIndex}}) {
      if (other != own) {
        set(number, other);
        EXPECT_FALSE(taken()) << "word " << number << ": " << other;
      }
    }
    set(number, own);
  }

  Rig rig_;
  std::string state_;
  std::size_t begin_ = 0;
};

TEST_F(SavedLookahead, IsTaken) {
  EXPECT_TRUE(taken());
  EXPECT_EQ(word(0), kRecords);
  EXPECT_EQ(word(kFree), 1u);
  EXPECT_EQ(word(kLists), 2u);
  EXPECT_EQ(word(kLists + 1), record_of(2));
  EXPECT_EQ(word(kLists + 2), record_of(8));
  EXPECT_EQ(word(kLists + 3), record_of(1));
  EXPECT_EQ(word(kLists + 4), record_of(3));
  EXPECT_EQ(word(of_record(record_of(4), reads)), 2u);
  EXPECT_EQ(word(kHungry), kPlaces);
  EXPECT_EQ(word(kHungry + 1 + kPlaces + 1), 1u);
  EXPECT_EQ(word(kIsHungry), 2u);
  EXPECT_EQ(word(kIsHungry + 1), 2u);
  EXPECT_EQ(word(kPrefetching), 1u);
  EXPECT_EQ(word(kNewPages), 3u);
}

TEST_F(SavedLookahead, IsRefusedIfItAsksForSomethingElse) {
  for (const std::uint64_t page : {0, 1, 2, 3, 4, 6, 8}) {
    for (const Field field : {key, reads, writes, lun, new_page}) {
      expect_refused(of_record(record_of(page), field));
    }
  }
  const std::size_t free = word(kFree + 1);
  expect_refused(of_record(free, reads));
  expect_refused(of_record(free, writes));
  expect_refused(of_record(free, new_page));
}

// The first of all records, which the others leave free.
TEST_F(SavedLookahead, IsRefusedIfItsFirstRecordIsAskedForMoreOften) {
  Rig rig(parameters());
  rig.nvdimm().command(0, line_address(0), false, rig.now());
  state_ = rig.saved();
  begin_ = state_.find(name()) + name().size();
  EXPECT_TRUE(taken());
  expect_refused(of_record(0, reads));
  expect_refused(of_record(0, writes));
}

TEST_F(SavedLookahead, IsRefusedIfItsListsDoNotHoldTogether) {
  for (const std::uint64_t page : {1, 2, 3, 4, 8}) {
    expect_refused(of_record(record_of(page), previous));
    expect_refused(of_record(record_of(page), next));
  }
  for (std::size_t i = 0; i < 5; ++i) {
    expect_refused(kLists + i);
  }
  const std::size_t first = word(kHungry + 1 + kPlaces);
  expect_refused(kHungry + 1 + first);
  expect_refused(kHungry + 1 + kPlaces);
  expect_refused(kHungry + 1 + kPlaces + 1);
  for (const std::uint64_t other : {0, 1, 3}) {
    set(kIsHungry + 1, other);
    EXPECT_FALSE(taken()) << "LUNs that are hungry: " << other;
  }
}

TEST_F(SavedLookahead, IsRefusedIfItIsCountedWrong) {
  for (const std::size_t number : {kFree, kFree + 1, kIsHungry, kPrefetching, kNewPages}) {
    expect_refused(number);
  }
}

TEST_F(SavedLookahead, IsRefusedWithARecordThatIsNeitherFreeNorAskedFor) {
  set(kFree, 0);
  state_.erase(begin_ + (kFree + 1) * testing::kWordBytes, testing::kWordBytes);
  EXPECT_FALSE(taken());
}

TEST_F(SavedLookahead, IsRefusedWithARecordThatIsFreeAndAskedFor) {
  const std::uint64_t record = record_of(6);
  set(kFree, 2);
  state_.insert(begin_ + (kFree + 1) * testing::kWordBytes, testing::kWordBytes, '\0');
  set(kFree + 1, record);
  EXPECT_FALSE(taken());
}

TEST_F(SavedLookahead, IsRefusedIfAPageThatNobodyReadsIsToBeFetched) {
  const std::size_t written = record_of(6);
  const std::size_t last = record_of(8);
  set(of_record(written, lun), 0);
  set(of_record(written, previous), last);
  set(of_record(last, next), written);
  set(kLists + 2, written);
  EXPECT_FALSE(taken());
}

TEST_F(SavedLookahead, IsRefusedIfAPageThatNobodyWritesNeedsAFrame) {
  set(of_record(record_of(2), new_page), 1);
  set(kNewPages, word(kNewPages) + 1);
  EXPECT_FALSE(taken());
}

TEST_F(SavedLookahead, IsRefusedOfCommandsThatAskForEachOthersPages) {
  Nvdimm& nvdimm = rig_.nvdimm();
  std::swap(NvdimmFaults::asked(nvdimm, kTagOfPage2), NvdimmFaults::asked(nvdimm, kTagOfPage4));
  save();
  EXPECT_FALSE(taken());
}

TEST_F(SavedLookahead, IsRefusedOfACommandThatAsksForNoRecord) {
  for (const std::uint32_t record : {std::uint32_t{kRecords}, kNoIndex}) {
    NvdimmFaults::asked(rig_.nvdimm(), kTagOfPage2) = record;
    save();
    EXPECT_FALSE(taken());
  }
}

// One for each of its reads.
TEST_F(SavedLookahead, IsRefusedWithTwoRecordsOfAPage) {
  const auto second = static_cast<std::uint32_t>(word(kFree + 1));
  NvdimmFaults::asked(rig_.nvdimm(), kTagOfPage4) = second;
  save();
  set(of_record(record_of(4), reads), 1);
  set(of_record(second, key), 4);
  set(of_record(second, reads), 1);
  set(kFree, 0);
  state_.erase(begin_ + (kFree + 1) * testing::kWordBytes, testing::kWordBytes);
  EXPECT_FALSE(taken());
}

}  // namespace
}  // namespace hmsim
