// SPDX-License-Identifier: BSD-3-Clause
#include "controller/config/system_config.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "controller/config/address_map.h"
#include "controller/config/backend_check.h"
#include "dram/standard.h"
#include "nvdimm/design.h"

namespace hmsim {

void SystemConfig::declare(ParameterSet& parameters) {
  host.declare(parameters);
  controller.declare(parameters);
  dram.declare(parameters);
  dram_model.declare(parameters);
  nvdimm.declare(parameters);
  population.declare(parameters);
  port.declare(parameters);
  expander.declare(parameters);
  nvdimm.hbf.declare(parameters);
  const ParameterSet::Scope scope(parameters, "system");
  parameters.boolean("store_data", store_data,
                     {"DRAM and NVDIMM store real bytes: reads return written data, and power "
                      "failures can be simulated",
                      ""});
}

void SystemConfig::resolve_presets() {
  dram_model.resolve(dram);
  if (port.is_hbf() && nvdimm.kind == NvdimmKind::flash) {
    nvdimm.kind = NvdimmKind::hbf;
    nvdimm.hbf.shape(nvdimm.nand);
  }
  nvdimm.hbf.resolve_outstanding();
  if (controller.nvdimm_queue_depth == kOfModule) {
    controller.nvdimm_queue_depth = default_queue_depth();
  }
  derive(nvdimm);
  if (controller.address_map == kDefaultMap) {
    controller.address_map = AddressMap::default_map(dram.organisation, dram.has_own_buses());
  }
}

// Returns enough entries to keep the LUNs of a channel busy, where an entry holds a page.
std::int64_t SystemConfig::default_queue_depth() const {
  constexpr std::int64_t kTable3 = 128;
  constexpr std::int64_t kMost = 4096;
  constexpr std::int64_t kOfLun = 16;
  if (port.is_hbf()) {
    return std::min(kMost, 2 * nvdimm.hbf.outstanding);  // reads and writes
  }
  if (!block_access()) {
    return kTable3;
  }
  std::int64_t luns = 0;
  for (const NvdimmParameters& module : nvdimms()) {
    luns += module.luns();
  }
  return std::clamp(kOfLun * luns, kTable3, kMost);
}

// Sets the values that a module derives from other parts of the configuration.
void SystemConfig::derive(NvdimmParameters& module) const {
  module.store_data = store_data;
  module.host_slots = transaction_slots();
  if (controller.posts_writes()) {
    module.posted_writes = module.kind == NvdimmKind::flash
                               ? controller.credits
                               : earlier(controller.credits, module.media.write_queue);
  }
  module.spared_writes = persistence == Persistence::controller ? nvdimm_slots() : 0;
  const DramTiming& timing = dram.timing;
  module.line_burst = timing.burst * dram.clock_period();
}

std::vector<NvdimmParameters> SystemConfig::modules(std::vector<ParameterError>& errors) const {
  if (!nvdimm.present) {
    return {};
  }
  std::vector<NvdimmParameters> all = population.modules(nvdimm, errors);
  for (std::size_t i = 1; i < all.size(); ++i) {
    derive(all[i]);
    all[i].precondition = preconditioned ? all[i].precondition : PreconditionParameters();
  }
  return all;
}

std::vector<NvdimmParameters> SystemConfig::nvdimms() const {
  std::vector<ParameterError> errors;
  return modules(errors);
}

std::vector<ParameterError> SystemConfig::check() const {
  std::vector<ParameterError> errors = dram.check();
  const auto add = [&errors](const char* name, const std::string& message) {
    if (!message.empty()) {
      errors.push_back({name, message});
    }
  };
  if (controller.channel_hash != ChannelHash::none &&
      !ChannelSplit(controller.channels).power_of_two()) {
    add("controller.channel_hash", "'xor' needs a power of two of controller.channels, not " +
                                       std::to_string(controller.channels) + ": must be 'none'");
  }
  if (controller.channel_hash != ChannelHash::none && AddressMasks::describe(*this)) {
    add("controller.channel_hash", "must be 'none' if controller.address_map is of masks");
  }
  add("controller.address_map", AddressMap::check(*this));
  if (controller.low_mark() >= controller.high_mark()) {
    add("controller.drain_low", "must be smaller than controller.drain_high: " +
                                    std::to_string(controller.high_mark()) + " entries");
  }
  if (controller.writes == WriteMode::drained && controller.high_mark() > controller.queue_depth) {
    add("controller.drain_high", "must not exceed controller.queue_depth, " +
                                     std::to_string(controller.queue_depth) +
                                     ": writes would fill the queue");
  }
  if (!controller.split() && port.on_bus() && controller.nvdimm_scheduler != controller.scheduler &&
      controller.nvdimm_scheduler != ControllerParameters().nvdimm_scheduler) {
    add("controller.nvdimm_scheduler",
        "needs controller.queues: split, because a unified queue has one scheduler");
  }
  if (controller.split() && controller.arbiter == "scheduler_order" &&
      controller.scheduler != controller.nvdimm_scheduler) {
    add("controller.arbiter",
        "'scheduler_order' compares keys of one scheduler: with controller.queues: split set "
        "oldest_first, dram_first or round_robin, or the same scheduler for both queues");
  }
  check_attachment(errors);
  for (const ParameterError& error : backend_errors(*this)) {
    errors.push_back(error);
  }
  if (dram.register_delay > 0 && dram.standard->protocol != nullptr) {
    add("dram.register_delay",
        std::string("must be 0: there are no registered DIMMs of ") + dram.standard->document);
  }
  if (nvdimm.present) {
    (port.on_bus() ? *this : nvdimm_channel()).check_nvdimms(errors);
  }
  return errors;
}

void SystemConfig::check_attachment(std::vector<ParameterError>& errors) const {
  const bool queue_each = controller.split() || host.queue == HostQueueing::shared;
  if (controller.bus == BusLayout::separate && !(queue_each && nvdimm.present)) {
    errors.push_back({"controller.bus",
                      "'private' needs controller.queues: split or host.queue: shared, and an "
                      "NVDIMM"});
  }
  if (host.present() && nodes > 1) {
    errors.push_back({"host.queue", "must be none with several nodes"});
  }
  if (!host.present() && host.limiter != "unlimited") {
    errors.push_back({"host.limiter", "must be unlimited with host.queue: none"});
  }
  for (const ParameterError& error : expander.check(controller.channels)) {
    errors.push_back(error);
  }
  if (!nvdimm.present) {
    return;
  }
  if (expander.channels > 0 && !separate_channels()) {
    errors.push_back({"expander.channels",
                      "needs channels without NVDIMMs: set nvdimm.attach: cxl, controller.bus: "
                      "private or nvdimm.present: false; nearest: 0"});
  }
  if ((nvdimm.kind == NvdimmKind::hbf) != port.is_hbf()) {
    errors.push_back({"nvdimm.kind", port.is_hbf()
                                         ? "must be flash with nvdimm.attach: hbf"
                                         : "'hbf' needs nvdimm.attach: hbf; nearest: flash"});
    return;
  }
  check_access(errors);
  if (port.is_hbf()) {
    check_hbf(errors);
    return;
  }
  if (!port.is_cxl()) {
    if (dram.standard->protocol != nullptr) {
      errors.push_back({"nvdimm.present",
                        std::string("must be false: NVDIMMs are not supported on a channel of ") +
                            dram.standard->document + "; or set nvdimm.attach: cxl"});
    }
    return;
  }
  for (const ParameterError& error : port.check()) {
    errors.push_back(error);
  }
  if (controller.posts_writes()) {
    errors.push_back(
        {"controller.ack", "must not be nvdimm_p with nvdimm.attach: cxl, which has no acks"});
  }
}

namespace {

// Returns whether all NVDIMMs of a channel have frames of whole pages.
bool takes_pages(const std::vector<NvdimmParameters>& modules) {
  return std::all_of(modules.begin(), modules.end(), [](const NvdimmParameters& module) {
    return has_flash(module.kind) && module.buffer.granularity == BufferGranularity::page;
  });
}

}  // namespace

bool SystemConfig::block_access() const {
  if (nvdimm.access == NvdimmAccess::automatic) {
    return nvdimm.present && port.on_bus() && !controller.posts_writes() && takes_pages(nvdimms());
  }
  return nvdimm.present && nvdimm.access == NvdimmAccess::block;
}

void SystemConfig::check_access(std::vector<ParameterError>& errors) const {
  if (nvdimm.access != NvdimmAccess::block) {
    return;
  }
  constexpr const char* kAccess = "nvdimm.access";
  if (!port.on_bus()) {
    errors.push_back({kAccess, port.is_cxl() ? "must be line with nvdimm.attach: cxl: a CXL.mem "
                                               "request is one line"
                                             : "must be line with nvdimm.attach: hbf, which "
                                               "always takes pages"});
  } else if (controller.posts_writes()) {
    errors.push_back({kAccess,
                      "'block' needs controller.ack: grant or auto, because a credit of "
                      "nvdimm_p stands for one line; nearest: line"});
  }
  if (!takes_pages(nvdimms())) {
    errors.push_back({kAccess,
                      "'block' needs NVDIMMs of flash with nvdimm.buffer.granularity: "
                      "page; nearest: line"});
  }
}

void SystemConfig::check_hbf(std::vector<ParameterError>& errors) const {
  const auto need = [&errors](bool holds, const char* name, const std::string& message) {
    if (!holds) {
      errors.push_back({name, message});
    }
  };
  constexpr std::string_view kStacked = "hbm";
  need(std::string_view(dram.standard->name).substr(0, kStacked.size()) == kStacked,
       "nvdimm.attach",
       std::string("'hbf' needs a channel of HBM, not of ") + dram.standard->document +
           ": set dram.preset: hbm3_6400_4h_2gb_x32");
  need(nodes == 1, "nvdimm.attach", "'hbf' does not work with several nodes; nearest: ddr");
  need(population.count == 1, "nvdimm.count", "must be 1 with nvdimm.attach: hbf");
}

namespace {

// With acks in order of commands, ready commands keep their frames until older ones are ready. Each
// command may need a frame.
void check_acks(const NvdimmParameters& module, std::int64_t commands,
                std::vector<ParameterError>& errors) {
  if (module.kind != NvdimmKind::flash || module.ack_order != AckOrder::command) {
    return;
  }
  const BufferParameters& buffer = module.buffer;
  for (const auto& [name, size] : {std::pair("nvdimm.buffer.read_size", buffer.read_size),
                                   std::pair("nvdimm.buffer.write_size", buffer.write_size)}) {
    if (buffer.frames(size) < commands) {
      const Bytes least = commands * (kPageBytes / buffer.frames(kPageBytes));
      errors.push_back({name, "must be at least " + std::to_string(least.value()) +
                                  "B with nvdimm.ack_order: command: a frame for each of the " +
                                  std::to_string(commands) + " commands the host may send"});
    }
  }
}

}  // namespace

void SystemConfig::check_nvdimms(std::vector<ParameterError>& errors) const {
  const std::size_t before = errors.size();
  const std::vector<NvdimmParameters> all = modules(errors);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<ParameterError> wrong = all[i].check();
    const std::int64_t commands = nvdimm_slots() + all[i].posted_writes;
    if (all[i].command_queue != kAsHost && commands > all[i].command_queue &&
        all[i].kind != NvdimmKind::hbf) {
      wrong.push_back({"nvdimm.command_queue", "must be at least the " + std::to_string(commands) +
                                                   " commands the host may send"});
    }
    check_acks(all[i], commands, wrong);
    for (const ParameterError& error : wrong) {
      const bool first = i == 0 || population.devices.empty();
      errors.push_back(first ? error
                             : ParameterError{"nvdimm.devices", "device " + std::to_string(i) +
                                                                    ": " + error.name + ": " +
                                                                    error.message});
    }
    if (population.devices.empty()) {
      break;  // all are alike
    }
  }
  if (errors.size() == before) {
    check_interleave(population, all, errors);
  }
}

