// SPDX-License-Identifier: BSD-3-Clause
#include "traces/column_map.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "traces/text_trace.h"
#include "traces/trace_start.h"

namespace hmsim {

namespace {

constexpr Range kUnits{1, std::int64_t{1} << 30};  // bytes
constexpr const char* kOwn = "the workload's own";

}  // namespace

std::optional<std::size_t> column_number(std::string_view column) {
  std::size_t number = 0;
  if (!is_decimal(column) ||
      std::from_chars(column.data(), column.data() + column.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number;
}

void ColumnMap::declare(ParameterSet& parameters) {
  const ParameterSet::Scope scope(parameters, "columns");
  parameters.text("time", time,
                  {"csv only, like all keys of columns: column of the arrival, by its number from "
                   "0 or its name in the last header line; required",
                   kOwn});
  parameters.text("op", op, {"column of the operation's word; required", kOwn});
  parameters.text("offset", offset, {"column of the offset on the device; required", kOwn});
  parameters.text("size", size, {"column of the length; required", kOwn});
  parameters.text("device", device, {"column of the device's number; empty: one device", kOwn});
  parameters.text("response", response,
                  {"column of the response time, in the unit of the arrival; empty: none", kOwn});
  parameters.text(
      "handle", handle,
      {"column of the placement handle, 0 to 65535; empty: none, as in its fields", kOwn});
  parameters.time("time_unit", time_unit,
                  {"unit of times, 1ns to 1s; times may have decimals; required", kOwn});
  parameters.size("offset_unit", offset_unit, kUnits, {"unit of offsets", kOwn});
  parameters.size("size_unit", size_unit, kUnits, {"unit of lengths", kOwn});
  parameters.choice<ColumnSeparator>(
      "separator", separator,
      {{"comma", ColumnSeparator::comma},
       {"semicolon", ColumnSeparator::semicolon},
       {"tab", ColumnSeparator::tab},
       {"blanks", ColumnSeparator::blanks}},
      {"separator between two columns; blanks: one or more blanks or tabs", kOwn});
  parameters.integer("header", header, {0, 1'000}, "lines",
                     {"lines before the first record, of which the last may name columns; includes "
                      "blank lines and comments",
                      kOwn});
  parameters.text("read", read,
                  {"words of a read, '|' between them; 'blank' is an empty field, here and below",
                   "a modelling choice of hmsim"});
  parameters.text("write", write, {"words of a write", "a modelling choice of hmsim"});
  parameters.text(
      "flush", flush,
      {"words of a flush, whose offset and length are ignored", "a modelling choice of hmsim"});
  parameters.text("trim", trim, {"words of a discard", "a modelling choice of hmsim"});
  parameters.text("skip", skip, {"words of lines to ignore", kOwn});
}

std::vector<ParameterError> ColumnMap::check(bool used) const {
  const std::array<std::pair<const char*, const std::string*>, 7> columns{
      {{"columns.time", &time},
       {"columns.op", &op},
       {"columns.offset", &offset},
       {"columns.size", &size},
       {"columns.device", &device},
       {"columns.response", &response},
       {"columns.handle", &handle}}};
  constexpr std::size_t kRequired = 4;
  std::vector<ParameterError> errors;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto [name, column] = columns[i];
    if (!used && !column->empty()) {
      errors.push_back({name, "needs format: csv"});
    } else if (used && column->empty() && i < kRequired) {
      errors.push_back({name, "is required: a column's number from 0, or its name"});
    } else if (const auto number = column_number(*column); number) {
      if (*number >= TextTrace::kMaxFields) {
        errors.push_back({name, "must be below " + std::to_string(TextTrace::kMaxFields)});
      }
    } else if (!column->empty() && header == 0) {
      errors.push_back({name, "is a name, '" + shown(*column) +
                                  "', but no line names columns: columns.header is 0"});
    }
  }
  if (used &&
      (time_unit < kNanosecond || time_unit > kSecond || time_unit % kNanosecond != Tick(0))) {
    errors.push_back({"columns.time_unit", "is required: whole nanoseconds, 1ns to 1s"});
  }
  const std::vector<Word> all = words();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto same = [&](const Word& word) { return word.text == all[i].text; };
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(all.begin(), last, same)) {
      errors.push_back(
          {"columns.read", "and write, flush, trim or skip must not share a word, got '" +
                               shown(all[i].text) + "'"});
    }
  }
  return errors;
}

std::vector<ColumnMap::Word> ColumnMap::words() const {
  std::vector<Word> found;
  const auto add = [&found](std::string_view words, ColumnAction action) {
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find('|'));
      found.push_back({word == "blank" ? "" : std::string(word), action});
      words.remove_prefix(std::min(word.size() + 1, words.size()));
    }
  };
  add(read, ColumnAction::read);
  add(write, ColumnAction::write);
  add(flush, ColumnAction::flush);
  add(trim, ColumnAction::trim);
  add(skip, ColumnAction::skip);
  add(title, ColumnAction::title);
  return found;
}

}  // namespace hmsim
