// SPDX-License-Identifier: BSD-3-Clause
// Agent kind memory_trace: sends the requests of a memory trace directly to the controller.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agents/stream/stream_agent.h"
#include "agents/trace_keys.h"
#include "core/clock.h"
#include "traces/record_rules.h"
#include "traces/trace_formats.h"

namespace hmsim {

enum class TraceMode { saturating, timed };

class MemoryTrace final : public StreamAgent {
 public:
  // timed: most requests that may wait outside the controller; beyond that, sending is delayed.
  static constexpr std::int64_t kTimedOutside = 4'096;
  // saturating: most requests in flight over links, whose devices may accept reads faster than
  // their data return.
  static constexpr std::int64_t kOnLinks = 4'096;

  explicit MemoryTrace(const FrontendParameters&) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override;

 private:
  Bounds open() override;
  bool next(StreamRequest& request) override;
  void rewind() override;
  bool read(StreamRequest& request);  // reads the next record; may throw RecordError
  Tick due(const Access& access);     // earliest send time of its request, within its pass
  [[noreturn]] void fail_late(const Access& access) const;
  [[noreturn]] void fail_source(const Access& access) const;
  double source_fraction() const override { return source_->fraction(); }
  void serialize_source(Archive& archive) override;

  TraceKeys trace_;
  RecordRules rules_;
  TraceMode mode_ = TraceMode::saturating;
  bool sources_of_trace_ = false;
  std::int64_t frequency_ = 800'000'000;  // hertz; clock of traces that count cycles
  RateClock clock_;
  TimeUnit unit_ = TimeUnit::none;
  Tick interval_{0};  // between requests of a trace without times; 0: none
  Tick due_{0};       // earliest send time of the next such request, within its pass
  std::unique_ptr<AccessSource> source_;
  Access access_;  // the last one read
};

}  // namespace hmsim
