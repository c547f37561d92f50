// SPDX-License-Identifier: BSD-3-Clause
// An out-of-order core over the misses of its last-level cache.
//
// Time is counted in slots of 1/width cycle: one instruction is dispatched and one retired per
// slot at most. With W the window, instruction i is dispatched and retired in slots
//   d(i) = max(d(i-1) + 1, r(i-W) + 1)        r(i) = max(r(i-1) + 1, ready(i))
// where ready(i) is one cycle after d(i), and for a load not before its data came, in the next
// whole slot. Instructions between two misses need no steps of their own: with p the miss before i,
//   d(i) = max(d(p) + (i-p), max over misses j, p-W < j <= i-W, of r(j) + (i-W-j) + 1)
//   r(i) = max(r(p) + (i-p), ready(i))
// since an instruction that is no load never bounds a later one when W > width.
//
// A dependent load is dispatched as any other, but sent only when the load before it has its data.
// With `mshrs`, loads beyond that number wait in order of readiness. Writes are posted: they delay
// nothing, but that at most W of them may wait outside the controller; then dispatch stops.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/event_queue.h"
#include "core/ring.h"
#include "frontend/agent.h"
#include "frontend/clock.h"
#include "frontend/trace_formats.h"

namespace hmsim {

class CoreAgent : public Agent {
 public:
  explicit CoreAgent(const FrontendParameters& defaults) : parameters_(defaults.core) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override { return parameters_.check(); }
  const char* progress_unit() const override { return "instructions"; }
  std::int64_t frequency() const override { return parameters_.frequency; }
  std::int64_t work(Tick now) const override { return before_pass_ + retired(now); }

  Tick next_event() const override;
  void advance(Tick now) override;
  void on_admit(const Request& request, Tick now) override;

 protected:
  virtual std::unique_ptr<MissSource> open_source() = 0;

  std::int64_t instructions_ = 0;  // limit; 0: to the end of the source

 private:
  // A load, or an instruction that wrote, between dispatch and its leaving the window.
  struct Entry {
    std::int64_t index = 0;     // instruction number within the pass, from 1
    std::int64_t dispatch = 0;  // slot
    std::int64_t ready = 0;     // slot, or kUnknown
    std::int64_t retire = 0;    // slot, once all earlier ones are known
    std::uint64_t address = 0;  // of a load, as in the source
    MemoryClass memory = MemoryClass::dram;
    std::int64_t waiter = 0;  // number of the load that waits for this one, or kUnknown
    void serialize(Archive& archive);
  };
  // What happens to a load at a later time.
  enum class Step : std::uint8_t { send_when_free, send_reserved };

  static constexpr std::int64_t kUnknown = -1;

  void prepare() override;
  void restart_limit(Tick now) override;
  double pass_fraction(Tick now) const override;
  void handle_completion(const Request& request, Tick now) override;
  void serialize_state(Archive& archive) override;

  void start_pass(std::int64_t slot);
  void fetch();
  void decide_end();
  void plan();
  void act(Tick now);
  void dispatch(Tick now);
  void issue(std::int64_t number, Tick now);
  void send_load(std::int64_t number, Tick now);
  Address place(MemoryClass memory, std::uint64_t address) const;
  void resolve_retirement();
  std::int64_t retired(Tick now) const;
  Entry& entry(std::int64_t number) { return entries_[static_cast<std::size_t>(number) & mask_]; }
  const Entry& entry(std::int64_t number) const {
    return entries_[static_cast<std::size_t>(number) & mask_];
  }

  CoreParameters parameters_;
  EdgeClock slots_;
  std::unique_ptr<MissSource> source_;
  std::uint64_t nvdimm_bytes_ = 0;  // of the system; 0: it has no NVDIMM

  // Entries are numbered in order of dispatch; those from first_ to end_ - 1 are kept. Retirement
  // is known for those before known_; those before applied_ no longer bound the next dispatch.
  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
  std::int64_t first_ = 0;
  std::int64_t applied_ = 0;
  std::int64_t known_ = 0;
  std::int64_t end_ = 0;
  Entry base_;  // the entry before first_; at a pass's start instruction 0

  Miss miss_;  // the next record
  bool have_miss_ = false;
  bool ending_ = false;          // no record is left within the limit
  std::int64_t next_index_ = 0;  // its instruction
  std::int64_t next_slot_ = 0;   // when it is dispatched, as far as known
  std::int64_t last_index_ = 0;  // of the record dispatched last
  std::int64_t last_slot_ = 0;
  std::int64_t limit_index_ = 0;  // the pass ends here at the latest
  std::int64_t end_index_ = 0;    // when ending_: the last instruction of the pass
  bool stalled_on_writes_ = false;
  Tick act_time_{0};  // of the next dispatch, or of the pass's end; kNever: unknown

  std::int64_t last_load_ = kUnknown;  // number of the load dispatched last, while in the window
  std::int64_t last_load_ready_ = 0;   // slot, once known
  EventQueue<Step> steps_;
  Ring<std::int64_t> waiting_;  // loads that wait for an MSHR
  std::int64_t loads_in_flight_ = 0;
  std::int64_t writes_outside_ = 0;
  std::int64_t before_pass_ = 0;      // instructions of passes that ended
  std::int64_t measured_before_ = 0;  // instructions of this pass before measuring began
};

}  // namespace hmsim
