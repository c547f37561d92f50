// SPDX-License-Identifier: BSD-3-Clause
// How a trace begins: what its format is told by.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace hmsim {

// The first bytes of a trace and the fields of its first line that is not blank, between blanks.
class TraceStart {
 public:
  // The bytes must outlive the object.
  explicit TraceStart(std::string_view bytes);

  bool begins_with(std::string_view magic) const { return bytes_.substr(0, magic.size()) == magic; }
  std::string_view bytes() const { return bytes_; }
  std::string_view line() const { return line_; }  // the first that is not blank, from its text on
  std::size_t fields() const { return fields_.size(); }
  std::string_view field(std::size_t index) const { return fields_[index]; }
  // Whether the first line has so many fields, each a number, decimal or after 0x.
  bool all_numbers(std::size_t fields) const;

 private:
  std::string_view bytes_;
  std::string_view line_;
  std::vector<std::string_view> fields_;
};

// Whether some text is a decimal number.
bool is_decimal(std::string_view text);

}  // namespace hmsim
