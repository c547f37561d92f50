// SPDX-License-Identifier: BSD-3-Clause
// Breakdown of each request's latency into parts that add up to exactly the time from its arrival
// to its last data beat.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "controller/accounts/latency_histogram.h"
#include "controller/accounts/short_times.h"
#include "controller/layout/refresh_schedule.h"
#include "controller/layout/transaction.h"
#include "core/archive.h"
#include "core/statistics.h"
#include "core/types.h"
#include "dram/parameters.h"

namespace hmsim {

// If several conditions hold in a cycle, it counts for the first of: refresh, bank, bus, queueing.
enum class LatencyPart : std::uint8_t {
  admission,  // arrival to admission: wait for a slot of its queue and for the clock edge
  // Others were ahead: its bank served other rows, an older request to its line was in flight, its
  // side was not served, or the NVDIMM could take no command.
  queueing,
  // DRAM: its row was being prepared, for it or for another request that needs it: from the
  // previous column command of the bank to tRCD after the activate, including waits for bank
  // timings, activate windows and the command bus.
  bank,
  // Its row was open, or its NVDIMM data ready: bursts of others, column spacing, turnaround,
  // arbitration, earlier acks.
  bus,
  transfer,    // data-bus command to last data beat: CL or CWL, plus the bursts of its lines
  refresh,     // DRAM: its rank had an urgent refresh or was being refreshed
  ack_wait,    // NVDIMM: command to ack without gc_blocked: lookup, buffer frames, flash
  gc_blocked,  // NVDIMM: the time for which garbage collection locked the LUN it waited for
};

inline constexpr std::size_t kLatencyParts = 8;

// Splits latencies at a cost of a few instructions per call. Each place (banks refreshed together;
// see RefreshSchedule::place) has a clock that stops while the place is prepared for a refresh or
// refreshed. Events of its banks are dated by that clock, so refresh time drops out of all
// differences.
class LatencySplit {
 public:
  // DRAM reads and writes, NVDIMM reads and writes.
  static constexpr int kClasses = 2 * kMemoryClasses;

  LatencySplit(const DramParameters& dram, Tick clock_period, const RefreshSchedule& refresh);

  LatencySplit(const LatencySplit&) = delete;  // not copyable: banks point to places
  LatencySplit& operator=(const LatencySplit&) = delete;

  // Records the admission of a DRAM transaction.
  void admitted(Transaction& transaction, Cycle now) {
    LatencyMarks& marks = transaction.marks;
    marks.entered = clock_of(transaction, now);
    marks.competes = marks.entered;
  }
  // Records that it competes only from now on.
  void competes(Transaction& transaction, Cycle now) {
    transaction.marks.competes = clock_of(transaction, now);
  }
  // opened(): its bank is activated for it. issued(): its column command is issued.
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
  // Records the refresh of the banks of `turn`. `next` is the refresh control's state after it.
  void refreshed(int rank, int turn, Cycle now, const RefreshSchedule& next) {
    Place& place = places_[next.place_of_turn(rank, turn)];
    const Cycle stands = clock(place, now);
    place.until = now + refresh_time_;
    place.refreshed = place.until - stands;
    place.urgent = kNeverCycle;
    // A refresh that was urgent before its turn stops the clock only now: it never goes back.
    places_[next.place_of_turn(rank, next.turn(rank))].urgent = later(next.urgent_from(rank), now);
  }
  // Records `rounds` rounds of refreshes of the rank with closed banks. `next` is the state after
  // them.
  void refreshed_rounds(int rank, std::int64_t rounds, const RefreshSchedule& next) {
    for (int turn = 0; turn < next.turns(); ++turn) {
      places_[next.place_of_turn(rank, turn)].refreshed += refresh_time_ * rounds;
    }
    places_[next.place_of_turn(rank, next.turn(rank))].urgent = next.urgent_from(rank);
  }
  // Updates the time of the rank's next refresh when self-refresh begins or ends.
  void rescheduled(int rank, const RefreshSchedule& next);
  // Records that the other side (reads or drained writes) competes from now on.
  void side_changed(Cycle now);

