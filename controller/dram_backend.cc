// SPDX-License-Identifier: BSD-3-Clause
#include "controller/dram_backend.h"

#include "controller/channel/channel.h"
#include "controller/channel/native_banks.h"
#include "controller/channel/polled_banks.h"
#include "controller/whole_channel.h"
#include "core/errors.h"
#include "dram/standard.h"
#include "dram/timing_engine.h"
#ifdef HMSIM_DRAMSIM3
#include "dram/dramsim3/adapter.h"
#endif

namespace hmsim {

namespace {

std::vector<ParameterError> no_errors(const SystemConfig& /*config*/) { return {}; }

DramDevices native_devices(const SystemConfig& config, TransactionPool& pool) {
  return make_native_devices(config, pool, timing_rules(config.dram));
}

std::unique_ptr<MemoryChannel> own_controller(const SystemConfig& config, int index,
                                              std::uint64_t seed) {
  return std::make_unique<Channel>(config, index, seed);
}

std::vector<ParameterError> device_errors(const SystemConfig& config) {
  return dramsim3_errors(config.dram);
}

// Returns the errors for DRAMsim3's controller, which supports only its own policies and DRAM.
std::vector<ParameterError> whole_errors(const SystemConfig& config) {
  std::vector<ParameterError> errors = dramsim3_errors(config.dram);
  if (config.nvdimm.present) {
    errors.push_back(
        {"dram.backend",
         "'dramsim3_full' has no NVDIMM: nvdimm.present must be false; 'dramsim3' supports one"});
  }
  if (!config.dram.refresh) {
    errors.push_back({"dram.refresh", "must be true: dramsim3_full always refreshes"});
  }
  if (config.controller.page_policy != ControllerParameters().page_policy) {
    errors.push_back(
        {"controller.page_policy", "must be 'open_page': dramsim3_full keeps rows open"});
  }
  if (config.dram.register_delay > 0) {
    errors.push_back({"dram.register_delay", "must be 0: dramsim3_full has no registered DIMMs"});
  }
  if (config.dram.refresh_postpone > 0) {
    errors.push_back({"dram.refresh_postpone", "must be 0: dramsim3_full moves no refreshes"});
  }
  if (config.dram.refresh_pull_in > 0) {
    errors.push_back({"dram.refresh_pull_in", "must be 0: dramsim3_full moves no refreshes"});
  }
  return errors;
}

#ifdef HMSIM_DRAMSIM3
constexpr bool kDramsim3 = true;

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
constexpr bool kDramsim3 = false;

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
  if (const CommandProtocol* const protocol = config.dram.standard->protocol) {
    DramDevices devices;
    devices.slots = std::make_unique<CommandSlots>(config.dram, *protocol);
    devices.banks = std::make_unique<PolledBanks>(config.dram, *timing, pool, devices.slots.get());
    devices.timing = std::move(timing);
    return devices;
  }
  auto banks = std::make_unique<NativeBanks>(config.dram, *timing, pool);
  TimingEngine* const native_timing = timing.get();
  NativeBanks* const native_banks = banks.get();
  return {std::move(timing), std::move(banks), nullptr, native_timing, native_banks};
}

const std::array<DramBackend, 3> kDramBackends{{
    {"native", true, no_errors, native_devices, own_controller},
    {"dramsim3", kDramsim3, device_errors, dramsim3_devices, own_controller},
    {"dramsim3_full", kDramsim3, whole_errors, nullptr, dramsim3_channel},
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
