// SPDX-License-Identifier: BSD-3-Clause
// Parameters of the host queue.
#pragma once

#include <cstdint>
#include <string>

#include "core/parameters.h"

namespace hmsim {

enum class HostQueueing : std::uint8_t { none, shared, divided };
enum class HostOrder : std::uint8_t { fifo, any };
enum class WriteHolds : std::uint8_t { accept, done };

struct HostParameters {
  HostQueueing queue = HostQueueing::none;
  std::int64_t entries = 64;       // shared: of both tiers; divided: of the fast one
  std::int64_t slow_entries = 64;  // divided
  HostOrder order = HostOrder::any;
  WriteHolds write_holds = WriteHolds::accept;
  std::string limiter = "unlimited";

  void declare(ParameterSet& parameters);  // under "host."

  bool present() const { return queue != HostQueueing::none; }
};

}  // namespace hmsim
