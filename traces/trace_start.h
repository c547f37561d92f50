// SPDX-License-Identifier: BSD-3-Clause
// Start of a trace, from which its format is recognised.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hmsim {

// The first bytes of a trace, and the blank-separated fields of its first line that is neither
// blank nor a comment after '#'.
class TraceStart {
 public:
  // The bytes must outlive the object.
  explicit TraceStart(std::string_view bytes);

  bool begins_with(std::string_view magic) const { return bytes_.substr(0, magic.size()) == magic; }
  std::string_view bytes() const { return bytes_; }
  // That line, without leading blanks and without a byte-order mark before it.
  std::string_view line() const { return line_; }
  TraceStart after_line() const { return TraceStart(rest_); }  // the bytes after that line
  std::size_t fields() const { return fields_.size(); }
  std::string_view field(std::size_t index) const { return fields_[index]; }
  // Returns whether the first line has this number of fields, each a number, decimal or after 0x.
  bool all_numbers(std::size_t fields) const;

 private:
  std::string_view bytes_;
  std::string_view line_;
  std::string_view rest_;
  std::vector<std::string_view> fields_;
};

// The bytes with which some programs mark a text as UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Returns whether the text is a decimal number: a whole one, or one that may have decimals.
bool is_decimal(std::string_view text);
bool is_real(std::string_view text);

}  // namespace hmsim
