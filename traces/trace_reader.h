// SPDX-License-Identifier: BSD-3-Clause
// Reads a trace of any length, block by block, in constant memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hmsim {

class Archive;

// Supplies an agent's decompressed trace: some bytes (1 MiB, say) from `offset` on; empty at the
// end. Offsets are asked for in ascending order, but for a return to 0 when a trace starts over and
// for a jump when a checkpoint is loaded. May throw InputError.
using TraceSource = std::function<std::string(std::size_t agent, std::uint64_t offset)>;

class TraceReader {
 public:
  static constexpr std::size_t kMaxLine = 4'096;  // bytes in a line

  // `file` is the path as the user gave it: messages name it. `total`: bytes in the trace, or 0.
  TraceReader(TraceSource source, std::size_t agent, std::string file, std::uint64_t total);

  // The next line without its end (LF or CR LF); the view lasts until the next call. False at the
  // trace's end. Throws InputError for a line longer than kMaxLine.
  bool next_line(std::string_view& line);

  // Up to `length` bytes; fewer only at the trace's end.
  std::size_t read(char* to, std::size_t length);

  void rewind() { seek(0); }
  void seek(std::uint64_t offset);  // lines then count from there

  const std::string& file() const { return file_; }
  std::int64_t line() const { return line_; }  // number of the line last returned, from 1
  // Share of the trace that was read; 0 while its length is not known.
  double fraction() const;

  void serialize(Archive& archive);  // the place, not the text

 private:
  bool refill();

  TraceSource source_;
  std::size_t agent_;
  std::string file_;
  std::uint64_t total_;
  std::string block_;
  std::string carry_;              // a line that began in an earlier block
  std::size_t position_ = 0;       // in block_
  std::uint64_t block_start_ = 0;  // offset of block_ in the trace
  std::int64_t line_ = 0;
};

}  // namespace hmsim
