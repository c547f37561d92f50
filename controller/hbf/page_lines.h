// SPDX-License-Identifier: BSD-3-Clause
// The lines of a page that a request moves.
#pragma once

#include <cstdint>

#include "core/request.h"
#include "core/types.h"
#include "nvdimm/hbf/hbf_device.h"

namespace hmsim {

inline LineMask lines_of(const Request& request) {
  const auto line = static_cast<std::uint64_t>(request.address.value() / kLineBytes.value());
  return ~LineMask{0} >> (kLinesPerPage - request.lines) << (line % kLinesPerPage);
}

// Returns the byte of its page at which an address is.
inline std::int64_t offset_of(Address address) { return address.value() % kPageBytes.value(); }

// Calls see(line) with a copy of the request for each of its lines.
template <class See>
void each_line(const Request& request, See see) {
  Request line = request;
  for (std::int64_t i = 0; i < request.lines; ++i, line.address += Address(kLineBytes.value())) {
    see(line);
  }
}

}  // namespace hmsim
