// SPDX-License-Identifier: BSD-3-Clause
// DRAM standards by name.
#pragma once

#include <stdexcept>
#include <string>

#include "dram/standard.h"

namespace hmsim::testing {

inline const DramStandardDescriptor& standard(const std::string& name) {
  for (const DramStandardDescriptor* known : kDramStandardTable) {
    if (name == known->name) {
      return *known;
    }
  }
  throw std::invalid_argument("no DRAM standard is called " + name);
}

}  // namespace hmsim::testing
