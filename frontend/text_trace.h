// SPDX-License-Identifier: BSD-3-Clause
// Lines of fields between blanks, as most trace formats have them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "frontend/trace_reader.h"

namespace hmsim {

class TextTrace {
 public:
  static constexpr std::size_t kMaxFields = 8;

  // `expected` tells what a line looks like, for messages; a line has `least` to `most` fields.
  TextTrace(TraceReader reader, const char* expected, std::size_t least, std::size_t most);

  // The next line that is neither blank nor begins with '#'. False at the trace's end; throws
  // InputError for a wrong number of fields, and when the whole trace holds no line.
  bool next();

  std::size_t fields() const { return count_; }
  std::string_view field(std::size_t index) const { return fields_[index]; }

  // A field as an unsigned 64-bit number, decimal, or hexadecimal after 0x. `what` names it.
  std::uint64_t number(std::size_t index, const char* what) const;
  // The same, hexadecimal with or without 0x.
  std::uint64_t hexadecimal(std::size_t index, const char* what) const;

  // Throws InputError for the present line.
  [[noreturn]] void fail(const std::string& message) const;

  void rewind();
  double fraction() const { return reader_.fraction(); }
  void serialize(Archive& archive);

 private:
  void split(std::string_view line);
  std::uint64_t parse(std::string_view digits, int base, std::size_t index, const char* what) const;

  TraceReader reader_;
  const char* expected_;
  std::size_t least_;
  std::size_t most_;
  bool any_ = false;  // a line was found since the start
  std::array<std::string_view, kMaxFields> fields_;
  std::size_t count_ = 0;
};

// Text from outside, fit to be shown: at most 80 characters, others than printable ones as '?'.
std::string shown(std::string_view text);

}  // namespace hmsim
