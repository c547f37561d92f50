// SPDX-License-Identifier: BSD-3-Clause
// Makes the channels of a memory system. It alone knows the interfaces of slow memories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/channel/memory_channel.h"
#include "controller/config/system_config.h"
#include "controller/host_ftl/host_path.h"

namespace hmsim {

class CxlPort;

class ChannelSet {
 public:
  // Makes the next channel. `config`: the channel's own. `path` takes requests of a host's FTL.
  MemoryChannel& add(const SystemConfig& config, HostPath& path, std::uint64_t seed);

  const std::vector<std::unique_ptr<MemoryChannel>>& all() const { return all_; }
  std::size_t size() const { return all_.size(); }
  MemoryChannel& operator[](std::size_t index) const { return *all_[index]; }
  const std::vector<CxlPort*>& ports() const { return ports_; }          // to NVDIMMs
  const std::vector<CxlPort*>& expanders() const { return expanders_; }  // to DRAM

 private:
  std::vector<std::unique_ptr<MemoryChannel>> all_;
  std::vector<CxlPort*> ports_;
  std::vector<CxlPort*> expanders_;
};

}  // namespace hmsim
