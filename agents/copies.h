// SPDX-License-Identifier: BSD-3-Clause
// Rate mode: an agent that is one of several copies.
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
  // Where this copy's equal part of a memory begins: bytes, in whole pages.
  std::uint64_t offset(Bytes capacity) const;
};

}  // namespace hmsim
