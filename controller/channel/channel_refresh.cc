// SPDX-License-Identifier: BSD-3-Clause
// Commands without a request: refreshes, power modes, and precharges by the page policy.
#include "controller/channel/channel_commands.h"

namespace hmsim {

// Issues one step towards a rank's refresh: a precharge, or the refresh itself.
void Channel::take_step(const RefreshStep& step, Features features) {
  bus_.take_command(clock_.edge());
  dram_.with_banks([&](auto& banks) {
    if (step.bank >= 0) {
      accounts_.refresh_prepared(step.rank, clock_.edge());
      precharge(banks, step.bank, step.rank, -1, features);
    } else {
      const bool extra = dram_.refresh().wants(step.rank, clock_.edge());
      const int turn = dram_.issue_refresh(banks, step.rank, clock_.edge());
      if (extra) {
        accounts_.managed(step.rank, clock_.edge());
      } else {
        accounts_.refreshed(step.rank, turn, clock_.edge());
      }
    }
  });
}

// Issues one step of a rank into or out of a sleep mode; does nothing without a step.
void Channel::take_step(const PowerStep& step) {
  if (!step.present()) {
    return;
  }
  bus_.take_command(clock_.edge());
  if (step.bank >= 0) {
    precharge(dram_.banks(), step.bank, step.rank, -1, Features::any);
    return;
  }
  dram_.issue(step, clock_.edge());
  accounts_.power_changed(step.rank, step.command, clock_.edge());
}

// Uses an edge without another command for a page-policy precharge, an early refresh, or a sleep
// step, in this order.
void Channel::use_free_slot() {
  if (!dram_.uses_free_slots() || bus_.command_taken()) {
    return;
  }
  const std::int32_t bank = dram_.pages().closing(dram_.side(), clock_.edge());
  if (bank >= 0) {
    bus_.take_command(clock_.edge());
    precharge(dram_.banks(), bank, bank / layout_.banks_per_rank, -1, Features::any);
    dram_.row_closed();
    return;
  }
  if (dram_.refresh().elastic()) {
    const RefreshStep step = dram_.refresh().idle_step(clock_.edge());
    if (step.present()) {
      take_step(step, Features::any);
      return;
    }
  }
  if (dram_.power().active()) {
    take_step(dram_.power().sleep_step(clock_.edge()));
  }
}

}  // namespace hmsim
