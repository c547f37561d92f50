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

// The tag of an access is its block, that of a flush its thread.
void BlockAgent::check_outstanding(const Archive& archive,
                                   const std::vector<Outstanding>& requests) const {
  constexpr const char* kOthers = "a block agent waits for other requests than are under way";
  if (carrier_) {
    archive.check(requests.empty() && ledger_.size() == 0, kOthers);
    carrier_->check(archive, threads_);
    return;
  }
  for (const Outstanding& each : requests) {
    archive.check_index(each.request.tag, each.request.flush ? threads_.size() : ledger_.size(),
                        kOthers);
  }
}

}  // namespace hmsim
