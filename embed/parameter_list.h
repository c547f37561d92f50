// SPDX-License-Identifier: BSD-3-Clause
// Parameters as text, one line NAME=VALUE each, as `hmsim check CONFIG --flat` prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/parameters.h"

namespace hmsim {

// Parameters with the numbers of their lines, so that errors name the place. Lines that are empty
// or begin with # are skipped, as is white space at the ends of names and values. A later line of a
// name replaces an earlier one.
class ParameterList final {
 public:
  // Parses `text`. `source` names it in errors. Throws InputError if a line is not NAME=VALUE.
  ParameterList(std::string source, std::string_view text);
  // Reads a file. Throws InputError if it cannot be read or has more than 1 MiB.
  static ParameterList read(const std::string& path);

  const Assignments& assignments() const { return assignments_; }

  // Returns the first line of an error's text after SOURCE:LINE, the line of the name that the
  // text begins with. Without such a line, it follows the source alone.
  std::string located(std::string_view error) const;

 private:
  void add(std::string_view line, std::int64_t number);

  std::string source_;
  Assignments assignments_;
  std::vector<std::int64_t> lines_;                     // of each assignment
  std::unordered_map<std::string, std::size_t> index_;  // of each name in `assignments_`
};

}  // namespace hmsim
