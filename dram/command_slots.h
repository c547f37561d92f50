// SPDX-License-Identifier: BSD-3-Clause
// Cycles of a channel's wires that commands have taken: for standards whose commands need more than
// one slot of a command bus, that have two command buses, whose lines come in halves between which
// others fit, or whose data clock must be started.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"
#include "dram/parameters.h"
#include "dram/timing_rules.h"

namespace hmsim {

class Archive;

// What a standard has beyond one slot of one bus for each command.
struct CommandProtocol {
  bool separate_buses;           // one for reads and writes, one for all other commands
  std::int64_t activate_slots;   // of an activate, one after the other; times count from the last
  std::int64_t columns_of_line;  // reads (writes) that move a line, tCCD_L apart
  bool data_bus_of_rank;         // each rank has one of its own: pseudo-channels
  bool data_clock;  // runs for bursts of one rank at a time only: tWCK_RD, tWCK_WR, tWCKPST
};

// Cycles from the start of the data clock to the command whose burst it is started for. The start
// is a command of its own, and no other comes between.
std::int64_t data_clock_lead(const DramTiming& timing, bool write);

// Wires by number of cycle. Calls come in order of edges. The timing rules say how far commands
// stand apart; this class says which cycles are left, which no least distance can: between the
// halves of a line another one fits at one distance only.
class CommandSlots {
 public:
  CommandSlots(const DramParameters& dram, const CommandProtocol& protocol);

  // If this read or write had its first slot on `edge`, it would come so much later: the command
  // that starts a stopped data clock goes before. 0 for all others.
  Cycle lead(Command command, int rank, Cycle edge) const;
  Cycle longest_lead() const { return longest_lead_; }

  // All cycles that the command needs from its first slot on are left.
  bool free(Command command, int rank, Cycle edge) const;
  void take(Command command, int rank, Cycle edge);
  // The edge's slot of the bus of all commands but reads and writes is taken.
  bool row_slot_taken(Cycle edge) const { return (buses_.front().from(edge) & 1) != 0; }

  void serialize(Archive& archive);

 private:
  // Taken cycles from `first` on, a bit each.
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
  const std::uint64_t line_;  // cycles with data of a line, from its first on
  const Cycle longest_lead_;
  std::vector<Wires> buses_;  // of commands: of all, or of rows and of columns
  std::vector<Wires> data_;   // by rank; dated by the command, which data follow
  int clock_rank_ = 0;        // which the data clock was started for last:
  Cycle clock_runs_to_{-1};   // on this edge a read or write of it still finds it running
};

}  // namespace hmsim
