// SPDX-License-Identifier: BSD-3-Clause
// Rules of one channel's two buses, independent of the devices: one command per edge, one burst at
// a time, and a gap of tRTRS when the driver of the data bus changes.
#pragma once

#include <cstdint>

#include "check/half_line_checker.h"
#include "check/stack_checker.h"
#include "check/violations.h"
#include "controller/config/controller_parameters.h"
#include "dram/parameters.h"

namespace hmsim {

class BusChecker {
 public:
  // `violations` must outlive the checker.
  BusChecker(const ControllerParameters& controller, const DramParameters& dram,
             ViolationLog& violations)
      : ack_(controller.ack),
        ack_slots_(controller.ack_slots),
        t_(dram.timing),
        lines_in_halves_(HalfLineChecker::applies_to(dram)),
        one_command_bus_(!StackChecker::applies_to(dram)),
        activate_slots_(dram.is("lpddr5") ? 2 : 1),
        rate_(dram.command_rate == CommandRate::two ? 2 : 1),
        dram_ranks_(static_cast<int>(dram.ranks)),
        ranks_per_dimm_(
            static_cast<int>(dram.ranks_per_dimm > 0 ? dram.ranks_per_dimm : dram.ranks)),
        violations_(violations),
        halves_(dram, violations) {}

  void check(const CommandRecord& record) {
    violations_.require("command order", record, last_, 0);
    last_ = {record.command, record.cycle.value()};
    if (one_command_bus_) {
      check_command_bus(record);
    }
    if (moves_data(record.command) && lines_in_halves_) {
      halves_.check(record);
    } else if (moves_data(record.command)) {
      check_data_bus(record);
    }
  }

  void serialize(Archive& archive) {
    archive(last_.command, last_.cycle, last_slot_.command, last_slot_.cycle, burst_.command,
            burst_.cycle, burst_rank_, halves_);
  }

 private:
  using C = ChannelCommand;

  static bool moves_data(C command) {
    return command == C::read || command == C::write || command == C::nvdimm_read ||
           command == C::nvdimm_write;
  }
  static bool moves_to_memory(C command) {
    return command == C::write || command == C::nvdimm_write;
  }

  // An ack takes a slot unless it uses a side band, as NVDIMM-P's responses always do. Without
  // grants, the burst takes no slot.
  bool takes_slot(C command) const {
    if (ack_ == AckMode::nvdimm_p) {
      return command != C::nvdimm_ack && command != C::nvdimm_credit;
    }
    if (command == C::nvdimm_ack) {
      return ack_slots_ > 0;
    }
    const bool nvdimm_burst = command == C::nvdimm_read || command == C::nvdimm_write;
    return !nvdimm_burst || ack_ == AckMode::grant;
  }

  void check_command_bus(const CommandRecord& record) {
    if (takes_slot(record.command)) {
      violations_.require("command bus", record, last_slot_, slots(last_slot_.command));
      last_slot_ = {record.command, record.cycle.value()};
    }
  }

  // Data start CL (CWL) after the command and take half a burst length. Distances in reports are
  // between commands, as for other rules.
  void check_data_bus(const CommandRecord& record) {
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

  // Returns the slots of a command. ACT-1 and ACT-2 of JESD209-5 take adjacent slots. With a rate
  // of 2N, the host drives each command for two cycles.
  std::int64_t slots(C command) const {
    return rate_ * (command == C::activate ? activate_slots_ : 1);
  }

  // Returns the number of a rank's DIMM. Each NVDIMM is one.
  int dimm_of(int rank) const {
    return rank < dram_ranks_ ? rank / ranks_per_dimm_ : dram_ranks_ + rank;
  }

  const AckMode ack_;
  const std::int64_t ack_slots_;
  const DramTiming t_;
  const bool lines_in_halves_;
  const bool one_command_bus_;
  const std::int64_t activate_slots_;
  const std::int64_t rate_;
  const int dram_ranks_;
  const int ranks_per_dimm_;
  ViolationLog& violations_;
  HalfLineChecker halves_;
  EarlierCommand last_{ChannelCommand::refresh, kLongPast};
  EarlierCommand last_slot_{ChannelCommand::refresh, kLongPast};  // last to take a command-bus slot
  EarlierCommand burst_{ChannelCommand::read, kLongPast};         // command of the last burst
  int burst_rank_ = -1;
};

}  // namespace hmsim
