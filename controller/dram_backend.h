// SPDX-License-Identifier: BSD-3-Clause
// The models of DRAM that a channel may stand on.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/channel/dram_banks.h"
#include "controller/memory_channel.h"
#include "controller/system_config.h"
#include "dram/timing_rules.h"

namespace hmsim {

struct DramBackend {
  const char* name;
  bool built_in;  // part of this build
  std::vector<ParameterError> (*check)(const SystemConfig& config);
  // Banks of one channel under this simulator's controller.
  std::unique_ptr<DramBanks> (*make_banks)(const SystemConfig& config, TransactionPool& pool);
  std::unique_ptr<MemoryChannel> (*make_channel)(const SystemConfig& config, int index,
                                                 std::uint64_t seed);
};

// The native backend's make_banks, by timing rules of the caller's.
std::unique_ptr<DramBanks> make_native_banks(const SystemConfig& config, TransactionPool& pool,
                                             const std::vector<TimingRule>& rules);

extern const std::array<DramBackend, 3> kDramBackends;

const DramBackend& dram_backend(const std::string& name);  // which the parameters have checked

}  // namespace hmsim
