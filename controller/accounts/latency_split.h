// SPDX-License-Identifier: BSD-3-Clause
// Where the latency of each request went: parts that add up to exactly the time from its arrival to
// its last data beat.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/accounts/latency_histogram.h"
#include "controller/accounts/short_times.h"
#include "controller/channel/refresh.h"
#include "controller/channel/transaction.h"
#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"
#include "dram/parameters.h"

namespace hmsim {

class MemoryChannel;

// A cycle in which several of these held goes to the first of: refresh, bank, bus, queueing.
enum class LatencyPart : std::uint8_t {
  outside,   // arrival to admission: for a slot of its queue, and for the clock edge
  queueing,  // others were ahead: its bank served other rows, an older request to its line was
             // under way, writes were not drained, no room for another NVDIMM command
  bank,      // DRAM: the row that it needs was prepared, for it or for another that needs it: from
             // the last column command of the bank before, to tRCD after the activate, with all
             // waiting for bank timings, activate windows and the command bus
  bus,       // its row was open, or its NVDIMM ready: bursts of others, column spacing,
             // turnaround, arbitration, acks before its own
  transfer,  // data-bus command to last data beat: CL or CWL, and the burst
  refresh,   // DRAM: its rank could put its refresh off no longer, or was refreshed
  ack_wait,  // NVDIMM: command to ack: lookup, frames of the buffer, flash; but for ...
  gc_blocked,  // ... the time in which garbage collection locked the LUN that it waited for
};

inline constexpr std::size_t kLatencyParts = 8;

// Every hook costs a few instructions. What is refreshed together (RefreshControl's place) has a
// clock that stands still while it is prepared for a refresh or refreshed; what happens to its
// banks is dated by that, so that refreshes fall out of all differences.
class LatencySplit {
 public:
  static constexpr int kClasses = 2 * kMemoryClasses;  // DRAM reads, writes, NVDIMM reads, writes

  LatencySplit(const DramParameters& dram, Tick clock_period, const RefreshControl& refresh);

  LatencySplit(const LatencySplit&) = delete;  // banks know their places
  LatencySplit& operator=(const LatencySplit&) = delete;

  // A DRAM transaction gets its slot; ...
  void admitted(Transaction& transaction, Cycle now) {
    LatencyMarks& marks = transaction.marks;
    marks.entered = clock_of(transaction, now);
    marks.competes = marks.entered;
  }
  // ... competes from now on only; ...
  void competes(Transaction& transaction, Cycle now) {
    transaction.marks.competes = clock_of(transaction, now);
  }
  // ... its bank is activated for it; its column command is issued.
  void opened(const Transaction& transaction, Cycle now) {
    Bank& bank = bank_of(transaction);
    bank.prepared_from = bank.last_column;
    bank.ready = now - bank.place->refreshed + trcd_;
  }
  void issued(Transaction& transaction, Cycle now) {
    Bank& bank = bank_of(transaction);
    const Place& place = *bank.place;
    LatencyMarks& marks = transaction.marks;
    const Cycle issue = now - place.refreshed;  // the last refresh is over
    const Cycle competes = later(marks.competes, place.side_since);
    const Cycle ready = earlier(later(bank.ready, competes), issue);
    const Cycle begin = later(bank.prepared_from, competes);
    marks.queueing = begin - marks.entered;
    marks.bank = ready - begin;
    marks.bus = issue - ready;
    marks.refresh = (now - transaction.admitted) - (issue - marks.entered);
    bank.last_column = issue;
  }
  // The refresh of a rank is issued, of the banks whose turn it was; `next`: after it.
  void refreshed(int rank, int turn, Cycle now, const RefreshControl& next) {
    Place& place = places_[next.place_of_turn(rank, turn)];
    const Cycle stands = clock(place, now);
    place.until = now + refresh_time_;
    place.refreshed = place.until - stands;
    place.urgent = kNeverCycle;
    places_[next.place_of_turn(rank, next.turn(rank))].urgent = next.urgent_from(rank);
  }
  // The rank was refreshed in `rounds` rounds with closed banks. `next` is the state after them.
  void refreshed_often(int rank, std::int64_t rounds, const RefreshControl& next) {
    for (int turn = 0; turn < next.turns(); ++turn) {
      places_[next.place_of_turn(rank, turn)].refreshed += refresh_time_ * rounds;
    }
    places_[next.place_of_turn(rank, next.turn(rank))].urgent = next.urgent_from(rank);
  }
  // Self-refresh began or ended: the rank's next refresh is due at another time.
  void rescheduled(int rank, const RefreshControl& next);
  // The other side (reads, or drained writes) competes from now on.
  void side_changed(Cycle now);

  // The first command of a transaction that is not its data-bus command. (An NVDIMM's is answered
  // by its ack.)
  void started(Transaction& transaction, Cycle now) { transaction.marks.first_command = now; }
  // The NVDIMM raised the ack: the data-bus command may follow from this edge on.
  void acknowledged(Transaction& transaction, Cycle ready) { transaction.marks.competes = ready; }

