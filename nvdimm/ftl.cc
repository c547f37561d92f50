// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

void require(bool condition, std::string_view message) {
  ensure(condition, "ftl", Tick(0), -1, message);
}

void require_fit(bool condition) {
  if (!condition) {
    throw InputError("the checkpoint does not fit this NVDIMM, or is damaged");
  }
}

// LUNs (channel-major numbers) in the order in which consecutive pages visit them.
std::vector<std::uint32_t> stripe_of(const NvdimmParameters& parameters) {
  const NandParameters& nand = parameters.nand;
  std::vector<std::uint32_t> stripe;
  for (std::int64_t i = 0; i < parameters.luns(); ++i) {
    std::int64_t rest = i;
    std::int64_t channel = 0;
    std::int64_t chip = 0;
    std::int64_t die = 0;
    const auto take = [&rest](std::int64_t count) {
      return std::exchange(rest, rest / count) % count;
    };
    for (const char letter : parameters.ftl.order) {
      switch (letter) {
        case 'C':
          channel = take(nand.channels);
          break;
        case 'W':
          chip = take(nand.chips);
          break;
        case 'D':
          die = take(nand.dies);
          break;
        default:
          break;  // P: one plane
      }
    }
    stripe.push_back(static_cast<std::uint32_t>((channel * nand.chips + chip) * nand.dies + die));
  }
  return stripe;
}

}  // namespace

FtlShape ftl_shape(const NvdimmParameters& parameters) {
  constexpr std::int64_t kMillion = 1'000'000;
  constexpr double kPartsPerPercent = 10'000;
  const std::int64_t raw_pages = parameters.capacity / kPageBytes;
  const auto spare_ppm =
      static_cast<std::int64_t>(parameters.ftl.over_provisioning * kPartsPerPercent + 0.5);
  const std::int64_t blocks = raw_pages / (parameters.luns() * parameters.nand.pages_per_block);
  const auto threshold_ppm =
      static_cast<std::int64_t>(parameters.ftl.gc_threshold * static_cast<double>(kMillion) + 0.5);
  const std::int64_t threshold = (blocks * threshold_ppm + kMillion - 1) / kMillion;

  FtlShape shape;
  shape.luns = static_cast<std::uint32_t>(parameters.luns());
  shape.blocks = static_cast<std::uint32_t>(blocks);
  shape.pages = static_cast<std::uint32_t>(parameters.nand.pages_per_block);
  shape.logical_pages = static_cast<std::uint64_t>(raw_pages * kMillion / (kMillion + spare_ppm));
  shape.gc_threshold =
      static_cast<std::uint32_t>(std::max(threshold, parameters.ftl.reserve_blocks));
  shape.dynamic = parameters.ftl.allocation == PageAllocation::dynamic;
  shape.shared_frontier = parameters.ftl.frontier == WriteFrontier::shared;
  shape.stripe = stripe_of(parameters);
  return shape;
}

Ftl::Ftl(FtlShape shape)
    : shape_(std::move(shape)),
      l2p_(shape_.logical_pages),
      p2l_(std::size_t{shape_.luns} * shape_.blocks * shape_.pages),
      blocks_(std::size_t{shape_.luns} * shape_.blocks),
      luns_(shape_.luns) {
  for (Lun& lun : luns_) {
    lun.buckets.resize(std::size_t{shape_.pages} + 1);
    for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
      lun.free.push_back(block);  // ascending: already a heap
    }
  }
}

PhysicalPage Ftl::allocate(std::uint32_t lun, Stream stream) {
  Lun& state = luns_[lun];
  Frontier& frontier =
      state.frontiers[shape_.shared_frontier ? 0 : static_cast<std::size_t>(stream)];
  if (frontier.block == kNoIndex || frontier.next_page == shape_.pages) {
    require(!state.free.empty(), "a LUN has no free block left");
    std::pop_heap(state.free.begin(), state.free.end(), std::greater<>());
    frontier = {static_cast<std::uint32_t>(state.free.back()), 0};
    state.free.pop_back();
    Block& block = blocks_[block_index(lun, frontier.block)];
    require(block.state == State::free && block.valid == 0, "an occupied block was free");
    block.state = State::open;
    block.settled = 0;
  }
  return page_at(lun, frontier.block, frontier.next_page++);
}

void Ftl::commit(LogicalPage page, PhysicalPage at) {
  Lun& lun = luns_[lun_of(at)];
  require(lun.claimed > 0, "a page was written without a claim");
  --lun.claimed;
  const PhysicalPage old = place(page);
  if (old != kNowhere) {
    invalidate(old);
  }
  map(page, at);
  settle(at);
}

bool Ftl::commit_copy(LogicalPage page, PhysicalPage from, PhysicalPage to) {
  const bool current = place(page) == from;
  if (current) {
    invalidate(from);
    map(page, to);
  }
  settle(to);
  return current;
}

void Ftl::map(LogicalPage page, PhysicalPage at) {
  l2p_[index(page)] = static_cast<std::uint32_t>(at.value() + 1);
  p2l_[index(at)] = static_cast<std::uint32_t>(page.value() + 1);
  const std::uint32_t lun = lun_of(at);
  Block& block = blocks_[block_index(lun, block_of(at))];
  require(block.state == State::open, "a page was programmed outside the open blocks");
  ++block.valid;
  ++luns_[lun].valid;
}

