// SPDX-License-Identifier: BSD-3-Clause
// Where the fields of a block request stand in a line of columns, and what they count: said by a
// user of a trace of format csv, and by the formats of columns of themselves.
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
  // Columns by number, from 0, or by the name that they have in the last header line; "": none.
  std::string time;
  std::string op;
  std::string offset;
  std::string size;
  std::string device;    // a number
  std::string response;  // time that the request took; its field may be empty, or be missing
  Tick time_unit{0};     // of times, which may have decimals; whole nanoseconds
  Bytes offset_unit{1};
  Bytes size_unit{1};
  ColumnSeparator separator = ColumnSeparator::comma;
  std::int64_t header = 0;  // lines in front of the first record
  // Words of an operation's column, '|' between them; "blank" stands for an empty field.
  std::string read = "R|r|Read|read|READ";
  std::string write = "W|w|Write|write|WRITE";
  std::string flush = "F|f|Flush|flush|FLUSH";
  std::string trim = "D|d|Trim|trim|TRIM|Discard|discard";
  std::string skip;   // no request, but counted
  std::string title;  // of a line that names columns; no key

  // Declares the keys "columns.NAME".
  void declare(ParameterSet& parameters);
  // What is wrong with the keys. `used`: the format is one whose columns the user names.
  std::vector<ParameterError> check(bool used) const;

  struct Word {
    std::string text;
    ColumnAction action;
  };
  std::vector<Word> words() const;  // in the order of ColumnAction
};

// A column's number, where it is one; nullopt: a name, or none.
std::optional<std::size_t> column_number(std::string_view column);

}  // namespace hmsim
