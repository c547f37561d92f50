// SPDX-License-Identifier: BSD-3-Clause
// A memory system that another simulator calls, with the semantics of hmsim.h.
//
// Requests from calls into the simulator enter at the time of the call. Other requests enter after
// all events of their time, and therefore count as one picosecond later.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "controller/memory_system.h"
#include "core/kernel.h"
#include "core/parameters.h"
#include "core/statistics.h"
#include "embed/hmsim.h"
#include "embed/requests_in_flight.h"

namespace hmsim {

class ProtocolChecker;

class EmbeddedMemory final : private Requester, private SourceProgress {
 public:
  // `host`: the calls into the simulator; done() must exist. `parameters`: see host_config().
  // `check`: verifies every command; one that breaks a rule of devices or buses raises a Fault.
  // Throws InputError with one line per invalid parameter.
  EmbeddedMemory(const hmsim_host& host, const Assignments& parameters, std::uint64_t seed,
                 bool check);
  ~EmbeddedMemory() override;

  // Takes the request (HMSIM_OK, HMSIM_WAITS) unless an earlier one of its class waits
  // (HMSIM_FULL). room() follows when that one has its queue entry. Throws InputError if the
  // request reaches beyond its memory, or `now` is invalid.
  hmsim_status send(const hmsim_request& request, std::int64_t now) {
    if (calling_ && now == called_at_ && is_valid(request) && is_of_one_line(request) &&
        port_of(request).awaited == kNobody && !in_flight_.full()) {
      return enter_line(request, Tick(now) - shift_);
    }
    return send_any(request, now);
  }
  void run(std::int64_t now);        // processes all events up to `now`
  std::int64_t next_event() const {  // HMSIM_NEVER if none is scheduled
    return next_event_ == kNever ? HMSIM_NEVER : (next_event_ + shift_).value();
  }

  // Returns whether no request, flash operation or collection is in progress.
  bool idle() const { return memory_.idle(); }
  Bytes capacity(MemoryClass memory) const { return memory_.capacity(memory); }

  // Statistics at `now`: sim.ticks, sim.requests and those of the memory system.
  std::vector<Statistic> statistics(std::int64_t now);
  void reset_statistics(std::int64_t now);

  // The memory must be idle. load() requires that nothing was sent before, and throws InputError if
  // the state is damaged, or was saved with other parameters or another seed.
  std::string save(std::int64_t now);
  void load(const std::string& state, std::int64_t now);

 private:
  static constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes.value());
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Port {
    std::uint64_t capacity = 0;       // bytes
    std::uint32_t awaited = kNobody;  // tag of the request that waits for its queue entries
    std::int64_t lines = 0;           // of this request, without an entry
  };

  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  std::int64_t instructions(std::uint16_t source) const override;

  bool is_valid(const hmsim_request& request) const {
    if (static_cast<unsigned>(request.memory) >= kMemoryClasses) {
      return false;
    }
    const std::uint64_t capacity = ports_[static_cast<std::size_t>(request.memory)].capacity;
    return request.size - 1 < capacity && request.address <= capacity - request.size;
  }
  static bool is_of_one_line(const hmsim_request& request) {
    return request.address % kLine + request.size <= kLine;
  }
  Port& port_of(const hmsim_request& request) {
    return ports_[static_cast<std::size_t>(request.memory)];
  }

  // The memory system calls nothing back while it is sent to. Both return HMSIM_WAITS or HMSIM_OK.
  hmsim_status enter_line(const hmsim_request& request, Tick now) {
    line_.address = Address(static_cast<std::int64_t>(request.address & ~(kLine - 1)));
    line_.tag = in_flight_.add(request.id, 1);
    line_.source = request.source;
    line_.memory = static_cast<MemoryClass>(request.memory);
    line_.write = request.write != 0;
    return memory_.send_and_ask(line_, now) ? await(1) : HMSIM_OK;
  }
  // The request that was sent last, of `lines` lines, waits.
  hmsim_status await(std::int64_t lines) {
    Port& port = ports_[static_cast<std::size_t>(line_.memory)];
    port.awaited = line_.tag;
    port.lines = lines;
    return HMSIM_WAITS;
  }
  hmsim_status enter_lines(const hmsim_request& request, Tick now);
  hmsim_status send_any(const hmsim_request& request, std::int64_t now);
  [[noreturn]] void refuse(const hmsim_request& request) const;
  Tick time_of(std::int64_t now);
  void process(Tick now);
  void serialize(Archive& archive);

  const hmsim_host host_;
  Assignments values_;
  SystemConfig config_;
  Kernel kernel_;
  MemorySystem memory_;
  std::unique_ptr<ProtocolChecker> checker_;  // null unless checking
  StatisticRegistry registry_;
  const std::uint64_t identity_;

  std::array<Port, kMemoryClasses> ports_;
  RequestsInFlight in_flight_;
  Request line_;                // being sent
  bool calling_ = false;        // within run() or send()
  std::int64_t called_at_ = 0;  // simulator's time of the latest call into it
  Tick given_{0};               // latest time that the simulator gave
  Tick processed_{-1};          // all events up to this time are processed
  Tick next_event_{0};          // of the kernel
  Tick shift_{0};               // simulator's time minus that of the kernel, after load()
  Tick measured_from_{0};
  Counter ticks_ = 0;
  Counter requests_done_ = 0;
};

}  // namespace hmsim