void Ftl::invalidate(PhysicalPage at) {
  const std::uint32_t lun = lun_of(at);
  const std::uint32_t number = block_of(at);
  Block& block = blocks_[block_index(lun, number)];
  require(block.valid > 0, "a block has more invalid pages than pages");
  const bool listed = block.state == State::full;
  if (listed) {
    unlink(lun, number);
  }
  --block.valid;
  --luns_[lun].valid;
  if (listed) {
    link(lun, number);
  }
}

void Ftl::settle(PhysicalPage at) {
  const std::uint32_t lun = lun_of(at);
  Block& block = blocks_[block_index(lun, block_of(at))];
  require(at.value() % shape_.pages == block.settled, "pages of a block were written out of order");
  ++block.settled;
  if (block.settled == shape_.pages) {
    block.state = State::full;
    link(lun, block_of(at));
  }
}

void Ftl::link(std::uint32_t lun, std::uint32_t block) {
  Block& entry = blocks_[block_index(lun, block)];
  Bucket& bucket = luns_[lun].buckets[entry.valid];
  entry.previous = bucket.last;
  entry.next = kNoIndex;
  (bucket.last == kNoIndex ? bucket.first : blocks_[block_index(lun, bucket.last)].next) = block;
  bucket.last = block;
  luns_[lun].fewest = std::min(luns_[lun].fewest, std::uint32_t{entry.valid});
}

void Ftl::unlink(std::uint32_t lun, std::uint32_t block) {
  const Block& entry = blocks_[block_index(lun, block)];
  Bucket& bucket = luns_[lun].buckets[entry.valid];
  (entry.previous == kNoIndex ? bucket.first : blocks_[block_index(lun, entry.previous)].next) =
      entry.next;
  (entry.next == kNoIndex ? bucket.last : blocks_[block_index(lun, entry.next)].previous) =
      entry.previous;
}

bool Ftl::collection_due(std::uint32_t lun) {
  Lun& state = luns_[lun];
  if (state.free.size() >= shape_.gc_threshold) {
    return false;
  }
  while (state.fewest < shape_.pages && state.buckets[state.fewest].first == kNoIndex) {
    ++state.fewest;
  }
  return state.fewest < shape_.pages;
}

std::uint32_t Ftl::take_victim(std::uint32_t lun) {
  require(collection_due(lun), "a victim was asked for while collection is not due");
  const std::uint32_t block = luns_[lun].buckets[luns_[lun].fewest].first;
  unlink(lun, block);
  blocks_[block_index(lun, block)].state = State::victim;
  return block;
}

void Ftl::erase(std::uint32_t lun, std::uint32_t block) {
  Block& entry = blocks_[block_index(lun, block)];
  require(entry.state == State::victim && entry.valid == 0, "a block with valid pages was erased");
  entry.state = State::free;
  ++entry.erases;
  std::vector<std::uint64_t>& free = luns_[lun].free;
  free.push_back(std::uint64_t{entry.erases} << 32 | block);
  std::push_heap(free.begin(), free.end(), std::greater<>());
}

std::optional<LogicalPage> Ftl::owner(PhysicalPage at) const {
  const std::uint32_t entry = p2l_[index(at)];
  if (entry == 0 || l2p_[entry - 1] != at.value() + 1) {
    return std::nullopt;
  }
  return LogicalPage(std::int64_t{entry} - 1);
}

Ftl::Census Ftl::census(std::uint32_t lun) const {
  Census census;
  for (std::uint32_t number = 0; number < shape_.blocks; ++number) {
    const Block& block = blocks_[block_index(lun, number)];
    std::uint32_t written = block.state == State::free ? 0 : shape_.pages;
    for (const Frontier& frontier : luns_[lun].frontiers) {
      // An exhausted frontier may name a block that was erased and opened again since.
      if (frontier.block == number && frontier.next_page < shape_.pages) {
        written = frontier.next_page;
      }
    }
    std::uint32_t valid = 0;
    for (std::uint32_t page = 0; page < shape_.pages; ++page) {
      valid += owner(page_at(lun, number, page)) ? 1u : 0u;
    }
    require(valid == block.valid, "a block's count of valid pages is wrong");
    const std::uint32_t settled = block.state == State::free ? 0 : block.settled;
    census.free += shape_.pages - written;
    census.unsettled += written - settled;
    census.valid += valid;
    census.invalid += settled - valid;
  }
  require(census.valid == luns_[lun].valid, "a LUN's count of valid pages is wrong");
  return census;
}

void Ftl::serialize(Archive& archive) {
  archive.section("ftl");
  archive(blocks_, cursor_);
  require_fit(blocks_.size() == std::size_t{shape_.luns} * shape_.blocks && cursor_ < shape_.luns);
  serialize_map(archive);
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    serialize_lun(archive, lun);
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
  std::vector<std::uint32_t> full;  // bucket by bucket, each in its order
  for (const Bucket& bucket : state.buckets) {
    for (std::uint32_t i = bucket.first; i != kNoIndex; i = blocks_[block_index(lun, i)].next) {
      full.push_back(i);
    }
  }
  archive(state.free, state.frontiers, state.claimed, full);
  if (!archive.loading()) {
    return;
  }
  for (const Frontier& frontier : state.frontiers) {
    require_fit((frontier.block == kNoIndex || frontier.block < shape_.blocks) &&
                frontier.next_page <= shape_.pages);
  }
  for (const std::uint64_t entry : state.free) {
    require_fit(static_cast<std::uint32_t>(entry) < shape_.blocks);
  }
  state.buckets.assign(state.buckets.size(), Bucket());
  state.fewest = 0;
  for (const std::uint32_t block : full) {
    require_fit(block < shape_.blocks && blocks_[block_index(lun, block)].state == State::full);
    link(lun, block);
  }
}

}  // namespace hmsim