  // Records a transaction's first command if that is not its data-bus command. An NVDIMM command is
  // answered by its ack.
  void started(Transaction& transaction, Cycle now) { transaction.marks.first_command = now; }
  // Records an ack: the data-bus command may be issued from edge `ready` on.
  void acknowledged(Transaction& transaction, Cycle ready) { transaction.marks.competes = ready; }

  // Counts a DRAM transaction at its last data beat.
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
  // Counts an NVDIMM transaction. `gc_blocked` is the blocked time that the NVDIMM reports.
  void finished(const Transaction& done, Cycle now, Tick gc_blocked) {
    const LatencyMarks& marks = done.marks;
    Class& counted = count(done);
    if (done.request.lines > 1) {
      now = without_further_lines(counted, done.request, now);
    }
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

  // Returns the parts of a transaction that has just finished.
  std::array<Tick, kLatencyParts> parts(const Transaction& done, Cycle now, Tick gc_blocked) const;
  Cycle first_command(const Transaction& transaction) const {
    return transaction.marks.first_command;
  }
  // Returns the time from a line's data-bus command to its last data beat.
  Cycle transfer(bool write) const { return transfer_[write ? 1 : 0]; }
  // Returns the transfer of a request whose bursts follow each other.
  Cycle transfer_of(const Request& request) const {
    return transfer(request.write) + line_ * (request.lines - 1);
  }

  // Returns the histogram, in picoseconds, of all requests finished since the reset. Valid after
  // fold().
  Histogram& histogram(MemoryClass memory, bool write, LatencyPart part) {
    return class_of(memory, write).part(part).histogram();
  }
  void fold();
  void reset();
  void serialize(Archive& archive);

 private:
  struct alignas(32) Place {
    Cycle refreshed{0};  // total refresh and preparation time up to the end of the last refresh
    Cycle until{0};      // end of the last refresh
    Cycle urgent = kNeverCycle;  // start of the preparation for the next refresh
    Cycle side_since{0};         // by its clock: since when the current side competes
    void serialize(Archive& archive) { archive(refreshed, until, urgent, side_since); }
  };
  struct alignas(32) Bank {  // dates by the clock of its place
    Cycle last_column{0};
    Cycle prepared_from{0};  // start of the preparation of the open row
    Cycle ready{0};
    const Place* place = nullptr;  // fixed
    void serialize(Archive& archive) { archive(last_column, prepared_from, ready); }
  };
  struct Class {
    std::array<LatencyHistogram, kLatencyParts> parts;
    // Requests of the class that finished since the reset. A histogram of `parts` may omit requests
    // with a zero wait (in `transfer`: with the constant transfer time) until fold() adds them.
    Counter finished = 0;
    ShortTimes short_admission;  // of the part `admission`
    LatencyHistogram& part(LatencyPart which) { return parts[static_cast<std::size_t>(which)]; }
    void serialize(Archive& archive) { archive(parts, finished); }  // call fold() first
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
    if (const Tick time = admission(done); !counted.short_admission.add(time)) {
      counted.part(LatencyPart::admission).add(time, cycles_);
    }
    return counted;
  }
  void add(Class& counted, LatencyPart part, Cycle cycles) {
    if (cycles != Cycle(0)) {
      counted.part(part).add(cycles, cycles_);
    }
  }
  Cycle without_further_lines(Class& counted, const Request& request, Cycle now);
  Tick admission(const Transaction& done) const {
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
  const std::array<Cycle, 2> transfer_;  // of a line: reads, writes
  const Cycle line_;                     // a line's burst
  std::vector<Bank> banks_;
  const std::size_t refreshes_per_round_;  // places of a rank
  std::vector<Place> places_;
  std::array<Class, kClasses> classes_;
};

}  // namespace hmsim
