// SPDX-License-Identifier: BSD-3-Clause
// DRAM of a channel: its banks, and the refresh, write drain, power modes and page policy that act
// on them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controller/channel/candidates.h"
#include "controller/channel/dram_backend.h"
#include "controller/channel/dram_banks.h"
#include "controller/channel/features.h"
#include "controller/channel/native_banks.h"
#include "controller/channel/page_control.h"
#include "controller/channel/power_control.h"
#include "controller/channel/refresh.h"
#include "controller/channel/refresh_management.h"
#include "controller/channel/write_drain.h"
#include "controller/layout/channel_layout.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"

namespace hmsim {

// `edge` is the current clock edge. Callers pass `features` as a constant where they know it.
class DramSide {
 public:
  DramSide(const SystemConfig& config, const ChannelLayout& layout, const DramDevices& devices);

  DramBanks& banks() { return banks_; }
  const DramBanks& banks() const { return banks_; }
  NativeBanks* native() const { return native_; }
  // The command slots of the channel's wires; nullptr if each command takes one slot of one bus.
  const CommandSlots* slots() const { return slots_; }
  RefreshControl& refresh() { return refresh_; }
  const RefreshControl& refresh() const { return refresh_; }
  // Calls call(banks). Native banks are passed by their own class so that calls can be inlined.
  template <class Call>
  decltype(auto) with_banks(Call call) {
    return native_ != nullptr ? call(*native_) : call(banks_);
  }

  // Returns the delay from this edge to the column command itself, if a data clock must be started
  // first.
  Cycle lead(Command command, int rank, Cycle edge) const {
    return slots_ == nullptr ? Cycle(0) : slots_->lead(command, rank, edge);
  }

  // Returns whether actions other than transactions' commands may need free command-bus slots.
  bool uses_free_slots() const { return counts_waiting_ || power_.active(); }
  PageControl& pages() { return pages_; }
  PowerControl& power() { return power_; }

  // Returns the side of a transaction. With drained writes, side 0 holds reads and writes that a
  // read waits for; side 1 holds the other writes. Otherwise all are on side 0. One side competes
  // for the banks.
  std::size_t side_of(const Transaction& transaction) const {
    return layout_.drained && transaction.request.write && !is_nvdimm(transaction) &&
                   !transaction.urgent
               ? 1
               : 0;
  }
  std::size_t side() const { return banks_.side(); }
  // Chooses the side that competes from now on. Returns whether it changed.
  bool choose_side(Direction direction, Cycle edge);

  // Lets a transaction compete for its bank. Precondition: its keys are set.
  void insert(Transaction& transaction, Features features, Cycle edge) {
    if (features == Features::none) {
      native_->insert_first_side(transaction, edge);
      return;
    }
    const std::size_t side = side_of(transaction);
    banks_.insert(transaction, side, edge);
    count_waiting(transaction, side, 1, edge);
  }
  // Moves a queued write from the drained side to the reads' side.
  void expedite(Transaction& write, Cycle edge);
  void rekeyed(Transaction& transaction, Cycle edge) {
    banks_.rekeyed(transaction, side_of(transaction), edge);
  }

  // Issue a command for the candidate of a bank. `banks` is banks() or a view of them.
  template <class Banks>
  void column(Banks& banks, Transaction& transaction, Command command, Features features,
              Cycle edge) {
    const std::size_t side = features == Features::any ? side_of(transaction) : 0;
    banks.column(transaction, side, command, edge);
    if (features == Features::any) {
      count_waiting(transaction, side, -1, edge);
      if (pages_.active()) {
        pages_.accessed(transaction.bank, transaction.view, edge);
      }
    }
  }
  // Returns whether the rank's next refresh has become urgent earlier.
  template <class Banks>
  bool activate(Banks& banks, const Transaction& transaction, Features features, Cycle edge) {
    banks.activate(transaction, edge);
    if (features == Features::any) {
      pages_.opened(transaction.bank);
      return management_.active() && count_activate(transaction, edge);
    }
    return false;
  }
  template <class Banks>
  void precharge(Banks& banks, std::int32_t bank, Features features, Cycle edge) {
    banks.precharge(bank, edge);
    if (features == Features::any) {
      pages_.closed(bank);
    }
  }
  RefreshManagement& management() { return management_; }
  // Issues the refresh of a rank. Returns the turn of the refreshed banks.
  template <class Banks>
  int issue_refresh(Banks& banks, int rank, Cycle edge) {
    const int turn = refresh_.turn(rank);
    const bool all = layout_.dram.refresh_mode == RefreshMode::all_bank;
    banks.refresh(all ? Command::refresh : Command::refresh_same_bank,
                  rank * layout_.banks_per_rank + turn, edge);
    if (refresh_.wants(rank, edge)) {
      refresh_.managed(rank, edge);
      ++management_.commands();
    } else {
      refresh_.refreshed(rank, edge);
      if (power_.active()) {
        power_.refreshed(rank);
      }
    }
    if (management_.active() && management_.refreshed(rank)) {
      refresh_.want(rank, edge + Cycle(1));
    }
    return turn;
  }
  // Issues a power command of a rank.
  void issue(const PowerStep& step, Cycle edge);

  // See DramBanks::collect() and DramBanks::collect_others().
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
  // Updates the banks after another class used the data bus, which changes when bursts are legal.
  void bus_taken() {
    if (banks_.next() != kNeverCycle) {
      banks_.look_ahead();
    }
  }

  // Returns the first edge, from `soonest` on, at which the DRAM side may have work, if no request
  // arrives or leaves before. `soonest`: the edge after `edge`.
  Cycle next(Features features, Cycle edge, Cycle soonest);

  // After loading, nothing competes. Call restore() for each competing transaction, then
  // restored().
  void serialize(Archive& archive);
  void restore(Transaction& transaction);
  void restored(Cycle edge) { banks_.restored(edge); }

 private:
  // Adds `change` to the number of transactions that wait for their data-bus command.
  void count_waiting(const Transaction& transaction, std::size_t side, int change, Cycle edge);

  bool count_activate(const Transaction& transaction, Cycle edge);

  const ChannelLayout& layout_;
  TimingModel& timing_;
  DramBanks& banks_;
  NativeBanks* const native_;  // same object as banks_, or nullptr
  CommandSlots* const slots_;  // or nullptr
  RefreshControl refresh_;
  RefreshManagement management_;
  WriteDrain drain_;
  PowerControl power_;
  PageControl pages_;
  const bool counts_waiting_;  // needed for elastic refreshes or the page policy
};

}  // namespace hmsim
