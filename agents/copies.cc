// SPDX-License-Identifier: BSD-3-Clause
#include "agents/copies.h"

#include <string>

namespace hmsim {

void Copies::declare(ParameterSet& parameters) {
  parameters.integer("copies", copies, {1, 256}, "agents",
                     {"rate mode: so many agents like it, on cores of ascending numbers, each with "
                      "an equal part of both memories to begin its addresses at",
                      "a modelling choice of hmsim"});
  parameters.integer(
      "copy_number", copy, {0, 255}, "",
      {"which of the copies it is; reading a workload gives it", "a modelling choice of hmsim"});
}

std::vector<ParameterError> Copies::check() const {
  if (copy < copies) {
    return {};
  }
  return {{"copy_number", "must be below copies, " + std::to_string(copies)}};
}

std::uint64_t Copies::offset(Bytes capacity) const {
  const std::int64_t pages = capacity / kPageBytes;
  return static_cast<std::uint64_t>(pages / copies * copy * kPageBytes.value());
}

}  // namespace hmsim
