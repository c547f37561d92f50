// SPDX-License-Identifier: BSD-3-Clause
// A file of golden results. It lists the compared statistics, and under each run's name its values,
// one per line, "  NAME: VALUE". The value "statistics" holds the checks in the order of the list;
// "-" marks a statistic that the run does not have.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/cc/golden/golden_run.h"

namespace hmsim::testing {

class GoldenFile {
 public:
  // Reads the file of a group. Tests run in the root of the repository.
  explicit GoldenFile(const std::string& group);

  const std::string& path() const { return path_; }
  bool found() const { return found_; }
  const std::map<std::string, GoldenResult>& runs() const { return runs_; }

  // Replaces a run's result, lists its new statistics, and writes the file with exactly the runs of
  // these names, in this order.
  void renew(const std::string& run, const GoldenResult& result,
             const std::vector<std::string>& order);

 private:
  std::string path_;
  bool found_ = false;
  std::vector<std::string> statistics_;  // compared statistics
  std::map<std::string, GoldenResult> runs_;
};

// Returns one line, "NAME: was VALUE, is VALUE", for each value that differs, is missing or is new,
// and for each stored statistic that differs or is missing. Statistics that are not stored are
// ignored.
std::string difference(const GoldenResult& was, const GoldenResult& is);

// Compares a run's result with the result in its group's file. If HMSIM_RENEW_GOLDEN is set, writes
// the result to the file instead. `order`: order of the file's runs.
void expect_stored(const std::string& group, const std::string& run, const GoldenResult& result,
                   const std::vector<std::string>& order);

}  // namespace hmsim::testing
