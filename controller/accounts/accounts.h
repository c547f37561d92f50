// SPDX-License-Identifier: BSD-3-Clause
// Accounting of a channel: statistics, data-bus time, request latency, energy, and observers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "controller/accounts/bus_accounting.h"
#include "controller/accounts/channel_statistics.h"
#include "controller/accounts/command_observer.h"
#include "controller/accounts/latency_split.h"
#include "controller/accounts/request_observer.h"
#include "controller/layout/channel_layout.h"
#include "controller/layout/refresh_schedule.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/energy.h"
#include "dram/timing_rules.h"

namespace hmsim {

// The channel reports each event by one call. `edge` is the current clock edge, `now` its time.
// Accounting never changes what the channel does.
class Accounts {
 public:
  Accounts(const ChannelLayout& layout, std::size_t slots, const RefreshSchedule& refresh)
      : layout_(layout),
        cycles_(layout.period),
        read_latency_(layout.dram.command_delay() + layout.dram.timing.cl),
        write_latency_(layout.dram.command_delay() + layout.dram.timing.cwl),
        burst_(static_cast<Counter>(layout.dram.line_share())),
        activate_slots_(static_cast<Counter>(1 + layout.dram.activate_delay())),
        column_slots_(static_cast<Counter>(layout.dram.columns_of_line())),
        own_buses_(layout.dram.has_own_buses() ? -1 : 0),
        refresh_(refresh),
        statistics_(static_cast<std::int64_t>(slots)),
        bus_(layout.dram, layout.period),
        latency_(layout.dram, layout.period, refresh),
        energy_(layout.dram) {}

  ChannelStatistics& statistics() { return statistics_; }
  const ChannelStatistics& statistics() const { return statistics_; }
  const BusAccounting& bus() const { return bus_; }
  LatencySplit& latency() { return latency_; }
  const EnergyMeter& energy() const { return energy_; }

  void set_observer(CommandObserver* observer) { observer_ = observer; }
  void set_request_observer(RequestObserver* observer) { request_observer_ = observer; }

  // Updates the slots held by transactions, by class. No time passes within an edge, so the channel
  // reports only the counts after admission and at the end of the edge.
  using Slots = std::array<std::int64_t, kMemoryClasses>;
  void slots_held(const Slots& held, Cycle edge, Tick now) {
    if (held[0] != held_[0]) {
      statistics_.dram_occupancy.set(held[0], now);
      held_[0] = held[0];
      bus_.holding(held[0], held[1], edge);
    }
    if (held[1] != held_[1]) {
      statistics_.nvdimm_occupancy.set(held[1], now);
      if (held[1] == 0 || held_[1] == 0) {
        bus_.holding(held[0], held[1], edge);
      }
      held_[1] = held[1];
    }
  }

  // admitted(): a DRAM transaction got its slot. competes(): it competes for its bank only from now
  // on.
  void admitted(Transaction& transaction, Cycle edge) { latency_.admitted(transaction, edge); }
  void competes(Transaction& transaction, Cycle edge) { latency_.competes(transaction, edge); }
  // Records a transaction's first command if that is not its data-bus command.
  void started(Transaction& transaction, Cycle edge) { latency_.started(transaction, edge); }

