// SPDX-License-Identifier: BSD-3-Clause
// The most recently written pages, up to a limit, in order of their last write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/key_map.h"
#include "core/slot_list.h"

namespace hmsim {

class LastWrites {
 public:
  explicit LastWrites(std::size_t most) : most_(most) {}

  void write(std::uint64_t page);
  std::vector<std::uint64_t> newest_first() const;

 private:
  struct Page {
    std::uint64_t number = 0;
    SlotLink link;
  };

  std::size_t most_;
  KeyMap known_;  // page -> slot
  std::vector<Page> pages_;
  SlotList order_;  // oldest first
};

}  // namespace hmsim
