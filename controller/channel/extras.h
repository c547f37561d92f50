// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace hmsim {

// What the edges of a channel have beyond completions, acks, refresh, admission, selection and
// issue. Functions take it as a constant where they can, so that a plain channel does not ask for
// what it has not; `any` is always right.
enum class Extras : std::uint8_t {
  none,
  keys,  // schedulers whose keys change, and limits of waiting
  any,   // any of these, and two-level queues, drained writes, posted writes, elastic refresh, page
         // policies, power modes or a foreign timing model
};

}  // namespace hmsim
