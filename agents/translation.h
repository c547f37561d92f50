// SPDX-License-Identifier: BSD-3-Clause
// Translation of the addresses in cores' traces to DRAM addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "agents/frontend_parameters.h"
#include "core/archive.h"
#include "core/random.h"
#include "core/types.h"

namespace hmsim {

class Translation {
 public:
  // `capacity`: bytes of DRAM, at least one page. At most 2^32 pages are used.
  Translation(TranslationKind kind, Bytes capacity, std::uint64_t seed);

  // Returns the physical line that holds `address` of `source`. With first_touch, the first use of
  // a 4 KB page takes the next free frame in a seeded order; once all frames are used, frames are
  // shared.
  Address translate(std::uint16_t source, std::uint64_t address);

  // Returns how often the capacity was exceeded: by pages that share a frame (first_touch), or by
  // addresses beyond it (modulo).
  std::uint64_t& wraps() { return wraps_; }

  void serialize(Archive& archive);

 private:
  // Page table entry. `owner` is the source + 1; 0 marks an empty slot.
  struct Slot {
    std::uint64_t page = 0;
    std::uint32_t owner = 0;
    std::uint32_t frame = 0;
    void serialize(Archive& archive) { archive(page, owner, frame); }
  };

  std::uint32_t frame_of(std::uint32_t owner, std::uint64_t page);
  std::uint32_t touch(std::uint32_t owner, std::uint64_t page);  // maps a page on its first use
  Slot& find(std::uint32_t owner, std::uint64_t page);
  void number_slots();  // recomputes mask_ and shift_ after a change of size
  void grow();

  TranslationKind kind_;
  std::uint64_t capacity_;
  Permutation order_;
  std::vector<Slot> slots_;  // open addressing; a power of two; at most half full
  std::size_t mask_ = 0;     // slots_.size() - 1
  int shift_ = 0;            // selects the highest bits of a hash, as many as number the slots
  std::uint64_t touched_ = 0;
  std::uint64_t wraps_ = 0;
};

// Returns the page's slot, or the empty slot where it belongs.
inline Translation::Slot& Translation::find(std::uint32_t owner, std::uint64_t page) {
  // Multiplying by 2^64 divided by the golden ratio spreads consecutive pages.
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
  Slot* const slots = slots_.data();
  std::size_t i = ((page ^ (std::uint64_t{owner} << 48)) * kGolden) >> shift_;
  while ((slots[i].page != page || slots[i].owner != owner) && slots[i].owner != 0) {
    i = (i + 1) & mask_;
  }
  return slots[i];
}

inline std::uint32_t Translation::frame_of(std::uint32_t owner, std::uint64_t page) {
  const Slot& slot = find(owner, page);
  return slot.owner != 0 ? slot.frame : touch(owner, page);
}

inline Address Translation::translate(std::uint16_t source, std::uint64_t address) {
  const std::uint64_t line = address - address % kLineSize;
  if (kind_ == TranslationKind::modulo) {
    wraps_ += line >= capacity_ ? 1 : 0;
    return Address(static_cast<std::int64_t>(line % capacity_));
  }
  const std::uint64_t frame = frame_of(std::uint32_t{source} + 1, line / kPageSize);
  return Address(static_cast<std::int64_t>(frame * kPageSize + line % kPageSize));
}

}  // namespace hmsim