  // Records the activate of a transaction's row.
  void activated(const Transaction& transaction, Cycle edge) {
    statistics_.command_cycles += activate_slots_;
    ++statistics_.activates;
    latency_.opened(transaction, edge);
    energy_.activated(transaction.rank, edge);
    record(ChannelCommand::activate, transaction, edge);
  }
  // Records a precharge. `bank` is numbered over all ranks; `request` is -1 for precharges without
  // a request.
  void precharged(std::int32_t bank, int rank, std::int64_t request, Cycle edge) {
    ++statistics_.command_cycles;
    ++statistics_.precharges;
    energy_.precharged(rank, 1, edge);
    record_precharge(bank, rank, request, edge);
  }
  // Records that a bank of the rank is about to be precharged for the rank's next refresh.
  void refresh_prepared(int rank, Cycle edge) {
    bus_.refresh_prepared(rank, refresh_.turn(rank), edge);
  }
  // Counts the precharges before a rank's refresh, one on each edge from `begin` to `last`.
  // Observers see them through record_precharge().
  void precharged_for_refresh(int rank, Cycle begin, Cycle last) {
    const std::int64_t count = (last - begin).value() + 1;
    statistics_.command_cycles += static_cast<Counter>(count);
    statistics_.precharges += static_cast<Counter>(count);
    bus_.refresh_prepared(rank, refresh_.turn(rank), begin);
    energy_.precharged(rank, static_cast<int>(count), last);
  }
  void record_precharge(std::int32_t bank, int rank, std::int64_t request, Cycle edge) {
    if (observer_ != nullptr) {
      record(ChannelCommand::precharge, rank, bank % layout_.banks_per_rank, -1, request, edge);
    }
  }
  // Records the refresh of the banks of `turn`. Call it after RefreshControl::refreshed().
  void refreshed(int rank, int turn, Cycle edge) {
    const bool all = layout_.dram.refresh_mode == RefreshMode::all_bank;
    ++statistics_.command_cycles;
    ++statistics_.refreshes;
    bus_.refreshed(rank, turn, edge);
    energy_.refreshed(rank, edge);
    latency_.refreshed(rank, turn, edge, refresh_);
    record(all ? ChannelCommand::refresh : ChannelCommand::refresh_same_bank, rank, all ? -1 : turn,
           -1, -1, edge);
  }
  // Records an RFM of a rank. Call it after RefreshControl::managed().
  void managed(int rank, Cycle edge);
  void refresh_rescheduled(int rank) { latency_.rescheduled(rank, refresh_); }
  // Counts `count` refreshes of every rank, a whole number of rounds, with closed banks: rank r at
  // first(r), then once every refresh interval. The refresh control has advanced past them.
  // Precondition: no command observer.
  template <class First>
  void refreshed_rounds(std::int64_t count, const First& first) {
    const auto all = static_cast<Counter>(count * refresh_.ranks());
    statistics_.command_cycles += all;
    statistics_.refreshes += all;
    for (int rank = 0; rank < refresh_.ranks(); ++rank) {
      energy_.refreshed_rounds(rank, count, first(rank), refresh_.interval());
      latency_.refreshed_rounds(rank, count / refresh_.turns(), refresh_);
    }
  }
  bool observed() const { return observer_ != nullptr; }
  // Records that a rank enters or leaves a sleep mode.
  void power_changed(int rank, Command command, Cycle edge);
  // Records that the other side (reads or drained writes) now competes for the banks.
  void side_changed(Cycle edge) { latency_.side_changed(edge); }

  // Records the read or write command of a DRAM transaction.
  void column(Transaction& transaction, bool write, Cycle edge) {
    statistics_.command_cycles += column_slots_;
    if (!transaction.activated) {
      ++statistics_.row_hits;
    }
    statistics_.dram_data_cycles += burst_;
    energy_.accessed(transaction.rank, write);
    latency_.issued(transaction, edge);
    burst(transaction, write, edge);
    record(write ? ChannelCommand::write : ChannelCommand::read, transaction, edge);
  }
  // Records the start of a rank's data clock for the read or write that follows.
  void data_clock_started(const Transaction& transaction, Cycle edge) {
    ++statistics_.command_cycles;
    record(ChannelCommand::data_clock_start, transaction.rank, -1, -1,
           static_cast<std::int64_t>(transaction.request.id), edge);
  }
  // Records a data-bus command of an NVDIMM transaction, one for each line: the grant, or in `auto`
  // mode the ack.
  void granted(const Transaction& transaction, Cycle edge) {
    const bool write = transaction.request.write;
    statistics_.command_cycles += layout_.grants ? 1 : 0;
    statistics_.nvdimm_data_cycles += burst_;
    burst(transaction, write, edge);
    record(write ? ChannelCommand::nvdimm_write : ChannelCommand::nvdimm_read, transaction, edge);
  }

