// SPDX-License-Identifier: BSD-3-Clause
#include "traces/column_trace.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "traces/block_lines.h"
#include "traces/column_guess.h"
#include "traces/column_names.h"

namespace hmsim {

namespace {

enum Column : std::size_t { kTime, kOp, kOffset, kSize, kDevice, kResponse, kHandle, kColumns };
constexpr std::size_t kNone = TextTrace::kMaxFields;  // marks a missing column

const char* characters_of(ColumnSeparator separator) {
  constexpr std::array<const char*, 4> kCharacters{",", ";", "\t", TextTrace::kBlanks};
  return kCharacters[static_cast<std::size_t>(separator)];
}

std::array<const std::string*, kColumns> columns_of(const ColumnMap& map) {
  return {&map.time, &map.op, &map.offset, &map.size, &map.device, &map.response, &map.handle};
}

// Returns whether two texts have the same letters, in any case.
bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// Returns count * unit, checked for overflow. `what` names the product in messages.
std::uint64_t product(const TextTrace& line, std::uint64_t count, std::uint64_t unit,
                      const char* what) {
  if (unit != 1 && count > std::numeric_limits<std::uint64_t>::max() / unit) {
    line.fail(std::string(what) + " " + std::to_string(count) + " x " + std::to_string(unit) +
              " does not fit 64 bits");
  }
  return count * unit;
}

// Converts a decimal count of units of `unit` nanoseconds to whole nanoseconds.
std::uint64_t decimal_time(const TextTrace& line, std::string_view text, const char* what,
                           std::uint64_t unit) {
  constexpr std::size_t kDigits = 9;  // more digits are below a nanosecond of a second
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::uint64_t whole = scaled_time(line, text.substr(0, point), what, unit);
  std::uint64_t part = 0;
  if (point < text.size()) {
    const std::string_view digits = text.substr(point + 1);
    if (!is_decimal(digits)) {
      line.fail(std::string(what) + " '" + shown(text) + "' is not a number");
    }
    std::uint64_t parts = 1;
    for (const char digit : digits.substr(0, kDigits)) {
      part = part * 10 + static_cast<std::uint64_t>(digit - '0');
      parts *= 10;
    }
    part = part * unit / parts;
  }
  if (part > std::numeric_limits<std::uint64_t>::max() - whole) {
    line.fail(std::string(what) + " '" + shown(text) + "' does not fit 64 bits in nanoseconds");
  }
  return whole + part;
}

class ColumnTrace final : public BlockSource {
 public:
  ColumnTrace(TraceReader reader, const ColumnMap& map, const ColumnLine& line)
      : map_(map),
        words_(map.words()),
        time_unit_(static_cast<std::uint64_t>(map.time_unit.value()) / 1'000),
        offset_unit_(static_cast<std::uint64_t>(map.offset_unit.value())),
        size_unit_(static_cast<std::uint64_t>(map.size_unit.value())),
        text_(std::move(reader), line.expected, line.least, line.most, characters_of(map.separator),
              map.separator == ColumnSeparator::blanks ? TextTrace::Ends::runs
                                                       : TextTrace::Ends::each) {}

  bool next(BlockRequest& request) override {
    if (stage_ == Stage::start) {
      read_header();
    }
    try {
      return read_request(request);
    } catch (const EmptyRequestError&) {
      throw;
    } catch (const RecordError& error) {
      throw RecordError(error.what() + advice());
    }
  }
  std::uint64_t skipped() const override { return skipped_; }
  void rewind() override {
    text_.rewind();
    stage_ = Stage::start;
    skipped_ = 0;
  }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { archive(text_, stage_, skipped_, columns_); }

 private:
  enum class Stage : std::uint8_t { start, first_line, records, last = records };

  bool read_request(BlockRequest& request) {
    while (text_.next()) {
      const bool first = stage_ == Stage::first_line;
      stage_ = Stage::records;
      if (first && is_header(split_columns(text_.text(), *characters_of(map_.separator),
                                           TextTrace::kMaxFields))) {
        continue;
      }
      request = BlockRequest();
      if (read_line(request)) {
        text_.accept();
        return true;
      }
    }
    request = BlockRequest();
    return false;
  }

  // Returns what to add to the error of the present line: the line, and the options that read it.
  std::string advice() const {
    const std::string guess = guessed_columns(text_.text());
    return "; the line is '" + shown(text_.text()) + "'" +
           (guess.empty() ? "" : ", which '" + guess + "' reads");
  }

  void read_header() {
    for (std::int64_t i = 0; i < map_.header && text_.next_header(); ++i) {
    }
    const std::array<const std::string*, kColumns> wanted = columns_of(map_);
    for (std::size_t i = 0; i < kColumns; ++i) {
      columns_[i] = wanted[i]->empty() ? kNone : find(*wanted[i]);
    }
    stage_ = Stage::first_line;
  }

  // Returns the index of a column given by number, or by name in the present line.
  std::size_t find(const std::string& column) const {
    if (const std::optional<std::size_t> number = column_number(column); number) {
      return *number;
    }
    std::string names;
    for (std::size_t i = 0; i < text_.fields(); ++i) {
      if (text_.field(i) == column) {
        return i;
      }
    }
    for (std::size_t i = 0; i < text_.fields(); ++i) {
      if (same_letters(text_.field(i), column)) {
        return i;
      }
      names += (names.empty() ? "" : ", ") + std::string(text_.field(i));
    }
    text_.fail_with<InputError>("no column has the name '" + shown(column) + "': the names are " +
                                shown(names));
  }

  std::string_view field(Column column, const char* what) const {
    if (columns_[column] >= text_.fields()) {
      text_.fail(std::string("the line has no column ") + std::to_string(columns_[column]) + ", " +
                 what + ": it has only " + std::to_string(text_.fields()));
    }
    return text_.field(columns_[column]);
  }

  ColumnAction action() const {
    const std::string_view op = field(kOp, "the operation");
    const char first = op.empty() ? '\0' : op.front();
    for (const ColumnMap::Word& word : words_) {
      if (word.text.c_str()[0] == first && word.text == op) {
        return word.action;
      }
    }
    std::string known;
    for (const ColumnMap::Word& word : words_) {
      known += (known.empty() ? "" : ", ") + (word.text.empty() ? "blank" : word.text);
    }
    text_.fail("the operation '" + shown(op) + "' is not one of " + known);
  }

  // Reads the present line. Returns false if it is not a request.
  bool read_line(BlockRequest& request) {
    const ColumnAction what = action();
    if (what == ColumnAction::skip || what == ColumnAction::title) {
      skipped_ += what == ColumnAction::skip ? 1 : 0;
      return false;
    }
    request.write = what == ColumnAction::write;
    request.trim = what == ColumnAction::trim;
    request.flush = what == ColumnAction::flush;
    request.arrival_ns = decimal_time(text_, field(kTime, "the time"), "the time", time_unit_);
    if (columns_[kDevice] != kNone) {
      request.device = text_.number(field(kDevice, "the device"), "the device");
    }
    if (!request.flush) {
      const std::uint64_t offset = text_.number(field(kOffset, "the offset"), "the offset");
      const std::uint64_t size = text_.number(field(kSize, "the size"), "the size");
      set_extent(text_, product(text_, offset, offset_unit_, "the offset"),
                 product(text_, size, size_unit_, "the size"), request);
    }
    read_response(request);
    read_handle(request);
    return true;
  }

  void read_response(BlockRequest& request) const {
    if (columns_[kResponse] < text_.fields() && !text_.field(columns_[kResponse]).empty()) {
      set_response(
          text_,
          decimal_time(text_, text_.field(columns_[kResponse]), "the response time", time_unit_),
          request);
    }
  }

  void read_handle(BlockRequest& request) const {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint16_t>::max();
    if (columns_[kHandle] < text_.fields() && !text_.field(columns_[kHandle]).empty()) {
      const std::uint64_t handle = text_.number(text_.field(columns_[kHandle]), "the handle");
      if (handle > kMost) {
        text_.fail("the handle " + std::to_string(handle) + " exceeds " + std::to_string(kMost));
      }
      request.handle = static_cast<std::uint16_t>(handle);
    }
  }

  ColumnMap map_;
  std::vector<ColumnMap::Word> words_;
  std::uint64_t time_unit_;  // nanoseconds
  std::uint64_t offset_unit_;
  std::uint64_t size_unit_;
  TextTrace text_;
  Stage stage_ = Stage::start;
  std::array<std::size_t, kColumns> columns_{};
  std::uint64_t skipped_ = 0;
};

}  // namespace

std::unique_ptr<BlockSource> open_columns(TraceReader reader, const ColumnMap& map,
                                          const ColumnLine& line) {
  return std::make_unique<ColumnTrace>(std::move(reader), map, line);
}

bool resembles_columns(const TraceStart& start, const ColumnMap& map, const ColumnLine& line) {
  const char separator = *characters_of(map.separator);
  std::vector<std::string_view> fields = split_columns(start.line(), separator, line.most + 1);
  const TraceStart second = start.after_line();
  if (is_header(fields)) {
    fields = split_columns(second.line(), separator, line.most + 1);
  }
  const auto field = [&](const std::string& column) {
    const std::size_t number = column_number(column).value_or(kNone);
    return number < fields.size() ? fields[number] : std::string_view();
  };
  const std::vector<ColumnMap::Word> words = map.words();
  return fields.size() >= line.least && fields.size() <= line.most &&
         std::any_of(words.begin(), words.end(),
                     [&](const ColumnMap::Word& word) { return word.text == field(map.op); }) &&
         is_real(field(map.time)) && is_decimal(field(map.offset)) && is_decimal(field(map.size));
}

}  // namespace hmsim
