// SPDX-License-Identifier: BSD-3-Clause
#include "agents/translation.h"

#include <algorithm>
#include <utility>

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::size_t kInitialSlots = 1024;
constexpr std::uint64_t kPage = 4'096;
constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kMaxFrames = std::uint64_t{1} << 32;
static_assert(kPage == kPageBytes.value() && kLine == kLineBytes.value());

}  // namespace

Translation::Translation(TranslationKind kind, Bytes capacity, std::uint64_t seed)
    : kind_(kind),
      capacity_(static_cast<std::uint64_t>(capacity.value())),
      order_(std::max<std::uint64_t>(1, std::min(capacity_ / kPage, kMaxFrames)), seed),
      slots_(kInitialSlots) {}

// The page's slot, or the empty one that it would take.
inline Translation::Slot& Translation::find(std::uint32_t owner, std::uint64_t page) {
  const std::size_t mask = slots_.size() - 1;
  Slot* const slots = slots_.data();
  std::size_t i = mix64(page ^ (std::uint64_t{owner} << 48)) & mask;
  while ((slots[i].page != page || slots[i].owner != owner) && slots[i].owner != 0) {
    i = (i + 1) & mask;
  }
  return slots[i];
}

inline std::uint32_t Translation::frame_of(std::uint32_t owner, std::uint64_t page) {
  const Slot& slot = find(owner, page);
  return slot.owner != 0 ? slot.frame : touch(owner, page);
}

[[gnu::noinline]] std::uint32_t Translation::touch(std::uint32_t owner, std::uint64_t page) {
  if (2 * (touched_ + 1) > slots_.size()) {
    grow();
  }
  wraps_ += touched_ >= order_.size() ? 1 : 0;
  const auto frame = static_cast<std::uint32_t>(order_(touched_ % order_.size()));
  find(owner, page) = {page, owner, frame};
  ++touched_;
  return frame;
}

Address Translation::translate(std::uint16_t source, std::uint64_t address) {
  const std::uint64_t line = address - address % kLine;
  if (kind_ == TranslationKind::modulo) {
    wraps_ += line >= capacity_ ? 1 : 0;
    return Address(static_cast<std::int64_t>(line % capacity_));
  }
  const std::uint64_t frame = frame_of(std::uint32_t{source} + 1, line / kPage);
  return Address(static_cast<std::int64_t>(frame * kPage + line % kPage));
}

void Translation::grow() {
  std::vector<Slot> old(2 * slots_.size());
  std::swap(old, slots_);
  for (const Slot& slot : old) {
    if (slot.owner != 0) {
      find(slot.owner, slot.page) = slot;
    }
  }
}

void Translation::Slot::serialize(Archive& archive) { archive(page, owner, frame); }

void Translation::serialize(Archive& archive) {
  archive.section("translation");
  archive(slots_, touched_, wraps_);
  constexpr const char* kWrong = "the page table does not hold together";
  const std::size_t size = slots_.size();
  archive.check(size >= kInitialSlots && (size & (size - 1)) == 0, kWrong);
  std::size_t touched = 0;
  for (const Slot& slot : slots_) {
    archive.check_index(slot.frame, order_.size(), kWrong);
    touched += slot.owner == 0 ? 0 : 1;
  }
  archive.check(touched == touched_ && 2 * touched <= size, kWrong);
}

}  // namespace hmsim
