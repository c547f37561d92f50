// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/victims.h"

#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kSelectorStream = 1;  // random number stream of the NVDIMM's seed

}  // namespace

std::unique_ptr<VictimSelector> victim_selector(const std::string& name,
                                                const Assignments& assignments) {
  return create_policy<VictimSelector>(PolicyKind::victim_selector, name, assignments);
}

Victims::Victims(const FtlShape& shape, std::vector<LunBlocks>& luns,
                 std::unique_ptr<VictimSelector> selector, std::uint64_t seed)
    : shape_(shape),
      luns_(luns),
      selector_(selector == nullptr ? victim_selector("greedy", {}) : std::move(selector)),
      random_(seed, kSelectorStream) {}

std::uint32_t Victims::take(std::uint32_t lun) {
  LunBlocks& blocks = luns_[lun];
  ensure(collectable(lun), "ftl", Tick(0), -1, "no block with an invalid page to collect");
  const FullBlockList& full = blocks.full();
  const std::uint32_t block = blocks.failing() > 0  ? full.first_failing()
                              : blocks.free() == 0  ? full.first_with(full.fewest()).block
                              : blocks.cache_full() ? blocks.cache_victim()
                                                    : selector_->choose(full, random_);
  ensure(block < shape_.blocks, "ftl", Tick(0), -1, "selection of an invalid block");
  blocks.take(block);
  return block;
}

std::optional<std::uint32_t> Victims::take_cached(std::uint32_t lun) {
  LunBlocks& blocks = luns_[lun];
  if (blocks.cached() == 0) {
    return std::nullopt;
  }
  const std::uint32_t block = blocks.full().first_one_bit();
  blocks.take(block);
  return block;
}

std::optional<std::uint32_t> Victims::take_coldest(std::uint32_t lun) {
  LunBlocks& blocks = luns_[lun];
  const WearSpread& wear = blocks.wear();
  if (shape_.wear_gap == 0 || wear.gap() <= shape_.wear_gap || blocks.free() == 0) {
    return std::nullopt;
  }
  const std::uint32_t coldest = blocks.full().least_worn(wear.most() - shape_.wear_gap);
  if (coldest == kNoIndex) {
    return std::nullopt;
  }
  blocks.take(coldest);
  return coldest;
}

}  // namespace hmsim
