// SPDX-License-Identifier: BSD-3-Clause
#include "traces/text_trace.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"
#include "traces/trace_start.h"

namespace hmsim {

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string clean(text.substr(0, kLongest));
  for (char& c : clean) {
    c = c >= ' ' && c <= '~' ? c : '?';
  }
  return clean + (text.size() > kLongest ? "..." : "");
}

TextTrace::TextTrace(TraceReader reader, const char* expected, std::size_t least, std::size_t most,
                     const char* separators, Ends ends)
    : reader_(std::move(reader)),
      expected_(expected),
      least_(least),
      most_(most),
      ends_(ends),
      separator_(*separators) {
  for (const char separator : std::string_view(separators)) {
    separates_[static_cast<unsigned char>(separator)] = true;
  }
}

bool TextTrace::next() {
  std::string_view line;
  while (reader_.next_line(line)) {
    pass_mark(line);
    split(line);
    if (count_ == 0 || (!fields_[0].empty() && fields_[0].front() == '#')) {
      continue;
    }
    if (count_ < least_ || count_ > most_) {
      fail("expected '" + std::string(expected_) + "', found '" + shown(line) + "'");
    }
    return true;
  }
  if (!any_) {
    throw InputError(reader_.file() + ": the trace contains no records; expected lines of '" +
                     expected_ + "'");
  }
  return false;
}

bool TextTrace::next_header() {
  std::string_view line;
  const bool found = reader_.next_line(line);
  pass_mark(line);
  split(line);
  return found;
}

// Removes a byte-order mark from the first line.
void TextTrace::pass_mark(std::string_view& line) const {
  if (reader_.line() == 1 && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    line.remove_prefix(kByteOrderMark.size());
  }
}

void TextTrace::split(std::string_view line) {
  text_ = line;
  ends_ == Ends::runs ? split_runs(line) : split_each(line);
}

// Splits at each separator. A line of blanks has no fields.
void TextTrace::split_each(std::string_view line) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  count_ = 0;
  if (std::all_of(line.begin(), line.end(), blank)) {
    return;
  }
  for (bool left = true; left && count_ < kMaxFields;) {
    const std::size_t length = std::min(line.find(separator_), line.size());
    std::string_view field = line.substr(0, length);
    left = length < line.size();
    line.remove_prefix(left ? length + 1 : length);
    while (!field.empty() && blank(field.front())) {
      field.remove_prefix(1);
    }
    while (!field.empty() && blank(field.back())) {
      field.remove_suffix(1);
    }
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    fields_[count_++] = field;
  }
}

void TextTrace::split_runs(std::string_view line) {
  const auto separates = [&](std::size_t at) {
    return separates_[static_cast<unsigned char>(line[at])];
  };
  count_ = 0;
  for (std::size_t at = 0; count_ < kMaxFields;) {
    while (at < line.size() && separates(at)) {
      ++at;
    }
    if (at == line.size()) {
      return;
    }
    const std::size_t start = at;
    while (at < line.size() && !separates(at)) {
      ++at;
    }
    fields_[count_++] = line.substr(start, at - start);
  }
}

// Parses a number of the base, or a hexadecimal one after 0x.
std::uint64_t TextTrace::parse(std::string_view text, int base, const char* what) const {
  std::string_view digits = text;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    digits.remove_prefix(2);
    base = 16;
  }
  constexpr std::size_t kFit = 19;  // decimal digits that fit 64 bits
  std::uint64_t value = 0;
  const char* const last = digits.data() + digits.size();
  if (base == 10 && !digits.empty() && digits.size() <= kFit) {
    const char* at = digits.data();
    for (; at != last && *at >= '0' && *at <= '9'; ++at) {
      value = value * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    if (at == last) {
      return value;
    }
  }
  const auto [end, status] = std::from_chars(digits.data(), last, value, base);
  if (status == std::errc::result_out_of_range) {
    fail(std::string(what) + " '" + shown(text) + "' does not fit 64 bits");
  }
  if (status != std::errc() || end != last) {
    fail(std::string(what) + " '" + shown(text) + "' is not a " +
         (base == 10 ? "whole number" : "hexadecimal number") + "; expected '" + expected_ + "'");
  }
  return value;
}

void TextTrace::fail(const std::string& message) const { fail_with<RecordError>(message); }

void TextTrace::fail_word(std::string_view word, const char* first, const char* second) const {
  fail("'" + shown(word) + "' is neither " + first + " nor " + second);
}

void TextTrace::serialize(Archive& archive) { archive(any_, reader_); }

}  // namespace hmsim
