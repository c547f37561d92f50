// SPDX-License-Identifier: BSD-3-Clause
#include "storage/read_ahead.h"

#include <algorithm>

namespace hmsim {

// Returns the stream that the read continues; otherwise the one to replace.
ReadAhead::Stream& ReadAhead::stream_of(std::int64_t first) {
  Stream* oldest = &streams_[0];
  for (Stream& each : streams_) {
    if (each.next >= 0 && (each.next == first || each.next == first + 1)) {
      return each;
    }
    oldest = each.latest < oldest->latest ? &each : oldest;
  }
  *oldest = Stream();
  return *oldest;
}

// Linux 2.6: get_init_ra_size().
std::int64_t ReadAhead::first_window(std::int64_t pages) const {
  std::int64_t size = 1;
  while (size < pages) {
    size *= 2;
  }
  return std::min(most_, size <= most_ / 32 ? 4 * size : size <= most_ / 4 ? 2 * size : most_);
}

// Linux 2.6: get_next_ra_size().
std::int64_t ReadAhead::next_window(std::int64_t pages) const {
  return std::min(most_, pages < most_ / 16 ? 4 * pages : 2 * pages);
}

PageRange ReadAhead::on_read(std::int64_t first, std::int64_t last) {
  if (most_ == 0) {
    return {};
  }
  Stream& stream = stream_of(first);
  const bool sequential = stream.next >= 0;
  stream.next = last + 1;
  stream.latest = ++reads_;
  if (!sequential || (stream.window > 0 && last < stream.trigger)) {
    return {};
  }
  const std::int64_t begin = std::max(stream.end, last + 1);
  if (stream.window == 0 || begin > stream.end) {  // no window, or the read has passed its end
    const std::int64_t pages = last - first + 1;
    stream.window = first_window(pages);
    stream.end = stream.window > pages ? first + stream.window : begin + next_window(stream.window);
    stream.trigger = last + 1;
  } else {
    stream.window = next_window(stream.window);
    stream.trigger = stream.end;
    stream.end += stream.window;
  }
  return {begin, stream.end};
}

void ReadAhead::serialize(Archive& archive) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 50;  // so that sums do not overflow
  archive(streams_, reads_);
  for (const Stream& each : streams_) {
    for (const std::int64_t page : {each.next, each.trigger, each.end}) {
      archive.check(page >= -1 && page <= kFarthest, "invalid page of a stream of reads");
    }
    archive.check(each.window >= 0 && each.window <= most_, "invalid window of read-ahead");
  }
}

}  // namespace hmsim
