// SPDX-License-Identifier: BSD-3-Clause
#include "agents/translation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/archive.h"

namespace hmsim {

namespace {

constexpr std::size_t kInitialSlots = 1024;
constexpr std::uint64_t kMaxFrames = std::uint64_t{1} << 32;

}  // namespace

Translation::Translation(TranslationKind kind, Bytes capacity, std::uint64_t seed)
    : kind_(kind),
      capacity_(static_cast<std::uint64_t>(capacity.value())),
      order_(std::max<std::uint64_t>(1, std::min(capacity_ / kPageSize, kMaxFrames)), seed),
      slots_(kInitialSlots) {
  number_slots();
}

void Translation::number_slots() {
  mask_ = slots_.size() - 1;
  shift_ = std::numeric_limits<std::uint64_t>::digits;
  for (std::size_t rest = mask_; rest > 0; rest /= 2) {
    --shift_;
  }
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

void Translation::grow() {
  std::vector<Slot> old(2 * slots_.size());
  std::swap(old, slots_);
  number_slots();
  for (const Slot& slot : old) {
    if (slot.owner != 0) {
      find(slot.owner, slot.page) = slot;
    }
  }
}

void Translation::serialize(Archive& archive) {
  archive.section("translation");
  archive(slots_, wraps_);
  if (!archive.loading()) {
    return;
  }
  constexpr const char* kWrong = "invalid page table";
  const std::size_t size = slots_.size();
  archive.check(size >= kInitialSlots && (size & (size - 1)) == 0, kWrong);
  number_slots();
  touched_ = 0;
  for (const Slot& slot : slots_) {
    archive.check_index(slot.frame, order_.size(), kWrong);
    touched_ += slot.owner == 0 ? 0 : 1;
  }
  archive.check(2 * touched_ <= size, kWrong);  // guarantees that find() ends
}

}  // namespace hmsim
