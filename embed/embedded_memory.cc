// SPDX-License-Identifier: BSD-3-Clause
#include "embed/embedded_memory.h"

#include "check/protocol_checker.h"
#include "core/archive.h"
#include "core/checkpoint.h"
#include "core/errors.h"
#include "embed/host_config.h"

namespace hmsim {

namespace {

void no_room(void* /*context*/, hmsim_class /*memory*/, std::int64_t /*time*/) {}

hmsim_host complete(hmsim_host host) {
  if (host.done == nullptr) {
    throw InputError("host.done: must not be NULL");
  }
  if (host.room == nullptr) {
    host.room = no_room;
  }
  return host;
}

}  // namespace

EmbeddedMemory::EmbeddedMemory(const hmsim_host& host, const Assignments& parameters,
                               std::uint64_t seed, bool check)
    : host_(complete(host)),
      config_(host_config(parameters, values_)),
      memory_(config_, kernel_, seed),
      identity_(identity_of(values_, seed)) {
  if (config_.nvdimm.present &&
      config_.nvdimm.precondition.buffer == PreconditionBuffer::captured) {
    throw InputError("nvdimm.precondition.buffer: must be 'none' or 'dirty', got 'captured'");
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    ports_[i].capacity = static_cast<std::uint64_t>(capacity(static_cast<MemoryClass>(i)).value());
  }
  memory_.set_requesters({this});
  memory_.set_progress(*this);
  if (check) {
    checker_ = std::make_unique<ProtocolChecker>(config_);
    checker_->watch(memory_);
  }
  registry_.counter("sim.ticks", "ps", "simulated time measured", {&ticks_});
  registry_.counter("sim.requests", "requests", "requests done while measuring", {&requests_done_});
  memory_.register_statistics(registry_);
  kernel_.notify_all();
  registry_.reset(Tick(0));
  next_event_ = kernel_.next_event();
}

EmbeddedMemory::~EmbeddedMemory() = default;

std::int64_t EmbeddedMemory::instructions(std::uint16_t source) const {
  return host_.instructions == nullptr ? 0 : host_.instructions(host_.context, source);
}

// --- Requests

hmsim_status EmbeddedMemory::send_any(const hmsim_request& request, std::int64_t now) {
  if (!is_valid(request)) {
    refuse(request);
  }
  if (!calling_) {
    process(time_of(now) - Tick(1));
  } else if (now != called_at_) {
    throw InputError("now: must be the time of the call into the simulator");
  }
  if (port_of(request).awaited != kNobody) {
    return HMSIM_FULL;
  }
  if (calling_) {
    return enter_lines(request, Tick(now) - shift_);
  }
  const Tick next = processed_ + Tick(1);
  kernel_.enter(next);
  const hmsim_status status =
      is_of_one_line(request) ? enter_line(request, next) : enter_lines(request, next);
  next_event_ = kernel_.next_event();
  return status;
}

hmsim_status EmbeddedMemory::enter_lines(const hmsim_request& request, Tick now) {
  const std::uint64_t first = request.address / kLine;
  const std::uint64_t last = (request.address + request.size - 1) / kLine;
  const auto lines = static_cast<std::int64_t>(last - first + 1);
  line_.tag = in_flight_.add(request.id, lines);
  line_.source = request.source;
  line_.memory = static_cast<MemoryClass>(request.memory);
  line_.write = request.write != 0;
  bool waits = false;
  for (std::uint64_t line = first; line <= last; ++line) {
    line_.address = Address(static_cast<std::int64_t>(line * kLine));
    waits = memory_.send_and_ask(line_, now);
  }
  return waits ? await(lines) : HMSIM_OK;
}

void EmbeddedMemory::refuse(const hmsim_request& request) const {
  if (request.memory != HMSIM_DRAM && request.memory != HMSIM_NVDIMM) {
    throw InputError("memory: must be HMSIM_DRAM or HMSIM_NVDIMM");
  }
  throw InputError("a request of " + std::to_string(request.size) + " bytes at " +
                   std::to_string(request.address) + " is outside the memory of " +
                   std::to_string(ports_[static_cast<std::size_t>(request.memory)].capacity) +
                   " bytes");
}

void EmbeddedMemory::on_admit(const Request& request, Tick now) {
  Port& port = ports_[static_cast<std::size_t>(request.memory)];
  if (port.awaited == request.tag && --port.lines == 0) {
    port.awaited = kNobody;
    called_at_ = (now + shift_).value();
    host_.room(host_.context, static_cast<hmsim_class>(request.memory), called_at_);
  }
}

void EmbeddedMemory::on_complete(const Request& request, Tick now) {
  if (in_flight_.end_line(request.tag, request.status)) {
    ++requests_done_;
    called_at_ = (now + shift_).value();
    const auto answer = static_cast<hmsim_answer>(in_flight_.status(request.tag));
    host_.done(host_.context, in_flight_.remove(request.tag), answer, called_at_);
  }
}

// --- Time

// Returns the kernel's time at which something that the simulator does at `now`, outside of calls
// into it, takes effect.
Tick EmbeddedMemory::time_of(std::int64_t now) {
  if (now < 0 || now == HMSIM_NEVER) {
    throw InputError("now: must be at least 0 and before HMSIM_NEVER");
  }
  if (Tick(now) < given_) {
    throw InputError("now: must not be before the time of an earlier call, " +
                     std::to_string(given_.value()) + " ps, got " + std::to_string(now));
  }
  given_ = Tick(now);
  return later(given_ - shift_, processed_ + Tick(1));
}

void EmbeddedMemory::process(Tick now) {
  if (now <= processed_) {
    return;
  }
  processed_ = now;
  if (next_event_ > now) {
    return;  // a host that ticks calls often
  }
  calling_ = true;
  kernel_.run_until(now);
  calling_ = false;
  next_event_ = kernel_.next_event();
  if (checker_ != nullptr) {
    checker_->raise_if_violated();
  }
}

void EmbeddedMemory::run(std::int64_t now) {
  if (calling_) {
    throw InputError("time must not be advanced within a call into the simulator");
  }
  time_of(now);
  process(given_ - shift_);
}

// --- Statistics and states

std::vector<Statistic> EmbeddedMemory::statistics(std::int64_t now) {
  run(now);
  ticks_ = static_cast<Counter>((given_ - shift_ - measured_from_).value());
  return registry_.read();
}

void EmbeddedMemory::reset_statistics(std::int64_t now) {
  run(now);
  measured_from_ = given_ - shift_;
  registry_.reset(measured_from_);
  next_event_ = kernel_.next_event();
}

std::string EmbeddedMemory::save(std::int64_t now) {
  run(now);
  if (!idle()) {
    throw InputError("the memory must be idle to be saved");
  }
  Archive archive;
  serialize(archive);
  return seal_checkpoint(archive.bytes(), identity_);
}

void EmbeddedMemory::load(const std::string& state, std::int64_t now) {
  if (memory_.requests() != 0 || processed_ >= Tick(0)) {
    throw InputError("a state can be loaded only into a memory that nothing was done with");
  }
  time_of(now);
  Archive archive(open_checkpoint(state, identity_));
  serialize(archive);
  if (!archive.at_end()) {
    throw InputError("the checkpoint contains more than this memory's state");
  }
  shift_ = given_ - processed_;
  next_event_ = kernel_.next_event();
}

void EmbeddedMemory::serialize(Archive& archive) {
  archive.section("embedded");
  archive(processed_, measured_from_, ticks_, requests_done_);
  archive.check(processed_ >= Tick(0) && processed_ < kNever && measured_from_ <= processed_,
                "a time is invalid");
  serialize_idle(archive, memory_, checker_.get(), kernel_);
}

}  // namespace hmsim
