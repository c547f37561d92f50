// SPDX-License-Identifier: BSD-3-Clause
// Memory requests of decoding: lines to DRAM, block I/O to the NVDIMM or storage.
//
// Reads and writes of a tier are separate lanes, each with its own limit of requests in flight.
// release() sets the stages that they may reach.
#pragma once

#include <array>
#include <cstdint>

#include "agents/agent_link.h"
#include "agents/llm/decode_loops.h"
#include "agents/llm/decode_meter.h"
#include "agents/llm/lane.h"
#include "core/pool.h"
#include "storage/host.h"

namespace hmsim {

class DecodeIo {
 public:
  // All objects outlive this one. `host` may be nullptr if nothing is outside DRAM.
  struct Environment {
    DecodeView view;
    const AgentLink* link = nullptr;
    Host* host = nullptr;
    std::uint16_t client = 0;  // number at the host
    DecodeMeter* meter = nullptr;
  };

  void connect(const Environment& environment);
  void begin_step();
  void begin_trims() { trims_.begin(); }
  // Lets reads reach stage `reads` and writes stage `writes`; -1: none.
  void release(std::int64_t reads, std::int64_t writes) {
    last_read_ = reads;
    last_write_ = writes;
  }

  // Sends everything that can be sent now. Does nothing from within itself.
  void pump(Tick now);
  // Record completions. Return whether a stage may have passed, or a lane finished; false from
  // within pump(), whose caller looks for itself.
  bool line_done(std::uint32_t tag, Tick now);
  bool request_done(std::uint32_t tag, Tick now);

  bool passed(Tier tier, std::uint32_t stage) { return reads_[index_of(tier)].passed(stage); }
  bool written() { return writes_[kFast].finished() && writes_[kSlow].finished(); }
  bool trimmed() { return trims_.finished(); }

  void serialize(Archive& archive);

 private:
  static constexpr std::size_t kFast = index_of(Tier::fast);
  static constexpr std::size_t kSlow = index_of(Tier::slow);
  using Kind = IoRequest::Kind;
  struct Sent {
    Kind kind = Kind::read;
    std::uint32_t stage = 0;
    void serialize(Archive& archive) {
      archive(kind, stage);
      archive.check(kind != Kind::flush, "invalid request of a decode step");
    }
  };

  bool send_line(bool write, Tick now);
  template <class Loops>
  void send_requests(Lane<Loops>& lane, std::int64_t last, Kind kind, Tick now);

  Environment environment_;
  std::array<Lane<StepLoops>, kTiers> reads_;
  std::array<Lane<StepLoops>, kTiers> writes_;
  Lane<TrimLoops> trims_;
  Pool<Sent> sent_;  // requests of block I/O by tag
  std::int64_t last_read_ = -1;
  std::int64_t last_write_ = -1;
  bool pumping_ = false;  // a memory may complete requests while it accepts one
  bool again_ = false;    // it did
};

}  // namespace hmsim
