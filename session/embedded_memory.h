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
#include "session/hmsim.h"
#include "session/session.h"
#include "session/session_storage.h"

namespace hmsim {

// A base, because its parts act before the memory, which another base has.
struct WithStorage {
  SessionStorage storage_;
};

class EmbeddedMemory final : private WithStorage, public EmbedCore, private SessionClient {
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
  // Takes requests, and counts them in `taken`. Throws InputError at the first invalid one.
  void submit(const hmsim_entry* entries, std::uint64_t n, std::int64_t now, std::uint64_t& taken);
  using ReceiptCall = void (*)(void* context, const hmsim_receipt* receipt);
  void set_receipt(ReceiptCall receipt);
  void run(std::int64_t now);        // processes all events up to `now`
  std::int64_t next_event() const {  // HMSIM_NEVER if none is scheduled
    return next_event_ == kNever ? HMSIM_NEVER : host(next_event_).value();
  }

  Bytes capacity(SessionTarget target) const { return session_.capacity(target); }
  bool idle() const { return session_.under_way() == 0 && EmbedCore::idle(); }

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

  // While requests are taken at `now`. A trim that ends at once calls the simulator.
  class Submitting {
   public:
    Submitting(EmbeddedMemory& memory, std::int64_t now);
    ~Submitting();
    Submitting(const Submitting&) = delete;
    Submitting& operator=(const Submitting&) = delete;
    const Tick time;  // of the kernel

   private:
    EmbeddedMemory& memory_;
    const bool outside_;  // of calls into the simulator
  };

  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  void on_ended(const Receipt& receipt, Tick now) override;
  void serialize_more(Archive& archive) override;
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
  // Enters the kernel at the time of a request that is sent outside of calls into the simulator.
  Tick enter_at(std::int64_t now);
  void take(const hmsim_entry& entry, Tick now);
  // The same for most entries, at a fraction of the cost. Returns false, and does nothing, if
  // take() must decide.
  bool take_line(const hmsim_entry& entry, Tick now) {
    const hmsim_request& request = entry.request;
    return entry.operation == HMSIM_ACCESS && entry.followed == 0 &&
           static_cast<unsigned>(request.memory) < kMemoryClasses &&
           session_.submit_line(
               static_cast<MemoryClass>(request.memory),
               {request.id, request.address, request.size, SessionTarget::dram,
                request.write != 0 ? SessionRequest::Kind::write : SessionRequest::Kind::read,
                request.source, entry.stream},
               now);
  }
  Tick time_of(std::int64_t now);
  void process(Tick now);

  hmsim_host host_;
  ReceiptCall receipt_ = nullptr;
  Session session_;
  std::array<Port, kMemoryClasses> ports_;
  bool calling_ = false;        // within run() or send()
  std::int64_t called_at_ = 0;  // simulator's time of the latest call into it
  Tick given_{0};               // latest time that the simulator gave
  Tick next_event_{0};          // of the kernel
};

}  // namespace hmsim
