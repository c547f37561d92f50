// SPDX-License-Identifier: BSD-3-Clause
// One golden run: a simulation of fixed length, digests of its commands, a check of each statistic,
// and some statistics as plain numbers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/random.h"
#include "simulation/simulation.h"
#include "tests/cc/golden/cases.h"

namespace hmsim::testing {

// Names, and values as the file shows them.
using GoldenValues = std::vector<std::pair<std::string, std::string>>;

// By path: four hexadecimal digits of a hash of a statistic's value.
using StatisticChecks = std::map<std::string, std::string>;

// All compared results of a run.
struct GoldenResult {
  GoldenValues values;
  StatisticChecks statistics;
};

// A hash of a sequence of numbers.
class Digest {
 public:
  void add(std::uint64_t number) { hash_ = mix64(hash_ ^ number); }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(double number);  // its bits
  void add(const std::string& text);

  std::uint64_t hash() const { return hash_; }

 private:
  std::uint64_t hash_ = 0;
};

// Hashes of many items in any order. The partition of a run decides which of two channels'
// simultaneous commands is reported first.
struct Tally {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;  // of hashes

  void add(const Digest& thing) {
    ++count;
    sum += thing.hash();
  }
  std::string text() const;
};

// A run of kParts parts.
class GoldenRun {
 public:
  static constexpr int kParts = 6;

  GoldenRun(const GoldenCase& golden, Tick length);
  // Continues another run from a checkpoint.
  GoldenRun(GoldenRun& before, const GoldenCase& golden);

  void do_part();  // runs the next part
  GoldenResult result();
  std::string save() { return simulation_->save(); }
  void load(const std::string& checkpoint) { simulation_->load(checkpoint); }
  // Continues outside the parts for at most `steps` kernel steps.
  void run_on(Tick time, std::uint64_t steps);

 private:
  // Data that a simulation does not keep when it is saved.
  struct Seen {
    Tally commands;
    Tally module_stages;
    Tally completions;
    std::map<std::string, Digest> lost_statistics;  // by path; of memories that lost power
  };

  void requests_by_hand();
  void burst();
  void power_fails();
  void power_returns();
  void watch();  // collects the contents of the logs

  Tick length_;
  int part_ = 0;  // completed so far
  std::unique_ptr<Simulation> simulation_;
  bool by_hand_;
  Random random_{17};  // requests by hand
  Seen seen_;
};

}  // namespace hmsim::testing
