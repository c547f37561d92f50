// SPDX-License-Identifier: BSD-3-Clause
// An agent that sends single lines straight to the memory, in a given order.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "agents/agent.h"

namespace hmsim {

enum class Target { dram, nvdimm, system };

// One request: a byte address within the target, taken modulo its capacity, and when it may be sent
// at the earliest, counted from the start of the pass.
struct StreamRequest {
  std::uint64_t address = 0;
  bool write = false;
  Tick due{0};
  std::uint16_t context = 0;  // issued on behalf of the agent's core plus this

  void serialize(Archive& archive);
};

class StreamAgent : public Agent {
 public:
  void declare(ParameterSet& parameters) override;
  AgentTraits traits() const override { return {"requests"}; }
  std::int64_t work(Tick) const override { return done_; }

  Tick next_event() const override { return wake_; }
  Tick advance(Tick now) override {
    pump(now);
    return wake_;
  }
  void on_admit(const Request& request, Tick now) override;
  void each_page_read(bool to_limit, const PageVisitor& visit) override;

 protected:
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max();

  struct Bounds {
    std::int64_t outside;      // requests that may wait outside the controller
    std::int64_t outstanding;  // requests sent and not completed
  };

  // Opens the source at its first request and returns the bounds that hold from then on.
  virtual Bounds open() = 0;
  virtual bool next(StreamRequest& request) = 0;  // a new one; false at the end
  virtual void rewind() = 0;
  virtual double source_fraction() const = 0;
  virtual void serialize_source(Archive& archive) = 0;

  Bytes target_capacity() const;  // after connecting
  Target target() const { return target_; }

  std::int64_t requests_ = 0;  // limit; 0: to the end of the source

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
  Tick due() const;
  void pump(Tick now);
  void pump_and_tell(Tick now);
  void send_next(Tick now);

  Target target_ = Target::system;
  std::uint64_t capacity_ = 0;       // of the target
  std::uint64_t dram_capacity_ = 0;  // where the NVDIMM begins in a system address
  Bounds bounds_{1, kUnbounded};

  std::optional<StreamRequest> next_;  // of the pass
  Tick origin_{0};                     // of the pass
  Tick wake_{0};
  bool pumping_ = false;   // within pump(): the port answers while a request is sent
  std::int64_t sent_ = 0;  // since the pass, or measuring, began
  std::int64_t done_ = 0;  // since time 0
  std::int64_t outside_ = 0;
  std::int64_t outstanding_ = 0;
};

}  // namespace hmsim
