// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/lun_blocks.h"

#include <algorithm>
#include <string>

#include "core/random.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kBadBlockStream = 3;  // of the NVDIMM's seed

}  // namespace

void raise_worn_out(std::uint32_t lun, std::uint32_t bad) {
  throw InputError(
      "the flash is worn out: " + std::to_string(bad) + " blocks of LUN " + std::to_string(lun) +
      " are bad, and the rest cannot hold the logical capacity (see nvdimm.ftl.over_provisioning; "
      "nvdimm.nand.{endurance,wear_failure,program_failure})");
}

LunBlocks::LunBlocks(const FtlShape& shape, std::uint32_t lun, std::uint64_t seed)
    : shape_(&shape),
      lun_(lun),
      blocks_(shape.blocks),
      full_(blocks_.data(), shape.blocks, shape.pages),
      free_(blocks_, shape.bad_blocks),
      wear_(shape.blocks - shape.bad_blocks),
      bad_(shape.bad_blocks) {
  const Permutation drawn(shape.blocks, mix64(seed + kBadBlockStream) + lun);
  for (std::uint32_t i = 0; i < shape.bad_blocks; ++i) {
    blocks_[static_cast<std::size_t>(drawn(i))].state = BlockState::bad;
  }
  plan();
}

void LunBlocks::plan() {
  valid_limit_ = shape_->valid_limit(bad_);
  const bool full = cached_full_ > 0 && cached_open_ == 0 && !may_cache();
  due_below_ =
      full ? kNoIndex
           : shape_->gc_threshold + shape_->cache_reserve - std::min(shape_->cache_reserve, cache_);
}

void LunBlocks::count_modes() {
  cache_ = cached_open_ = cached_full_ = 0;
  for (const FlashBlock& block : blocks_) {
    cache_ += block.one_bit() ? 1 : 0;
    cached_open_ += block.one_bit() && block.state == BlockState::open ? 1 : 0;
    cached_full_ += block.one_bit() && block.state == BlockState::full ? 1 : 0;
  }
  plan();
}

std::uint32_t LunBlocks::open(bool most_worn, std::uint32_t stream) {
  const std::uint32_t number = most_worn ? free_.take_most_worn() : free_.take_least_worn();
  FlashBlock& block = blocks_[number];
  require_mapping(block.state == BlockState::free && block.valid == 0,
                  "occupied block in the list of free blocks");
  block.state = BlockState::open;
  block.stream = static_cast<std::uint8_t>(stream);
  block.completed = 0;
  block.end = shape_->pages;
  if (block.one_bit()) {
    block.end = shape_->cache_pages;
    invalid_ += shape_->pages - block.end;
    ++cache_;
    ++cached_open_;
  }
  plan();
  return number;
}

void LunBlocks::add_valid(std::uint32_t block) {
  require_mapping(blocks_[block].state == BlockState::open,
                  "page programmed outside the open blocks");
  ++blocks_[block].valid;
  ++valid_;
}

void LunBlocks::invalidate(std::uint32_t number) {
  FlashBlock& block = blocks_[number];
  require_mapping(block.valid > 0, "block with more invalid pages than pages");
  const bool full = block.state == BlockState::full;
  if (full) {
    full_.leave_bucket(number);
  }
  --block.valid;
  --valid_;
  ++invalid_;
  block.changed = full_.written();
  if (full) {
    full_.enter_bucket(number);
  }
}

void LunBlocks::complete(std::uint32_t number, std::uint32_t page) {
  FlashBlock& block = blocks_[number];
  require_mapping(page == block.completed || block.failing,
                  "pages of a block written out of order");
  ++block.completed;
  full_.count_written();
  --in_flight_;
  if (block.completed == block.end) {
    require_mapping(block.state == BlockState::open, "full block that was not open");
    block.completed = shape_->pages;
    block.changed = full_.written();
    block.state = BlockState::full;
    failing_ += block.failing ? 1 : 0;
    full_.add(number);
    if (block.one_bit()) {
      --cached_open_;
      ++cached_full_;
    }
    plan();
  }
}

