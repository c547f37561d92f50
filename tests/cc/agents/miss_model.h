// SPDX-License-Identifier: BSD-3-Clause
// Parts of the oracle of cores with caches: instructions as ChampSim stores them, and an L3's
// misses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/cc/agents/cache_model.h"
#include "tests/cc/agents/harness.h"
#include "traces/trace_formats.h"

namespace hmsim::testing {

// Returns a record in ChampSim's format.
inline std::string champsim_record(const Instruction& instruction, bool branch = false) {
  std::string text =
      little_endian(instruction.ip, 8) + little_endian(branch ? 1 : 0, 1) + little_endian(0, 1);
  for (const std::uint8_t r : instruction.destinations) {
    text += static_cast<char>(r);
  }
  for (const std::uint8_t r : instruction.sources) {
    text += static_cast<char>(r);
  }
  for (const std::uint64_t address : instruction.stores) {
    text += little_endian(address, 8);
  }
  for (const std::uint64_t address : instruction.loads) {
    text += little_endian(address, 8);
  }
  return text;
}

struct CoreShape {
  std::int64_t frequency = 2'000'000'000;
  std::int64_t width = 4;
  std::int64_t window = 128;
};

class InstructionModel;

// Misses of an L3. Several cores may share `content`.
struct MissModel {
  struct Miss {
    bool requested = false;
    std::vector<std::pair<InstructionModel*, std::size_t>> fills = {};
  };

  explicit MissModel(const CacheLevelParameters& level)
      : content(std::make_shared<LastLevelModel>(level)), free(level.mshrs) {}

  bool may_take(InstructionModel* core) {
    if (free > 0 && (line.empty() || line.front() == core)) {
      return true;
    }
    if (std::find(line.begin(), line.end(), core) == line.end()) {
      line.push_back(core);
    }
    return false;
  }

  std::shared_ptr<LastLevelModel> content;
  std::int64_t free;
  std::deque<InstructionModel*> line;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Miss> misses;  // by space and line
};

}  // namespace hmsim::testing
