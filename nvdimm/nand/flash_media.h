// SPDX-License-Identifier: BSD-3-Clause
// What the flash cells hold, in data mode: of every part of a programmed page its bytes, and in the
// spare area whose page it is and how new; of every block how often it was erased. The FTL's map
// can be rebuilt from this alone. Takes up memory only for blocks that were programmed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/archive.h"
#include "core/types.h"
#include "nvdimm/module/power_lane.h"

namespace hmsim {

using PageBytes = std::array<std::uint8_t, 4096>;

class FlashMedia {
 public:
  static constexpr LogicalPage kPadding{-1};  // of a part that was programmed without data

  struct Spare {
    LogicalPage page;
    std::uint64_t version = 0;  // of the data: larger is newer; a copy has its original's
    bool programmed = false;
    bool whole = false;  // its checksum fits: the program was not interrupted

    void serialize(Archive& archive) {
      archive(page, version, programmed, whole);
      archive.check(programmed || !whole, "a page is whole that was never programmed");
    }
  };

  // `pages`: of a block, each a part of a flash page that has `parts`.
  FlashMedia(std::uint64_t blocks, std::uint32_t pages, std::uint32_t parts = 1)
      : pages_(pages), parts_(parts), blocks_(blocks) {}

  // From now on reads for a program, programs and erases take so long, on a lane. What the lane
  // interrupts is torn; what comes later leaves the cells as they are, whatever the FTL believes.
  // An operation may only follow from others on its own lane, or from those of lanes that are not
  // over.
  void work_on(PowerLane& lane, Tick read, Tick program, Tick erase) {
    lane_ = &lane;
    read_time_ = read;
    program_time_ = program;
    erase_time_ = erase;
  }
  // Operations take no time again.
  void work_at_once() {
    lane_ = nullptr;
    outcome_ = PowerLane::Outcome::done;
  }

  // The program of a flash page whose parts follow: at once, if there is a lane.
  void begin_program(std::uint32_t sources) {
    outcome_ = spend(sources * read_time_ + program_time_);
  }
  // The page must be erased. Its bytes are zeros until store(), which follows at once.
  void program(PhysicalPage at, LogicalPage page, std::uint64_t version);
  void store(PhysicalPage at, const PageBytes& bytes);
  void copy(PhysicalPage from, PhysicalPage to);
  void pad(PhysicalPage at);
  void erase(std::uint64_t block);

  // The page was discarded: its data up to that version do not count. Kept at power failures.
  void discard(LogicalPage page, std::uint64_t version) { discarded_[page.value()] = version; }
  std::uint64_t discarded(LogicalPage page) const {
    const auto found = discarded_.find(page.value());
    return found == discarded_.end() ? 0 : found->second;
  }
  std::uint64_t newest_discard() const;

  // Power went during the program of the flash page that begins there, or the erase of a block.
  void tear(PhysicalPage at);
  void tear_block(std::uint64_t block);

  Spare spare(PhysicalPage at) const;
  const PageBytes& bytes(PhysicalPage at) const;
  // The mark in a bad block's spare area; pages can be read all the same.
  void mark_bad(std::uint64_t block) { blocks_[block].bad = true; }
  bool bad(std::uint64_t block) const { return blocks_[block].bad; }
  std::uint32_t erases(std::uint64_t block) const { return blocks_[block].erases; }
  std::uint64_t torn_pages() const { return torn_; }  // so far; parts

  void serialize(Archive& archive);

 private:
  struct Page {
    Spare spare;
    std::shared_ptr<const PageBytes> bytes;  // shared by copies; none: zeros
  };
  struct Block {
    std::vector<Page> pages;  // empty: erased
    std::uint32_t erases = 0;
    bool bad = false;
  };

  PowerLane::Outcome spend(Tick duration) {
    return lane_ == nullptr ? PowerLane::Outcome::done : lane_->spend(duration);
  }
  bool programs(PhysicalPage at);
  void tear_part(PhysicalPage at);
  Page& fresh(PhysicalPage at);
  void serialize_discarded(Archive& archive);
  static void serialize_bytes(Archive& archive, Page& page);

  std::uint32_t pages_;
  std::uint32_t parts_;
  std::vector<Block> blocks_;
  PowerLane* lane_ = nullptr;  // nullptr: operations are done at once
  Tick read_time_{0};
  Tick program_time_{0};
  Tick erase_time_{0};
  PowerLane::Outcome outcome_ = PowerLane::Outcome::done;  // of the program that has begun
  std::uint64_t torn_ = 0;
  std::map<std::int64_t, std::uint64_t> discarded_;  // versions, by logical page
};

}  // namespace hmsim
