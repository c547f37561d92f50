// SPDX-License-Identifier: BSD-3-Clause
// A memory system with small NVDIMMs.
#pragma once

#include <cstdint>

#include "controller/memory_system.h"
#include "tests/cc/assignments.h"
#include "tests/cc/controller/harness.h"
#include "tests/cc/controller/random_traffic.h"

namespace hmsim::testing {

constexpr std::uint64_t kSeed = 5;

// Flash with earlier writes.
inline const Assignments kWritten = keys_from(
    "controller.channels=2 nvdimm.precondition.fill=0.5 nvdimm.precondition.overwrite=0.5");

struct Memory {
  explicit Memory(const Assignments& more, std::int64_t nodes = 1)
      : memory(config_of(more, nodes), kernel, kSeed) {}
  static SystemConfig config_of(const Assignments& more, std::int64_t nodes = 1) {
    SystemConfig config = make_config(with(kSmallNvdimm, more));
    config.nodes = nodes;
    return config;
  }

  Kernel kernel;
  MemorySystem memory;
};

}  // namespace hmsim::testing
