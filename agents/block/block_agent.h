// SPDX-License-Identifier: BSD-3-Clause
// Threads that carry out block I/O as 64-byte lines of the NVDIMM: a trace's (kind block_trace), or
// what is generated (io_pattern).
//
// Each thread carries out one request at a time, or as many as its depth, of which its software
// then runs for one at a time; taken in the trace's order: first the software time of all its
// blocks (4 KB pages, whole or in part), then its lines, page by page in ascending order, at most
// `window` of them outstanding. closed: a thread takes the next request when its last is done;
// timed: not before its arrival, the first one's being 0; inferred: requests come when those are
// done that they wait for (traces/causal_queue.h), and find a thread each. A trim takes the
// software time of one block, and then no time; it is no block done. A flush is sent before the
// lines of its request, if it has any, and FUA means one after them; the thread waits for its end.
//
// Where the configuration has storage, requests go there instead of becoming lines
// (agents/block/storage_carrier.h): then software is the storage's, and takes its time there; a
// trim ends at once.
//
// The agent moves threads from step to step, and sends what they send. Its collaborators know
// what: RequestSource, which request comes next and when; DeviceLayout, where it lies;
// BlockCopier, what a thread does next for it, as its driver does (agents/block/block_driver.h);
// WriteBarrier, which threads wait for each other's flushes; BlockLedger and WindowMeter, what has
// been done and how long it took.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "agents/agent.h"
#include "agents/block/block_copier.h"
#include "agents/block/block_keys.h"
#include "agents/block/block_ledger.h"
#include "agents/block/block_threads.h"
#include "agents/block/device_layout.h"
#include "agents/block/request_source.h"
#include "agents/block/storage_carrier.h"
#include "agents/block/window_meter.h"
#include "agents/block/write_barrier.h"
#include "agents/io_meter.h"
#include "core/event_queue.h"

namespace hmsim {

class BlockAgent : public Agent, private IoListener {
 public:
  explicit BlockAgent(const FrontendParameters& defaults) : keys_(defaults) {}

  void declare(ParameterSet& parameters) override;
  std::vector<ParameterError> check() const override { return keys_.check(); }
  const char* progress_unit() const override { return "blocks"; }
  std::int64_t work(Tick) const override { return ledger_.closed(); }
  double weighted_rate() const override { return meter_.rate(); }
  void register_statistics(StatisticRegistry& registry, const std::string& path) override {
    io_meter_.register_statistics(registry, path);
    meter_.register_statistics(registry, path);
  }
  Histogram* response_times() override { return carrier_ ? nullptr : &ledger_.times(); }
  Histogram* response_times_in_collections() override { return &ledger_.times_in_collections(); }
  IoMeter* io_meter() override { return &io_meter_; }
  void each_page_read(bool to_limit, const PageVisitor& visit) override;

  Tick next_event() const override { return steps_.next_time(); }
  Tick advance(Tick now) override;
  void on_admit(const Request& request, Tick now) override;

 protected:
  // The keys of any agent, for one whose others are not those of traces.
  void declare_agent(ParameterSet& parameters) { Agent::declare(parameters); }
  BlockKeys& keys() { return keys_; }
  const BlockKeys& keys() const { return keys_; }

 private:
  // A step is what happens to a thread, or to all of them: a pass starts; the software time of a
  // thread's request is over; its pause is over; it goes on.
  enum class Step : std::uint8_t { start_pass, start_request, end_pause, go_on, last = go_on };

  virtual const char* kind() const { return "block_trace"; }
  // Opens what the agent's requests come from, for a device of this capacity.
  virtual std::unique_ptr<BlockSource> open_source(Bytes capacity);

  void prepare() override;
  void restart_limit(Tick now) override;
  double pass_fraction(Tick now) const override;
  void handle_completion(const Request& request, Tick now) override;
  void on_io_done(std::uint32_t index, Tick now) override;
  void serialize_state(Archive& archive) override;

  void start_pass(Tick now);
  void end_pass(Tick now);
  void take_request(std::uint32_t index, Tick now);
  void take_requests(std::uint32_t index, Tick now);
  void start_request(std::uint32_t index, Tick now);
  void end_request(std::uint32_t index, Tick now);
  IoRecord record_of(std::uint32_t index, Tick now) const;
  void discard(std::uint32_t index, Tick now);
  void pass_barrier(Tick now);
  void go_on(std::uint32_t index, Tick now);
  void open_block(std::uint32_t index, Tick now);
  void check_thread(std::uint32_t index, Tick now) const;
  Bytes capacity() const;
  Tick software_time(std::int64_t blocks) const;
  bool ends_when_accepted(const Request& request) const {
    return request.write && copier_.writes_end_accepted();
  }

  BlockKeys keys_;
  DeviceLayout layout_;
  RequestSource source_;
  BlockThreads threads_;
  BlockCopier copier_;
  std::optional<StorageCarrier> carrier_;  // none: lines
  WriteBarrier barrier_;
  BlockLedger ledger_;
  WindowMeter meter_;
  IoMeter io_meter_;
  EventQueue<Step> steps_;
  bool between_passes_ = true;           // nothing is under way until a pass starts
  std::optional<std::uint32_t> sender_;  // the thread that is sending an access: see on_admit()
};

}  // namespace hmsim
