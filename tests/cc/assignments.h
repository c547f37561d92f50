// SPDX-License-Identifier: BSD-3-Clause
// Assignments with more of them.
#pragma once

#include "core/parameters.h"

namespace hmsim::testing {

inline Assignments with(Assignments base, const Assignments& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

}  // namespace hmsim::testing
