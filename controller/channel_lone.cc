// SPDX-License-Identifier: BSD-3-Clause
// A request that finds its channel empty.
#include <utility>

#include "controller/channel_commands.h"

namespace hmsim {

void Channel::end_solitude() { order_line(*std::exchange(lone_, nullptr)); }

// The commands of a transaction that is alone on its channel and does not compete, and its
// completion, as far as they come within the calm and before anything else. False: its data-bus
// command does not.
HMSIM_INLINE bool Channel::issue_lone(Transaction& transaction) {
  LoneBanks banks(*native_);
  const Tick limit = earlier(wakeup_.leave(), nvdimm_due_);
  for (Cycle next = edge_; edge_ < calm_until_; ++next) {
    const Command command = banks.next_command(transaction);
    next = later(next, banks.earliest(command, transaction));
    if (next != edge_ && (next >= calm_until_ || time_of(next) >= limit)) {
      return false;
    }
    edge_ = next;
    now_ = time_of(next);
    ++statistics_.command_cycles;
    if (reserves_data_bus(command)) {
      promised_ = kNobody;
      issue_column(banks, transaction, command, false);
      complete_lone(limit);
      return true;
    }
    issue_row(banks, transaction, command, false);
  }
  return false;
}

HMSIM_INLINE void Channel::complete_lone(Tick limit) {
  const Cycle end = finishes_.next();
  if (end >= calm_until_ || time_of(end) >= limit) {
    return;
  }
  edge_ = end;
  now_ = time_of(end);
  wakeup_.go_on(now_);
  answer();
  if (pool_.all_free()) {
    put_off(calm_until_);
  }
}

// Where the channel is empty before admission. If that is of a single DRAM transaction, its
// commands follow at once, since there is nothing to choose from. Those that cannot, it competes
// for as all others do.
[[gnu::noinline, gnu::flatten]] void Channel::admit_first() {
  found_empty_ = native_ != nullptr;
  admit_all();
  advancing_ = false;
  settle();
  find_calm(false);
  found_empty_ = false;
  Transaction* const alone = std::exchange(lone_, nullptr);
  if (alone != nullptr && (pool_.taken() != 1 || command_bus_taken_ || !issue_lone(*alone))) {
    order_line(*alone);
  }
}

}  // namespace hmsim
