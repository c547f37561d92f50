// SPDX-License-Identifier: BSD-3-Clause
#include "embed/embedded_memory.h"

#include <utility>

#include "check/protocol_checker.h"
#include "core/archive.h"
#include "core/checkpoint.h"
#include "core/errors.h"
#include "embed/host_config.h"

namespace hmsim {

EmbeddedMemory::EmbeddedMemory(EmbeddingHost& host, const SourceProgress& progress,
                               const Assignments& parameters, std::uint64_t seed, bool check)
    : host_(host),
      config_(host_config(parameters, values_)),
      memory_(config_, kernel_, seed),
      identity_(identity_of(values_, seed)) {
  if (config_.nvdimm.present &&
      config_.nvdimm.precondition.buffer == PreconditionBuffer::captured) {
    throw InputError("nvdimm.precondition.buffer: must be 'none' or 'dirty', got 'captured'");
  }
  memory_.set_requesters({this});
  memory_.set_progress(progress);
  if (check) {
    checker_ = std::make_unique<ProtocolChecker>(config_);
    checker_->watch(memory_);
  }
  registry_.counter("sim.ticks", "ps", "simulated time measured", {&ticks_});
  registry_.counter("sim.requests", "requests", "requests done while measuring", {&requests_done_});
  memory_.register_statistics(registry_);
  kernel_.notify_all();
  registry_.reset(Tick(0));
}

EmbeddedMemory::~EmbeddedMemory() = default;

// --- Requests

EmbeddedMemory::Sent EmbeddedMemory::send(const HostRequest& request, Tick now) {
  check_reach(request);
  const Tick time = at(now);
  if (!calling_) {
    process(time - Tick(1));
  }
  if (waiting(request.memory)) {
    return Sent::refused;
  }
  if (calling_) {
    enter(request, time);
  } else {
    sender_.set(request, time);
    kernel_.notify(sender_id_, time);
    calling_ = true;
    kernel_.step(time);
    calling_ = false;
  }
  return waiting(request.memory) ? Sent::waits : Sent::admitted;
}

void EmbeddedMemory::Sender::set(const HostRequest& request, Tick time) {
  request_ = request;
  time_ = time;
}

Tick EmbeddedMemory::Sender::advance(Tick now) {
  time_ = kNever;
  memory_.enter(request_, now);
  return time_;
}

void EmbeddedMemory::enter(const HostRequest& request, Tick now) {
  const std::int64_t line = kLineBytes.value();
  const std::int64_t first = request.address.value() / line;
  const std::int64_t last = (request.address.value() + request.size - 1) / line;
  const std::uint32_t tag = in_progress_.take();
  const std::uint64_t number = sent_++;
  in_progress_[tag] = {request.id, number, last - first + 1, last - first + 1, false};
  for (std::int64_t place = first; place <= last; ++place) {
    Request next;
    next.address = Address(place * line);
    next.tag = tag;
    next.source = request.source;
    next.memory = request.memory;
    next.write = request.write;
    memory_.send(next, now);
  }
  // It may have been admitted or done meanwhile.
  if (in_progress_.holds(tag) && in_progress_[tag].number == number &&
      in_progress_[tag].unadmitted > 0 &&
      memory_.would_wait(request.memory, Address(last * line))) {
    in_progress_[tag].awaited = true;
    waiting(request.memory) = true;
  }
}

void EmbeddedMemory::check_reach(const HostRequest& request) const {
  const std::int64_t capacity = memory_.capacity(request.memory).value();
  if (request.address < Address(0) || request.size < 1 || request.size > capacity ||
      request.address.value() > capacity - request.size) {
    throw InputError("a request of " + std::to_string(request.size) + " bytes at " +
                     std::to_string(request.address.value()) + " is outside the memory of " +
                     std::to_string(capacity) + " bytes");
  }
}

void EmbeddedMemory::on_admit(const Request& request, Tick now) {
  InProgress& whole = in_progress_.held(request.tag);
  if (--whole.unadmitted == 0 && whole.awaited) {
    waiting(request.memory) = false;
    called_at_ = now;
    host_.on_room(request.memory, now + shift_);
  }
}

void EmbeddedMemory::on_complete(const Request& request, Tick now) {
  InProgress& whole = in_progress_.held(request.tag);
  if (--whole.lines == 0) {
    const std::uint64_t id = whole.id;
    in_progress_.give_back(request.tag);
    ++requests_done_;
    called_at_ = now;
    host_.on_done(id, now + shift_);
  }
}

// --- Time

// Returns the kernel's time at which something that the simulator does at `now` takes effect.
Tick EmbeddedMemory::at(Tick now) {
  if (now < given_ && !calling_) {
    throw InputError("now: must not be before the time of an earlier call, " +
                     std::to_string(given_.value()) + " ps, got " + std::to_string(now.value()));
  }
  if (calling_) {
    if (now != called_at_ + shift_) {
      throw InputError("now: must be the time of the call into the simulator");
    }
    return called_at_;
  }
  given_ = now;
  return later(now - shift_, processed_ + Tick(1));
}

void EmbeddedMemory::process(Tick now) {
  if (now <= processed_) {
    return;
  }
  processed_ = now;
  if (kernel_.next_event() > now) {
    return;  // a host that ticks calls often
  }
  calling_ = true;
  kernel_.run_until(now);
  calling_ = false;
  if (checker_ != nullptr) {
    checker_->raise_if_violated();
  }
}

void EmbeddedMemory::run(Tick now) {
  if (calling_) {
    throw InputError("time must not be advanced within a call into the simulator");
  }
  at(now);
  process(now - shift_);
}

Tick EmbeddedMemory::next_event() const {
  const Tick next = kernel_.next_event();
  return next == kNever ? kNever : next + shift_;
}

// --- Statistics and states

std::vector<Statistic> EmbeddedMemory::statistics(Tick now) {
  run(now);
  ticks_ = static_cast<Counter>((now - shift_ - measured_from_).value());
  return registry_.read();
}

void EmbeddedMemory::reset_statistics(Tick now) {
  run(now);
  measured_from_ = now - shift_;
  registry_.reset(measured_from_);
}

std::string EmbeddedMemory::save(Tick now) {
  run(now);
  if (!idle()) {
    throw InputError("the memory must be idle to be saved");
  }
  Archive archive;
  serialize(archive);
  return seal_checkpoint(archive.bytes(), identity_);
}

void EmbeddedMemory::load(const std::string& state, Tick now) {
  if (memory_.requests() != 0 || processed_ >= Tick(0)) {
    throw InputError("a state can be loaded only into a memory that nothing was done with");
  }
  at(now);
  Archive archive(open_checkpoint(state, identity_));
  serialize(archive);
  if (!archive.at_end()) {
    throw InputError("the checkpoint contains more than this memory's state");
  }
  shift_ = now - processed_;
}

void EmbeddedMemory::serialize(Archive& archive) {
  archive.section("embedded");
  archive(processed_, measured_from_, ticks_, requests_done_);
  archive.check(processed_ >= Tick(0) && processed_ < kNever && measured_from_ <= processed_,
                "a time is invalid");
  memory_.serialize(archive);
  if (archive.loading()) {
    memory_.check_loaded(archive, false);
    archive.check(memory_.outstanding().empty(),
                  "cannot load a checkpoint: requests are in flight");
  }
  bool checked = checker_ != nullptr;
  archive(checked);
  if (checked != (checker_ != nullptr)) {
    throw InputError("the checkpoint was made with `check` being " +
                     std::string(checked ? "on" : "off"));
  }
  if (checked) {
    checker_->serialize(archive);
  }
  kernel_.serialize(archive);
}

}  // namespace hmsim
