// SPDX-License-Identifier: BSD-3-Clause
// Reader for a trace of any length, block by block, in constant memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.h"

namespace hmsim {

class Archive;

// Error in one record. The reader has consumed the record and can continue with the next one.
class RecordError : public InputError {
 public:
  using InputError::InputError;
};

// Error of a request of length 0.
class EmptyRequestError : public RecordError {
 public:
  using RecordError::RecordError;
};

// Returns the number in up to eight bytes, lowest first.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

// Bytes of a trace, with shared ownership.
class TraceBlock {
 public:
  TraceBlock() = default;
  TraceBlock(std::string text)  // NOLINT(google-explicit-constructor): is one
      : TraceBlock(std::make_shared<const std::string>(std::move(text))) {}
  // `owner` keeps `text` valid.
  TraceBlock(std::shared_ptr<const void> owner, std::string_view text)
      : owner_(std::move(owner)), text_(text) {}

  std::string_view text() const { return text_; }

 private:
  explicit TraceBlock(std::shared_ptr<const std::string> text) : owner_(text), text_(*text) {}

  std::shared_ptr<const void> owner_;
  std::string_view text_;
};

// Supplies an agent's decompressed trace: a number of bytes (1 MiB, for example) from `offset`;
// empty at the end. Offsets ascend, except for a return to 0 when a trace restarts and for a jump
// when a checkpoint is loaded. May throw InputError.
using TraceSource = std::function<TraceBlock(std::size_t agent, std::uint64_t offset)>;

class TraceReader {
 public:
  static constexpr std::size_t kMaxLine = 4'096;  // bytes in a line

  // `file` is the path as given by the user, for messages. `total` is the trace's size in bytes, or
  // 0 if unknown.
  TraceReader(TraceSource source, std::size_t agent, std::string file, std::uint64_t total);

  // Returns the next line without its end (LF or CR LF). The view is valid until the next call.
  // Returns false at the end of the trace. Throws InputError for a line longer than kMaxLine.
  bool next_line(std::string_view& line);

  // For in-place parsing: returns the unread part of the present block. pass() consumes bytes of
  // it; pass_line() consumes a line, including its end.
  std::string_view unread_records() const { return rest_; }
  void pass(std::size_t length) { rest_.remove_prefix(length); }
  void pass_line(std::size_t length) {
    pass(length);
    ++line_;
  }

  // Reads up to `length` bytes; fewer only at the end of the trace.
  std::size_t read(char* to, std::size_t length);
  // Returns up to `length` bytes; fewer only at the end of the trace. Bytes are copied, to
  // `scratch`, only if they are not all in the present block. The view is valid until the next
  // call.
  std::string_view read(std::size_t length, std::string& scratch);

  void rewind() { seek(0); }
  void seek(std::uint64_t offset);  // lines are then counted from there

  const std::string& file() const { return file_; }
  std::int64_t line() const { return line_; }  // number of the line last returned, from 1
  // Returns the share of the trace read, or 0 if its size is unknown.
  double fraction() const;

  void serialize(Archive& archive);  // the position, not the text

 private:
  bool refill();
  std::uint64_t place() const { return block_start_ + block_.text().size() - rest_.size(); }

  TraceSource source_;
  std::size_t agent_;
  std::string file_;
  std::uint64_t total_;
  TraceBlock block_;
  std::string carry_;              // a line that began in an earlier block
  std::string_view rest_;          // unread part of block_
  std::uint64_t block_start_ = 0;  // offset of block_ in the trace
  std::int64_t line_ = 0;
};

}  // namespace hmsim