  // Records a read, write or flush command to the NVDIMM.
  void command_sent(Transaction& transaction, Cycle edge) {
    ++statistics_.command_cycles;
    const Request& request = transaction.request;
    if (!request.flush) {
      latency_.started(transaction, edge);
    }
    record(request.flush   ? ChannelCommand::nvdimm_flush_command
           : request.write ? ChannelCommand::nvdimm_write_command
                           : ChannelCommand::nvdimm_read_command,
           transaction, edge);
  }
  // Records that an ack was raised. The transaction's burst may be granted from edge `grant_from`
  // on.
  void acknowledged(Transaction& transaction, Cycle grant_from) {
    latency_.acknowledged(transaction, grant_from);
  }
  // Records that the ack passes over the address lines.
  void ack_delivered(const Transaction& transaction, bool takes_slot, Cycle edge) {
    statistics_.ack_cycles += takes_slot ? 1 : 0;
    record(ChannelCommand::nvdimm_ack, transaction, edge);
  }
  // credit_returned(): the NVDIMM returns a write credit. credited(): a write gets a credit, which
  // replaces its command and ack.
  void credit_returned(Cycle edge) {
    record(ChannelCommand::nvdimm_credit, layout_.nvdimm_rank, -1, -1, -1, edge);
  }
  void credited(Transaction& transaction, Cycle edge) {
    latency_.started(transaction, edge);
    latency_.acknowledged(transaction, edge);
  }

  // Counts the arbiter's decision.
  void arbitrated(MemoryClass winner) {
    ++(winner == MemoryClass::dram ? statistics_.dram_wins : statistics_.nvdimm_wins);
  }

  // Records the last data beat of a transaction. `gc_blocked`: time that the transaction waited for
  // the NVDIMM's internal work.
  void finished(const Transaction& done, Tick gc_blocked, Cycle edge, Tick now) {
    if (request_observer_ != nullptr) {
      show(done, gc_blocked, edge);
    }
    const Request& request = done.request;
    if (is_nvdimm(done)) {
      latency_.finished(done, edge, gc_blocked);
      (request.write ? statistics_.nvdimm_writes : statistics_.nvdimm_reads) += request.lines;
      statistics_.finished(request, statistics_.nvdimm_line_latency, now, cycles_);
    } else {
      latency_.finished(done);
      ++(request.write ? statistics_.dram_writes : statistics_.dram_reads);
      statistics_.finished(
          request, request.write ? statistics_.dram_write_latency : statistics_.dram_read_latency,
          now, cycles_);
    }
  }

  Cycle elapsed(Tick now) const { return Cycle((now - measured_from_) / layout_.period); }
  void reset(Tick now);
  void serialize(Archive& archive);

 private:
  // Accounts for the data burst of a command issued now.
  void burst(const Transaction& transaction, bool write, Cycle edge) {
    const int driver = transaction.rank * 2 + (write ? 1 : 0);
    bool changed = false;
    int& last_driver = last_drivers_[static_cast<std::size_t>(transaction.rank & own_buses_)];
    if (driver != last_driver) {
      changed = last_driver >= 0;
      statistics_.turnarounds += changed ? 1 : 0;
      last_driver = driver;
    }
    bus_.burst(transaction, changed, edge, edge + (write ? write_latency_ : read_latency_));
  }
  void record(ChannelCommand command, const Transaction& transaction, Cycle edge) {
    if (observer_ != nullptr) {
      observer_->on_command({edge, command, layout_.index, transaction.rank,
                             layout_.bank_in_rank(transaction), transaction.row,
                             static_cast<std::int64_t>(transaction.request.id),
                             transaction.request.lines});
    }
  }
  void record(ChannelCommand command, int rank, int bank, std::int64_t row, std::int64_t request,
              Cycle edge) {
    if (observer_ != nullptr) {
      observer_->on_command({edge, command, layout_.index, rank, bank, row, request, 1});
    }
  }
  void show(const Transaction& done, Tick gc_blocked, Cycle edge);

  const ChannelLayout& layout_;
  const WholeCycles cycles_;
  const Cycle read_latency_;
  const Cycle write_latency_;
  const Counter burst_;  // cycles
  const Counter activate_slots_;
  const Counter column_slots_;
  const int own_buses_;  // mask for ranks: -1 if each rank has its own bus, otherwise 0
  const RefreshSchedule& refresh_;
  CommandObserver* observer_ = nullptr;
  RequestObserver* request_observer_ = nullptr;
  Slots held_{};  // as last reported
  // Last driver of each data bus: rank x 2 + write; -1 before the first burst. A shared bus uses
  // index 0.
  std::array<int, kMostOwnBuses> last_drivers_{-1, -1};
  Tick measured_from_{0};
  ChannelStatistics statistics_;
  BusAccounting bus_;
  LatencySplit latency_;
  EnergyMeter energy_;
};

}  // namespace hmsim
