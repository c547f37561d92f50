// SPDX-License-Identifier: BSD-3-Clause
// The full blocks of a LUN: how they are listed, and which of them is cleaned.
#include <algorithm>

#include "core/errors.h"
#include "nvdimm/ftl/ftl.h"

namespace hmsim {

namespace {

void require(bool condition, std::string_view message) {
  ensure(condition, "ftl", Tick(0), -1, message);
}

}  // namespace

std::unique_ptr<VictimSelector> victim_selector(const std::string& name,
                                                const Assignments& assignments) {
  auto policy = create_policy(PolicyKind::victim_selector, name, assignments);
  return std::unique_ptr<VictimSelector>(static_cast<VictimSelector*>(policy.release()));
}

class Ftl::View final : public FullBlocks {
 public:
  View(const Ftl& ftl, std::uint32_t lun) : ftl_(ftl), lun_(ftl.luns_[lun]), lun_number_(lun) {}

  std::uint32_t count() const override { return static_cast<std::uint32_t>(lun_.full.size()); }
  BlockView at(std::uint32_t index) const override { return view(lun_.full[index]); }
  std::uint32_t oldest() const override { return lun_.filled.first; }
  std::uint32_t pages() const override { return ftl_.shape_.pages; }
  std::uint32_t fewest() const override { return lun_.fewest; }
  bool any_with(std::uint32_t valid) const override { return !lun_.buckets[valid].empty(); }
  BlockView first_with(std::uint32_t valid) const override {
    return view(lun_.buckets[valid].first);
  }
  bool next_alike(BlockView& current) const override {
    const std::uint32_t next = block(current.block).alike.next;
    if (next != kNoIndex) {
      current = view(next);
    }
    return next != kNoIndex;
  }

 private:
  const Block& block(std::uint32_t number) const {
    return ftl_.blocks_[ftl_.block_index(lun_number_, number)];
  }
  BlockView view(std::uint32_t number) const {
    const Block& entry = block(number);
    return {number, ftl_.shape_.pages, entry.valid, entry.erases, lun_.written - entry.changed};
  }

  const Ftl& ftl_;
  const Lun& lun_;
  const std::uint32_t lun_number_;
};

void Ftl::enter_bucket(std::uint32_t lun, std::uint32_t block) {
  const std::uint32_t valid = blocks_[block_index(lun, block)].valid;
  luns_[lun].buckets[valid].push_back(links(lun, &Block::alike), block);
  luns_[lun].fewest = std::min(luns_[lun].fewest, valid);
}

void Ftl::leave_bucket(std::uint32_t lun, std::uint32_t block) {
  const std::uint32_t valid = blocks_[block_index(lun, block)].valid;
  luns_[lun].buckets[valid].remove(links(lun, &Block::alike), block);
}

void Ftl::enter_full(std::uint32_t lun, std::uint32_t block) {
  Block& entry = blocks_[block_index(lun, block)];
  Lun& state = luns_[lun];
  entry.state = State::full;
  state.failing += entry.failing ? 1 : 0;
  entry.slot = static_cast<std::uint32_t>(state.full.size());
  state.full.push_back(block);
  state.filled.push_back(links(lun, &Block::age), block);
  enter_bucket(lun, block);
}

void Ftl::make_victim(std::uint32_t lun, std::uint32_t block) {
  Block& entry = blocks_[block_index(lun, block)];
  Lun& state = luns_[lun];
  require(entry.state == State::full, "a victim is not a full block");
  state.failing -= entry.failing ? 1 : 0;
  leave_bucket(lun, block);
  state.filled.remove(links(lun, &Block::age), block);
  state.full[entry.slot] = state.full.back();
  blocks_[block_index(lun, state.full.back())].slot = entry.slot;
  state.full.pop_back();
  entry.state = State::victim;
}

// shape_.pages when no block is full.
std::uint32_t Ftl::fewest_valid(std::uint32_t lun) {
  Lun& state = luns_[lun];
  while (state.fewest < shape_.pages && state.buckets[state.fewest].empty()) {
    ++state.fewest;
  }
  return state.fewest;
}

std::uint32_t Ftl::take_victim(std::uint32_t lun) {
  require(collectable(lun), "a victim was asked for while no block has an invalid page");
  if (luns_[lun].failing > 0) {
    std::uint32_t failing = luns_[lun].filled.first;
    while (!blocks_[block_index(lun, failing)].failing) {
      failing = blocks_[block_index(lun, failing)].age.next;
    }
    make_victim(lun, failing);
    return failing;
  }
  const std::uint32_t block = luns_[lun].free.empty()
                                  ? luns_[lun].buckets[luns_[lun].fewest].first
                                  : selector_->choose(View(*this, lun), random_);
  require(block < shape_.blocks, "a selector chose a block that does not exist");
  make_victim(lun, block);
  return block;
}

std::optional<std::uint32_t> Ftl::take_coldest(std::uint32_t lun) {
  const Lun& state = luns_[lun];
  const auto most = static_cast<std::uint32_t>(state.worn.size() - 1);
  if (shape_.wear_gap == 0 || most - state.least_worn <= shape_.wear_gap || state.free.empty()) {
    return std::nullopt;
  }
  std::uint32_t coldest = kNoIndex;
  std::uint32_t erases = most - shape_.wear_gap;
  for (std::uint32_t block = state.filled.first; block != kNoIndex;
       block = blocks_[block_index(lun, block)].age.next) {
    if (blocks_[block_index(lun, block)].erases < erases) {
      coldest = block;
      erases = blocks_[block_index(lun, block)].erases;
    }
  }
  if (coldest == kNoIndex) {
    return std::nullopt;
  }
  make_victim(lun, coldest);
  return coldest;
}

void Ftl::count_wear() {
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    count_wear(lun);
  }
}

// Of the good blocks.
void Ftl::count_wear(std::uint32_t lun) {
  Lun& state = luns_[lun];
  state.worn.assign(1, 0);
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    const std::uint32_t erases = blocks_[block_index(lun, block)].erases;
    if (bad(lun, block)) {
      continue;
    }
    if (erases >= state.worn.size()) {
      state.worn.resize(std::size_t{erases} + 1);
    }
    ++state.worn[erases];
  }
  state.least_worn = 0;
  while (state.worn[state.least_worn] == 0 && state.least_worn + 1 < state.worn.size()) {
    ++state.least_worn;
  }
}

}  // namespace hmsim