  // The last data beat of a DRAM transaction passes; ...
  void finished(const Transaction& done) {
    const LatencyMarks& marks = done.marks;
    Class& counted = count(done);
    add(counted, LatencyPart::bus, marks.bus);
    if (marks.queueing + marks.bank + marks.refresh != Cycle(0)) {
      add(counted, LatencyPart::queueing, marks.queueing);
      add(counted, LatencyPart::bank, marks.bank);
      add(counted, LatencyPart::refresh, marks.refresh);
    }
  }
  // ... of an NVDIMM transaction, which the NVDIMM says was blocked so long.
  void finished(const Transaction& done, Cycle now, Tick gc_blocked) {
    const LatencyMarks& marks = done.marks;
    Class& counted = count(done);
    add(counted, LatencyPart::queueing, marks.first_command - done.admitted);
    add(counted, LatencyPart::bus, now - transfer(done.request.write) - marks.competes);
    const Cycle ack = marks.competes - marks.first_command;
    if (gc_blocked == Tick(0)) {
      add(counted, LatencyPart::ack_wait, ack);
    } else {
      counted.part(LatencyPart::gc_blocked).add(gc_blocked, cycles_);
      counted.part(LatencyPart::ack_wait).add(ack.value() * cycles_.period() - gc_blocked, cycles_);
    }
  }

  // Of one that just finished.
  std::array<Tick, kLatencyParts> parts(const Transaction& done, Cycle now, Tick gc_blocked) const;
  Cycle first_command(const Transaction& transaction) const {
    return transaction.marks.first_command;
  }
  Cycle transfer(bool write) const { return transfer_[write ? 1 : 0]; }

  // In picoseconds, of all requests that finished since the reset; up to date after fold().
  Histogram& histogram(MemoryClass memory, bool write, LatencyPart part) {
    return class_of(memory, write).part(part).histogram();
  }
  void fold();
  void reset();
  void serialize(Archive& archive);

 private:
  struct alignas(32) Place {
    Cycle refreshed{0};          // all its refreshes and their preparations, to the last one's end
    Cycle until{0};              // the last one's end
    Cycle urgent = kNeverCycle;  // from then on it is prepared for the next one
    Cycle side_since{0};         // by its clock: since when the side that competes does
    void serialize(Archive& archive) { archive(refreshed, until, urgent, side_since); }
  };
  struct alignas(32) Bank {  // dates by its clock
    Cycle last_column{0};
    Cycle prepared_from{0};  // of the row that is open
    Cycle ready{0};
    const Place* place = nullptr;  // fixed
    void serialize(Archive& archive) { archive(last_column, prepared_from, ready); }
  };
  struct Class {
    std::array<LatencyHistogram, kLatencyParts> parts;
    // All since the reset. What fold() finds missing in a part waited for nothing there; all
    // transfers take the same time.
    Counter finished = 0;
    ShortTimes short_outside;  // of the part `outside`
    LatencyHistogram& part(LatencyPart which) { return parts[static_cast<std::size_t>(which)]; }
    void serialize(Archive& archive) { archive(parts, finished); }  // folded
  };

  Bank& bank_of(const Transaction& transaction) {
    return banks_[static_cast<std::size_t>(transaction.bank)];
  }
  Class& class_of(MemoryClass memory, bool write) {
    return classes_[static_cast<std::size_t>(memory) * 2 + (write ? 1 : 0)];
  }
  Class& count(const Transaction& done) {
    Class& counted = class_of(done.request.memory, done.request.write);
    ++counted.finished;
    if (const Tick time = outside(done); !counted.short_outside.add(time)) {
      counted.part(LatencyPart::outside).add(time, cycles_);
    }
    return counted;
  }
  void add(Class& counted, LatencyPart part, Cycle cycles) {
    if (cycles != Cycle(0)) {
      counted.part(part).add(cycles, cycles_);
    }
  }
  Tick outside(const Transaction& done) const {
    return done.admitted.value() * cycles_.period() - done.request.arrival;
  }
  static Cycle clock(const Place& place, Cycle now) {
    return later(earlier(place.urgent, now), place.until) - place.refreshed;
  }
  Cycle clock_of(const Transaction& transaction, Cycle now) {
    return clock(*bank_of(transaction).place, now);
  }

  const WholeCycles cycles_;
  const Cycle trcd_;
  const Cycle refresh_time_;
  const std::array<Cycle, 2> transfer_;  // reads, writes
  std::vector<Bank> banks_;
  const std::size_t refreshes_per_round_;  // places of a rank
  std::vector<Place> places_;
  std::array<Class, kClasses> classes_;
};

// Declares the histograms of all parts, read over all channels as one.
void register_latency_statistics(StatisticRegistry& registry,
                                 const std::vector<MemoryChannel*>& channels);

}  // namespace hmsim
