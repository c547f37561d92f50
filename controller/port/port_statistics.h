// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "core/statistics.h"

namespace hmsim {

class CxlPort;

// Beginnings of the statistics' names: of the link, and of the parts of a request's latency.
struct PortPaths {
  std::string link;
  std::string latency;
};

// Registers the statistics of all ports together.
void register_port_statistics(StatisticRegistry& registry, const PortPaths& paths,
                              const std::vector<CxlPort*>& ports);
// Registers the load levels that answers of the ports carried.
void register_load_statistics(StatisticRegistry& registry, const std::vector<CxlPort*>& ports);

}  // namespace hmsim
