// SPDX-License-Identifier: BSD-3-Clause
// Shared wires of a channel: the command bus, which carries one command per edge, and the data bus,
// which carries the bursts.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "controller/channel/candidates.h"
#include "controller/channel/features.h"
#include "controller/channel/finish_queue.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/types.h"
#include "dram/command_slots.h"
#include "dram/parameters.h"

namespace hmsim {

class DataBus {
 public:
  // `several`: ranks have separate data buses.
  DataBus(const DramParameters& dram, bool several)
      : command_slots_(dram.command_slots()),
        read_end_(dram.command_delay() + dram.timing.cl + dram.timing.line()),
        write_end_(dram.command_delay() + dram.timing.cwl + dram.timing.line()),
        finishes_(several) {}

  // State of the command bus on the current edge. `slots`: of standards that have them, or nullptr.
  void begin_edge(Features features, Cycle edge, const CommandSlots* slots) {
    command_taken_ = features == Features::any &&
                     (slots != nullptr ? slots->row_slot_taken(edge) : holds_command(edge));
  }
  bool command_taken() const { return command_taken_; }
  void take_command(Cycle edge) {
    command_taken_ = true;
    next_command_ = edge + command_slots_;
  }
  // Returns whether a command of an earlier edge still occupies the bus.
  bool holds_command(Cycle edge) const { return command_slots_ > Cycle(1) && edge < next_command_; }
  void set_command_taken(bool taken) { command_taken_ = taken; }

  // Adds the burst of a data-bus command; its data follow after CL or CWL.
  void begin_burst(Transaction& transaction, bool write, Cycle edge) {
    finishes_.push(edge + (write ? write_end_ : read_end_), transaction);
    transaction.state = TransactionState::transfer;
  }
  // Returns the edge of the last beat of the first burst; kNeverCycle without bursts.
  Cycle next() const { return finishes_.next(); }
  bool quiet() const { return finishes_.empty(); }
  // Returns a lower bound on next() if the next data-bus command is issued on `edge` or later.
  // Precondition: there is one data bus, so that bursts end in the order of their commands.
  Cycle next_from(Cycle edge) const {
    return quiet() ? edge + earlier(read_end_, write_end_) : next();
  }
  Transaction& end_burst() { return finishes_.pop(); }

  // Returns the data-bus command to issue. Returns nullptr without a legal command, or if the class
  // that is to have the bus next waits for a turnaround. Calls arbitrate(dram, nvdimm) when both
  // classes have a command. The choice is kept until that class has had the bus.
  template <class Arbitrate>
  const Best* select(const Candidates& candidates, Arbitrate arbitrate) {
    const std::array<const Best*, kMemoryClasses>& legal = candidates.legal;
    if (legal[0] == nullptr && legal[1] == nullptr) {
      return nullptr;
    }
    const Best* const dram = legal[0] != nullptr ? legal[0] : candidates.near[0];
    const Best* const nvdimm = legal[1] != nullptr ? legal[1] : candidates.near[1];
    MemoryClass winner = dram != nullptr ? MemoryClass::dram : MemoryClass::nvdimm;
    if (dram != nullptr && nvdimm != nullptr) {
      winner = pending_winner_ ? *pending_winner_ : arbitrate(*dram, *nvdimm);
    }
    const Best* const chosen = legal[static_cast<std::size_t>(winner)];
    if (chosen != nullptr) {
      pending_winner_.reset();
    } else {
      pending_winner_ = winner;
    }
    return chosen;
  }
  // Clears the kept choice after an NVDIMM data-bus command was issued without select(). A choice
  // is kept only while an NVDIMM burst is ready, so DRAM commands issued without select() never
  // find one.
  void clear_promise() { pending_winner_.reset(); }

  // Bursts in flight are rebuilt by restore(). With one slot a command, the command bus is free on
  // the next edge.
  void serialize(Archive& archive) {
    archive(pending_winner_);
    if (command_slots_ > Cycle(1)) {
      archive(next_command_);
    }
  }
  void restore(const std::vector<Transaction*>& held) { finishes_.restore(held); }

 private:
  const Cycle command_slots_;  // of each command
  const Cycle read_end_;       // from a data-bus command to its last data beat
  const Cycle write_end_;
  FinishQueue finishes_;
  std::optional<MemoryClass> pending_winner_;  // the class that gets the data bus next
  bool command_taken_ = false;
  Cycle next_command_{0};  // first edge on which another command finds the bus free
};

}  // namespace hmsim
