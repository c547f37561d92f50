// SPDX-License-Identifier: BSD-3-Clause
#include "session/embedded_memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/errors.h"

namespace hmsim {

static_assert(HMSIM_STORAGE == static_cast<int>(SessionTarget::storage));
static_assert(HMSIM_CAUSES == kSessionCauses && HMSIM_HELD == static_cast<int>(Cause::held) &&
              HMSIM_SOFTWARE == static_cast<int>(Cause::software) &&
              HMSIM_QUEUE == static_cast<int>(Cause::queue) &&
              HMSIM_LINK == static_cast<int>(Cause::link) &&
              HMSIM_SENSE == static_cast<int>(Cause::sense) &&
              HMSIM_TRANSFER == static_cast<int>(Cause::transfer) &&
              HMSIM_COLLECTION == static_cast<int>(Cause::collection) &&
              HMSIM_DEVICE == static_cast<int>(Cause::device));

namespace {

// Limits of an entry: of what a wrong pointer or count could make it read.
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostFollowed = 65'536;

SessionRequest::Kind kind_of(const hmsim_entry& entry) {
  switch (entry.operation) {
    case HMSIM_ACCESS:
      return entry.request.write != 0 ? SessionRequest::Kind::write : SessionRequest::Kind::read;
    case HMSIM_TRIM:
      return SessionRequest::Kind::trim;
    case HMSIM_FLUSH:
      return SessionRequest::Kind::flush;
    default:
      throw InputError("operation: must be HMSIM_ACCESS, HMSIM_TRIM or HMSIM_FLUSH");
  }
}

}  // namespace

EmbeddedMemory::EmbeddedMemory(const hmsim_host& host, const Assignments& parameters,
                               std::uint64_t seed, bool check)
    : EmbedCore(parameters, seed, check, "request", "embedded", &storage_),
      host_(host),
      session_(*this) {
  std::vector<Requester*> requesters{this, &session_};
  session_.connect(memory_, 1);
  storage_.connect(memory_, kernel_, seed, requesters);
  memory_.set_requesters(std::move(requesters));
  session_.connect(storage_.host());
  storage_.register_statistics(registry_);
  kernel_.notify_all();
  registry_.reset(Tick(0));
  next_event_ = kernel_.next_event();
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
    if (request.memory == HMSIM_STORAGE) {
      const Submitting submitting(*this, now);
      take({request, HMSIM_ACCESS, 0, 0, nullptr}, submitting.time);
      return HMSIM_OK;
    }
    if (request.memory != HMSIM_DRAM && request.memory != HMSIM_NVDIMM) {
      throw InputError("memory: must be HMSIM_DRAM, HMSIM_NVDIMM or HMSIM_STORAGE");
    }
    refuse(static_cast<MemoryClass>(request.memory), request.address, request.size);
  }
  const Tick time = enter_at(now);
  if (port_of(request).awaited != kNobody) {
    return HMSIM_FULL;
  }
  const hmsim_status status = enter(request, time);
  if (!calling_) {
    next_event_ = kernel_.next_event();
  }
  return status;
}

Tick EmbeddedMemory::enter_at(std::int64_t now) {
  if (calling_) {
    if (now != called_at_) {
      throw InputError("now: must be the time of the call into the simulator");
    }
    return local(Tick(now));
  }
  process(time_of(now) - Tick(1));
  const Tick next = processed_ + Tick(1);
  kernel_.enter(next);
  return next;
}

EmbeddedMemory::Submitting::Submitting(EmbeddedMemory& memory, std::int64_t now)
    : time(memory.enter_at(now)), memory_(memory), outside_(!memory.calling_) {
  if (outside_) {
    memory_.calling_ = true;
    memory_.called_at_ = memory_.host(time).value();
  }
}

EmbeddedMemory::Submitting::~Submitting() {
  if (outside_) {
    memory_.calling_ = false;
    memory_.next_event_ = memory_.kernel_.next_event();
  }
}

void EmbeddedMemory::submit(const hmsim_entry* entries, std::uint64_t n, std::int64_t now,
                            std::uint64_t& taken) {
  if (n > kMostEntries) {
    throw InputError("n: must be at most 2^32");
  }
  const Submitting submitting(*this, now);
  try {
    for (; taken < n; ++taken) {
      if (!take_line(entries[taken], submitting.time)) {
        take(entries[taken], submitting.time);
      }
    }
  } catch (const InputError& error) {
    throw InputError("entry " + std::to_string(taken) + ": " + error.what());
  }
}

void EmbeddedMemory::set_receipt(ReceiptCall receipt) {
  if (calling_) {
    throw InputError("receipts must not be asked for within a call into the simulator");
  }
  receipt_ = receipt;
  if (receipt != nullptr) {
    memory_.set_request_observer(session_);
  }
}

void EmbeddedMemory::take(const hmsim_entry& entry, Tick now) {
  const hmsim_request& request = entry.request;
  if (static_cast<unsigned>(request.memory) > HMSIM_STORAGE) {
    throw InputError("memory: must be HMSIM_DRAM, HMSIM_NVDIMM or HMSIM_STORAGE");
  }
  if (entry.followed > kMostFollowed || (entry.followed > 0 && entry.after == nullptr)) {
    throw InputError("followed: must be at most 65536 ids in `after`");
  }
  const SessionRequest taken{
      request.id,     request.address, request.size, static_cast<SessionTarget>(request.memory),
      kind_of(entry), request.source,  entry.stream};
  session_.check(taken);
  session_.submit(taken, entry.after, static_cast<std::size_t>(entry.followed), now);
}

void EmbeddedMemory::on_ended(const Receipt& receipt, Tick now) {
  ++done_;
  called_at_ = host(now).value();
  if (receipt_ != nullptr) {
    hmsim_receipt given{
        receipt.id, receipt.status, host(receipt.submitted).value(), called_at_, {}};
    std::transform(receipt.parts.begin(), receipt.parts.end(), given.parts,
                   [](Tick part) { return part.value(); });
    receipt_(host_.context, &given);
  }
  host_.done(host_.context, receipt.id, static_cast<hmsim_answer>(receipt.status), called_at_);
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

void EmbeddedMemory::serialize_more(Archive& archive) {
  if (Host* const storage = storage_.host()) {
    storage->serialize(archive);
  }
}

void EmbeddedMemory::load(const std::string& state, std::int64_t now) {
  time_of(now);
  EmbedCore::load(state);
  shift_ = given_ - processed_;
  next_event_ = kernel_.next_event();
}

}  // namespace hmsim
