// SPDX-License-Identifier: BSD-3-Clause
// Blocks that are bad from the beginning, that fail, and that are retired.
#include <string>

#include "core/errors.h"
#include "nvdimm/ftl/ftl.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kBadBlockStream = 3;  // under the NVDIMM's seed

void require(bool condition, std::string_view message) {
  ensure(condition, "ftl", Tick(0), -1, message);
}

[[noreturn]] void worn_out(std::uint32_t lun, std::uint32_t bad) {
  throw InputError("the flash is worn out: " + std::to_string(bad) + " blocks of LUN " +
                   std::to_string(lun) +
                   " are bad, and what is left does not hold the logical capacity (see "
                   "nvdimm.ftl.over_provisioning; nvdimm.nand.{endurance,wear_failure,"
                   "program_failure})");
}

}  // namespace

void Ftl::mark_factory_bad(std::uint64_t seed) {
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    const Permutation drawn(shape_.blocks, mix64(seed + kBadBlockStream) + lun);
    for (std::uint32_t i = 0; i < shape_.bad_blocks; ++i) {
      blocks_[block_index(lun, static_cast<std::uint32_t>(drawn(i)))].state = State::bad;
    }
    luns_[lun].bad = shape_.bad_blocks;
  }
}

void Ftl::set_media(FlashMedia* media) {
  media_ = media;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].state == State::bad) {
      media_->mark_bad(block);
    }
  }
}

void Ftl::fail(PhysicalPage at, std::uint32_t claims) {
  const std::uint32_t lun = lun_of(at);
  const std::uint32_t number = block_of(at);
  Lun& state = luns_[lun];
  Block& block = blocks_[block_index(lun, number)];
  require(block.state == State::open, "a page failed outside the open blocks");
  state.claimed -= claims;
  block.failing = true;
  for (Frontier& frontier : state.frontiers) {
    if (frontier.block == number && frontier.next_page < shape_.pages) {
      block.end = frontier.next_page;
      state.invalid += shape_.pages - frontier.next_page;
      frontier = Frontier();
    }
  }
  if (media_ != nullptr) {
    media_->tear(at);
    media_->mark_bad(block_index(lun, number));
  }
  state.invalid += shape_.parts();
  for (std::uint32_t part = 0; part < shape_.parts(); ++part) {
    complete(at + PhysicalPage(part));
  }
}

void Ftl::retire(std::uint32_t lun, std::uint32_t number) {
  Block& block = blocks_[block_index(lun, number)];
  Lun& state = luns_[lun];
  require(block.state == State::victim && block.valid == 0, "a block in use is retired");
  block.state = State::bad;
  block.failing = false;
  ++state.bad;
  state.invalid -= shape_.pages;
  if (media_ != nullptr) {
    media_->erase(block_index(lun, number));
    media_->mark_bad(block_index(lun, number));
  }
  count_wear(lun);
  check_room(lun);
  check_pages(lun);
}

std::uint64_t Ftl::bad_blocks() const {
  std::uint64_t count = 0;
  for (const Lun& lun : luns_) {
    count += lun.bad;
  }
  return count;
}

void Ftl::check_room(std::uint32_t lun) const {
  std::uint64_t room = 0;
  for (const Lun& each : luns_) {
    room += shape_.valid_limit(each.bad);
  }
  const bool enough = shape_.dynamic
                          ? room >= shape_.needed
                          : shape_.valid_limit(luns_[lun].bad) >= shape_.needed / shape_.luns;
  if (!enough) {
    worn_out(lun, luns_[lun].bad);
  }
}

void Ftl::require_page(std::uint32_t lun, bool there_is_one) const {
  if (!there_is_one && (luns_[lun].bad > shape_.bad_blocks || luns_[lun].failing > 0)) {
    worn_out(lun, luns_[lun].bad + luns_[lun].failing);
  }
  require(there_is_one, "a LUN has no free page left");
}

}  // namespace hmsim
