// SPDX-License-Identifier: BSD-3-Clause
#include "agents/block/block_copier.h"

#include <algorithm>

namespace hmsim {

BlockCopier::BlockCopier(const BlockParameters& parameters, std::uint64_t lines)
    : copy_(&copy_of(parameters.how.copy)),
      waits_for_blocks_(parameters.how.wait == WaitFor::block),
      fences_blocks_(parameters.fence == Fence::block),
      writes_end_accepted_(parameters.how.write_end == WriteEnd::accepted),
      window_(std::min(parameters.window, copy_->window)),
      map_time_(parameters.how.map_time),
      fault_time_(parameters.how.fault_time),
      lines_(lines) {
  if (fault_time_ > Tick(0)) {
    touched_.assign(static_cast<std::size_t>(lines / kLinesPerPage), false);
  }
}

CopyStep BlockCopier::flush(BlockThread& thread, bool& mark) {
  mark = false;
  ++thread.outstanding;
  ++epoch_;
  return {CopyAction::flush};
}

// Begins the next page; returns how long the thread pauses before its accesses.
Tick BlockCopier::open_page(BlockThread& thread) {
  const std::int64_t left_in_page =
      kLinesPerPage - static_cast<std::int64_t>(thread.next_line) % kLinesPerPage;
  BlockThread::Page& page = thread.page;
  page.first_line = thread.next_line;
  page.lines = std::min(left_in_page, static_cast<std::int64_t>(thread.lines));
  page.pass = 0;
  page.accesses = 0;
  const auto lines = static_cast<std::uint64_t>(page.lines);
  thread.next_line = (thread.next_line + lines) % lines_;
  thread.lines -= lines;
  const bool fault = touch(page.first_line / static_cast<std::uint64_t>(kLinesPerPage));
  return map_time_ + (fault ? fault_time_ : Tick(0));
}

void BlockCopier::end_page(BlockThread& thread) {
  const bool fence = fences_blocks_ || thread.lines == 0;
  epoch_ += thread.write && fence ? 1 : 0;
  thread.page.lines = 0;
}

// Whether a page is touched for the first time, where faults take time.
bool BlockCopier::touch(std::uint64_t page) {
  if (touched_.empty()) {
    return false;
  }
  const bool first = !touched_[page];
  touched_[page] = true;
  return first;
}

void BlockCopier::serialize(Archive& archive) {
  archive(epoch_);
  archive.fixed(touched_);
}

}  // namespace hmsim
