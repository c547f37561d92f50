// SPDX-License-Identifier: BSD-3-Clause
#include "dram/command_slots.h"

#include <algorithm>

#include "core/archive.h"

namespace hmsim {

namespace {

std::uint64_t ones(std::int64_t count) { return (std::uint64_t{1} << count) - 1; }

// Returns the data cycles of a line: one burst, or two halves with a gap between them.
std::uint64_t data_cycles(const DramTiming& timing) {
  if (timing.gap() == 0) {
    return ones(timing.burst);
  }
  const std::int64_t half = timing.burst / 2;
  return ones(half) | ones(timing.burst - half) << (half + timing.gap());
}

std::uint64_t column_slots(const DramTiming& timing, const CommandProtocol& protocol) {
  std::uint64_t slots = 0;
  for (std::int64_t i = 0; i < protocol.columns_of_line; ++i) {
    slots |= std::uint64_t{1} << (i * timing.tccd_l);
  }
  return slots;
}

}  // namespace

std::int64_t data_clock_lead(const DramTiming& t, bool write) {
  return std::max<std::int64_t>(1, write ? t.twck_wr - t.cwl : t.twck_rd - t.cl);
}

CommandSlots::CommandSlots(const DramParameters& dram, const CommandProtocol& protocol)
    : t_(dram.timing),
      protocol_(protocol),
      column_slots_(column_slots(t_, protocol)),
      line_(data_cycles(t_)),
      longest_lead_(
          protocol.data_clock ? later(data_clock_lead(t_, false), data_clock_lead(t_, true)) : 0),
      buses_(protocol.separate_buses ? 2 : 1),
      data_(static_cast<std::size_t>(dram.ranks)) {}

Cycle CommandSlots::lead(Command command, int rank, Cycle edge) const {
  if (!protocol_.data_clock || !is_column(command) ||
      (rank == clock_rank_ && edge <= clock_runs_to_)) {
    return Cycle(0);
  }
  return Cycle(data_clock_lead(t_, command == Command::write));
}

// Returns the slots of a command. For a read or write, they include the start of the data clock.
std::uint64_t CommandSlots::slots(Command command, Cycle lead) const {
  if (is_column(command)) {
    return column_slots_ << lead.value() | ones(lead.value());
  }
  return command == Command::activate ? ones(protocol_.activate_slots) : 1;
}

bool CommandSlots::free(Command command, int rank, Cycle edge) const {
  const Cycle before = lead(command, rank, edge);
  // Ranks share the data clock. It must stop before it is started for another rank.
  if (before != Cycle(0) && edge <= clock_runs_to_) {
    return false;
  }
  if ((bus_of(command).from(edge) & slots(command, before)) != 0) {
    return false;
  }
  return !is_column(command) ||
         (data_[static_cast<std::size_t>(rank)].from(edge + before) & line_) == 0;
}

void CommandSlots::take(Command command, int rank, Cycle edge) {
  const Cycle before = lead(command, rank, edge);
  bus_of(command).take(slots(command, before), edge);
  if (!is_column(command)) {
    return;
  }
  const auto index = static_cast<std::size_t>(rank);
  data_[index].take(line_, edge + before);
  if (protocol_.data_clock) {
    const std::int64_t latency = command == Command::write ? t_.cwl : t_.cl;
    clock_rank_ = rank;
    clock_runs_to_ = later(clock_runs_to_, edge + before + Cycle(latency + t_.line() + t_.twckpst));
  }
}

void CommandSlots::Wires::serialize(Archive& archive) { archive(first, taken); }

void CommandSlots::serialize(Archive& archive) {
  archive.section("command slots");
  archive.fixed(buses_, data_);
  archive(clock_rank_, clock_runs_to_);
}

}  // namespace hmsim
