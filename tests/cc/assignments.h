// SPDX-License-Identifier: BSD-3-Clause
// Lists of assignments.
#pragma once

#include <sstream>
#include <string>

#include "core/parameters.h"

namespace hmsim::testing {

// Returns the assignments of a text like "dram.ranks=2 dram.refresh=false".
inline Assignments keys_from(const std::string& text) {
  Assignments keys;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equal = word.find('=');
    keys.emplace_back(word.substr(0, equal), word.substr(equal + 1));
  }
  return keys;
}

inline Assignments with(Assignments base, const Assignments& more) {
  base.insert(base.end(), more.begin(), more.end());
  return base;
}

}  // namespace hmsim::testing
