// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_threads.h"

#include <algorithm>

#include "core/clock.h"
#include "core/errors.h"
#include "traces/trace_formats.h"

namespace hmsim {

void BlockThread::serialize(Archive& archive) {
  archive(busy, paused, number, serial, submitted, first_line, all_lines, next_line, lines, blocks,
          write, trim, past_barrier, flush_before, flush_after, outstanding, fetches);
  archive(page.first_line, page.lines, page.pass, page.accesses, page.block);
}

void BlockThreads::resize(std::size_t threads, std::size_t depth) {
  threads_.resize(threads);
  depth_ = depth;
  software_over_.resize((threads + depth - 1) / depth);
}

Tick BlockThreads::run(std::size_t index, Tick from, Tick time) {
  Tick& over = software_over_[index / depth_];
  over = sum_in_time(later(over, from), time);
  return over;
}

BlockThread& BlockThreads::begin(std::size_t index, std::int64_t number) {
  BlockThread& thread = threads_[index];
  thread.busy = true;
  thread.paused = true;
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
  ensure(free != threads_.end(), "block I/O", Tick(0), -1, "more requests wait than there may be");
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
  archive.fixed(threads_, software_over_);
  if (archive.loading()) {
    busy_ = std::count_if(threads_.begin(), threads_.end(),
                          [](const BlockThread& each) { return each.busy; });
  }
}

void BlockThreads::check(const Archive& archive, std::uint64_t lines) const {
  constexpr std::uint64_t kMostLines =
      kMaxSectors * static_cast<std::uint64_t>(kSectorBytes / kLineBytes.value());
  for (const BlockThread& thread : threads_) {
    const BlockThread::Page& page = thread.page;
    const std::uint64_t place = page.first_line % kLinesPerPage;
    archive.check(thread.next_line < lines && page.first_line < lines && page.lines >= 0 &&
                      page.lines <= kLinesPerPage - static_cast<std::int64_t>(place),
                  "a thread of a block agent copies lines beyond the device");
    // These bound what a thread sends at a time.
    archive.check(thread.lines <= kMostLines && page.accesses >= 0 && thread.outstanding >= 0,
                  "a thread of a block agent copies more than its request");
  }
}

}  // namespace hmsim
