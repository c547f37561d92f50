// SPDX-License-Identifier: BSD-3-Clause
#include "nvdimm/nand/flash_media.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr PageBytes kZeros{};

}  // namespace

FlashMedia::Block& FlashMedia::use(std::uint64_t block) {
  std::uint32_t& index = used_[static_cast<std::size_t>(block)];
  if (index == 0) {
    index = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back();
  }
  return records_[index];
}

FlashMedia::Page& FlashMedia::fresh(PhysicalPage at) {
  use(static_cast<std::uint64_t>(at.value() / pages_)).pages.resize(pages_);
  Page& page = page_at(at);
  ensure(!page.spare.programmed, "flash", Tick(0), at.value(), "page programmed twice");
  page.spare.programmed = true;
  return page;
}

// Returns whether the program of the part's flash page completes.
bool FlashMedia::programs(PhysicalPage at) {
  if (outcome_ == PowerLane::Outcome::torn) {
    tear_part(at);
  }
  return outcome_ == PowerLane::Outcome::done;
}

void FlashMedia::program(PhysicalPage at, LogicalPage page, std::uint64_t version) {
  if (programs(at)) {
    fresh(at).spare = {page, version, true, true};
  }
}

void FlashMedia::store(PhysicalPage at, const PageBytes& bytes) {
  if (lane_ == nullptr || !lane_->over()) {
    page_at(at).bytes = std::make_shared<const PageBytes>(bytes);
  }
}

void FlashMedia::copy(PhysicalPage from, PhysicalPage to) {
  if (programs(to)) {
    const Page original = page_at(from);
    fresh(to) = original;
  }
}

void FlashMedia::erase(std::uint64_t block) {
  switch (spend(erase_time_)) {
    case PowerLane::Outcome::done:
      use(block).pages.clear();
      ++use(block).erases;
      break;
    case PowerLane::Outcome::torn:
      tear_block(block);
      break;
    case PowerLane::Outcome::never:
      break;
  }
}

void FlashMedia::pad(PhysicalPage at) {
  if (programs(at)) {
    fresh(at).spare = {kPadding, 0, true, true};
  }
}

void FlashMedia::tear_part(PhysicalPage at) {
  fresh(at);
  ++torn_;
}

void FlashMedia::tear(PhysicalPage at) {
  for (std::uint32_t part = 0; part < parts_; ++part) {
    tear_part(at + PhysicalPage(part));
  }
}

void FlashMedia::tear_block(std::uint64_t block) {
  torn_ += pages_;
  Block& record = use(block);
  for (const Page& page : record.pages) {
    torn_ -= page.spare.programmed && !page.spare.whole ? 1 : 0;
  }
  Page torn;
  torn.spare.programmed = true;
  record.pages.assign(pages_, torn);
}

FlashMedia::Spare FlashMedia::spare(PhysicalPage at) const {
  const Page* const page = find(at);
  return page == nullptr ? Spare() : page->spare;
}

const PageBytes& FlashMedia::bytes(PhysicalPage at) const {
  const Page* const page = find(at);
  return page == nullptr || page->bytes == nullptr ? kZeros : *page->bytes;
}

std::uint64_t FlashMedia::newest_discard() const {
  std::uint64_t newest = 0;
  for (const auto& entry : discarded_) {
    newest = std::max(newest, entry.second);
  }
  return newest;
}

void FlashMedia::serialize(Archive& archive) {
  archive.section("flash media");
  archive(torn_);
  for (std::size_t block = 0; block < used_.size(); ++block) {
    std::uint32_t erases = record(block).erases;
    bool bad = record(block).bad;
    bool one_bit = record(block).one_bit;
    bool programmed = !record(block).pages.empty();
    archive(erases, bad, one_bit, programmed);
    if (used_[block] == 0 && erases == 0 && !bad && !programmed) {
      continue;
    }
    Block& found = use(block);
    found.erases = erases;
    found.bad = bad;
    found.one_bit = one_bit;
    found.pages.resize(programmed ? pages_ : 0);
    for (Page& page : found.pages) {
      archive(page.spare);
      serialize_bytes(archive, page);
    }
  }
  serialize_discarded(archive);
}

void FlashMedia::serialize_discarded(Archive& archive) {
  std::vector<std::int64_t> pages;
  std::vector<std::uint64_t> versions;
  for (const auto& entry : discarded_) {
    pages.push_back(entry.first);
    versions.push_back(entry.second);
  }
  archive(pages, versions);
  archive.check(pages.size() == versions.size(), "inconsistent list of discarded pages");
  if (archive.loading()) {
    discarded_.clear();
    for (std::size_t i = 0; i < pages.size(); ++i) {
      discarded_[pages[i]] = versions[i];
    }
  }
}

void FlashMedia::serialize_bytes(Archive& archive, Page& page) {
  bool present = page.bytes != nullptr;
  archive(present);
  PageBytes bytes{};
  if (present && !archive.loading()) {
    bytes = *page.bytes;
  }
  if (present) {
    archive.raw(bytes.data(), bytes.size());
  }
  if (archive.loading()) {
    page.bytes = present ? std::make_shared<const PageBytes>(bytes) : nullptr;
  }
}

}  // namespace hmsim
