// SPDX-License-Identifier: BSD-3-Clause
// Reader for lines of fields separated by blanks or commas, used by most text formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "traces/plain_line.h"
#include "traces/trace_reader.h"

namespace hmsim {

// Makes untrusted text printable: at most 80 characters, with '?' for unprintable ones.
std::string shown(std::string_view text);

class TextTrace {
 public:
  static constexpr std::size_t kMaxFields = 64;  // per line; further fields are ignored
  static constexpr const char* kBlanks = " \t";
  // How fields end. `runs`: by one or more separators, so no field is empty. `each`: by exactly
  // one, as in CSV; blanks and a pair of double quotes around a field are removed.
  enum class Ends { runs, each };

  // `expected` describes a line, for messages. A line has `least` to `most` fields. With
  // Ends::each, only the first separator is used.
  TextTrace(TraceReader reader, const char* expected, std::size_t least, std::size_t most,
            const char* separators = kBlanks, Ends ends = Ends::runs);

  // Reads the next line that is neither blank nor begins with '#'. Returns false at the end of the
  // trace. Throws InputError for a wrong number of fields, or at the end if accept() was never
  // called.
  bool next();
  // Reads the next line with read(line, record), which parses it in place. If the line is not plain
  // (traces/plain_line.h), returns false and consumes nothing; next() then reads the line.
  template <class Record>
  bool next_plain(bool (*read)(FastLine&, Record&), Record& record) {
    const std::string_view text = reader_.unread_records();
    FastLine line(text.data());
    if (text.size() < FastLine::kText || !read(line, record)) {
      return false;
    }
    reader_.pass_line(line.length());
    any_ = true;
    return true;
  }
  // Reads the next line, whatever it contains. Returns false at the end of the trace.
  bool next_header();
  void accept() { any_ = true; }  // the line held a record

  std::int64_t line() const { return reader_.line(); }  // line number, from 1
  std::size_t fields() const { return count_; }
  std::string_view field(std::size_t index) const { return fields_[index]; }
  std::string_view text() const { return text_; }  // the present line

  // Returns whether a field is the second of two words. Throws RecordError if it is neither.
  bool either(std::size_t index, const char* first, const char* second) const {
    const bool is_second = fields_[index] == second;
    if (!is_second && fields_[index] != first) {
      fail_word(fields_[index], first, second);
    }
    return is_second;
  }
  // Parses text of the present line as an unsigned 64-bit number, decimal or hexadecimal after 0x.
  // `what` names it in messages.
  std::uint64_t number(std::string_view text, const char* what) const {
    return parse(text, 10, what);
  }
  // Parses a field as such a number.
  std::uint64_t number(std::size_t index, const char* what) const {
    return number(fields_[index], what);
  }
  // Parses a field as a hexadecimal number, with or without 0x.
  std::uint64_t hexadecimal(std::size_t index, const char* what) const {
    return parse(fields_[index], 16, what);
  }

  // Throws RecordError for the present line.
  [[noreturn]] void fail(const std::string& message) const;
  // Throws an error of type E for the present line.
  template <class E>
  [[noreturn]] void fail_with(const std::string& message) const {
    throw E(reader_.file(), reader_.line(), message);
  }

  void rewind() { reader_.rewind(); }
  double fraction() const { return reader_.fraction(); }
  void serialize(Archive& archive);

 private:
  [[noreturn]] void fail_word(std::string_view word, const char* first, const char* second) const;
  void pass_mark(std::string_view& line) const;
  void split(std::string_view line);
  void split_runs(std::string_view line);
  void split_each(std::string_view line);
  std::uint64_t parse(std::string_view text, int base, const char* what) const;

  TraceReader reader_;
  const char* expected_;
  std::size_t least_;
  std::size_t most_;
  Ends ends_;
  char separator_;                     // the separator, with Ends::each
  std::array<bool, 256> separates_{};  // by character
  bool any_ = false;
  std::array<std::string_view, kMaxFields> fields_;
  std::size_t count_ = 0;
  std::string_view text_;
};

template <class Record>
bool none_is_plain(FastLine& /*line*/, Record& /*record*/) {
  return false;
}

// A format of one record per line, each read independently. `Read` returns false for a line without
// a record. `ReadPlain` reads lines that it supports as `Read` does, and rejects others.
template <class Source, class Record, bool (*Read)(const TextTrace&, Record&),
          bool (*ReadPlain)(FastLine&, Record&) = none_is_plain<Record>>
class LineTrace final : public Source {
 public:
  explicit LineTrace(TextTrace text) : text_(std::move(text)) {}

  bool next(Record& record) override {
    record = Record();
    return text_.next_plain<Record>(ReadPlain, record) || next_of_any_form(record);
  }

  void rewind() override { text_.rewind(); }
  double fraction() const override { return text_.fraction(); }
  void serialize(Archive& archive) override { text_.serialize(archive); }

 private:
  [[gnu::noinline]] bool next_of_any_form(Record& record) {
    while (text_.next()) {
      record = Record();
      if (Read(text_, record)) {
        text_.accept();
        return true;
      }
    }
    record = Record();
    return false;
  }

  TextTrace text_;
};

// Opens a trace of such a format, of lines `kLine` with kLeast to kMost fields. `Option` is what
// the openers of its kind of source take (traces/trace_formats.h).
template <class Source, class Record, class Option, const char* const& kLine, std::size_t kLeast,
          std::size_t kMost, bool (*Read)(const TextTrace&, Record&),
          bool (*ReadPlain)(FastLine&, Record&) = none_is_plain<Record>>
std::unique_ptr<Source> open_lines(TraceReader reader, Option /*option*/) {
  return std::make_unique<LineTrace<Source, Record, Read, ReadPlain>>(
      TextTrace(std::move(reader), kLine, kLeast, kMost));
}

}  // namespace hmsim
