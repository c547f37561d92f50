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
                 std::unique_ptr<VictimSelector> selector, std::uint64_t seed,
                 std::unique_ptr<WearLeveler> leveler)
    : shape_(shape),
      luns_(luns),
      selector_(selector == nullptr ? victim_selector("greedy", {}) : std::move(selector)),
      leveler_(leveler == nullptr
                   ? create_policy<WearLeveler>(PolicyKind::wear_leveler, "erase_gap", {})
                   : std::move(leveler)),
      counts_erases_(leveler_->counts_erases()),
      random_(seed, kSelectorStream) {
  restart();
}

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

std::optional<std::uint32_t> Victims::take_to_level(std::uint32_t lun) {
  LunBlocks& blocks = luns_[lun];
  if (blocks.free() == 0 || blocks.full().count() == 0) {
    return std::nullopt;
  }
  blocks.find_fewest();
  const WearSpread& wear = blocks.wear();
  const std::uint32_t block =
      leveler_->choose({lun, wear.most(), wear.least()}, blocks.full(), random_);
  if (block == kNoIndex) {
    return std::nullopt;
  }
  if (block >= shape_.blocks || blocks[block].state != BlockState::full) {
    throw InputError("ftl.wear: the policy returned block " + std::to_string(block) +
                     ": must be a full block of the LUN");
  }
  blocks.take(block);
  return block;
}

}  // namespace hmsim
