// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_threads.h"

#include <algorithm>

#include "core/errors.h"

namespace hmsim {

namespace {

constexpr auto kPageLines = static_cast<std::uint64_t>(kLinesPerPage);

std::uint64_t pages_of(std::uint64_t first_line, std::uint64_t lines) {
  return lines == 0 ? 0 : (first_line + lines - 1) / kPageLines - first_line / kPageLines + 1;
}

}  // namespace

void BlockThread::begin(const BlockRequest& request, const DeviceLayout::Extent& extent) {
  first_line = next_line = extent.first_line;
  all_lines = lines = extent.lines;
  write = request.write;
  trim = request.trim;
  flush_before = request.flush && !trim;
  flush_after = request.fua && !trim;
  handle = request.handle;
  begun = false;
}

IoRequest BlockThread::next_part(Bytes capacity, Bytes granularity) {
  IoRequest request;
  request.further = begun;
  begun = true;
  if (flush_before || (lines == 0 && flush_after)) {
    request.kind = IoRequest::Kind::flush;
    request.barrier = true;
    request.fua = !flush_before;
    (flush_before ? flush_before : flush_after) = false;
  } else {
    next_data(request, capacity, granularity);
  }
  request.more_pages = trim ? 0 : pages_of(next_line, lines);
  return request;
}

void BlockThread::next_data(IoRequest& request, Bytes capacity, Bytes granularity) {
  const std::uint64_t all = static_cast<std::uint64_t>(capacity.value()) / kLineSize;
  const std::uint64_t unit = static_cast<std::uint64_t>(granularity.value()) / kLineSize;
  const std::uint64_t count = std::min(lines, all - next_line);
  const std::uint64_t end = (next_line + count + unit - 1) / unit;
  request.kind = trim    ? IoRequest::Kind::trim
                 : write ? IoRequest::Kind::write
                         : IoRequest::Kind::read;
  request.offset = next_line / unit * unit * kLineSize;
  request.bytes = end * unit * kLineSize - request.offset;
  request.stream = handle;
  next_line = (next_line + count) % all;
  lines -= count;
}

void BlockThread::serialize(Archive& archive) {
  archive(busy, number, serial, submitted, first_line, all_lines, next_line, lines);
  archive(write, trim, flush_before, flush_after, begun, handle);
}

BlockThread& BlockThreads::begin(std::size_t index, std::int64_t number) {
  BlockThread& thread = threads_[index];
  thread.busy = true;
  thread.number = number;
  ++busy_;
  return thread;
}

void BlockThreads::end(std::size_t index) {
  threads_[index].busy = false;
  --busy_;
}

std::size_t BlockThreads::first_free() const {
  const auto free = std::find_if(threads_.begin(), threads_.end(),
                                 [](const BlockThread& each) { return !each.busy; });
  ensure(free != threads_.end(), "block I/O", Tick(0), -1,
         "more requests wait than the limit allows");
  return static_cast<std::size_t>(free - threads_.begin());
}

std::int64_t BlockThreads::first_under_way(std::int64_t taken) const {
  std::int64_t first = taken;
  for (const BlockThread& thread : threads_) {
    first = thread.busy ? std::min(first, thread.number) : first;
  }
  return first;
}

void BlockThreads::serialize(Archive& archive) {
  archive.fixed(threads_);
  if (archive.loading()) {
    busy_ = std::count_if(threads_.begin(), threads_.end(),
                          [](const BlockThread& each) { return each.busy; });
  }
}

void BlockThreads::check(const Archive& archive, std::uint64_t lines) const {
  constexpr std::uint64_t kMostLines =
      kMaxSectors * static_cast<std::uint64_t>(kSectorBytes / kLineBytes.value());
  for (const BlockThread& thread : threads_) {
    archive.check(thread.next_line < lines, "access of a block agent's thread beyond the device");
    archive.check(thread.lines <= kMostLines,
                  "access of a block agent's thread larger than the limit");
  }
}

}  // namespace hmsim
