// SPDX-License-Identifier: BSD-3-Clause
#include "traces/column_guess.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "traces/column_map.h"
#include "traces/column_names.h"
#include "traces/text_trace.h"
#include "traces/trace_formats.h"
#include "traces/trace_start.h"

namespace hmsim {

namespace {

using Fields = std::vector<std::string_view>;

struct Separator {
  char character;
  const char* name;
};
constexpr std::array<Separator, 4> kSeparators{
    {{',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {' ', "blanks"}}};

bool is_operation(std::string_view field) {
  const std::vector<ColumnMap::Word> words = ColumnMap().words();
  return std::any_of(words.begin(), words.end(), [field](const ColumnMap::Word& word) {
    return (word.action == ColumnAction::read || word.action == ColumnAction::write) &&
           word.text == field;
  });
}

// Returns the column of the time: a number with decimals, or one too long for an offset, or the
// first number.
std::size_t time_of(const Fields& fields, const std::vector<std::size_t>& numbers) {
  constexpr std::size_t kLong = 15;  // digits
  for (const std::size_t at : numbers) {
    if (fields[at].find('.') != std::string_view::npos || fields[at].size() >= kLong) {
      return at;
    }
  }
  return numbers.front();
}

const char* unit_of(std::string_view time) {
  if (time.find('.') != std::string_view::npos || time.size() == 10) {
    return "1s";
  }
  if (time.size() == 13) {
    return "1ms";
  }
  return time.size() >= 17 ? "100ns" : "1us";
}

// Returns whether a number may be a size in bytes: whole sectors, at most 1 GiB.
bool is_size(std::string_view field) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  const std::optional<std::size_t> size = column_number(field);
  return size && *size > 0 && *size % kSectorBytes == 0 && *size <= kMost;
}

// Returns the column of the offset among successive numbers that are not the time. The size is in
// the number after it.
std::size_t offset_of(const Fields& fields, const std::vector<std::size_t>& others) {
  for (std::size_t i = 0; i + 1 < others.size(); ++i) {
    if (fields[others[i]].size() > 1 && is_size(fields[others[i + 1]])) {
      return i;
    }
  }
  return 0;
}

}  // namespace

std::string guessed_columns(std::string_view line) {
  Fields fields;
  const char* separator = nullptr;
  for (const Separator& each : kSeparators) {
    Fields split = split_columns(line, each.character, TextTrace::kMaxFields);
    if (split.size() > fields.size()) {
      fields = std::move(split);
      separator = each.name;
    }
  }
  std::vector<std::size_t> numbers;
  std::size_t op = fields.size();
  for (std::size_t i = fields.size(); i-- > 0;) {
    if (is_real(fields[i])) {
      numbers.insert(numbers.begin(), i);
    } else if (is_operation(fields[i])) {
      op = i;
    }
  }
  if (op == fields.size() || numbers.size() < 3) {
    return "";
  }
  const std::size_t time = time_of(fields, numbers);
  std::vector<std::size_t> others;
  std::copy_if(numbers.begin(), numbers.end(), std::back_inserter(others),
               [&](std::size_t at) { return at != time && column_number(fields[at]).has_value(); });
  if (others.size() < 2) {
    return "";
  }
  const std::size_t offset = offset_of(fields, others);
  const std::size_t size = others[offset + 1];
  std::string text = "--format csv --columns time=" + std::to_string(time) +
                     ",op=" + std::to_string(op) + ",offset=" + std::to_string(others[offset]) +
                     ",size=" + std::to_string(size) + ",time_unit=" + unit_of(fields[time]);
  if (!is_size(fields[size])) {
    text += ",offset_unit=512B,size_unit=512B";
  }
  return text + (separator == kSeparators[0].name ? "" : std::string(",separator=") + separator);
}

}  // namespace hmsim
