// SPDX-License-Identifier: BSD-3-Clause
// The models of DRAM that a channel may stand on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "controller/channel/native_banks.h"
#include "controller/memory_channel.h"
#include "controller/system_config.h"
#include "dram/command_slots.h"
#include "dram/timing_rules.h"

namespace hmsim {

// What tells when commands of a channel are legal, and the banks that stand on it.
struct DramDevices {
  std::unique_ptr<TimingModel> timing;
  std::unique_ptr<DramBanks> banks;
  std::unique_ptr<CommandSlots> slots;  // nullptr: each command takes one slot of one bus
  // The same two where they are the native ones, whose calls can be taken in; else nullptr.
  TimingEngine* native_timing = nullptr;
  NativeBanks* native_banks = nullptr;
};

struct DramBackend {
  const char* name;
  bool built_in;  // part of this build
  std::vector<ParameterError> (*check)(const SystemConfig& config);
  // Devices of one channel under this simulator's controller; nullptr: it has one of its own.
  DramDevices (*make_devices)(const SystemConfig& config, TransactionPool& pool);
  std::unique_ptr<MemoryChannel> (*make_channel)(const SystemConfig& config, int index,
                                                 std::uint64_t seed);
};

// The native backend's make_devices, by timing rules of the caller's.
DramDevices make_native_devices(const SystemConfig& config, TransactionPool& pool,
                                const std::vector<TimingRule>& rules);

extern const std::array<DramBackend, 3> kDramBackends;

const DramBackend& dram_backend(const std::string& name);  // which the parameters have checked

}  // namespace hmsim
