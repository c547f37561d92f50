// SPDX-License-Identifier: BSD-3-Clause
#include "controller/channel_set.h"

#include <utility>

#include "controller/channel/dram_backend.h"
#include "controller/hbf/hbf_channel.h"
#include "controller/host_ftl/hbf_ftl.h"
#include "controller/port/cxl_port.h"

namespace hmsim {

MemoryChannel& ChannelSet::add(const SystemConfig& config, HostPath& path, std::uint64_t seed) {
  const auto index = static_cast<int>(all_.size());
  const std::int64_t channel = index % config.controller.channels;
  const std::uint64_t own_seed = seed + static_cast<std::uint64_t>(channel);
  std::unique_ptr<MemoryChannel> made;
  const auto put_behind = [&](const PortParameters& link, std::vector<CxlPort*>& ports) {
    auto port = std::make_unique<CxlPort>(link, std::move(made), config.store_data);
    ports.push_back(port.get());
    made = std::move(port);
  };
  if (config.port.is_hbf() && config.nvdimm.present) {
    auto flash = std::make_unique<HbfChannel>(config, index, own_seed);
    if (config.nvdimm.hbf.ftl == HbfMapping::host) {
      made = std::make_unique<HbfFtl>(config, channel, std::move(flash), path, own_seed);
    } else {
      made = std::move(flash);
    }
  } else {
    made = dram_backend(config.dram_model.backend).make_channel(config, index, own_seed);
    if (config.port.is_cxl() && config.nvdimm.present) {
      put_behind(config.port, ports_);
    } else if (index < config.all_channels() && config.is_expander(channel)) {
      put_behind(config.expander.link, expanders_);
    }
  }
  all_.push_back(std::move(made));
  return *all_.back();
}

}  // namespace hmsim
