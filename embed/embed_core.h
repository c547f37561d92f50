// SPDX-License-Identifier: BSD-3-Clause
// Base of the adapters through which another simulator, the host, drives a memory system:
// MemoryGate (gem5's ports) and EmbeddedMemory (the C library,
// session/).
//
// It has what both need: the configuration of the memory side and its errors; kernel, memory system
// and protocol checker; the requests in flight, which it sends line by line; the host's time and
// the kernel's; statistics since the last reset; checkpoints of an idle memory. Both have one node,
// and neither data nor power failures. The adapters differ where their hosts do:
//
//                      MemoryGate                          EmbeddedMemory
//   time               to next_event(), after the host's   to any time
//                      own events; stops while suspended
//   calls to the host  after all events of a time          within events, at their exact times
//   full queue         refuses packets; ports offer again  takes one request, which waits; refuses
//                      in the order of refusal             others of its class until it is admitted
//   status (HBF)       not reported                        the largest of the request's lines
//   checkpoints        while suspended                     whenever idle
//
// Python's System is not derived from it, but uses Simulation without agents
// (simulation/simulation_by_hand.cc). Its requests carry data, and its checkpoints keep those in
// flight. It has several nodes, time series and policies in Python. A power failure replaces its
// memory system. Here, each request would pay for this with branches and a pointer to the memory
// system, and the class would repeat most of Simulation, which has to read and write the same
// checkpoints.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/memory_system.h"
#include "core/errors.h"
#include "core/kernel.h"
#include "core/parameters.h"
#include "core/statistics.h"
#include "embed/requests_in_flight.h"

namespace hmsim {

class Archive;
class ProtocolChecker;

// A request of the host.
struct HostRequest {
  MemoryClass memory = MemoryClass::dram;
  Address address{0};                      // of its first byte, within the memory
  std::int64_t size = kLineBytes.value();  // bytes, at least 1
  bool write = false;
  std::uint16_t source = 0;
  std::uint64_t id = 0;  // assigned by the host
};

// Parts of an adapter beside the memory system, with parameters in `storage` and `frontend.block`.
class EmbedParts {
 public:
  virtual void declare(ParameterSet& parameters) = 0;
  // Returns the errors of the parameters, which are set. `memory` is correct.
  virtual std::vector<ParameterError> check(const SystemConfig& memory) const = 0;
  // Attaches what acts before the memory at equal times.
  virtual void attach(Kernel& kernel, const SystemConfig& memory) = 0;

 protected:
  ~EmbedParts() = default;
};

class EmbedCore : protected Requester, protected SourceProgress {
 public:
  Bytes capacity(MemoryClass memory) const { return memory_.capacity(memory); }
  const SystemConfig& config() const { return memory_.config(); }
  const Assignments& parameters() const { return values_; }  // all parameters, presets filled in
  // Returns whether no request, flash operation or collection is in progress.
  bool idle() const { return memory_.idle(); }

 protected:
  // `parameters`: the user's assignments. Those of `frontend` and `storage` that no part declares
  // are ignored, because the host replaces these. `parts`: nullptr: none. `check`: verifies every
  // command; one that breaks a rule of devices, buses or the ack protocol raises a Fault. `noun`:
  // the adapter's word for a request. `name`: the adapter's, in checkpoints. Throws InputError with
  // one line per invalid parameter.
  EmbedCore(const Assignments& parameters, std::uint64_t seed, bool check, const char* noun,
            const char* name, EmbedParts* parts = nullptr);
  ~EmbedCore() override;

  // Returns whether the request is within its memory, which must be a MemoryClass.
  bool is_inside(const HostRequest& request) const {
    const Bytes capacity = capacities_[static_cast<std::size_t>(request.memory)];
    const auto bytes = static_cast<std::uint64_t>(capacity.value());
    return size_of(request) - 1 < bytes && begin_of(request) <= bytes - size_of(request);
  }
  // Throws the InputError of a request that is not inside. `Number`: the host's type.
  template <class Number>
  [[noreturn]] void refuse(MemoryClass memory, Number address, Number size) const {
    throw InputError("a " + std::string(noun_) + " of " + std::to_string(size) + " bytes at " +
                     std::to_string(address) + " is outside the memory of " +
                     std::to_string(capacity(memory).value()) + " bytes");
  }
  // Sends the lines of a request that is inside, at the kernel's time. Between the kernel's steps,
  // enter it before. Calls nothing back. Returns the number of lines if the last one waits, or 0.
  std::int64_t send(const HostRequest& request, Tick now) {
    line_.source = request.source;
    line_.memory = request.memory;
    line_.write = request.write;
    const std::uint64_t begin = begin_of(request);
    if (begin % kLineSize + size_of(request) > kLineSize) {
      return send_lines(request.id, begin, begin + size_of(request) - 1, now);
    }
    line_.tag = in_flight_.add(request.id, 1);
    return send_line(begin / kLineSize, now) ? 1 : 0;
  }

  Tick local(Tick host) const { return host - shift_; }
  Tick host(Tick local) const { return local + shift_; }
  void raise_if_violated() const;  // raises a Fault if a command broke a rule

  // Returns sim.ticks, sim.requests and the statistics of the memory system at the kernel's time.
  std::vector<Statistic> statistics_at(Tick now);
  void reset_statistics_at(Tick now);

  // Require an idle memory. load() throws InputError if the state is damaged, or was saved with
  // other parameters, another seed or another `check`.
  std::string save();
  void load(const std::string& state);

 private:
  static std::uint64_t begin_of(const HostRequest& request) {
    return static_cast<std::uint64_t>(request.address.value());
  }
  static std::uint64_t size_of(const HostRequest& request) {
    return static_cast<std::uint64_t>(request.size);
  }
  bool send_line(std::uint64_t number, Tick now) {
    line_.address = Address(static_cast<std::int64_t>(number * kLineSize));
    return memory_.send_and_ask(line_, now);
  }
  virtual void serialize_more(Archive& /*archive*/) {}  // of the adapter
  std::int64_t send_lines(std::uint64_t id, std::uint64_t begin, std::uint64_t last, Tick now);
  void serialize(Archive& archive);

  Assignments values_;

 protected:
  Kernel kernel_;
  MemorySystem memory_;
  RequestsInFlight in_flight_;
  Request line_;       // sent last
  Counter done_ = 0;   // requests, while measuring
  Tick processed_{0};  // the kernel's time up to which events are processed
  Tick shift_{0};      // the host's time minus the kernel's
  StatisticRegistry registry_;

 private:
  const std::array<Bytes, kMemoryClasses> capacities_;
  std::unique_ptr<ProtocolChecker> checker_;  // null unless checking
  const std::uint64_t identity_;
  const char* const noun_;
  const char* const name_;
  Tick measured_from_{0};
  Counter ticks_ = 0;
};

}  // namespace hmsim
