// SPDX-License-Identifier: BSD-3-Clause
// Commands that no request asks for: refreshes, power modes, and precharges by the page policy.
#include "controller/channel.h"

namespace hmsim {

namespace {

ChannelCommand record_of(Command power_command) {
  switch (power_command) {
    case Command::power_down_enter:
      return ChannelCommand::power_down_enter;
    case Command::power_down_exit:
      return ChannelCommand::power_down_exit;
    case Command::self_refresh_enter:
      return ChannelCommand::self_refresh_enter;
    default:
      return ChannelCommand::self_refresh_exit;
  }
}

}  // namespace

void Channel::refresh() {
  if (command_bus_taken_) {
    return;
  }
  const RefreshStep step = refresh_.step(edge_);
  if (step.present()) {
    take_step(step);
  }
}

void Channel::take_step(const RefreshStep& step) {
  command_bus_taken_ = true;
  ++statistics_.command_cycles;
  const int turn = refresh_.turn(step.rank);
  if (step.bank >= 0) {
    bus_.refresh_prepared(step.rank, turn, edge_);
    precharge(step.bank, -1);
    return;
  }
  const bool all = dram_.refresh_mode == RefreshMode::all_bank;
  engine_.issue(all ? Command::refresh : Command::refresh_same_bank,
                step.rank * banks_per_rank_ + turn, edge_);
  ++statistics_.refreshes;
  bus_.refreshed(step.rank, turn, edge_);
  energy_.refreshed(step.rank, edge_);
  record(all ? ChannelCommand::refresh : ChannelCommand::refresh_same_bank, step.rank,
         all ? -1 : turn, -1, -1);
  refresh_.refreshed(step.rank, edge_);
  latency_.refreshed(step.rank, turn, edge_, refresh_);
  if (power_.active()) {
    power_.refreshed(step.rank);
  }
}

void Channel::wake() {
  const PowerStep step = power_.wake_step(edge_);
  if (step.present()) {
    take_step(step);
  }
}

void Channel::take_step(const PowerStep& step) {
  command_bus_taken_ = true;
  ++statistics_.command_cycles;
  if (step.bank >= 0) {
    precharge(step.bank, -1);
    return;
  }
  engine_.issue(step.command, step.rank * banks_per_rank_, edge_);
  power_.done(step, edge_);
  latency_.rescheduled(step.rank, refresh_);
  if (step.command == Command::power_down_enter || step.command == Command::self_refresh_enter) {
    energy_.sleeps(step.rank, step.command == Command::self_refresh_enter, edge_);
  } else {
    energy_.wakes(step.rank, edge_);
  }
  statistics_.power_downs += step.command == Command::power_down_enter ? 1 : 0;
  statistics_.self_refreshes += step.command == Command::self_refresh_enter ? 1 : 0;
  record(record_of(step.command), step.rank, -1, -1, -1);
}

// Commands that no request asks for, on an edge that has no other.
void Channel::use_free_slot() {
  const std::int32_t bank = pages_.closing(side_, edge_);
  if (bank >= 0) {
    ++statistics_.command_cycles;
    precharge(bank, -1);
    return;
  }
  if (refresh_.elastic()) {
    const RefreshStep step = refresh_.idle_step(edge_);
    if (step.present()) {
      take_step(step);
      return;
    }
  }
  if (power_.active()) {
    const PowerStep step = power_.sleep_step(edge_);
    if (step.present()) {
      take_step(step);
    }
  }
}

}  // namespace hmsim
