// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_threads.h"

#include <algorithm>

#include "agents/clock.h"
#include "traces/trace_formats.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "the threads of a block agent do not hold together";

}  // namespace

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
  return static_cast<std::size_t>(free - threads_.begin());
}

std::int64_t BlockThreads::first_under_way(std::int64_t taken) const {
  std::int64_t first = taken;
  for (const BlockThread& thread : threads_) {
    first = thread.busy ? std::min(first, thread.number) : first;
  }
  return first;
}

std::vector<std::uint64_t> BlockThreads::serials() const {
  std::vector<std::uint64_t> serials;
  for (const BlockThread& thread : threads_) {
    if (thread.busy) {
      serials.push_back(thread.serial);
    }
  }
  return serials;
}

void BlockThreads::serialize(Archive& archive) {
  archive.fixed(threads_, software_over_);
  archive(busy_);
  for (const Tick over : software_over_) {
    archive.check(over >= Tick(0) && over <= kLongestTime, kWrong);
  }
}

void BlockThreads::check(const Archive& archive, std::uint64_t lines, const Copy& copy,
                         std::size_t blocks) const {
  constexpr std::uint64_t kMostLines =
      kMaxSectors * static_cast<std::uint64_t>(kSectorBytes / kLineBytes.value());
  std::int64_t busy = 0;
  for (const BlockThread& thread : threads_) {
    const BlockThread::Page& page = thread.page;
    busy += thread.busy ? 1 : 0;
    archive.check(thread.next_line < lines && thread.lines <= kMostLines &&
                      thread.outstanding >= 0 && thread.fetches >= 0 && thread.number >= 0 &&
                      thread.blocks >= 0 && thread.blocks <= static_cast<std::int64_t>(kMostLines),
                  kWrong);
    archive.check(!thread.past_barrier || (thread.busy && thread.write), kWrong);
    archive.check(page.first_line < lines && page.lines >= 0 && page.lines <= kLinesPerPage &&
                      page.first_line % kLinesPerPage + static_cast<std::uint64_t>(page.lines) <=
                          kLinesPerPage,
                  kWrong);
    if (page.begun()) {
      archive.check_index(page.block, blocks, kWrong);
    }
    const CopyPass* const pass = copy.pass(thread.write, page.pass);
    archive.check(page.lines == 0 || (pass != nullptr && page.accesses >= 0 &&
                                      page.accesses <= page.lines * pass->accesses),
                  kWrong);
  }
  archive.check(busy == busy_, kWrong);
}

}  // namespace hmsim
