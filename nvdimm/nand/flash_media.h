// SPDX-License-Identifier: BSD-3-Clause
// Contents of the flash cells in data mode. Every part of a programmed page has its bytes, and a
// spare area with the logical page and its version. Every block has its number of erases. The FTL's
// map can be rebuilt from this alone. Only programmed blocks occupy memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/request.h"
#include "core/types.h"
#include "core/zeroed_array.h"
#include "nvdimm/module/power_lane.h"

namespace hmsim {

using PageBytes = std::array<std::uint8_t, 4096>;

// Return or replace the line at the byte `offset` of a page.
inline LineBytes line_at(const PageBytes& page, std::int64_t offset) {
  LineBytes line;
  std::copy_n(page.begin() + offset, line.size(), line.begin());
  return line;
}
inline void put_line(PageBytes& page, std::int64_t offset, const LineBytes& line) {
  std::copy(line.begin(), line.end(), page.begin() + offset);
}

class FlashMedia {
 public:
  static constexpr LogicalPage kPadding{-1};  // of a part that was programmed without data

  struct Spare {
    LogicalPage page;
    std::uint64_t version = 0;  // version of the data: larger is newer; copies keep it
    bool programmed = false;
    bool whole = false;  // its checksum matches, so the program was not interrupted

    void serialize(Archive& archive) {
      archive(page, version, programmed, whole);
      archive.check(programmed || !whole, "complete page that was never programmed");
    }
  };

  // `pages`: parts per block. `parts`: parts per flash page.
  FlashMedia(std::uint64_t blocks, std::uint32_t pages, std::uint32_t parts = 1)
      : pages_(pages), parts_(parts), used_(static_cast<std::size_t>(blocks)) {}

  // From now on, reads for a program, programs and erases take these times on a lane. An operation
  // that the lane interrupts is torn. Later operations leave the cells unchanged, whatever the FTL
  // assumes. An operation may depend only on others of its own lane, or of lanes that are not over.
  void work_on(PowerLane& lane, Tick read, Tick program, Tick erase) {
    lane_ = &lane;
    read_time_ = read;
    program_time_ = program;
    erase_time_ = erase;
  }
  // Makes operations take no time again.
  void work_at_once() {
    lane_ = nullptr;
    outcome_ = PowerLane::Outcome::done;
  }

  // Begins the program of a flash page; its parts must follow at once if there is a lane.
  void begin_program(std::uint32_t sources) {
    outcome_ = spend(sources * read_time_ + program_time_);
  }
  // Programs an erased page. Its bytes are zeros until store(), which must follow at once.
  void program(PhysicalPage at, LogicalPage page, std::uint64_t version);
  void store(PhysicalPage at, const PageBytes& bytes);
  void copy(PhysicalPage from, PhysicalPage to);
  void pad(PhysicalPage at);
  void erase(std::uint64_t block);

  // Discards the page: data up to `version` are invalid. Discards survive power failures.
  void discard(LogicalPage page, std::uint64_t version) { discarded_[page.value()] = version; }
  std::uint64_t discarded(LogicalPage page) const {
    const auto found = discarded_.find(page.value());
    return found == discarded_.end() ? 0 : found->second;
  }
  std::uint64_t newest_discard() const;

  // Tear the flash page that begins at `at` (interrupted program), or a block (interrupted erase).
  void tear(PhysicalPage at);
  void tear_block(std::uint64_t block);

  Spare spare(PhysicalPage at) const;
  const PageBytes& bytes(PhysicalPage at) const;
  // Sets the bad mark in the block's spare area. Its pages stay readable.
  void mark_bad(std::uint64_t block) { use(block).bad = true; }
  bool bad(std::uint64_t block) const { return record(block).bad; }
  // Sets the mode in which the current program writes its block.
  void set_mode(std::uint64_t block, bool one_bit) {
    if (outcome_ != PowerLane::Outcome::never && one_bit != record(block).one_bit) {
      use(block).one_bit = one_bit;
    }
  }
  bool one_bit(std::uint64_t block) const { return record(block).one_bit; }
  std::uint32_t erases(std::uint64_t block) const { return record(block).erases; }
  std::uint64_t torn_pages() const { return torn_; }  // parts torn so far

  void serialize(Archive& archive);

 private:
  struct Page {
    Spare spare;
    std::shared_ptr<const PageBytes> bytes;  // shared by copies; nullptr: zeros
  };
  struct Block {
    std::vector<Page> pages;  // empty: erased
    std::uint32_t erases = 0;
    bool bad = false;
    bool one_bit = false;
  };

  PowerLane::Outcome spend(Tick duration) {
    return lane_ == nullptr ? PowerLane::Outcome::done : lane_->spend(duration);
  }
  // Returns the block's record; for a block that was never used, an empty one.
  const Block& record(std::uint64_t block) const {
    return records_[used_[static_cast<std::size_t>(block)]];
  }
  // Returns the block's record; adds it if the block was never used.
  Block& use(std::uint64_t block);
  // Returns the page, whose block is not erased.
  Page& page_at(PhysicalPage at) { return const_cast<Page&>(*find(at)); }
  // Returns the page; nullptr if its block is erased.
  const Page* find(PhysicalPage at) const {
    const std::vector<Page>& pages = record(static_cast<std::uint64_t>(at.value() / pages_)).pages;
    return pages.empty() ? nullptr : &pages[static_cast<std::size_t>(at.value() % pages_)];
  }
  bool programs(PhysicalPage at);
  void tear_part(PhysicalPage at);
  Page& fresh(PhysicalPage at);
  void serialize_discarded(Archive& archive);
  static void serialize_bytes(Archive& archive, Page& page);

  std::uint32_t pages_;
  std::uint32_t parts_;
  ZeroedArray<std::uint32_t> used_;  // by block: index in records_; 0: never used
  std::vector<Block> records_ = std::vector<Block>(1);  // the first one is empty
  PowerLane* lane_ = nullptr;                           // nullptr: operations take no time
  Tick read_time_{0};
  Tick program_time_{0};
  Tick erase_time_{0};
  PowerLane::Outcome outcome_ = PowerLane::Outcome::done;  // of the current program
  std::uint64_t torn_ = 0;
  std::map<std::int64_t, std::uint64_t> discarded_;  // versions, by logical page
};

}  // namespace hmsim
