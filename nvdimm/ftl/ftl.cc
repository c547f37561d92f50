// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/ftl/ftl.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kSelectorStream = 1;  // of random numbers under the NVDIMM's seed

void require(bool condition, std::string_view message) {
  ensure(condition, "ftl", Tick(0), -1, message);
}

}  // namespace

Ftl::Ftl(FtlShape shape, std::unique_ptr<VictimSelector> selector, std::uint64_t seed)
    : shape_(std::move(shape)),
      map_(shape_.cached_entries == 0
               ? nullptr
               : std::make_unique<MapCache>(shape_.cached_entries, shape_.map_pages(),
                                            shape_.page_entries())),
      selector_(selector == nullptr ? victim_selector("greedy", {}) : std::move(selector)),
      random_(seed, kSelectorStream),
      l2p_(shape_.logical_pages + (shape_.map_pages() << shape_.part_bits)),
      p2l_(std::size_t{shape_.luns} * shape_.blocks * shape_.pages),
      blocks_(std::size_t{shape_.luns} * shape_.blocks),
      luns_(shape_.luns) {
  mark_factory_bad(seed);
  for (std::uint32_t lun = 0; lun < shape_.luns; ++lun) {
    luns_[lun].buckets.resize(std::size_t{shape_.pages} + 1);
    for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
      if (!bad(lun, block)) {
        luns_[lun].free.push_back(block);  // ascending: already a heap
      }
    }
  }
  count_wear();
}

std::uint32_t Ftl::claim_any(LogicalPage page, std::uint32_t count) {
  const std::uint32_t lun = claim(
      page, [](std::uint32_t) { return true; }, count);
  require(lun != kNoIndex, "no LUN has room for a page");
  return lun;
}

PhysicalPage Ftl::allocate(std::uint32_t lun, Stream stream, std::uint32_t sources) {
  Lun& state = luns_[lun];
  std::size_t own = frontier_of(stream);
  if (spent(state.frontiers[own])) {
    if (state.free.empty()) {  // better mixed than not at all
      for (own = 0; own + 1 < kFrontiers && spent(state.frontiers[own]);) {
        ++own;
      }
      require_page(lun, !spent(state.frontiers[own]));
    } else {
      open(lun, state.frontiers[own], stream);
    }
  }
  Frontier& frontier = state.frontiers[own];
  const PhysicalPage at = page_at(lun, frontier.block, frontier.next_page);
  frontier.next_page += shape_.parts();
  state.in_flight += shape_.parts();
  if (media_ != nullptr) {
    media_->begin_program(sources);
  }
  check_pages(lun);
  return at;
}

PhysicalPage Ftl::next_place(std::uint32_t lun, Stream stream) const {
  const Frontier& frontier = luns_[lun].frontiers[frontier_of(stream)];
  return spent(frontier) ? kNowhere : page_at(lun, frontier.block, frontier.next_page);
}

std::uint32_t Ftl::written_pages(std::uint32_t lun, std::uint32_t block) const {
  if (blocks_[block_index(lun, block)].state == State::free) {
    return 0;
  }
  for (const Frontier& frontier : luns_[lun].frontiers) {
    // An exhausted frontier may name a block that was erased and opened again since.
    if (frontier.block == block && frontier.next_page < shape_.pages) {
      return frontier.next_page;
    }
  }
  return shape_.pages;
}

void Ftl::open(std::uint32_t lun, Frontier& frontier, Stream stream) {
  std::vector<std::uint64_t>& free = luns_[lun].free;
  if (stream == Stream::levelling) {
    const auto most = std::max_element(free.begin(), free.end());
    frontier = {static_cast<std::uint32_t>(*most), 0};
    *most = free.back();
    free.pop_back();
    std::make_heap(free.begin(), free.end(), std::greater<>());
  } else {
    std::pop_heap(free.begin(), free.end(), std::greater<>());
    frontier = {static_cast<std::uint32_t>(free.back()), 0};
    free.pop_back();
  }
  Block& block = blocks_[block_index(lun, frontier.block)];
  require(block.state == State::free && block.valid == 0, "an occupied block was free");
  block.state = State::open;
  block.completed = 0;
  block.end = shape_.pages;
}

void Ftl::commit(LogicalPage page, PhysicalPage at) {
  Lun& lun = luns_[lun_of(at)];
  require(lun.claimed > 0, "a page was written without a claim");
  --lun.claimed;
  ++version_;
  if (media_ != nullptr) {
    media_->program(at, page, version_);
  }
  const PhysicalPage old = place(page);
  if (old != kNowhere) {
    invalidate(old);
  }
  map(page, at);
  complete(at);
  tell_map(page);
}

