// SPDX-License-Identifier: BSD-3-Clause
// Queue of the processor in front of all channels of a memory system. A request holds an entry from
// its entry until its answer; later requests wait outside in order of arrival.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "controller/config/host_parameters.h"
#include "controller/link/device_load.h"
#include "core/kernel.h"
#include "core/request.h"
#include "core/ring.h"
#include "core/statistics.h"
#include "policies/host_limiter.h"

namespace hmsim {

// Receives the requests that have entered, for their channels.
class HostTarget {
 public:
  virtual ~HostTarget() = default;
  virtual void enter(const Request& request, Tick now) = 0;
  virtual Tier tier_of(MemoryClass memory, Address address) const = 0;
};

// A flush takes no entry. It enters after all earlier slow requests, and before all later ones.
class HostQueue final : public Component, public Requester, public LoadListener {
 public:
  HostQueue(const HostParameters& parameters, const Assignments& assignments, HostTarget& target);

  // `requesters` is indexed by Request::agent. Call requesters_set() when it is complete.
  void attach(Kernel& kernel, const std::vector<Requester*>& requesters);
  void requesters_set() { stand_ins_.assign(requesters_->size(), this); }
  // Returns the requesters that channels answer: this queue, for each agent.
  const std::vector<Requester*>& stand_ins() const { return stand_ins_; }

  void send(const Request& request, Tick now);
  bool would_wait(MemoryClass memory, Address address) const {
    return waiting_ > 0 || !has_entry(target_.tier_of(memory, address));
  }
  bool idle() const { return waiting_ == 0; }
  // Adds the requests that have not entered.
  void list_outstanding(std::vector<Outstanding>& requests) const;

  // From the channels.
  void on_taken(const Request& request, Tick now) override {
    requester_of(request).on_taken(request, now);
  }
  void on_admit(const Request& request, Tick now) override;
  void on_complete(const Request& request, Tick now) override;
  LineData write_data(const Request& request) const override;
  void on_read_data(const Request& request, const LineBytes& bytes) override;
  void on_load(LoadLevel level, Tick now) override;

  Tick next_event() const override;
  Tick advance(Tick now) override;
  void register_statistics(StatisticRegistry& registry);
  void serialize(Archive& archive) override;

 private:
  // Requests of one tier and source that wait outside, and flushes, in order of arrival.
  using Line = Ring<Request>;

  struct Counts {
    std::array<Histogram, kTiers> wait;  // picoseconds, outside
    std::array<Counter, kTiers> entered{};
    void serialize(Archive& archive) { archive(wait, entered); }
  };

  Tier tier_of(const Request& request) const {
    return target_.tier_of(request.memory, request.address);
  }
  Line& line_of(const Request& request);
  Line* next_line(Tick now);
  bool may_enter(const Request& request, Tick now);
  bool has_entry(Tier tier) const;
  void enter_waiting(Tick now);
  void enter(Request request, Tick now);
  void leave(const Request& request, Tick now);
  bool leaves_at_admission(const Request& request) const {
    return request.write && parameters_.write_holds == WriteHolds::accept;
  }
  // Returns the state at `now`, up to which it accounts for the entries held.
  const HostView& state_at(Tick now);
  Requester& requester_of(const Request& request) const { return *(*requesters_)[request.agent]; }

  const HostParameters parameters_;
  HostTarget& target_;
  std::unique_ptr<HostLimiter> limiter_;
  const std::vector<Requester*>* requesters_ = nullptr;
  std::vector<Requester*> stand_ins_;
  Kernel* kernel_ = nullptr;
  Wakeup wakeup_;
  std::vector<Line> lines_;  // by source and tier
  std::int64_t waiting_ = 0;
  std::int64_t flushes_waiting_ = 0;
  HostView state_{};
  std::array<std::uint64_t, kTiers> holding_at_reset_{};
  Tick measured_from_{0};
  Counts counts_;
};

}  // namespace hmsim
