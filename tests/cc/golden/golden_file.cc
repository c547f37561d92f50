// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cc/golden/golden_file.h"

#include <algorithm>
#include <fstream>

namespace hmsim::testing {

namespace {

constexpr const char* kIndent = "  ";
constexpr const char* kBetween = ": ";

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
    const std::size_t colon = line.find(kBetween);
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

}  // namespace hmsim::testing
