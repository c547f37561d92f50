// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints of block agents: each collaborator saves and checks itself; what holds between them
// is checked here.
#include "agents/block/block_agent.h"
#include "agents/clock.h"
#include "core/places.h"

namespace hmsim {

namespace {

constexpr const char* kWrong = "a block agent does not hold together";

}  // namespace

void BlockAgent::serialize_state(Archive& archive) {
  archive.section("block");
  archive(source_, threads_, copier_, barrier_, ledger_, meter_, io_meter_, steps_,
          between_passes_);
  if (archive.loading()) {
    threads_.check(archive, layout_.lines(), copier_.copy(), ledger_.size());
    barrier_.check(archive, threads_);
    ledger_.check(archive, threads_.size());
    check_steps(archive);
    if (source_.inferred()) {
      source_.check_taken(archive, threads_.serials());
    }
  }
}

// A thread that is paused has one step to come, or waits at the barrier.
void BlockAgent::check_steps(const Archive& archive) const {
  Places paused(archive, threads_.size(), kWrong);
  int passes = 0;
  steps_.each([&](const auto& step) {
    archive.check(step.time >= Tick(0) && step.time <= kLongestTime, kWrong);
    if (step.kind == Step::start_pass) {
      ++passes;
    } else if (step.kind == Step::go_on) {
      archive.check_index(step.payload, threads_.size(), kWrong);
    } else {
      paused.take(step.payload);
    }
  });
  barrier_.each_waiting([&](std::uint32_t thread) { paused.take(thread); });
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    archive.check(paused.has(i) == (threads_[i].busy && threads_[i].paused), kWrong);
  }
  archive.check(passes == (between_passes_ ? 1 : 0) && (!between_passes_ || threads_.busy() == 0),
                kWrong);
}

// Each access is one of a block, and counts for its thread as long as that waits for it.
void BlockAgent::check_outstanding(const Archive& archive,
                                   const std::vector<Outstanding>& requests) const {
  constexpr const char* kOthers = "a block agent waits for other requests than are under way";
  if (carrier_) {
    archive.check(requests.empty() && ledger_.size() == 0, kOthers);
    carrier_->check(archive, threads_);
    return;
  }
  std::vector<std::int64_t> accesses(ledger_.size());
  std::vector<std::int64_t> waits(threads_.size());
  for (const Outstanding& each : requests) {
    const Request& request = each.request;
    if (request.flush) {
      archive.check_index(request.tag, threads_.size(), kOthers);
      ++waits[request.tag];
    } else {
      archive.check_index(request.tag, ledger_.size(), kOthers);
      ++accesses[request.tag];
      const bool over = each.admitted && ends_when_accepted(request);
      waits[ledger_.thread_of(request.tag)] += over ? 0 : 1;
    }
  }
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    if (threads_[i].page.begun()) {
      accesses[threads_[i].page.block] += copier_.unsent(threads_[i]);
    }
  }
  ledger_.check_accesses(archive, accesses, kOthers);
  check_threads(archive, waits, kOthers);
}

// Threads wait for so many accesses and flushes. One with a request that waits for nothing is
// paused, or was told to go on in this instant.
void BlockAgent::check_threads(const Archive& archive, const std::vector<std::int64_t>& waits,
                               const char* what) const {
  std::vector<bool> goes_on(threads_.size());
  steps_.each([&](const auto& step) {
    if (step.kind == Step::go_on) {
      goes_on[step.payload] = true;
    }
  });
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const BlockThread& thread = threads_[i];
    archive.check(waits[i] == thread.outstanding && thread.fetches <= thread.outstanding, what);
    archive.check(!thread.can_go_on() || waits[i] > 0 || goes_on[i], what);
  }
}

}  // namespace hmsim
