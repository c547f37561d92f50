// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of the FTL.
#include <algorithm>

#include "core/errors.h"
#include "nvdimm/ftl.h"

namespace hmsim {

namespace {

constexpr std::uint32_t kMostErases = 1u << 24;  // of a block: far beyond what flash endures

void require_fit(bool condition) {
  if (!condition) {
    throw InputError("the checkpoint does not fit this NVDIMM, or is damaged");
  }
}

}  // namespace

void Ftl::serialize(Archive& archive) {
  archive.section("ftl");
  archive(blocks_, cursor_, version_, random_, *selector_);
  require_fit(blocks_.size() == std::size_t{shape_.luns} * shape_.blocks &&
              cursor_ < shape_.stripe.size());
  serialize_map(archive);
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    serialize_lun(archive, lun);
  }
  if (map_ != nullptr) {
    archive(*map_);
  }
  if (archive.loading()) {
    for (const Block& block : blocks_) {
      require_fit(block.erases <= kMostErases);
    }
    count_wear();
  }
}

// Only l2p_, two entries in a number, without the stretches that were never written. p2l_ and the
// counts of valid pages follow from it.
void Ftl::serialize_map(Archive& archive) {
  constexpr std::size_t kStretch = 1024;
  if (archive.loading()) {
    l2p_ = ZeroedArray(l2p_.size());
    p2l_ = ZeroedArray(p2l_.size());
  }
  for (std::size_t begin = 0; begin < l2p_.size(); begin += kStretch) {
    const std::size_t end = std::min(begin + kStretch, l2p_.size());
    bool written = false;
    for (std::size_t i = begin; i < end && !written; ++i) {
      written = l2p_[i] != 0;
    }
    archive(written);
    for (std::size_t i = begin; written && i < end; i += 2) {
      const bool second = i + 1 < end;
      std::uint64_t pair = l2p_[i] | std::uint64_t{second ? l2p_[i + 1] : 0} << 32;
      archive(pair);
      if (archive.loading()) {
        l2p_[i] = static_cast<std::uint32_t>(pair);
        if (second) {
          l2p_[i + 1] = static_cast<std::uint32_t>(pair >> 32);
        }
      }
    }
  }
  if (!archive.loading()) {
    return;
  }
  for (Lun& lun : luns_) {
    lun.valid = 0;
  }
  for (std::size_t page = 0; page < l2p_.size(); ++page) {
    if (l2p_[page] == 0) {
      continue;
    }
    require_fit(l2p_[page] <= p2l_.size() && p2l_[l2p_[page] - 1] == 0);
    const PhysicalPage at(std::int64_t{l2p_[page]} - 1);
    p2l_[index(at)] = static_cast<std::uint32_t>(page + 1);
    ++blocks_[block_index(lun_of(at), block_of(at))].valid;
    ++luns_[lun_of(at)].valid;
  }
}

void Ftl::serialize_lun(Archive& archive, std::uint32_t lun) {
  Lun& state = luns_[lun];
  archive(state.free, state.frontiers, state.full, state.claimed, state.written, state.unsettled,
          state.invalid, state.bad, state.failing);
  if (archive.loading()) {
    for (const Frontier& frontier : state.frontiers) {
      require_fit((frontier.block == kNoIndex || frontier.block < shape_.blocks) &&
                  frontier.next_page <= shape_.pages);
    }
    for (const std::uint64_t entry : state.free) {
      require_fit(static_cast<std::uint32_t>(entry) < shape_.blocks);
    }
    for (std::size_t slot = 0; slot < state.full.size(); ++slot) {
      require_fit(state.full[slot] < shape_.blocks);
      const Block& block = blocks_[block_index(lun, state.full[slot])];
      require_fit(block.state == State::full && block.slot == slot);
    }
    state.fewest = 0;
  }
  serialize_list(archive, lun, state.filled, &Block::age);
  for (List& bucket : state.buckets) {
    serialize_list(archive, lun, bucket, &Block::alike);
  }
}

void Ftl::serialize_list(Archive& archive, std::uint32_t lun, List& list, Link Block::*link) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = archive.loading() ? kNoIndex : list.first; i != kNoIndex;
       i = (blocks_[block_index(lun, i)].*link).next) {
    members.push_back(i);
  }
  archive(members);
  if (!archive.loading()) {
    return;
  }
  list = List();
  require_fit(members.size() <= shape_.blocks);
  for (const std::uint32_t block : members) {
    require_fit(block < shape_.blocks && blocks_[block_index(lun, block)].state == State::full);
    append(lun, list, link, block);
  }
}

}  // namespace hmsim
