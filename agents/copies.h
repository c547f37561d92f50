// SPDX-License-Identifier: BSD-3-Clause
// Rate mode: an agent is one of several equal copies.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

struct Copies {
  std::int64_t copies = 1;
  std::int64_t copy = 0;

  void declare(ParameterSet& parameters) {
    parameters.integer("copies", copies, {1, 256}, "agents",
                       {"rate mode: number of equal agents, on cores of ascending numbers; each "
                        "places its addresses in an equal part of both memories",
                        "a modelling choice of hmsim"});
    parameters.integer(
        "copy_number", copy, {0, 255}, "",
        {"index of this copy; set when a workload is read", "a modelling choice of hmsim"});
  }

  std::vector<ParameterError> check() const {
    if (copy < copies) {
      return {};
    }
    return {{"copy_number", "must be below copies, " + std::to_string(copies)}};
  }

  // Returns the byte offset, in whole pages, of this copy's equal share of a memory.
  std::uint64_t offset(Bytes capacity) const {
    const std::int64_t pages = capacity / kPageBytes;
    return static_cast<std::uint64_t>(pages / copies * copy * kPageBytes.value());
  }
};

}  // namespace hmsim
