// SPDX-License-Identifier: BSD-3-Clause
// An engine that copies transfers between memory and the NVDIMM while their threads sleep: lines of
// each in ascending order, so many outstanding at a time.
//
// Of a line that is copied, the NVDIMM's half is simulated; what the engine does to memory, traces
// of misses hold as the misses that the copy itself had there.
#pragma once

#include <cstdint>

#include "agents/node/write_back.h"
#include "core/archive.h"
#include "core/pool.h"

namespace hmsim {

class TransferEngine {
 public:
  struct Active {
    std::uint32_t thread = 0;  // that sleeps until the end
    bool write = false;
    std::uint64_t next_line = 0;
    std::uint64_t unsent = 0;
    std::uint64_t outstanding = 0;
    void serialize(Archive& archive) { archive(thread, write, next_line, unsent, outstanding); }
  };

  explicit TransferEngine(std::uint64_t most_outstanding) : most_(most_outstanding) {}

  // Begins a transfer; send(line, write, transfer) for each line that may go now.
  template <class Send>
  void begin(std::uint32_t thread, const Transfer& transfer, bool write, const Send& send) {
    const std::uint32_t index = active_.take();
    active_[index] = {thread, write, transfer.first_line, transfer.lines, 0};
    go_on(index, send);
  }
  // A line of the transfer is done; true: it was the last.
  template <class Send>
  bool line_done(std::uint32_t index, const Send& send) {
    --active_[index].outstanding;
    go_on(index, send);
    return active_[index].outstanding == 0;
  }
  const Active& operator[](std::uint32_t index) const { return active_[index]; }
  void end(std::uint32_t index) { active_.give_back(index); }

  const Pool<Active>& active() const { return active_; }
  void serialize(Archive& archive) { archive(active_); }

 private:
  template <class Send>
  void go_on(std::uint32_t index, const Send& send) {
    while (active_[index].unsent > 0 && active_[index].outstanding < most_) {
      Active& active = active_[index];
      --active.unsent;
      ++active.outstanding;
      const std::uint64_t line = active.next_line++;
      send(line, active.write, index);
    }
  }

  std::uint64_t most_;
  Pool<Active> active_;
};

}  // namespace hmsim
