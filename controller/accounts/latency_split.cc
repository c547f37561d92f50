// SPDX-License-Identifier: BSD-3-Clause
#include "controller/accounts/latency_split.h"

#include <string>
#include <utility>

namespace hmsim {

LatencySplit::LatencySplit(const DramParameters& dram, Tick clock_period,
                           const RefreshSchedule& refresh)
    : cycles_(clock_period),
      trcd_(dram.timing.trcd + dram.activate_delay()),
      refresh_time_(dram.refresh_time()),
      transfer_{Cycle(dram.command_delay() + dram.timing.cl + dram.timing.line()),
                Cycle(dram.command_delay() + dram.timing.cwl + dram.timing.line())},
      line_(dram.timing.line()),
      banks_(static_cast<std::size_t>(dram.ranks * dram.organisation.banks)),
      refreshes_per_round_(static_cast<std::size_t>(dram.refreshes_per_round())),
      places_(static_cast<std::size_t>(dram.ranks) * refreshes_per_round_) {
  const auto banks_per_rank = static_cast<int>(dram.organisation.banks);
  for (int rank = 0; rank < static_cast<int>(dram.ranks); ++rank) {
    places_[refresh.place_of_turn(rank, refresh.turn(rank))].urgent = refresh.urgent_from(rank);
    for (int bank = rank * banks_per_rank; bank < (rank + 1) * banks_per_rank; ++bank) {
      banks_[static_cast<std::size_t>(bank)].place = &places_[refresh.place(rank, bank)];
    }
  }
}

void LatencySplit::rescheduled(int rank, const RefreshSchedule& next) {
  const std::size_t first = next.place(rank, 0);
  for (std::size_t place = first; place < first + refreshes_per_round_; ++place) {
    places_[place].urgent = kNeverCycle;
  }
  places_[next.place(rank, next.turn(rank))].urgent = next.urgent_from(rank);
}

void LatencySplit::side_changed(Cycle now) {
  for (Place& place : places_) {
    place.side_since = clock(place, now);
  }
}

// Counts the transfer of several lines. Returns the end of the first one if all followed at once.
Cycle LatencySplit::without_further_lines(Class& counted, const Request& request, Cycle now) {
  const Cycle all = transfer_of(request);
  add(counted, LatencyPart::transfer, all);
  return now - (all - transfer(request.write));
}

std::array<Tick, kLatencyParts> LatencySplit::parts(const Transaction& done, Cycle now,
                                                    Tick gc_blocked) const {
  const LatencyMarks& marks = done.marks;
  const Cycle transfer = transfer_of(done.request);
  std::array<Tick, kLatencyParts> parts{};
  const auto set = [&](LatencyPart part, Cycle cycles) {
    parts[static_cast<std::size_t>(part)] = cycles.value() * cycles_.period();
  };
  set(LatencyPart::transfer, transfer);
  if (done.request.memory == MemoryClass::dram) {
    set(LatencyPart::queueing, marks.queueing);
    set(LatencyPart::bank, marks.bank);
    set(LatencyPart::bus, marks.bus);
    set(LatencyPart::refresh, marks.refresh);
  } else {
    set(LatencyPart::queueing, marks.first_command - done.admitted);
    set(LatencyPart::bus, now - transfer - marks.competes);
    set(LatencyPart::ack_wait, marks.competes - marks.first_command);
  }
  parts[static_cast<std::size_t>(LatencyPart::admission)] = admission(done);
  parts[static_cast<std::size_t>(LatencyPart::ack_wait)] -= gc_blocked;
  parts[static_cast<std::size_t>(LatencyPart::gc_blocked)] = gc_blocked;
  return parts;
}

void LatencySplit::fold() {
  for (int which = 0; which < kClasses; ++which) {
    Class& counted = classes_[static_cast<std::size_t>(which)];
    for (LatencyHistogram& part : counted.parts) {
      part.fold(cycles_.period());
    }
    counted.short_admission.fold(counted.part(LatencyPart::admission).histogram());
    for (std::size_t part = 0; part < kLatencyParts; ++part) {
      const bool transfers = static_cast<LatencyPart>(part) == LatencyPart::transfer;
      const Cycle cycles = transfers ? transfer(which % 2 != 0) : Cycle(0);
      Histogram& histogram = counted.parts[part].histogram();
      if (const Counter rest = counted.finished - histogram.count(); rest != 0) {
        histogram.add_times((cycles.value() * cycles_.period()).value(), rest);
      }
    }
  }
}

void LatencySplit::reset() {
  for (Class& counted : classes_) {
    for (LatencyHistogram& part : counted.parts) {
      part.reset();
    }
    counted.short_admission.reset();
    counted.finished = 0;
  }
}

void LatencySplit::serialize(Archive& archive) {
  fold();
  archive(classes_);
  for (Bank& bank : banks_) {
    archive(bank);
  }
  for (Place& place : places_) {
    archive(place);
  }
}

}  // namespace hmsim
