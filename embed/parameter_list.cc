// SPDX-License-Identifier: BSD-3-Clause
#include "embed/parameter_list.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "core/text.h"

namespace hmsim {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;  // of a file
constexpr std::size_t kLongestLine = 4096;
constexpr const char* kBlanks = " \t\r";

bool is_control(char letter) { return static_cast<unsigned char>(letter) < ' ' && letter != '\t'; }

}  // namespace

ParameterList::ParameterList(std::string source, std::string_view text)
    : source_(std::move(source)) {
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    add(trimmed(text.substr(0, end), kBlanks), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void ParameterList::add(std::string_view line, std::int64_t number) {
  if (line.empty() || line.front() == '#') {
    return;
  }
  if (line.size() > kLongestLine || std::any_of(line.begin(), line.end(), is_control)) {
    throw InputError(source_, number,
                     "must be NAME=VALUE, got a line with control characters or more than " +
                         std::to_string(kLongestLine) + " characters");
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    throw InputError(source_, number, "must be NAME=VALUE, got " + in_quotes(line));
  }
  const std::string name(trimmed(line.substr(0, equals), kBlanks));
  const auto [known, is_new] = index_.try_emplace(name, assignments_.size());
  if (is_new) {
    assignments_.emplace_back(name, "");
    lines_.push_back(0);
  }
  assignments_[known->second].second = trimmed(line.substr(equals + 1), kBlanks);
  lines_[known->second] = number;
}

ParameterList ParameterList::read(const std::string& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  std::string text(kMostBytes + 1, '\0');
  if (file != nullptr) {
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  }
  if (file == nullptr || std::ferror(file.get()) != 0) {
    throw InputError(path + ": cannot be read: " + std::strerror(errno));
  }
  if (text.size() > kMostBytes) {
    throw InputError(path + ": must have at most 1 MiB, as a list of parameters");
  }
  return {path, text};
}

std::string ParameterList::located(std::string_view error) const {
  const std::string_view first = error.substr(0, error.find('\n'));
  const auto known = index_.find(std::string(first.substr(0, first.find(": "))));
  const std::string line = known == index_.end() ? "" : ":" + std::to_string(lines_[known->second]);
  return source_ + line + ": " + std::string(first);
}

}  // namespace hmsim
