// SPDX-License-Identifier: BSD-3-Clause
#include "embed/memory_gate.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "check/protocol_checker.h"
#include "core/archive.h"
#include "core/checkpoint.h"
#include "core/errors.h"
#include "embed/host_config.h"

namespace hmsim {

MemoryGate::MemoryGate(GateHost& host, const Assignments& parameters, std::uint64_t seed,
                       bool check)
    : host_(host),
      config_(host_config(parameters, values_)),
      memory_(config_, kernel_, seed),
      identity_(identity_of(values_, seed)) {
  memory_.set_requesters({this});
  memory_.set_progress(*this);
  if (check) {
    checker_ = std::make_unique<ProtocolChecker>(config_);
    checker_->watch(memory_);
  }
  registry_.counter("sim.ticks", "ps", "simulated time measured", {&ticks_});
  registry_.counter("sim.requests", "requests", "packets done while measuring", {&packets_done_});
  memory_.register_statistics(registry_);
  kernel_.notify_all();
  registry_.reset(Tick(0));
}

MemoryGate::~MemoryGate() = default;

void MemoryGate::observe_lines(LineObserver& observer) {
  lines_ = &observer;
  memory_.set_request_observer(*this);
}

void MemoryGate::write_before(const std::vector<std::int64_t>& pages) {
  ensure(untouched(), "gate", advanced_, -1,
         "pages written before simulated time must be set before it begins");
  const bool held =
      config_.nvdimm.present && config_.nvdimm.precondition.buffer == PreconditionBuffer::captured;
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
  const std::int64_t capacity = memory_.capacity(packet.memory).value();
  if (packet.address < Address(0) || packet.size < 1 || packet.size > capacity ||
      packet.address.value() > capacity - packet.size) {
    throw InputError("a packet of " + std::to_string(packet.size) + " bytes at " +
                     std::to_string(packet.address.value()) + " is outside the memory of " +
                     std::to_string(capacity) + " bytes");
  }
  ensure(!suspended_, "gate", now, -1, "a packet arrived while simulated time is stopped");
  if (has_refused(packet.memory)) {
    return false;
  }
  const bool must_wait = this->must_wait(packet);
  turn_.reset();
  if (must_wait) {
    waiting_.push_back({packet.memory, packet.address});
    return false;
  }
  take(packet, now);
  return true;
}

bool MemoryGate::has_refused(MemoryClass port) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [port](const Waiting& waiting) { return waiting.port == port; });
}

bool MemoryGate::must_wait(const GatePacket& packet) const {
  const bool behind_another =
      !config_.controller.split() && !waiting_.empty() && turn_ != packet.memory;
  return behind_another || memory_.would_wait(packet.memory, packet.address);
}

void MemoryGate::take(const GatePacket& packet, Tick now) {
  const std::uint32_t tag = under_way_.take();
  const Tick time = later(local(now), advanced_ + Tick(1));
  kernel_.run_until(time - Tick(1));
  sender_.set(packet, tag, time);
  kernel_.notify(sender_id_);
  kernel_.step(time);
  host_.on_taken(packet, time);
}

void MemoryGate::Sender::set(const GatePacket& packet, std::uint32_t tag, Tick time) {
  packet_ = packet;
  tag_ = tag;
  time_ = time;
}

Tick MemoryGate::Sender::advance(Tick now) {
  time_ = kNever;
  const std::int64_t line = kLineBytes.value();
  const std::int64_t first = packet_.address.value() / line;
  const std::int64_t last = (packet_.address.value() + packet_.size - 1) / line;
  gate_.under_way_[tag_] = {packet_.id, last - first + 1};
  for (std::int64_t number = first; number <= last; ++number) {
    Request request;
    request.address = Address(number * line);
    request.tag = tag_;
    request.source = packet_.source;
    request.memory = packet_.memory;
    request.write = packet_.write;
    gate_.memory_.send(request, now);
  }
  return time_;
}

void MemoryGate::on_complete(const Request& request, Tick /*now*/) {
  UnderWay& packet = under_way_[request.tag];
  if (--packet.lines == 0) {
    done_.push_back(packet.id);
    under_way_.give_back(request.tag);
    ++packets_done_;
  }
}

// --- Time

Tick MemoryGate::next_event() const {
  const Tick next = suspended_ ? kNever : done_.empty() ? kernel_.next_event() : kernel_.now();
  return next == kNever ? kNever : next + shift_;
}

void MemoryGate::advance(Tick now) {
  if (suspended_) {
    return;
  }
  advanced_ = later(advanced_, local(now));
  kernel_.run_until(advanced_);
  if (checker_ != nullptr) {
    checker_->raise_if_violated();
  }
  tell_done();
  notify_room();
}

void MemoryGate::tell_done() {
  for (const std::uint64_t id : std::exchange(done_, {})) {
    host_.on_done(id);
  }
}

// Notifies each waiting port at most once. The packet that a port then offers may have to wait
// again.
void MemoryGate::notify_room() {
  std::size_t place = 0;
  for (std::size_t left = waiting_.size(); left > 0 && place < waiting_.size(); --left) {
    const Waiting waiting = waiting_[place];
    if (memory_.would_wait(waiting.port, waiting.address)) {
      if (!config_.controller.split()) {
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

bool MemoryGate::idle() const {
  return done_.empty() && waiting_.empty() && under_way_.used() == 0 && memory_.idle();
}

void MemoryGate::suspend(Tick now) {
  ensure(idle(), "gate", now, -1, "cannot stop simulated time: requests are in flight");
  advanced_ = catch_up(now);
  suspended_ = true;
}

void MemoryGate::resume(Tick now) {
  shift_ = now - advanced_;
  suspended_ = false;
}

// --- Statistics and checkpoints

// Advances to `now`, without events at `now` itself: their turn comes later.
Tick MemoryGate::catch_up(Tick now) {
  const Tick present = suspended_ ? advanced_ : later(advanced_, local(now));
  if (present > advanced_) {
    kernel_.run_until(present - Tick(1));
  }
  return present;
}

std::vector<Statistic> MemoryGate::statistics(Tick now) {
  ticks_ = static_cast<Counter>((catch_up(now) - measured_from_).value());
  return registry_.read();
}

void MemoryGate::reset_statistics(Tick now) {
  measured_from_ = catch_up(now);
  registry_.reset(measured_from_);
}

std::string MemoryGate::save() {
  ensure(suspended_ && idle(), "gate", advanced_, -1,
         "cannot save a checkpoint: requests are in flight");
  Archive archive;
  serialize(archive);
  return seal_checkpoint(archive.bytes(), identity_);
}

void MemoryGate::load(const std::string& checkpoint) {
  Archive archive(open_checkpoint(checkpoint, identity_));
  serialize(archive);
  if (!archive.at_end()) {
    throw InputError("the checkpoint contains more than this memory's state");
  }
}

void MemoryGate::serialize(Archive& archive) {
  archive.section("gate");
  archive(advanced_, measured_from_, ticks_, packets_done_);
  serialize_idle(archive, memory_, checker_.get(), kernel_);
}

}  // namespace hmsim
