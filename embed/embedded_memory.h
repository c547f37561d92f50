// SPDX-License-Identifier: BSD-3-Clause
// A memory system that another simulator calls, with the semantics of hmsim.h.
//
// Requests from calls into the simulator enter at the time of the call. Other requests enter after
// all events of their time, and therefore count as one picosecond later.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "embed/embed_core.h"
#include "embed/hmsim.h"

namespace hmsim {

class EmbeddedMemory final : public EmbedCore {
 public:
  // `host`: the calls into the simulator; done() exists. Others: see EmbedCore.
  EmbeddedMemory(const hmsim_host& host, const Assignments& parameters, std::uint64_t seed,
                 bool check);

  // Takes the request (HMSIM_OK, HMSIM_WAITS) unless an earlier one of its class waits
  // (HMSIM_FULL). room() follows when that one has its queue entry. Throws InputError if the
  // request reaches beyond its memory, or `now` is invalid.
  hmsim_status send(const hmsim_request& request, std::int64_t now) {
    if (calling_ && now == called_at_ && is_valid(request) && port_of(request).awaited == kNobody &&
        !in_flight_.full()) {
      return enter(request, local(Tick(now)));
    }
    return send_any(request, now);
  }
  void run(std::int64_t now);        // processes all events up to `now`
  std::int64_t next_event() const {  // HMSIM_NEVER if none is scheduled
    return next_event_ == kNever ? HMSIM_NEVER : host(next_event_).value();
  }

  // Statistics at `now`: sim.ticks, sim.requests and those of the memory system.
  std::vector<Statistic> statistics(std::int64_t now);
  void reset_statistics(std::int64_t now);

  // The memory must be idle. load() throws InputError if the state is damaged, or was saved with
  // other parameters or another seed. Call require_unused() before.
  std::string save(std::int64_t now);
  void load(const std::string& state, std::int64_t now);
  // Throws InputError, and changes nothing, if load() is called within a call into the simulator,
  // after another call, or with an invalid `now`.
  void require_unused(std::int64_t now);

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Port {
    std::uint32_t awaited = kNobody;  // tag of the request that waits for its queue entries
    std::int64_t lines = 0;           // of this request, without an entry
  };

  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  std::int64_t instructions(std::uint16_t source) const override {
    return host_.instructions == nullptr ? 0 : host_.instructions(host_.context, source);
  }

  static HostRequest of(const hmsim_request& request) {
    return {static_cast<MemoryClass>(request.memory),
            Address(static_cast<std::int64_t>(request.address)),
            static_cast<std::int64_t>(request.size),
            request.write != 0,
            request.source,
            request.id};
  }
  bool is_valid(const hmsim_request& request) const {
    return static_cast<unsigned>(request.memory) < kMemoryClasses && is_inside(of(request));
  }
  // `AnyRequest`: the simulator's or hmsim's.
  template <class AnyRequest>
  Port& port_of(const AnyRequest& request) {
    return ports_[static_cast<std::size_t>(request.memory)];
  }
  // Returns HMSIM_WAITS or HMSIM_OK.
  hmsim_status enter(const hmsim_request& request, Tick now) {
    const std::int64_t waiting = EmbedCore::send(of(request), now);
    if (waiting == 0) {
      return HMSIM_OK;
    }
    port_of(line_) = {line_.tag, waiting};
    return HMSIM_WAITS;
  }
  hmsim_status send_any(const hmsim_request& request, std::int64_t now);
  Tick time_of(std::int64_t now);
  void process(Tick now);

  hmsim_host host_;
  std::array<Port, kMemoryClasses> ports_;
  bool calling_ = false;        // within run() or send()
  std::int64_t called_at_ = 0;  // simulator's time of the latest call into it
  Tick given_{0};               // latest time that the simulator gave
  Tick next_event_{0};          // of the kernel
};

}  // namespace hmsim
