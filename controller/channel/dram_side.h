// SPDX-License-Identifier: BSD-3-Clause
// The DRAM of a channel: its banks, and what acts on them beside requests: refresh, the drain of
// writes, power modes, the page policy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controller/channel/candidates.h"
#include "controller/channel/channel_layout.h"
#include "controller/channel/dram_banks.h"
#include "controller/channel/extras.h"
#include "controller/channel/native_banks.h"
#include "controller/channel/page_control.h"
#include "controller/channel/power_control.h"
#include "controller/channel/refresh.h"
#include "controller/channel/transaction.h"
#include "controller/channel/write_drain.h"
#include "controller/dram_backend.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// `edge` is the present clock edge. `extras`: as a constant, where a caller knows it.
class DramSide {
 public:
  DramSide(const SystemConfig& config, const ChannelLayout& layout, const DramDevices& devices);

  DramBanks& banks() { return banks_; }
  const DramBanks& banks() const { return banks_; }
  NativeBanks* native() const { return native_; }
  // Of the channel's wires; nullptr: each command takes one slot of one bus.
  const CommandSlots* slots() const { return slots_; }
  RefreshControl& refresh() { return refresh_; }
  const RefreshControl& refresh() const { return refresh_; }
  // Calls call(banks): those of the native engine by their own class, so that calls are taken in.
  template <class Call>
  decltype(auto) with_banks(Call call) {
    return native_ != nullptr ? call(*native_) : call(banks_);
  }

  // A read or write that is issued on this edge comes so much later.
  Cycle lead(Command command, int rank, Cycle edge) const {
    return slots_ == nullptr ? Cycle(0) : slots_->lead(command, rank, edge);
  }

  // Something but the transactions' own commands may need command-bus slots that are free.
  bool uses_free_slots() const { return counts_waiting_ || power_.active(); }
  PageControl& pages() { return pages_; }
  PowerControl& power() { return power_; }

  // Drained: side 0 holds reads, and writes that a read waits for; side 1 the other writes. Else
  // all are on side 0. One side competes for the banks.
  std::size_t side_of(const Transaction& transaction) const {
    return layout_.drained && transaction.request.write && !is_nvdimm(transaction) &&
                   !transaction.urgent
               ? 1
               : 0;
  }
  std::size_t side() const { return banks_.side(); }
  // The side that competes from now on; true: it is another one.
  bool choose_side(Direction direction, Cycle edge);

  // A transaction, its keys set, competes for its bank from now on.
  void insert(Transaction& transaction, Extras extras, Cycle edge) {
    if (extras == Extras::none) {
      native_->insert_first_side(transaction, edge);
      return;
    }
    const std::size_t side = side_of(transaction);
    banks_.insert(transaction, side, edge);
    count_waiting(transaction, side, 1, edge);
  }
  // A queued write of the drained side goes with the reads from now on.
  void expedite(Transaction& write, Cycle edge);
  void rekeyed(Transaction& transaction, Cycle edge) {
    banks_.rekeyed(transaction, side_of(transaction), edge);
  }

  // A command for the transaction is issued; it is the candidate of its bank in `banks`, which are
  // these or a view of them.
  template <class Banks>
  void column(Banks& banks, Transaction& transaction, Command command, Extras extras, Cycle edge) {
    const std::size_t side = extras == Extras::any ? side_of(transaction) : 0;
    banks.column(transaction, side, command, edge);
    if (extras == Extras::any) {
      count_waiting(transaction, side, -1, edge);
      if (pages_.active()) {
        pages_.accessed(transaction.bank, transaction.view, edge);
      }
    }
  }
  template <class Banks>
  void activate(Banks& banks, const Transaction& transaction, Extras extras, Cycle edge) {
    banks.activate(transaction, edge);
    if (extras == Extras::any) {
      pages_.opened(transaction.bank);
    }
  }
  template <class Banks>
  void precharge(Banks& banks, std::int32_t bank, Extras extras, Cycle edge) {
    banks.precharge(bank, edge);
    if (extras == Extras::any) {
      pages_.closed(bank);
    }
  }
  // The refresh of a rank is issued; returns the turn of the banks that it is of.
  template <class Banks>
  int issue_refresh(Banks& banks, int rank, Cycle edge) {
    const int turn = refresh_.turn(rank);
    const bool all = layout_.dram.refresh_mode == RefreshMode::all_bank;
    banks.refresh(all ? Command::refresh : Command::refresh_same_bank,
                  rank * layout_.banks_per_rank + turn, edge);
    refresh_.refreshed(rank, edge);
    if (power_.active()) {
      power_.refreshed(rank);
    }
    return turn;
  }
  // A rank's power command is issued.
  void issue(const PowerStep& step, Cycle edge);

  // The data-bus commands that could be issued, and the others: DramBanks' words.
  void collect(Cycle edge, Cycle nearness, Candidates& candidates) {
    if (edge + nearness >= banks_.next()) {
      banks_.collect(edge, nearness, candidates);
    }
  }
  void collect_others(Cycle edge, Candidates& candidates) {
    if (edge >= banks_.next()) {
      banks_.collect_others(edge, candidates);
    }
  }
  // The data bus was given to others: bursts are legal at other times than before.
  void bus_taken() {
    if (banks_.next() != kNeverCycle) {
      banks_.look_ahead();
    }
  }

  // The first edge from `soonest` on, the one after `edge`, on which something here may happen,
  // unless requests come or go.
  Cycle next(Extras extras, Cycle edge, Cycle soonest);

  // Loading: nothing competes then. restore() is to be called for each transaction that does, and
  // in the end restored().
  void serialize(Archive& archive);
  void restore(Transaction& transaction);
  void restored(Cycle edge) { banks_.restored(edge); }

 private:
  // One more, or one less, waits for its data-bus command.
  void count_waiting(const Transaction& transaction, std::size_t side, int change, Cycle edge);

  const ChannelLayout& layout_;
  TimingModel& timing_;
  DramBanks& banks_;
  NativeBanks* const native_;  // the same, or nullptr
  CommandSlots* const slots_;  // or nullptr
  RefreshControl refresh_;
  WriteDrain drain_;
  PowerControl power_;
  PageControl pages_;
  const bool counts_waiting_;  // for elastic refreshes or the page policy
};

}  // namespace hmsim
