// SPDX-License-Identifier: BSD-3-Clause
#include "check/bus_checker.h"

#include "check/stack_checker.h"

namespace hmsim {

namespace {

using C = ChannelCommand;

bool moves_data(C command) {
  return command == C::read || command == C::write || command == C::nvdimm_read ||
         command == C::nvdimm_write;
}

bool moves_to_memory(C command) { return command == C::write || command == C::nvdimm_write; }

}  // namespace

BusChecker::BusChecker(const ControllerParameters& controller, const DramParameters& dram,
                       ViolationLog& violations)
    : ack_(controller.ack),
      ack_slots_(controller.ack_slots),
      t_(dram.timing),
      lines_in_halves_(HalfLineChecker::applies_to(dram)),
      one_command_bus_(!StackChecker::applies_to(dram)),
      activate_slots_(dram.is("lpddr5") ? 2 : 1),
      rate_(dram.command_rate == CommandRate::two ? 2 : 1),
      dram_ranks_(static_cast<int>(dram.ranks)),
      ranks_per_dimm_(static_cast<int>(dram.ranks_per_dimm > 0 ? dram.ranks_per_dimm : dram.ranks)),
      violations_(violations),
      halves_(dram, violations) {}

void BusChecker::check(const CommandRecord& record) {
  check_order(record);
  if (one_command_bus_) {
    check_command_bus(record);
  }
  if (moves_data(record.command) && lines_in_halves_) {
    halves_.check(record);
  } else if (moves_data(record.command)) {
    check_data_bus(record);
  }
}

void BusChecker::check_order(const CommandRecord& record) {
  violations_.require("command order", record, last_, 0);
  last_ = {record.command, record.cycle.value()};
}

// An ack takes a slot unless it uses a side band, as NVDIMM-P's responses always do. Without
// grants, the burst takes no slot.
bool BusChecker::takes_slot(C command) const {
  if (ack_ == AckMode::nvdimm_p) {
    return command != C::nvdimm_ack && command != C::nvdimm_credit;
  }
  if (command == C::nvdimm_ack) {
    return ack_slots_ > 0;
  }
  const bool nvdimm_burst = command == C::nvdimm_read || command == C::nvdimm_write;
  return !nvdimm_burst || ack_ == AckMode::grant;
}

// Returns the slots of a command. ACT-1 and ACT-2 of JESD209-5 take adjacent slots. With a rate of
// 2N, the host drives each command for two cycles.
std::int64_t BusChecker::slots(C command) const {
  return rate_ * (command == C::activate ? activate_slots_ : 1);
}

void BusChecker::check_command_bus(const CommandRecord& record) {
  if (takes_slot(record.command)) {
    violations_.require("command bus", record, last_slot_, slots(last_slot_.command));
    last_slot_ = {record.command, record.cycle.value()};
  }
}

// Returns the number of a rank's DIMM. Each NVDIMM is one.
int BusChecker::dimm_of(int rank) const {
  return rank < dram_ranks_ ? rank / ranks_per_dimm_ : dram_ranks_ + rank;
}

// Data start CL (CWL) after the command and take half a burst length. Distances in reports are
// between commands, as for other rules.
void BusChecker::check_data_bus(const CommandRecord& record) {
  const auto latency = [this](C command) { return moves_to_memory(command) ? t_.cwl : t_.cl; };
  const std::int64_t after_end = latency(burst_.command) + t_.burst - latency(record.command);
  const bool same_driver = burst_rank_ == record.rank &&
                           moves_to_memory(burst_.command) == moves_to_memory(record.command);
  if (record.cycle.value() - burst_.cycle < after_end) {
    violations_.require("data bus", record, burst_, after_end);
  } else if (!same_driver) {
    violations_.require("tRTRS", record, burst_, after_end + t_.trtrs);
    if (burst_rank_ >= 0 && dimm_of(burst_rank_) != dimm_of(record.rank)) {
      violations_.require("tRTRS_dimm", record, burst_, after_end + t_.trtrs_dimm);
    }
  }
  burst_ = {record.command, record.cycle.value()};
  burst_rank_ = record.rank;
}

}  // namespace hmsim
