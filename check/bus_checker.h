// SPDX-License-Identifier: BSD-3-Clause
// Rules of one channel's two buses, independent of the devices: one command per edge, one burst at
// a time, and a gap of tRTRS when the driver of the data bus changes.
#pragma once

#include <cstdint>

#include "check/half_line_checker.h"
#include "check/violations.h"
#include "controller/config/controller_parameters.h"
#include "dram/parameters.h"

namespace hmsim {

class BusChecker {
 public:
  // `violations` must outlive the checker.
  BusChecker(const ControllerParameters& controller, const DramParameters& dram,
             ViolationLog& violations);

  void check(const CommandRecord& record);

  void serialize(Archive& archive) {
    archive(last_.command, last_.cycle, last_slot_.command, last_slot_.cycle, burst_.command,
            burst_.cycle, burst_rank_, halves_);
  }

 private:
  bool takes_slot(ChannelCommand command) const;
  void check_order(const CommandRecord& record);
  void check_command_bus(const CommandRecord& record);
  void check_data_bus(const CommandRecord& record);
  std::int64_t slots(ChannelCommand command) const;
  int dimm_of(int rank) const;

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
