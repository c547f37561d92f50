// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer's entry to the target for saved states (HMSIM_FUZZED: checkpoint or preconditioned).
#include <string_view>

#include "tests/fuzz/state_target.h"

#ifndef HMSIM_FUZZED
#define HMSIM_FUZZED "checkpoint"  // The build defines it; linters read this file without it.
#endif

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kSteps = 3'000;
  static hmsim::StateTarget target(std::string_view(HMSIM_FUZZED) == "preconditioned"
                                       ? hmsim::StateKind::preconditioned
                                       : hmsim::StateKind::checkpoint,
                                   kSteps);
  target.try_input(data, size);
  return 0;
}
