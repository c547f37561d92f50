// SPDX-License-Identifier: BSD-3-Clause
// One clock edge from selection on: which command is issued, and what each command changes. These
// functions are in a header so that the loop over edges (channel_edge.cc) can inline them.
#pragma once

#include "controller/channel/channel.h"

namespace hmsim {

// Finds the rank, bank and row of the transaction's line.
inline void Channel::locate(Transaction& transaction) const {
  const Request& request = transaction.request;
  if (request.memory == MemoryClass::nvdimm) {
    const NvdimmPlace place = layout_.map.nvdimm(request.address);
    transaction.local = place.address;
    transaction.row = place.page;
    transaction.rank = layout_.nvdimm_rank + place.device;
    transaction.bank = nvdimm_.endpoint().pseudo_bank(transaction.row);
  } else {
    const DramPlace place = layout_.map.dram(request.address);
    transaction.row = place.row;
    transaction.rank = place.rank;
    transaction.bank = place.rank * layout_.banks_per_rank + place.bank;
  }
}

inline bool Channel::would_hit(const Transaction& transaction) const {
  return transaction.row == (is_nvdimm(transaction) ? nvdimm_.endpoint().last_page(transaction.bank)
                                                    : dram_.banks().open_row(transaction.bank));
}

// Marks the transaction as started. Its rank's command queue may become full.
HMSIM_INLINE void Channel::start(Transaction& transaction) {
  transaction.started = true;
  if (admission_.start(transaction.rank)) {
    dram_.banks().hold(transaction.rank, true);
  }
}

// Ends the transaction's turn at its line. The next younger transaction to that line, which was
// held to keep their order, then competes.
HMSIM_INLINE void Channel::leave_line(const Transaction& transaction, Features features) {
  if (features == Features::any && layout_.blocks && is_nvdimm(transaction)) {
    admission_.block_order().leave(transaction,
                                   [this](Transaction& each) { compete_by_key(each); });
    return;
  }
  if (transaction.successor == nullptr) {
    admission_.line_order().leave(transaction);
    return;
  }
  Transaction& successor = *transaction.successor;
  successor.predecessor = nullptr;
  if (!is_nvdimm(successor)) {
    accounts_.competes(successor, clock_.edge());
  }
  compete(successor, features);
}

// Handles what all data-bus commands have in common.
template <class RowHit>
HMSIM_INLINE void Channel::begin_burst(Transaction& transaction, bool write, Cycle edge,
                                       Features features, RowHit row_hit) {
  bus_.begin_burst(transaction, write, edge);
  if (features != Features::none) {
    ordering_.guard().issued(transaction, layout_.queue_of(transaction.request.memory));
  }
  ordering_.notify(TransactionPolicy::kIssue, &TransactionPolicy::on_issue, transaction,
                   clock_.edge(), row_hit);
}

// Issues RD or WR. If a data clock must be started first, this edge issues the start, and the
// column command follows after the lead time.
template <class Banks>
HMSIM_INLINE void Channel::issue_column(Banks& banks, Transaction& transaction, Command command,
                                        Features features) {
  if (!transaction.started) {
    start(transaction);
  }
  const bool write = command == Command::write;
  Cycle edge = clock_.edge();
  const Cycle lead =
      features == Features::any ? dram_.lead(command, transaction.rank, edge) : Cycle(0);
  dram_.column(banks, transaction, command, features, edge);
  if (lead != Cycle(0)) {
    accounts_.data_clock_started(transaction, edge);
    edge += lead;
  }
  accounts_.column(transaction, write, edge);
  begin_burst(transaction, write, edge, features,
              [&transaction] { return !transaction.activated; });
}

// Issues ACT or PRE.
template <class Banks>
HMSIM_INLINE void Channel::issue_row(Banks& banks, Transaction& transaction, Command command,
                                     Features features) {
  const Cycle edge = clock_.edge();
  if (!transaction.activated) {
    transaction.activated = true;
    start(transaction);
    accounts_.started(transaction, edge);
  }
  if (command == Command::precharge) {
    precharge(banks, transaction.bank, transaction.rank,
              static_cast<std::int64_t>(transaction.request.id), features);
    return;
  }
  transaction.marks.activated_at = edge;
  transaction.marks.activate_held =
      edge - later(transaction.admitted, banks.activate_ready(transaction.bank));
  const bool rescheduled = dram_.activate(banks, transaction, features, edge);
  accounts_.activated(transaction, edge);
  if (rescheduled) {
    accounts_.refresh_rescheduled(transaction.rank);
    fast_.end_window_by(clock_.soonest());
  }
}

template <class Banks>
HMSIM_INLINE void Channel::precharge(Banks& banks, std::int32_t bank, int rank,
                                     std::int64_t request, Features features) {
  dram_.precharge(banks, bank, features, clock_.edge());
  accounts_.precharged(bank, rank, request, clock_.edge());
}

// Starts an NVDIMM burst. A transaction of several lines continues to compete until its last one,
// which policies see.
HMSIM_INLINE void Channel::issue_grant(Transaction& transaction, Features features) {
  const bool last = features != Features::any || !layout_.blocks ||
                    ++transaction.bursts == transaction.request.lines;
  nvdimm_.grant(transaction, last, clock_.edge());
  dram_.bus_taken();
  accounts_.granted(transaction, clock_.edge());
  if (last) {
    begin_burst(transaction, transaction.request.write, clock_.edge(), features,
                [&] { return would_hit(transaction); });
    leave_line(transaction, features);
  }
}

// Issues at most one command on this edge (more on channels with command slots).
HMSIM_INLINE void Channel::issue_one(Features features) {
  const Cycle edge = clock_.edge();
  const Cycle dram_from = features == Features::any ? dram_.next_command() : dram_.banks().next();
  if (features == Features::any && dram_.slots() != nullptr) {
    if (edge >= dram_from) {
      issue_on_slots();
    }
    return;
  }
  if (edge < dram_from && !nvdimm_.endpoint().may_act(edge)) {
    return;
  }
  if (bus_.command_taken()) {
    if (edge >= dram_from) {
      dram_.banks().advance(edge);
    }
  } else if (features != Features::none || edge + layout_.turnaround >= dram_from) {
    issue_of_both(features);
  } else {
    issue_of_nvdimm(features);
  }
}

}  // namespace hmsim
