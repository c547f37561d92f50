// SPDX-License-Identifier: BSD-3-Clause
// Position and meaning of the fields of a block request in a line of columns. Given by the user for
// format csv, and built in for the other column formats.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "core/types.h"

namespace hmsim {

enum class ColumnSeparator { comma, semicolon, tab, blanks };
enum class ColumnAction { read, write, flush, trim, skip, title };

struct ColumnMap {
  // Columns, by number from 0 or by name in the last header line; "" for none.
  std::string time;
  std::string op;
  std::string offset;
  std::string size;
  std::string device;    // a number
  std::string response;  // response time; the field may be empty or missing
  std::string handle;    // placement handle; the field may be empty or missing
  Tick time_unit{0};     // unit of times: whole nanoseconds; times may have decimals
  Bytes offset_unit{1};
  Bytes size_unit{1};
  ColumnSeparator separator = ColumnSeparator::comma;
  std::int64_t header = 0;  // lines before the first record
  // Words of the operation column, separated by '|'. "blank" stands for an empty field.
  std::string read = "R|r|Read|read|READ";
  std::string write = "W|w|Write|write|WRITE";
  std::string flush = "F|f|Flush|flush|FLUSH";
  std::string trim = "D|d|Trim|trim|TRIM|Discard|discard";
  std::string skip;   // not a request, but counted
  std::string title;  // of a line that names columns; not a user's key

  // Declares the keys "columns.NAME".
  void declare(ParameterSet& parameters);
  // Returns the errors of the keys. `used`: whether the format takes columns from the user.
  std::vector<ParameterError> check(bool used) const;

  struct Word {
    std::string text;
    ColumnAction action;
  };
  std::vector<Word> words() const;  // in the order of ColumnAction
};

// Returns the column's number, or nullopt if `column` is a name or empty.
std::optional<std::size_t> column_number(std::string_view column);

}  // namespace hmsim
