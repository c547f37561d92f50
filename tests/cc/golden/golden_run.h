// SPDX-License-Identifier: BSD-3-Clause
// One golden run: a simulation of fixed length, all that it does put into digests, and some of its
// statistics in plain numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "simulation/simulation.h"
#include "tests/cc/golden/cases.h"

namespace hmsim::testing {

// What a run is compared by: names, and values as they stand in the file.
using GoldenValues = std::vector<std::pair<std::string, std::string>>;

// A hash of a sequence of numbers.
class Digest {
 public:
  void add(std::uint64_t number) {
    hash_ = mix64(hash_ ^ number);
    ++count_;
  }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(double number);  // its bits
  void add(const std::string& text);
  void add(const Statistic& statistic);

  std::string text(std::uint64_t count) const;  // of so many things

 private:
  std::uint64_t hash_ = 0;
  std::uint64_t count_ = 0;
};

class GoldenRun {
 public:
  GoldenRun(const GoldenCase& golden, Tick length);
  // Goes on where another one is, from a checkpoint.
  GoldenRun(GoldenRun& before, const GoldenCase& golden);

  void first_half();
  void second_half();
  GoldenValues values();
  std::string save() { return simulation_->save(); }

 private:
  // Of what a simulation does not keep when it is saved.
  struct Seen {
    Digest commands;
    std::uint64_t command_count = 0;
    Digest module_stages;
    std::uint64_t module_stage_count = 0;
    Digest completions;
    std::uint64_t completion_count = 0;
    Digest lost_statistics;  // of memories whose power failed
    std::uint64_t power_failures = 0;
  };

  void requests_by_hand(int bursts);
  void burst();
  void power_failure();
  void watch();  // takes what the logs hold

  Tick length_;
  std::unique_ptr<Simulation> simulation_;
  bool by_hand_;
  Random random_{17};  // requests by hand
  Seen seen_;
};

}  // namespace hmsim::testing
