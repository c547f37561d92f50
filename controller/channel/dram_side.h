// SPDX-License-Identifier: BSD-3-Clause
// DRAM of a channel: its banks, and the refresh, write drain, power modes and page policy that act
// on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

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

  // Returns a lower bound on the first edge on which the banks have a command.
  Cycle next_command() const {
    return slots_ == nullptr || native_ == nullptr ? banks_.next()
                                                   : slots_->first_start(banks_.next());
  }

  // Returns whether actions other than transactions' commands may need free command-bus slots.
  bool uses_free_slots() const { return counts_waiting_ || power_.active(); }
  PageControl& pages() { return pages_; }
  const PageControl& pages() const { return pages_; }
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
  // Chooses the side that competes from now on. Returns whether it changed. While no refresh ends,
  // the choice can change only if may_change_side().
  bool choose_side(Direction direction, Cycle edge);
  bool may_change_side(Direction direction) const {
    return sides_changed_ || direction != direction_;
  }

  // Lets a transaction compete for its bank. Precondition: its keys are set.
  void insert(Transaction& transaction, Features features, Cycle edge) {
    const std::size_t side = features == Features::any ? side_of(transaction) : 0;
    if (features != Features::any || native_ != nullptr) {
      native_->insert_inlined(transaction, side, edge);
    } else {
      banks_.insert(transaction, side, edge);
    }
    if (features == Features::any) {
      count_waiting(transaction, side, 1, edge);
    }
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
    Cycle start = edge;
    if (features == Features::any && slots_ != nullptr) {
      start += slots_->lead(command, transaction.rank, edge);
      slots_->take(command, transaction.rank, edge);
    }
    banks.column(transaction, side, command, edge, start);
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
      take_slots(Command::activate, transaction.rank, edge);
      pages_.opened(transaction.bank);
      return management_.active() && count_activate(transaction, edge);
    }
    return false;
  }
  template <class Banks>
  void precharge(Banks& banks, std::int32_t bank, Features features, Cycle edge) {
    banks.precharge(bank, edge);
    if (features == Features::any) {
      take_slots(Command::precharge, bank / layout_.banks_per_rank, edge);
      pages_.closed(bank);
    }
  }
  RefreshManagement& management() { return management_; }
  // Issues the refresh of a rank. Returns the turn of the refreshed banks.
  template <class Banks>
  int issue_refresh(Banks& banks, int rank, Cycle edge) {
    sides_changed_ = true;
    const int turn = refresh_.turn(rank);
    const bool all = layout_.dram.refresh_mode == RefreshMode::all_bank;
    const Command command = all ? Command::refresh : Command::refresh_same_bank;
    banks.refresh(command, rank * layout_.banks_per_rank + turn, edge);
    take_slots(command, rank, edge);
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
  // Returns the first edge, from `from` on, on which a movable refresh, a power command or the end
  // of a refresh may change what happens. It holds until plans_changed(), which returns whether,
  // since the last call of these, a rank has become idle or busy or a row was closed without a
  // request.
  Cycle next_own_action(Cycle edge, Cycle from);
  void row_closed() { plans_changed_ = refresh_.elastic() || power_.active(); }
  bool plans_changed() { return std::exchange(plans_changed_, false); }

  // After loading, nothing competes. Call restore() for each competing transaction, then
  // restored().
  void serialize(Archive& archive);
  void restore(Transaction& transaction);
  void restored(Cycle edge) { banks_.restored(edge); }

 private:
  void take_slots(Command command, int rank, Cycle edge) {
    if (slots_ != nullptr) {
      slots_->take(command, rank, edge);
    }
  }
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
  bool plans_changed_ = false;
  bool sides_changed_ = true;  // since the last choice of a side, by transactions or refreshes
  Direction direction_ = Direction::by_watermark;  // of that choice
};

inline bool DramSide::choose_side(Direction direction, Cycle edge) {
  sides_changed_ = false;
  direction_ = direction;
  const std::size_t before = banks_.side();
  banks_.compete(drain_.choose(direction, edge), edge);
  return banks_.side() != before;
}

inline void DramSide::count_waiting(const Transaction& transaction, std::size_t side, int change,
                                    Cycle edge) {
  if (counts_waiting_) {
    const bool changed = refresh_.count_waiting(transaction.rank, change);
    plans_changed_ |= changed && refresh_.elastic();
    pages_.count_waiting(transaction.bank, side, change);
  }
  if (power_.active()) {
    plans_changed_ |= power_.count_waiting(transaction.rank, change, edge);
  }
  if (layout_.drained) {
    sides_changed_ = true;
    drain_.count_waiting(transaction.rank, transaction.bank, side, change);
  }
}

}  // namespace hmsim
