// SPDX-License-Identifier: BSD-3-Clause
// DRAM models that a channel can use.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "controller/channel/memory_channel.h"
#include "controller/channel/native_banks.h"
#include "controller/config/system_config.h"
#include "dram/command_slots.h"
#include "dram/timing_rules.h"

namespace hmsim {

// A timing model, which determines when commands of a channel are legal, and the banks that use it.
struct DramDevices {
  std::unique_ptr<TimingModel> timing;
  std::unique_ptr<DramBanks> banks;
  std::unique_ptr<CommandSlots> slots;  // nullptr: each command takes one slot of one bus
  // `timing` and `banks` as their native types, so that calls can be inlined; nullptr for another
  // model.
  TimingEngine* native_timing = nullptr;
  NativeBanks* native_banks = nullptr;
};

struct DramBackend {
  const char* name;
  // Makes the devices of one channel for hmsim's controller; nullptr if the backend has a
  // controller of its own.
  DramDevices (*make_devices)(const SystemConfig& config, TransactionPool& pool);
  std::unique_ptr<MemoryChannel> (*make_channel)(const SystemConfig& config, int index,
                                                 std::uint64_t seed);
};

// The native backend's make_devices with timing rules given by the caller.
DramDevices make_native_devices(const SystemConfig& config, TransactionPool& pool,
                                const std::vector<TimingRule>& rules);

extern const std::array<DramBackend, 3> kDramBackends;

const DramBackend& dram_backend(const std::string& name);  // precondition: a checked name

// Throws InputError, which names `what`, unless the channels' accounts have the whole time of each
// request.
void require_request_times(const std::string& what, const SystemConfig& config);

}  // namespace hmsim
