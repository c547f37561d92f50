// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cc/golden/golden_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace hmsim::testing {

namespace {

constexpr const char* kIndent = "  ";
constexpr const char* kBetween = ": ";
constexpr const char* kStatistics = "statistics";
constexpr const char* kNotThere = "-";
constexpr const char* kRenewal =
    "If the change is intended, renew the files, and say in the commit what moved and why:\n"
    "  HMSIM_RENEW_GOLDEN=1 build/gcc-release/hmsim_tests --gtest_filter='*/Golden.Run*'\n";

const std::string* find(const GoldenValues& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

StatisticChecks checks(const std::string& line, const std::vector<std::string>& names) {
  StatisticChecks checks;
  std::istringstream words(line);
  std::string check;
  for (auto name = names.begin(); name != names.end() && words >> check; ++name) {
    if (check != kNotThere) {
      checks[*name] = check;
    }
  }
  return checks;
}

std::string line_of(const StatisticChecks& checks, const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) {
    const auto found = checks.find(name);
    line += (line.empty() ? "" : " ") + (found == checks.end() ? kNotThere : found->second);
  }
  return line;
}

}  // namespace

GoldenFile::GoldenFile(const std::string& group) : path_("tests/cc/golden/" + group + ".txt") {
  std::ifstream file(path_);
  found_ = file.is_open();
  std::string run;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(kBetween);
    const bool indented = line.rfind(kIndent, 0) == 0;
    if (indented && colon == std::string::npos) {
      statistics_.push_back(line.substr(2));
    } else if (indented && line.substr(2, colon - 2) == kStatistics) {
      runs_[run].statistics = checks(line.substr(colon + 2), statistics_);
    } else if (indented) {
      runs_[run].values.emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
    } else if (!line.empty() && line.front() != '#') {
      run = line;
    }
  }
}

void GoldenFile::renew(const std::string& run, const GoldenResult& result,
                       const std::vector<std::string>& order) {
  runs_[run] = result;
  for (const auto& [name, check] : result.statistics) {
    if (std::find(statistics_.begin(), statistics_.end(), name) == statistics_.end()) {
      statistics_.push_back(name);
    }
  }
  std::ofstream file(path_);
  file << "# SPDX-License-Identifier: BSD-3-Clause\n"
       << "# Written by the tests Golden.*; see tests/README.md.\n"
       << kStatistics << '\n';
  for (const std::string& name : statistics_) {
    file << kIndent << name << '\n';
  }
  for (const std::string& name : order) {
    const auto found = runs_.find(name);
    if (found == runs_.end()) {
      continue;
    }
    file << name << '\n';
    for (const auto& [value_name, value] : found->second.values) {
      file << kIndent << value_name << kBetween << value << '\n';
    }
    file << kIndent << kStatistics << kBetween << line_of(found->second.statistics, statistics_)
         << '\n';
  }
}

std::string difference(const GoldenResult& was, const GoldenResult& is) {
  std::string lines;
  for (const auto& [name, value] : is.values) {
    const std::string* const before = find(was.values, name);
    if (before == nullptr || *before != value) {
      lines +=
          name + ": was " + (before == nullptr ? "not there" : *before) + ", is " + value + '\n';
    }
  }
  for (const auto& [name, value] : was.values) {
    if (find(is.values, name) == nullptr) {
      lines += name + ": was " + value + ", is not there\n";
    }
  }
  for (const auto& [name, check] : was.statistics) {
    const auto found = is.statistics.find(name);
    if (found == is.statistics.end()) {
      lines += name + ": was check " + check + ", is not there\n";
    } else if (found->second != check) {
      lines += name + ": was check " + check + ", is check " + found->second + '\n';
    }
  }
  return lines;
}

void expect_stored(const std::string& group, const std::string& run, const GoldenResult& result,
                   const std::vector<std::string>& order) {
  GoldenFile file(group);
  if (std::getenv("HMSIM_RENEW_GOLDEN") != nullptr) {
    file.renew(run, result, order);
    return;
  }
  ASSERT_TRUE(file.found()) << file.path() << ": tests are run from the root of the repository";
  const auto stored = file.runs().find(run);
  const std::string moved =
      difference(stored == file.runs().end() ? GoldenResult() : stored->second, result);
  EXPECT_TRUE(moved.empty()) << file.path() << ", " << run << ":\n" << moved << kRenewal;
}

}  // namespace hmsim::testing
