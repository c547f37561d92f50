// SPDX-License-Identifier: BSD-3-Clause
// Rate mode: an agent is one of several equal copies.
#pragma once

#include <cstdint>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

struct Copies {
  std::int64_t copies = 1;
  std::int64_t copy = 0;

  void declare(ParameterSet& parameters);
  std::vector<ParameterError> check() const;
  // Returns the byte offset, in whole pages, of this copy's equal share of a memory.
  std::uint64_t offset(Bytes capacity) const;
};

}  // namespace hmsim
