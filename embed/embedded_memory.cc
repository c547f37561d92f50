// SPDX-License-Identifier: BSD-3-Clause
#include "embed/embedded_memory.h"

#include "core/errors.h"

namespace hmsim {

EmbeddedMemory::EmbeddedMemory(const hmsim_host& host, const Assignments& parameters,
                               std::uint64_t seed, bool check)
    : EmbedCore(parameters, seed, check, "request", "embedded"),
      host_(host),
      next_event_(kernel_.next_event()) {
  processed_ = Tick(-1);  // a request at time 0 enters ahead of the events at 0
  if (host_.room == nullptr) {
    host_.room = [](void*, hmsim_class, std::int64_t) {};
  }
  if (config().nvdimm.present &&
      config().nvdimm.precondition.buffer == PreconditionBuffer::captured) {
    throw InputError("nvdimm.precondition.buffer: must be 'none' or 'dirty', got 'captured'");
  }
}

// --- Requests

hmsim_status EmbeddedMemory::send_any(const hmsim_request& request, std::int64_t now) {
  if (!is_valid(request)) {
    if (request.memory != HMSIM_DRAM && request.memory != HMSIM_NVDIMM) {
      throw InputError("memory: must be HMSIM_DRAM or HMSIM_NVDIMM");
    }
    refuse(static_cast<MemoryClass>(request.memory), request.address, request.size);
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
    return enter(request, local(Tick(now)));
  }
  const Tick next = processed_ + Tick(1);
  kernel_.enter(next);
  const hmsim_status status = enter(request, next);
  next_event_ = kernel_.next_event();
  return status;
}

void EmbeddedMemory::on_admit(const Request& request, Tick now) {
  Port& port = port_of(request);
  if (port.awaited == request.tag && --port.lines == 0) {
    port.awaited = kNobody;
    called_at_ = host(now).value();
    host_.room(host_.context, static_cast<hmsim_class>(request.memory), called_at_);
  }
}

void EmbeddedMemory::on_complete(const Request& request, Tick now) {
  if (const auto ended = in_flight_.end_line(request.tag, request.status)) {
    ++done_;
    called_at_ = host(now).value();
    host_.done(host_.context, ended->id, static_cast<hmsim_answer>(ended->status), called_at_);
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
  return later(local(given_), processed_ + Tick(1));
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
  raise_if_violated();
}

void EmbeddedMemory::run(std::int64_t now) {
  if (calling_) {
    throw InputError("time must not be advanced within a call into the simulator");
  }
  time_of(now);
  process(local(given_));
}

// --- Statistics and states

std::vector<Statistic> EmbeddedMemory::statistics(std::int64_t now) {
  run(now);
  return statistics_at(local(given_));
}

void EmbeddedMemory::reset_statistics(std::int64_t now) {
  run(now);
  reset_statistics_at(local(given_));
  next_event_ = kernel_.next_event();
}

std::string EmbeddedMemory::save(std::int64_t now) {
  run(now);
  if (!idle()) {
    throw InputError("the memory must be idle to be saved");
  }
  return EmbedCore::save();
}

void EmbeddedMemory::require_unused(std::int64_t now) {
  if (calling_) {
    throw InputError("a state must not be loaded within a call into the simulator");
  }
  if (memory_.requests() != 0 || processed_ >= Tick(0)) {
    throw InputError("a state can be loaded only into a memory that nothing was done with");
  }
  time_of(now);
}

void EmbeddedMemory::load(const std::string& state, std::int64_t now) {
  time_of(now);
  EmbedCore::load(state);
  shift_ = given_ - processed_;
  next_event_ = kernel_.next_event();
}

}  // namespace hmsim
