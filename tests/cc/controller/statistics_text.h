// SPDX-License-Identifier: BSD-3-Clause
// All statistics of a channel as a text that differs if any value differs.
#pragma once

#include <sstream>
#include <string>

#include "controller/channel/statistics_table.h"
#include "core/statistics.h"
#include "tests/cc/controller/harness.h"

namespace hmsim::testing {

inline std::string statistics_of(MemoryChannel& channel) {
  StatisticRegistry registry;
  register_channel_statistics(registry, {&channel}, 1, 1);
  std::ostringstream text;
  text.precision(17);
  for (const Statistic& each : registry.read()) {
    text << each.path << ' ' << each.value << ' ' << each.count << ' ' << each.present;
    for (const auto& [name, value] : each.summary) {
      text << ' ' << name << ' ' << value;
    }
    text << '\n';
  }
  return text.str();
}

inline std::string statistics_of(ChannelUnderTest& channel) {
  return statistics_of(channel.channel_);
}

}  // namespace hmsim::testing