std::int64_t SystemConfig::command_slots(MemoryClass memory) const {
  const bool two_level = controller.structure == QueueStructure::two_level;
  return two_level ? controller.command_entries(memory) / kEntriesPerTransaction : 0;
}

std::int64_t SystemConfig::transaction_slots() const {
  return controller.slots() + dram.ranks * command_slots(MemoryClass::dram) +
         population.count * command_slots(MemoryClass::nvdimm);
}

std::int64_t SystemConfig::nvdimm_slots() const {
  return controller.slots_for_nvdimm() + population.count * command_slots(MemoryClass::nvdimm);
}

std::int64_t SystemConfig::outstanding_limit() const {
  return controller.outstanding == kWholeQueue ? nvdimm_slots()
                                               : std::min(controller.outstanding, nvdimm_slots());
}

// Returns the configuration of a channel that has only NVDIMMs. Behind a link, its transaction
// queue is the NVDIMM's and its timings do not depend on the host's DRAM. The controller of a CXL
// device takes one command and one line in a cycle of its clock.
SystemConfig SystemConfig::nvdimm_channel() const {
  SystemConfig alone = *this;
  if (!port.on_bus()) {
    alone.controller.queues = QueueLayout::split;
    alone.controller.arbiter = "oldest_first";
    alone.controller.ack = AckMode::automatic;
    alone.controller.ack_slots = 0;
    alone.controller.structure = QueueStructure::flat;
    alone.controller.writes = WriteMode::mixed;
    alone.controller.address_map = kDefaultMap;
    alone.dram_model = DramModelParameters();
    alone.dram = DramParameters();
    alone.resolve_presets();
    DramTiming& timing = alone.dram.timing;
    timing.burst = timing.cl = timing.cwl = 1;
    timing.trtrs = timing.twtr = 0;
  }
  alone.dram.refresh = false;  // its DRAM is not used
  return alone;
}

std::vector<SystemConfig> SystemConfig::channel_configs() const {
  std::vector<SystemConfig> configs(static_cast<std::size_t>(all_channels()), *this);
  if (separate_channels()) {
    for (SystemConfig& config : configs) {
      config.nvdimm.present = false;
    }
    configs.resize(2 * configs.size(), nvdimm_channel());
  }
  return configs;
}

Bytes SystemConfig::nvdimm_capacity() const {
  Bytes sum(0);
  for (const NvdimmParameters& module : nvdimms()) {
    sum += logical_pages(module) * kPageBytes;
  }
  return sum * all_channels();
}

}  // namespace hmsim
