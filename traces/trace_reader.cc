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
constexpr std::int64_t kMostLines = std::int64_t{1} << 61;

}  // namespace

TraceReader::TraceReader(TraceSource source, std::size_t agent, std::string file,
                         std::uint64_t total)
    : source_(std::move(source)), agent_(agent), file_(std::move(file)), total_(total) {
  if (!source_) {
    throw InputError(file_ + ": nothing supplies this trace");
  }
}

bool TraceReader::refill() {
  block_start_ += block_.text().size();
  position_ = 0;
  block_ = source_(agent_, block_start_);
  if (block_.text().empty()) {
    total_ = block_start_;
  }
  return !block_.text().empty();
}

bool TraceReader::next_line(std::string_view& line) {
  if (position_ == block_.text().size() && !refill()) {
    return false;
  }
  ++line_;
  carry_.clear();
  bool ended = false;
  while (!ended) {
    const std::string_view rest = at_hand();
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    if (carry_.size() + length > kMaxLine) {
      throw InputError(file_, line_,
                       "the line is longer than " + std::to_string(kMaxLine) + " bytes");
    }
    ended = length < rest.size();
    position_ += length + (ended ? 1 : 0);
    line = rest.substr(0, length);
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
  while (done < length && (!at_hand().empty() || refill())) {
    const std::size_t part = std::min(length - done, at_hand().size());
    std::memcpy(to + done, at_hand().data(), part);
    done += part;
    position_ += part;
  }
  return done;
}

void TraceReader::seek(std::uint64_t offset) {
  line_ = 0;
  if (offset >= block_start_ && offset - block_start_ <= block_.text().size()) {
    position_ = static_cast<std::size_t>(offset - block_start_);
    return;
  }
  block_ = TraceBlock();
  position_ = 0;
  block_start_ = offset;
}

double TraceReader::fraction() const {
  const auto read = static_cast<double>(block_start_ + position_);
  return total_ == 0 ? 0 : std::min(1.0, read / static_cast<double>(total_));
}

void TraceReader::serialize(Archive& archive) {
  std::uint64_t offset = block_start_ + position_;
  std::int64_t line = line_;
  archive(offset, line, total_);
  archive.check(offset <= kLongestTrace && line >= 0 && line < kMostLines,
                "the place in a trace is none");
  if (archive.loading()) {
    seek(offset);
    line_ = line;
  }
}

}  // namespace hmsim
