// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace hmsim {

// Features of a channel beyond completions, acks, refresh, admission, selection and issue. Passed
// as a template constant or constant argument so that channels without these features pay nothing.
// `any` is correct for every channel.
enum class Features : std::uint8_t {
  none,
  keys,  // schedulers whose keys change, and starvation limits
  // Keys, two-level queues, drained writes, posted writes, NVDIMM requests of several lines,
  // elastic refresh, page policies, power modes or an external timing model.
  any,
};

}  // namespace hmsim
