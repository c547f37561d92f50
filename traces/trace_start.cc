// SPDX-License-Identifier: BSD-3-Clause
#include "traces/trace_start.h"

#include <algorithm>

namespace hmsim {

namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kBlanksAndEnds = " \t\r\v\f\n";

bool is_number(std::string_view text) { return is_decimal(text) || text.substr(0, 2) == "0x"; }

}  // namespace

bool is_decimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_real(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  return is_decimal(text.substr(0, point)) &&
         (point == text.size() || is_decimal(text.substr(point + 1)));
}

TraceStart::TraceStart(std::string_view bytes) : bytes_(bytes) {
  if (bytes.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    bytes.remove_prefix(kByteOrderMark.size());
  }
  std::string_view line;
  rest_ = bytes;
  do {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanksAndEnds), rest_.size()));
    line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(line.size());
  } while (!line.empty() && line.front() == '#');
  line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
  line_ = line;
  while (!line.empty()) {
    const std::size_t length = std::min(line.find_first_of(kBlanks), line.size());
    fields_.push_back(line.substr(0, length));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks, length), line.size()));
  }
}

bool TraceStart::all_numbers(std::size_t fields) const {
  return fields_.size() == fields && std::all_of(fields_.begin(), fields_.end(), is_number);
}

}  // namespace hmsim
