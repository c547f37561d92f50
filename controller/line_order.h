// SPDX-License-Identifier: BSD-3-Clause
// Finds the youngest transaction to a line that has not yet been given the data bus, so that
// transactions to one line stay in order whatever the policy does.
#pragma once

#include <cstdint>
#include <vector>

#include "controller/transaction.h"
#include "core/archive.h"
#include "core/random.h"

namespace hmsim {

// Open addressing with linear probing; at most a quarter full; never grows.
class LineOrder {
 public:
  explicit LineOrder(std::size_t transactions) {
    std::size_t size = 4;
    while (size < 4 * transactions) {
      size *= 2;
    }
    lines_.assign(size, kEmpty);
    youngest_.assign(size, kNoTransaction);
  }

  static std::int64_t line_of(const Request& request) {
    return (request.address.value() / kLineBytes.value()) * kMemoryClasses +
           static_cast<std::int64_t>(request.memory);
  }

  // The youngest one so far, or kNoTransaction; `id` is the youngest from now on.
  TransactionId exchange(std::int64_t line, TransactionId id) {
    std::size_t place = start(line);
    while (lines_[place] != kEmpty && lines_[place] != line) {
      place = next(place);
    }
    const TransactionId before = lines_[place] == line ? youngest_[place] : kNoTransaction;
    lines_[place] = line;
    youngest_[place] = id;
    return before;
  }

  // Forgets the line if `id` is still its youngest.
  void leave(std::int64_t line, TransactionId id) {
    std::size_t place = start(line);
    while (lines_[place] != line) {
      place = next(place);
    }
    if (youngest_[place] != id) {
      return;
    }
    // Closes the gap: moves back each follower that may stand there.
    std::size_t gap = place;
    for (std::size_t probe = next(gap); lines_[probe] != kEmpty; probe = next(probe)) {
      const std::size_t home = start(lines_[probe]);
      const std::size_t mask = lines_.size() - 1;
      if (((probe - home) & mask) >= ((probe - gap) & mask)) {
        lines_[gap] = lines_[probe];
        youngest_[gap] = youngest_[probe];
        gap = probe;
      }
    }
    lines_[gap] = kEmpty;
  }

  void serialize(Archive& archive) { archive(lines_, youngest_); }

 private:
  static constexpr std::int64_t kEmpty = -1;

  std::size_t start(std::int64_t line) const {
    return static_cast<std::size_t>((static_cast<std::uint64_t>(line) * 0x9E3779B97F4A7C15u) >>
                                    32) &
           (lines_.size() - 1);
  }
  std::size_t next(std::size_t place) const { return (place + 1) & (lines_.size() - 1); }

  std::vector<std::int64_t> lines_;
  std::vector<TransactionId> youngest_;
};

}  // namespace hmsim
