// SPDX-License-Identifier: BSD-3-Clause
// Reads a trace of any length, block by block, in constant memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace hmsim {

class Archive;

// Some bytes of a trace, with whoever owns them.
class TraceBlock {
 public:
  TraceBlock() = default;
  TraceBlock(std::string text)  // NOLINT(google-explicit-constructor): is one
      : TraceBlock(std::make_shared<const std::string>(std::move(text))) {}
  // The owner keeps the text where it is.
  TraceBlock(std::shared_ptr<const void> owner, std::string_view text)
      : owner_(std::move(owner)), text_(text) {}

  std::string_view text() const { return text_; }

 private:
  explicit TraceBlock(std::shared_ptr<const std::string> text) : owner_(text), text_(*text) {}

  std::shared_ptr<const void> owner_;
  std::string_view text_;
};

// Supplies an agent's decompressed trace: some bytes (1 MiB, say) from `offset` on; empty at the
// end. Offsets are asked for in ascending order, but for a return to 0 when a trace starts over and
// for a jump when a checkpoint is loaded. May throw InputError.
using TraceSource = std::function<TraceBlock(std::size_t agent, std::uint64_t offset)>;

class TraceReader {
 public:
  static constexpr std::size_t kMaxLine = 4'096;  // bytes in a line

  // `file` is the path as the user gave it: messages name it. `total`: bytes in the trace, or 0.
  TraceReader(TraceSource source, std::size_t agent, std::string file, std::uint64_t total);

  // The next line without its end (LF or CR LF); the view lasts until the next call. False at the
  // trace's end. Throws InputError for a line longer than kMaxLine.
  bool next_line(std::string_view& line);

  // For who reads records where they stand: what is left of the text at hand; and that so much of
  // it was read, of a line with its end.
  std::string_view at_hand() const { return rest_; }
  void pass(std::size_t length) { rest_.remove_prefix(length); }
  void pass_line(std::size_t length) {
    pass(length);
    ++line_;
  }

  // Up to `length` bytes; fewer only at the trace's end.
  std::size_t read(char* to, std::size_t length);
  // The same where they stand, if all are at hand, else in `scratch`; they last until the next
  // call.
  std::string_view read(std::size_t length, std::string& scratch);

  void rewind() { seek(0); }
  void seek(std::uint64_t offset);  // lines then count from there

  const std::string& file() const { return file_; }
  std::int64_t line() const { return line_; }  // number of the line last returned, from 1
  // Share of the trace that was read; 0 while its length is not known.
  double fraction() const;

  void serialize(Archive& archive);  // the place, not the text

 private:
  bool refill();
  std::uint64_t place() const { return block_start_ + block_.text().size() - rest_.size(); }

  TraceSource source_;
  std::size_t agent_;
  std::string file_;
  std::uint64_t total_;
  TraceBlock block_;
  std::string carry_;              // a line that began in an earlier block
  std::string_view rest_;          // what is left of block_
  std::uint64_t block_start_ = 0;  // offset of block_ in the trace
  std::int64_t line_ = 0;
};

}  // namespace hmsim
