// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cc/golden/golden_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace hmsim::testing {

namespace {

constexpr const char* kFolder = "tests/cc/golden/";
constexpr const char* kNames = "tests/cc/golden/statistics.txt";
constexpr const char* kHead =
    "# SPDX-License-Identifier: BSD-3-Clause\n"
    "# Written by the tests Golden.*; see tests/README.md.\n";
constexpr const char* kIndent = "  ";
constexpr const char* kBetween = ": ";
constexpr const char* kStatistics = "statistics";
constexpr const char* kRenewal =
    "If the change is intended, renew the files, and say in the commit what moved and why:\n"
    "  HMSIM_RENEW_GOLDEN=1 build/gcc-release/hmsim_tests --gtest_filter='*/Golden.Run*'\n";

const std::string* find(const GoldenValues& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& each) { return each.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

// Position and length of the number that a name leaves open; length 0 without a number.
std::pair<std::size_t, std::size_t> number_in(const std::string& path) {
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
    const std::size_t before = path.find_last_not_of("0123456789", dot - 1);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    if (first < dot) {
      return {first, dot - first};
    }
  }
  return {0, 0};
}

StatisticChecks checks(const std::string& line, const std::vector<std::string>& names) {
  StatisticChecks checks;
  std::istringstream words(line);
  std::string word;
  for (std::size_t at = 0; words >> word;) {
    if (word.front() == '-') {
      at += std::stoul(word.substr(1));
      continue;
    }
    const std::string name = at < names.size() ? names[at] : "";
    const std::size_t star = name.find('*');
    std::istringstream items(word);
    std::string check;
    for (int number = 0; std::getline(items, check, ','); ++number) {
      if (!check.empty()) {
        std::string path = name;
        checks[star == std::string::npos ? path : path.replace(star, 1, std::to_string(number))] =
            check;
      }
    }
    ++at;
  }
  return checks;
}

// Checks by name.
std::map<std::string, std::string> words_of(const StatisticChecks& checks) {
  std::map<std::string, std::map<unsigned long, std::string>> by_number;
  for (const auto& [path, check] : checks) {
    const auto [first, length] = number_in(path);
    by_number[name_of(path)][length == 0 ? 0 : std::stoul(path.substr(first, length))] = check;
  }
  std::map<std::string, std::string> words;
  for (const auto& [name, items] : by_number) {
    unsigned long next = 0;
    for (const auto& [number, check] : items) {
      words[name] += std::string(number - next, ',') + check;
      next = number;
    }
  }
  return words;
}

std::string line_of(const StatisticChecks& checks, const std::vector<std::string>& names) {
  const std::map<std::string, std::string> words = words_of(checks);
  std::string line;
  std::size_t skipped = 0;
  for (const std::string& name : names) {
    const auto found = words.find(name);
    if (found == words.end()) {
      ++skipped;
      continue;
    }
    line += (skipped == 0 ? "" : " -" + std::to_string(skipped)) + " " + found->second;
    skipped = 0;
  }
  return line.empty() ? line : line.substr(1);
}

}  // namespace

std::string name_of(const std::string& path) {
  const auto [first, length] = number_in(path);
  return length == 0 ? path : std::string(path).replace(first, length, "*");
}

GoldenFile::GoldenFile(const std::string& group)
    : folder_(::open(kFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      path_(kFolder + group + ".txt") {
  ::flock(folder_, LOCK_EX);
  std::ifstream names(kNames);
  for (std::string line; std::getline(names, line);) {
    if (line.empty() || line.front() != '#') {
      names_.push_back(line);
    }
  }
  std::ifstream file(path_);
  found_ = file.is_open();
  std::string run;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(kBetween);
    const bool indented = line.rfind(kIndent, 0) == 0;
    if (indented && line.substr(2, colon - 2) == kStatistics) {
      runs_[run].statistics = checks(line.substr(colon + 2), names_);
    } else if (indented) {
      runs_[run].values.emplace_back(line.substr(2, colon - 2), line.substr(colon + 2));
    } else if (!line.empty() && line.front() != '#') {
      run = line;
    }
  }
}

GoldenFile::~GoldenFile() { ::close(folder_); }

void GoldenFile::renew(const std::string& run, const GoldenResult& result,
                       const std::vector<std::string>& order) {
  runs_[run] = result;
  for (const auto& [path, check] : result.statistics) {
    const std::string name = name_of(path);
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
      const auto empty = std::find(names_.begin(), names_.end(), "");
      *(empty == names_.end() ? names_.insert(empty, "") : empty) = name;
    }
  }
  std::ofstream names(kNames);
  names << kHead;
  for (const std::string& name : names_) {
    names << name << '\n';
  }
  std::ofstream file(path_);
  file << kHead;
  for (const std::string& name : order) {
    const auto found = runs_.find(name);
    if (found == runs_.end()) {
      continue;
    }
    file << name << '\n';
    for (const auto& [value_name, value] : found->second.values) {
      file << kIndent << value_name << kBetween << value << '\n';
    }
    file << kIndent << kStatistics << kBetween << line_of(found->second.statistics, names_) << '\n';
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
