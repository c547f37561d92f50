// SPDX-License-Identifier: BSD-3-Clause
#include "traces/trace_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/archive.h"
#include "core/errors.h"

namespace hmsim {

namespace {

constexpr std::uint64_t kLongestTrace = std::uint64_t{1} << 62;  // bytes

}  // namespace

TraceReader::TraceReader(TraceSource source, std::size_t agent, std::string file,
                         std::uint64_t total)
    : source_(std::move(source)), agent_(agent), file_(std::move(file)), total_(total) {
  if (!source_) {
    throw InputError(file_ + ": no source supplies this trace");
  }
}

bool TraceReader::refill() {
  block_start_ += block_.text().size();
  block_ = source_(agent_, block_start_);
  rest_ = block_.text();
  if (rest_.empty()) {
    total_ = block_start_;
  }
  return !rest_.empty();
}

bool TraceReader::next_line(std::string_view& line) {
  if (rest_.empty() && !refill()) {
    return false;
  }
  ++line_;
  carry_.clear();
  bool ended = false;
  while (!ended) {
    const std::size_t length = std::min(rest_.find('\n'), rest_.size());
    if (carry_.size() + length > kMaxLine) {
      throw InputError(file_, line_,
                       "the line is longer than " + std::to_string(kMaxLine) + " bytes");
    }
    ended = length < rest_.size();
    line = rest_.substr(0, length);
    rest_.remove_prefix(length + (ended ? 1 : 0));
    if (!ended || !carry_.empty()) {
      carry_.append(line);
      line = carry_;
      ended = ended || !refill();
    }
  }
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  return true;
}

std::size_t TraceReader::read(char* to, std::size_t length) {
  std::size_t done = 0;
  while (done < length && (!rest_.empty() || refill())) {
    const std::size_t part = std::min(length - done, rest_.size());
    std::memcpy(to + done, rest_.data(), part);
    done += part;
    rest_.remove_prefix(part);
  }
  return done;
}

std::string_view TraceReader::read(std::size_t length, std::string& scratch) {
  if (rest_.empty()) {
    refill();
  }
  if (rest_.size() < length) {
    scratch.resize(length);
    return std::string_view(scratch).substr(0, read(scratch.data(), length));
  }
  const std::string_view found = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return found;
}

void TraceReader::seek(std::uint64_t offset) {
  line_ = 0;
  if (offset >= block_start_ && offset - block_start_ <= block_.text().size()) {
    rest_ = block_.text().substr(static_cast<std::size_t>(offset - block_start_));
    return;
  }
  block_ = TraceBlock();
  rest_ = {};
  block_start_ = offset;
}

double TraceReader::fraction() const {
  const auto read = static_cast<double>(place());
  return total_ == 0 ? 0 : std::min(1.0, read / static_cast<double>(total_));
}

void TraceReader::serialize(Archive& archive) {
  std::uint64_t offset = place();
  std::int64_t line = line_;
  archive(offset, line, total_);
  archive.check(offset <= kLongestTrace, "invalid place in a trace");
  if (archive.loading()) {
    seek(offset);
    line_ = line;
  }
}

}  // namespace hmsim
