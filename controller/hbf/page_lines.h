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

}  // namespace hmsim
