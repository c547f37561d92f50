// SPDX-License-Identifier: BSD-3-Clause
// A file of golden results. Under each run's name it lists the run's values, one per line,
// "  NAME: VALUE". The value "statistics" holds the checks in the order of the names in
// statistics.txt, which all files share. "-N" skips N names of statistics that the run does not
// have. Paths that differ in one number share a name, "dram.rank.*.energy_j"; its checks are
// separated by commas, from number 0.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/cc/golden/golden_run.h"

namespace hmsim::testing {

// Locks the folder of the golden files while it exists, so that shards of the tests can renew one
// file. A process has one object at a time.
class GoldenFile {
 public:
  // Waits for its turn, then reads the file of a group. Tests run in the root of the repository.
  explicit GoldenFile(const std::string& group);
  ~GoldenFile();
  GoldenFile(const GoldenFile&) = delete;
  GoldenFile& operator=(const GoldenFile&) = delete;

  const std::string& path() const { return path_; }
  bool found() const { return found_; }
  const std::map<std::string, GoldenResult>& runs() const { return runs_; }
  // The lines of statistics.txt. A line is empty where a statistic left.
  const std::vector<std::string>& names() const { return names_; }

  // Replaces a run's result and writes the file with exactly the runs of these names, in this
  // order. A new statistic's name takes an empty line of statistics.txt, or a line at the end.
  void renew(const std::string& run, const GoldenResult& result,
             const std::vector<std::string>& order);

 private:
  int folder_;  // open and locked
  std::string path_;
  bool found_ = false;
  std::vector<std::string> names_;
  std::map<std::string, GoldenResult> runs_;
};

// Returns the name of a statistic's path in statistics.txt.
std::string name_of(const std::string& path);

// Returns one line, "NAME: was VALUE, is VALUE", for each value that differs, is missing or is new,
// and for each stored statistic that differs or is missing. Statistics that are not stored are
// ignored.
std::string difference(const GoldenResult& was, const GoldenResult& is);

// Compares a run's result with the result in its group's file. If HMSIM_RENEW_GOLDEN is set, writes
// the result to the file instead. `order`: order of the file's runs.
void expect_stored(const std::string& group, const std::string& run, const GoldenResult& result,
                   const std::vector<std::string>& order);

}  // namespace hmsim::testing
