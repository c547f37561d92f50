// SPDX-License-Identifier: BSD-3-Clause
// A file of golden results: under each run's name its values, a line each, "  NAME: VALUE".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/cc/golden/golden_run.h"

namespace hmsim::testing {

class GoldenFile {
 public:
  // Reads the file of a group; it lies in the repository, where tests are run.
  explicit GoldenFile(const std::string& group);

  const std::string& path() const { return path_; }
  bool found() const { return found_; }
  const std::map<std::string, GoldenValues>& runs() const { return runs_; }

  // Puts a run's values in place of those there, and writes the file: the runs of these names, in
  // this order, and no others.
  void renew(const std::string& run, const GoldenValues& values,
             const std::vector<std::string>& order);

 private:
  std::string path_;
  bool found_ = false;
  std::map<std::string, GoldenValues> runs_;
};

// One line for each value that differs, is missing or is new: "NAME: was VALUE, is VALUE".
std::string difference(const GoldenValues& was, const GoldenValues& is);

// Compares a run's values with those of its group's file; or, where HMSIM_RENEW_GOLDEN is set,
// writes them there, the runs in this order.
void expect_stored(const std::string& group, const std::string& run, const GoldenValues& values,
                   const std::vector<std::string>& order);

}  // namespace hmsim::testing
