// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "core/statistics.h"

namespace hmsim {

class CxlPort;

// Registers the statistics of all ports together.
void register_port_statistics(StatisticRegistry& registry, const std::vector<CxlPort*>& ports);

}  // namespace hmsim
