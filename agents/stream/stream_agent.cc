// SPDX-License-Identifier: BSD-3-Clause
#include "agents/stream/stream_agent.h"

#include <algorithm>

#include "core/archive.h"
#include "core/clock.h"
#include "core/errors.h"

namespace hmsim {

void StreamAgent::declare(ParameterSet& parameters) {
  declare_core(parameters);
  Agent::declare(parameters);
  parameters.choice<Target>(
      "target", target_,
      {{"dram", Target::dram}, {"nvdimm", Target::nvdimm}, {"system", Target::system}},
      {"memory that addresses refer to, modulo its capacity; system: the DRAM, then the NVDIMM",
       "the workload's own"});
}

Bytes StreamAgent::target_capacity() const {
  const MemoryPort& port = *environment().port;
  const Bytes dram = target_ == Target::nvdimm ? Bytes(0) : port.capacity(MemoryClass::dram);
  const Bytes nvdimm = target_ == Target::dram ? Bytes(0) : port.capacity(MemoryClass::nvdimm);
  return dram + nvdimm;
}

void StreamAgent::prepare() {
  capacity_ = static_cast<std::uint64_t>(target_capacity().value());
  if (capacity_ == 0) {
    throw InputError(name() + ".target: must be a memory that the configuration has");
  }
  dram_capacity_ =
      target_ == Target::nvdimm
          ? 0
          : static_cast<std::uint64_t>(environment().port->capacity(MemoryClass::dram).value());
  bounds_ = open();
  returning_ = Delay<bool>(bounds_.latency);
  start_pass(Tick(0));
}

void StreamAgent::start_pass(Tick now) {
  origin_ = now;
  sent_ = 0;
  fetch();
  wake_ = due();
}

void StreamAgent::fetch() {
  const bool within = requests_ == 0 || sent_ < requests_;
  if (!within || !next(next_.emplace())) {
    next_.reset();
  }
}

void StreamAgent::pump(Tick now) {
  if (pumping_) {
    return;
  }
  pumping_ = true;
  wake_ = kNever;
  while (outside_ < bounds_.outside && next_ && !in_flight_full()) {
    if (due() > now) {
      wake_ = due();
      break;
    }
    send_next(now);
  }
  if (!next_ && outstanding_ == 0) {
    finish(now);
    rewind();
    start_pass(now + kRestartGap);
  }
  pumping_ = false;
}

void StreamAgent::send_next(Tick now) {
  const Place place = place_of(*next_);
  const bool write = next_->write;
  const std::uint16_t context = next_->context;
  if (bounds_.timed) {
    held_back_.add(now - due());
  }
  count_wraps(next_->address >= capacity_ ? 1 : 0);
  ++sent_;
  ++outside_;
  ++outstanding_;
  fetch();
  send(place.memory, place.line, write, 0, now, context);
}

StreamAgent::Place StreamAgent::place_of(const StreamRequest& request) const {
  const auto line_bytes = static_cast<std::uint64_t>(kLineBytes.value());
  const std::uint64_t within =
      request.address < capacity_ ? request.address : request.address % capacity_;
  const std::uint64_t line = within - within % line_bytes;
  const bool dram = line < dram_capacity_;
  return {dram ? MemoryClass::dram : MemoryClass::nvdimm,
          Address(static_cast<std::int64_t>(dram ? line : line - dram_capacity_))};
}

// Ignores `to_limit`, because generated requests have no end. kMostRead bounds background streams,
// which may have no limit.
void StreamAgent::each_page_read(bool /*to_limit*/, const PageVisitor& visit) {
  constexpr std::int64_t kMostRead = 1 << 24;  // requests
  bool wanted = true;
  for (; wanted && next_ && sent_ < kMostRead; fetch()) {
    ++sent_;
    const Place place = place_of(*next_);
    wanted = next_->write || place.memory == MemoryClass::dram ||
             visit(place.line.value() / kPageBytes.value());
  }
}

[[gnu::noinline]] void StreamAgent::pump_and_tell(Tick now) {
  const Tick before = wake_;
  pump(now);
  if (wake_ != before) {
    notify();
  }
}

// Frees a place outside the controller. Sends further requests only if the limit `outside` held
// back the next one or its send time has come. Otherwise pump() would send nothing.
void StreamAgent::waits_no_more(Tick now) {
  const bool held = outside_ == bounds_.outside;
  --outside_;
  if (held || wake_ <= now) {
    pump_and_tell(now);
  }
}

void StreamAgent::handle_completion(const Request& request, Tick now) {
  const bool linked = request.link != Tick(0);
  if (bounds_.latency > Tick(0)) {
    const Tick before = next_event();
    returning_.enter(linked, now);
    if (next_event() != before) {
      notify();
    }
    return;
  }
  const bool held = in_flight_full();
  leave_flight(linked);
  if (held || wake_ <= now || !next_) {
    pump_and_tell(now);
  }
}

// Restarts the limit, which then counts the requests sent from now on. A request already fetched is
// the first of them.
void StreamAgent::restart_limit(Tick now) {
  sent_ = 0;
  if (!next_) {
    fetch();
    wake_ = next_ ? later(now, due()) : kNever;
    notify();
  }
}

void StreamAgent::register_statistics(StatisticRegistry& registry, const std::string& path) {
  if (!bounds_.timed) {
    return;
  }
  StatisticGroup(registry, path).times("held_back_us", kHeldBack, held_back_.histogram());
  registry.on_read([this] { held_back_.fold(); });
  registry.on_reset([this](Tick) { held_back_ = RepeatedTimes(); });
}

double StreamAgent::pass_fraction(Tick) const {
  return requests_ == 0 ? source_fraction()
                        : std::min(1.0, static_cast<double>(sent_ - std::min(sent_, outstanding_)) /
                                            static_cast<double>(requests_));
}

void StreamAgent::serialize_state(Archive& archive) {
  archive.section("stream");
  archive(next_, origin_, wake_, sent_, done_, outside_, outstanding_, on_links_, held_back_,
          returning_);
  // pump() relies on these counters to limit the requests in flight.
  std::int64_t returning = 0;
  returning_.each([&returning](bool) { ++returning; });
  archive.check(outside_ >= 0 && outstanding_ >= returning && on_links_ >= 0,
                "stream in wait for requests without requests");
  serialize_source(archive);
}

}  // namespace hmsim
