// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of block agents.
#include <algorithm>

#include "agents/block/block_agent.h"
#include "agents/clock.h"
#include "core/places.h"

namespace hmsim {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 61;  // requests, or blocks
constexpr const char* kWrong = "a block agent does not hold together";

bool in_time(Tick time) { return time >= Tick(0) && time <= kLongestTime; }

}  // namespace

void BlockAgent::Thread::serialize(Archive& archive) {
  archive(busy, paused, number, next_line, lines, write, trim, past_gate, flush_before, flush_after,
          outstanding, fetches);
  archive(page_line, page_lines, pass, accesses, block);
}

void BlockAgent::Block::serialize(Archive& archive) {
  archive(first_sent, thread, accesses, collections_ended);
}

void BlockAgent::serialize_state(Archive& archive) {
  archive.section("block");
  archive(request_, have_request_, have_origin_, origin_ns_, latest_ns_, origin_, taken_, busy_,
          epoch_);
  archive.fixed(threads_);
  archive(blocks_, free_blocks_, steps_, blocks_done_, response_times_,
          response_times_in_collections_);
  archive(between_passes_, writers_, gate_);
  archive.fixed(touched_);
  archive(passes_, part_, left_, read_, begins_window_, last_begin_);
  meter_.serialize(archive);
  source_->serialize(archive);
  if (archive.loading()) {
    check_loaded(archive);
  }
}

void BlockAgent::check_loaded(const Archive& archive) const {
  archive.check(in_time(origin_) && in_time(last_begin_) && taken_ >= 0 && taken_ < kMost &&
                    blocks_done_ >= 0 && blocks_done_ < kMost && passes_ >= 0 &&
                    passes_ < parts_.loop,
                kWrong);
  archive.check(windows_.empty() ||
                    (part_ < windows_.size() && left_ >= 0 && read_ >= 0 &&
                     left_ <= windows_[part_].warmup + windows_[part_].length) ||
                    (part_ == windows_.size() && left_ == 0),
                "a window of a trace is none");
  std::int64_t busy = 0;
  std::int64_t writers = 0;
  for (const Thread& thread : threads_) {
    check_thread(archive, thread);
    busy += thread.busy ? 1 : 0;
    writers += thread.past_gate ? 1 : 0;
  }
  archive.check(busy == busy_ && writers == writers_, kWrong);
  Places blocks(archive, blocks_.size(), kWrong);
  for (const std::uint32_t block : free_blocks_) {
    blocks.take(block);
  }
  for (const Block& block : blocks_) {
    archive.check_index(block.thread, threads_.size(), kWrong);
  }
  check_steps(archive);
}

void BlockAgent::check_thread(const Archive& archive, const Thread& thread) const {
  const std::uint64_t lines = capacity_ / static_cast<std::uint64_t>(kLineBytes.value());
  archive.check(
      thread.next_line < lines && thread.page_line < lines &&
          thread.lines <=
              kMaxSectors * static_cast<std::uint64_t>(kSectorBytes / kLineBytes.value()) &&
          thread.page_lines >= 0 && thread.page_lines <= kLinesPerPage &&
          thread.page_line % kLinesPerPage + static_cast<std::uint64_t>(thread.page_lines) <=
              kLinesPerPage &&
          thread.outstanding >= 0 && thread.fetches >= 0 && thread.number >= 0,
      kWrong);
  archive.check(!thread.past_gate || (thread.busy && thread.write), kWrong);
  const bool begun = thread.pass > 0 || thread.accesses > 0;
  if (thread.page_lines > 0 && begun) {
    archive.check_index(thread.block, blocks_.size(), kWrong);
  }
  const CopyPass* const pass = copy_of(parameters_.how.copy).pass(thread.write, thread.pass);
  archive.check(thread.page_lines == 0 || (pass != nullptr && thread.accesses >= 0 &&
                                           thread.accesses <= thread.page_lines * pass->accesses),
                kWrong);
}

// A thread that is paused has one step to come, or stands at the gate.
void BlockAgent::check_steps(const Archive& archive) const {
  Places paused(archive, threads_.size(), kWrong);
  int passes = 0;
  steps_.each([&](const auto& step) {
    archive.check(in_time(step.time), kWrong);
    if (step.kind == Step::start_pass) {
      ++passes;
    } else if (step.kind == Step::go_on) {
      archive.check_index(step.payload, threads_.size(), kWrong);
    } else {
      paused.take(step.payload);
    }
  });
  gate_.each([&](std::uint32_t thread) { paused.take(thread); });
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    archive.check(paused.has(i) == (threads_[i].busy && threads_[i].paused), kWrong);
  }
  archive.check(passes == (between_passes_ ? 1 : 0) && (!between_passes_ || busy_ == 0), kWrong);
}

// Each access is one of a block, and counts for its thread as long as that waits for it. A thread
// with a request that waits for nothing is paused, or was told to go on in this instant.
void BlockAgent::check_outstanding(const Archive& archive,
                                   const std::vector<Outstanding>& requests) const {
  constexpr const char* kOthers = "a block agent waits for other requests than are under way";
  std::vector<std::int64_t> accesses(blocks_.size());
  std::vector<std::int64_t> waits(threads_.size());
  for (const Outstanding& each : requests) {
    const Request& request = each.request;
    if (request.flush) {
      archive.check_index(request.tag, threads_.size(), kOthers);
      ++waits[request.tag];
      continue;
    }
    archive.check_index(request.tag, blocks_.size(), kOthers);
    ++accesses[request.tag];
    const bool over =
        request.write && each.admitted && parameters_.how.write_end == WriteEnd::accepted;
    waits[blocks_[request.tag].thread] += over ? 0 : 1;
  }
  for (const Thread& thread : threads_) {
    if (thread.page_lines > 0 && (thread.pass > 0 || thread.accesses > 0)) {
      const Copy& copy = copy_of(parameters_.how.copy);
      std::int64_t sent = thread.accesses;
      for (std::size_t pass = 0; pass < thread.pass; ++pass) {
        sent += thread.page_lines * copy.pass(thread.write, pass)->accesses;
      }
      accesses[thread.block] += thread.page_lines * copy.accesses(thread.write) - sent;
    }
  }
  std::vector<bool> free(blocks_.size());
  for (const std::uint32_t block : free_blocks_) {
    free[block] = true;
  }
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    archive.check(accesses[block] == (free[block] ? 0 : blocks_[block].accesses) &&
                      (free[block] || accesses[block] > 0),
                  kOthers);
  }
  std::vector<bool> goes_on(threads_.size());
  steps_.each([&](const auto& step) {
    if (step.kind == Step::go_on) {
      goes_on[step.payload] = true;
    }
  });
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Thread& thread = threads_[i];
    archive.check(waits[i] == thread.outstanding && thread.fetches <= thread.outstanding, kOthers);
    archive.check(!thread.busy || thread.paused || waits[i] > 0 || goes_on[i], kOthers);
  }
}

}  // namespace hmsim
