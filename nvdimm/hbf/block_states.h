// SPDX-License-Identifier: BSD-3-Clause
// State of each block of a channel: pages accepted in order, senses since the erase, erases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/archive.h"

namespace hmsim {

// Pages of a block are written 0, 1, 2, ... Page 0 may be written at any time and erases the block,
// unless nothing was programmed since the last erase.
class BlockStates {
 public:
  BlockStates(std::int64_t blocks, std::uint32_t pages, bool erased)
      : blocks_(static_cast<std::size_t>(blocks)) {
    for (Block& block : blocks_) {
      block.next = erased ? 0 : pages;
      block.programmed = block.next;
      block.clean = erased;
    }
  }

  // Starts with the first `pages` pages of the block programmed, after `erases` erases.
  void start(std::size_t block, std::uint32_t pages, std::uint32_t erases) {
    Block& own = blocks_[block];
    own.next = pages;
    own.programmed = pages;
    own.erases = erases;
    own.clean = false;
  }
  // Accepts the page for programming. Returns false if it is not the next one.
  bool accept(std::size_t block, std::uint32_t page) {
    Block& own = blocks_[block];
    if (page != 0 && (page != own.next || own.torn)) {
      return false;
    }
    own.next = page + 1;
    own.torn = false;
    return true;
  }
  // Returns whether the program of page 0 must erase the block first, and records that the block is
  // no longer clean.
  bool begin(std::size_t block) {
    const bool erases = !blocks_[block].clean;
    blocks_[block].clean = false;
    return erases;
  }
  void erased(std::size_t block) {
    ++blocks_[block].erases;
    blocks_[block].senses = 0;
  }
  // Records the end of a program, and the begin of an erase.
  void programmed(std::size_t block, std::uint32_t page) { blocks_[block].programmed = page + 1; }
  void clear(std::size_t block) { blocks_[block].programmed = 0; }
  std::uint32_t programmed(std::size_t block) const { return blocks_[block].programmed; }
  // After a power failure: continues behind the programmed pages of `before`, or with page 0 if a
  // program was interrupted.
  void recover(std::size_t block, const BlockStates& before, bool interrupted) {
    Block& own = blocks_[block];
    own = before.blocks_[block];
    own.next = own.programmed;
    own.torn = own.torn || interrupted;
    own.age = 0;
  }
  std::size_t count() const { return blocks_.size(); }
  // Records a failed program. The block takes no page before page 0; programmed pages remain until
  // then. Pages that were accepted before have an older age().
  void fail(std::size_t block) {
    blocks_[block].next = blocks_[block].programmed;
    blocks_[block].torn = true;
    ++blocks_[block].age;
  }
  std::uint32_t age(std::size_t block) const { return blocks_[block].age; }

  // Returns whether the page was accepted since the last program of page 0, and its block did not
  // fail before its program ended.
  bool written(std::size_t block, std::uint32_t page) const { return page < blocks_[block].next; }
  std::int64_t sensed(std::size_t block) { return ++blocks_[block].senses; }
  std::int64_t senses(std::size_t block) const { return blocks_[block].senses; }
  std::uint32_t erases(std::size_t block) const { return blocks_[block].erases; }

  void serialize(Archive& archive) {
    for (Block& block : blocks_) {
      archive(block);
    }
  }

 private:
  struct Block {
    std::uint32_t next = 0;
    std::uint32_t age = 0;
    std::uint32_t erases = 0;
    std::int64_t senses = 0;
    std::uint32_t programmed = 0;
    bool clean = true;
    bool torn = false;  // takes no page before page 0
    void serialize(Archive& archive) {
      archive(next, age, erases, senses, programmed, clean, torn);
    }
  };

  std::vector<Block> blocks_;
};

}  // namespace hmsim
