// SPDX-License-Identifier: BSD-3-Clause
#include "traces/column_names.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace hmsim {

namespace {

// Names in the headers and descriptions of public block traces: MSR Cambridge, Alibaba, Tencent,
// Systor '17, SPC. In lower case and without separators.
constexpr std::string_view kNames[] = {
    "address", "arrival",  "arrivaltime", "asu",      "block",     "blocks",       "bytes",
    "count",   "dev",      "device",      "deviceid", "disk",      "diskid",       "disknumber",
    "host",    "hostname", "iosize",      "iotype",   "latency",   "lba",          "len",
    "length",  "lun",      "numblocks",   "offset",   "op",        "opcode",       "operation",
    "optype",  "pid",      "process",     "request",  "response",  "responsetime", "rw",
    "sector",  "sectors",  "size",        "time",     "timestamp", "timestmap",    "ts",
    "type",    "vol",      "volume",      "volumeid"};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::string_view bare_field(std::string_view field) {
  while (!field.empty() && (is_blank(field.front()) || field.front() == '\r')) {
    field.remove_prefix(1);
  }
  while (!field.empty() && (is_blank(field.back()) || field.back() == '\r')) {
    field.remove_suffix(1);
  }
  if (field.size() > 1 && field.front() == '"' && field.back() == '"') {
    field = field.substr(1, field.size() - 2);
  }
  return field;
}

std::vector<std::string_view> split_columns(std::string_view line, char separator,
                                            std::size_t most) {
  std::vector<std::string_view> fields;
  const auto ends = [separator](char c) { return separator == ' ' ? is_blank(c) : c == separator; };
  for (bool left = true; left && fields.size() < most;) {
    const auto end = std::find_if(line.begin(), line.end(), ends);
    const auto length = static_cast<std::size_t>(end - line.begin());
    const std::string_view field = bare_field(line.substr(0, length));
    if (separator != ' ' || !field.empty()) {
      fields.push_back(field);
    }
    left = end != line.end();
    line.remove_prefix(left ? length + 1 : length);
  }
  return fields;
}

bool is_column_name(std::string_view field) {
  std::string name;
  for (const char c : field) {
    if (c != '_' && c != '-' && c != ' ') {
      name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return std::binary_search(std::begin(kNames), std::end(kNames), name);
}

bool is_header(const std::vector<std::string_view>& fields) {
  const bool named = std::any_of(fields.begin(), fields.end(),
                                 [](std::string_view field) { return !field.empty(); });
  return fields.size() > 1 && named &&
         std::all_of(fields.begin(), fields.end(),
                     [](std::string_view field) { return field.empty() || is_column_name(field); });
}

}  // namespace hmsim
