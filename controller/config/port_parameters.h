// SPDX-License-Identifier: BSD-3-Clause
// Attachment of the NVDIMM, and the link of a CXL port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

enum class Attachment : std::uint8_t { ddr, cxl, hbf };
enum class FlitSize : std::uint8_t { of_68, of_256 };

// One direction of a link.
struct LaneParameters {
  std::int64_t rate = 32'000'000'000;  // bits per second of a lane
  Tick latency{35'000};                // from the end of a flit to its arrival

  struct Texts {
    const char* rate;
    const char* latency;
  };
  void declare(ParameterSet& parameters, const char* scope, Texts texts);
};

// Numbers of requests in the device from which its load level rises.
struct LoadThresholds {
  std::int64_t optimal = 16;
  std::int64_t moderate = 64;
  std::int64_t severe = 96;
};

struct PortParameters {
  Attachment attach = Attachment::ddr;
  LaneParameters down;  // host to device
  LaneParameters up;
  std::int64_t lanes = 8;
  FlitSize flit = FlitSize::of_68;
  std::int64_t messages_per_header = 1;
  std::int64_t credits = 64;
  LoadThresholds load;

  void declare(ParameterSet& parameters);       // nvdimm.attach, and the rest under "cxl."
  void declare_link(ParameterSet& parameters);  // in the caller's scope
  std::vector<ParameterError> check() const;
  // Returns the errors of a link whose names begin with `scope`.
  std::vector<ParameterError> check_link(const std::string& scope) const;

  bool is_cxl() const { return attach == Attachment::cxl; }
  bool is_hbf() const { return attach == Attachment::hbf; }
  bool on_bus() const { return attach == Attachment::ddr; }
};

// DRAM channels behind CXL ports: the last ones of a memory system.
struct ExpanderParameters {
  std::int64_t channels = 0;
  PortParameters link;

  void declare(ParameterSet& parameters);  // under "expander."
  std::vector<ParameterError> check(std::int64_t all_channels) const;
};

}  // namespace hmsim
