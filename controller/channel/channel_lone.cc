// SPDX-License-Identifier: BSD-3-Clause
// A request that finds its channel empty.
#include <utility>

#include "controller/channel/channel_commands.h"

namespace hmsim {

void Channel::end_solitude() { order_line(*std::exchange(lone_, nullptr), Phases::plain); }

// The present edge becomes the one of its next command, which is legal from `legal` on; or not.
HMSIM_INLINE bool Channel::reach(Cycle legal, Tick limit) {
  if (legal > edge_) {
    const Tick time = time_of(legal);
    if (legal >= calm_until_ || time >= limit) {
      return false;
    }
    edge_ = legal;
    now_ = time;
  }
  ++statistics_.command_cycles;
  return true;
}

// The commands of a transaction that is alone on its channel and does not compete, and its
// completion, as far as they come within the calm and before anything else. False: its data-bus
// command does not. (Within a bank no command follows another on the same edge.)
HMSIM_INLINE bool Channel::issue_lone(Transaction& transaction) {
  if (edge_ >= calm_until_) {
    return false;
  }
  LoneBanks banks(*native_);
  const Tick limit = earlier(wakeup_.leave(), nvdimm_due_);
  const auto issue_row_command = [&](Command command) {
    if (!reach(banks.earliest(command, transaction), limit)) {
      return false;
    }
    issue_row(banks, transaction, command, Phases::plain);
    return true;
  };
  const auto issue_column_command = [&](Command command) {
    if (!reach(banks.earliest(command, transaction), limit)) {
      return false;
    }
    promised_ = kNobody;
    issue_column(banks, transaction, command, Phases::plain);
    complete_lone(limit);
    return true;
  };
  if (const std::int64_t open = banks.open_row(transaction.bank); open != transaction.row) {
    if ((open != kNoRow && !issue_row_command(Command::precharge)) ||
        !issue_row_command(Command::activate)) {
      return false;
    }
  }
  return transaction.request.write ? issue_column_command(Command::write)
                                   : issue_column_command(Command::read);
}

HMSIM_INLINE void Channel::complete_lone(Tick limit) {
  const Cycle end = finishes_.next();
  if (end >= calm_until_ || time_of(end) >= limit) {
    return;
  }
  edge_ = end;
  now_ = time_of(end);
  wakeup_.go_on(now_);
  answer(Phases::plain);
  if (pool_.all_free()) {
    put_off(calm_until_);
  }
}

// Where the channel is empty before admission. If that is of a single DRAM transaction, its
// commands follow at once, since there is nothing to choose from. Those that cannot, it competes
// for as all others do.
[[gnu::noinline, gnu::flatten]] void Channel::admit_first() {
  found_empty_ = native_ != nullptr;
  admit_all(Phases::plain);
  advancing_ = false;
  settle();
  find_calm(Phases::plain);
  found_empty_ = false;
  Transaction* const alone = std::exchange(lone_, nullptr);
  if (alone != nullptr && (pool_.taken() != 1 || command_bus_taken_ || !issue_lone(*alone))) {
    order_line(*alone, Phases::plain);
  }
}

}  // namespace hmsim
