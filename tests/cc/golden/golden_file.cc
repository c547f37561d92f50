// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cc/golden/golden_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace hmsim::testing {

namespace {

constexpr const char* kIndent = "  ";
constexpr const char* kBetween = ": ";
constexpr const char* kRenewal =
    "Where this is wanted, renew the files, and say in the commit what moved, and why:\n"
    "  HMSIM_RENEW_GOLDEN=1 build/gcc-release/hmsim_tests "
    "--gtest_filter='*/Golden.Run*'\n";

const std::string* find(const GoldenValues& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

}  // namespace

GoldenFile::GoldenFile(const std::string& group) : path_("tests/cc/golden/" + group + ".txt") {
  std::ifstream file(path_);
  found_ = file.is_open();
  std::string run;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.rfind(kBetween);  // messages have some, too
    if (line.rfind(kIndent, 0) == 0 && colon != std::string::npos) {
      runs_[run].emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
    } else if (!line.empty() && line.front() != '#') {
      run = line;
    }
  }
}

void GoldenFile::renew(const std::string& run, const GoldenValues& values,
                       const std::vector<std::string>& order) {
  runs_[run] = values;
  std::ofstream file(path_);
  file << "# SPDX-License-Identifier: BSD-3-Clause\n"
       << "# Written by the tests Golden.*; tests/README.md tells how.\n";
  for (const std::string& name : order) {
    const auto found = runs_.find(name);
    if (found != runs_.end()) {
      file << name << '\n';
      for (const auto& [value_name, value] : found->second) {
        file << kIndent << value_name << kBetween << value << '\n';
      }
    }
  }
}

std::string difference(const GoldenValues& was, const GoldenValues& is) {
  std::string lines;
  for (const auto& [name, value] : is) {
    const std::string* const before = find(was, name);
    if (before == nullptr || *before != value) {
      lines +=
          name + ": was " + (before == nullptr ? "not there" : *before) + ", is " + value + '\n';
    }
  }
  for (const auto& [name, value] : was) {
    if (find(is, name) == nullptr) {
      lines += name + ": was " + value + ", is not there\n";
    }
  }
  return lines;
}

void expect_stored(const std::string& group, const std::string& run, const GoldenValues& values,
                   const std::vector<std::string>& order) {
  GoldenFile file(group);
  if (std::getenv("HMSIM_RENEW_GOLDEN") != nullptr) {
    file.renew(run, values, order);
    return;
  }
  ASSERT_TRUE(file.found()) << file.path() << ": tests are run from the root of the repository";
  const auto stored = file.runs().find(run);
  const std::string moved =
      difference(stored == file.runs().end() ? GoldenValues() : stored->second, values);
  EXPECT_TRUE(moved.empty()) << file.path() << ", " << run << ":\n" << moved << kRenewal;
}

}  // namespace hmsim::testing
