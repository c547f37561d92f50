// SPDX-License-Identifier: BSD-3-Clause
// Fields of a line of columns, and header lines, which hold names of columns instead of a record.
#pragma once

#include <string_view>
#include <vector>

namespace hmsim {

// Returns a field without blanks and a pair of double quotes around it.
std::string_view bare_field(std::string_view field);

// Splits a line at each separator into bare fields. A blank as separator stands for any number of
// blanks and tabs. Stops after `most` fields.
std::vector<std::string_view> split_columns(std::string_view line, char separator,
                                            std::size_t most);

// Returns whether a field is a name that block traces give to their columns, in any case and with
// or without separators between its words.
bool is_column_name(std::string_view field);

// Returns whether a line is a header: at least two fields, each a name of a column or empty.
bool is_header(const std::vector<std::string_view>& fields);

}  // namespace hmsim
