// SPDX-License-Identifier: BSD-3-Clause
// Statistics of a memory system: its channels, NVDIMMs, host queue and ports.
#include "controller/accounts/channel_statistics.h"
#include "controller/hbf/hbf_channel.h"
#include "controller/hbf/hbf_ftl.h"
#include "controller/memory_system.h"
#include "controller/port/cxl_port.h"
#include "controller/port/port_statistics.h"
#include "nvdimm/design.h"

namespace hmsim {

namespace {

constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

}  // namespace

void MemorySystem::register_statistics(StatisticRegistry& registry) {
  std::vector<MemoryChannel*> channels;
  for (const auto& channel : channels_) {
    channels.push_back(channel.get());
  }
  const auto on_bus = static_cast<std::int64_t>(channels_.size() - ports_.size() - hbf_.size());
  register_channel_statistics(registry, channels, config_.all_channels(), on_bus);
  if (config_.nvdimm.present) {
    registry.counter("nvdimm.flushes", "requests", "flushes completed", {&flushes_.flushes()});
    registry.histogram("nvdimm.flush_latency_ns", "ns",
                       "flush, from its arrival at the controller to its ack by all NVDIMMs",
                       kPicosecondsPerNanosecond, {&flushes_.latency()});
    if (hbf_.empty()) {
      register_nvdimm_statistics(registry);
    } else {
      std::vector<HbfFtl*> ftls;
      for (const auto& ftl : ftls_) {
        ftls.push_back(ftl.get());
      }
      register_hbf_channel_statistics(registry, hbf_);
      register_hbf_ftl_statistics(registry, ftls, hbf_);
    }
  }
  if (host_ != nullptr) {
    host_->register_statistics(registry);
  }
  if (!ports_.empty()) {
    register_port_statistics(registry, {"cxl.", "nvdimm.latency."}, ports_);
    register_load_statistics(registry, ports_);
  }
  if (!expanders_.empty()) {
    register_port_statistics(registry, {"expander.", "dram.latency."}, expanders_);
  }
}

// Registers statistics over all NVDIMMs; with several per channel, also over those with the same
// number.
void MemorySystem::register_nvdimm_statistics(StatisticRegistry& registry) {
  const NvdimmDesign& first = design_of(config_.nvdimm.kind);
  NvdimmModules alike;   // same design as the first
  NvdimmModules others;  // the other design
  std::vector<NvdimmModules> by_number(static_cast<std::size_t>(config_.population.count));
  for (const auto& channel : channels_) {
    const NvdimmModules modules = channel->nvdimms();
    for (std::size_t number = 0; number < modules.size(); ++number) {
      const bool like = &design_of(modules[number]->parameters().kind) == &first;
      (like ? alike : others).push_back(modules[number]);
      by_number[number].push_back(modules[number]);
    }
  }
  first.register_statistics(registry, alike);
  if (!others.empty()) {
    const NvdimmDesign& design = design_of(others.front()->parameters().kind);
    const StatisticRegistry::Scope apart(registry, "nvdimm.power.", "nvdimm.unlike.power.");
    design.register_statistics(registry, others);
  }
  for (std::size_t number = 0; by_number.size() > 1 && number < by_number.size(); ++number) {
    const StatisticRegistry::Scope own(registry, "nvdimm.",
                                       "nvdimm.device" + std::to_string(number) + ".");
    const NvdimmModules& modules = by_number[number];
    design_of(modules.front()->parameters().kind).register_statistics(registry, modules);
  }
}

}  // namespace hmsim
