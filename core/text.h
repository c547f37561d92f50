// SPDX-License-Identifier: BSD-3-Clause
// Lists that users write in one line: parts between marks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace hmsim {

// Without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Cuts off the text up to the next `mark`, and returns it, trimmed.
inline std::string_view cut(std::string_view& text, char mark) {
  const std::size_t end = std::min(text.find(mark), text.size());
  const std::string_view part = trimmed(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

}  // namespace hmsim
