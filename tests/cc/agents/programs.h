// SPDX-License-Identifier: BSD-3-Clause
// Programs for cores with caches, and small caches to run them on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/cc/agents/instruction_model.h"

namespace hmsim::testing {

inline Instruction load(std::uint64_t address, std::uint8_t to = 0, std::uint8_t from = 0) {
  Instruction made;
  made.ip = 0x400000;
  made.loads[0] = address;
  made.destinations[0] = to;
  made.sources[0] = from;
  return made;
}

inline Instruction store(std::uint64_t address) {
  Instruction made;
  made.ip = 0x400100;
  made.stores[0] = address;
  return made;
}

inline Instruction plain(std::uint8_t to = 0, std::uint8_t from = 0) {
  Instruction made;
  made.ip = 0x400200;
  made.destinations[0] = to;
  made.sources[0] = from;
  return made;
}

inline std::string text_of(const std::vector<Instruction>& program) {
  std::string text;
  for (const Instruction& instruction : program) {
    text += champsim_record(instruction);
  }
  return text;
}

inline CacheParameters small_caches(std::int64_t mshrs) {
  CacheParameters parameters;
  const std::int64_t sizes[] = {512, 1'024, 4'096};
  const std::int64_t ways[] = {2, 2, 4};
  const std::int64_t latencies[] = {2, 3, 7};
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    parameters.levels[i] = {Bytes(sizes[i]), ways[i], latencies[i], mshrs};
  }
  return parameters;
}

inline Assignments keys_of(const CoreShape& shape, const CacheParameters& caches) {
  Assignments keys{{"path", "t"},
                   {"format", "champsim"},
                   {"frequency", std::to_string(shape.frequency) + "Hz"},
                   {"width", std::to_string(shape.width)},
                   {"window", std::to_string(shape.window)}};
  for (std::size_t i = 0; i < kCacheLevels; ++i) {
    const std::string level = "l" + std::to_string(i + 1) + ".";
    const CacheLevelParameters& values = caches.levels[i];
    keys.emplace_back(level + "size", std::to_string(values.size.value()) + "B");
    keys.emplace_back(level + "ways", std::to_string(values.ways));
    keys.emplace_back(level + "latency", std::to_string(values.latency));
    keys.emplace_back(level + "mshrs", std::to_string(values.mshrs));
  }
  return keys;
}

inline Tick latency_of(std::uint64_t address) {
  return Tick(static_cast<std::int64_t>(mix64(address) % 200'000) + 1'000);
}

inline FakePort::Latency memory_latency() {
  return [](const Request& request) {
    return request.write ? kMicrosecond
                         : latency_of(static_cast<std::uint64_t>(request.address.value()));
  };
}

// `chained`: loads and registers depend on each other.
inline std::vector<Instruction> random_program(Random& random, int length, bool chained) {
  std::vector<Instruction> program;
  for (int i = 0; i < length; ++i) {
    Instruction made;
    made.ip = random.below(20);
    const auto address = [&random] { return 64 * (random.below(150) + 1) + random.below(64); };
    for (std::size_t k = 0; random.below(3) == 0 && k < kMostLoads; ++k) {
      made.loads[k] = address();
    }
    for (std::size_t k = 0; random.below(6) == 0 && k < kMostStores; ++k) {
      made.stores[k] = address();
    }
    for (std::size_t k = 0; chained && k < 2 && random.below(2) == 0; ++k) {
      made.sources[k] = static_cast<std::uint8_t>(30 + random.below(12));
    }
    if (chained && random.below(2) == 0) {
      made.destinations[0] = static_cast<std::uint8_t>(30 + random.below(12));
    }
    program.push_back(made);
  }
  return program;
}

}  // namespace hmsim::testing
