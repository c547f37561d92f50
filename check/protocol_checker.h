// SPDX-License-Identifier: BSD-3-Clause
// Independent checker of every command in a run: device rules, buses, the ack protocol, and that
// each request moves its data exactly once.
//
// Operations inside NVDIMMs arrive through separate observers.
#pragma once

#include <cstdint>
#include <vector>

#include "check/ack_checker.h"
#include "check/activate_count_checker.h"
#include "check/bank_group_checker.h"
#include "check/bank_refresh_checker.h"
#include "check/bus_checker.h"
#include "check/data_clock_checker.h"
#include "check/ddr3_checker.h"
#include "check/flash_checker.h"
#include "check/media_checker.h"
#include "check/power_checker.h"
#include "check/refresh_checker.h"
#include "check/request_ledger.h"
#include "check/stack_checker.h"
#include "check/violations.h"
#include "controller/accounts/command_observer.h"
#include "controller/config/system_config.h"
#include "nvdimm/module/module.h"

namespace hmsim {

class MemorySystem;

// Observes all channels from the first command on. Requests must be numbered from 0. Costs O(1) per
// command, and O(banks of the rank) per refresh. Does not allocate in steady state.
class ProtocolChecker final : public CommandObserver {
 public:
  explicit ProtocolChecker(const SystemConfig& config);
  ProtocolChecker(const ProtocolChecker&) = delete;
  ProtocolChecker& operator=(const ProtocolChecker&) = delete;

  // Checks every command of these channels and of their NVDIMMs from now on.
  void watch(MemorySystem& memory);
  // Attaches to the NVDIMMs of one channel.
  void watch(std::size_t channel, const NvdimmModules& nvdimms);

  void on_command(const CommandRecord& record) override;
  // Ends the check at `end` and reports missing events. `idle`: no request is left in the memory
  // system.
  void finish(Tick end, bool idle);

  std::int64_t commands() const { return commands_; }
  const ViolationLog& violations() const { return violations_; }

  // Raises a Fault that names the first violation and gives the total. Does nothing without one.
  void raise_if_violated() const;

  void serialize(Archive& archive);

 private:
  struct Device {
    FlashChecker flash;
    MediaChecker media;
  };
  struct Channel {
    Ddr3Checker dram;
    BankGroupChecker groups;
    BankRefreshChecker bank_refresh;
    DataClockChecker data_clock;
    StackChecker stacks;
    RefreshChecker refresh;
    ActivateCountChecker activates;
    PowerChecker power;
    BusChecker bus;
    AckChecker ack;
    std::vector<Device> devices;  // the channel's NVDIMMs
  };

  bool check_place(const CommandRecord& record);
  void check_one_burst(const CommandRecord& record);

  const SystemConfig config_;
  const int nvdimm_rank_;
  ViolationLog violations_;
  std::vector<Channel> channels_;
  RequestLedger bursts_;
  std::int64_t commands_ = 0;
};

}  // namespace hmsim