void Ftl::commit_discarded(LogicalPage page, PhysicalPage at) {
  Lun& lun = luns_[lun_of(at)];
  require(lun.claimed > 0, "a page was written without a claim");
  --lun.claimed;
  ++lun.invalid;
  ++version_;
  if (media_ != nullptr) {
    media_->program(at, page, version_);
    media_->discard(page, version_);
  }
  complete(at);
}

void Ftl::pad(PhysicalPage at) {
  const std::uint32_t lun = lun_of(at);
  for (PhysicalPage part = at; part == at || part.value() % shape_.parts() != 0; ++part) {
    if (media_ != nullptr) {
      media_->pad(part);
    }
    ++luns_[lun].invalid;
    complete(part);
  }
}

bool Ftl::trim(LogicalPage page) {
  if (media_ != nullptr) {
    media_->discard(page, version_);
  }
  const PhysicalPage old = place(page);
  if (old == kNowhere) {
    return false;
  }
  invalidate(old);
  l2p_[index(page)] = 0;
  check_pages(lun_of(old));
  tell_map(page);
  return true;
}

bool Ftl::commit_copy(LogicalPage page, PhysicalPage from, PhysicalPage to) {
  const bool current = place(page) == from;
  luns_[lun_of(to)].invalid += current ? 0 : 1;
  if (media_ != nullptr) {
    media_->copy(from, to);
  }
  if (current) {
    invalidate(from);
    map(page, to);
    tell_map(page);
  }
  complete(to);
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
  const bool full = block.state == State::full;
  if (full) {
    leave_bucket(lun, number);
  }
  --block.valid;
  --luns_[lun].valid;
  ++luns_[lun].invalid;
  block.changed = luns_[lun].written;
  if (full) {
    enter_bucket(lun, number);
  }
}

void Ftl::complete(PhysicalPage at) {
  const std::uint32_t lun = lun_of(at);
  Block& block = blocks_[block_index(lun, block_of(at))];
  require(at.value() % shape_.pages == block.completed,
          "pages of a block were written out of order");
  ++block.completed;
  ++luns_[lun].written;
  --luns_[lun].in_flight;
  check_pages(lun);
  if (block.completed == block.end) {
    require(block.state == State::open, "a block that is not open has filled");
    block.completed = shape_.pages;
    block.changed = luns_[lun].written;
    enter_full(lun, block_of(at));
  }
}

void Ftl::erase(std::uint32_t lun, std::uint32_t block) {
  Block& entry = blocks_[block_index(lun, block)];
  require(entry.state == State::victim && entry.valid == 0, "a block with valid pages was erased");
  if (entry.failing) {
    retire(lun, block);
    return;
  }
  if (media_ != nullptr) {
    media_->erase(block_index(lun, block));
  }
  entry.state = State::free;
  Lun& state = luns_[lun];
  state.invalid -= shape_.pages;
  --state.worn[entry.erases];
  ++entry.erases;
  if (entry.erases == state.worn.size()) {
    state.worn.push_back(0);
  }
  ++state.worn[entry.erases];
  while (state.worn[state.least_worn] == 0) {
    ++state.least_worn;
  }
  state.free.push_back(std::uint64_t{entry.erases} << 32 | block);
  std::push_heap(state.free.begin(), state.free.end(), std::greater<>());
  check_pages(lun);
}

void Ftl::check_pages([[maybe_unused]] std::uint32_t lun) const {
#ifdef HMSIM_DEBUG
  const Lun& state = luns_[lun];
  require(free_pages(lun) + state.in_flight + state.valid + state.invalid ==
              std::uint64_t{shape_.blocks - state.bad} * shape_.pages,
          "free, valid and invalid pages are not all pages of good blocks");
#endif
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
    if (block.state == State::bad) {
      require(block.valid == 0, "a bad block holds valid pages");
      continue;
    }
    const std::uint32_t written = written_pages(lun, number);
    std::uint32_t valid = 0;
    for (std::uint32_t page = 0; page < shape_.pages; ++page) {
      valid += owner(page_at(lun, number, page)) ? 1u : 0u;
    }
    require(valid == block.valid, "a block's count of valid pages is wrong");
    // What a failing block will not take any more is invalid at once.
    const std::uint32_t lost = block.state == State::open ? shape_.pages - block.end : 0;
    const std::uint32_t completed = block.state == State::free ? 0 : block.completed + lost;
    census.free += shape_.pages - written;
    census.in_flight += written - completed;
    census.valid += valid;
    census.invalid += completed - valid;
  }
  const Lun& counts = luns_[lun];
  require(census.free == free_pages(lun) && census.in_flight == counts.in_flight &&
              census.valid == counts.valid && census.invalid == counts.invalid,
          "a LUN's count of pages is wrong");
  return census;
}

}  // namespace hmsim
