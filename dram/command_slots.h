// SPDX-License-Identifier: BSD-3-Clause
// Reservation of command slots and data-bus cycles on one channel. For standards whose commands
// take more than one slot, that have two command buses, whose lines move in halves with a gap
// between them, or whose data clock must be started.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"
#include "dram/parameters.h"
#include "dram/timing_rules.h"

namespace hmsim {

class Archive;

// Properties of standards whose commands need more than one slot of a single command bus.
struct CommandProtocol {
  bool separate_buses;           // one for reads and writes, one for all other commands
  std::int64_t activate_slots;   // consecutive slots of an activate; its times count from the last
  std::int64_t columns_of_line;  // reads (writes) that move a line, tCCD_L apart
  bool data_bus_of_rank;         // each rank has its own data bus (pseudo-channels)
  bool data_clock;               // runs for bursts of one rank at a time: tWCK_RD, tWCK_WR, tWCKPST
};

// Returns the cycles from the command that starts the data clock to the read or write that needs
// it. No other command may come between the two.
std::int64_t data_clock_lead(const DramTiming& timing, bool write);

// Reservations by cycle. Calls must come in order of edges. The timing rules give minimum distances
// between commands. This class tracks which cycles are free, which minimum distances cannot
// express: between the halves of a line, another line fits at one distance only.
class CommandSlots {
 public:
  CommandSlots(const DramParameters& dram, const CommandProtocol& protocol);

  // Returns by how many cycles this read or write is delayed if its first slot is on `edge`,
  // because a command must first start the stopped data clock. Returns 0 for all other commands.
  Cycle lead(Command command, int rank, Cycle edge) const;
  Cycle longest_lead() const { return longest_lead_; }
  // Returns the first edge, at most `legal`, on which a read or write that the timing rules allow
  // from `legal` on may have its first slot: a stopped data clock is started before.
  Cycle first_start(Cycle legal) const {
    return longest_lead_ == Cycle(0) || legal <= clock_runs_to_ || legal == kNeverCycle
               ? legal
               : later(legal - longest_lead_, clock_runs_to_ + Cycle(1));
  }

  // Returns whether all cycles that the command needs are free, if its first slot is on `edge`.
  bool free(Command command, int rank, Cycle edge) const;
  void take(Command command, int rank, Cycle edge);
  // Returns whether the slot on `edge` is taken on the bus that carries all commands but reads and
  // writes.
  bool row_slot_taken(Cycle edge) const { return (buses_.front().from(edge) & 1) != 0; }

  void serialize(Archive& archive);

 private:
  // Reserved cycles from `first` on, one bit each.
  struct Wires {
    std::int64_t first = 0;
    std::uint64_t taken = 0;
    std::uint64_t from(Cycle edge) const {
      const std::int64_t passed = edge.value() - first;
      if (passed < 0) {
        return passed > -64 ? taken << -passed : 0;
      }
      return passed < 64 ? taken >> passed : 0;
    }
    void take(std::uint64_t cycles, Cycle edge) {
      taken = from(edge) | cycles;
      first = edge.value();
    }
    void serialize(Archive& archive);
  };

  bool is_column(Command command) const {
    return command == Command::read || command == Command::write;
  }
  std::uint64_t slots(Command command, Cycle lead) const;
  Wires& bus_of(Command command) { return is_column(command) ? buses_.back() : buses_.front(); }
  const Wires& bus_of(Command command) const {
    return is_column(command) ? buses_.back() : buses_.front();
  }

  const DramTiming t_;
  const CommandProtocol protocol_;
  const std::uint64_t column_slots_;
  const std::uint64_t line_;  // data cycles of a line, counted from its first
  const Cycle longest_lead_;
  std::vector<Wires> buses_;  // command buses: one for all, or one for rows and one for columns
  std::vector<Wires> data_;   // by rank; indexed by the cycle of the command, not of its data
  int clock_rank_ = 0;        // rank that the data clock was last started for
  Cycle clock_runs_to_{-1};   // last edge at which a read or write finds the data clock running
};

}  // namespace hmsim
