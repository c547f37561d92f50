// SPDX-License-Identifier: BSD-3-Clause
#include "embed/memory_gate.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"

namespace hmsim {

MemoryGate::MemoryGate(GateHost& host, const Assignments& parameters, std::uint64_t seed,
                       bool check)
    : EmbedCore(parameters, seed, check, "packet", "gate"), host_(host) {}

void MemoryGate::observe_lines(LineObserver& observer) {
  lines_ = &observer;
  memory_.set_request_observer(*this);
}

void MemoryGate::write_before(const std::vector<std::int64_t>& pages) {
  ensure(untouched(), "gate", processed_, -1,
         "pages written before simulated time must be set before it begins");
  const NvdimmParameters& nvdimm = config().nvdimm;
  const bool held = nvdimm.present && nvdimm.precondition.buffer == PreconditionBuffer::captured;
  if (held && pages.empty()) {
    throw InputError(
        "nvdimm.precondition.buffer: 'captured' needs pages written before simulated time began, "
        "and there are none: must be 'none' or 'dirty'");
  }
  if (pages.empty()) {
    return;
  }
  memory_.write_before(pages);
  if (held) {
    memory_.hold_written({pages.rbegin(), pages.rend()});
  }
  kernel_.notify_all();
}

// --- Ports

bool MemoryGate::offer(const GatePacket& packet, Tick now) {
  if (!is_inside(packet)) {
    refuse(packet.memory, packet.address.value(), packet.size);
  }
  ensure(!suspended_, "gate", now, -1, "a packet arrived while simulated time is stopped");
  if (std::any_of(waiting_.begin(), waiting_.end(),
                  [&](const Waiting& each) { return each.port == packet.memory; })) {
    return false;
  }
  const bool is_behind =
      !config().controller.split() && !waiting_.empty() && turn_ != packet.memory;
  turn_.reset();
  if (is_behind || memory_.would_wait(packet.memory, packet.address)) {
    waiting_.push_back({packet.memory, packet.address});
    return false;
  }
  const Tick time = later(local(now), processed_ + Tick(1));
  kernel_.run_until(time - Tick(1));
  kernel_.enter(time);
  send(packet, time);
  host_.on_taken(packet, time);
  return true;
}

void MemoryGate::on_complete(const Request& request, Tick /*now*/) {
  if (const auto ended = in_flight_.end_line(request.tag)) {
    ++done_;
    ended_.push_back(ended->id);
  }
}

// --- Time

Tick MemoryGate::next_event() const {
  const Tick next = suspended_ ? kNever : ended_.empty() ? kernel_.next_event() : kernel_.now();
  return next == kNever ? kNever : host(next);
}

void MemoryGate::advance(Tick now) {
  if (suspended_) {
    return;
  }
  processed_ = later(processed_, local(now));
  kernel_.run_until(processed_);
  raise_if_violated();
  for (const std::uint64_t id : std::exchange(ended_, {})) {
    host_.on_done(id);
  }
  notify_room();
}

// Notifies each waiting port at most once. The packet that a port then offers may have to wait
// again.
void MemoryGate::notify_room() {
  std::size_t place = 0;
  for (std::size_t left = waiting_.size(); left > 0 && place < waiting_.size(); --left) {
    const Waiting waiting = waiting_[place];
    if (memory_.would_wait(waiting.port, waiting.address)) {
      if (!config().controller.split()) {
        return;
      }
      ++place;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(place));
    turn_ = waiting.port;
    host_.on_room(waiting.port);
    turn_.reset();
  }
}

bool MemoryGate::idle() const { return ended_.empty() && waiting_.empty() && memory_.idle(); }

void MemoryGate::suspend(Tick now) {
  ensure(idle(), "gate", now, -1, "cannot stop simulated time: requests are in flight");
  processed_ = catch_up(now);
  suspended_ = true;
}

void MemoryGate::resume(Tick now) {
  shift_ = now - processed_;
  suspended_ = false;
}

// --- Statistics and checkpoints

// Advances to `now`, without events at `now` itself: their turn comes later.
Tick MemoryGate::catch_up(Tick now) {
  if (suspended_ || local(now) <= processed_) {
    return processed_;
  }
  kernel_.run_until(local(now) - Tick(1));
  return local(now);
}

std::vector<Statistic> MemoryGate::statistics(Tick now) { return statistics_at(catch_up(now)); }

void MemoryGate::reset_statistics(Tick now) { reset_statistics_at(catch_up(now)); }

std::string MemoryGate::save() {
  ensure(suspended_ && idle(), "gate", processed_, -1,
         "cannot save a checkpoint: requests are in flight");
  return EmbedCore::save();
}

}  // namespace hmsim
