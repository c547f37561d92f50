// SPDX-License-Identifier: BSD-3-Clause
// Values that a statistic combines from several parts, for instance from all channels.
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/types.h"

namespace hmsim {

// Returns pointers to what `select`, a member or a function, names in each part.
template <class Part, class Select>
auto members_of(const std::vector<Part*>& parts, Select select) {
  std::vector<std::remove_reference_t<std::invoke_result_t<Select&, Part&>>*> members;
  for (Part* part : parts) {
    members.push_back(&std::invoke(select, *part));
  }
  return members;
}

// Returns a function that adds up `read` of all parts, in their order.
template <class Part, class Read>
std::function<double()> sum_over(const std::vector<Part*>& parts, Read read) {
  return [parts, read] {
    double total = 0;
    for (Part* part : parts) {
      total += static_cast<double>(read(*part));
    }
    return total;
  };
}

// Returns a function that finds the largest `read` of all parts, at least 0.
template <class Part, class Read>
std::function<double()> largest_of(const std::vector<Part*>& parts, Read read) {
  return [parts, read] {
    double most = 0;
    for (Part* part : parts) {
      most = std::max(most, static_cast<double>(read(*part)));
    }
    return most;
  };
}

}  // namespace hmsim
