// SPDX-License-Identifier: BSD-3-Clause
// Agent that sends single lines directly to the memory, in a given order.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "agents/agent.h"
#include "controller/accounts/repeated_times.h"
#include "core/archive.h"
#include "core/clock.h"
#include "storage/server.h"

namespace hmsim {

enum class Target { dram, nvdimm, system };

// Request for one line. `address` is a byte address within the target, taken modulo its capacity.
// `due` is the earliest send time, counted from the start of the pass.
struct StreamRequest {
  std::uint64_t address = 0;
  bool write = false;
  Tick due{0};
  std::uint16_t context = 0;  // the request acts for the agent's core + context

  void serialize(Archive& archive) { archive(address, write, due, context); }
};

class StreamAgent : public Agent {
 public:
  void declare(ParameterSet& parameters) override;
  AgentTraits traits() const override { return {"requests"}; }
  std::int64_t work(Tick) const override { return done_; }

  Tick next_event() const override { return earlier(wake_, returning_.next_time()); }
  Tick advance(Tick now) override {
    while (returning_.next_time() <= now) {
      leave_flight(returning_.leave());
    }
    pump(now);
    return next_event();
  }
  void on_taken(const Request& /*request*/, Tick now) override {
    ++on_links_;
    waits_no_more(now);
  }
  void on_admit(const Request& request, Tick now) override {
    if (request.link == Tick(0)) {
      waits_no_more(now);
    }
  }
  void each_page_read(bool to_limit, const PageVisitor& visit) override;
  void register_statistics(StatisticRegistry& registry, const std::string& path) override;

 protected:
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

  struct Bounds {
    std::int64_t outside;      // limit of requests that wait outside the controller
    std::int64_t outstanding;  // limit of requests sent and not completed
    std::int64_t on_links;     // limit of those that crossed a link
    bool timed;                // requests have times, StreamRequest::due
    Tick latency{0};           // of each request outside the memory, in flight
  };

  // Opens the source at its first request and returns the bounds to use from then on.
  virtual Bounds open() = 0;
  virtual bool next(StreamRequest& request) = 0;  // reads a request; false at the end
  virtual void rewind() = 0;
  virtual double source_fraction() const = 0;
  virtual void serialize_source(Archive& archive) = 0;

  Bytes target_capacity() const;  // valid after connecting
  Target target() const { return target_; }

  std::int64_t requests_ = 0;  // per pass; 0: to the end of the source

 private:
  void prepare() override;
  void restart_limit(Tick now) override;
  double pass_fraction(Tick now) const override;
  void handle_completion(const Request& request, Tick now) override;
  void serialize_state(Archive& archive) override;

  struct Place {
    MemoryClass memory;
    Address line;
  };

  Place place_of(const StreamRequest& request) const;
  void start_pass(Tick now);
  void fetch();
  // Returns the earliest send time of the next request; without one, the start of the pass.
  Tick due() const { return sum_in_time(origin_, next_ ? next_->due : Tick(0)); }
  void pump(Tick now);
  void pump_and_tell(Tick now);
  void waits_no_more(Tick now);
  bool in_flight_full() const {
    return outstanding_ >= bounds_.outstanding || on_links_ >= bounds_.on_links;
  }
  void send_next(Tick now);
  void leave_flight(bool linked) {
    --outstanding_;
    on_links_ -= linked ? 1 : 0;
    ++done_;
  }

  Target target_ = Target::system;
  std::uint64_t capacity_ = 0;       // of the target
  std::uint64_t dram_capacity_ = 0;  // start of the NVDIMM in a system address
  Bounds bounds_{1, kUnbounded, kUnbounded, false};
  Delay<bool> returning_;  // completed requests, on their way back; whether they crossed a link

  std::optional<StreamRequest> next_;  // of the pass
  Tick origin_{0};                     // of the pass
  Tick wake_{0};
  bool pumping_ = false;   // in pump(): the port may call back while it accepts a request
  std::int64_t sent_ = 0;  // since the pass, or measuring, began
  std::int64_t done_ = 0;  // since time 0
  std::int64_t outside_ = 0;
  std::int64_t outstanding_ = 0;
  std::int64_t on_links_ = 0;  // of these, crossed a link
  RepeatedTimes held_back_;    // timed: from a request's time to its sending
};

}  // namespace hmsim
