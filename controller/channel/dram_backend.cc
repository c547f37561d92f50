// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel/dram_backend.h"

#include "controller/channel/channel.h"
#include "controller/channel/native_banks.h"
#include "controller/channel/polled_banks.h"
#include "controller/channel/whole_channel.h"
#include "core/errors.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"
#ifdef HMSIM_DRAMSIM3
#include "dram/dramsim3/adapter.h"
#endif

namespace hmsim {

namespace {

DramDevices native_devices(const SystemConfig& config, TransactionPool& pool) {
  return make_native_devices(config, pool, timing_rules(config.dram));
}

std::unique_ptr<MemoryChannel> own_controller(const SystemConfig& config, int index,
                                              std::uint64_t seed) {
  return std::make_unique<Channel>(config, index, seed);
}

#ifdef HMSIM_DRAMSIM3
DramDevices dramsim3_devices(const SystemConfig& config, TransactionPool& pool) {
  DramDevices devices;
  devices.timing = make_dramsim3_timing(config.dram, config.dram_model);
  devices.banks = std::make_unique<PolledBanks>(config.dram, *devices.timing, pool);
  return devices;
}

std::unique_ptr<MemoryChannel> dramsim3_channel(const SystemConfig& config, int index,
                                                std::uint64_t /*seed*/) {
  return std::make_unique<WholeChannel>(
      config, index,
      make_dramsim3_whole(config.dram, config.dram_model, config.controller.queue_depth));
}
#else
[[noreturn]] void absent() { throw InputError("this build does not contain DRAMsim3"); }

DramDevices dramsim3_devices(const SystemConfig& /*config*/, TransactionPool& /*pool*/) {
  absent();
}

std::unique_ptr<MemoryChannel> dramsim3_channel(const SystemConfig& /*config*/, int /*index*/,
                                                std::uint64_t /*seed*/) {
  absent();
}
#endif

}  // namespace

DramDevices make_native_devices(const SystemConfig& config, TransactionPool& pool,
                                const std::vector<TimingRule>& rules) {
  const DramOrganisation& part = config.dram.organisation;
  auto timing = std::make_unique<TimingEngine>(
      rules, static_cast<int>(config.dram.ranks) + 1, static_cast<int>(part.groups),
      static_cast<int>(part.banks), static_cast<int>(config.dram.same_bank_stride()),
      static_cast<int>(part.stacks), static_cast<int>(config.dram.dimm_ranks()));
  DramDevices devices;
  if (const CommandProtocol* const protocol = config.dram.standard->protocol) {
    devices.slots = std::make_unique<CommandSlots>(config.dram, *protocol);
  }
  if (config.dram.ranks * part.banks <= static_cast<std::int64_t>(NativeBanks::kMostBanks)) {
    auto banks = std::make_unique<NativeBanks>(config.dram, *timing, pool, devices.slots.get());
    devices.native_banks = banks.get();
    devices.native_timing = devices.slots ? nullptr : timing.get();
    devices.banks = std::move(banks);
  } else {
    devices.banks = std::make_unique<PolledBanks>(config.dram, *timing, pool, devices.slots.get());
  }
  devices.timing = std::move(timing);
  return devices;
}

const std::array<DramBackend, 3> kDramBackends{{
    {"native", native_devices, own_controller},
    {"dramsim3", dramsim3_devices, own_controller},
    {"dramsim3_full", nullptr, dramsim3_channel},
}};

const DramBackend& dram_backend(const std::string& name) {
  for (const DramBackend& backend : kDramBackends) {
    if (name == backend.name) {
      return backend;
    }
  }
  throw InputError("unknown DRAM backend: '" + name + "'");
}

void require_request_times(const std::string& what, const SystemConfig& config) {
  const std::string& backend = config.dram_model.backend;
  if (dram_backend(backend).make_devices == nullptr) {
    throw InputError(what + ": dram.backend: '" + backend + "' does not show its requests");
  }
  if (config.expander.channels > 0 || (config.nvdimm.present && !config.port.on_bus())) {
    throw InputError(what +
                     ": all channels must be on the memory bus, because the views leave out "
                     "the links of nvdimm.attach: cxl and hbf and of expander.channels");
  }
}

}  // namespace hmsim
