// SPDX-License-Identifier: BSD-3-Clause
// A core on which jobs run, as these want it.
#pragma once

#include <cstdint>

namespace hmsim {

struct JobCore {
  std::int64_t number = 0;
  double base_cpi = 0;  // CoreParameters::base_cpi
};

}  // namespace hmsim