void LunBlocks::take(std::uint32_t number) {
  FlashBlock& block = blocks_[number];
  require_mapping(block.state == BlockState::full, "victim that is not a full block");
  failing_ -= block.failing ? 1 : 0;
  full_.remove(number);
  cached_full_ -= block.one_bit() ? 1 : 0;
  block.state = BlockState::victim;
  plan();
}

void LunBlocks::erase(std::uint32_t number) {
  FlashBlock& block = blocks_[number];
  require_mapping(block.state == BlockState::victim && block.valid == 0,
                  "erase of a block with valid pages");
  cache_ -= block.one_bit() ? 1 : 0;
  block.state = BlockState::free;
  block.failing = false;
  invalid_ -= shape_->pages;
  wear_.erased(block.erases);
  ++block.erases;
  free_.add(number, block.erases);
  plan();
}

void LunBlocks::retire(std::uint32_t number) {
  FlashBlock& block = blocks_[number];
  require_mapping(block.state == BlockState::victim && block.valid == 0,
                  "retirement of a block in use");
  cache_ -= block.one_bit() ? 1 : 0;
  block.state = BlockState::bad;
  block.failing = false;
  ++bad_;
  invalid_ -= shape_->pages;
  wear_.count(blocks_);
  plan();
}

void LunBlocks::fail(std::uint32_t number, std::uint32_t end) {
  FlashBlock& block = blocks_[number];
  require_mapping(block.state == BlockState::open, "failed page outside the open blocks");
  block.failing = true;
  if (end < block.end) {
    invalid_ += block.end - end;
    block.end = end;
  }
}

void LunBlocks::raise_no_page() const {
  if (failing_ > 0 && !shape_->retires) {
    throw InputError("nvdimm.nand.program_failure: " + std::to_string(failing_) +
                     " blocks of bank " + std::to_string(lun_) +
                     " wait for their replay, and the others have no free page: lower it, or raise "
                     "nvdimm.ftl.over_provisioning");
  }
  if (bad_ > shape_->bad_blocks || failing_ > 0) {
    raise_worn_out(lun_, bad_ + failing_);
  }
  raise_fault("ftl", Tick(0), -1, "no free page left in a LUN");
}

void LunBlocks::restore(const std::vector<FlashBlock>& blocks,
                        const std::vector<std::uint32_t>& full) {
  std::copy(blocks.begin(), blocks.end(), blocks_.begin());  // in place: full_ points there
  in_flight_ = 0;
  valid_ = 0;
  invalid_ = 0;
  bad_ = 0;
  failing_ = 0;
  for (const FlashBlock& block : blocks_) {
    bad_ += block.bad() ? 1 : 0;
    valid_ += block.valid;
    invalid_ += block.bad() ? 0 : block.completed - block.valid;
    invalid_ += block.state == BlockState::open ? shape_->pages - block.end : 0;
  }
  free_.list(shape_->blocks);
  full_.clear();
  for (const std::uint32_t block : full) {
    failing_ += blocks_[block].failing ? 1 : 0;
    full_.add(block);
  }
  wear_.count(blocks_);
  count_modes();
}

void LunBlocks::serialize_blocks(Archive& archive) {
  valid_ = archive.loading() ? 0 : valid_;
  for (FlashBlock& block : blocks_) {
    FlashBlock saved = archive.loading() ? FlashBlock() : block;
    archive(saved);
    if (archive.loading() && !(saved.unused() && block.unused())) {
      block = saved;
    }
  }
}

void LunBlocks::restore_valid(const Archive& archive, std::uint32_t number, std::uint32_t page) {
  FlashBlock& block = blocks_[number];
  archive.check(block.state != BlockState::free && !block.bad() && page < block.completed,
                "logical page at a place that was not written");
  ++block.valid;
  ++valid_;
}

void LunBlocks::serialize(Archive& archive) {
  full_.serialize_clock(archive);
  archive(in_flight_, invalid_);
  full_.serialize_orders(archive);
  if (!archive.loading()) {
    return;
  }
  bad_ = 0;
  failing_ = 0;
  for (const FlashBlock& block : blocks_) {
    bad_ += block.bad() ? 1 : 0;
    failing_ += block.state == BlockState::full && block.failing ? 1 : 0;
  }
  free_.list(shape_->blocks);
  wear_.count(blocks_);
  count_modes();
}

}  // namespace hmsim
