// SPDX-License-Identifier: BSD-3-Clause
// How a thread of a block agent carries out its request: flushes, and pages copied line by line.
#include <algorithm>

#include "agents/block/block_agent.h"
#include "agents/clock.h"

namespace hmsim {

// Does of the request under way what can be done now.
void BlockAgent::go_on(std::uint32_t index, Tick now) {
  Thread& thread = threads_[index];
  if (!thread.busy || thread.paused) {
    return;
  }
  if (thread.flush_before) {
    thread.flush_before = false;
    send_flush_of(index, now);
    return;
  }
  while (thread.page_lines > 0 || thread.lines > 0) {
    if ((thread.page_lines == 0 && !open_page(index, now)) || !send_accesses(index, now)) {
      return;
    }
  }
  if (thread.outstanding > 0) {
    return;
  }
  if (thread.flush_after) {
    thread.flush_after = false;
    send_flush_of(index, now);
  } else {
    end_request(index, now);
  }
}

void BlockAgent::send_flush_of(std::uint32_t index, Tick now) {
  ++threads_[index].outstanding;
  ++epoch_;
  send_flush(index, now);
}

// Begins the next page; false when its accesses must wait.
bool BlockAgent::open_page(std::uint32_t index, Tick now) {
  Thread& thread = threads_[index];
  if (parameters_.how.wait == WaitFor::block && thread.outstanding > 0) {
    return false;
  }
  const std::uint64_t capacity_lines = capacity_ / static_cast<std::uint64_t>(kLineBytes.value());
  const std::int64_t left_in_page =
      kLinesPerPage - static_cast<std::int64_t>(thread.next_line) % kLinesPerPage;
  thread.page_line = thread.next_line;
  thread.page_lines = std::min(left_in_page, static_cast<std::int64_t>(thread.lines));
  thread.pass = 0;
  thread.accesses = 0;
  thread.next_line =
      (thread.next_line + static_cast<std::uint64_t>(thread.page_lines)) % capacity_lines;
  thread.lines -= static_cast<std::uint64_t>(thread.page_lines);
  const bool fault = touch(thread.page_line / static_cast<std::uint64_t>(kLinesPerPage));
  const Tick pause = parameters_.how.map_time + (fault ? parameters_.how.fault_time : Tick(0));
  if (pause > Tick(0)) {
    thread.paused = true;
    steps_.schedule(sum_in_time(now, pause), Step::end_pause, index);
    notify();
  }
  return !thread.paused;
}

// Whether the page is touched for the first time; false when nobody asks.
bool BlockAgent::touch(std::uint64_t page) {
  if (touched_.empty()) {
    return false;
  }
  const bool first = !touched_[page];
  touched_[page] = true;
  return first;
}

// Sends accesses of the page under way; true when all of them are sent.
bool BlockAgent::send_accesses(std::uint32_t index, Tick now) {
  Thread& thread = threads_[index];
  const Copy& copy = copy_of(parameters_.how.copy);
  while (const CopyPass* pass = copy.pass(thread.write, thread.pass)) {
    if (thread.pass > 0 && thread.accesses == 0 && thread.fetches > 0) {
      return false;
    }
    while (thread.accesses < thread.page_lines * pass->accesses) {
      if (thread.outstanding >= window_) {
        return false;
      }
      send_access(index, *pass, now);
    }
    ++thread.pass;
    thread.accesses = 0;
  }
  const bool fence = parameters_.fence == Fence::block || thread.lines == 0;
  epoch_ += thread.write && fence ? 1 : 0;
  thread.page_lines = 0;
  return true;
}

void BlockAgent::send_access(std::uint32_t index, const CopyPass& pass, Tick now) {
  Thread& thread = threads_[index];
  if (thread.pass == 0 && thread.accesses == 0) {
    const std::int64_t of_line = copy_of(parameters_.how.copy).accesses(thread.write);
    thread.block = new_block(index, thread.page_lines * of_line, now);
  }
  const auto line = static_cast<std::int64_t>(thread.page_line) + thread.accesses / pass.accesses;
  ++thread.accesses;
  ++thread.outstanding;
  thread.fetches += thread.write && !pass.write ? 1 : 0;
  sender_ = index;
  send(MemoryClass::nvdimm, Address(line * kLineBytes.value()), pass.write, thread.block, now, 0,
       epoch_);
  sender_ = kNobody;
}

std::uint32_t BlockAgent::new_block(std::uint32_t thread, std::int64_t accesses, Tick now) {
  if (free_blocks_.empty()) {
    free_blocks_.push_back(static_cast<std::uint32_t>(blocks_.size()));
    blocks_.emplace_back();
  }
  const std::uint32_t number = free_blocks_.back();
  free_blocks_.pop_back();
  blocks_[number] = {now, thread, accesses, surroundings().port->collections().ended};
  return number;
}

// An accepted write no longer counts.
void BlockAgent::on_admit(const Request& request, Tick now) {
  if (!request.write || parameters_.how.write_end == WriteEnd::done) {
    return;
  }
  const std::uint32_t index = blocks_[request.tag].thread;
  --threads_[index].outstanding;
  if (sender_ == kNobody) {
    go_on(index, now);
  } else if (sender_ != index) {  // whose sending looks for itself
    steps_.schedule(now, Step::go_on, index);
    notify();
  }
}

void BlockAgent::handle_completion(const Request& request, Tick now) {
  const std::uint32_t index = request.flush ? request.tag : blocks_[request.tag].thread;
  Thread& thread = threads_[index];
  if (!request.flush) {
    end_access(request.tag, now);
  }
  if (request.write && parameters_.how.write_end == WriteEnd::accepted) {
    end_pass(now);
    return;
  }
  --thread.outstanding;
  thread.fetches -= thread.fetches > 0 && !request.write && !request.flush ? 1 : 0;
  go_on(index, now);
}

// One more of the block's accesses is done.
void BlockAgent::end_access(std::uint32_t number, Tick now) {
  Block& block = blocks_[number];
  if (--block.accesses == 0) {
    if (!finished_once()) {
      const std::int64_t time = (now - block.first_sent).value();
      response_times_.add(time);
      if (surroundings().port->collections().begun != block.collections_ended) {
        response_times_in_collections_.add(time);
      }
    }
    ++blocks_done_;
    free_blocks_.push_back(number);
  }
}

}  // namespace hmsim
