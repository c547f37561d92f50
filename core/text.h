// SPDX-License-Identifier: BSD-3-Clause
// Helpers for lists that users write on one line, with separators.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace hmsim {

// Returns the text without the `blanks` around it.
inline std::string_view trimmed(std::string_view text, const char* blanks = " ") {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Removes the text up to and including the next `mark`, and returns it trimmed, without the mark.
inline std::string_view cut(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace hmsim
